(** * What is proved

  The theorems of this directory under names that say what they say, each with its statement in full. `tests/proof/run`
  checks every [Theorem] of this file: it exists, and it rests on no axiom ("Closed under the global context"). So it does
  with the [Example]s of Examples.v, the papers' programs.
  docs/trust.md says in words what they mean, and what is not modelled. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax Typing Semantics Values Soundness Erasure Insertion Insert InsertSound Simulation Assumptions.
Import ListNotations.

(** ** The explicit language *)

(** A type mentions no size variables but those in scope: no opened length escapes. *)
Theorem no_length_escapes D G t T : D;; G |- t : T -> Forall (twf D) G -> twf D T.
Proof. apply regularity. Qed.

Theorem preservation t t' T : |- t : T -> step t t' -> |- t' : T.
Proof. eauto using Soundness.preservation. Qed.

Theorem progress t T : |- t : T -> value t \/ fails t \/ exists t', step t t'.
Proof. apply Soundness.progress. Qed.

Theorem typed_programs_are_never_stuck t t' T : |- t : T -> steps t t' -> ~ stuck t'.
Proof. apply soundness. Qed.

(** A value of type [Array[a,s]] has exactly as many elements as [s] says, and each is of type [a]. *)
Theorem arrays_have_their_length v a s : |- v : TArr a s -> value v ->
  len v = number s /\
  forall i, match elem i v with
            | Some x => i < len v /\ value x /\ |- x : a
            | None => len v <= i
            end.
Proof. intros H V. split; [eapply array_length | eapply elem_typed]; eauto. Qed.

(** In particular [zip] meets arrays of one length only. *)
Theorem zip_meets_equal_lengths v w T : |- P2 Zip v w : T -> value v -> value w -> len v = len w.
Proof.
  intros H V W. apply inv_P2 in H as (a & b & c & S & Hv & Hw & _). inversion S; subst.
  rewrite (array_length _ _ _ V Hv), (array_length _ _ _ W Hw). reflexivity.
Qed.

(** "Never stuck" says something: there are stuck programs. *)
Theorem zip_of_unequal_lengths_is_stuck : stuck (P2 Zip Nil (acons (Int 1) Nil)).
Proof.
  assert (V : value (acons (Int 1) Nil)) by auto.
  split; [intro H; inversion H | split; [intro H | intros t' H]]; inversion H; subst;
    try match goal with B : bad _ |- _ => solve [inversion B] | R : red _ _ |- _ => solve [inversion R] end;
    match goal with E : plug ?F _ = _ |- _ => destruct F; inversion E; subst end;
    match goal with
    | X : fails ?v |- _ => apply (value_fails_not v); auto
    | S : step ?v _ |- _ => apply (value_steps_not v) in S; auto
    end.
Qed.

(** There is one next step, and what a check stops takes none. *)
Theorem running_is_deterministic t a b : step t a -> step t b -> a = b.
Proof. eauto using step_det. Qed.

Theorem a_failed_check_stops t t' : fails t -> ~ step t t'.
Proof. eauto using step_or_fails. Qed.

(** ** Kernels: programs with size names and inputs *)

(** A run of a kernel: its size names are numbers, its parameters are values. *)
Definition run (t : tm) (ns : list nat) (vs : list tm) : tm :=
  tsub (fun x => nth x vs Nil) (tsz (inst (map SNat ns)) t).

(** A size of the kernel's type for these numbers. *)
Definition at_run (ns : list nat) (s : size) : nat := seval (fun x => nth x ns 0) s.

(** The inputs of a run have the types that follow from its sizes. *)
Definition inputs_fit (ns : list nat) (vs : list tm) (G : ctx) : Prop :=
  Forall2 (fun v a => value v /\ |- v : tysub (inst (map SNat ns)) a) vs G.

Lemma run_typed G t T ns vs :
  0;; (map (tysub (inst (map SNat ns))) G) |- tsz (inst (map SNat ns)) t : T ->
  inputs_fit ns vs G -> |- run t ns vs : T.
Proof.
  intros H I. unfold run. eapply typed_sub; [exact H|]. clear H.
  intros x a. revert x. induction I as [|v b vs G [V Hv] I IH]; intros [|x]; simpl; try discriminate.
  - intros [= <-]. exact Hv.
  - apply IH.
Qed.

Theorem kernels_are_sound D G t T ns vs :
  D;; G |- t : T -> length ns = D -> inputs_fit ns vs G ->
  |- run t ns vs : tysub (inst (map SNat ns)) T /\
  forall t', steps (run t ns vs) t' -> ~ stuck t'.
Proof.
  intros H L I. assert (R : |- run t ns vs : tysub (inst (map SNat ns)) T).
  - eapply run_typed; [|exact I]. eapply typed_sizes; [exact H|]. subst D.
    replace (length ns) with (length ns + 0) by lia.
    apply wfs_inst; [apply map_length|]. apply Forall_map, Forall_forall. simpl. auto.
  - split; eauto using soundness.
Qed.

Lemma len_at_run D a s ns v : swf D s -> length ns = D ->
  |- v : tysub (inst (map SNat ns)) (TArr a s) -> value v -> len v = at_run ns s.
Proof.
  intros W L H V. rewrite (array_length _ _ _ V H).
  unfold number, at_run. rewrite seval_ssub. clear - W L.
  induction s; simpl in *; auto.
  - unfold inst. rewrite nth_error_map. destruct (nth_error ns x) eqn:E; simpl.
    + symmetry. apply nth_error_nth. exact E.
    + apply nth_error_None in E. lia.
  - destruct W. f_equal; auto.
Qed.

(** What a kernel returns has the length that its type says, for the sizes of the run. *)
Theorem kernel_results_have_their_length D G t a s ns vs v :
  D;; G |- t : TArr a s -> Forall (twf D) G ->
  length ns = D -> inputs_fit ns vs G ->
  steps (run t ns vs) v -> value v ->
  len v = at_run ns s.
Proof.
  intros H W L I S V. pose proof (regularity _ _ _ _ H W) as [_ Ws].
  destruct (kernels_are_sound _ _ _ _ _ _ H L I) as [R _]. eauto using len_at_run, steps_typed.
Qed.

(** A kernel may be typed under an assumption on its sizes, such as that 4 divides [N]; it is sound in each run whose
  sizes satisfy the assumption. *)
Theorem kernels_are_sound_under_assumptions P D G t T ns vs :
  assuming P D 0 G t T -> length ns = D -> P ns -> inputs_fit ns vs G ->
  |- run t ns vs : tysub (inst (map SNat ns)) T /\
  (forall t', steps (run t ns vs) t' -> ~ stuck t') /\
  (forall v a s, T = TArr a s -> swf D s -> steps (run t ns vs) v -> value v -> len v = at_run ns s).
Proof.
  intros H L p I. specialize (H ns L p).
  assert (E : forall x, at_sizes ns 0 x = inst (map SNat ns) x) by apply up_0.
  rewrite (tsz_ext _ _ _ E), (tysub_ext _ _ _ E), (map_ext _ _ (fun a => tysub_ext a _ _ E)) in H.
  pose proof (run_typed _ _ _ _ _ H I) as R.
  repeat split; eauto using soundness. intros v a s -> W S V. eauto using len_at_run, steps_typed.
Qed.

(** ** [iterate]

  The function of [(iterate #n f xs)] is typed once, for an array of length [m], a size name of its own. In a run it is
  taken at the length of each round. *)

(** The rounds from length [l] on, with a function that makes an array of length [next] from one of length [m]. *)
Fixpoint iterate (f : tm) (next : size) (ns : list nat) (vs : list tm) (n l : nat) (x : tm) : tm :=
  match n with
  | 0 => x
  | S n => iterate f next ns vs n (at_run (l :: ns) next) (ap (run f (l :: ns) vs) x)
  end.

Fixpoint length_after (next : size) (ns : list nat) (n l : nat) : nat :=
  match n with
  | 0 => l
  | S n => length_after next ns n (at_run (l :: ns) next)
  end.

(** The assumption of the function holds of the length in every round: what is checked before a run. *)
Fixpoint in_each_round (P : list nat -> Prop) (next : size) (ns : list nat) (n l : nat) : Prop :=
  match n with
  | 0 => True
  | S n => P (l :: ns) /\ in_each_round P next ns n (at_run (l :: ns) next)
  end.

Lemma inst_cons_sh l ns T : tysub (inst (map SNat (l :: ns))) (tysh 1 T) = tysub (inst (map SNat ns)) T.
Proof.
  rewrite tysub_comp. apply tysub_ext. intro x. unfold sh, inst. simpl. reflexivity.
Qed.

Lemma inputs_fit_sh l ns vs G : inputs_fit ns vs G -> inputs_fit (l :: ns) vs (gsh 1 G).
Proof.
  unfold inputs_fit. induction 1 as [|v a vs G [V H] I IH]; constructor; auto.
  split; auto. rewrite inst_cons_sh. exact H.
Qed.

Lemma at_run_number D s ns : swf D s -> length ns = D -> number (ssub (inst (map SNat ns)) s) = at_run ns s.
Proof.
  intros W L. unfold number, at_run. rewrite seval_ssub. revert W. induction s; simpl; auto.
  - intro W. unfold inst. rewrite nth_error_map. destruct (nth_error ns x) eqn:E; simpl.
    + symmetry. apply nth_error_nth. exact E.
    + apply nth_error_None in E. lia.
  - intros [W1 W2]. f_equal; auto.
Qed.

Theorem iterate_is_sound_if_each_round_satisfies_the_assumption P D G f a next ns vs n l x :
  assuming P (S D) 0 (gsh 1 G) f (TFun (TArr (tysh 1 a) (SVar 0)) (TArr (tysh 1 a) next)) ->
  swf (S D) next -> twf D a -> length ns = D -> inputs_fit ns vs G ->
  in_each_round P next ns n l ->
  |- x : TArr (tysub (inst (map SNat ns)) a) (SNat l) ->
  |- iterate f next ns vs n l x : TArr (tysub (inst (map SNat ns)) a) (SNat (length_after next ns n l)) /\
  forall t', steps (iterate f next ns vs n l x) t' -> ~ stuck t'.
Proof.
  intros F W A L I. revert l x.
  induction n as [|n IH]; simpl; intros l x Each X.
  - split; eauto using soundness.
  - destruct Each as [p Each]. apply IH; auto.
    assert (L' : length (l :: ns) = S D) by (simpl; auto).
    destruct (kernels_are_sound_under_assumptions _ _ _ _ _ _ _ F L' p (inputs_fit_sh l _ _ _ I)) as [R _].
    cbn [tysub] in R. rewrite !inst_cons_sh in R.
    eapply T_Conv; [eapply T_P2; [apply S_App | exact R | exact X] | |].
    + constructor; [auto|]. intro r. simpl seval at 2.
      rewrite <- (at_run_number (S D) next (l :: ns) W L'). apply seval_closed.
      eapply swf_ssub; [exact W|]. rewrite <- L', <- (Nat.add_0_r (length (l :: ns))).
      apply wfs_inst; [apply map_length|]. apply Forall_map, Forall_forall. simpl. auto.
    + simpl. split; auto. eapply twf_tysub; [exact A|]. rewrite <- L, <- (Nat.add_0_r (length ns)).
      apply wfs_inst; [apply map_length|]. apply Forall_map, Forall_forall. simpl. auto.
Qed.

(** An equation that holds under the assumption may be used for typing. *)
Theorem typing_knows_the_assumption P D k G t T T' :
  assuming P D k G t T -> equal_assuming P D k T T' -> twf (k + D) T' -> assuming P D k G t T'.
Proof. apply A_Conv. Qed.

(** ** Branches

  What a branch assumes need hold only in runs that take it: where the condition comes out true the first branch has a
  type, where it comes out false the second. The other one may have none. *)

Definition typed_if_taken (c t u : tm) (T : ty) : Prop :=
  |- c : TBool /\ (steps c (Bool true) -> |- t : T) /\ (steps c (Bool false) -> |- u : T).

Lemma an_if_goes c t u x : steps (If c t u) x ->
  (exists c', x = If c' t u /\ steps c c') \/ (steps c (Bool true) /\ steps t x) \/ (steps c (Bool false) /\ steps u x).
Proof.
  intro S. remember (If c t u) as y eqn:E. revert c E.
  induction S as [y|y y' x S K IH]; intros c ->.
  - left. exists c. split; auto using Steps_0.
  - inversion S as [? ? R|F b b' O B P]; subst.
    + inversion R; subst; right; [left|right]; split; auto using Steps_0.
    + destruct F; inversion P; subst. destruct (IH b' eq_refl) as [(c' & -> & C)|[[C U]|[C U]]].
      * left. exists c'. split; auto. eapply Steps_S; eauto.
      * right. left. split; auto. eapply Steps_S; eauto.
      * right. right. split; auto. eapply Steps_S; eauto.
Qed.

(** However far such an [if] has run, it is not stuck, and its value has the type. *)
Theorem a_branch_is_typed_where_it_is_taken c t u T x :
  typed_if_taken c t u T -> steps (If c t u) x -> ~ stuck x /\ (value x -> |- x : T).
Proof.
  intros (C & t_typed & u_typed) S. destruct (an_if_goes _ _ _ _ S) as [(c' & -> & C')|[[B S']|[B S']]].
  - split; [|intro V; inversion V]. intros (V & X & N).
    pose proof (steps_typed _ _ _ C' C) as K. destruct (progress _ _ K) as [V'|[F|[c'' F]]].
    + pose proof (value_form _ _ V' K) as F. simpl in F. destruct F as [b ->].
      destruct b; eapply N; constructor; constructor.
    + apply X. apply (X_In (F_If t u)); simpl; auto.
    + eapply N. apply (S_In (F_If t u)); simpl; eauto.
  - split; eauto using soundness, steps_typed.
  - split; eauto using soundness, steps_typed.
Qed.

(** For a kernel whose condition says of its sizes what the branches assume. *)
Theorem assumptions_of_branches_hold_where_they_are_taken P Q D G c t u T ns vs x :
  assuming P D 0 G c TBool ->
  assuming (fun ns => P ns /\ Q ns) D 0 G t T ->
  assuming (fun ns => P ns /\ ~ Q ns) D 0 G u T ->
  length ns = D -> P ns -> inputs_fit ns vs G ->
  (steps (run c ns vs) (Bool true) -> Q ns) -> (steps (run c ns vs) (Bool false) -> ~ Q ns) ->
  steps (run (If c t u) ns vs) x ->
  ~ stuck x /\ (value x -> |- x : tysub (inst (map SNat ns)) T).
Proof.
  intros C Ht Hu L p I Yes No. apply a_branch_is_typed_where_it_is_taken. split; [|split].
  - apply (kernels_are_sound_under_assumptions P D G c TBool ns vs C L p I).
  - intro B. apply (kernels_are_sound_under_assumptions _ D G t T ns vs Ht L (conj p (Yes B)) I).
  - intro B. apply (kernels_are_sound_under_assumptions _ D G u T ns vs Hu L (conj p (No B)) I).
Qed.

(** [(if (< 0 N) t u)]: whatever [t] is, it is asked for only where [N] is positive. *)
Example what_a_test_of_a_size_says n vs :
  steps (run (P2 (Arith Less) (Int 0) (Size (SVar 0))) [n] vs) (Bool true) -> 0 < n.
Proof.
  change (run (P2 (Arith Less) (Int 0) (Size (SVar 0))) [n] vs) with (P2 (Arith Less) (Int 0) (Size (SNat n))).
  intro S.
  assert (E : forall x, step (P2 (Arith Less) (Int 0) (Size (SNat n))) x -> x = P2 (Arith Less) (Int 0) (Int (Z.of_nat n))).
  { intros x K. eapply running_is_deterministic; [exact K|].
    apply (S_In (F_P2r (Arith Less) (Int 0))); [simpl; constructor|]. constructor. apply (R_Size (SNat n)). }
  assert (E' : forall x, step (P2 (Arith Less) (Int 0) (Int (Z.of_nat n))) x -> x = Bool (0 <? Z.of_nat n)%Z).
  { intros x K. eapply running_is_deterministic; [exact K|]. constructor. constructor. reflexivity. }
  inversion S as [|? ? ? S1 S2]; subst. apply E in S1. subst.
  inversion S2 as [|? ? ? S3 S4]; subst. apply E' in S3. subst.
  inversion S4 as [? B|? ? ? S5 _]; subst.
  - symmetry in B || idtac. assert (0 <? Z.of_nat n = true)%Z by congruence. apply Z.ltb_lt in H. lia.
  - exfalso. eapply value_steps_not; [|exact S5]. constructor.
Qed.

(** [(if (= (length v) (length w)) t u)]: what the checker makes of [w] in [t], a cast to the length of [v], does not fail
  there, whether the lengths are size names or were opened. *)
Theorem a_cast_succeeds_where_a_test_says_so v w s :
  value v -> value w -> number s = len v ->
  steps (P2 (Arith Equal) (P1 Length v) (P1 Length w)) (Bool true) -> red (P1 (Cast s) w) w.
Proof.
  intros V W N S. apply R_Cast; [exact W|]. rewrite N.
  pose (nv := Int (Z.of_nat (len v))). pose (nw := Int (Z.of_nat (len w))).
  assert (E1 : forall x, step (P2 (Arith Equal) (P1 Length v) (P1 Length w)) x -> x = P2 (Arith Equal) nv (P1 Length w)).
  { intros x K. eapply running_is_deterministic; [exact K|].
    apply (S_In (F_P2l (Arith Equal) (P1 Length w))); [simpl; auto|]. constructor. apply (R_Length v V). }
  assert (E2 : forall x, step (P2 (Arith Equal) nv (P1 Length w)) x -> x = P2 (Arith Equal) nv nw).
  { intros x K. eapply running_is_deterministic; [exact K|].
    apply (S_In (F_P2r (Arith Equal) nv)); [simpl; constructor|]. constructor. apply (R_Length w W). }
  assert (E3 : forall x, step (P2 (Arith Equal) nv nw) x -> x = Bool (Z.of_nat (len v) =? Z.of_nat (len w))%Z).
  { intros x K. eapply running_is_deterministic; [exact K|]. constructor. constructor. reflexivity. }
  inversion S as [|? ? ? S1 S2]; subst. apply E1 in S1. subst.
  inversion S2 as [|? ? ? S3 S4]; subst. apply E2 in S3. subst.
  inversion S4 as [|? ? ? S5 S6]; subst. apply E3 in S5. subst.
  inversion S6 as [? B|? ? ? S7 _]; subst.
  - assert (same : (Z.of_nat (len v) =? Z.of_nat (len w) = true)%Z) by congruence. apply Z.eqb_eq in same. lia.
  - exfalso. eapply value_steps_not; [|exact S7]. constructor.
Qed.

(** ** Insertion of pack and unpack *)

(** What insertion makes is well typed in the explicit language, with the type that it says. *)
Theorem insertion_is_well_typed D G e t T : ins D G e t T -> D;; G |- t : T.
Proof. apply ins_typed. Qed.

(** Nothing but openings and hidings is inserted: both programs have one erasure. *)
Theorem insertion_keeps_the_erasure D G e t T : ins D G e t T -> erase t = erase e.
Proof. apply ins_erase. Qed.

(** For a program where none stands: what is elaborated is that program, once what was inserted is taken out. *)
Theorem insertion_into_an_implicit_program D G e t T : ins D G e t T -> implicit e -> erase t = e.
Proof. intros H I. rewrite (ins_erase _ _ _ _ _ H). apply erase_implicit, I. Qed.

(** Nothing is refused: if there is any way to put openings and hidings into a program so that it is well typed (and no
  opened length is used as a number), insertion allows it. *)
Theorem insertion_allows_whatever_is_well_typed D G t T :
  D;; G |- t : T -> Forall (twf D) G -> mute t -> ins D G (erase t) t T.
Proof. apply ins_complete. Qed.

(** What is explicit may stay as it is. *)
Theorem insertion_leaves_explicit_programs D G t T : D;; G |- t : T -> Forall (twf D) G -> ins D G t t T.
Proof. apply explicit_stays. Qed.

(** The function that decides what to insert keeps to all this. *)
Theorem insert_is_correct D G e t T : insert D G e = Some (t, T) -> D;; G |- t : T /\ erase t = erase e.
Proof. intro H. apply insert_sound in H. split; [eapply ins_typed | eapply ins_erase]; eauto. Qed.

(** It does not pack what mentions no opened length, and a scope that mentions one can always be packed. *)
Theorem nothing_is_packed_in_vain D k t T : twf D T -> close D k t (tysh k T) = Some (t, T).
Proof. apply close_keeps. Qed.

Theorem every_scope_can_be_closed D k t T : twf (k + D) T -> close D k t T <> None.
Proof. apply close_hides. Qed.

(** ** Running what is written *)

Lemma erase_run t ns vs : erase (run t ns vs) = run (erase t) ns (map erase vs).
Proof.
  unfold run. rewrite erase_tsub, erase_tsz. apply tsub_ext. intro x. symmetry. apply (map_nth erase vs Nil).
Qed.

Lemma mute_run t ns vs : mute t -> Forall mute vs -> mute (run t ns vs).
Proof.
  intros M V. apply mute_tsub; auto using mute_tsz. intro x.
  destruct (nth_in_or_default x vs Nil) as [I | ->]; simpl; auto. rewrite Forall_forall in V. auto.
Qed.

Section Written.
  (** A kernel as it is written, [e], without [pack] and [unpack]; as elaborated, [t]; sizes and inputs of a run. *)
  Variables (D : nat) (G : ctx) (e t : tm) (T : ty) (ns : list nat) (vs : list tm).
  Hypothesis inserted : ins D G e t T.
  Hypothesis written : implicit e.
  Hypothesis sizes : length ns = D.
  Hypothesis inputs : inputs_fit ns vs G.
  Hypothesis inputs_mute : Forall mute vs.

  Let elaborated_run := run t ns vs.
  Let written_run := run e ns (map erase vs).

  Lemma elaborated_typed : |- elaborated_run : tysub (inst (map SNat ns)) T.
  Proof. eapply kernels_are_sound; eauto using ins_typed. Qed.

  Lemma elaborated_mute : mute elaborated_run.
  Proof. apply mute_run; auto. eapply ins_mute; eauto. Qed.

  Lemma written_erased : written_run = erase elaborated_run.
  Proof.
    unfold written_run, elaborated_run. rewrite erase_run, (insertion_into_an_implicit_program _ _ _ _ _ inserted written).
    reflexivity.
  Qed.

  (** Both take the same steps: what the elaborated program gets to, the written one gets to without what was inserted,
    and nothing else. *)
  Theorem written_follows_elaborated t' : steps elaborated_run t' -> isteps written_run (erase t').
  Proof. intro S. rewrite written_erased. eapply steps_simulated; eauto using elaborated_typed, elaborated_mute. Qed.

  Theorem elaborated_follows_written u : isteps written_run u -> exists t', steps elaborated_run t' /\ u = erase t'.
  Proof.
    rewrite written_erased. intro S.
    destruct (follows _ _ _ elaborated_typed elaborated_mute S) as (t' & A & B & _). eauto.
  Qed.

  (** They are done, or stopped by a check, at the same time. *)
  Theorem they_end_alike t' : steps elaborated_run t' ->
    (value t' <-> value (erase t')) /\ (fails t' <-> fails (erase t')).
  Proof.
    intro S. eapply end_alike; [eapply steps_typed; eauto using elaborated_typed|].
    assert (M : mute elaborated_run) by apply elaborated_mute.
    clear - S M. induction S; eauto using step_mute.
  Qed.

  Theorem written_programs_are_never_stuck u : isteps written_run u -> ~ istuck u.
  Proof. rewrite written_erased. eauto using erasure_never_stuck, elaborated_typed, elaborated_mute. Qed.
End Written.
