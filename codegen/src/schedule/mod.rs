//! Schedule: core, prepared for code generation by named rewrite rules.
//!
//! Each decision that may interest a person is recorded as [`Applied`].
//!
//! | module | job |
//! |---|---|
//! | [`rules`] | the rules as data: equations and conditions |
//! | [`uses`] | counts the uses of each variable |
//! | [`flat`] | values that fit registers |
//! | [`free`] | free operations |
//! | `pass` | the frame of a pass that adds variables and lengths |
//! | `versions` | versions of a statement, chosen when lengths are known |
//! | [`nest`] | maps whose function folds rows |
//! | [`bounds`] | upper bounds of hidden lengths |
//! | `after_scan` | maps of the states of a scan in order |
//! | `alike` | statements and functions with the same value |
//! | [`in_place`] | loops that may write their state in place, by last use |
//! | [`shapes`] | shapes of functions for which lowering has a strategy |
//! | [`asked`] | the amount of arithmetic in a program |
//! | [`bits`] | folds whose iteration k reads no bit of an index below bit k |
//! | `naming` | names for unnamed variables, after their primitives |
//! | `numbered` | arrays by number: rows counted by the program |
//! | [`sequential`] | operators that one work-item runs element by element |
//! | [`nested`] | kinds of parallel work in a function's statements |
//! | `ragged` | maps whose function reads arrays of different lengths |
//! | `kept` | rows that a group keeps between two operators |
//! | `least` | the first elements of sorted rows |
//! | `emitter` | statements that a pass writes |
//! | `ends` | the first and the last element of sorted arrays |
//! | `heads` | `head (map f xs) = f (head xs)` |
//! | `crossed` | folds of columns whose elements are made row by row |
//! | `joined` | folds of folds |
//! | `views` | views of rows, made of all rows at once |
//! | `counted` | counting loops |
//! | `copies` | maps whose elements are existing rows; filters of rows |
//! | `demote` | filters inside functions |
//! | [`place`] | chooses where unplaced primitives run |
//! | `rounds` | loops at the top of a kernel whose iterations are launches |
//! | [`fails`] | statements that may stop the run |
//! | [`fuse`] | results of `map` that are never stored |
//! | [`by_key`] | rules that introduce `reduceByKey` |
//! | `repeated` | common subexpressions |
//! | `branches` | parallel operators moved out of branches |
//! | `invariant` | loop-invariant code |
//! | `distribute` | maps with different kinds of parallel work, split into several maps |
//! | [`teams`] | maps whose elements are each computed by a group |
//! | `narrowed` | zips without the arrays that no function reads |
//! | [`neutral`] | starts of folds by `min` and `max`: the operator's neutral element |
//! | `any_order` | folds in order whose result is the same in any order |
//! | `rewrite` | rules that rewrite core before placement |
//! | `changed_part` | maps that change a part of an array |
//! | `chosen` | folds that choose an element, such as the index of the greatest |
//! | `beside` | matrices whose rows neighbouring work-items fold |
//! | `columns` | columns and transposed results, read or written by rows |
//! | `columns_once` | columns that each element of a map folds, on a processor |
//! | `counters` | counters of loops at host level |
//! | `filters` | the elements that `filter` keeps |
//! | `flatten` | nested maps without other work |
//! | `folded` | filters whose results are only folded or counted |
//! | `in_turn` | few long rows, one after the other |
//! | `same_rows` | maps over the same rows, one after the other |
//! | `interchange` | loops over rows with element-wise iterations |
//! | `loops_in` | loops at host level of few elements: one group runs all rounds |
//! | `loops_out` | loops of maps' functions that go over all elements at once |
//! | `longest` | maximum lengths of arrays whose length is computed inside functions |
//! | [`rounds_in_place`] | loops at host level whose rounds change a part of their state in its memory |
//! | `row_updates` | maps that change an element, a row or a column in a loop at host level |
//! | `row_tables` | rows whose elements are folded by key |
//! | `small` | batches of small matrices: one work-item for each result |
//! | `products` | products that are a part of a function |
//! | `results` | products whose function returns a view of them |
//! | `together` | folds of the same elements |
//! | [`tile_folds`] | nests whose rows are folded in tiles |
//! | [`tile`] | maps that could be computed in blocks |
//! | `turned` | transposed results of maps over columns, computed by rows |
//! | `all_rows` | folds of what maps of maps make |
//! | `elements` | the elements of arrays that maps and views make |
//! | `unfolded` | products of several maps, and of parts of arrays, as those of two matrices |
//! | `unrolled` | folds and scans of small arrays, as tuples of their scalars |
//! | `unswitched` | branches of functions that depend on lengths alone |
//! | [`updates`] | maps that change one element of an array in a loop |

