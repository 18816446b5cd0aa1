(** * A function that inserts pack and unpack

  [insert D G e] decides as docs/language.md, section 3, says, where Insertion.v leaves a choice:

  - a named value of existential type is opened where it is named, until the end of the scope ([go], at [Let]);
  - at the end of the scope the type is packed if it mentions an opened length, and is not if it does not ([close]): each
    distinct length that mentions one becomes a hidden length, and where lengths of the type are bound further in, the
    opened lengths themselves do;
  - the branches of [if] may have different lengths: each pair of lengths that differ becomes a hidden length ([join]).

  It takes programs in A-normal form, as section 3 does: what is to be opened has a name. Types of lambdas are found from
  the arguments; a program of which it cannot find a type that way is not taken ([None]).

  Everything that is found by search is checked ([pack_with]), so that the proof needs to look at the checks only:
  [insert_sound]: what the function returns, the rules of Insertion.v allow. *)

From Coq Require Import Arith List Lia Bool.
From LiftCore Require Import Sizes Syntax Typing Erasure Insertion Decide.
Import ListNotations.

Notation "'let?' p ':=' m 'in' k" := (match m with Some p => k | _ => None end)
  (at level 200, p pattern, m at level 100, k at level 200).
Notation "'check' b 'in' k" := (if b then k else None) (at level 200, b at level 100, k at level 200).

(** ** Hiding *)

(** Hides the lengths [ss] of a value of type [T] where [k] lengths are opened: [a] is what shows outside. *)
Definition pack_with (D k : nat) (ss : list size) (a : ty) (t : tm) (T : ty) : option (tm * ty) :=
  let n := length ss in
  check forallb (swfb (k + D)) ss && twfb (n + D) a && teqb T (tysub (inst ss) (tysub (up n (sh k)) a)) in
  Some (Pack ss t, TEx n a).

(** A variable below [n] occurs. *)
Fixpoint mentions (n : nat) (s : size) : bool :=
  match s with
  | SVar x => x <? n
  | SNat _ => false
  | SOp _ a b => mentions n a || mentions n b
  end.

Definition known (s : size) (ss : list size) : bool := existsb (seqb s) ss.

(** The distinct lengths of a type that mention one of [k] variables and none of the [d] bound in the type. *)
Fixpoint lengths (k d : nat) (T : ty) (found : list size) : list size :=
  match T with
  | TInt | TBool => found
  | TFun a b | TPair a b => lengths k d b (lengths k d a found)
  | TArr a s =>
    let l := ssub (inst (zeros d)) s in
    lengths k d a (if mentions k l && negb (mentions d s) && negb (known l found) then found ++ [l] else found)
  | TEx n a => lengths k (n + d) a found
  end.

Fixpoint index (s : size) (ss : list size) : nat :=
  match ss with [] => 0 | s' :: ss => if seqb s s' then 0 else S (index s ss) end.

(** The type with each of the lengths [ss] as a variable, and without the [k] variables otherwise. *)
Fixpoint abstract (k : nat) (ss : list size) (d : nat) (T : ty) : ty :=
  match T with
  | TInt => TInt
  | TBool => TBool
  | TFun a b => TFun (abstract k ss d a) (abstract k ss d b)
  | TPair a b => TPair (abstract k ss d a) (abstract k ss d b)
  | TArr a s =>
    let l := ssub (inst (zeros d)) s in
    TArr (abstract k ss d a)
      (if negb (mentions d s) && known l ss then SVar (d + index l ss)
       else ssub (up d (fun x => if x <? k then SNat 0 else SVar (length ss + (x - k)))) s)
  | TEx n a => TEx n (abstract k ss (n + d) a)
  end.

(** The end of a scope in which [k] lengths are opened. *)
Definition close (D k : nat) (t : tm) (T : ty) : option (tm * ty) :=
  let outside := tysub (inst (zeros k)) T in
  if teqb T (tysh k outside) && twfb D outside then Some (t, outside)
  else
    let ss := lengths k 0 T [] in
    match pack_with D k ss (abstract k ss 0 T) t T with
    | Some r => Some r
    | None => pack_with D k (map SVar (List.seq 0 k)) T t T
    end.

(** ** The branches of if *)

(** The lengths in [T] that stand where [a] has its bound variables. *)
Fixpoint witnesses (a T : ty) (found : nat -> size) : nat -> size :=
  match a, T with
  | TPair a b, TPair a' b' => witnesses b b' (witnesses a a' found)
  | TArr a (SVar x), TArr a' s => witnesses a a' (fun y => if y =? x then s else found y)
  | TArr a _, TArr a' _ => witnesses a a' found
  | _, _ => found
  end.

