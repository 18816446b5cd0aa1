//! The work of the radix sort's helpers ([`crate::opencl::radix`]), for all work-items of a launch together: the
//! helpers distribute the chunks among the groups, so no range around the call is the number of their executions.
//!
//! Amounts are those of a digit in which keys differ, with all of its values in each chunk. The arithmetic is counted as
//! written, for whole tiles.

use super::What;
use super::amount::{Amount, Price, Work};
use super::calls::{doublings, group_scan, sortable};
use super::count::Counter;
use super::domain::{Domain, rounded_up};
use super::values::eval;
use crate::opencl::radix::{BAND, DIGITS};
use crate::opencl::{Expr, Helper};
use lift_analysis::size::Size;

/// Bytes of a count or an index; also those that an atomic operation reads, or writes.
const INT: i64 = 4;
/// Bytes of what a group publishes of a digit.
const WORD: i64 = 8;

impl Counter<'_> {
    /// The work of a helper for sorting; `None` for other functions.
    pub fn sorting(&mut self, name: &str, args: &[Expr], domain: &mut Domain) -> Option<Work> {
        let is = |narrow: Helper, wide: Helper| name == narrow.name() || name == wide.name();
        let key = if name.ends_with("64") { 8 } else { 4 };
        Some(if is(Helper::Digits32, Helper::Digits64) {
            let (n, chunks) = (self.length(args.get(4)?, domain), self.length(args.get(6)?, domain));
            digits(key, &n, &chunks, order(args, 8))
        } else if is(Helper::DigitsAlone32, Helper::DigitsAlone64) {
            let (n, chunks) = (self.length(args.get(3)?, domain), self.length(args.get(5)?, domain));
            Work { barriers: Work::none().barriers, ..digits(key, &n, &chunks, order(args, 7)) }
        } else if is(Helper::MoveAlone32, Helper::MoveAlone64) {
            let (n, chunks) = (self.length(args.get(5)?, domain), self.length(args.get(7)?, domain));
            let pairs = args.get(10).and_then(Expr::as_int) != Some(0);
            moved_alone(if pairs { key + INT } else { key }, &n, &chunks, order(args, 9))
        } else if is(Helper::Move32, Helper::Move64) {
            self.moved(key, args, domain)?
        } else if is(Helper::MoveTiles32, Helper::MoveTiles64) {
            self.moved_by_tiles(key, args, domain)?
        } else if is(Helper::Digits32InAll, Helper::Digits64InAll) {
            self.paid(Price { integer: 4 * key as u64, ..Price::default() }, domain)
        } else if name == Helper::Histograms.name() {
            let own = Size::int(args.get(2).and_then(Expr::as_int)? * DIGITS);
            let groups = rounded_up(&domain.count().size, &Size::nat(self.items.max(1).into()));
            let both = at_most(groups.mul(&own).mul(&Size::int(INT)));
            Work { read: both.clone(), written: both, barriers: at_most(groups), ..Work::none() }
        } else if name == Helper::DigitSums.name() {
            let all = Size::int(args.get(2).and_then(Expr::as_int)? * DIGITS);
            let scan = group_scan(self.items);
            let both = at_most(all.mul(&Size::int(INT)));
            let barriers = at_most(all.mul(&Size::nat(scan.barriers)).div_floor(&Size::nat(self.items.max(1).into())));
            Work {
                read: both.clone(),
                written: both,
                integer: at_most(all.mul(&Size::nat(scan.integer + 1))),
                barriers,
                ..Work::none()
            }
        } else if name == Helper::Offsets.name() {
            let chunks = self.length(args.get(3)?, domain);
            offsets(&chunks, self.items)
        } else if is(Helper::Note32, Helper::Note64) {
            let mut work = self.paid(Price { integer: 6, barriers: 2, ..Price::default() }, domain);
            let groups = rounded_up(&domain.count().size, &Size::nat(self.items.max(1).into()));
            let both = at_most(groups.mul(&Size::int(2 * INT)));
            work.add(&Work { read: both.clone(), written: both, ..Work::none() });
            work
        } else if name == Helper::Differs.name() {
            // Adjacent words of digits may be read together, once for all.
            let moves = self.length(args.get(1)?, domain);
            let executions = domain.count().size;
            let times = |n: i64| at_most(executions.mul(&moves).mul(&Size::int(n)));
            Work { read: times(INT), integer: times(5), ..Work::none() }
        } else {
            return None;
        })
    }

    /// The work of the helper that moves the keys of chunks; `key` is the bytes of a key.
    fn moved(&mut self, key: i64, args: &[Expr], domain: &mut Domain) -> Option<Work> {
        let (n, chunks) = (self.length(args.get(7)?, domain), self.length(args.get(9)?, domain));
        let each = args.get(10).and_then(Expr::as_int)?;
        let tile = Size::int(each).mul(&Size::nat(self.items.into()));
        let pairs = args.get(14).and_then(Expr::as_int) != Some(0);
        let tiles = rounded_up(&n, &tile);
        let moved = Moved {
            key: if pairs { key + INT } else { key },
            pairs,
            each,
            slots: tiles.mul(&tile),
            tiles,
            n,
            chunks,
            items: self.items,
            sortable: sortable(order(args, 13)) as i64,
            published: 0,
        };
        Some(moved.work())
    }

    /// The work of the helper that moves the keys of tiles, whose counts the groups publish.
    fn moved_by_tiles(&mut self, key: i64, args: &[Expr], domain: &mut Domain) -> Option<Work> {
        let (n, tiles) = (self.length(args.get(9)?, domain), self.length(args.get(10)?, domain));
        let each = args.get(11).and_then(Expr::as_int)?;
        let pairs = args.get(15).and_then(Expr::as_int) != Some(0);
        let moved = Moved {
            key: if pairs { key + INT } else { key },
            pairs,
            each,
            slots: tiles.mul(&Size::int(each * i64::from(self.items))),
            chunks: tiles.clone(),
            tiles,
            n,
            items: self.items,
            sortable: sortable(order(args, 14)) as i64,
            published: DIGITS * WORD,
        };
        Some(moved.work())
    }

    /// A length, which the device may have computed.
    fn length(&mut self, e: &Expr, domain: &mut Domain) -> Size {
        match eval(e, &self.names, &self.grid, domain) {
            Some(size) => size,
            None => Size::var(self.unknown("length", What::Value, None, None)),
        }
    }
}