mod after_scan;
mod alike;
mod all_rows;
mod any_order;
pub mod asked;
mod beside;
pub mod bits;
pub mod bounds;
mod branches;
pub mod by_key;
mod changed_part;
mod chosen;
mod columns;
mod columns_once;
mod copies;
mod counted;
mod counters;
mod crossed;
mod demote;
mod distribute;
mod elements;
mod emitter;
mod ends;
pub mod fails;
mod filters;
pub mod flat;
mod flatten;
mod folded;
pub mod free;
pub mod fuse;
mod heads;
pub mod in_place;
mod in_turn;
mod interchange;
mod invariant;
mod joined;
mod kept;
mod least;
mod longest;
mod loops_in;
mod loops_out;
mod naming;
mod narrowed;
pub mod nest;
pub mod nested;
pub mod neutral;
mod numbered;
mod pass;
pub mod place;
mod products;
mod ragged;
mod repeated;
mod results;
mod rewrite;
mod rounds;
pub mod rounds_in_place;
mod row_tables;
mod row_updates;
pub mod rules;
mod same_rows;
pub mod sequential;
pub mod shapes;
mod small;
pub mod teams;
#[cfg(test)]
mod tests;
pub mod tile;
pub mod tile_folds;
mod together;
mod turned;
mod unfolded;
mod unrolled;
mod unswitched;
pub mod updates;
pub mod uses;
mod versions;
mod views;

use crate::budget::MOST_TERMS;
use crate::core::{Atom, Block, Kernel, Level, Prim, Rhs, Space, VarId, check};
use crate::target::{Class, Target};
use asked::Asked;
use bounds::Bounds;
use in_place::InPlace;
use lift_analysis::origin::Origin;
use lift_analysis::size::work;
pub use rounds::{host_blocks, on_the_host};
use rounds_in_place::RoundsInPlace;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use uses::Uses;

/// An applied rule, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub rule: &'static rules::Rule,
    pub origin: Origin,
}

