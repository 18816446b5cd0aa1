//! Consequences of facts: first those that kernels need, then random ones.

use super::trees::{NAMES, Tree, names_at, points, tree};
use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;

/// Adds `0 <= name < count` and returns the index.
fn index(facts: &mut Facts, name: &str, count: &Size) -> Size {
    facts.assume_range(var(name), Some(n(0)), Some(count - 1));
    v(name)
}

#[track_caller]
fn simplifies(facts: &Facts, size: Size, expected: Expect) {
    expected.assert_eq(&facts.simplify(&size).to_string());
}

#[track_caller]
fn lies_between(facts: &Facts, size: Size, expected: Expect) {
    let show = |bound: Option<Size>| bound.map_or("?".to_string(), |bound| bound.to_string());
    let (lower, upper) = facts.bounds(&size);
    expected.assert_eq(&format!("{}..={}", show(lower), show(upper)));
}

#[test]
fn join_of_split_is_the_identity() {
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &v("N"));
    let j = index(&mut facts, "j", &v("k"));
    let linear = &i * v("k") + &j;
    assert_eq!(facts.simplify(&linear.div_floor(&v("k"))), i);
    assert_eq!(facts.simplify(&linear.rem(&v("k"))), j);
}

#[test]
fn split_of_join_is_the_identity() {
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &(v("N") * v("k")));
    assert_eq!(i.div_floor(&v("k")) * v("k") + i.rem(&v("k")), i);
    let row = i.div_floor(&v("k"));
    assert_eq!(facts.lt(&row, &v("N")), Truth::Yes);
    assert_eq!(facts.lt(&i.rem(&v("k")), &v("k")), Truth::Yes);
}

#[test]
fn blocks_taken_from_the_end_stay_inside() {
    // Element i of block g, counted from the end of the whole blocks; i is j·64 + l.
    let mut facts = Facts::new();
    let blocks = v("N").div_floor(&n(256));
    let g = index(&mut facts, "i", &blocks);
    let j = index(&mut facts, "j", &n(4));
    let l = index(&mut facts, "l", &n(64));
    let at = (&blocks - 1 - &g) * 256 + 255 - (&j * 64 + &l);
    assert_eq!(facts.le(&n(0), &at), Truth::Yes);
    assert_eq!(facts.lt(&at, &v("N")), Truth::Yes);
}

#[test]
fn the_start_of_a_block_leaves_room_for_the_block() {
    let mut facts = Facts::new();
    let j = index(&mut facts, "j", &n(4));
    let l = index(&mut facts, "l", &n(64));
    for i in [l.clone(), &j * 64 + &l] {
        let start = &i - i.rem(&n(4));
        let end = if i == l { 64 } else { 256 };
        assert_eq!(facts.lt(&(&start + 1), &n(end)), Truth::Yes, "{start}");
        assert_eq!(facts.lt(&(&start + 3), &n(end)), Truth::Yes, "{start}");
        assert_eq!(facts.lt(&(&start + 4), &n(end)), Truth::Unknown, "{start}");
    }
}

#[test]
fn transposing_twice_is_the_identity() {
    // Element (i, j) of M rows of N, read through its transpose and back.
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &v("M"));
    let j = index(&mut facts, "j", &v("N"));
    let transposed = &j * v("M") + &i;
    let back = transposed.rem(&v("M")) * v("N") + transposed.div_floor(&v("M"));
    assert_eq!(facts.simplify(&back), &i * v("N") + &j);
}

