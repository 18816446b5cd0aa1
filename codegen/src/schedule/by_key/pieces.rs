//! Folds of rows by key whose tables are far larger than local memory: the places of the rows are sorted by key, and what has
//! one key is cut into pieces, so that a key that most rows have takes no longer than many keys.
//!
//! `reduceByKey n (zipWith f) (fill z) ks rows` =
//! `map (λ(first,count). fold first count partial) (zip firsts counts)` with
//! `partial = map (λ(start,len). fold start len (gather sorted rows)) pieces`, where `fold` is
//! `λstart len xs. map (λj. reduceSeq f z (map (λi. aref (aref xs (start + i)) j) (iota len))) (iota w)`

use super::Maker;
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt};
use crate::schedule::nested::{array_of, rows_of};
use lift_analysis::hir::Literal;
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::Ty;

fn int(n: i32) -> Atom {
    Atom::Lit(Literal::Int(n))
}

fn plain(prim: Prim, funs: Vec<Lambda>, args: Vec<Atom>) -> PrimCall {
    PrimCall { prim, sizes: Vec::new(), funs, args }
}

impl Maker {
    /// Folds rows by key; a work-item folds at most `piece` rows of one column.
    pub(super) fn by_pieces(&mut self, call: &PrimCall, n: &Size, f: &Lambda, piece: u32) -> Option<Atom> {
        let [z, keys, rows] = call.args.as_slice() else { return None };
        let (m, row) = rows_of(&self.ty(rows))?;
        let all = self.places(&m);
        let [sorted, starts, counts] = self.sorted_by_key(keys, &all, n)?;
        let sorted = self.of_pairs(&sorted)?;
        let piece = i32::try_from(piece).ok()?;
        let number = |maker: &mut Maker, count: &Atom| {
            let more = maker.int_of(ScalarOp::Add, count.clone(), int(piece - 1));
            maker.int_of(ScalarOp::Div, more, int(piece))
        };
        let numbers = self.mapped("pieces", &counts, |maker, [count]| Some(number(maker, &Atom::Var(count))))?;
        let add = self.combining(ScalarOp::Add)?;
        let firsts = plain(Prim::ScanExcl(Level::Auto), vec![add], vec![int(0), numbers.clone()]);
        let firsts = self.prim("firsts", array_of(&Ty::int(), n), firsts);
        // Each key has at most one piece that is not full.
        let most = n.add(&m.div_floor(&Size::int(piece.into())));
        let key_of = self.keys_of_pieces([&firsts, &numbers], n, &most)?;
        let pieces = self.places(&most);
        let numbered = self.zip(&[pieces, key_of])?;
        let spans = self.mapped("spans", &numbered, |maker, [both]| {
            let (p, k) = (maker.part("piece", both, 0, Ty::int()), maker.part("key", both, 1, Ty::int()));
            let first = maker.at(&firsts, k.clone())?;
            let own = maker.int_of(ScalarOp::Sub, p, first);
            let before = maker.int_of(ScalarOp::Mul, own, int(piece));
            let (count, start) = (maker.at(&counts, k.clone())?, maker.at(&starts, k)?);
            let left = maker.int_of(ScalarOp::Sub, count, before.clone());
            let few = maker.int_of(ScalarOp::Min, left, int(piece));
            let len = maker.int_of(ScalarOp::Max, few, int(0));
            let start = maker.int_of(ScalarOp::Add, start, before);
            let pair = Ty::tuple(vec![Ty::int(), Ty::int()]);
            Some(maker.add("span", pair, Rhs::Tuple(vec![start, len])))
        })?;
        let partial = self.folded_spans("partial", &spans, &row, (f, z), |maker, at| {
            let at = maker.at(&sorted, at)?;
            maker.at(rows, at)
        })?;
        let of_keys = self.zip(&[firsts, numbers])?;
        self.folded_spans("by_key", &of_keys, &row, (f, z), |maker, at| maker.at(&partial, at))
    }

    /// The second components of pairs of a key and a row's index.
    fn of_pairs(&mut self, pairs: &Atom) -> Option<Atom> {
        let (m, _) = rows_of(&self.ty(pairs))?;
        let ints = array_of(&Ty::int(), &m);
        let both = Ty::tuple(vec![ints.clone(), ints.clone()]);
        let Atom::Var(apart) = self.prim("apart", both, plain(Prim::Unzip, vec![], vec![pairs.clone()])) else {
            return None;
        };
        Some(self.part("places", apart, 1, ints))
    }