#[derive(Debug, Clone)]
pub struct Schedule {
    /// The target of the schedule.
    pub target: Target,
    /// The kernel after all rewrites, with every primitive placed.
    pub kernel: Kernel,
    /// Results of `map` and `generate` that are computed where they are read, instead of stored.
    pub lazy: FxHashSet<VarId>,
    /// The address spaces that the program requests by `toLocal` and the like.
    pub spaces: FxHashMap<VarId, Space>,
    /// Candidates for computation in blocks; the memory layout of their arrays decides.
    pub tilings: FxHashMap<VarId, tile::Tiling>,
    /// The maps at host level that neither the program nor a rule places: a work-item may compute several elements.
    pub unplaced: FxHashSet<VarId>,
    /// The work-items that share an element, for maps that groups compute.
    pub teams: teams::Teams,
    /// Maps whose function a group cannot share, by origin, each with the operator that has no strategy.
    pub obstacles: Vec<(Origin, &'static str)>,
    pub bounds: Bounds,
    /// The bounds if the host also read every length that an `unpack` opens.
    pub finest: Bounds,
    /// Folds that the program allows to be reordered.
    pub reorder: FxHashSet<VarId>,
    /// Whether nothing runs in parallel, so that the whole program is one launch of one work-item.
    pub sequential: bool,
    pub applied: Vec<Applied>,
    /// The arithmetic that the program asks for, if it is known.
    pub asked: Option<Asked>,
    /// Lengths that the host reads during the run, each by the variable of its statement (`iota k` and the like, or an
    /// `unpack`).
    pub lengths: BTreeSet<VarId>,
    /// For each of these lengths that is computed in a function: the host-level variable that holds its maximum.
    pub measures: FxHashMap<VarId, VarId>,
    /// Whether scheduling exhausted its fuel for size arithmetic; then the kernel must not be compiled.
    pub too_large: bool,
    /// The states of loops that are written in place.
    pub in_place: InPlace,
    /// The states of loops at host level whose rounds change a part of them in their memory.
    pub rounds_in_place: RoundsInPlace,
    /// Results of maps that are not fused, so that more work-items compute them.
    stored: FxHashSet<VarId>,
    uses: FxHashMap<VarId, Uses>,
}

/// The kernel after each rewrite of its core, with the name of the rule that was applied last, then after each further pass
/// up to placement, in order. All have the same meaning.
pub fn after_each_rewrite(kernel: &Kernel, target: &Target) -> Vec<(&'static str, Kernel)> {
    let target = &target.written(&kernel.settings);
    let kernel = &numbered::numbered(kernel, &mut Vec::new());
    let mut stages = vec![("numbered", kernel.clone())];
    let kernel = &unswitched::unswitched(kernel.clone(), &mut Vec::new());
    stages.push(("map-guard", kernel.clone()));
    let kernel = &updates::updates(kernel.clone(), &mut Vec::new());
    stages.push(("updates", kernel.clone()));
    let kernel = &any_order::any_order(kernel.clone(), &mut Vec::new());
    stages.push(("fold-any-order", kernel.clone()));
    let mut rewritten = kernel.clone();
    for most in 1.. {
        let mut applied = Vec::new();
        let next = rewrite::rewrite_at_most(kernel, most, &mut applied);
        let Some(last) = applied.last().filter(|_| applied.len() == most) else { break };
        rewritten = next;
        stages.push((last.rule.name, rewritten.clone()));
    }
    rewritten = by_key::grouped(rewritten, &mut Vec::new());
    stages.push(("group-by-key", rewritten.clone()));
    let mut hoisted = Vec::new();
    rewritten = invariant::invariant(rewritten, &mut hoisted);
    stages.push(("invariant", rewritten.clone()));
    if !hoisted.is_empty() {
        rewritten = by_key::rewrite(rewritten, usize::MAX, &mut Vec::new());
        stages.push(("by key of what is invariant", rewritten.clone()));
    }
    rewritten = same_rows::same_rows(rewritten, &mut Vec::new());
    stages.push(("same-rows", rewritten.clone()));
    rewritten = interchange::interchange(rewritten, target, &mut Vec::new());
    stages.push(("interchanged", rewritten.clone()));
    rewritten = unrolled::unrolled(rewritten, target, &mut Vec::new());
    stages.push(("unrolled", rewritten.clone()));
    rewritten = after_scan::after_scan(rewritten, &mut Vec::new());
    stages.push(("map-of-scan", rewritten.clone()));
    rewritten = least::least(rewritten, target, &mut Vec::new());
    stages.push(("take-sort", rewritten.clone()));
    rewritten = loops_out::loops_out(rewritten, target, &mut Vec::new());
    stages.push(("loop-out", rewritten.clone()));
    rewritten = counters::counters(rewritten, target, &mut Vec::new());
    stages.push(("counted-rounds", rewritten.clone()));
    if let Some(turns) = in_turn::in_turn(&rewritten, target, &mut Vec::new()) {
        rewritten = rewrite::rewrite(&turns, &mut Vec::new());
        stages.extend([("map-in-turn", turns), ("rewritten in turn", rewritten.clone())]);
    }
    rewritten = loops_in::loops_in(rewritten, target, &mut Vec::new());
    stages.push(("loop-in", rewritten.clone()));
    rewritten = row_updates::row_updates(rewritten, &mut Vec::new());
    stages.push(("row-updates", rewritten.clone()));
    rewritten = by_key::sorted(rewritten, target, &mut Vec::new());
    stages.push(("by-key-sorted", rewritten.clone()));
    rewritten = row_tables::row_tables(rewritten, target, &mut Vec::new());
    stages.push(("map-tables-wrg", rewritten.clone()));
    rewritten = heads::heads(rewritten, target, &mut Vec::new());
    stages.push(("heads", rewritten.clone()));
    rewritten = crossed::crossed(rewritten, target, &mut Vec::new());
    stages.push(("fold-crossed", rewritten.clone()));
    rewritten = all_rows::all_rows(rewritten, target, &mut Vec::new());
    stages.push(("map-joined", rewritten.clone()));
    rewritten = joined::joined(rewritten, target, &mut Vec::new());
    stages.push(("joined", rewritten.clone()));
    rewritten = views::views(rewritten, target, &mut Vec::new());
    stages.push(("views", rewritten.clone()));
    rewritten = together::together(rewritten, target, &mut Vec::new());
    stages.push(("folds-together", rewritten.clone()));
    rewritten = branches::branches(rewritten, target, &mut Vec::new());
    stages.push(("branches", rewritten.clone()));
    rewritten = products::products(rewritten, target, &mut Vec::new());
    stages.push(("product-apart", rewritten.clone()));
    let distributed =
        products::paired(distribute::distribute(rewritten, target, &mut Vec::new()), target, &mut Vec::new());
    let distributed = narrowed::narrowed(distributed);
    let unfolded = unfolded::unfolded(distributed.clone(), target, &mut Vec::new());
    let returned = results::results(unfolded.clone(), target, &mut Vec::new());
    let turned = turned::turned(returned.clone(), target, &mut Vec::new());
    let flat = flatten::flatten(turned.clone(), target, &mut Vec::new());
    let copied = columns::columns(flat.clone(), target, &mut Vec::new());
    let copied = flatten::flatten(copied, target, &mut Vec::new());
    let numbered = chosen::chosen(copied.clone(), target, &mut Vec::new());
    let beside = beside::beside(numbered.clone(), target, &mut Vec::new());
    let (all, _) = teams::teams(beside.clone(), target, &mut Vec::new());
    let small = small::small(all.clone(), target, &mut Vec::new());
    let placed = place::place(&small, target, &mut Vec::new());
    stages.extend([
        ("distributed", distributed),
        ("unfold", unfolded),
        ("view-results", returned),
        ("turned", turned),
        ("flat", flat),
        ("columns", copied),
        ("choice-by-position", numbered),
        ("copy-beside", beside),
        ("teams", all),
        ("small", small),
        ("placed", placed),
    ]);
    stages
}

impl Schedule {
    pub fn new(kernel: &Kernel, target: &Target) -> Schedule {
        work::apart(MOST_TERMS, || {
            let schedule = Schedule::found(kernel, &target.written(&kernel.settings));
            Schedule { too_large: work::exhausted(), ..schedule }
        })
    }

