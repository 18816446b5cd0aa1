(** * What a program does: call-by-value small steps

  Arrays are lists with their real length: [Nil] and [P2 Cons x xs]; no length is stored in them, so that nothing but
  the real number of elements decides what [zip], [length] or a cast does. What a closed program does next is

  - [step t t']: it goes on as [t'];
  - [value t]: it is done;
  - [fails t]: a check that docs/language.md names has failed, and the run stops with an error: division by zero, an
    index out of range, a negative length given to [iota], a checked cast that is false;
  - or it is stuck, which Soundness.v excludes for typed programs. [zip] of arrays of different length is stuck, the
    application of what is no function, and so on: no rule speaks of it.

  [reduce] stands for the sequential left fold; [filter] is written in the language itself. *)

From Coq Require Import Arith List Lia ZArith.
From LiftCore Require Import Sizes Syntax.
Import ListNotations.

(** ** Values *)

Inductive value : tm -> Prop :=
| V_Int z : value (Int z)
| V_Bool b : value (Bool b)
| V_Lam t : value (Lam t)
| V_Pair v w : value v -> value w -> value (P2 Pair v w)
| V_Nil : value Nil
| V_Cons v vs : value v -> value vs -> value (P2 Cons v vs)
| V_Pack ss v : value v -> value (Pack ss v).

#[export] Hint Constructors value : core.

(** The number of elements of an array. *)
Fixpoint len (v : tm) : nat :=
  match v with P2 Cons _ vs => S (len vs) | _ => 0 end.

(** The element at a position, if there is one. *)
Fixpoint elem (i : nat) (v : tm) : option tm :=
  match v, i with
  | P2 Cons x _, 0 => Some x
  | P2 Cons _ xs, S i => elem i xs
  | _, _ => None
  end.

(** The first [n] elements, and those after them. *)
Fixpoint take (n : nat) (v : tm) : tm :=
  match n, v with
  | S n, P2 Cons x xs => P2 Cons x (take n xs)
  | _, _ => Nil
  end.

Fixpoint drop (n : nat) (v : tm) : tm :=
  match n, v with
  | S n, P2 Cons _ xs => drop n xs
  | _, _ => v
  end.

(** [q] rows of [k] elements. *)
Fixpoint rows (k q : nat) (v : tm) : tm :=
  match q with
  | 0 => Nil
  | S q => P2 Cons (take k v) (rows k q (drop k v))
  end.

(** [n] integers from [z] on. *)
Fixpoint ints (z : Z) (n : nat) : tm :=
  match n with
  | 0 => Nil
  | S n => P2 Cons (Int z) (ints (z + 1) n)
  end.

(** A size of a closed program: it has no variables, so any valuation will do. *)
Definition number (s : size) : nat := seval (fun _ => 0) s.

(** Arithmetic; [None] is division by zero. Integers do not wrap here: no type depends on it. *)
Definition arith_eval (o : arith) (x y : Z) : option tm :=
  match o with
  | Plus => Some (Int (x + y))
  | Minus => Some (Int (x - y))
  | Times => Some (Int (x * y))
  | Quot => if (y =? 0)%Z then None else Some (Int (Z.quot x y))
  | Less => Some (Bool (x <? y)%Z)
  | Equal => Some (Bool (x =? y)%Z)
  end.

(** ** Reductions *)

Notation ap f x := (P2 App f x).
Notation acons x xs := (P2 Cons x xs).

(** A term where [n] size variables and one term variable more are in scope. *)
Definition under (n : nat) (t : tm) : tm := tsz (sh n) (tren S t).

(** [filter f] of an array with first element [v]: filter the others, open the length [X] of what is left, and put [v]
  before it or not; the length is [1+X] or [X]. *)
Definition filter_cons (f v vs : tm) : tm :=
  Unpack 1 (P2 Filter f vs)
    (If (ap (under 1 f) (under 1 v))
      (Pack [SOp Add (SNat 1) (SVar 0)] (acons (under 1 v) (Var 0)))
      (Pack [SVar 0] (Var 0))).

Inductive red : tm -> tm -> Prop :=
| R_Size s : red (Size s) (Int (Z.of_nat (number s)))
| R_Iota s : red (Iota s) (ints 0 (number s))
| R_Let v u : value v -> red (Let v u) (tsub (one v) u)
| R_IfT t u : red (If (Bool true) t u) t
| R_IfF t u : red (If (Bool false) t u) u
| R_App t v : value v -> red (ap (Lam t) v) (tsub (one v) t)
| R_Fst v w : value v -> value w -> red (P1 Fst (P2 Pair v w)) v
| R_Snd v w : value v -> value w -> red (P1 Snd (P2 Pair v w)) w
| R_Length v : value v -> red (P1 Length v) (Int (Z.of_nat (len v)))
| R_JoinNil : red (P1 Join Nil) Nil
| R_JoinCons v vs : value v -> value vs ->
    red (P1 Join (acons v vs)) (P2 Concat v (P1 Join vs))
| R_Split k q v : value v -> red (P1 (Split k q) v) (rows (number k) (number q) v)
| R_IotaInt z : (0 <= z)%Z ->
    red (P1 IotaInt (Int z)) (Pack [SNat (Z.to_nat z)] (ints 0 (Z.to_nat z)))
