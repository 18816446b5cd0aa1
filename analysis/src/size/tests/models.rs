//! Models of facts: points at which all of them hold, which refute what does not follow.

use super::*;

/// Adds `0 <= name < count` and returns the index.
fn index(facts: &mut Facts, name: &str, count: &Size) -> Size {
    facts.assume_range(var(name), Some(n(0)), Some(count - 1));
    v(name)
}

/// The facts inside the loop over the rounds of a part, whose first round and number of rounds are computed: each is moved
/// into the range that the others leave.
#[test]
fn facts_of_ranges_that_depend_on_each_other_have_models() {
    let mut facts = Facts::new();
    for size in ["N", "D"] {
        facts.assume_range(var(size), Some(n(1)), Some(n(i32::MAX.into())));
    }
    let first = index(&mut facts, "i", &(v("D") + 1));
    let rounds = index(&mut facts, "j", &(v("D") + 1));
    facts.assume_le(first + &rounds, v("D"));
    let whole = v("iwhole");
    facts.assume_range(var("iwhole"), Some(n(0)), None);
    facts.assume_le(&whole * 16, rounds);
    facts.assume_le(n(1), whole.clone());
    let tile = index(&mut facts, "itile", &whole);
    facts.assume_le(tile + 2, whole);
    let row = index(&mut facts, "irow", &v("N"));
    assert!(facts.sample_points() > 0, "no point at which they hold was found");
    // A model refutes it, which takes a fraction of a failed proof.
    let lane = index(&mut facts, "ilane", &n(64));
    let take = || work::apart(u64::MAX, || (facts.le(&(lane.clone() + &row + 1), &v("N")), work::so_far()));
    let (holds, terms) = take();
    assert_eq!(holds, Truth::Unknown);
    assert!(terms < 300, "{terms} terms");
}

/// A condition on a condition: where it holds, its models do, and what it says of sizes is known.
#[test]
fn conditions_that_are_one_or_zero_have_models() {
    let long = Size::if_le(&n(6017), &v("N"), &n(1), &n(0));
    let mut facts = Facts::new();
    facts.assume_le(n(1), long.clone());
    assert_eq!(facts.le(&n(6017), &v("N")), Truth::Yes);
    assert_eq!(facts.simplify(&long), n(1));
    let mut facts = Facts::new();
    facts.assume_le(&long + 1, n(1));
    assert_eq!(facts.lt(&v("N"), &n(6017)), Truth::Yes);
    assert_eq!(facts.simplify(&long), n(0));
    facts.assume_le(v("M") * 2 + 1, v("N"));
    assert!(facts.sample_points() > 0, "no point at which they hold was found");
}
