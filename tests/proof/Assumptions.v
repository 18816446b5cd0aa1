(** * Assumptions on the size names of a kernel

  docs/language.md, section 2: two sizes are equal when they are equal for every value of their variables "under what is
  known"; [split #k] on length n "assumes that k divides n. Every assumption is kept [...] and checked against the real
  sizes before a run."

  [assuming P D k G t T]: the term is typed whatever numbers the [D] size names of the kernel are, if they satisfy [P]
  ([k] more lengths are opened). All rules of Typing.v hold of it ([A_Var] ... [A_Unpack]), and conversion holds by
  equality under the assumption ([A_Conv]): there [k*(n/k)] is [n] if [P] says that [k] divides [n]. A kernel typed so is
  sound in every run whose sizes satisfy [P] (Main.v), which is what is checked before the run. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax Typing Erasure.
Import ListNotations.

(** The size names become the numbers of a run, the [k] opened lengths stay. *)
Definition at_sizes (ns : list nat) (k : nat) : nat -> size := up k (inst (map SNat ns)).

Definition assuming (P : list nat -> Prop) (D k : nat) (G : ctx) (t : tm) (T : ty) : Prop :=
  forall ns, length ns = D -> P ns ->
  k;; (map (tysub (at_sizes ns k)) G) |- tsz (at_sizes ns k) t : tysub (at_sizes ns k) T.

(** Equality of types for all sizes that satisfy the assumption, and all lengths that may be opened. *)
Definition equal_assuming (P : list nat -> Prop) (D k : nat) (T T' : ty) : Prop :=
  forall ns, length ns = D -> P ns -> teq (tysub (at_sizes ns k) T) (tysub (at_sizes ns k) T').

Lemma wfs_at_sizes ns k : wfs (k + length ns) (at_sizes ns k) k.
Proof.
  assert (W : wfs (length ns + 0) (inst (map SNat ns)) 0).
  { apply wfs_inst; [apply map_length|]. apply Forall_map, Forall_forall. simpl. auto. }
  apply (wfs_up k) in W. rewrite !Nat.add_0_r in W. exact W.
Qed.

Section Rules.
  Context {P : list nat -> Prop} {D : nat}.
  Notation typed := (assuming P D).

  (** What is typed without the assumption is typed with it. *)
  Lemma A_Typed k G t T : (k + D);; G |- t : T -> typed k G t T.
  Proof. intros H ns <- _. eapply typed_sizes; eauto using wfs_at_sizes. Qed.

  (** What is equal under the assumption may be exchanged. *)
  Lemma A_Conv k G t T T' :
    typed k G t T -> equal_assuming P D k T T' -> twf (k + D) T' -> typed k G t T'.
  Proof.
    intros H E W ns L p. eapply T_Conv; eauto. subst D. eapply twf_tysub; eauto using wfs_at_sizes.
  Qed.

  (** In particular lengths of arrays: [s] and [s'] for every valuation that gives the size names the numbers of a run
    which satisfies the assumption, and the opened lengths any numbers. *)
  Lemma equal_lengths k a s s' :
    (forall ns r, length ns = D -> P ns ->
      seval (fun x => seval r (at_sizes ns k x)) s = seval (fun x => seval r (at_sizes ns k x)) s') ->
    equal_assuming P D k (TArr a s) (TArr a s').
  Proof. intros E ns L p. simpl. constructor; auto. intro r. rewrite !seval_ssub. auto. Qed.

  Lemma A_Var k G x T : nth_error G x = Some T -> typed k G (Var x) T.
  Proof. intros H ns _ _. constructor. rewrite nth_error_map, H. reflexivity. Qed.

  Lemma A_Lam k G t a b : twf (k + D) a -> typed k (a :: G) t b -> typed k G (Lam t) (TFun a b).
  Proof.
    intros W H ns L p. simpl. constructor; [|exact (H ns L p)].
    subst D. eapply twf_tysub; eauto using wfs_at_sizes.
  Qed.

  Lemma A_Let k G t u a b : typed k G t a -> typed k (a :: G) u b -> typed k G (Let t u) b.
  Proof. intros H K ns L p. simpl. econstructor; [exact (H ns L p) | exact (K ns L p)]. Qed.

  Lemma A_If k G c t u a : typed k G c TBool -> typed k G t a -> typed k G u a -> typed k G (If c t u) a.
  Proof. intros H K J ns L p. simpl. constructor; [exact (H ns L p) | exact (K ns L p) | exact (J ns L p)]. Qed.

  Lemma A_P1 k G p t a c : sig1 (k + D) p a c -> typed k G t a -> typed k G (P1 p t) c.
  Proof.
    intros S H ns L q. simpl. eapply T_P1; [|exact (H ns L q)].
    subst D. eapply sig1_sizes; eauto using wfs_at_sizes.
  Qed.

  Lemma A_P2 k G p t u a b c : sig2 p a b c -> typed k G t a -> typed k G u b -> typed k G (P2 p t u) c.
  Proof. intros S H K ns L q. simpl. eapply T_P2; [apply sig2_sizes; eauto | exact (H ns L q) | exact (K ns L q)]. Qed.

  Lemma A_P3 k G p t u v a b c d : sig3 p a b c d ->
    typed k G t a -> typed k G u b -> typed k G v c -> typed k G (P3 p t u v) d.
  Proof.
    intros S H K J ns L q. simpl.
    eapply T_P3; [apply sig3_sizes; eauto | exact (H ns L q) | exact (K ns L q) | exact (J ns L q)].
  Qed.

  Lemma A_Pack k G ss t a : Forall (swf (k + D)) ss -> twf (length ss + (k + D)) a ->
    typed k G t (tysub (inst ss) a) -> typed k G (Pack ss t) (TEx (length ss) a).
  Proof.
    intros S W H ns L p. simpl. apply T_Pack.
    - apply map_length.
    - apply Forall_map. eapply Forall_impl; [|exact S]. simpl. intros s Hs.
      subst D. eapply swf_ssub; eauto using wfs_at_sizes.
    - subst D. eapply twf_tysub; eauto using wfs_up, wfs_at_sizes.
    - rewrite <- tysub_inst by auto. exact (H ns L p).
  Qed.

  Lemma at_sizes_up ns n k x : up n (at_sizes ns k) x = at_sizes ns (n + k) x.
  Proof.
    unfold at_sizes, up. below x n; below x (n + k); try lia; auto; below (x - n) k; try lia.
    - unfold sh. f_equal. lia.
    - rewrite ssub_comp. replace (x - n - k) with (x - (n + k)) by lia.
      apply ssub_ext. intro y. unfold sh. simpl. f_equal. lia.
  Qed.

  (** The opened lengths are not assumed to be anything. *)
  Lemma A_Unpack k G n t u a b : twf (k + D) b ->
    typed k G t (TEx n a) -> typed (n + k) (a :: gsh n G) u (tysh n b) -> typed k G (Unpack n t u) b.
  Proof.
    intros W H K ns L p. simpl. eapply T_Unpack.
    - subst D. eapply twf_tysub; eauto using wfs_at_sizes.
    - exact (H ns L p).
    - specialize (K ns L p). simpl in K.
      rewrite <- gsh_up, <- tysub_up_sh.
      erewrite (tysub_ext a), (tysub_ext (tysh n b)), map_ext; [|intro; apply tysub_ext|..]; try apply at_sizes_up.
      replace (tsz (up n (at_sizes ns k)) u) with (tsz (at_sizes ns (n + k)) u); [exact K|].
      symmetry. apply tsz_ext. apply at_sizes_up.
  Qed.
End Rules.

(** [split #k] on length [n] under the assumption that [k] divides [n]: rows [n/k], without a cast; and back. *)
Example split_assumes : assuming (fun ns => (nth 0 ns 0) mod 4 = 0) 1 0 [TArr TInt (SVar 0)]
  (P1 Join (P1 (Split (SNat 4) (SOp Div (SVar 0) (SNat 4))) (Var 0)))
  (TArr TInt (SVar 0)).
Proof.
  assert (E : forall ns, length ns = 1 -> nth 0 ns 0 mod 4 = 0 -> forall r,
    seval (fun x => seval r (at_sizes ns 0 x)) (SOp Mul (SNat 4) (SOp Div (SVar 0) (SNat 4))) =
    seval (fun x => seval r (at_sizes ns 0 x)) (SVar 0)).
  { intros [|n [|]]; try discriminate. intros _ M r. simpl in M.
    change (4 * (n / 4) = n). symmetry. apply Nat.div_exact; auto. }
  eapply A_Conv; [eapply A_P1; [apply S_Join | eapply A_P1; [apply S_Split; simpl; auto |]] | |].
  - eapply A_Conv; [apply A_Var; reflexivity | | ].
    + apply equal_lengths. intros ns r L p. symmetry. exact (E ns L p r).
    + simpl. auto 6.
  - apply equal_lengths. intros ns r L p. exact (E ns L p r).
  - simpl. auto.
Qed.
