(** * The typing rules of the explicit language

  [has_type D G t T], written [D ;; G |- t : T]: under [D] size variables and with term variables of the types [G], the
  term [t] has type [T]. This is what `lift check --explicit` checks: nothing is inserted, [pack] and [unpack] are
  typed by Fig. 13 of the paper.

  - [T_Pack] is Fig. 13's first rule, for any number of lengths at any depth (the paper hides the outermost one);
  - [T_Unpack] is Fig. 13's second rule: the opened lengths are new variables ("X is unique"), the type of the body is
    the weakening of a type in which they do not occur ("FV(T2) ∩ {X} = ∅");
  - [T_Conv] is "two sizes are equal when they are equal for every value of their variables";
  - the tables [sig1], [sig2], [sig3] are section 5 of docs/language.md;
  - the other rules are those of the simply typed lambda calculus.

  Then: types that the rules give are well-formed ([regularity]); typing is stable under substitution of sizes
  ([typed_sizes]) and of terms ([typed_sub]). *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax.
Import ListNotations.

(** ** Equality of types: equal up to equality of sizes *)

Inductive teq : ty -> ty -> Prop :=
| E_Int : teq TInt TInt
| E_Bool : teq TBool TBool
| E_Fun a b a' b' : teq a a' -> teq b b' -> teq (TFun a b) (TFun a' b')
| E_Pair a b a' b' : teq a a' -> teq b b' -> teq (TPair a b) (TPair a' b')
| E_Arr a s a' s' : teq a a' -> seq s s' -> teq (TArr a s) (TArr a' s')
| E_Ex n a a' : teq a a' -> teq (TEx n a) (TEx n a').

Lemma teq_refl T : teq T T.
Proof. induction T; constructor; auto. intro r. reflexivity. Qed.

Lemma teq_sym T T' : teq T T' -> teq T' T.
Proof. induction 1; constructor; auto. intro r. symmetry. auto. Qed.

Lemma teq_trans T1 T2 T3 : teq T1 T2 -> teq T2 T3 -> teq T1 T3.
Proof.
  intro H. revert T3. induction H; inversion 1; subst; constructor; eauto.
  intro r. rewrite H0; auto.
Qed.

Lemma teq_tysub T T' : teq T T' -> forall f, teq (tysub f T) (tysub f T').
Proof. induction 1; simpl; intros; constructor; auto using seq_ssub. Qed.

#[export] Hint Resolve teq_refl teq_sym : core.

(** ** Primitives *)

Definition arith_result (o : arith) : ty :=
  match o with Plus | Minus | Times | Quot => TInt | Less | Equal => TBool end.

Inductive sig1 (D : nat) : p1 -> ty -> ty -> Prop :=
| S_Fst a b : sig1 D Fst (TPair a b) a
| S_Snd a b : sig1 D Snd (TPair a b) b
| S_Length a n : sig1 D Length (TArr a n) TInt
| S_Join a k m : sig1 D Join (TArr (TArr a k) m) (TArr a (SOp Mul k m))
| S_Split a k q : swf D k -> swf D q ->
    sig1 D (Split k q) (TArr a (SOp Mul k q)) (TArr (TArr a k) q)
| S_IotaInt : sig1 D IotaInt TInt (TEx 1 (TArr TInt (SVar 0)))
| S_Cast a n s : swf D s -> sig1 D (Cast s) (TArr a n) (TArr a s).

Inductive sig2 : p2 -> ty -> ty -> ty -> Prop :=
| S_App a b : sig2 App (TFun a b) a b
| S_Pair a b : sig2 Pair a b (TPair a b)
| S_Cons a n : sig2 Cons a (TArr a n) (TArr a (SOp Add (SNat 1) n))
| S_Map a b n : sig2 Map (TFun a b) (TArr a n) (TArr b n)
| S_Filter a n : sig2 Filter (TFun a TBool) (TArr a n) (TEx 1 (TArr (tysh 1 a) (SVar 0)))
| S_Zip a b n : sig2 Zip (TArr a n) (TArr b n) (TArr (TPair a b) n)
| S_Concat a n m : sig2 Concat (TArr a n) (TArr a m) (TArr a (SOp Add n m))
| S_Aref a n : sig2 Aref (TArr a n) TInt a
| S_Arith o : sig2 (Arith o) TInt TInt (arith_result o).

Inductive sig3 : p3 -> ty -> ty -> ty -> ty -> Prop :=
| S_Reduce a b n : sig3 Reduce b (TFun b (TFun a b)) (TArr a n) (TArr b (SNat 1)).

(** ** The rules *)

Definition ctx := list ty.

(** The context under [n] further size variables. *)
Notation gsh n := (map (tysh n)).

Reserved Notation "D ;; G |- t : T" (at level 70, G at next level, t at next level, T at next level).

Inductive has_type (D : nat) (G : ctx) : tm -> ty -> Prop :=
| T_Var x T : nth_error G x = Some T -> D;; G |- Var x : T
| T_Int z : D;; G |- Int z : TInt
| T_Bool b : D;; G |- Bool b : TBool
| T_Size s : swf D s -> D;; G |- Size s : TInt
| T_Iota s : swf D s -> D;; G |- Iota s : TArr TInt s
| T_Nil a : twf D a -> D;; G |- Nil : TArr a (SNat 0)
| T_Lam a b t : twf D a -> D;; (a :: G) |- t : b -> D;; G |- Lam t : TFun a b
| T_Let t u a b : D;; G |- t : a -> D;; (a :: G) |- u : b -> D;; G |- Let t u : b
| T_If c t u a : D;; G |- c : TBool -> D;; G |- t : a -> D;; G |- u : a -> D;; G |- If c t u : a
| T_P1 p t a c : sig1 D p a c -> D;; G |- t : a -> D;; G |- P1 p t : c
| T_P2 p t u a b c : sig2 p a b c -> D;; G |- t : a -> D;; G |- u : b -> D;; G |- P2 p t u : c
| T_P3 p t u v a b c d : sig3 p a b c d ->
    D;; G |- t : a -> D;; G |- u : b -> D;; G |- v : c -> D;; G |- P3 p t u v : d
| T_Pack n ss t a :
    length ss = n -> Forall (swf D) ss -> twf (n + D) a ->
    D;; G |- t : tysub (inst ss) a ->
    D;; G |- Pack ss t : TEx n a
| T_Unpack n t u a b :
    twf D b ->
    D;; G |- t : TEx n a ->
    n + D;; (a :: gsh n G) |- u : tysh n b ->
    D;; G |- Unpack n t u : b
| T_Conv t T T' : D;; G |- t : T -> teq T T' -> twf D T' -> D;; G |- t : T'
where "D ;; G |- t : T" := (has_type D G t T).

(** ** Regularity *)

Lemma sig1_wf D p a c : sig1 D p a c -> twf D a -> twf D c.
Proof. destruct 1; simpl; intuition. Qed.

Lemma sig2_wf D p a b c : sig2 p a b c -> twf D a -> twf D b -> twf D c.
Proof.
  destruct 1; simpl; intuition.
  - apply (twf_sh D 1); auto.
  - destruct o; simpl; auto.
Qed.

Lemma sig3_wf D p a b c d : sig3 p a b c d -> twf D a -> twf D b -> twf D c -> twf D d.
Proof. destruct 1; simpl; intuition. Qed.

Lemma ctx_wf_sh D n G : Forall (twf D) G -> Forall (twf (n + D)) (gsh n G).
Proof. induction 1; constructor; auto using twf_sh. Qed.

(** A type that the rules give has no size variables but those in scope: no opened length escapes. *)
Theorem regularity D G t T : D;; G |- t : T -> Forall (twf D) G -> twf D T.
Proof.
  induction 1; simpl; intro HG; auto.
  - rewrite Forall_forall in HG. apply HG. eapply nth_error_In; eauto.
  - eauto using sig1_wf.
  - eauto using sig2_wf.
  - eauto using sig3_wf.
Qed.

(** ** Substitution of sizes *)

Lemma sig1_sizes D p a c f D' : sig1 D p a c -> wfs D f D' ->
  sig1 D' (p1sub f p) (tysub f a) (tysub f c).
Proof. intros H Hf. destruct H; simpl; constructor; eauto using swf_ssub. Qed.

Lemma sig2_sizes p a b c f : sig2 p a b c -> sig2 p (tysub f a) (tysub f b) (tysub f c).
Proof.
  destruct 1; simpl; try constructor.
  - rewrite tysub_up_sh. apply S_Filter.
  - destruct o; constructor.
Qed.

Lemma sig3_sizes p a b c d f : sig3 p a b c d ->
  sig3 p (tysub f a) (tysub f b) (tysub f c) (tysub f d).
Proof. destruct 1; simpl; constructor. Qed.

Lemma gsh_up n f G : map (tysub (up n f)) (gsh n G) = gsh n (map (tysub f) G).
Proof. rewrite !map_map. apply map_ext. intro a. apply tysub_up_sh. Qed.

Lemma typed_sizes D G t T : D;; G |- t : T -> forall f D', wfs D f D' ->
  D';; (map (tysub f) G) |- tsz f t : tysub f T.
Proof.
  induction 1; simpl; intros f D' Hf;
    try solve [constructor; eauto using swf_ssub, twf_tysub].
  - constructor. rewrite nth_error_map, H. reflexivity.
  - econstructor; eauto.
  - econstructor; eauto using sig1_sizes.
  - econstructor; eauto using sig2_sizes.
  - econstructor; eauto using sig3_sizes.
  - apply T_Pack.
    + rewrite map_length. auto.
    + apply Forall_map. eapply Forall_impl; [|eauto]. simpl. eauto using swf_ssub.
    + eauto using twf_tysub, wfs_up.
    + rewrite <- tysub_inst; auto.
  - eapply T_Unpack; eauto using twf_tysub.
    specialize (IHhas_type2 (up n f) (n + D') (wfs_up _ _ _ _ Hf)).
    simpl in IHhas_type2. rewrite gsh_up, tysub_up_sh in IHhas_type2. exact IHhas_type2.
  - eauto using T_Conv, teq_tysub, twf_tysub.
Qed.

(** Under further size variables. *)
Lemma typed_sh n D G t T : D;; G |- t : T -> n + D;; (gsh n G) |- tsz (sh n) t : tysh n T.
Proof. intro H. eapply typed_sizes; eauto using wfs_sh. Qed.

(** ** Renaming and substitution of terms *)

Definition renames (G : ctx) (f : nat -> nat) (G' : ctx) : Prop :=
  forall x T, nth_error G x = Some T -> nth_error G' (f x) = Some T.

Lemma renames_up G f G' a : renames G f G' -> renames (a :: G) (rup f) (a :: G').
Proof. intros H [|x] T; simpl; auto. Qed.

Lemma renames_sh n G f G' : renames G f G' -> renames (gsh n G) f (gsh n G').
Proof.
  intros H x T. rewrite !nth_error_map. destruct (nth_error G x) eqn:E; simpl; [|discriminate].
  rewrite (H _ _ E). auto.
Qed.

Lemma typed_ren D G t T : D;; G |- t : T -> forall f G', renames G f G' -> D;; G' |- tren f t : T.
Proof.
  induction 1; simpl; intros f G' Hf; try solve [econstructor; eauto using renames_up, renames_sh].
Qed.

Lemma renames_weaken G a : renames G S (a :: G).
Proof. intros x T H. exact H. Qed.

Definition substitutes (D : nat) (G : ctx) (f : nat -> tm) (G' : ctx) : Prop :=
  forall x T, nth_error G x = Some T -> D;; G' |- f x : T.

Lemma substitutes_up n D G f G' a :
  substitutes D G f G' -> substitutes (n + D) (a :: gsh n G) (tup n f) (a :: gsh n G').
Proof.
  intros H [|x] T; simpl.
  - intros [= ->]. constructor. reflexivity.
  - rewrite nth_error_map. destruct (nth_error G x) eqn:E; simpl; [|discriminate].
    intros [= <-]. apply H in E.
    replace (tsz (sh n) (tren S (f x))) with (tren S (tsz (sh n) (f x))).
    + eapply typed_ren; [apply typed_sh; eauto | apply renames_weaken].
    + clear. generalize (f x), S, (sh n). induction t; simpl; intros; congruence.
Qed.

Lemma gsh_0 G : gsh 0 G = G.
Proof. induction G; simpl; rewrite ?tysh_0; congruence. Qed.

Lemma substitutes_up_0 D G f G' a :
  substitutes D G f G' -> substitutes D (a :: G) (tup 0 f) (a :: G').
Proof. intro H. pose proof (substitutes_up 0 D G f G' a H) as U. rewrite !gsh_0 in U. exact U. Qed.

Lemma typed_sub D G t T : D;; G |- t : T -> forall f G', substitutes D G f G' -> D;; G' |- tsub f t : T.
Proof.
  induction 1; simpl; intros f G' Hf;
    try solve [econstructor; eauto using substitutes_up, substitutes_up_0].
  apply Hf. auto.
Qed.

(** A value for the innermost variable. *)
Lemma typed_one D G t T v a : D;; (a :: G) |- t : T -> D;; G |- v : a -> D;; G |- tsub (one v) t : T.
Proof.
  intros Ht Hv. eapply typed_sub; eauto.
  intros [|x] T'; simpl.
  - intros [= <-]. exact Hv.
  - apply T_Var.
Qed.

(** The innermost sizes and the innermost variable at once: what [unpack] does. *)
Lemma typed_open D G t T ss v a :
  Forall (swf D) ss ->
  length ss + D;; (a :: gsh (length ss) G) |- t : tysh (length ss) T ->
  D;; G |- v : tysub (inst ss) a ->
  D;; G |- tsub (one v) (tsz (inst ss) t) : T.
Proof.
  intros Hss Ht Hv. eapply typed_one; eauto.
  eapply typed_sizes in Ht; [|apply wfs_inst; eauto].
  simpl in Ht. rewrite tysub_inst_sh in Ht by auto.
  rewrite map_map in Ht. erewrite map_ext, map_id in Ht; [exact Ht|].
  intro b. apply tysub_inst_sh. auto.
Qed.