#[test]
fn tiles_of_tiles() {
    // Element (i, j, l) of `split` 4 of `split` 32 of a row of N, joined and read as rows of 4.
    let mut facts = Facts::new();
    facts.assume_divides(n(32), v("N"));
    let i = index(&mut facts, "i", &v("N").div_exact(&n(32)));
    let j = index(&mut facts, "j", &n(8));
    let l = index(&mut facts, "l", &n(4));
    let linear = &i * 32 + &j * 4 + &l;
    simplifies(&facts, linear.div_floor(&n(4)), expect!["8*i+j"]);
    simplifies(&facts, linear.div_floor(&n(32)), expect!["i"]);
    simplifies(&facts, linear.rem(&n(32)), expect!["4*j+l"]);
    simplifies(&facts, linear.div_floor(&n(4)).rem(&n(8)), expect!["j"]);
    simplifies(&facts, linear.div_floor(&n(16)), expect!["2*i+floor(j/4)"]);
    assert_eq!(facts.lt(&linear, &v("N")), Truth::Yes);
}

#[test]
fn tiles_of_symbolic_size() {
    let mut facts = Facts::new();
    facts.assume_divides(v("k"), v("N"));
    let i = index(&mut facts, "i", &v("N").div_exact(&v("k")));
    let j = index(&mut facts, "j", &v("k"));
    let linear = &i * v("k") + &j;
    assert_eq!(facts.lt(&linear, &v("N")), Truth::Yes);
    // The transposed tile: row j of columns i.
    let transposed = &j * v("N").div_exact(&v("k")) + &i;
    simplifies(&facts, transposed.div_floor(&v("N").div_exact(&v("k"))), expect!["j"]);
    simplifies(&facts, transposed.rem(&v("N").div_exact(&v("k"))), expect!["i"]);
    simplifies(&facts, (&i * v("N") + v("N")).div_floor(&v("k")), expect!["N*(i+1)/k"]);
    simplifies(&facts, v("N").rem(&v("k")), expect!["0"]);
}

#[test]
fn a_mod_of_a_join_drops_the_outer_index() {
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &v("N"));
    let j = index(&mut facts, "j", &v("M"));
    let l = index(&mut facts, "l", &v("k"));
    let linear = (&i * v("M") + &j) * v("k") + &l;
    simplifies(&facts, linear.rem(&(v("M") * v("k"))), expect!["k*j+l"]);
    simplifies(&facts, linear.div_floor(&v("k")).rem(&v("M")), expect!["j"]);
    simplifies(&facts, linear.div_floor(&(v("M") * v("k"))), expect!["i"]);
}

#[test]
fn reversing_twice_is_the_identity() {
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &v("N"));
    let reversed = v("N") - 1 - &i;
    assert_eq!(v("N") - 1 - &reversed, i);
    lies_between(&facts, reversed.clone(), expect!["0..=N-1"]);
    assert_eq!(facts.le(&n(0), &reversed), Truth::Yes);
    assert_eq!(facts.lt(&reversed, &v("N")), Truth::Yes);
    // Rows of four, each reversed.
    let j = index(&mut facts, "j", &n(4));
    let linear = &i * 4 + (n(3) - &j);
    simplifies(&facts, linear.div_floor(&n(4)), expect!["i"]);
    simplifies(&facts, linear.rem(&n(4)), expect!["3-j"]);
}

#[test]
fn padding_is_decided_where_the_range_tells() {
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &v("N"));
    let clamped = Size::max(&n(0), &Size::min(&(&i - 1), &(v("N") - 1)));
    simplifies(&facts, clamped, expect!["max(i-1,0)"]);
    let inside = Size::max(&n(0), &Size::min(&i, &(v("N") - 1)));
    simplifies(&facts, inside, expect!["i"]);
    simplifies(&facts, Size::if_le(&n(0), &i, &v("k"), &v("M")), expect!["k"]);
    simplifies(&facts, Size::if_le(&v("N"), &i, &v("k"), &v("M")), expect!["M"]);
}

#[test]
fn rows_of_a_triangle() {
    // Element (i, j) of a lower triangle: j <= i < N.
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &v("N"));
    facts.assume_range(var("j"), Some(n(0)), Some(i.clone()));
    let before = Size::sum(var("p"), i.clone(), v("p") + 1);
    let linear = before + v("j");
    let whole = Size::sum(var("p"), v("N"), v("p") + 1);
    assert_eq!(linear.to_string(), "i*(i+1)/2+j");
    assert_eq!(facts.lt(&linear, &whole), Truth::Yes);
    assert_eq!(facts.le(&n(0), &linear), Truth::Yes);
    lies_between(&facts, linear, expect!["0..=N*(N+1)/2-1"]);
}

