//! Propagates destinations: a destination is passed from the result back through invertible views to the statement that
//! produces the elements, which then writes them to their final location.

use super::value::{ArrayDest, Closure, Dest, DestView, Env, Hits, Layout, Place};
use super::{Result, views};
use crate::core::{Atom, Block, Kernel, Prim, PrimCall, Rhs, Space, Stmt, VarId};
use crate::schedule::{Schedule, is_parallel, nest};
use lift_analysis::size::{Size, Var};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The treatment of a variable's destination by its statement.
#[derive(Debug, Clone)]
pub enum Assigned<'k> {
    /// The statement writes its value there.
    Write(Dest<'k>),
    /// Earlier statements have written all of it.
    Done(Dest<'k>),
    /// Earlier statements have written the components with `true`; the others are copied.
    Components(Dest<'k>, Vec<bool>),
}

pub type Destinations<'k> = FxHashMap<VarId, Assigned<'k>>;

struct Assigner<'a, 'k> {
    kernel: &'a Kernel,
    schedule: &'a Schedule,
    stmts: FxHashMap<VarId, &'k Stmt>,
    /// The statements that compute elements; the others are views.
    producing: FxHashSet<VarId>,
    env: &'a Env<'k>,
    /// Whether written values can be read again, because the same work-item or an earlier launch wrote them.
    readable: bool,
    wanted: FxHashMap<VarId, Dest<'k>>,
    done: Destinations<'k>,
    /// The index of each statement.
    at: FxHashMap<VarId, usize>,
    /// The index of the statement that opens each length.
    opened: FxHashMap<Var, usize>,
    /// For the variables of `wanted` whose destination depends on an opened length: the first statement that knows it.
    known_from: FxHashMap<VarId, usize>,
    /// The first statement that knows the destination that is being passed.
    from: usize,
}

/// The writer of the elements of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// Launches, which write rows that lie in memory; whole arrays are rearranged by a launch of their own.
    Host,
    /// Work-items, each in its own place.
    Items,
}

/// Finds the destinations of the statements of a block from index `first` on; for earlier ones there is no space yet.
/// `env` is the environment at the start of the block.
#[allow(clippy::too_many_arguments)]
pub fn assign<'k>(
    kernel: &Kernel,
    schedule: &Schedule,
    block: &'k Block,
    first: usize,
    dest: Option<&Dest<'k>>,
    env: &Env<'k>,
    readable: bool,
    writer: Writer,
) -> Result<Destinations<'k>> {
    let (Some(dest), Atom::Var(result)) = (dest, &block.result) else { return Ok(Destinations::default()) };
    let rest = block.stmts.get(first..).unwrap_or_default();
    let stmts: FxHashMap<VarId, &'k Stmt> = rest.iter().map(|s| (s.var, s)).collect();
    let mut a = Assigner {
        kernel,
        schedule,
        stmts,
        producing: producing(rest, writer),
        env,
        readable,
        wanted: FxHashMap::default(),
        done: Destinations::default(),
        at: rest.iter().zip(0..).map(|(s, at)| (s.var, at)).collect(),
        opened: rest.iter().zip(0..).flat_map(|(s, at)| s.binds.iter().map(move |b| (b.clone(), at))).collect(),
        known_from: FxHashMap::default(),
        from: 0,
    };
    if a.stmts.contains_key(result) && a.can_be_read_from(*result, dest) {
        a.wanted.insert(*result, dest.clone());
    }
    for stmt in rest.iter().rev() {
        if let Some(dest) = a.wanted.remove(&stmt.var) {
            a.from = a.known_from.remove(&stmt.var).unwrap_or(0);
            let assigned = a.stmt(stmt, dest);
            a.done.insert(stmt.var, assigned);
        }
    }
    Ok(a.done)
}

