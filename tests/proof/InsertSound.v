(** * The function of Insert.v keeps to the rules of Insertion.v

  [insert_sound]: what [insert] returns, the rules allow; so the result is well typed and has the erasure of the source.
  [close_keeps], [close_hides]: what mentions no opened length is not packed; what does can always be. *)

From Coq Require Import Arith List Lia Bool.
From LiftCore Require Import Sizes Syntax Typing Erasure Insertion Decide Insert.
Import ListNotations.

Ltac split_checks :=
  repeat match goal with
  | H : _ && _ = true |- _ => apply andb_true_iff in H as [? ?]
  | H : Some _ = Some _ |- _ => inversion H; clear H; subst
  | H : None = Some _ |- _ => discriminate H
  end.

Ltac cases H :=
  repeat match type of H with
  | (match ?m with _ => _ end) = Some _ => destruct m eqn:?; try discriminate H
  end; split_checks.

(** ** Hiding *)

Lemma pack_with_sound D k G ss a e t T t' T' :
  ins (k + D) G e t T -> pack_with D k ss a t T = Some (t', T') -> ins (k + D) G e t' (tysh k T') /\ twf D T'.
Proof.
  unfold pack_with. intros I H. cases H.
  apply forallb_swf in H0. apply twfb_iff in H2. apply teqb_sound in H1. simpl.
  assert (W : twf (length ss + (k + D)) (tysub (up (length ss) (sh k)) a))
    by (eapply twf_tysub; eauto using wfs_up, wfs_sh).
  split; auto. apply I_Hide; auto.
  eapply I_Conv; eauto. eapply twf_tysub; eauto using wfs_inst.
Qed.

Lemma close_sound D k G e t T t' T' :
  ins (k + D) G e t T -> close D k t T = Some (t', T') -> scope D k G e t' T'.
Proof.
  unfold close. intros I H. cases H.
  - apply teqb_sound in H0. apply twfb_iff in H1.
    apply B_Tail; auto. eapply I_Conv; eauto using twf_sh.
  - destruct (pack_with_sound _ _ _ _ _ _ _ _ _ _ I Heqo). apply B_Tail; auto.
  - destruct (pack_with_sound _ _ _ _ _ _ _ _ _ _ I H). apply B_Tail; auto.
Qed.

Lemma hide_as_sound D n a G e t T t' T' :
  ins D G e t T -> hide_as D n a t T = Some (t', T') -> ins D G e t' T'.
Proof.
  unfold hide_as. intros I H. apply (pack_with_sound D 0 G) with (e := e) in H as [H _]; auto.
  rewrite tysh_0 in H. exact H.
Qed.

Lemma fits_sound D G e t T T' : ins D G e t T -> fits D T T' = true -> ins D G e t T'.
Proof.
  intros I H. unfold fits in H. split_checks. apply teqb_sound in H. apply twfb_iff in H0. eauto using I_Conv.
Qed.

Lemma join_to_sound D n a G e t T t' T' :
  ins D G e t T -> join_to D n a t T = Some (t', T') -> ins D G e t' (TEx n a) /\ T' = TEx n a.
Proof.
  unfold join_to. intros I H. destruct (hide_as D n a t T) as [[u U]|] eqn:E; [|discriminate].
  destruct (teqb U (TEx n a) && twfb D (TEx n a)) eqn:F; [|discriminate].
  inversion H; subst. split; auto. eapply fits_sound; [eapply hide_as_sound; eauto | exact F].
Qed.

Lemma join_both_sound D G e1 e2 t1 T1 t2 T2 t1' t2' T :
  ins D G e1 t1 T1 -> ins D G e2 t2 T2 -> join_both D t1 T1 t2 T2 = Some (t1', t2', T) ->
  ins D G e1 t1' T /\ ins D G e2 t2' T.