    /// The key of each segment: the last key whose first segment is not after it.
    fn keys_of_pieces(&mut self, [firsts, numbers]: [&Atom; 2], n: &Size, most: &Size) -> Option<Atom> {
        let both = self.zip(&[firsts.clone(), numbers.clone()])?;
        let begins = self.mapped("begins", &both, |maker, [both]| {
            let (first, count) = (maker.part("first", both, 0, Ty::int()), maker.part("count", both, 1, Ty::int()));
            let any = maker.compare(ScalarOp::Gt, count, int(0));
            let only = |a: Atom| Block { stmts: Vec::new(), result: a };
            Some(maker.add("begin", Ty::int(), Rhs::If(any, only(first), only(int(-1)))))
        })?;
        let (keys, max) = (self.places(n), self.combining(ScalarOp::Max)?);
        let sizes = vec![most.clone()];
        let marks =
            PrimCall { sizes, ..plain(Prim::ReduceByKey(Level::Glb(0)), vec![max], vec![int(0), begins, keys]) };
        let marks = self.prim("marks", array_of(&Ty::int(), most), marks);
        let max = self.combining(ScalarOp::Max)?;
        let scan = plain(Prim::Scan(Level::Auto), vec![max], vec![int(0), marks]);
        Some(self.prim("keys", array_of(&Ty::int(), most), scan))
    }

    /// For each span (start and count), the fold of its rows, column by column.
    fn folded_spans(
        &mut self,
        name: &str,
        spans: &Atom,
        row: &Ty,
        (f, z): (&Lambda, &Atom),
        read: impl Fn(&mut Maker, Atom) -> Option<Atom>,
    ) -> Option<Atom> {
        let (w, scalar) = rows_of(row)?;
        let f = f.clone();
        self.mapped(name, spans, |maker, [span]| {
            let (start, len) = (maker.part("start", span, 0, Ty::int()), maker.part("len", span, 1, Ty::int()));
            let hidden = maker.lengths.fresh(VarKind::Bound, "X");
            let length = maker.lengths.fresh(VarKind::Skolem, "X");
            let packed = Ty::exists(vec![hidden.clone()], array_of(&Ty::int(), &Size::var(hidden)));
            let packed = maker.prim("steps", packed, plain(Prim::Iota, vec![], vec![len]));
            let ty = array_of(&Ty::int(), &Size::var(length.clone()));
            let steps = maker.fresh("steps", ty);
            let opened = Stmt { binds: vec![length.clone()], ..maker.stmt(steps, Rhs::Unpack(packed)) };
            maker.stmts.push(opened);
            let columns = maker.places(&w);
            maker.mapped("row", &columns, |maker, [column]| {
                let elements = maker.mapped("elements", &Atom::Var(steps), |maker, [step]| {
                    let at = maker.int_of(ScalarOp::Add, start.clone(), Atom::Var(step));
                    let row = read(maker, at)?;
                    maker.at(&row, Atom::Var(column))
                })?;
                let f = maker.copied(&f, &scalar);
                let folded = plain(Prim::Reduce(Level::Seq), vec![f], vec![z.clone(), elements]);
                let one = maker.prim("folded", array_of(&scalar, &Size::one()), folded);
                Some(maker.prim("sum", scalar.clone(), plain(Prim::Head, vec![], vec![one])))
            })
        })
    }

    /// Adds a map of a new function.
    fn mapped(
        &mut self,
        name: &str,
        xs: &Atom,
        body: impl FnOnce(&mut Maker, [crate::core::VarId; 1]) -> Option<Atom>,
    ) -> Option<Atom> {
        let (n, element) = rows_of(&self.ty(xs))?;
        let f = self.function([("x", element)], body)?;
        let ty = array_of(&self.ty(&f.body.result), &n);
        Some(self.prim(name, ty, plain(Prim::Map(Level::Auto), vec![f], vec![xs.clone()])))
    }

    /// An operator as a function of two integers.
    fn combining(&mut self, op: ScalarOp) -> Option<Lambda> {
        self.function([("a", Ty::int()), ("b", Ty::int())], |maker, [a, b]| {
            Some(maker.int_of(op, Atom::Var(a), Atom::Var(b)))
        })
    }

    fn int_of(&mut self, op: ScalarOp, a: Atom, b: Atom) -> Atom {
        self.add("t", Ty::int(), Rhs::Scalar(op, vec![a, b]))
    }

    /// Adds a read of an element.
    fn at(&mut self, xs: &Atom, at: Atom) -> Option<Atom> {
        let (_, element) = rows_of(&self.ty(xs))?;
        Some(self.prim("element", element, plain(Prim::Aref, vec![], vec![xs.clone(), at])))
    }
}