/// The statements that compute elements; the others are views. One pass in order suffices.
fn producing(stmts: &[Stmt], writer: Writer) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for stmt in stmts {
        let of = |a: &Atom| matches!(a, Atom::Var(v) if found.contains(v));
        let produces = match &stmt.rhs {
            Rhs::Atom(a) | Rhs::Pack(a, _) | Rhs::Cast(a, _) | Rhs::Store(Space::Global, a) => of(a),
            Rhs::Tuple(all) => all.iter().any(of),
            Rhs::If(..) => true,
            Rhs::Proj(Atom::Var(v), _) => found.contains(v) && stmts.iter().any(|s| s.var == *v && takes_apart(&s.rhs)),
            Rhs::Scalar(..) | Rhs::Proj(..) | Rhs::Unpack(_) | Rhs::Store(..) => false,
            Rhs::Prim(call) => match call.prim {
                Prim::Generate => true,
                Prim::Split
                | Prim::Join
                | Prim::Transpose
                | Prim::Reverse
                | Prim::AsVector
                | Prim::AsScalar
                | Prim::Unzip => call.args.first().is_some_and(of),
                Prim::Zip | Prim::Concat => call.args.iter().any(of),
                Prim::Map(_) if only_reshapes(call) || writer == Writer::Items && nest::is_written_through(call) => {
                    call.args.first().is_some_and(of)
                }
                Prim::Head | Prim::Last | Prim::Aref | Prim::Search | Prim::LSearch => false,
                prim => !prim.is_view(),
            },
        };
        if produces {
            found.insert(stmt.var);
        }
    }
    found
}

