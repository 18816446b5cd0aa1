(** * Typed values: inversion, canonical forms, arrays

  - What a typed term is made of ([inv_Var] ... [inv_Unpack]): one lemma for each rule, up to [T_Conv].
  - What a typed value looks like ([value_form]).
  - [array_length], [elem_typed]: a value of type [Array[a,s]] has exactly as many elements as [s] says, of type [a].
  - The types of the arrays that [iota] and [split] make. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax Typing Semantics.
Import ListNotations.

Notation "|- t : T" := (has_type 0 [] t T) (at level 70, t at next level, T at next level).

(** ** Inversion: what a typed term is made of *)

Ltac invert_typing :=
  let H := fresh in
  intro H;
  match type of H with has_type _ _ ?t _ => remember t eqn:E end;
  induction H; inversion E; subst; eauto 10;
  match goal with
  | IH : ?x = ?x -> _ |- _ => specialize (IH eq_refl)
  end;
  repeat match goal with
  | H : exists _, _ |- _ => destruct H
  | H : _ /\ _ |- _ => destruct H
  end; eauto 15 using teq_trans.

Section Inversion.
  Context {D : nat} {G : ctx}.

  Lemma inv_Var x T : D;; G |- Var x : T -> exists a, nth_error G x = Some a /\ teq a T.
  Proof. invert_typing. Qed.
  Lemma inv_Int z T : D;; G |- Int z : T -> teq TInt T.
  Proof. invert_typing. Qed.
  Lemma inv_Bool b T : D;; G |- Bool b : T -> teq TBool T.
  Proof. invert_typing. Qed.
  Lemma inv_Size s T : D;; G |- Size s : T -> teq TInt T.
  Proof. invert_typing. Qed.
  Lemma inv_Iota s T : D;; G |- Iota s : T -> swf D s /\ teq (TArr TInt s) T.
  Proof. invert_typing. Qed.
  Lemma inv_Nil T : D;; G |- Nil : T -> exists a, teq (TArr a (SNat 0)) T.
  Proof. invert_typing. Qed.
  Lemma inv_Lam t T : D;; G |- Lam t : T ->
    exists a b, twf D a /\ D;; (a :: G) |- t : b /\ teq (TFun a b) T.
  Proof. invert_typing. Qed.
  Lemma inv_Let t u T : D;; G |- Let t u : T ->
    exists a b, D;; G |- t : a /\ D;; (a :: G) |- u : b /\ teq b T.
  Proof. invert_typing. Qed.
  Lemma inv_If c t u T : D;; G |- If c t u : T ->
    exists a, D;; G |- c : TBool /\ D;; G |- t : a /\ D;; G |- u : a /\ teq a T.
  Proof. invert_typing. Qed.
  Lemma inv_P1 p t T : D;; G |- P1 p t : T ->
    exists a c, sig1 D p a c /\ D;; G |- t : a /\ teq c T.
  Proof. invert_typing. Qed.
  Lemma inv_P2 p t u T : D;; G |- P2 p t u : T ->
    exists a b c, sig2 p a b c /\ D;; G |- t : a /\ D;; G |- u : b /\ teq c T.
  Proof. invert_typing. Qed.
  Lemma inv_P3 p t u v T : D;; G |- P3 p t u v : T ->
    exists a b c d, sig3 p a b c d /\ D;; G |- t : a /\ D;; G |- u : b /\ D;; G |- v : c /\ teq d T.
  Proof. invert_typing. Qed.
  Lemma inv_Pack ss t T : D;; G |- Pack ss t : T ->
    exists n a, length ss = n /\ Forall (swf D) ss /\ twf (n + D) a /\
      D;; G |- t : tysub (inst ss) a /\ teq (TEx n a) T.
  Proof. invert_typing. Qed.
  Lemma inv_Unpack n t u T : D;; G |- Unpack n t u : T ->
    exists a b, twf D b /\ D;; G |- t : TEx n a /\ n + D;; (a :: gsh n G) |- u : tysh n b /\ teq b T.
  Proof. invert_typing. Qed.
End Inversion.

(** ** Inversion: values and closed terms of a known type *)

Lemma wf_closed t T : |- t : T -> twf 0 T.
Proof. intro H. eapply regularity; eauto. Qed.

(** Adds that the types at hand are well-formed. *)
Ltac regular :=
  repeat match goal with
  | H : has_type 0 [] ?t ?T |- _ =>
    lazymatch goal with
    | _ : twf 0 T |- _ => fail
    | _ => pose proof (wf_closed _ _ H)
    end
  end.

Ltac invert_teq :=
  repeat match goal with
  | H : teq ?a ?b |- _ =>
    lazymatch b with
    | TInt => idtac | TBool => idtac | TFun _ _ => idtac
    | TPair _ _ => idtac | TArr _ _ => idtac | TEx _ _ => idtac
    end;
    lazymatch a with
    | TInt => idtac | TBool => idtac | TFun _ _ => idtac
    | TPair _ _ => idtac | TArr _ _ => idtac | TEx _ _ => idtac
    end;
    inversion H; clear H; subst
  end.

Ltac open_up := repeat match goal with
  | H : exists _, _ |- _ => destruct H
  | H : _ /\ _ |- _ => destruct H
  end.

Lemma arith_no_array o a s : ~ teq (arith_result o) (TArr a s).
Proof. destruct o; simpl; intro H; inversion H. Qed.

(** A typed value is what its type says (canonical forms). *)
Lemma value_form v T : value v -> |- v : T ->
  match T with
  | TInt => exists z, v = Int z
  | TBool => exists b, v = Bool b
  | TFun _ _ => exists t, v = Lam t
  | TPair _ _ => exists x y, v = P2 Pair x y /\ value x /\ value y
  | TArr _ _ => v = Nil \/ exists x xs, v = acons x xs /\ value x /\ value xs
  | TEx n _ => exists ss w, v = Pack ss w /\ value w /\ length ss = n
  end.
Proof.
  intros Hv H. destruct Hv.
  - apply inv_Int in H. inversion H; eauto.
  - apply inv_Bool in H. inversion H; eauto.
  - apply inv_Lam in H; open_up. destruct T; invert_teq; eauto.
  - apply inv_P2 in H; open_up. inversion H; subst. destruct T; invert_teq; eauto 6.
  - apply inv_Nil in H; open_up. destruct T; invert_teq; eauto.
  - apply inv_P2 in H; open_up. inversion H; subst. destruct T; invert_teq; eauto 7.
  - apply inv_Pack in H; open_up. destruct T; invert_teq; eauto 6.
Qed.

Lemma typed_pair v w a b : |- P2 Pair v w : TPair a b -> |- v : a /\ |- w : b.
Proof.
  intro H. pose proof (wf_closed _ _ H) as W. simpl in W.
  apply inv_P2 in H; open_up. inversion H; subst. invert_teq. eauto using T_Conv.
Qed.

Lemma typed_cons v vs a s : |- acons v vs : TArr a s ->
  exists n, |- v : a /\ |- vs : TArr a n /\ seq (SOp Add (SNat 1) n) s.
Proof.
  intro H. pose proof (wf_closed _ _ H) as W. simpl in W.
  apply inv_P2 in H; open_up. inversion H; subst. invert_teq. regular. simpl in *.
  exists n. repeat split; auto; eapply T_Conv; eauto; simpl; try tauto.
  constructor; auto. intro r. reflexivity.
Qed.

Lemma typed_nil a s : |- Nil : TArr a s -> seq (SNat 0) s.
Proof. intro H. apply inv_Nil in H; open_up. invert_teq. auto. Qed.

Lemma typed_pack ss v n a : |- Pack ss v : TEx n a ->
  length ss = n /\ Forall (swf 0) ss /\ |- v : tysub (inst ss) a.
Proof.
  intro H. pose proof (wf_closed _ _ H) as W. simpl in W.
  apply inv_Pack in H; open_up. invert_teq. repeat split; auto.
  eapply T_Conv; eauto using teq_tysub.
  eapply twf_tysub; [exact W|]. apply wfs_inst; auto.
Qed.

(** Application of a function to a value. *)
Lemma typed_beta t v a b : |- Lam t : TFun a b -> |- v : a -> |- tsub (one v) t : b.
Proof.
  intros H Hv. pose proof (wf_closed _ _ H) as W. simpl in W.
  apply inv_Lam in H; open_up. invert_teq.
  eapply T_Conv; [|eassumption|tauto]. eapply typed_one; eauto using T_Conv.
Qed.

(** ** A value of type Array[a,s] is a list of [s] elements *)

Ltac sizes := let r := fresh "r" in intro r;
  repeat match goal with H : seq _ _ |- _ => specialize (H r); simpl in H end;
  simpl in *; try nia.

Theorem array_length v a s : value v -> |- v : TArr a s -> len v = number s.
Proof.
  intro Hv. revert s. induction Hv; intros s H;
    pose proof (fun V => value_form _ _ V H) as F; specialize (F ltac:(auto)); simpl in F;
    destruct F as [F | (? & ? & F & ? & ?)]; try discriminate F.
  - apply typed_nil in H. exact (H _).
  - destruct (typed_cons _ _ _ _ H) as (n & _ & Hs & E).
    simpl. rewrite (IHHv2 n Hs). exact (E _).
Qed.

Lemma elem_typed v a s : value v -> |- v : TArr a s -> forall i,
  match elem i v with
  | Some x => i < len v /\ value x /\ |- x : a
  | None => len v <= i
  end.
Proof.
  intro Hv. revert s. induction Hv; intros s H i;
    pose proof (fun V => value_form _ _ V H) as F; specialize (F ltac:(auto)); simpl in F;
    destruct F as [F | (? & ? & F & ? & ?)]; try discriminate F.
  - destruct i; simpl; lia.
  - destruct (typed_cons _ _ _ _ H) as (n & Hx & Hs & _).
    destruct i; simpl; [repeat split; auto; lia|].
    specialize (IHHv2 n Hs i). destruct (elem i vs); intuition lia.
Qed.

(** ** The arrays that primitives make *)

Lemma typed_ints n : forall z s, swf 0 s -> number s = n -> |- ints z n : TArr TInt s.
Proof.
  assert (A : forall n z, |- ints z n : TArr TInt (SNat n)).
  { clear. induction n; simpl; intro z; [repeat constructor|].
    eapply T_Conv with (T := TArr TInt (SOp Add (SNat 1) (SNat n))); simpl; auto.
    - eapply T_P2; [constructor|constructor|auto].
    - constructor; auto. intro r. reflexivity. }
  intros z s W E. eapply T_Conv; [apply A| |simpl; auto].
  constructor; auto. intro r. simpl. rewrite <- E. apply seval_closed, W.
Qed.

Lemma typed_Nil a s : twf 0 (TArr a s) -> seq (SNat 0) s -> |- Nil : TArr a s.
Proof. intros [? ?] E. apply T_Conv with (TArr a (SNat 0)); [constructor; auto|constructor; auto|simpl; auto]. Qed.

Lemma typed_Cons v vs a n s : |- v : a -> |- vs : TArr a n -> swf 0 s ->
  seq (SOp Add (SNat 1) n) s -> |- acons v vs : TArr a s.
Proof.
  intros Hv Hs W E. regular. simpl in *.
  eapply T_Conv; [eapply T_P2; [constructor|exact Hv|exact Hs]|constructor; auto|simpl; tauto].
Qed.

Lemma typed_take_drop k : forall v a s m, value v -> |- v : TArr a s ->
  (forall r, seval r s = k + seval r m) -> swf 0 m ->
  |- take k v : TArr a (SNat k) /\ |- drop k v : TArr a m /\ value (take k v) /\ value (drop k v).
Proof.
  induction k; intros v a s m Hv H E W.
  - regular. simpl in *. repeat split; auto.
    + apply typed_Nil; simpl; try tauto. intro r. reflexivity.
    + eapply T_Conv; [exact H| constructor; auto | simpl; tauto].
  - destruct (value_form _ _ Hv H) as [-> | (x & xs & -> & Hx & Hxs)].
    + apply typed_nil in H. specialize (H (fun _ => 0)). specialize (E (fun _ => 0)). simpl in *. lia.
    + destruct (typed_cons _ _ _ _ H) as (n & Hv1 & Hs & E'). simpl.
      destruct (IHk xs a n m) as (A & B & C & D); auto.
      { intro r. specialize (E r). specialize (E' r). simpl in *. lia. }
      repeat split; auto. eapply typed_Cons; eauto; simpl; auto. intro r. reflexivity.
Qed.

Lemma typed_rows k q : forall v a s n, value v -> |- v : TArr a s -> twf 0 a ->
  (forall r, seval r s = number k * q) -> swf 0 k -> swf 0 n -> number n = q ->
  |- rows (number k) q v : TArr (TArr a k) n.
Proof.
  assert (C : forall s r, swf 0 s -> seval r s = number s) by (intros; apply seval_closed; auto).
  induction q; intros v a s n Hv H Wa E Wk Wn Eq; simpl.
  - apply typed_Nil; simpl; auto. intro r. simpl. rewrite C; auto.
  - destruct (typed_take_drop (number k) v a s (SNat (number k * q))) as (A & B & V1 & V2); simpl; auto.
    { intro r. rewrite E. lia. }
    eapply typed_Cons with (n := SNat q).
    + eapply T_Conv; [exact A| constructor; auto | simpl; auto]. intro r. simpl. rewrite C; auto.
    + eapply IHq; eauto; simpl; auto.
    + exact Wn.
    + intro r. simpl. rewrite C; auto.
Qed.
