//! Cached answers about sizes.

use super::*;

/// Answers depend only on the current facts: neither on earlier questions nor on copies with more facts.
#[test]
fn answers_are_of_the_facts_that_are_known_now() {
    let mut facts = Facts::new();
    let clamped = Size::min(&v("N"), &v("M"));
    assert_eq!(facts.simplify(&clamped), clamped);
    assert_eq!(facts.le(&v("N"), &v("M")), Truth::Unknown);
    let fewer = facts.clone();
    facts.assume_le(v("N"), v("M"));
    assert_eq!(facts.simplify(&clamped), v("N"));
    assert_eq!(facts.le(&v("N"), &v("M")), Truth::Yes);
    assert_eq!(fewer.simplify(&clamped), clamped);
    assert_eq!(fewer.le(&v("N"), &v("M")), Truth::Unknown);
}

/// The range of a new variable costs no second proof about other sizes, and copies may give it different ranges.
#[test]
fn answers_about_sizes_without_a_new_variable_remain() {
    let mut facts = Facts::new();
    facts.assume_le(n(4), v("N"));
    facts.assume_le(v("N"), v("M"));
    let (clamped, of_index) = (Size::min(&(v("N") * 2), &(v("M") * 2)), Size::max(&n(0), &(v("i") - 3)));
    let least = v("N") * 2;
    assert_eq!(facts.simplify(&clamped), least);
    assert_eq!(facts.simplify(&of_index), of_index);
    let (mut low, mut high) = (facts.clone(), facts.clone());
    low.assume_range(var("i"), Some(n(0)), Some(n(3)));
    high.assume_range(var("i"), Some(n(3)), Some(n(9)));
    let before = work::so_far();
    for facts in [&low, &high] {
        assert_eq!(facts.simplify(&clamped), least);
    }
    assert_eq!(work::so_far(), before);
    assert_eq!(low.simplify(&of_index), n(0));
    assert_eq!(high.simplify(&of_index), v("i") - 3);
    assert_eq!(facts.simplify(&of_index), of_index);
}

/// What is assumed of the name of a quotient holds in all models, and excludes none of them.
#[test]
fn models_know_what_a_name_means() {
    let mut facts = Facts::new();
    facts.assume_range(var("i"), Some(n(0)), Some(v("N") * v("M") - 1));
    let i = v("i");
    let models = facts.sample_points();
    assert!(models > 4);
    let quotient = i.div_floor(&v("M"));
    facts.assume_range(var("j"), Some(n(0)), Some(v("N") - 1));
    facts.assume_named(&var("j"), &quotient);
    facts.assume_le(v("j") * v("M"), i.clone());
    facts.assume_le(i, v("j") * v("M") + v("M") - 1);
    assert_eq!(facts.sample_points(), models);
}

/// A bound that is asked for again is not searched for again.
#[test]
fn bounds_are_found_once() {
    let mut facts = Facts::new();
    facts.assume_range(var("i"), Some(n(0)), Some(v("N") - 1));
    let nested = Size::min(&(v("i").div_floor(&n(7)) + 3), &v("M"));
    let found = facts.bounds(&nested);
    let before = work::so_far();
    assert_eq!(facts.bounds(&nested), found);
    assert_eq!(work::so_far(), before);
}