impl<'k> Assigner<'_, 'k> {
    /// Whether all uses of a variable, except its definition, can read it from its destination.
    fn can_be_read_from(&self, v: VarId, dest: &Dest<'k>) -> bool {
        self.schedule.uses(v).count == 1 || (self.readable && matches!(dest, Dest::Place(_)))
    }

    /// Whether the destination can be passed to this operand.
    fn takes(&self, a: &Atom, dest: &Dest<'k>) -> bool {
        let Atom::Var(v) = a else { return false };
        self.stmts.contains_key(v)
            && !self.wanted.contains_key(v)
            && !self.done.contains_key(v)
            && self.can_be_read_from(*v, dest)
            && !self.schedule.uses(*v).in_loop
            && self.producing.contains(v)
            && self.at.get(v).is_some_and(|at| *at >= self.from)
    }

    fn want(&mut self, v: VarId, dest: Dest<'k>) {
        self.wanted.insert(v, dest);
        self.known_from.insert(v, self.from);
    }

    fn folds_in_parallel(&self, a: &Atom) -> bool {
        let Atom::Var(v) = a else { return false };
        let fold =
            |rhs: &Rhs| matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Reduce(level), .. }) if is_parallel(*level));
        self.stmts.get(v).is_some_and(|s| fold(&s.rhs))
    }

    /// Passes `dest` to an operand if possible; returns whether it did.
    fn hand(&mut self, a: &Atom, dest: impl FnOnce() -> Dest<'k>) -> bool {
        let dest = dest();
        if !self.takes(a, &dest) {
            return false;
        }
        if let Atom::Var(v) = a {
            self.want(*v, dest);
        }
        true
    }

    fn stmt(&mut self, stmt: &'k Stmt, dest: Dest<'k>) -> Assigned<'k> {
        let whole = |handed: bool, dest: Dest<'k>| if handed { Assigned::Done(dest) } else { Assigned::Write(dest) };
        match &stmt.rhs {
            Rhs::Atom(a) | Rhs::Store(Space::Global, a) => {
                let handed = self.hand(a, || dest.clone());
                whole(handed, dest)
            }
            Rhs::Pack(a, witnesses) => {
                if let Some(t) = self.repacked(a, witnesses)
                    && self.takes(&Atom::Var(t), &dest)
                {
                    self.want(t, dest.clone());
                    return Assigned::Done(dest);
                }
                let body = match &dest {
                    Dest::Place(Place { layout, at }) => match &**layout {
                        // Readers refer to it by its hidden lengths.
                        Layout::Exists { lengths, body } => {
                            let hidden = lengths.iter().zip(witnesses);
                            let layout =
                                hidden.fold(body.clone(), |b, (l, w)| b.with_length(&l.var, &self.env.size(w)));
                            Dest::Place(Place { layout, at: at.clone() })
                        }
                        _ => return Assigned::Write(dest),
                    },
                    _ => return Assigned::Write(dest),
                };
                let handed = self.hand(a, || body);
                if handed { Assigned::Components(dest, vec![true]) } else { Assigned::Write(dest) }
            }
            Rhs::Tuple(all) => {
                let mut handed = Vec::new();
                for (i, a) in all.iter().enumerate() {
                    let Some(part) = component(&dest, i) else { return Assigned::Write(dest) };
                    handed.push(self.hand(a, || part));
                }
                Assigned::Components(dest, handed)
            }
            // Nobody reads the other components.
            Rhs::Proj(a @ Atom::Var(v), k) if self.stmts.get(v).is_some_and(|s| takes_apart(&s.rhs)) => {
                let TyKind::Tuple(parts) = self.kernel.ty(*v).kind() else { return Assigned::Write(dest) };
                let mut all = vec![Dest::Nowhere; parts.len()];
                all[*k] = dest.clone();
                let handed = self.hand(a, || Dest::Tuple(all));
                whole(handed, dest)
            }
            Rhs::Prim(call) => self.prim(stmt, call, dest),
            _ => Assigned::Write(dest),
        }
    }

    /// The original value, if a `pack` repeats the preceding `unpack`.
    fn repacked(&self, a: &Atom, witnesses: &[Size]) -> Option<VarId> {
        let Atom::Var(v) = a else { return None };
        let stmt = self.stmts.get(v)?;
        let Rhs::Unpack(Atom::Var(t)) = &stmt.rhs else { return None };
        let same =
            stmt.binds.len() == witnesses.len() && stmt.binds.iter().zip(witnesses).all(|(b, w)| w.as_var() == Some(b));
        (same && self.schedule.uses(*v).count == 1).then_some(*t)
    }

    fn prim(&mut self, stmt: &'k Stmt, call: &'k PrimCall, dest: Dest<'k>) -> Assigned<'k> {
        let len = |a: &Atom| self.env.size(&len_of(&self.kernel.atom_ty(a)));
        let row = |ty: &Ty| ty.as_array().map(|a| self.env.size(&len_of(&a.element)));
        let view = |d: ArrayDest<'k>| Dest::Array(Rc::new(d));
        let of = dest.clone();
        let pieces = match call.prim {
            Prim::Join => views::pieces(&self.kernel.atom_ty(&call.args[0]), self.env),
            _ => None,
        };
        let new = match call.prim {
            Prim::Split => match all_elements(&of) {
                Some(all) => Dest::Place(all),
                None => view(ArrayDest::Flat { row: self.env.size(&call.sizes[0]), of }),
            },
            Prim::Join if pieces.is_some() => match pieces {
                Some(pieces) => view(ArrayDest::Pieces { pieces, of }),
                None => return Assigned::Write(dest),
            },
            Prim::Join => match row(&self.kernel.atom_ty(&call.args[0])) {
                Some(row) => view(ArrayDest::Rows { row, of }),
                None => return Assigned::Write(dest),
            },
            // The single result of a parallel fold is written to its destination.
            Prim::Head if self.readable && self.folds_in_parallel(&call.args[0]) => match &of {
                Dest::Place(Place { layout: element, at }) => {
                    let one = Layout::Array { len: Size::one(), capacity: Size::one(), element: element.clone() };
                    Dest::Place(Place { layout: Rc::new(one), at: at.clone() })
                }
                _ => return Assigned::Write(dest),
            },
            Prim::Transpose => view(ArrayDest::Transposed(of)),
            Prim::Map(_) if nest::rearranges(call) => match (&of, self.view_before(call)) {
                (Dest::Place(place), _) if only_reshapes(call) => match self.layout_before(call, &place.layout) {
                    Some(layout) => Dest::Place(Place { layout, at: place.at.clone() }),
                    None => return Assigned::Write(dest),
                },
                (_, Some(view)) if nest::is_written_through(call) => match before(&view, of) {
                    Some(of) => of,
                    None => return Assigned::Write(dest),
                },
                _ => return Assigned::Write(dest),
            },
            Prim::Reverse => {
                let from = len(&call.args[0]).sub(&Size::one());
                view(ArrayDest::Part { from, step: Size::int(-1), of })
            }
            Prim::AsVector => match width(self.kernel.ty(stmt.var)) {
                Some(width) => view(ArrayDest::Lanes { width, of }),
                None => return Assigned::Write(dest),
            },
            Prim::AsScalar => match width(&self.kernel.atom_ty(&call.args[0])) {
                Some(width) => view(ArrayDest::Vectors { width, of }),
                None => return Assigned::Write(dest),
            },
            Prim::Unzip => match self.view_before(call).and_then(|view| before(&view, of)) {
                Some(of) => of,
                None => return Assigned::Write(dest),
            },
            Prim::Zip => {
                let mut handed = Vec::new();
                for (i, a) in call.args.iter().enumerate() {
                    handed.push(self.hand(a, || view(ArrayDest::Component(dest.clone(), i))));
                }
                return Assigned::Components(dest, handed);
            }
            // The array that it updates is already written there.
            Prim::Update => {
                let last = |a: &Atom| matches!(a, Atom::Var(v) if self.schedule.uses(*v).count == 1);
                if self.schedule.in_place.updates.contains(&stmt.var) || last(&call.args[0]) {
                    self.hand(&call.args[0], || dest.clone());
                }
                return Assigned::Write(dest);
            }
            Prim::Concat => {
                let split = len(&call.args[0]);
                let first = view(ArrayDest::Part { from: Size::zero(), step: Size::one(), of: dest.clone() });
                let second = view(ArrayDest::Part { from: split, step: Size::one(), of: dest.clone() });
                let first = self.hand(&call.args[0], || first);
                // What was computed before the length of the first part was known is copied.
                let lengths = len_of(&self.kernel.atom_ty(&call.args[0])).vars();
                let known = lengths.iter().filter_map(|length| self.opened.get(length)).map(|at| at + 1).max();
                let from = self.from;
                self.from = from.max(known.unwrap_or(0));
                let second = self.hand(&call.args[1], || second);
                self.from = from;
                return Assigned::Components(dest, vec![first, second]);
            }
            _ => return Assigned::Write(dest),
        };
        if self.hand(&call.args[0], || new) { Assigned::Done(dest) } else { Assigned::Write(dest) }
    }

    /// The view of the argument of a call that [`nest::rearranges`] it.
    fn view_before(&self, call: &PrimCall) -> Option<DestView> {
        Some(match call.prim {
            Prim::Transpose => DestView::Transposed,
            Prim::Unzip => {
                let array = self.kernel.atom_ty(call.args.first()?);
                let TyKind::Tuple(parts) = array.as_array()?.element.kind() else { return None };
                DestView::Unzipped(parts.len())
            }
            Prim::Split => DestView::Flat(self.env.size(call.sizes.first()?)),
            Prim::Join => {
                let rows = self.kernel.atom_ty(&call.args[0]);
                DestView::Rows(self.env.size(&rows.as_array()?.element.as_array()?.len))
            }
            _ => {
                let stmts = call.funs.first()?.body.stmts.iter().rev();
                let views = stmts.map(|s| self.view_before(nest::rearranging(s)?));
                DestView::Each(views.collect::<Option<Vec<_>>>()?.into())
            }
        })
    }

    /// The layout of the argument of a call that [`only_reshapes`] it, in the memory of the result; `None` if rows have room
    /// between them.
    fn layout_before(&self, call: &PrimCall, layout: &Rc<Layout>) -> Option<Rc<Layout>> {
        let Layout::Array { len, capacity, element } = &**layout else { return None };
        let (len, capacity, element) = match call.prim {
            Prim::Split => {
                let (each, scalar) = element.dense_row()?;
                (len.mul(each), capacity.mul(each), scalar.clone())
            }
            Prim::Join => {
                layout.dense_row()?;
                let rows = self.kernel.atom_ty(&call.args[0]);
                let row = self.env.size(&len_of(&rows.as_array()?.element));
                let n = self.env.size(&len_of(&rows));
                let row = Layout::Array { len: row.clone(), capacity: row, element: element.clone() };
                (n.clone(), n, Rc::new(row))
            }
            _ => {
                let inner = call.funs[0].body.stmts.iter().rev();
                let element =
                    inner.filter_map(nest::rearranging).try_fold(element.clone(), |e, c| self.layout_before(c, &e))?;
                (len.clone(), capacity.clone(), element)
            }
        };
        Some(Rc::new(Layout::Array { len, capacity, element }))
    }
}

