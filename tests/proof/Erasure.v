(** * Erasure: the program without what opens and hides

  [erase] takes every [pack] away and makes every [unpack] a [let]; what is left is the program as it is written by
  people who write neither. A program where none stands is its own erasure ([erase_implicit]).

  An opened length that is also used as a number inside its scope ([#X]) has no meaning without the [unpack]; erasure
  puts 0. Inserted openings are never used so: the source does not know their names. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax.
Import ListNotations.

Notation zeros n := (repeat (SNat 0) n).

Fixpoint erase (t : tm) : tm :=
  match t with
  | Lam t => Lam (erase t)
  | Let t u => Let (erase t) (erase u)
  | If c t u => If (erase c) (erase t) (erase u)
  | P1 p t => P1 p (erase t)
  | P2 p t u => P2 p (erase t) (erase u)
  | P3 p t u v => P3 p (erase t) (erase u) (erase v)
  | Pack _ t => erase t
  | Unpack n t u => Let (erase t) (tsz (inst (zeros n)) (erase u))
  | t => t
  end.

(** Neither [pack] nor [unpack] stands in the program. *)
Fixpoint implicit (t : tm) : Prop :=
  match t with
  | Lam t | P1 _ t => implicit t
  | Let t u | P2 _ t u => implicit t /\ implicit u
  | If t u v | P3 _ t u v => implicit t /\ implicit u /\ implicit v
  | Pack _ _ | Unpack _ _ _ => False
  | _ => True
  end.

Lemma erase_implicit t : implicit t -> erase t = t.
Proof. induction t; simpl; intuition congruence. Qed.

(** ** Laws of size substitution in terms *)

Lemma p1sub_ext p f g : (forall x, f x = g x) -> p1sub f p = p1sub g p.
Proof. intro H. destruct p; simpl; f_equal; auto using ssub_ext. Qed.

Lemma p1sub_comp p f g : p1sub g (p1sub f p) = p1sub (fun x => ssub g (f x)) p.
Proof. destruct p; simpl; f_equal; auto using ssub_comp. Qed.

Lemma p1sub_id p : p1sub SVar p = p.
Proof. destruct p; simpl; f_equal; auto using ssub_id. Qed.

Lemma tsz_ext t : forall f g, (forall x, f x = g x) -> tsz f t = tsz g t.
Proof.
  induction t; simpl; intros f g H; f_equal; auto using ssub_ext, p1sub_ext, map_ext.
  apply IHt2. intro x. apply up_ext, H.
Qed.

Lemma tsz_comp t : forall f g, tsz g (tsz f t) = tsz (fun x => ssub g (f x)) t.
Proof.
  induction t; simpl; intros f g; f_equal; auto using ssub_comp, p1sub_comp.
  - rewrite map_map. apply map_ext. intro s. apply ssub_comp.
  - rewrite IHt2. apply tsz_ext. intro x. apply up_comp.
Qed.

Lemma tsz_id t : forall f, (forall x, f x = SVar x) -> tsz f t = t.
Proof.
  induction t; simpl; intros f H; f_equal; auto.
  - rewrite (ssub_ext f SVar); auto using ssub_id.
  - rewrite (ssub_ext f SVar); auto using ssub_id.
  - rewrite (p1sub_ext p f SVar); auto using p1sub_id.
  - rewrite <- (map_id ss) at 2. apply map_ext. intro s.
    rewrite (ssub_ext f SVar); auto using ssub_id.
  - apply IHt2. intro x. rewrite (up_ext n f SVar); auto using up_var.
Qed.

Lemma map_zeros f n : map (ssub f) (zeros n) = zeros n.
Proof. induction n; simpl; congruence. Qed.

(** Erasure and substitution of sizes change places. *)
Lemma erase_tsz t : forall f, erase (tsz f t) = tsz f (erase t).
Proof.
  induction t; simpl; intro f; f_equal; auto.
  rewrite IHt2, !tsz_comp. apply tsz_ext. intro x.
  rewrite <- (map_zeros f n) at 1. apply inst_up, repeat_length.
Qed.

Lemma forget_sh n t : tsz (inst (zeros n)) (tsz (sh n) t) = t.
Proof. rewrite tsz_comp. apply tsz_id. intro x. apply inst_sh, repeat_length. Qed.