#[test]
fn grid_stride_loops() {
    // A work-item starts at its id and strides by the number of work-items.
    let mut facts = Facts::new();
    let gid = index(&mut facts, "i", &v("G"));
    let trips = (v("N") - &gid + v("G") - 1).div_floor(&v("G"));
    let step = index(&mut facts, "j", &trips);
    let element = &gid + &step * v("G");
    assert_eq!(facts.lt(&element, &v("N")), Truth::Yes);
    // With as many work-items as elements, one iteration.
    let one = trips.subst_var(&var("G"), &v("N"));
    let mut facts = Facts::new();
    index(&mut facts, "i", &v("N"));
    simplifies(&facts, one, expect!["1"]);
    // With at least as many, at most one.
    let mut facts = Facts::new();
    index(&mut facts, "i", &v("G"));
    facts.assume_le(v("N"), v("G"));
    assert_eq!(facts.le(&trips, &n(1)), Truth::Yes);
}

#[test]
fn windows_stay_inside() {
    // `slide 3 1` over N elements: window i, element j.
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &(v("N") - 3 + 1));
    let j = index(&mut facts, "j", &n(3));
    lies_between(&facts, &i + &j, expect!["0..=N-1"]);
    assert_eq!(facts.lt(&(&i + &j), &v("N")), Truth::Yes);
    assert_eq!(facts.lt(&(&i + &j), &(v("N") - 1)), Truth::Unknown);
    // `slide S T` in general.
    let mut facts = Facts::new();
    let count = (v("N") - v("S")).div_exact(&v("T")) + 1;
    let i = index(&mut facts, "i", &count);
    let j = index(&mut facts, "j", &v("S"));
    assert_eq!(facts.lt(&(&i * v("T") + &j), &v("N")), Truth::Yes);
}

#[test]
fn bounds_are_symbolic_in_the_names_of_the_program() {
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &v("N"));
    let j = index(&mut facts, "j", &v("M"));
    facts.assume_range(var("X1"), None, Some(v("N")));
    lies_between(&facts, &i * v("M") + &j, expect!["0..=M*N-1"]);
    lies_between(&facts, i.rem(&n(4)), expect!["0..=min(N-1,3)"]);
    lies_between(&facts, i.div_floor(&n(4)), expect!["0..=floor((N-1)/4)"]);
    lies_between(&facts, Size::min(&i, &n(4)), expect!["0..=min(N-1,4)"]);
    lies_between(&facts, Size::max(&i, &j), expect!["0..=max(M,N)-1"]);
    lies_between(&facts, &i - &j, expect!["1-M..=N-1"]);
    lies_between(&facts, n(2).pow(&i), expect!["1..=2^N/2"]);
    lies_between(&facts, v("X1") * 4, expect!["0..=4*N"]);
    lies_between(&facts, v("N") + v("k"), expect!["N+k..=N+k"]);
    lies_between(&facts, &i * &j, expect!["0..=(M-1)*(N-1)"]);
    lies_between(&facts, v("l"), expect!["?..=?"]);
}