/// The destination of the array, from that of its view.
pub fn before<'k>(view: &DestView, of: Dest<'k>) -> Option<Dest<'k>> {
    Some(Dest::Array(Rc::new(match view {
        DestView::Transposed => ArrayDest::Transposed(of),
        DestView::Rows(row) => ArrayDest::Rows { row: row.clone(), of },
        DestView::Flat(row) => ArrayDest::Flat { row: row.clone(), of },
        DestView::Unzipped(parts) => {
            ArrayDest::Zipped((0..*parts).map(|k| component(&of, k)).collect::<Option<Vec<_>>>()?)
        }
        DestView::Each(views) => ArrayDest::Each { views: views.clone(), of },
    })))
}

fn takes_apart(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Unzip, .. }))
}

/// Whether a call joins or splits rows, or is a map that does nothing else with each element.
fn only_reshapes(call: &PrimCall) -> bool {
    let turns = |s: &Stmt| nest::rearranging(s).is_none_or(|c| !only_reshapes(c));
    !matches!(call.prim, Prim::Transpose | Prim::Unzip)
        && nest::rearranges(call)
        && !call.funs.iter().any(|f| f.body.stmts.iter().any(turns))
}

/// The elements of rows that follow each other in memory.
fn all_elements(rows: &Dest) -> Option<Place> {
    let Dest::Place(Place { layout, at }) = rows else { return None };
    let Layout::Array { len, capacity, element: row } = &**layout else { return None };
    let (each, element) = row.dense_row()?;
    let all = Layout::Array { len: len.mul(each), capacity: capacity.mul(each), element: element.clone() };
    Some(Place { layout: Rc::new(all), at: at.clone() })
}