Proof.
  unfold join_both. intros I1 I2 H.
  destruct (pack_with D 0 _ _ t1 T1) as [[u1 U1]|] eqn:E1; [|discriminate].
  destruct (pack_with D 0 _ _ t2 T2) as [[u2 U2]|] eqn:E2; [|discriminate].
  destruct (teqb U2 U1 && twfb D U1) eqn:F; [|discriminate].
  inversion H; subst.
  apply (pack_with_sound D 0 G) with (e := e1) in E1 as [E1 _]; auto.
  apply (pack_with_sound D 0 G) with (e := e2) in E2 as [E2 _]; auto.
  rewrite tysh_0 in E1, E2. split; auto. eapply fits_sound; eauto.
Qed.

Lemma join_sound D G e1 e2 t1 T1 t2 T2 t1' t2' T :
  ins D G e1 t1 T1 -> ins D G e2 t2 T2 -> join D t1 T1 t2 T2 = Some (t1', t2', T) ->
  ins D G e1 t1' T /\ ins D G e2 t2' T.
Proof.
  intros I1 I2. unfold join. destruct (teqb T2 T1 && twfb D T1) eqn:F.
  { intro H. inversion H; subst. split; auto. eapply fits_sound; eauto. }
  assert (L : forall n a, T1 = TEx n a ->
    (let? (t2, T) := join_to D n a t2 T2 in Some (t1, t2, T)) = Some (t1', t2', T) ->
    ins D G e1 t1' T /\ ins D G e2 t2' T).
  { intros n a -> H. destruct (join_to D n a t2 T2) as [[u U]|] eqn:E; [|discriminate].
    inversion H; subst. apply (join_to_sound D n a G e2) in E as [E ->]; auto. }
  assert (R : forall n a, T2 = TEx n a ->
    (let? (t1, T) := join_to D n a t1 T1 in Some (t1, t2, T)) = Some (t1', t2', T) ->
    ins D G e1 t1' T /\ ins D G e2 t2' T).
  { intros n a -> H. destruct (join_to D n a t1 T1) as [[u U]|] eqn:E; [|discriminate].
    inversion H; subst. apply (join_to_sound D n a G e1) in E as [E ->]; auto. }
  destruct T1; try (intro H; eapply L; eauto; fail);
    destruct T2; try (intro H; eapply R; eauto; fail); intro H; eapply join_both_sound; eauto.
Qed.

(** ** Primitives *)

Lemma p1_type_sound D p A a c : p1_type D p A = Some (a, c) -> sig1 D p a c.
Proof.
  intro H. destruct p; simpl in H; cases H; try constructor; apply swfb_iff; auto.
Qed.

Lemma p2_type_sound p A B a b c : p2_type p A B = Some (a, b, c) -> sig2 p a b c.
Proof. intro H. destruct p; simpl in H; cases H; constructor. Qed.

Lemma p3_type_sound p A C a b c d : p3_type p A C = Some (a, b, c, d) -> sig3 p a b c d.
Proof. intro H. destruct p; simpl in H; cases H; constructor. Qed.

(** ** The function *)

Lemma go_sound e : forall D k G f args t T,
  go e D k G f args = Some (t, T) -> scope D k G (tsz f e) t T.