#[test]
fn constant_bounds() {
    let mut facts = Facts::new();
    let i = index(&mut facts, "i", &n(16));
    let j = index(&mut facts, "j", &n(8));
    facts.assume_range(var("N"), Some(n(1)), Some(n(100)));
    let bounds = |size: Size| facts.const_bounds(&size);
    assert_eq!(bounds(&i * 8 + &j), (Some(0), Some(127)));
    assert_eq!(bounds((&i * 8 + &j).div_floor(&n(4))), (Some(0), Some(31)));
    assert_eq!(bounds((&i * 8 + &j).rem(&n(5))), (Some(0), Some(4)));
    assert_eq!(bounds(i.rem(&n(100))), (Some(0), Some(15)));
    assert_eq!(bounds(&i - &j), (Some(-7), Some(15)));
    assert_eq!(bounds(v("N") * 2 - 1), (Some(1), Some(199)));
    assert_eq!(bounds(v("M") + 3), (Some(3), None));
    assert_eq!(bounds(n(3) - v("M")), (None, Some(3)));
    assert_eq!(bounds(Size::min(&v("M"), &n(7))), (Some(0), Some(7)));
    assert_eq!(bounds(v("M").rem(&n(7))), (Some(0), Some(6)));
    assert_eq!(bounds(v("l")), (None, None));
    assert_eq!(bounds(v("N").div_exact(&n(2))), (Some(1), Some(50)));
}

#[test]
fn equal_and_different_lengths() {
    let facts = Facts::new();
    let (a, b) = (v("N"), v("M"));
    assert_eq!(facts.equal(&(&a * 2 - &a), &a), Truth::Yes);
    assert_eq!(facts.equal(&a, &b), Truth::Unknown);
    assert_eq!(facts.equal(&a, &(&a + 1)), Truth::No);
    assert_eq!(facts.equal(&(&a + &b + 1), &a), Truth::No);
    assert_eq!(facts.equal(&(&a * 2), &(&b * 2 + 1)), Truth::No);
    assert_eq!(facts.equal(&(&a * 4 + 2), &(&b * 8 + 1)), Truth::No);
    assert_eq!(facts.equal(&v("X1"), &v("X2")), Truth::Unknown);
    // Found by a case split rather than by the normal form.
    let product = Size::min(&a, &b) * Size::max(&a, &b);
    assert_eq!(facts.equal(&product, &(&a * &b)), Truth::Yes);
    let absolute = Size::max(&(&a - &b), &(&b - &a));
    assert_eq!(facts.equal(&(&absolute * &absolute), &((&a - &b) * (&a - &b))), Truth::Yes);
}

#[test]
fn equalities_are_used() {
    let mut facts = Facts::new();
    facts.assume_eq(v("X1"), v("N") - v("M"));
    assert_eq!(facts.equal(&(v("X1") + v("M")), &v("N")), Truth::Yes);
    assert_eq!(facts.le(&v("M"), &v("N")), Truth::Yes);
    facts.assume_eq(v("X2"), v("X1") * 2);
    assert_eq!(facts.equal(&(v("X2") + v("M") * 2), &(v("N") * 2)), Truth::Yes);
    facts.assume_eq(v("N") * v("M"), v("k") * v("k"));
    assert_eq!(facts.equal(&(v("N") * v("M") * 3), &(v("k") * v("k") * 3)), Truth::Yes);
    // Consequences for a variable that an equality eliminated are kept.
    let mut facts = Facts::new();
    facts.assume_range(var("X1"), Some(n(2)), Some(v("k")));
    facts.assume_eq(v("X1"), v("N") + 1);
    assert_eq!(facts.le(&n(1), &v("N")), Truth::Yes);
    assert_eq!(facts.lt(&v("N"), &v("k")), Truth::Yes);
}

#[test]
fn inequalities_are_used() {
    let mut facts = Facts::new();
    facts.assume_le(v("X1"), v("N"));
    facts.assume_le(v("N"), v("M"));
    assert_eq!(facts.le(&v("X1"), &v("M")), Truth::Yes);
    assert_eq!(facts.lt(&v("X1"), &(v("M") + 1)), Truth::Yes);
    assert_eq!(facts.lt(&v("X1"), &v("M")), Truth::Unknown);
    assert_eq!(facts.lt(&v("M"), &v("X1")), Truth::No);
    assert_eq!(facts.simplify(&Size::min(&v("X1"), &v("N"))), v("X1"));
    facts.assume_le(v("k") + v("M"), v("N") * 2);
    assert_eq!(facts.le(&(v("k") + v("M")), &(v("N") * 2 + 3)), Truth::Yes);
    assert_eq!(facts.le(&v("k"), &(v("N") * 2)), Truth::Yes);
}