/// A destination through which `scatter f` writes.
pub fn scattered<'k>(f: Closure<'k>, len: Size, hits: Hits, of: Dest<'k>, stmt: &Stmt) -> Dest<'k> {
    Dest::Array(Rc::new(ArrayDest::Scattered { to: f, len, hits, of, origin: stmt.origin.clone() }))
}

/// The destination of one component of a tuple, or of an array of tuples.
pub fn component<'k>(dest: &Dest<'k>, i: usize) -> Option<Dest<'k>> {
    match dest {
        Dest::Tuple(parts) => parts.get(i).cloned(),
        Dest::Nowhere => Some(Dest::Nowhere),
        Dest::Place(Place { layout, at }) => match &**layout {
            Layout::Tuple(parts) => Some(Dest::Place(Place { layout: parts.get(i)?.clone(), at: at.clone() })),
            _ => None,
        },
        _ => None,
    }
}

/// The destination of a part that starts at `from`.
pub fn part_of<'k>(dest: &Dest<'k>, from: Size) -> Dest<'k> {
    Dest::Array(Rc::new(ArrayDest::Part { from, step: Size::one(), of: dest.clone() }))
}
pub fn component_of<'k>(dest: &Dest<'k>, i: usize) -> Dest<'k> {
    Dest::Array(Rc::new(ArrayDest::Component(dest.clone(), i)))
}

fn len_of(ty: &Ty) -> Size {
    ty.as_array().map_or_else(Size::zero, |a| a.len.clone())
}

/// The width of the vectors in an array.
fn width(ty: &Ty) -> Option<u8> {
    match ty.as_array()?.element.kind() {
        TyKind::Vec(_, w) => u8::try_from(w.as_const()?).ok(),
        _ => None,
    }
}