    fn found(kernel: &Kernel, target: &Target) -> Schedule {
        let mut applied = Vec::new();
        let asked = Asked::of(kernel, &Bounds::of(kernel, &BTreeSet::new()));
        let numbered = verified("numbered", kernel, numbered::numbered(kernel, &mut applied));
        let apart = verified("unswitched", kernel, unswitched::unswitched(numbered, &mut applied));
        let updating = verified("updates", kernel, updates::updates(apart, &mut applied));
        let updating = verified("ends", kernel, ends::ends(updating, &mut applied));
        let updating = verified("any order", kernel, any_order::any_order(updating, &mut applied));
        let rewritten = verified("rewrite", kernel, rewrite::rewrite(&updating, &mut applied));
        let rewritten = verified("grouped", kernel, by_key::grouped(rewritten, &mut applied));
        let before = applied.len();
        let rewritten = verified("invariant", kernel, invariant::invariant(rewritten, &mut applied));
        let rewritten = match applied.len() > before {
            true => verified("by key", kernel, by_key::rewrite(rewritten, usize::MAX, &mut applied)),
            false => rewritten,
        };
        let rewritten = verified("same rows", kernel, same_rows::same_rows(rewritten, &mut applied));
        let rewritten = verified("interchange", kernel, interchange::interchange(rewritten, target, &mut applied));
        let rewritten = verified("unrolled", kernel, unrolled::unrolled(rewritten, target, &mut applied));
        let rewritten = verified("after scans", kernel, after_scan::after_scan(rewritten, &mut applied));
        let rewritten = verified("least", kernel, least::least(rewritten, target, &mut applied));
        let rewritten = verified("loops out", kernel, loops_out::loops_out(rewritten, target, &mut applied));
        let rewritten = verified("counters", kernel, counters::counters(rewritten, target, &mut applied));
        let rewritten = match in_turn::in_turn(&rewritten, target, &mut applied) {
            Some(turns) => verified("rewrite", kernel, rewrite::rewrite(&turns, &mut applied)),
            None => rewritten,
        };
        let rewritten = verified("loops in", kernel, loops_in::loops_in(rewritten, target, &mut applied));
        let rewritten = verified("row updates", kernel, row_updates::row_updates(rewritten, &mut applied));
        let rewritten = verified("merged", kernel, by_key::merged(rewritten, target, &mut applied));
        let rewritten = verified("sorted", kernel, by_key::sorted(rewritten, target, &mut applied));
        let rewritten = verified("tables", kernel, row_tables::row_tables(rewritten, target, &mut applied));
        let rewritten = verified("heads", kernel, heads::heads(rewritten, target, &mut applied));
        let rewritten = verified("crossed", kernel, crossed::crossed(rewritten, target, &mut applied));
        let rewritten = verified("all rows", kernel, all_rows::all_rows(rewritten, target, &mut applied));
        let rewritten = verified("joined", kernel, joined::joined(rewritten, target, &mut applied));
        let rewritten = verified("views", kernel, views::views(rewritten, target, &mut applied));
        let rewritten = verified("together", kernel, together::together(rewritten, target, &mut applied));
        let rewritten = verified("branches", kernel, branches::branches(rewritten, target, &mut applied));
        let rewritten = verified("products", kernel, products::products(rewritten, target, &mut applied));
        let rewritten = verified("distribute", kernel, distribute::distribute(rewritten, target, &mut applied));
        let rewritten = verified("paired", kernel, products::paired(rewritten, target, &mut applied));
        let rewritten = verified("narrowed", kernel, narrowed::narrowed(rewritten));
        let rewritten = verified("unfolded", kernel, unfolded::unfolded(rewritten, target, &mut applied));
        let rewritten = verified("results", kernel, results::results(rewritten, target, &mut applied));
        let rewritten = verified("turned", kernel, turned::turned(rewritten, target, &mut applied));
        let rewritten = verified("flatten", kernel, flatten::flatten(rewritten, target, &mut applied));
        let rewritten = verified("columns", kernel, columns::columns(rewritten, target, &mut applied));
        let rewritten = verified("flatten copies", kernel, flatten::flatten(rewritten, target, &mut applied));
        let rewritten = verified("chosen", kernel, chosen::chosen(rewritten, target, &mut applied));
        let rewritten = verified("beside", kernel, beside::beside(rewritten, target, &mut applied));
        let obstacles = nested::obstacles(&rewritten);
        let (rewritten, teams) = teams::teams(rewritten, target, &mut applied);
        let rewritten = verified("teams", kernel, rewritten);
        let rewritten = verified("small", kernel, small::small(rewritten, target, &mut applied));
        let mut kernel = verified("place", kernel, place::place(&rewritten, target, &mut applied));
        naming::name(&mut kernel);
        let uses = uses::count(&kernel);
        // A kernel that consists of views alone is copied by all work-items.
        let only_shows = kernel.result.any(&mut |t| t.as_array().is_some())
            && kernel.body.stmts.iter().all(|s| free::is_free(&s.rhs));
        let parallel = place::block_levels(&kernel.body).iter().any(|l| is_parallel(*l))
            || sorts(&kernel, target.sorted_by_one(), &kernel.body);
        let bounds = Bounds::of(&kernel, &BTreeSet::new());
        // Only the host gives memory to the state of a loop that may grow.
        let sequential =
            !only_shows && !parallel && bounds.states().next().is_none() && !updates_long_state(&kernel, &kernel.body);
        let mut stored = match target.class {
            Class::Gpu => nested::maps_of_folds(&rewritten),
            Class::Cpu => tile::products(&rewritten),
            Class::Portable => FxHashSet::default(),
        };
        stored.extend(RoundsInPlace::of(&kernel, None).values);
        let mut fused = fuse::fuse(&kernel, Some(target), &uses, &stored, sequential, &mut applied);
        let finest = bounds.if_all_were_read(&kernel);
        let folds = tile_folds::find(&rewritten, Some(&fused.lazy), target);
        fused.lazy.extend(folds.values().map(|folded| folded.made));
        let mut tilings = tile::tilings(&rewritten, &fused.lazy, target);
        tilings.extend(folds.into_iter().map(|(reader, folded)| (reader, tile::Tiling::Folded(folded))));
        let rounds_in_place = RoundsInPlace::of(&kernel, Some(&fused.lazy));
        Schedule {
            target: *target,
            lazy: fused.lazy,
            spaces: fused.spaces,
            tilings,
            unplaced: tile::unplaced(&rewritten),
            teams,
            obstacles,
            bounds,
            finest,
            reorder: reorderable(&rewritten),
            sequential,
            applied,
            asked,
            lengths: BTreeSet::new(),
            measures: FxHashMap::default(),
            too_large: false,
            stored,
            in_place: InPlace::of(&kernel),
            rounds_in_place,
            uses,
            kernel,
        }
    }