#[test]
fn divisibility() {
    let mut facts = Facts::new();
    facts.assume_divides(n(6), v("N"));
    facts.assume_divides(v("k"), v("M"));
    facts.assume_divides(n(4), v("k"));
    assert_eq!(facts.divides(&n(2), &v("N")), Truth::Yes);
    assert_eq!(facts.divides(&n(3), &(v("N") * 2 + 9)), Truth::Yes);
    assert_eq!(facts.divides(&n(12), &v("N")), Truth::Unknown);
    assert_eq!(facts.divides(&n(2), &(v("N") + 1)), Truth::No);
    assert_eq!(facts.divides(&n(12), &(v("N") * 2)), Truth::Yes);
    assert_eq!(facts.divides(&v("k"), &(v("M") * v("N"))), Truth::Yes);
    assert_eq!(facts.divides(&v("k"), &(v("M") + v("k"))), Truth::Yes);
    assert_eq!(facts.divides(&n(2), &v("M")), Truth::Yes);
    assert_eq!(facts.divides(&n(4), &(v("M") * 3 + v("k"))), Truth::Yes);
    assert_eq!(facts.divides(&n(5), &n(15)), Truth::Yes);
    assert_eq!(facts.divides(&n(5), &n(16)), Truth::No);
    assert_eq!(facts.divides(&n(0), &v("N")), Truth::No);
    assert_eq!(facts.divides(&n(2), &(v("X1") * (v("X1") + 1))), Truth::Yes);
    assert_eq!(facts.divides(&n(2), &v("X1")), Truth::Unknown);
    // Two facts about one variable.
    facts.assume_divides(n(4), v("N"));
    assert_eq!(facts.divides(&n(12), &v("N")), Truth::Yes);
    assert_eq!(facts.simplify(&(v("N") + 5).rem(&n(4))), n(1));
    assert_eq!(facts.simplify(&v("N").div_floor(&n(4))), v("N").div_exact(&n(4)));
}

#[test]
fn assumptions_print_and_are_proved() {
    let mut facts = Facts::new();
    facts.assume_le(n(3), v("N"));
    facts.assume_divides(n(2), v("N"));
    let cases = [
        (Assumption::Divides { divisor: n(2), value: v("N") }, "2 divides N", Truth::Yes),
        (Assumption::Divides { divisor: v("k"), value: v("N") }, "k divides N", Truth::Unknown),
        (Assumption::NonNegative(v("N") - 3), "N-3 is not negative", Truth::Yes),
        (Assumption::NonNegative(v("N") - v("M")), "M is at most N", Truth::Unknown),
        (Assumption::AtMost(v("N"), n(2)), "N is at most 2", Truth::No),
        (Assumption::Equal(v("N"), v("M")), "N equals M", Truth::Unknown),
        (Assumption::Positive(v("N")), "N is positive", Truth::Yes),
    ];
    for (assumption, text, truth) in cases {
        assert_eq!(assumption.to_string(), text);
        assert_eq!(facts.proves(&assumption), truth, "{text}");
        let mut known = Facts::new();
        known.assume(&assumption);
        if truth != Truth::No {
            assert_eq!(known.proves(&assumption), Truth::Yes, "{text}");
        }
    }
    let divides = Assumption::Divides { divisor: v("k"), value: v("N") };
    assert_eq!(divides.vars(), [var("N"), var("k")]);
    assert_eq!(divides.check(&env(&[("N", 6), ("k", 3)])), Ok(true));
    assert_eq!(divides.check(&env(&[("N", 6), ("k", 4)])), Ok(false));
    assert_eq!(divides.check(&env(&[("N", 6), ("k", 0)])), Ok(false));
    assert_eq!(divides.check(&env(&[("N", 6)])), Err(EvalError::Unbound(var("k"))));
    let other = divides.subst(&mut |var| (&*var.name == "k").then(|| n(3)));
    assert_eq!(other.to_string(), "3 divides N");
}