Definition hide_as (D n : nat) (a : ty) (t : tm) (T : ty) : option (tm * ty) :=
  pack_with D 0 (map (witnesses a T (fun _ => SNat 0)) (List.seq 0 n)) a t T.

(** The pairs of lengths that differ, and the type with a variable for each pair. *)
Definition same (p q : size * size) : bool := seqb (fst p) (fst q) && seqb (snd p) (snd q).

Fixpoint differences (T T' : ty) (found : list (size * size)) : list (size * size) :=
  match T, T' with
  | TPair a b, TPair a' b' => differences b b' (differences a a' found)
  | TArr a s, TArr a' s' =>
    differences a a' (if seqb s s' || existsb (same (s, s')) found then found else found ++ [(s, s')])
  | _, _ => found
  end.

Fixpoint position (p : size * size) (ps : list (size * size)) : nat :=
  match ps with [] => 0 | q :: ps => if same p q then 0 else S (position p ps) end.

Fixpoint generalise (ps : list (size * size)) (T T' : ty) : ty :=
  match T, T' with
  | TPair a b, TPair a' b' => TPair (generalise ps a a') (generalise ps b b')
  | TArr a s, TArr a' s' =>
    TArr (generalise ps a a') (if seqb s s' then ssub (sh (length ps)) s else SVar (position (s, s') ps))
  | _, _ => tysh (length ps) T
  end.

(** The second branch becomes what the first is already; both become what they have in common. *)
Definition join_to (D n : nat) (a : ty) (t : tm) (T : ty) : option (tm * ty) :=
  let? (t', T') := hide_as D n a t T in
  check teqb T' (TEx n a) && twfb D (TEx n a) in Some (t', TEx n a).

Definition join_both (D : nat) (t1 : tm) (T1 : ty) (t2 : tm) (T2 : ty) : option (tm * tm * ty) :=
  let ps := differences T1 T2 [] in
  let a := generalise ps T1 T2 in
  let? (t1, T1) := pack_with D 0 (map fst ps) a t1 T1 in
  let? (t2, T2) := pack_with D 0 (map snd ps) a t2 T2 in
  check teqb T2 T1 && twfb D T1 in Some (t1, t2, T1).

Definition join (D : nat) (t1 : tm) (T1 : ty) (t2 : tm) (T2 : ty) : option (tm * tm * ty) :=
  if teqb T2 T1 && twfb D T1 then Some (t1, t2, T1)
  else
    match T1, T2 with
    | TEx n a, _ => let? (t2, T) := join_to D n a t2 T2 in Some (t1, t2, T)
    | _, TEx n a => let? (t1, T) := join_to D n a t1 T1 in Some (t1, t2, T)
    | _, _ => join_both D t1 T1 t2 T2
    end.

(** ** Primitives: the signature that fits types of arguments *)

Definition p1_type (D : nat) (p : p1) (A : ty) : option (ty * ty) :=
  match p, A with
  | Fst, TPair a b => Some (A, a)
  | Snd, TPair a b => Some (A, b)
  | Length, TArr a n => Some (A, TInt)
  | Join, TArr (TArr a k) m => Some (A, TArr a (SOp Mul k m))
  | Split k q, TArr a _ =>
    check swfb D k && swfb D q in Some (TArr a (SOp Mul k q), TArr (TArr a k) q)
  | IotaInt, TInt => Some (TInt, TEx 1 (TArr TInt (SVar 0)))
  | Cast s, TArr a n => check swfb D s in Some (A, TArr a s)
  | _, _ => None
  end.

Definition p2_type (p : p2) (A B : ty) : option (ty * ty * ty) :=
  match p, A, B with
  | App, TFun a b, _ => Some (A, a, b)
  | Pair, _, _ => Some (A, B, TPair A B)
  | Cons, _, TArr a n => Some (a, B, TArr a (SOp Add (SNat 1) n))
  | Map, TFun a b, TArr _ n => Some (A, TArr a n, TArr b n)
  | Filter, TFun a TBool, TArr _ n => Some (A, TArr a n, TEx 1 (TArr (tysh 1 a) (SVar 0)))
  | Zip, TArr a n, TArr b _ => Some (A, TArr b n, TArr (TPair a b) n)
  | Concat, TArr a n, TArr _ m => Some (A, TArr a m, TArr a (SOp Add n m))
  | Aref, TArr a n, TInt => Some (A, TInt, a)
  | Arith o, _, _ => Some (TInt, TInt, arith_result o)
  | _, _, _ => None
  end.

Definition p3_type (p : p3) (A C : ty) : option (ty * ty * ty * ty) :=
  match p, C with
  | Reduce, TArr a n => Some (A, TFun A (TFun a A), C, TArr A (SNat 1))
  | _, _ => None
  end.

(** The types of the arguments that the function among the arguments will get. *)
Definition p2_args (p : p2) (B : ty) : list ty :=
  match p, B with
  | App, _ => [B]
  | Map, TArr a _ | Filter, TArr a _ => [a]
  | _, _ => []
  end.

Definition p3_args (p : p3) (A C : ty) : list ty :=
  match C with TArr a _ => A :: [a] | _ => [] end.

(** The first type may stand for the second. *)
Definition fits (D : nat) (T T' : ty) : bool := teqb T T' && twfb D T'.

(** ** The function

  [go e D k G f args] elaborates [tsz f e], the rest of a scope with [k] opened lengths; [args] are the types of the
  arguments that it will be applied to. An expression inside is a scope of its own, in which nothing is opened yet. *)

Fixpoint go (e : tm) (D k : nat) (G : ctx) (f : nat -> size) (args : list ty) {struct e} : option (tm * ty) :=
  match e with
  | Let e1 e2 =>
    let? (t1, A) := go e1 (k + D) 0 G f [] in
    match A with
    | TEx n a =>
      let? (t2, T) := go e2 D (n + k) (a :: gsh n G) (fun x => ssub (sh n) (f x)) [] in
      Some (Unpack n t1 t2, T)
    | _ =>
      let? (t2, T) := go e2 D k (A :: G) f [] in
      Some (Let t1 t2, T)
    end
  | Var x => let? T := nth_error G x in close D k (Var x) T
  | Int z => close D k (Int z) TInt
  | Bool b => close D k (Bool b) TBool
  | Size s => check swfb (k + D) (ssub f s) in close D k (Size (ssub f s)) TInt
  | Iota s => check swfb (k + D) (ssub f s) in close D k (Iota (ssub f s)) (TArr TInt (ssub f s))
  | Nil => None
  | Lam e1 =>
    match args with
    | a :: args =>
      check twfb (k + D) a in
      let? (t1, b) := go e1 (k + D) 0 (a :: G) f args in
      close D k (Lam t1) (TFun a b)
    | [] => None
    end
  | If e1 e2 e3 =>
    let? (t1, A) := go e1 (k + D) 0 G f [] in
    let? (t2, B) := go e2 (k + D) 0 G f [] in
    let? (t3, C) := go e3 (k + D) 0 G f [] in
    check fits (k + D) A TBool in
    let? (t2, t3, T) := join (k + D) t2 B t3 C in
    close D k (If t1 t2 t3) T
  | P1 p e1 =>
    let? (t1, A) := go e1 (k + D) 0 G f [] in
    let? (a, c) := p1_type (k + D) (p1sub f p) A in
    check fits (k + D) A a in
    close D k (P1 (p1sub f p) t1) c
  | P2 p e1 e2 =>
    let? (t2, B) := go e2 (k + D) 0 G f [] in
    let? (t1, A) := go e1 (k + D) 0 G f (p2_args p B) in
    let? (a, b, c) := p2_type p A B in
    check fits (k + D) A a && fits (k + D) B b in
    close D k (P2 p t1 t2) c
  | P3 p e1 e2 e3 =>
    let? (t1, A) := go e1 (k + D) 0 G f [] in
    let? (t3, C) := go e3 (k + D) 0 G f [] in
    let? (t2, B) := go e2 (k + D) 0 G f (p3_args p A C) in
    let? (a, b, c, d) := p3_type p A C in
    check fits (k + D) A a && fits (k + D) B b && fits (k + D) C c in
    close D k (P3 p t1 t2 t3) d
  | Pack ss e1 =>
    let? (t1, A) := go e1 (k + D) 0 G f [] in
    let ss := map (ssub f) ss in
    let? (t, T) := pack_with (k + D) 0 ss (abstract 0 ss 0 A) t1 A in
    close D k t T
  | Unpack n e1 e2 =>
    let? (t1, A) := go e1 (k + D) 0 G f [] in
    match A with
    | TEx n' a =>
      check n =? n' in
      let? (t2, T) := go e2 (k + D) n (a :: gsh n G) (up n f) [] in
      close D k (Unpack n t1 t2) T
    | _ => None
    end
  end.

(** The elaborated program and its type, for a program with [D] size names and inputs of the types [G]. *)
Definition insert (D : nat) (G : ctx) (e : tm) : option (tm * ty) := go e D 0 G SVar [].
