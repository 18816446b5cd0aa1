(** * Types and terms

  The core of docs/language.md: types (section 2), terms (section 1) and primitives (section 5), with [pack] and
  [unpack] written out as in the paper's Fig. 10 and 11. Terms are without type annotations: what a rule of Typing.v
  calls a type is found, not read.

  Term variables and size variables are de Bruijn indices in two separate contexts. Only [Unpack] binds size variables:
  [Unpack n t u] opens the [n] lengths that [t] hides and binds them, and one term variable, in [u]. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes.
Import ListNotations.

Inductive ty :=
| TInt                            (* Int, stands for the scalars with arithmetic *)
| TBool                           (* Bool *)
| TFun (a b : ty)                 (* a -> b *)
| TPair (a b : ty)                (* (a, b) *)
| TArr (a : ty) (s : size)        (* Array[a,s] *)
| TEx (n : nat) (a : ty).         (* <∃X1 ... Xn, a> *)

(** Arithmetic on Int (section 4). *)
Inductive arith := Plus | Minus | Times | Quot | Less | Equal.

(** Primitives of one, two and three arguments (section 5). *)
Inductive p1 :=
| Fst | Snd                       (* get1, get2 *)
| Length                          (* length *)
| Join                            (* join *)
| Split (k q : size)              (* split #k: into q rows of k *)
| IotaInt                         (* iota of an Int that is no size: the length is hidden *)
| Cast (s : size).                (* (: e Array[_,s]): the checked cast *)

Inductive p2 :=
| App                             (* (f x) *)
| Pair                            (* tuple *)
| Cons                            (* an array by its first element and the others *)
| Map | Filter                    (* map, filter *)
| Zip | Concat                    (* zip, concat *)
| Aref                            (* aref *)
| Arith (o : arith).

Inductive p3 :=
| Reduce.                         (* reduceSeq z f xs, and reduce *)

Inductive tm :=
| Var (x : nat)
| Int (z : Z)
| Bool (b : bool)
| Size (s : size)                 (* #s as a value *)
| Iota (s : size)                 (* iota #s *)
| Nil                             (* the array without elements *)
| Lam (t : tm)                    (* lambda, binds 1 *)
| Let (t u : tm)                  (* let, binds 1 in u *)
| If (c t u : tm)
| P1 (p : p1) (t : tm)
| P2 (p : p2) (t u : tm)
| P3 (p : p3) (t u v : tm)
| Pack (ss : list size) (t : tm)  (* pack, with the lengths that it hides *)
| Unpack (n : nat) (t u : tm).    (* unpack, binds n sizes and 1 term in u *)

(** ** Sizes inside types and terms *)

Fixpoint tysub (f : nat -> size) (T : ty) : ty :=
  match T with
  | TInt => TInt
  | TBool => TBool
  | TFun a b => TFun (tysub f a) (tysub f b)
  | TPair a b => TPair (tysub f a) (tysub f b)
  | TArr a s => TArr (tysub f a) (ssub f s)
  | TEx n a => TEx n (tysub (up n f) a)
  end.

(** The type under [n] further size variables. *)
Notation tysh n := (tysub (sh n)).

(** The type has no size variables but those of the context. *)
Fixpoint twf (d : nat) (T : ty) : Prop :=
  match T with
  | TInt | TBool => True
  | TFun a b | TPair a b => twf d a /\ twf d b
  | TArr a s => twf d a /\ swf d s
  | TEx n a => twf (n + d) a
  end.

Definition p1sub (f : nat -> size) (p : p1) : p1 :=
  match p with
  | Split k q => Split (ssub f k) (ssub f q)
  | Cast s => Cast (ssub f s)
  | p => p
  end.

(** Substitution of sizes in a term. *)
Fixpoint tsz (f : nat -> size) (t : tm) : tm :=
  match t with
  | Var x => Var x
  | Int z => Int z
  | Bool b => Bool b
  | Size s => Size (ssub f s)
  | Iota s => Iota (ssub f s)
  | Nil => Nil
  | Lam t => Lam (tsz f t)
  | Let t u => Let (tsz f t) (tsz f u)
  | If c t u => If (tsz f c) (tsz f t) (tsz f u)
  | P1 p t => P1 (p1sub f p) (tsz f t)
  | P2 p t u => P2 p (tsz f t) (tsz f u)
  | P3 p t u v => P3 p (tsz f t) (tsz f u) (tsz f v)
  | Pack ss t => Pack (map (ssub f) ss) (tsz f t)
  | Unpack n t u => Unpack n (tsz f t) (tsz (up n f) u)
  end.

(** ** Term variables: renaming, then substitution *)

Definition rup (f : nat -> nat) : nat -> nat :=
  fun x => match x with 0 => 0 | S x => S (f x) end.

Fixpoint tren (f : nat -> nat) (t : tm) : tm :=
  match t with
  | Var x => Var (f x)
  | Int z => Int z
  | Bool b => Bool b
  | Size s => Size s
  | Iota s => Iota s
  | Nil => Nil
  | Lam t => Lam (tren (rup f) t)
  | Let t u => Let (tren f t) (tren (rup f) u)
  | If c t u => If (tren f c) (tren f t) (tren f u)
  | P1 p t => P1 p (tren f t)
  | P2 p t u => P2 p (tren f t) (tren f u)
  | P3 p t u v => P3 p (tren f t) (tren f u) (tren f v)
  | Pack ss t => Pack ss (tren f t)
  | Unpack n t u => Unpack n (tren f t) (tren (rup f) u)
  end.

(** A substitution under a binder of one term variable and [n] size variables. *)
Definition tup (n : nat) (f : nat -> tm) : nat -> tm :=
  fun x => match x with 0 => Var 0 | S x => tsz (sh n) (tren S (f x)) end.

Fixpoint tsub (f : nat -> tm) (t : tm) : tm :=
  match t with
  | Var x => f x
  | Int z => Int z
  | Bool b => Bool b
  | Size s => Size s
  | Iota s => Iota s
  | Nil => Nil
  | Lam t => Lam (tsub (tup 0 f) t)
  | Let t u => Let (tsub f t) (tsub (tup 0 f) u)
  | If c t u => If (tsub f c) (tsub f t) (tsub f u)
  | P1 p t => P1 p (tsub f t)
  | P2 p t u => P2 p (tsub f t) (tsub f u)
  | P3 p t u v => P3 p (tsub f t) (tsub f u) (tsub f v)
  | Pack ss t => Pack ss (tsub f t)
  | Unpack n t u => Unpack n (tsub f t) (tsub (tup n f) u)
  end.

(** One value for the innermost term variable. *)
Definition one (v : tm) : nat -> tm :=
  fun x => match x with 0 => v | S x => Var x end.

(** ** Laws of size substitution in types *)

Lemma tysub_ext T : forall f g, (forall x, f x = g x) -> tysub f T = tysub g T.
Proof.
  induction T; simpl; intros f g H; f_equal; eauto using ssub_ext.
  apply IHT. intro x. apply up_ext. exact H.
Qed.

Lemma tysub_id T : forall f, (forall x, f x = SVar x) -> tysub f T = T.
Proof.
  induction T; simpl; intros f H; f_equal; eauto.
  - rewrite (ssub_ext f SVar); auto using ssub_id.
  - apply IHT. intro x. rewrite (up_ext n f SVar); auto using up_var.
Qed.

Lemma tysub_comp T : forall f g, tysub g (tysub f T) = tysub (fun x => ssub g (f x)) T.
Proof.
  induction T; simpl; intros f g; f_equal; eauto using ssub_comp.
  rewrite IHT. apply tysub_ext. intro x. apply up_comp.
Qed.

(** Weakening and substitution change places. *)
Lemma tysub_up_sh n f T : tysub (up n f) (tysh n T) = tysh n (tysub f T).
Proof. rewrite !tysub_comp. apply tysub_ext. intro x. apply up_sh. Qed.

Lemma tysub_inst_sh ss n T : length ss = n -> tysub (inst ss) (tysh n T) = T.
Proof. intro H. rewrite tysub_comp. apply tysub_id. intro x. apply inst_sh, H. Qed.

Lemma tysub_inst ss n f T : length ss = n ->
  tysub f (tysub (inst ss) T) = tysub (inst (map (ssub f) ss)) (tysub (up n f) T).
Proof. intro H. rewrite !tysub_comp. apply tysub_ext. intro x. symmetry. apply inst_up, H. Qed.

Lemma tysh_0 T : tysh 0 T = T.
Proof. apply tysub_id. reflexivity. Qed.

Lemma tysh_tysh n m T : tysh n (tysh m T) = tysh (n + m) T.
Proof. rewrite tysub_comp. apply tysub_ext. intro x. unfold sh. simpl. f_equal. lia. Qed.

Lemma twf_tysub T : forall d f d', twf d T -> wfs d f d' -> twf d' (tysub f T).
Proof.
  induction T; simpl; intros d f d' H Hf; intuition eauto using swf_ssub.
  eapply IHT; eauto. apply wfs_up, Hf.
Qed.

Lemma twf_sh d n T : twf d T -> twf (n + d) (tysh n T).
Proof. intro H. eapply twf_tysub; eauto using wfs_sh. Qed.