    /// Reschedules the kernel so that the host also reads these lengths during the run.
    pub fn measuring(&self, lengths: &BTreeSet<VarId>) -> Schedule {
        let new = lengths.difference(&self.lengths).copied().collect();
        let (kernel, mut measures) = longest::find(&self.kernel, &new);
        measures.extend(&self.measures);
        // The old statements are placed and recorded already.
        let mut added = Vec::new();
        let mut kernel = verified("longest", &self.kernel, place::place(&kernel, &self.target, &mut added));
        naming::name(&mut kernel);
        let uses = uses::count(&kernel);
        let mut fused = fuse::fuse(&kernel, Some(&self.target), &uses, &self.stored, false, &mut added);
        fused.lazy.extend(self.tilings.values().filter_map(tile::Tiling::made));
        let lengths: BTreeSet<VarId> = lengths.union(&self.lengths).copied().collect();
        let bounds = Bounds::of(&kernel, &lengths);
        let finest = bounds.if_all_were_read(&kernel);
        let rounds_in_place = RoundsInPlace::of(&kernel, Some(&fused.lazy));
        Schedule {
            target: self.target,
            lazy: fused.lazy,
            spaces: fused.spaces,
            tilings: self.tilings.clone(),
            unplaced: self.unplaced.clone(),
            teams: self.teams.clone(),
            obstacles: self.obstacles.clone(),
            bounds,
            finest,
            reorder: self.reorder.clone(),
            sequential: false,
            applied: self.applied.clone(),
            asked: self.asked.clone(),
            lengths,
            measures,
            too_large: self.too_large,
            stored: self.stored.clone(),
            in_place: InPlace::of(&kernel),
            rounds_in_place,
            uses,
            kernel,
        }
    }