Proof.
  induction e; intros D k G f args t T H; simpl in H.
  - cases H. eapply close_sound; eauto. apply I_Var. auto.
  - eapply close_sound; eauto. apply I_Int.
  - eapply close_sound; eauto. apply I_Bool.
  - cases H. eapply close_sound; eauto. apply I_Size, swfb_iff. auto.
  - cases H. eapply close_sound; eauto. apply I_Iota, swfb_iff. auto.
  - discriminate.
  - cases H. eapply close_sound; eauto. simpl. apply I_Lam; [apply twfb_iff; auto|]. apply I_Scope. eauto.
  - (* let *)
    destruct (go e1 (k + D) 0 G f []) as [[t1 A]|] eqn:E1; [|discriminate]. apply IHe1 in E1.
    assert (L : forall r, (let? (t2, T) := go e2 D k (A :: G) f [] in Some (Let t1 t2, T)) = Some r ->
      scope D k G (tsz f (Let e1 e2)) (fst r) (snd r)).
    { clear H. intros r H. cases H. simpl. eapply B_Let; [apply I_Scope|]; eauto. }
    destruct A; try (apply (L (t, T)); exact H).
    cases H. simpl. eapply B_Open; [apply I_Scope; eauto|]. rewrite tsz_comp. eauto.
  - (* if *)
    cases H. repeat match goal with I : context [go ?e], E : go ?e _ _ _ _ _ = _ |- _ => apply I, I_Scope in E end.
    edestruct join_sound; [| |eassumption|]; eauto.
    eapply close_sound; eauto. simpl. apply I_If; eauto using fits_sound.
  - cases H. apply IHe, I_Scope in Heqo.
    eapply close_sound; eauto. simpl. eapply I_P1; eauto using p1_type_sound, fits_sound.
  - cases H. apply IHe2, I_Scope in Heqo. apply IHe1, I_Scope in Heqo0.
    eapply close_sound; eauto. simpl. eapply I_P2; eauto using p2_type_sound, fits_sound.
  - cases H. apply IHe1, I_Scope in Heqo. apply IHe3, I_Scope in Heqo0. apply IHe2, I_Scope in Heqo1.
    eapply close_sound; eauto. simpl. eapply I_P3; eauto using p3_type_sound, fits_sound.
  - (* a pack that is written *)
    cases H. apply IHe, I_Scope in Heqo. eapply close_sound; eauto. simpl.
    unfold pack_with in Heqo0. cases Heqo0.
    apply forallb_swf in H0. apply twfb_iff in H2. apply teqb_sound in H1.
    simpl in *. rewrite (tysub_id _ (up _ (sh 0))) in H1 by (intro; apply up_var).
    apply I_Pack; auto. eapply I_Conv; eauto. eapply twf_tysub; eauto using wfs_inst.
  - (* an unpack that is written *)
    cases H. apply Nat.eqb_eq in Heqb. subst. apply IHe1, I_Scope in Heqo. apply IHe2 in Heqo0.
    eapply close_sound; eauto. simpl. eapply I_Unpack; eauto.
Qed.

(** What [insert] returns, the rules allow. *)
Theorem insert_sound D G e t T : insert D G e = Some (t, T) -> ins D G e t T.
Proof.
  intro H. apply go_sound in H. rewrite tsz_id in H by reflexivity. apply I_Scope, H.
Qed.

(** ** When something is hidden *)

(** What mentions no opened length is not packed. *)
Theorem close_keeps D k t T : twf D T -> close D k t (tysh k T) = Some (t, T).
Proof.
  intro W. unfold close. rewrite tysub_inst_sh by apply repeat_length.
  rewrite teqb_refl. apply twfb_iff in W. rewrite W. reflexivity.
Qed.

(** A scope can always be closed. *)
Theorem close_hides D k t T : twf (k + D) T -> close D k t T <> None.
Proof.
  intros W. unfold close.
  destruct (teqb _ _ && _); [discriminate|]. destruct (pack_with _ _ _ (abstract _ _ _ _)); [discriminate|].
  unfold pack_with. rewrite map_length, seq_length.
  assert (E : tysub (inst (map SVar (List.seq 0 k))) (tysub (up k (sh k)) T) = T).
  { rewrite tysub_comp. apply tysub_id. intro x. unfold up. destruct (Nat.ltb_spec x k); simpl.
    - unfold inst. rewrite nth_error_map, (nth_error_nth' _ 0) by (rewrite seq_length; auto).
      simpl. rewrite seq_nth; auto.
    - unfold inst, sh. simpl. rewrite (proj2 (nth_error_None _ _)) by (rewrite map_length, seq_length; lia).
      rewrite map_length, seq_length. f_equal. lia. }
  rewrite E, teqb_refl. apply twfb_iff in W. rewrite W. simpl.
  replace (forallb (swfb (k + D)) (map SVar (List.seq 0 k))) with true; [discriminate|].
  symmetry. apply forallb_forall. intros s Hs. apply in_map_iff in Hs as (x & <- & Hx).
  apply in_seq in Hx. simpl. apply Nat.ltb_lt. lia.
Qed.