/// A lower bound that may be negative gives no bound for the square.
#[test]
fn a_lower_bound_that_may_be_negative_has_no_square() {
    let mut facts = Facts::new();
    facts.assume_le(n(-1) - v("N"), v("X1"));
    assert_eq!(facts.le(&n(1), &(v("X1") * v("X1") + v("X1"))), Truth::Unknown);
    let far = Facts::new().with_range(var("X1"), Some(v("N") - 5), None);
    // X1 may be 0 at N = 0, where the square of the bound is 25.
    assert_eq!(far.le(&((v("N") - 5) * (v("N") - 5)), &(v("X1") * v("X1"))), Truth::Unknown);
    // The square of a lower bound that is not negative is a bound.
    let from = Facts::new().with_range(var("X1"), Some(v("N") + 2), None);
    assert_eq!(from.le(&n(4), &(v("X1") * v("X1"))), Truth::Yes);
    // The even powers of an index that may be negative are not negative, but odd ones may be.
    let i = index(&mut facts, "i", &(v("N") * 2));
    let below = Facts::new().with_range(var("j"), Some(n(-3)), Some(v("N")));
    assert_eq!(facts.le(&n(0), &(&i * &i * &i)), Truth::Yes);
    assert_eq!(below.le(&n(0), &(v("j") * v("j") * v("j"))), Truth::Unknown);
    assert_eq!(below.le(&n(0), &(v("j") * v("j"))), Truth::Yes);
    assert_eq!(below.le(&n(9), &(v("j") * v("j"))), Truth::Unknown);
    assert_eq!(below.le(&(v("j") * v("j")), &(v("N") * v("N"))), Truth::Unknown);
}

/// The facts inside a block of windows whose rows begin at multiples of four.
#[test]
fn clamps_inside_of_a_block_do_nothing() {
    let mut facts = Facts::new();
    for size in ["N", "M"] {
        facts.assume_range(var(size), Some(n(1)), Some(n(i32::MAX.into())));
    }
    let row = index(&mut facts, "i", &(v("N") + 9));
    let column = index(&mut facts, "j", &(v("M") + 257));
    facts.assume_le(n(2), row.clone());
    facts.assume_le(&row + 4, v("N"));
    facts.assume_le(n(5), column.clone());
    facts.assume_le(&column + 9, v("M"));
    facts.assume_divides(n(4), v("M"));
    facts.assume_divides(n(4), column.clone());
    assert!(facts.sample_points() > 0, "no point at which they hold was found");
    let clamped = |at: &Size, n: &Size| Size::max(&Size::min(at, &(n - 1)), &Size::zero());
    for by in -2..4 {
        assert_eq!(facts.simplify(&clamped(&(&row + by), &v("N"))), &row + by);
        assert_eq!(facts.simplify(&clamped(&(&column + by), &v("M"))), &column + by);
    }
}

/// The facts inside the loop over the rounds of a tile that several groups share. Only large sizes have a second round.
#[test]
fn facts_of_large_sizes_have_models() {
    let mut facts = Facts::new();
    for size in ["N", "D"] {
        facts.assume_range(var(size), Some(n(1)), Some(n(i32::MAX.into())));
    }
    let parts = Size::min(&n(264).div_floor(&v("N")), &v("D").div_floor(&n(512)));
    facts.assume_le(n(2), parts.clone());
    let whole = index(&mut facts, "w", &v("D"));
    facts.assume_le(&whole * 16, v("D"));
    let part = index(&mut facts, "p", &parts);
    assert!(facts.sample_points() > 0, "no point at which they hold was found");
    assert!(facts.le(&part, &n(0)) != Truth::Yes);
}