    /// The schedule with one row per group at a time. With several, the others would wait at a barrier for a row that
    /// a failed check has stopped.
    #[must_use]
    pub fn with_rows_apart(&self) -> Schedule {
        let mut schedule = self.clone();
        schedule.teams.values_mut().for_each(|team| team.rows = 1);
        schedule
    }

    /// Whether the host can find a length of [`Schedule::lengths`].
    pub fn can_measure(&self, length: VarId) -> bool {
        self.measures.values().any(|v| *v == length) || self.is_at_host_level(length)
    }

    /// Whether the statement is one between launches.
    pub fn is_at_host_level(&self, stmt: VarId) -> bool {
        fn at_host_level(kernel: &Kernel, block: &Block, stmt: VarId) -> bool {
            block.stmts.iter().any(|s| match &s.rhs {
                Rhs::If(_, a, b) => at_host_level(kernel, a, stmt) || at_host_level(kernel, b, stmt),
                Rhs::Prim(call) if on_the_host(kernel, call) => {
                    call.funs.iter().any(|f| at_host_level(kernel, &f.body, stmt))
                }
                _ => s.var == stmt,
            })
        }
        at_host_level(&self.kernel, &self.kernel.body, stmt)
    }

    pub fn uses(&self, v: VarId) -> Uses {
        self.uses.get(&v).copied().unwrap_or_default()
    }
}

/// The result of a pass. Debug builds verify that it is well-formed if the input was, and that it makes the same
/// assumptions about opened lengths, to report a compiler bug at its pass.
fn verified(pass: &str, before: &Kernel, after: Kernel) -> Kernel {
    debug_assert!(
        assumed(&after, false).is_disjoint(&assumed(before, true)),
        "after `{pass}` nothing is assumed of a length: {:?}\n{after}",
        assumed(&after, false).intersection(&assumed(before, true)).collect::<Vec<_>>()
    );
    debug_assert!(
        check::problems(&after).is_empty() || !check::problems(before).is_empty(),
        "after `{pass}` the kernel is not well formed: {:?}\n{after}",
        check::problems(&after)
    );
    after
}

/// The opened lengths, by name and origin, with assumptions (or, if not `something`, without). A copy has the name of
/// its original.
fn assumed(kernel: &Kernel, something: bool) -> BTreeSet<String> {
    let vars: FxHashSet<_> = kernel.assumptions.iter().flat_map(|(assumption, _)| assumption.vars()).collect();
    let mut found = BTreeSet::new();
    kernel.body.visit(&mut |stmt| {
        let chosen = stmt.binds.iter().filter(|v| vars.contains(v) == something);
        found.extend(chosen.map(|v| format!("{} at {:?}", v.name, stmt.origin)));
    });
    found
}

/// The `reduce`s whose order the program leaves open.
fn reorderable(kernel: &Kernel) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    kernel.body.visit(&mut |stmt| {
        if matches!(&stmt.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::Reduce(level) if !matches!(level, Level::Seq | Level::Host))) {
            found.insert(stmt.var);
        }
    });
    found
}