fn order(args: &[Expr], at: usize) -> Option<i64> {
    args.get(at).and_then(Expr::as_int)
}

fn at_most(size: Size) -> Amount {
    Amount { size, exact: false }
}

/// The histogram of each chunk: every key is read once, every count is stored and added to the total over all chunks.
fn digits(key: i64, n: &Size, chunks: &Size, order: Option<i64>) -> Work {
    let counts = chunks.mul(&Size::int(DIGITS));
    let times = |size: &Size, n: i64| size.mul(&Size::int(n));
    let in_key = sortable(order) as i64 + 3;
    Work {
        read: at_most(times(n, key).add(&times(&counts, INT))),
        written: at_most(times(&counts, 2 * INT)),
        integer: at_most(times(n, in_key).add(&times(&counts, 2))),
        barriers: at_most(times(chunks, 3)),
        ..Work::none()
    }
}

/// The offsets of each digit in each chunk: for each value the total of smaller values, and a scan over the chunks.
fn offsets(chunks: &Size, items: u32) -> Work {
    let counts = chunks.mul(&Size::int(DIGITS));
    let before = Size::int(DIGITS * (DIGITS - 1) / 2);
    let scan = group_scan(items);
    let rounds = rounded_up(chunks, &Size::nat(items.max(1).into()));
    let scans = rounds.add(&Size::one()).mul(&Size::int(DIGITS));
    let in_scans = scans.mul(&Size::nat(u64::from(items) * scan.integer));
    let bases = rounds.mul(&Size::nat(u64::from(items))).mul(&Size::int(DIGITS));
    Work {
        read: at_most(before.add(&counts).mul(&Size::int(INT))),
        written: at_most(counts.mul(&Size::int(INT))),
        integer: at_most(before.add(&counts).add(&in_scans).add(&bases)),
        barriers: at_most(scans.mul(&Size::nat(scan.barriers))),
        ..Work::none()
    }
}

/// The move of all keys by groups of one work-item.
fn moved_alone(bytes: i64, n: &Size, chunks: &Size, order: Option<i64>) -> Work {
    let times = |size: &Size, n: i64| size.mul(&Size::int(n));
    Work {
        read: at_most(times(n, bytes).add(&times(chunks, DIGITS * INT))),
        written: at_most(times(n, bytes)),
        integer: at_most(times(n, sortable(order) as i64 + 3).add(&times(chunks, DIGITS * 2))),
        ..Work::none()
    }
}

/// The move of all keys to the offsets of their digits.
struct Moved {
    /// Bytes of a key, including its index if there is one.
    key: i64,
    pairs: bool,
    /// Keys of a tile per work-item.
    each: i64,
    n: Size,
    tiles: Size,
    /// Keys in whole tiles.
    slots: Size,
    chunks: Size,
    items: u32,
    sortable: i64,
    /// Bytes that the group of a tile publishes for later groups: its aggregate, then its prefix.
    published: i64,
}

impl Moved {
    fn work(&self) -> Work {
        let times = |size: &Size, n: i64| size.mul(&Size::int(n));
        let summing = self.items.min(DIGITS as u32);
        let rounds = doublings(summing, 4) as i64;
        // Three for each key; the others are around what the group shares.
        let barriers = 3 * self.each + rounds + 6 + if self.pairs { 2 } else { 0 };
        // Per key: its digit three times, its place in the band and in the tile, where it goes.
        let of_key = 3 * (self.sortable + 2) + 11 + 2 + 3;
        // Per work-item: sums of each digit over the bands, scanned by as many as there are digits.
        let bands = i64::from(self.items.div_ceil(BAND));
        let digits = DIGITS / i64::from(summing);
        let of_item = digits * (4 * bands + 5) + 8 * rounds + 2 * digits * bands;
        let items = times(&self.tiles, i64::from(self.items));
        let starts = times(&self.chunks, DIGITS * INT);
        Work {
            read: at_most(times(&self.n, self.key).add(&starts).add(&times(&self.tiles, self.published))),
            written: at_most(times(&self.n, self.key).add(&times(&self.tiles, 2 * self.published))),
            integer: at_most(times(&self.slots, of_key).add(&times(&items, of_item))),
            barriers: at_most(times(&self.tiles, barriers).add(&self.chunks)),
            ..Work::none()
        }
    }
}