/// A variable counted from its least value: what stays negative does, and what does not is found.
#[test]
fn goals_are_shifted_to_the_least_values() {
    let mut facts = Facts::new();
    facts.assume_range(var("N"), Some(n(2)), None);
    facts.assume_range(var("M"), Some(n(3)), None);
    assert_eq!(facts.le(&(v("N") * 3), &(v("N") * v("M"))), Truth::Yes);
    assert_eq!(facts.le(&(v("N") + v("M") + 1), &(v("N") * v("M"))), Truth::Yes);
    assert_eq!(facts.le(&(v("N") * 4), &(v("N") * v("M"))), Truth::Unknown);
    let quarter = v("N").div_floor(&n(4));
    assert_eq!(facts.le(&(&quarter * 3), &(&quarter * v("M"))), Truth::Yes);
}

/// Facts about [`NAMES`] that a program may state.
fn fact() -> impl Strategy<Value = Assumption> {
    let name = || (0..5usize).prop_map(|at| v(NAMES[at]));
    let linear = move || (name(), -2..3i64, -3..6i64).prop_map(|(x, c, d)| x * c + d);
    prop_oneof![
        (2..5i64, name()).prop_map(|(k, value)| Assumption::Divides { divisor: n(k), value }),
        (name(), name()).prop_map(|(divisor, value)| Assumption::Divides { divisor, value }),
        (name(), linear()).prop_map(|(a, b)| Assumption::AtMost(a, b)),
        (linear(), name()).prop_map(|(a, b)| Assumption::AtMost(a, b)),
        (name(), name()).prop_map(|(a, b)| Assumption::AtMost(a, b - 1)),
        (name(), linear()).prop_map(|(a, b)| Assumption::Equal(a, b)),
        linear().prop_map(Assumption::NonNegative),
        name().prop_map(Assumption::Positive),
    ]
}

/// Facts, and the random points at which they hold.
fn known() -> impl Strategy<Value = (Facts, Vec<[i64; 6]>)> {
    let in_range = Just(vec![Assumption::NonNegative(v("i")), Assumption::AtMost(v("i"), v("N") - 1)]);
    let assumptions = (prop_oneof![in_range, Just(Vec::new())], prop::collection::vec(fact(), 0..4));
    (assumptions, points(400)).prop_map(|((mut all, more), points)| {
        all.extend(more);
        let mut facts = Facts::new();
        all.iter().for_each(|assumption| facts.assume(assumption));
        let holds = |at: &[i64; 6]| all.iter().all(|a| a.check(&names_at(*at)) == Ok(true));
        (facts, points.into_iter().filter(holds).collect())
    })
}

/// Sizes as they occur in index computations.
fn access() -> impl Strategy<Value = Tree> {
    let name = || (0..6usize).prop_map(|at| Box::new(Tree::Var(at)));
    let constant = |from: i64| (from..9i64).prop_map(|c| Box::new(Tree::Const(c)));
    let linear = (name(), prop_oneof![name(), constant(0)], prop_oneof![name(), constant(-3)])
        .prop_map(|(a, b, c)| Tree::Add(Box::new(Tree::Mul(a, b)), c));
    let divisor = prop_oneof![name(), constant(1)];
    let divided = (linear.clone(), divisor, any::<bool>())
        .prop_map(|(a, b, floor)| if floor { Tree::DivFloor(Box::new(a), b) } else { Tree::Rem(Box::new(a), b) });
    prop_oneof![linear, divided, tree(3)]
}

/// Found by random facts: the square of a natural number with the lower bound -2 is not at least 4.
#[test]
fn a_negative_lower_bound_of_a_natural_number_tells_nothing() {
    let facts = Facts::new().with_range(var("X1"), Some(n(-2)), None);
    assert_eq!(facts.equal(&n(0), &(v("X1") * v("X1") + v("M"))), Truth::Unknown);
    assert_eq!(facts.le(&n(1), &(v("X1") * v("X1"))), Truth::Unknown);
    assert_eq!(facts.le(&n(0), &v("X1")), Truth::Yes);
}

