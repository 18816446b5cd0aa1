(** * Deciding: equality of sizes and types, well-formedness

  [seqb] compares sizes built with [+] and [*] by their normal form as polynomials (coefficients and sorted monomials),
  and all others letter by letter. It says "equal" only of sizes that are equal under every valuation ([seqb_sound]),
  which is all that Insert.v needs; the checker's own algorithm finds more (docs/language.md, section 2). *)

From Coq Require Import Arith List Lia Bool.
From LiftCore Require Import Sizes Syntax Typing.
Import ListNotations.

(** ** Polynomials over the size variables *)

(** A product of variables, sorted; a sum of products with coefficients, sorted. *)
Definition mono := list nat.
Definition poly := list (nat * mono).

Definition meval (r : nat -> nat) (m : mono) : nat := fold_right (fun x p => r x * p) 1 m.
Definition peval (r : nat -> nat) (p : poly) : nat := fold_right (fun t s => fst t * meval r (snd t) + s) 0 p.

Fixpoint mcmp (m m' : mono) : comparison :=
  match m, m' with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: m, y :: m' => match x ?= y with Eq => mcmp m m' | c => c end
  end.

Fixpoint minsert (x : nat) (m : mono) : mono :=
  match m with
  | [] => [x]
  | y :: m' => if x <=? y then x :: m else y :: minsert x m'
  end.

Definition mmul (m m' : mono) : mono := fold_right minsert m' m.

Fixpoint pinsert (c : nat) (m : mono) (p : poly) : poly :=
  match p with
  | [] => [(c, m)]
  | (c', m') :: p' =>
    match mcmp m m' with
    | Eq => (c + c', m') :: p'
    | Lt => (c, m) :: p
    | Gt => (c', m') :: pinsert c m p'
    end
  end.

Definition padd (p q : poly) : poly := fold_right (fun t => pinsert (fst t) (snd t)) q p.
Definition pscale (c : nat) (m : mono) (q : poly) : poly :=
  fold_right (fun t => pinsert (c * fst t) (mmul m (snd t))) [] q.
Definition pmul (p q : poly) : poly := fold_right (fun t => padd (pscale (fst t) (snd t) q)) [] p.

Fixpoint normal (s : size) : option poly :=
  match s with
  | SVar x => Some [(1, [x])]
  | SNat 0 => Some []
  | SNat n => Some [(n, [])]
  | SOp Add a b => match normal a, normal b with Some p, Some q => Some (padd p q) | _, _ => None end
  | SOp Mul a b => match normal a, normal b with Some p, Some q => Some (pmul p q) | _, _ => None end
  | SOp _ _ _ => None
  end.

Lemma mcmp_eq m : forall m', mcmp m m' = Eq -> m = m'.
Proof.
  induction m as [|x m IH]; intros [|y m']; simpl; try discriminate; auto.
  destruct (Nat.compare_spec x y); try discriminate. intro E. subst. f_equal. auto.
Qed.

Lemma minsert_eval r x m : meval r (minsert x m) = r x * meval r m.
Proof. induction m as [|y m IH]; simpl; auto. destruct (x <=? y); simpl; auto. rewrite IH. lia. Qed.

Lemma mmul_eval r m m' : meval r (mmul m m') = meval r m * meval r m'.
Proof. induction m as [|x m IH]; simpl; [lia|]. rewrite minsert_eval, IH. lia. Qed.

Lemma pinsert_eval r c m p : peval r (pinsert c m p) = c * meval r m + peval r p.
Proof.
  induction p as [|[c' m'] p IH]; simpl; auto.
  destruct (mcmp m m') eqn:E; simpl; auto.
  - apply mcmp_eq in E. subst. lia.
  - rewrite IH. lia.
Qed.

Lemma padd_eval r p q : peval r (padd p q) = peval r p + peval r q.
Proof. induction p as [|[c m] p IH]; simpl; auto. rewrite pinsert_eval, IH. lia. Qed.

Lemma pscale_eval r c m q : peval r (pscale c m q) = c * meval r m * peval r q.
Proof. induction q as [|[c' m'] q IH]; simpl; [lia|]. rewrite pinsert_eval, mmul_eval, IH. nia. Qed.

Lemma pmul_eval r p q : peval r (pmul p q) = peval r p * peval r q.
Proof. induction p as [|[c m] p IH]; simpl; auto. rewrite padd_eval, pscale_eval, IH. nia. Qed.

Lemma normal_eval r s : forall p, normal s = Some p -> peval r p = seval r s.
Proof.
  induction s as [x|n|o a IHa b IHb]; simpl.
  - intros p [= <-]. simpl. lia.
  - intros p. destruct n; intros [= <-]; simpl; lia.
  - destruct o; try discriminate;
      destruct (normal a) as [pa|], (normal b) as [pb|]; try discriminate; intros p [= <-]; simpl;
      rewrite ?padd_eval, ?pmul_eval, (IHa pa), (IHb pb); auto.
Qed.

(** ** Equality *)

Definition poly_dec (p q : poly) : {p = q} + {p <> q}.
Proof. repeat decide equality. Defined.

Definition size_dec (s s' : size) : {s = s'} + {s <> s'}.
Proof. repeat decide equality. Defined.

Definition seqb (s s' : size) : bool :=
  if size_dec s s' then true else
  match normal s, normal s' with
  | Some p, Some q => if poly_dec p q then true else false
  | _, _ => false
  end.

Lemma seqb_sound s s' : seqb s s' = true -> seq s s'.
Proof.
  unfold seqb. destruct (size_dec s s') as [->|]; [intros _ r; reflexivity|].
  destruct (normal s) as [p|] eqn:E, (normal s') as [q|] eqn:E'; try discriminate.
  destruct (poly_dec p q) as [->|]; try discriminate. intros _ r.
  rewrite <- (normal_eval r _ _ E), <- (normal_eval r _ _ E'). reflexivity.
Qed.

Lemma seqb_refl s : seqb s s = true.
Proof. unfold seqb. destruct (size_dec s s); congruence. Qed.

Fixpoint teqb (T T' : ty) : bool :=
  match T, T' with
  | TInt, TInt | TBool, TBool => true
  | TFun a b, TFun a' b' | TPair a b, TPair a' b' => teqb a a' && teqb b b'
  | TArr a s, TArr a' s' => teqb a a' && seqb s s'
  | TEx n a, TEx n' a' => (n =? n') && teqb a a'
  | _, _ => false
  end.

Lemma teqb_sound T : forall T', teqb T T' = true -> teq T T'.
Proof.
  induction T; intros []; simpl; try discriminate; rewrite ?andb_true_iff; intros;
    try match goal with H : _ /\ _ |- _ => destruct H end; try constructor; auto using seqb_sound.
  apply Nat.eqb_eq in H. subst. constructor. auto.
Qed.

Lemma teqb_refl T : teqb T T = true.
Proof. induction T; simpl; rewrite ?andb_true_iff, ?Nat.eqb_refl; auto using seqb_refl. Qed.

(** ** Well-formedness *)

Fixpoint swfb (d : nat) (s : size) : bool :=
  match s with
  | SVar x => x <? d
  | SNat _ => true
  | SOp _ a b => swfb d a && swfb d b
  end.

Lemma swfb_iff d s : swfb d s = true <-> swf d s.
Proof. induction s; simpl; rewrite ?andb_true_iff, ?Nat.ltb_lt; intuition. Qed.

Fixpoint twfb (d : nat) (T : ty) : bool :=
  match T with
  | TInt | TBool => true
  | TFun a b | TPair a b => twfb d a && twfb d b
  | TArr a s => twfb d a && swfb d s
  | TEx n a => twfb (n + d) a
  end.

Lemma twfb_iff T : forall d, twfb d T = true <-> twf d T.
Proof. induction T; simpl; intro d; rewrite ?andb_true_iff, ?swfb_iff; firstorder. Qed.

Lemma forallb_swf d ss : forallb (swfb d) ss = true -> Forall (swf d) ss.
Proof.
  rewrite forallb_forall, Forall_forall. intros H s Hs. apply swfb_iff. auto.
Qed.
