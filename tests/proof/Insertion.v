(** * Insertion of pack and unpack

  docs/language.md, section 3: "Programmers write neither: the checker puts both in." Two judgements relate the program
  [e] that is written to the program [t] that is elaborated, with its type:

  - [ins D G e t T]: the expression [e] becomes [t], of type [T];
  - [scope D k G e t T]: [e] is the rest of a scope (the body of a lambda, a branch, ...) in which [k] lengths have been
    opened since its beginning; it becomes [t]. [T] is the type of the scope, in which none of the [k] occurs.

  They are the rules of the paper's Fig. 20, with the differences that language.md states: an opened length is in scope
  to the end of the enclosing scope and all are hidden together there (Fig. 20 packs at each [let]); any number of
  lengths at any depth is hidden; [pack] and [unpack] may also be written.

  The rules say what may be inserted. Insert.v is a function that decides, as language.md says. Both theorems are about
  all that the rules allow:

  - [ins_typed]: the result is well typed in the explicit language;
  - [ins_erase]: the result and the source have one erasure: nothing but openings and hidings was inserted. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax Typing Erasure.
Import ListNotations.

Inductive ins : nat -> ctx -> tm -> tm -> ty -> Prop :=
(* A scope of its own: a body, a branch, an argument. *)
| I_Scope D G e t T : scope D 0 G e t T -> ins D G e t T
(* "The body is packed", "an argument is hidden on the way in", "the result [of if] hides it". *)
| I_Hide D G n ss e t a :
    length ss = n -> Forall (swf D) ss -> twf (n + D) a ->
    ins D G e t (tysub (inst ss) a) ->
    ins D G e (Pack ss t) (TEx n a)
(* A pack that is written. *)
| I_Pack D G n ss e t a :
    length ss = n -> Forall (swf D) ss -> twf (n + D) a ->
    ins D G e t (tysub (inst ss) a) ->
    ins D G (Pack ss e) (Pack ss t) (TEx n a)
(* An unpack that is written: its body is a scope that begins with the lengths opened. *)
| I_Unpack D G n e1 e2 t1 t2 a T :
    ins D G e1 t1 (TEx n a) ->
    scope D n (a :: gsh n G) e2 t2 T ->
    ins D G (Unpack n e1 e2) (Unpack n t1 t2) T
(* The other forms: their parts. *)
| I_Lam D G e t a b : twf D a -> ins D (a :: G) e t b -> ins D G (Lam e) (Lam t) (TFun a b)
| I_If D G e1 e2 e3 t1 t2 t3 a :
    ins D G e1 t1 TBool -> ins D G e2 t2 a -> ins D G e3 t3 a ->
    ins D G (If e1 e2 e3) (If t1 t2 t3) a
| I_Var D G x T : nth_error G x = Some T -> ins D G (Var x) (Var x) T
| I_Int D G z : ins D G (Int z) (Int z) TInt
| I_Bool D G b : ins D G (Bool b) (Bool b) TBool
| I_Size D G s : swf D s -> ins D G (Size s) (Size s) TInt
| I_Iota D G s : swf D s -> ins D G (Iota s) (Iota s) (TArr TInt s)
| I_Nil D G a : twf D a -> ins D G Nil Nil (TArr a (SNat 0))
| I_P1 D G p e1 t1 a c : sig1 D p a c -> ins D G e1 t1 a -> ins D G (P1 p e1) (P1 p t1) c
| I_P2 D G p e1 e2 t1 t2 a b c : sig2 p a b c -> ins D G e1 t1 a -> ins D G e2 t2 b ->
    ins D G (P2 p e1 e2) (P2 p t1 t2) c
| I_P3 D G p e1 e2 e3 t1 t2 t3 a b c d : sig3 p a b c d ->
    ins D G e1 t1 a -> ins D G e2 t2 b -> ins D G e3 t3 c ->
    ins D G (P3 p e1 e2 e3) (P3 p t1 t2 t3) d
| I_Conv D G e t T T' : ins D G e t T -> teq T T' -> twf D T' -> ins D G e t T'

with scope : nat -> nat -> ctx -> tm -> tm -> ty -> Prop :=
(* "Each named value of existential type is opened there; its name scopes to the end of the enclosing lambda body." *)
| B_Open D k G n e1 e2 t1 t2 a T :
    ins (k + D) G e1 t1 (TEx n a) ->
    scope D (n + k) (a :: gsh n G) (tsz (sh n) e2) t2 T ->
    scope D k G (Let e1 e2) (Unpack n t1 t2) T
| B_Let D k G e1 e2 t1 t2 a T :
    ins (k + D) G e1 t1 a ->
    scope D k (a :: G) e2 t2 T ->
    scope D k G (Let e1 e2) (Let t1 t2) T
(* The end of the scope: its type is one of the outside, if need be because something was hidden (I_Hide). *)
| B_Tail D k G e t T :
    ins (k + D) G e t (tysh k T) -> twf D T ->
    scope D k G e t T.

Scheme ins_ind' := Induction for ins Sort Prop
with scope_ind' := Induction for scope Sort Prop.
Combined Scheme ins_scope_ind from ins_ind', scope_ind'.

Lemma scope_wf D k G e t T : scope D k G e t T -> twf D T.
Proof. induction 1; auto. Qed.

Theorem ins_scope_typed :
  (forall D G e t T, ins D G e t T -> D;; G |- t : T) /\
  (forall D k G e t T, scope D k G e t T -> k + D;; G |- t : tysh k T).
Proof.
  apply ins_scope_ind; intros; try solve [econstructor; eauto].
  - rewrite tysh_0 in H. exact H.
  - eapply T_Unpack; eauto using scope_wf.
  - eapply T_Unpack; [|exact H|].
    + eauto using twf_sh, scope_wf.
    + rewrite tysh_tysh, Nat.add_assoc. exact H0.
  - exact H.
Qed.

Theorem ins_typed D G e t T : ins D G e t T -> D;; G |- t : T.
Proof. apply ins_scope_typed. Qed.

Theorem ins_scope_erase :
  (forall D G e t T, ins D G e t T -> erase t = erase e) /\
  (forall D k G e t T, scope D k G e t T -> erase t = erase e).
Proof.
  apply ins_scope_ind; simpl; intros; try congruence.
  rewrite H, H0, erase_tsz, forget_sh. reflexivity.
Qed.

Theorem ins_erase D G e t T : ins D G e t T -> erase t = erase e.
Proof. apply ins_scope_erase. Qed.

(** ** Nothing is refused that could be made well typed *)

(** No length opened in the program is used as a number: its openings can be forgotten. *)
Fixpoint mute (t : tm) : Prop :=
  match t with
  | Lam t | P1 _ t | Pack _ t => mute t
  | Let t u | P2 _ t u => mute t /\ mute u
  | If t u v | P3 _ t u v => mute t /\ mute u /\ mute v
  | Unpack n t u => mute t /\ mute u /\ tsz (sh n) (tsz (inst (zeros n)) (erase u)) = erase u
  | _ => True
  end.

Lemma scope_of_let D G e1 e2 t1 t2 a b : ins D G e1 t1 a -> ins D (a :: G) e2 t2 b -> twf D b ->
  ins D G (Let e1 e2) (Let t1 t2) b.
Proof. intros. apply I_Scope. eapply B_Let; [eauto|]. apply B_Tail; rewrite ?tysh_0; auto. Qed.

(** Whatever way there is to put in [pack] and [unpack] so that a program is well typed, the rules allow it. *)
Theorem ins_complete D G t T : D;; G |- t : T -> Forall (twf D) G -> mute t -> ins D G (erase t) t T.
Proof.
  induction 1; simpl; intros W M; try (solve [econstructor; intuition eauto]).
  - eapply scope_of_let; intuition eauto using regularity.
  - destruct M as (Mt & Mu & M). apply I_Scope. eapply B_Open; [eauto|].
    rewrite M. apply B_Tail; rewrite ?Nat.add_0_r; auto.
    apply IHhas_type2; auto. constructor; auto using ctx_wf_sh.
    apply (regularity _ _ _ _ H0 W).
Qed.

(** "Explicit pack and unpack are accepted anywhere": what is explicit may stay as it is. *)
Theorem explicit_stays D G t T : D;; G |- t : T -> Forall (twf D) G -> ins D G t t T.
Proof.
  induction 1; intro W; try (solve [econstructor; eauto]).
  - eapply scope_of_let; eauto using regularity.
  - eapply I_Unpack; [eauto|]. apply B_Tail; auto. apply IHhas_type2.
    constructor; auto using ctx_wf_sh. apply (regularity _ _ _ _ H0 W).
Qed.