proptest! {
    #![proptest_config(cases(700))]

    #[test]
    fn simplifying_keeps_the_value((facts, points) in known(), tree in access()) {
        let size = tree.size();
        let simple = facts.simplify(&size);
        for at in points {
            let Some(value) = tree.value(&at) else { continue };
            match simple.eval_int(&names_at(at)) {
                Ok(got) => prop_assert_eq!(
                    i128::from(got), value, "{} for {} at {:?} under {:?}", simple, size, at, facts
                ),
                Err(EvalError::Overflow | EvalError::TooLarge) => {}
                Err(error) => prop_assert!(
                    false, "{error:?}: {simple} for {size} at {at:?} should be {value} under {facts:?}"
                ),
            }
        }
    }

    #[test]
    fn bounds_contain_the_value((facts, points) in known(), tree in access()) {
        let size = tree.size();
        let (lower, upper) = facts.bounds(&size);
        let (low, high) = facts.const_bounds(&size);
        for at in points {
            let Some(value) = tree.value(&at) else { continue };
            let env = names_at(at);
            // A bound may be a fraction.
            let bound = |bound: &Option<Size>| bound.as_ref().and_then(|b| b.eval_ratio(&env).ok());
            let exact = crate::size::ratio::Ratio::integer(value).unwrap();
            if let Some(lower) = bound(&lower) {
                prop_assert!(lower <= exact, "{lower:?} <= {size} at {at:?} under {facts:?}");
            }
            if let Some(upper) = bound(&upper) {
                prop_assert!(exact <= upper, "{size} <= {upper:?} at {at:?} under {facts:?}");
            }
            prop_assert!(low.is_none_or(|low| i128::from(low) <= value), "{low:?} <= {size} at {at:?} under {facts:?}");
            prop_assert!(high.is_none_or(|high| value <= i128::from(high)), "{size} <= {high:?} at {at:?} under {facts:?}");
        }
    }

    #[test]
    fn answers_hold_at_every_point((facts, points) in known(), left in access(), right in access()) {
        let (a, b) = (left.size(), right.size());
        let equal = facts.equal(&a, &b);
        let le = facts.le(&a, &b);
        let lt = facts.lt(&a, &b);
        let divides = facts.divides(&a, &b);
        for at in points {
            let (Some(l), Some(r)) = (left.value(&at), right.value(&at)) else { continue };
            let agrees = |truth: Truth, holds: bool| match truth {
                Truth::Yes => holds,
                Truth::No => !holds,
                Truth::Unknown => true,
            };
            prop_assert!(agrees(equal, l == r), "{a} = {b}: {equal:?} at {at:?} under {facts:?}");
            prop_assert!(agrees(le, l <= r), "{a} <= {b}: {le:?} at {at:?} under {facts:?}");
            prop_assert!(agrees(lt, l < r), "{a} < {b}: {lt:?} at {at:?} under {facts:?}");
            if l > 0 {
                prop_assert!(agrees(divides, r % l == 0), "{a} | {b}: {divides:?} at {at:?} under {facts:?}");
            }
        }
    }
}

#[test]
fn a_divisor_that_a_condition_selects_may_be_zero() {
    let divided = v("N").div_floor(&v("M"));
    let guarded = [
        Size::if_le(&n(1), &v("M"), &divided, &n(0)),
        Size::if_le(&v("M"), &n(0), &v("K"), &divided),
        Size::sum(var("p"), v("K"), Size::if_le(&n(1), &v("p"), &n(6).div_floor(&v("p")), &n(0))),
    ];
    for size in guarded {
        let mut facts = Facts::new();
        facts.assume_eq(v("L"), size.clone());
        assert_eq!(facts.le(&n(1), &v("M")), Truth::Unknown, "{size}");
        let of_body = Size::if_le(&n(1), &v("M"), &divided, &n(0));
        assert_eq!(facts.simplify(&of_body), of_body, "{size}");
    }
    let mut facts = Facts::new();
    facts.assume_eq(v("L"), divided);
    assert_eq!(facts.le(&n(1), &v("M")), Truth::Yes);
}