/// Whether an array that may have more than `few` elements is sorted at host level, which takes the whole device.
fn sorts(kernel: &Kernel, few: i64, block: &Block) -> bool {
    let long = |xs: &Atom| kernel.atom_ty(xs).as_array().is_some_and(|a| a.len.as_const().is_none_or(|n| n > few));
    block.stmts.iter().any(|s| match &s.rhs {
        Rhs::If(_, a, b) => sorts(kernel, few, a) || sorts(kernel, few, b),
        Rhs::Prim(call) if on_the_host(kernel, call) => call.funs.iter().any(|f| sorts(kernel, few, &f.body)),
        Rhs::Prim(call) => matches!(call.prim, Prim::Sort | Prim::Argsort) && call.args.iter().any(long),
        _ => false,
    })
}

/// Whether a loop at host level updates an array that may be long: the device copies its initial value.
fn updates_long_state(kernel: &Kernel, block: &Block) -> bool {
    block.stmts.iter().any(|s| match &s.rhs {
        Rhs::If(_, a, b) => updates_long_state(kernel, a) || updates_long_state(kernel, b),
        Rhs::Prim(call) => in_place::is_updating(call) && rounds::is_long(&kernel.atom_ty(&call.args[0])),
        _ => false,
    })
}

pub fn is_parallel(level: Level) -> bool {
    matches!(level, Level::Glb(_) | Level::Wrg(_) | Level::Lcl(_))
}
