(** * Sizes: the lengths that stand in types

  A size is an expression over the natural numbers with size variables (docs/language.md, section 2, "Sizes"). Two
  sizes are equal when they are equal for every value of their variables: [seq]. There is no syntactic equality of
  sizes anywhere in the typing rules, so every law of arithmetic holds between lengths.

  Size variables are de Bruijn indices. A size has no binder of its own (the language's [sum] is not modelled), so
  substitution into sizes needs no renaming. The file gives parallel substitutions ([ssub]), the three that the rules
  use ([sh] weakening, [up] under binders, [inst] instantiation), and their laws. *)

From Coq Require Import Arith List Lia.
Import ListNotations.

(** The operators of docs/language.md. The language's [/] is exact division under an assumption; here it is the
  quotient of natural numbers, and [-] is cut off at 0: Assumptions.v says when [k*(n/k)] is [n]. *)
Inductive sop := Add | Sub | Mul | Div | Mod | Min | Max | Pow.

Inductive size :=
| SVar (x : nat)                  (* N, X1, ... *)
| SNat (n : nat)                  (* 4 *)
| SOp (o : sop) (a b : size).     (* a sum, a product, ... *)

Definition sop_eval (o : sop) : nat -> nat -> nat :=
  match o with
  | Add => Nat.add | Sub => Nat.sub | Mul => Nat.mul | Div => Nat.div
  | Mod => Nat.modulo | Min => Nat.min | Max => Nat.max | Pow => Nat.pow
  end.

(** The number that a size is under a valuation of the size variables: the length of a real array. *)
Fixpoint seval (r : nat -> nat) (s : size) : nat :=
  match s with
  | SVar x => r x
  | SNat n => n
  | SOp o a b => sop_eval o (seval r a) (seval r b)
  end.

(** "Two sizes are equal when they are equal for every value of their variables." *)
Definition seq (s s' : size) : Prop := forall r, seval r s = seval r s'.

(** The size has no variable but those of a context of [d] size variables. *)
Fixpoint swf (d : nat) (s : size) : Prop :=
  match s with
  | SVar x => x < d
  | SNat _ => True
  | SOp _ a b => swf d a /\ swf d b
  end.

(** ** Substitution *)

Fixpoint ssub (f : nat -> size) (s : size) : size :=
  match s with
  | SVar x => f x
  | SNat n => SNat n
  | SOp o a b => SOp o (ssub f a) (ssub f b)
  end.

(** Past [n] new variables. *)
Definition sh (n : nat) : nat -> size := fun x => SVar (n + x).

(** A substitution under a binder of [n] variables. *)
Definition up (n : nat) (f : nat -> size) : nat -> size :=
  fun x => if x <? n then SVar x else ssub (sh n) (f (x - n)).

(** The innermost variables become the sizes of the list. *)
Definition inst (ss : list size) : nat -> size :=
  fun x => match nth_error ss x with Some s => s | None => SVar (x - length ss) end.

(** A substitution takes the variables of one context to sizes of another. *)
Definition wfs (d : nat) (f : nat -> size) (d' : nat) : Prop := forall x, x < d -> swf d' (f x).

Lemma ssub_ext f g s : (forall x, f x = g x) -> ssub f s = ssub g s.
Proof. intro H; induction s; simpl; congruence. Qed.

Lemma ssub_id s : ssub SVar s = s.
Proof. induction s; simpl; congruence. Qed.

Lemma ssub_comp f g s : ssub g (ssub f s) = ssub (fun x => ssub g (f x)) s.
Proof. induction s; simpl; congruence. Qed.

Lemma seval_ext r r' s : (forall x, r x = r' x) -> seval r s = seval r' s.
Proof. intro H; induction s; simpl; congruence. Qed.

Lemma seval_ssub r f s : seval r (ssub f s) = seval (fun x => seval r (f x)) s.
Proof. induction s; simpl; congruence. Qed.

Lemma seq_ssub f s s' : seq s s' -> seq (ssub f s) (ssub f s').
Proof. intros H r. rewrite !seval_ssub. apply H. Qed.

(** A closed size is the same number under every valuation. *)
Lemma seval_closed s r r' : swf 0 s -> seval r s = seval r' s.
Proof.
  induction s; simpl; intro H.
  - lia.
  - reflexivity.
  - destruct H. rewrite IHs1, IHs2; auto.
Qed.

Ltac below x n :=
  destruct (Nat.ltb_spec x n); simpl.

Lemma up_var n x : up n SVar x = SVar x.
Proof. unfold up. below x n; auto. unfold sh. f_equal. lia. Qed.

Lemma up_ext n f g x : (forall x, f x = g x) -> up n f x = up n g x.
Proof. intro H. unfold up. below x n; congruence. Qed.

Lemma up_sh n f x : ssub (up n f) (sh n x) = ssub (sh n) (f x).
Proof. unfold up, sh. simpl. below (n + x) n; [lia|]. do 2 f_equal. lia. Qed.

Lemma up_comp n f g x : ssub (up n g) (up n f x) = up n (fun y => ssub g (f y)) x.
Proof.
  unfold up at 2 3. below x n.
  - unfold up. below x n; auto; lia.
  - rewrite !ssub_comp. apply ssub_ext. intro y. rewrite up_sh. reflexivity.
Qed.

Lemma inst_sh ss n x : length ss = n -> ssub (inst ss) (sh n x) = SVar x.
Proof.
  intros <-. unfold sh, inst. simpl.
  replace (nth_error ss (length ss + x)) with (@None size).
  - f_equal. lia.
  - symmetry. apply nth_error_None. lia.
Qed.

Lemma inst_up ss n f x : length ss = n ->
  ssub (inst (map (ssub f) ss)) (up n f x) = ssub f (inst ss x).
Proof.
  intros <-. unfold up, inst at 2. below x (length ss).
  - unfold inst. rewrite nth_error_map.
    destruct (nth_error ss x) eqn:E; simpl; auto.
    apply nth_error_None in E. lia.
  - replace (nth_error ss x) with (@None size) by (symmetry; apply nth_error_None; lia).
    rewrite ssub_comp. simpl. rewrite (ssub_ext _ SVar); [apply ssub_id|].
    intro y. apply inst_sh. apply map_length.
Qed.

(** ** Well-formedness *)

Lemma swf_ssub d d' f s : swf d s -> wfs d f d' -> swf d' (ssub f s).
Proof. induction s; simpl; intuition. Qed.

Lemma swf_mono d d' s : swf d s -> d <= d' -> swf d' s.
Proof. induction s; simpl; intuition lia. Qed.

Lemma wfs_sh n d : wfs d (sh n) (n + d).
Proof. intros x H. simpl. lia. Qed.

Lemma wfs_up n d f d' : wfs d f d' -> wfs (n + d) (up n f) (n + d').
Proof.
  intros H x Hx. unfold up. below x n.
  - lia.
  - apply swf_ssub with d'; [apply H; lia | apply wfs_sh].
Qed.

Lemma wfs_inst ss n d : length ss = n -> Forall (swf d) ss -> wfs (n + d) (inst ss) d.
Proof.
  intros <- H x Hx. unfold inst. destruct (nth_error ss x) eqn:E.
  - rewrite Forall_forall in H. apply H. eapply nth_error_In; eauto.
  - apply nth_error_None in E. simpl. lia.
Qed.
