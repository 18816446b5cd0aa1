(** * Soundness of the explicit language

  - [preservation]: a step keeps the type;
  - [progress]: a closed program of some type is done, goes on, or is stopped by a check;
  - [soundness]: so it is never stuck. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax Typing Semantics Values.
Import ListNotations.

(** ** Preservation *)

Lemma typed_under n v a b : |- v : a -> n + 0;; [b] |- under n v : tysh n a.
Proof.
  intro H. unfold under. apply typed_sh with (G := []) (n := n) in H as H'.
  replace (tsz (sh n) (tren S v)) with (tren S (tsz (sh n) v)).
  - eapply typed_ren; [exact H'|]. intros x T. destruct x; discriminate.
  - clear. generalize S, (sh n). induction v; simpl; intros; congruence.
Qed.

Lemma typed_filter_cons f v vs a n :
  |- f : TFun a TBool -> |- v : a -> |- vs : TArr a n ->
  |- filter_cons f v vs : TEx 1 (TArr (tysh 1 a) (SVar 0)).
Proof.
  intros Hf Hv Hs. regular. simpl in *. unfold filter_cons.
  set (A := TArr (tysh 1 a) (SVar 0)).
  eapply T_Unpack with (a := A).
  - simpl. split; [apply (twf_sh 0 1); tauto | lia].
  - eapply T_P2; [apply S_Filter|exact Hf|exact Hs].
  - simpl map. simpl tysub. rewrite tysub_up_sh.
    assert (Ha : twf 2 (tysh 1 (tysh 1 a))) by (apply (twf_sh 1 1), (twf_sh 0 1); tauto).
    assert (E : forall s, tysub (inst [s]) (tysh 1 (tysh 1 a)) = tysh 1 a) by (intro; apply tysub_inst_sh; auto).
    change (up 1 (sh 1) 0) with (SVar 0).
    apply T_If.
    + eapply T_P2; [apply S_App|apply (typed_under 1 f _ _ Hf)|apply (typed_under 1 v _ _ Hv)].
    + apply T_Pack; simpl; auto using Nat.lt_0_succ.
      { repeat constructor. }
      rewrite E. eapply T_P2; [apply S_Cons|apply (typed_under 1 v _ _ Hv)|constructor; reflexivity].
    + apply T_Pack; simpl; auto using Nat.lt_0_succ.
      { repeat constructor. }
      rewrite E. constructor. reflexivity.
Qed.

Ltac invert_sig :=
  repeat match goal with
  | H : sig1 _ _ _ _ |- _ => inversion H; clear H; subst
  | H : sig2 _ _ _ _ |- _ => inversion H; clear H; subst
  | H : sig3 _ _ _ _ _ |- _ => inversion H; clear H; subst
  end.

(** The parts of the array or the pair that an operation takes apart. *)
Ltac pair_parts := match goal with
  | H : has_type 0 [] (P2 Pair _ _) _ |- _ => apply typed_pair in H as [? ?]
  end.
Ltac nil_part E := match goal with
  | H : has_type 0 [] Nil (TArr _ ?s) |- _ => pose proof (typed_nil _ _ H) as E; clear H
  end.
Ltac cons_parts n Hv Hs E := match goal with
  | H : has_type 0 [] (acons _ _) _ |- _ =>
    destruct (typed_cons _ _ _ _ H) as (n & Hv & Hs & E); clear H; pose proof (wf_closed _ _ Hs)
  end.
Ltac array_in v K := match goal with H : has_type 0 [] v (TArr _ _) |- _ => K H end.

Lemma red_typed t t' T : red t t' -> |- t : T -> |- t' : T.
Proof.
  intros Hr H. pose proof (wf_closed _ _ H) as W.
  destruct Hr;
    first [ apply inv_Size in H | apply inv_Iota in H | apply inv_Let in H | apply inv_If in H
          | apply inv_P1 in H | apply inv_P2 in H | apply inv_P3 in H | apply inv_Unpack in H ];
    open_up; invert_sig;
    match goal with H : teq _ T |- _ => refine (T_Conv _ _ _ _ _ _ H W); clear H end;
    regular; simpl in *; open_up.
  - constructor.
  - apply typed_ints; auto.
  - eapply typed_one; eauto.
  - auto.
  - auto.
  - eapply typed_beta; eauto.
  - pair_parts. auto.
  - pair_parts. auto.
  - constructor.
  - (* join, no row *)
    nil_part E. apply typed_Nil; simpl; auto.
    intro r. specialize (E r). simpl in *. rewrite <- E. lia.
  - (* join, a row *)
    cons_parts n Hv Hs E. simpl in *. open_up.
    eapply T_Conv; [eapply T_P2; [apply S_Concat|exact Hv|eapply T_P1; [apply S_Join|exact Hs]]| |].
    + constructor; auto. intro r. specialize (E r). simpl in *. rewrite <- E. lia.
    + simpl. auto.
  - (* split *)
    eapply typed_rows; eauto. intro r. simpl.
    rewrite (seval_closed k r (fun _ => 0)), (seval_closed q r (fun _ => 0)); auto.
  - (* iota of an Int *)
    apply T_Pack; simpl; auto. apply typed_ints; simpl; auto.
  - (* a cast that is true *)
    eapply T_Conv; [eassumption| |simpl; auto]. constructor; auto. intro r.
    rewrite (seval_closed n r (fun _ => 0)), (seval_closed s r (fun _ => 0)); auto.
    array_in v ltac:(fun H => pose proof (fun V => array_length v _ _ V H) as E; specialize (E ltac:(assumption))). unfold number in *. congruence.
  - nil_part E. apply typed_Nil; simpl; auto.
  - (* map *)
    cons_parts n' Hv Hs E.
    eapply typed_Cons; eauto.
    + eapply T_P2; [apply S_App|eassumption|exact Hv].
    + eapply T_P2; [apply S_Map|eassumption|exact Hs].
  - (* filter, no element *)
    nil_part E. apply T_Pack; simpl; auto.
    { split; [apply (twf_sh 0 1); auto | lia]. }
    rewrite tysub_inst_sh by auto. constructor. auto.
  - (* filter *)
    cons_parts n' Hv Hs E.
    eapply typed_filter_cons; eauto.
  - nil_part E. apply typed_Nil; simpl; auto.
  - (* zip *)
    cons_parts n2 Hw Ht E2. cons_parts n1 Hv Hs E1. simpl in *. open_up.
    eapply typed_Cons; eauto.
    + eapply T_P2; [apply S_Pair|exact Hv|exact Hw].
    + eapply T_P2; [apply S_Zip|exact Hs|]. eapply T_Conv; [exact Ht| |simpl; auto].
      constructor; auto. intro r. specialize (E1 r). specialize (E2 r). simpl in *. lia.
  - (* concat, no element *)
    eapply T_Conv; [eassumption| |simpl; auto]. constructor; auto.
    nil_part E. intro r. simpl. rewrite <- (E r). reflexivity.
  - (* concat *)
    cons_parts n' Hv Hs E.
    eapply typed_Cons; eauto; simpl; auto.
    + eapply T_P2; [apply S_Concat|exact Hs|eassumption].
    + intro r. specialize (E r). simpl in *. lia.
  - (* aref *)
    array_in v ltac:(fun H => pose proof (fun V => elem_typed v _ _ V H (Z.to_nat z)) as E; specialize (E ltac:(assumption))).
    match goal with H : elem _ _ = _ |- _ => rewrite H in E end. tauto.
  - destruct o; simpl in *; try destruct (y =? 0)%Z;
      match goal with H : _ = Some _ |- _ => inversion H; constructor end.
  - (* reduce, no element *)
    eapply typed_Cons with (n := SNat 0); simpl; eauto; [apply typed_Nil; simpl; auto|]; intro r; reflexivity.
  - (* reduce *)
    cons_parts n' Hv Hs E.
    eapply T_P3; [apply S_Reduce| |eassumption|exact Hs].
    eapply T_P2; [apply S_App| |exact Hv]. eapply T_P2; [apply S_App| |]; eauto.
  - (* unpack *)
    match goal with H : |- Pack _ _ : _ |- _ => destruct (typed_pack _ _ _ _ H) as (E & Hs & Hv) end.
    subst n. eapply typed_open; eauto.
Qed.

Ltac plug_in := match goal with H : teq _ _ |- _ => refine (T_Conv _ _ _ _ _ _ H _) end;
  eauto using has_type.

(** What stands in a frame is typed, and may be replaced by what has the same type. *)
Lemma plug_typed F t T : |- plug F t : T ->
  exists a, |- t : a /\ forall t', |- t' : a -> |- plug F t' : T.
Proof.
  intro H. pose proof (wf_closed _ _ H) as W.
  destruct F; simpl in *;
    first [ apply inv_Let in H | apply inv_If in H | apply inv_P1 in H | apply inv_P2 in H
          | apply inv_P3 in H | apply inv_Pack in H | apply inv_Unpack in H ];
    open_up; eexists; (split; [eassumption|]); intros t' Ht; plug_in.
Qed.

(** A step keeps the type. *)
Theorem preservation t t' T : step t t' -> |- t : T -> |- t' : T.
Proof.
  intro H. revert T. induction H; intros T HT.
  - eauto using red_typed.
  - destruct (plug_typed _ _ _ HT) as (a & Ha & Hp). auto.
Qed.

(** ** Progress *)

Definition goes (t : tm) : Prop := fails t \/ exists t', step t t'.

Lemma goes_in F t : frame_ok F -> goes t -> goes (plug F t).
Proof. intros HF [H | [t' H]]; [left; constructor 2; auto | right; exists (plug F t'); constructor 2; auto]. Qed.

Lemma goes_red t t' : red t t' -> goes t.
Proof. right. exists t'. constructor. auto. Qed.

Lemma goes_bad t : bad t -> goes t.
Proof. left. constructor. auto. Qed.

(** The form of a value, by its type. *)
Ltac form v :=
  match goal with
  | V : value v, H : has_type 0 [] v _ |- _ =>
    let F := fresh "F" in
    pose proof (value_form _ _ V H) as F; simpl in F;
    try (destruct F as [F | F]); open_up; subst
  end.

Ltac reduces := right; eapply goes_red; econstructor; eauto; fail.

Lemma p1_goes p v a c : sig1 0 p a c -> value v -> |- v : a -> value (P1 p v) \/ goes (P1 p v).
Proof.
  intros S V H. destruct S; try solve [reduces].
  - form v. reduces.
  - form v. reduces.
  - form v; reduces.
  - form v. right. destruct (Z.ltb_spec x 0).
    + apply goes_bad. constructor. auto.
    + eapply goes_red. constructor. auto.
  - right. destruct (Nat.eq_dec (len v) (number s)).
    + eapply goes_red. constructor; auto.
    + apply goes_bad. constructor; auto.
Qed.

Lemma p2_goes p v w a b c : sig2 p a b c -> value v -> value w -> |- v : a -> |- w : b ->
  value (P2 p v w) \/ goes (P2 p v w).
Proof.
  intros S V W H K. destruct S; auto.
  - form v. reduces.
  - form w; reduces.
  - form w; reduces.
  - (* zip: the arrays have one length *)
    form v; form w; try reduces; exfalso.
    + apply typed_nil in H. destruct (typed_cons _ _ _ _ K) as (m & _ & _ & E).
      specialize (H (fun _ => 0)). specialize (E (fun _ => 0)). simpl in *. lia.
    + apply typed_nil in K. destruct (typed_cons _ _ _ _ H) as (m & _ & _ & E).
      specialize (K (fun _ => 0)). specialize (E (fun _ => 0)). simpl in *. lia.
  - form v; reduces.
  - form w. right. destruct (Z.ltb_spec x 0); [apply goes_bad; constructor; auto|].
    destruct (elem (Z.to_nat x) v) eqn:E.
    + eapply goes_red. constructor; eauto.
    + apply goes_bad. apply B_Above; auto.
  - form v. form w. right. destruct (arith_eval o x x0) eqn:E.
    + eapply goes_red. constructor. eauto.
    + apply goes_bad. constructor. auto.
Qed.

Lemma p3_goes p u v w a b c d : sig3 p a b c d -> value u -> value v -> value w ->
  |- u : a -> |- v : b -> |- w : c -> goes (P3 p u v w).
Proof.
  intros S U V W H K L. destruct S. form w; eapply goes_red; constructor; auto.
Qed.

(** A closed program of some type is done, or goes on, or a check stops it. *)
Theorem progress t T : |- t : T -> value t \/ goes t.
Proof.
  intro H. remember 0 as D eqn:ED. remember [] as G eqn:EG.
  induction H; subst; repeat match goal with
    | IH : 0 = 0 -> _ -> _ |- _ => specialize (IH eq_refl)
    | IH : [] = [] -> _ |- _ => specialize (IH eq_refl)
    end; auto.
  - destruct x; discriminate.
  - right. eapply goes_red. constructor.
  - right. eapply goes_red. constructor.
  - right. destruct IHhas_type1; [eapply goes_red; constructor; auto | apply (goes_in (F_Let u)); simpl; auto].
  - right. destruct IHhas_type1; [|apply (goes_in (F_If t u)); simpl; auto].
    form c. destruct x; eapply goes_red; constructor.
  - destruct IHhas_type as [V|]; [|right; apply (goes_in (F_P1 p)); simpl; auto].
    eapply p1_goes; eauto.
  - destruct IHhas_type1 as [V|]; [|right; apply (goes_in (F_P2l p u)); simpl; auto].
    destruct IHhas_type2 as [W|]; [|right; apply (goes_in (F_P2r p t)); simpl; auto].
    eapply p2_goes; eauto.
  - right.
    destruct IHhas_type1 as [U|]; [|apply (goes_in (F_P3l p u v)); simpl; auto].
    destruct IHhas_type2 as [V|]; [|apply (goes_in (F_P3m p t v)); simpl; auto].
    destruct IHhas_type3 as [W|]; [|apply (goes_in (F_P3r p t u)); simpl; auto].
    eapply p3_goes; eauto.
  - destruct IHhas_type as [V|]; [auto|right; apply (goes_in (F_Pack ss)); simpl; auto].
  - right. destruct IHhas_type1 as [V|]; [|apply (goes_in (F_Unpack n u)); simpl; auto].
    form t. eapply goes_red. constructor; auto.
Qed.

(** ** Soundness *)

Lemma steps_typed t t' T : steps t t' -> |- t : T -> |- t' : T.
Proof. induction 1; eauto using preservation. Qed.

(** However far a typed closed program has run, it is not stuck. *)
Theorem soundness t t' T : |- t : T -> steps t t' -> ~ stuck t'.
Proof.
  intros H S (V & X & N). apply (steps_typed _ _ _ S) in H.
  destruct (progress _ _ H) as [|[|[? ?]]]; eauto. eapply N; eauto.
Qed.