| R_Cast s v : value v -> len v = number s -> red (P1 (Cast s) v) v
| R_MapNil f : value f -> red (P2 Map f Nil) Nil
| R_MapCons f v vs : value f -> value v -> value vs ->
    red (P2 Map f (acons v vs)) (acons (ap f v) (P2 Map f vs))
| R_FilterNil f : value f -> red (P2 Filter f Nil) (Pack [SNat 0] Nil)
| R_FilterCons f v vs : value f -> value v -> value vs ->
    red (P2 Filter f (acons v vs)) (filter_cons f v vs)
| R_ZipNil : red (P2 Zip Nil Nil) Nil
| R_ZipCons v vs w ws : value v -> value vs -> value w -> value ws ->
    red (P2 Zip (acons v vs) (acons w ws)) (acons (P2 Pair v w) (P2 Zip vs ws))
| R_ConcatNil v : value v -> red (P2 Concat Nil v) v
| R_ConcatCons v vs w : value v -> value vs -> value w ->
    red (P2 Concat (acons v vs) w) (acons v (P2 Concat vs w))
| R_Aref v z x : value v -> (0 <= z)%Z -> elem (Z.to_nat z) v = Some x ->
    red (P2 Aref v (Int z)) x
| R_Arith o x y t : arith_eval o x y = Some t -> red (P2 (Arith o) (Int x) (Int y)) t
| R_ReduceNil z f : value z -> value f -> red (P3 Reduce z f Nil) (acons z Nil)
| R_ReduceCons z f v vs : value z -> value f -> value v -> value vs ->
    red (P3 Reduce z f (acons v vs)) (P3 Reduce (ap (ap f z) v) f vs)
| R_Unpack n ss v u : value v -> length ss = n ->
    red (Unpack n (Pack ss v) u) (tsub (one v) (tsz (inst ss) u)).

(** The checks that may stop a run. *)
Inductive bad : tm -> Prop :=
| B_Arith o x y : arith_eval o x y = None -> bad (P2 (Arith o) (Int x) (Int y))
| B_Below v z : value v -> (z < 0)%Z -> bad (P2 Aref v (Int z))
| B_Above v z : value v -> (0 <= z)%Z -> elem (Z.to_nat z) v = None -> bad (P2 Aref v (Int z))
| B_IotaInt z : (z < 0)%Z -> bad (P1 IotaInt (Int z))
| B_Cast s v : value v -> len v <> number s -> bad (P1 (Cast s) v).

(** ** Where a program works next: from left to right *)

Inductive frame :=
| F_Let (u : tm)
| F_If (t u : tm)
| F_P1 (p : p1)
| F_P2l (p : p2) (u : tm)
| F_P2r (p : p2) (v : tm)
| F_P3l (p : p3) (t u : tm)
| F_P3m (p : p3) (v u : tm)
| F_P3r (p : p3) (v w : tm)
| F_Pack (ss : list size)
| F_Unpack (n : nat) (u : tm).

Definition plug (F : frame) (t : tm) : tm :=
  match F with
  | F_Let u => Let t u
  | F_If u v => If t u v
  | F_P1 p => P1 p t
  | F_P2l p u => P2 p t u
  | F_P2r p v => P2 p v t
  | F_P3l p u v => P3 p t u v
  | F_P3m p v u => P3 p v t u
  | F_P3r p v w => P3 p v w t
  | F_Pack ss => Pack ss t
  | F_Unpack n u => Unpack n t u
  end.

(** What is left of the hole is done. *)
Definition frame_ok (F : frame) : Prop :=
  match F with
  | F_P2r _ v | F_P3m _ v _ => value v
  | F_P3r _ v w => value v /\ value w
  | _ => True
  end.

Inductive step : tm -> tm -> Prop :=
| S_Red t t' : red t t' -> step t t'
| S_In F t t' : frame_ok F -> step t t' -> step (plug F t) (plug F t').

Inductive fails : tm -> Prop :=
| X_Bad t : bad t -> fails t
| X_In F t : frame_ok F -> fails t -> fails (plug F t).

Inductive steps : tm -> tm -> Prop :=
| Steps_0 t : steps t t
| Steps_S t t' t'' : step t t' -> steps t' t'' -> steps t t''.

(** Neither done, nor stopped by a check, nor able to go on. *)
Definition stuck (t : tm) : Prop :=
  ~ value t /\ ~ fails t /\ forall t', ~ step t t'.

(** A value is done: it neither steps nor fails. *)
Lemma value_steps_not v : value v -> forall v', ~ step v v'.
Proof.
  induction 1; intros v' S; inversion S; subst;
    try match goal with R : red _ _ |- _ => solve [inversion R] end;
    match goal with E : plug ?F _ = _ |- _ => destruct F; inversion E; subst; firstorder end.
Qed.

Lemma value_fails_not v : value v -> ~ fails v.
Proof.
  induction 1; intro S; inversion S; subst;
    try match goal with B : bad _ |- _ => solve [inversion B] end;
    match goal with E : plug ?F _ = _ |- _ => destruct F; inversion E; subst; firstorder end.
Qed.
