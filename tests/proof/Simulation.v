(** * The elaborated program does what the written one does

  The written program runs by the same rules ([istep]); the packs that [filter] and [iota] make are left out there.
  A step of a typed explicit program is a step of its erasure ([simulation]), a failed check the same failed check
  ([simulation_fails]), and a value erases to a value. So opening and hiding cost nothing and change nothing at run
  time: they are there for the types. [mute] excludes programs that compute with the name of an opened length; what
  insertion makes of a program where no [unpack] stands is always [mute] ([ins_mute]). *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax Typing Semantics Values Soundness Erasure Insertion.
Import ListNotations.

(** A step of a program without [pack] and [unpack]. *)
Definition istep (t t' : tm) : Prop := exists s, step t s /\ t' = erase s.

Inductive isteps : tm -> tm -> Prop :=
| Isteps_0 t : isteps t t
| Isteps_S t t' t'' : istep t t' -> isteps t' t'' -> isteps t t''.

(** ** Erasure and substitution *)

Lemma tsz_tren t : forall f g, tsz f (tren g t) = tren g (tsz f t).
Proof. induction t; simpl; intros; congruence. Qed.

Lemma tren_ext t : forall f g, (forall x, f x = g x) -> tren f t = tren g t.
Proof.
  assert (U : forall f g, (forall x, f x = g x) -> forall x, rup f x = rup g x) by (intros f g H []; simpl; auto).
  induction t; simpl; intros f g H; f_equal; auto.
Qed.

Lemma tsub_ext t : forall f g, (forall x, f x = g x) -> tsub f t = tsub g t.
Proof.
  assert (U : forall n f g, (forall x, f x = g x) -> forall x, tup n f x = tup n g x)
    by (intros n f g H []; simpl; congruence).
  induction t; simpl; intros f g H; f_equal; auto.
Qed.

Lemma tsz_tup g n f x : tsz (up n g) (tup n f x) = tup n (fun x => tsz g (f x)) x.
Proof.
  destruct x; simpl; auto. rewrite !tsz_comp, !tsz_tren, !tsz_comp. f_equal.
  apply tsz_ext. intro x'. apply up_sh.
Qed.

Lemma up_0 g x : up 0 g x = g x.
Proof. unfold up. simpl. rewrite Nat.sub_0_r. apply ssub_id. Qed.

Lemma tsz_tup_0 g f x : tsz g (tup 0 f x) = tup 0 (fun x => tsz g (f x)) x.
Proof. rewrite <- tsz_tup. apply tsz_ext. intro y. symmetry. apply up_0. Qed.

Lemma tsz_tsub t : forall g f, tsz g (tsub f t) = tsub (fun x => tsz g (f x)) (tsz g t).
Proof.
  induction t; simpl; intros g f; f_equal; auto.
  - rewrite IHt. apply tsub_ext. intro. apply tsz_tup_0.
  - rewrite IHt2. apply tsub_ext. intro. apply tsz_tup_0.
  - rewrite IHt2. apply tsub_ext. intro. apply tsz_tup.
Qed.

Lemma erase_tren t : forall f, erase (tren f t) = tren f (erase t).
Proof. induction t; simpl; intro f; f_equal; auto. rewrite IHt2. apply tsz_tren. Qed.

Lemma erase_tup n f x : tsz (inst (zeros n)) (erase (tup n f x)) = tup 0 (fun x => erase (f x)) x.
Proof.
  destruct x; simpl; auto. rewrite erase_tsz, forget_sh, erase_tren. symmetry. apply tsz_id. reflexivity.
Qed.

Lemma erase_tup_0 f x : erase (tup 0 f x) = tup 0 (fun x => erase (f x)) x.
Proof. rewrite <- (erase_tup 0). symmetry. apply tsz_id. intros []; reflexivity. Qed.

Lemma erase_tsub t : forall f, erase (tsub f t) = tsub (fun x => erase (f x)) (erase t).
Proof.
  induction t; simpl; intro f; f_equal; auto.
  - rewrite IHt. apply tsub_ext. intro. apply erase_tup_0.
  - rewrite IHt2. apply tsub_ext. intro. apply erase_tup_0.
  - rewrite IHt2, tsz_tsub. apply tsub_ext. intro. apply erase_tup.
Qed.

Lemma erase_one v t : erase (tsub (one v) t) = tsub (one (erase v)) (erase t).
Proof. rewrite erase_tsub. apply tsub_ext. intros []; reflexivity. Qed.

Lemma implicit_tsz t : forall f, implicit t -> implicit (tsz f t).
Proof. induction t; simpl; intuition. Qed.

Lemma implicit_erase t : implicit (erase t).
Proof. induction t; simpl; auto. split; auto using implicit_tsz. Qed.

Lemma erase_erase t : erase (erase t) = erase t.
Proof. apply erase_implicit, implicit_erase. Qed.

Lemma value_erase v : value v -> value (erase v).
Proof. induction 1; simpl; auto. Qed.

(** ** Programs that do not compute with opened lengths stay so *)

Lemma tsz_up_sh n f t : tsz (up n f) (tsz (sh n) t) = tsz (sh n) (tsz f t).
Proof. rewrite !tsz_comp. apply tsz_ext. intro x. apply up_sh. Qed.

Lemma mute_tsz t : forall f, mute t -> mute (tsz f t).
Proof.
  induction t; simpl; intuition.
  assert (E : erase (tsz (up n f) t2) = tsz (sh n) (tsz f (tsz (inst (zeros n)) (erase t2)))).
  { rewrite erase_tsz, <- tsz_up_sh, H2. reflexivity. }
  rewrite E, forget_sh. reflexivity.
Qed.

Lemma mute_tren t : forall f, mute t -> mute (tren f t).
Proof. induction t; simpl; intuition. rewrite erase_tren, !tsz_tren, H2. reflexivity. Qed.

Lemma mute_tup n f : (forall x, mute (f x)) -> forall x, mute (tup n f x).
Proof. intros H []; simpl; auto using mute_tsz, mute_tren. Qed.

Lemma mute_tsub t : forall f, mute t -> (forall x, mute (f x)) -> mute (tsub f t).
Proof.
  induction t; simpl; intuition eauto using mute_tup.
  rewrite erase_tsub, !tsz_tsub, H3. apply tsub_ext. intros []; simpl; auto.
  rewrite erase_tsz, forget_sh. reflexivity.
Qed.

Lemma mute_one v t : mute v -> mute t -> mute (tsub (one v) t).
Proof. intros. apply mute_tsub; auto. intros []; simpl; auto. Qed.

Lemma ins_scope_mute :
  (forall D G e t T, ins D G e t T -> mute e -> mute t) /\
  (forall D k G e t T, scope D k G e t T -> mute e -> mute t).
Proof.
  apply ins_scope_ind; simpl; intuition.
  - apply ins_erase in i. apply ins_scope_erase in s. rewrite s. assumption.
  - auto using mute_tsz.
  - apply ins_scope_erase in s. rewrite s, erase_tsz, forget_sh. reflexivity.
Qed.

Lemma mute_implicit t : implicit t -> mute t.
Proof. induction t; simpl; intuition. Qed.

Theorem ins_mute D G e t T : ins D G e t T -> implicit e -> mute t.
Proof. intros H I. destruct ins_scope_mute as [M _]. eapply M; eauto using mute_implicit. Qed.

(** ** Arrays *)

Inductive spine : tm -> Prop :=
| Spine_nil : spine Nil
| Spine_cons x xs : spine xs -> spine (acons x xs).

(** A value of array type is a list on the outside; erasure goes through its elements. *)
Lemma array_spine v a s : value v -> |- v : TArr a s -> spine v.
Proof.
  intro V. revert s. induction V; intros s H;
    pose proof (fun V => value_form _ _ V H) as F; specialize (F ltac:(auto)); simpl in F;
    destruct F as [F | (? & ? & F & ? & ?)]; try discriminate F; constructor.
  destruct (typed_cons _ _ _ _ H) as (n & _ & Hs & _). eauto.
Qed.

Lemma erase_len v : spine v -> len (erase v) = len v.
Proof. induction 1; simpl; auto. Qed.

Lemma erase_elem v : spine v -> forall i, elem i (erase v) = option_map erase (elem i v).
Proof. induction 1; intros []; simpl; auto. Qed.

Lemma erase_take k : forall v, spine v -> erase (take k v) = take k (erase v).
Proof. induction k; intros v H; simpl; auto. destruct H; simpl; auto. f_equal. auto. Qed.

Lemma erase_drop k : forall v, spine v -> erase (drop k v) = drop k (erase v) /\ spine (drop k v).
Proof. induction k; intros v H; simpl; auto. destruct H; simpl; auto using spine. Qed.

Lemma erase_rows k q : forall v, spine v -> erase (rows k q v) = rows k q (erase v).
Proof.
  induction q; intros v H; simpl; auto. rewrite erase_take by auto.
  destruct (erase_drop k v H) as [E S]. rewrite IHq, E by auto. reflexivity.
Qed.

Lemma implicit_ints n : forall z, implicit (ints z n).
Proof. induction n; simpl; auto. Qed.

Lemma erase_ints z n : erase (ints z n) = ints z n.
Proof. apply erase_implicit, implicit_ints. Qed.

Lemma mute_take k : forall v, mute v -> mute (take k v).
Proof. induction k; intros v M; simpl; auto. destruct v; simpl; auto. destruct p; simpl in *; intuition. Qed.

Lemma mute_drop k : forall v, mute v -> mute (drop k v).
Proof. induction k; intros v M; simpl; auto. destruct v; simpl; auto. destruct p; simpl in *; intuition. Qed.

Lemma mute_rows k q : forall v, mute v -> mute (rows k q v).
Proof. induction q; intros v M; simpl; auto using mute_take, mute_drop. Qed.

Lemma mute_elem i : forall v x, mute v -> elem i v = Some x -> mute x.
Proof.
  induction i; intros v x M; destruct v; simpl; try discriminate; destruct p; try discriminate; simpl in *.
  - intros [= <-]. tauto.
  - apply IHi. tauto.
Qed.

Lemma erase_under n t : erase (under n t) = under n (erase t).
Proof. unfold under. rewrite erase_tsz, erase_tren. reflexivity. Qed.

(** ** Steps *)

Lemma mute_filter_cons f v vs : mute f -> mute v -> mute vs -> mute (filter_cons f v vs).
Proof.
  intros. unfold filter_cons. cbn [mute erase tsz]. rewrite !erase_under. unfold under.
  rewrite !forget_sh. intuition auto using mute_tsz, mute_tren.
Qed.

Lemma red_mute t t' : red t t' -> mute t -> mute t'.
Proof.
  destruct 1; cbn [mute];
    intuition eauto using mute_one, mute_tsz, mute_implicit, implicit_ints, mute_rows, mute_elem, mute_filter_cons.
  - destruct o; simpl in *; try destruct (y =? 0)%Z; inversion H; simpl; auto.
Qed.

Ltac is_istep r := exists r; split; [apply S_Red; constructor; auto using value_erase | ].

Lemma red_erase t t' T : red t t' -> |- t : T -> mute t -> istep (erase t) (erase t').
Proof.
  intros R H M. destruct R; simpl erase.
  - is_istep (Int (Z.of_nat (number s))). reflexivity.
  - is_istep (ints 0 (number s)). reflexivity.
  - is_istep (tsub (one (erase v)) (erase u)). rewrite !erase_one, !erase_erase. reflexivity.
  - is_istep (erase t). symmetry. apply erase_erase.
  - is_istep (erase u). symmetry. apply erase_erase.
  - is_istep (tsub (one (erase v)) (erase t)). rewrite !erase_one, !erase_erase. reflexivity.
  - is_istep (erase v). symmetry. apply erase_erase.
  - is_istep (erase w). symmetry. apply erase_erase.
  - apply inv_P1 in H as (a & c & S & Hv & _). inversion S; subst.
    is_istep (Int (Z.of_nat (len (erase v)))). rewrite erase_len; eauto using array_spine.
  - is_istep Nil. reflexivity.
  - is_istep (P2 Concat (erase v) (P1 Join (erase vs))). simpl. rewrite !erase_erase. reflexivity.
  - apply inv_P1 in H as (a & c & S & Hv & _). inversion S; subst. apply array_spine in Hv; auto.
    is_istep (rows (number k) (number q) (erase v)). rewrite <- erase_rows, erase_erase; auto.
  - is_istep (Pack [SNat (Z.to_nat z)] (ints 0 (Z.to_nat z))). reflexivity.
  - apply inv_P1 in H as (a & c & S & Hv & _). inversion S; subst. apply array_spine in Hv; auto.
    is_istep (erase v); [rewrite erase_len; auto|]. symmetry. apply erase_erase.
  - is_istep Nil. reflexivity.
  - is_istep (acons (ap (erase f) (erase v)) (P2 Map (erase f) (erase vs))). simpl. rewrite !erase_erase. reflexivity.
  - is_istep (Pack [SNat 0] Nil). reflexivity.
  - is_istep (filter_cons (erase f) (erase v) (erase vs)).
    unfold filter_cons. simpl. rewrite !erase_under, !erase_erase. reflexivity.
  - is_istep Nil. reflexivity.
  - is_istep (acons (P2 Pair (erase v) (erase w)) (P2 Zip (erase vs) (erase ws))).
    simpl. rewrite !erase_erase. reflexivity.
  - is_istep (erase v). symmetry. apply erase_erase.
  - is_istep (acons (erase v) (P2 Concat (erase vs) (erase w))). simpl. rewrite !erase_erase. reflexivity.
  - apply inv_P2 in H as (a & b & c & S & Hv & _). inversion S; subst. apply array_spine in Hv; auto.
    is_istep (erase x); [|symmetry; apply erase_erase]. rewrite erase_elem by auto.
    match goal with E : elem _ _ = _ |- _ => rewrite E end. reflexivity.
  - assert (erase t = t) by (destruct o; simpl in *; try destruct (y =? 0)%Z; inversion H0; reflexivity).
    is_istep t. congruence.
  - is_istep (acons (erase z) Nil). simpl. rewrite !erase_erase. reflexivity.
  - is_istep (P3 Reduce (ap (ap (erase f) (erase z)) (erase v)) (erase f) (erase vs)).
    simpl. rewrite !erase_erase. reflexivity.
  - simpl in M. destruct M as (_ & _ & M).
    is_istep (tsub (one (erase v)) (tsz (inst (zeros n)) (erase u))).
    rewrite !erase_one, !erase_tsz, !erase_erase. f_equal.
    rewrite <- M at 1. rewrite tsz_comp. apply tsz_id. intro x. apply inst_sh. auto.
Qed.

(** A frame without [pack] and [unpack]; [Pack] itself is none. *)
Definition erase_frame (F : frame) : option frame :=
  match F with
  | F_Let u => Some (F_Let (erase u))
  | F_If t u => Some (F_If (erase t) (erase u))
  | F_P1 p => Some (F_P1 p)
  | F_P2l p u => Some (F_P2l p (erase u))
  | F_P2r p v => Some (F_P2r p (erase v))
  | F_P3l p t u => Some (F_P3l p (erase t) (erase u))
  | F_P3m p v u => Some (F_P3m p (erase v) (erase u))
  | F_P3r p v w => Some (F_P3r p (erase v) (erase w))
  | F_Pack _ => None
  | F_Unpack n u => Some (F_Let (tsz (inst (zeros n)) (erase u)))
  end.

Lemma erase_plug F t :
  erase (plug F t) = match erase_frame F with Some F' => plug F' (erase t) | None => erase t end.
Proof. destruct F; reflexivity. Qed.

Lemma erase_frame_ok F F' : frame_ok F -> erase_frame F = Some F' -> frame_ok F'.
Proof. destruct F; simpl; intros H [= <-]; simpl; intuition auto using value_erase. Qed.

Lemma erase_frame_twice F F' t : erase_frame F = Some F' -> erase (plug F' t) = plug F' (erase t).
Proof.
  destruct F; simpl; intros [= <-]; simpl; rewrite ?erase_erase, ?erase_tsz, ?erase_erase; reflexivity.
Qed.

Lemma plug_mute F t t' : mute (plug F t) -> (mute t -> mute t') -> mute (plug F t').
Proof. destruct F; simpl; intuition. Qed.

Lemma mute_plug F t : mute (plug F t) -> mute t.
Proof. destruct F; simpl; intuition. Qed.

Lemma step_mute t t' : step t t' -> mute t -> mute t'.
Proof. induction 1; eauto using red_mute, plug_mute. Qed.

(** A step of a typed program is a step of its erasure. *)
Theorem simulation t t' T : step t t' -> |- t : T -> mute t -> istep (erase t) (erase t').
Proof.
  intro S. revert T. induction S; intros T H0 M; [eauto using red_erase|].
  destruct (plug_typed _ _ _ H0) as (a & Ha & _).
  destruct (IHS a Ha (mute_plug _ _ M)) as (s & Hs & E). rewrite !erase_plug.
  destruct (erase_frame F) as [F'|] eqn:EF.
  - exists (plug F' s). split; [apply S_In; eauto using erase_frame_ok|].
    rewrite (erase_frame_twice F), E; auto.
  - exists s. auto.
Qed.

(** A check that fails is the same check of the erasure. *)
Theorem simulation_fails t T : fails t -> |- t : T -> fails (erase t).
Proof.
  intro S. revert T. induction S as [t B|]; intros T H0.
  - destruct B; simpl; apply X_Bad; try (constructor; auto using value_erase; fail).
    + apply inv_P2 in H0 as (a & b & c & S & Hv & _). inversion S; subst. apply array_spine in Hv; auto.
      apply B_Above; auto using value_erase. rewrite erase_elem by auto.
      match goal with E : elem _ _ = _ |- _ => rewrite E end. reflexivity.
    + apply inv_P1 in H0 as (a & c & S & Hv & _). inversion S; subst. apply array_spine in Hv; auto.
      constructor; auto using value_erase. rewrite erase_len; auto.
  - destruct (plug_typed _ _ _ H0) as (a & Ha & _). rewrite erase_plug.
    destruct (erase_frame F) as [F'|] eqn:EF; [|eauto].
    apply X_In; eauto using erase_frame_ok.
Qed.

Lemma steps_simulated t t' T : steps t t' -> |- t : T -> mute t -> isteps (erase t) (erase t').
Proof.
  induction 1; intros H1 M; [constructor|].
  econstructor; eauto using simulation, preservation, step_mute.
Qed.

(** ** There is one next step *)

Lemma red_det t a b : red t a -> red t b -> a = b.
Proof. intros H K. destruct H; inversion K; subst; congruence. Qed.

(** The part that stands in the frame of a term that can be reduced, or is stopped, is a value. *)
Lemma red_hole F t t' : red (plug F t) t' -> frame_ok F -> value t.
Proof. intros R H. destruct F; simpl in *; inversion R; subst; auto. Qed.

Lemma bad_hole F t : bad (plug F t) -> frame_ok F -> value t.
Proof. intros R H. destruct F; simpl in *; inversion R; subst; auto. Qed.

Lemma plug_one F F' t t' : frame_ok F -> frame_ok F' -> plug F t = plug F' t' -> ~ value t -> ~ value t' -> F = F' /\ t = t'.
Proof.
  intros H H' E V V'.
  destruct F, F'; simpl in *; inversion E; subst; intuition (try contradiction).
Qed.

Lemma step_value_not t t' : step t t' -> ~ value t.
Proof. intros S V. exact (value_steps_not _ V _ S). Qed.

Lemma fails_value_not t : fails t -> ~ value t.
Proof. intros S V. exact (value_fails_not _ V S). Qed.

Theorem step_det t a : step t a -> forall b, step t b -> a = b.
Proof.
  induction 1 as [t t' R | F t t' H S IH]; intros b K.
  - inversion K as [? ? R' | F' u u' H' S']; subst; [eauto using red_det|].
    exfalso. exact (step_value_not _ _ S' (red_hole _ _ _ R H')).
  - inversion K as [? ? R' | F' u u' H' S' E]; subst.
    + exfalso. exact (step_value_not _ _ S (red_hole _ _ _ R' H)).
    + destruct (plug_one F' F u t) as [-> ->]; eauto using step_value_not. f_equal. auto.
Qed.

Theorem step_or_fails t : fails t -> forall t', ~ step t t'.
Proof.
  induction 1 as [t B | F t H X IH]; intros t' K.
  - inversion K as [? ? R | F u u' H S]; subst.
    + destruct B; inversion R; subst; try congruence; lia.
    + exact (step_value_not _ _ S (bad_hole _ _ B H)).
  - inversion K as [? ? R | F' u u' H' S E]; subst.
    + exact (fails_value_not _ X (red_hole _ _ _ R H)).
    + destruct (plug_one F' F u t) as [-> ->]; eauto using step_value_not, fails_value_not. exact (IH _ S).
Qed.

(** ** So the written program does what the elaborated one does, and nothing else *)

Lemma istep_det t a b : istep t a -> istep t b -> a = b.
Proof. intros (s & S & ->) (s' & S' & ->). f_equal. eauto using step_det. Qed.

(** Neither done, nor stopped by a check, nor able to go on. *)
Definition istuck (t : tm) : Prop := ~ value t /\ ~ fails t /\ forall t', ~ istep t t'.

(** Wherever the erasure gets to, the typed program gets to as well. *)
Theorem follows t u T : |- t : T -> mute t -> isteps (erase t) u ->
  exists t', steps t t' /\ u = erase t' /\ |- t' : T /\ mute t'.
Proof.
  intros H M S. remember (erase t) as e eqn:E. revert t H M E.
  induction S as [e | e e' e'' S1 S IH]; intros t H M ->.
  - exists t. repeat split; auto. constructor.
  - destruct (progress _ _ H) as [V | [X | [t1 K]]].
    + destruct S1 as (s & S1 & _). exfalso. exact (step_value_not _ _ S1 (value_erase _ V)).
    + destruct S1 as (s & S1 & _). exfalso. exact (step_or_fails _ (simulation_fails _ _ X H) _ S1).
    + pose proof (istep_det _ _ _ S1 (simulation _ _ _ K H M)) as ->.
      destruct (IH t1) as (t' & A & B & C & D); eauto using preservation, step_mute.
      exists t'. repeat split; auto. econstructor; eauto.
Qed.

Theorem erasure_never_stuck t u T : |- t : T -> mute t -> isteps (erase t) u -> ~ istuck u.
Proof.
  intros H M S (V & X & N). destruct (follows _ _ _ H M S) as (t' & _ & -> & H' & M').
  destruct (progress _ _ H') as [V' | [X' | [t1 K]]]; eauto using value_erase, simulation_fails.
  eapply N, simulation; eauto.
Qed.

(** Both are done, or stopped by a check, at the same time. *)
Theorem end_alike t T : |- t : T -> mute t ->
  (value t <-> value (erase t)) /\ (fails t <-> fails (erase t)).
Proof.
  intros H M.
  assert (V : value t -> value (erase t)) by apply value_erase.
  assert (X : fails t -> fails (erase t)) by (intro; eapply simulation_fails; eauto).
  destruct (progress _ _ H) as [V' | [X' | [t1 K]]].
  - split; split; auto. intro F. exfalso. exact (fails_value_not _ F (V V')).
  - split; split; auto. intro F. exfalso. exact (fails_value_not _ (X X') F).
  - destruct (simulation _ _ _ K H M) as (s & S & _). split; split; auto; intro F; exfalso.
    + exact (step_value_not _ _ S F).
    + exact (step_or_fails _ F _ S).
Qed.
