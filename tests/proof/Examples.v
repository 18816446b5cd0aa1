(** * The papers' programs

  The programs of the paper's section 3 and 4 in A-normal form, with Float read as Int, and those of docs/language.md,
  section 3: what [insert] makes of them, by computation, and that what must be refused has no type at all.

  In the contexts, [N] and [M] are the size variables 0 and 1. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax Typing Semantics Values Erasure Insertion Decide Insert.
Import ListNotations.

Local Notation N := (SVar 0).
Local Notation M := (SVar 1).
(** <∃X, Array[Int,X]>, and filter's predicate and map's function: x < 5, x * 2. *)
Local Notation some_ints := (TEx 1 (TArr TInt (SVar 0))).
Local Notation small := (Lam (P2 (Arith Less) (Var 0) (Int 5))).
Local Notation twice := (Lam (P2 (Arith Times) (Var 0) (Int 2))).

(** Fig. 12: (map twice (filter small xs)). *)
Definition extract : tm :=
  Let (P2 Filter small (Var 0))
 (Let (P2 Map twice (Var 0))
  (Var 0)).

Example fig_12 : insert 1 [TArr TInt N] extract = Some (
  Unpack 1 (P2 Filter small (Var 0))
 (Let (P2 Map twice (Var 0))
  (Pack [SVar 0] (Var 0))), some_ints).
Proof. reflexivity. Qed.

(** Fig. 17: (map (lambda (r) (filter small r)) rows), each row packed by its own lambda. *)
Example fig_17 : insert 2 [TArr (TArr TInt N) M]
  (Let (P2 Map (Lam (Let (P2 Filter small (Var 0)) (Var 0))) (Var 0)) (Var 0)) = Some (
   Let (P2 Map (Lam (Unpack 1 (P2 Filter small (Var 0)) (Pack [SVar 0] (Var 0)))) (Var 0)) (Var 0),
  TArr some_ints M).
Proof. reflexivity. Qed.

(** Fig. 19: the filtered array is named once, so it has one length: (zip (map twice ys) ys). *)
Example fig_19 : insert 1 [TArr TInt N]
  (Let (P2 Filter small (Var 0))
  (Let (P2 Map twice (Var 0))
  (Let (P2 Zip (Var 0) (Var 1))
   (Var 0)))) = Some (
   Unpack 1 (P2 Filter small (Var 0))
  (Let (P2 Map twice (Var 0))
  (Let (P2 Zip (Var 0) (Var 1))
   (Pack [SVar 0] (Var 0)))),
  TEx 1 (TArr (TPair TInt TInt) (SVar 0))).
Proof. reflexivity. Qed.

(** "If not (say, it was reduced to one number), it is not": no pack. *)
Example reduced : insert 1 [TArr TInt N]
  (Let (P2 Filter small (Var 0))
  (Let (P3 Reduce (Int 0) (Lam (Lam (P2 (Arith Plus) (Var 1) (Var 0)))) (Var 0))
   (Var 0))) = Some (
   Unpack 1 (P2 Filter small (Var 0))
  (Let (P3 Reduce (Int 0) (Lam (Lam (P2 (Arith Plus) (Var 1) (Var 0)))) (Var 0))
   (Var 0)),
  TArr TInt (SNat 1)).
Proof. reflexivity. Qed.

(** A pair with one hidden length twice, and one with two: <∃X, (Array[Int,X], Array[Int,X])>, <∃X Y, ...>. *)
Example one_length_twice : insert 1 [TArr TInt N]
  (Let (P2 Filter small (Var 0)) (Let (P2 Map twice (Var 0)) (Let (P2 Pair (Var 0) (Var 1)) (Var 0)))) = Some (
   Unpack 1 (P2 Filter small (Var 0)) (Let (P2 Map twice (Var 0)) (Let (P2 Pair (Var 0) (Var 1)) (Pack [SVar 0] (Var 0)))),
  TEx 1 (TPair (TArr TInt (SVar 0)) (TArr TInt (SVar 0)))).
Proof. reflexivity. Qed.

Example two_lengths : insert 1 [TArr TInt N]
  (Let (P2 Filter small (Var 0)) (Let (P2 Filter small (Var 1)) (Let (P2 Pair (Var 0) (Var 1)) (Var 0)))) = Some (
   Unpack 1 (P2 Filter small (Var 0)) (Unpack 1 (P2 Filter small (Var 1))
  (Let (P2 Pair (Var 0) (Var 1)) (Pack [SVar 0; SVar 1] (Var 0)))),
  TEx 2 (TPair (TArr TInt (SVar 0)) (TArr TInt (SVar 1)))).
Proof. reflexivity. Qed.

(** The length that is hidden may be an expression (X1 + N), and an inner one: <∃X, Array[Array[Int,X],M]>. *)
Example hidden_sum : insert 1 [TArr TInt N]
  (Let (P2 Filter small (Var 0)) (Let (P2 Concat (Var 0) (Var 1)) (Var 0))) = Some (
   Unpack 1 (P2 Filter small (Var 0)) (Let (P2 Concat (Var 0) (Var 1)) (Pack [SOp Add (SVar 0) (SVar 1)] (Var 0))),
  some_ints).
Proof. reflexivity. Qed.

Example hidden_inside : insert 2 [TArr (TArr TInt N) M; TArr TInt N]
  (Let (P2 Filter small (Var 1)) (Let (P2 Map (Lam (Var 1)) (Var 1)) (Var 0))) = Some (
   Unpack 1 (P2 Filter small (Var 1)) (Let (P2 Map (Lam (Var 1)) (Var 1)) (Pack [SVar 0] (Var 0))),
  TEx 1 (TArr (TArr TInt (SVar 0)) (SVar 2))).
Proof. reflexivity. Qed.

(** "The two branches of if may have different lengths: the result hides it." *)
Example branches : insert 2 [TArr TInt N; TArr TInt M; TBool]
  (If (Var 2) (Var 0) (Var 1)) = Some (
   If (Var 2) (Pack [N] (Var 0)) (Pack [M] (Var 1)), some_ints).
Proof. reflexivity. Qed.

Example filtered_or_not : insert 1 [TArr TInt N; TBool]
  (If (Var 1) (Let (P2 Filter small (Var 0)) (Var 0)) (Var 0)) = Some (
   If (Var 1) (Unpack 1 (P2 Filter small (Var 0)) (Pack [SVar 0] (Var 0))) (Pack [N] (Var 0)), some_ints).
Proof. reflexivity. Qed.

(** What is explicit is not doubled. *)
Example explicit_12 : insert 1 [TArr TInt N]
  (Unpack 1 (P2 Filter small (Var 0)) (Let (P2 Map twice (Var 0)) (Pack [SVar 0] (Var 0)))) = Some (
   Unpack 1 (P2 Filter small (Var 0)) (Let (P2 Map twice (Var 0)) (Pack [SVar 0] (Var 0))), some_ints).
Proof. reflexivity. Qed.

(** Two filters of one array cannot be zipped, not even with the same predicate (Fig. 18): [insert] refuses. *)
Example fig_18 : insert 1 [TArr TInt N]
  (Let (P2 Filter small (Var 0)) (Let (P2 Filter small (Var 1)) (Let (P2 Zip (Var 0) (Var 1)) (Var 0)))) = None.
Proof. reflexivity. Qed.

(** ** What has no type *)

Lemma filter_type D G f xs n a : D;; G |- P2 Filter f xs : TEx n a ->
  exists b s, a = TArr b s /\ seq (SVar 0) s.
Proof.
  intro H. apply inv_P2 in H as (? & ? & ? & S & _ & _ & E). inversion S; subst. inversion E; subst.
  match goal with H : teq (TArr _ _) _ |- _ => inversion H; subst end. eauto.
Qed.

Lemma var_length D G x b s T : D;; G |- Var x : T -> nth_error G x = Some (TArr b s) ->
  exists a s', T = TArr a s' /\ seq s s'.
Proof. intros H E. apply inv_Var in H as (U & E' & H). rewrite E in E'. inversion E'; subst. inversion H; subst. eauto. Qed.

(** Fig. 14: without a pack the opened length escapes. No type fits, in no context. *)
Theorem fig_14_has_no_type D G f T : ~ D;; G |- Lam (Unpack 1 (P2 Filter f (Var 0)) (Var 0)) : T.
Proof.
  intro H. apply inv_Lam in H as (a & b & _ & H & _).
  apply inv_Unpack in H as (c & d & _ & H1 & H2 & _).
  apply filter_type in H1 as (e & s & -> & E1).
  eapply var_length in H2 as (e' & s' & E2 & E3); [|reflexivity].
  destruct d as [| | | |d s''|]; try discriminate E2. inversion E2; subst.
  (* the opened length would equal one that does not depend on it *)
  pose proof (fun r => eq_trans (E1 r) (E3 r)) as E. simpl in E.
  pose proof (E (fun _ => 0)) as E0. specialize (E (fun x => match x with 0 => 1 | _ => 0 end)).
  rewrite seval_ssub in E, E0. simpl in *. congruence.
Qed.

(** Fig. 18: with both results opened there is no type either, even for one array and one predicate. *)
Theorem fig_18_has_no_type D G f g xs ys T :
  ~ D;; G |- Unpack 1 (P2 Filter f xs) (Unpack 1 (P2 Filter g ys) (Pack [SVar 0] (P2 Zip (Var 0) (Var 1)))) : T.
Proof.
  intro H. apply inv_Unpack in H as (a & b & _ & H1 & H & _).
  apply inv_Unpack in H as (c & d & _ & H2 & H & _).
  apply inv_Pack in H as (n & e & _ & _ & _ & H & _).
  apply inv_P2 in H as (? & ? & ? & S & K1 & K2 & _). inversion S; subst.
  apply filter_type in H1 as (b1 & s1 & -> & E1). apply filter_type in H2 as (b2 & s2 & -> & E2).
  eapply var_length in K1 as (c1 & l1 & L1 & F1); [|reflexivity].
  eapply var_length in K2 as (c2 & l2 & L2 & F2); [|reflexivity].
  inversion L1; inversion L2; subst.
  (* both opened lengths would equal the length of the result *)
  set (r := fun x => match x with 0 => 0 | _ => 1 end).
  specialize (F1 r). specialize (F2 r). rewrite seval_ssub in F2.
  rewrite <- (E1 r) in F1 || rewrite <- (E2 r) in F1.
  rewrite <- (E1 _) in F2 || rewrite <- (E2 _) in F2.
  simpl in *. congruence.
Qed.
