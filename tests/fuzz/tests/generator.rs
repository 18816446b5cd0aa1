//! What the generator makes: a part of the language that it never uses is one about which the machines say nothing.

use lift_analysis::prims;
use lift_fuzz::choices::Random;
use lift_fuzz::program::{Breadth, program};
use lift_fuzz::tree::{Tree, parse};
use std::collections::HashMap;

const PROGRAMS: u64 = 2500;

/// How many of the programs have each word.
fn programs_with_each_word(breadth: Breadth) -> HashMap<String, u64> {
    fn words(tree: &Tree, found: &mut Vec<String>) {
        match tree {
            Tree::Word(word) => found.push(word.clone()),
            Tree::List(parts) => parts.iter().for_each(|part| words(part, found)),
        }
    }
    let mut counts = HashMap::new();
    for seed in 0..PROGRAMS {
        let choices = Random::new(seed).choices(220);
        let mut found = Vec::new();
        parse(&program(&choices, breadth)).iter().for_each(|form| words(form, &mut found));
        found.sort();
        found.dedup();
        for word in found {
            *counts.entry(word).or_insert(0) += 1;
        }
    }
    counts
}

/// Primitives of which fewer than `least` programs have one, under any of their names.
fn rare(breadth: Breadth, least: u64) -> Vec<&'static str> {
    let counts = programs_with_each_word(breadth);
    let count = |p: &prims::Primitive| -> u64 {
        std::iter::once(&p.name).chain(&p.aliases).filter_map(|name| counts.get(&**name)).sum()
    };
    prims::all().iter().filter(|p| count(p) < least).map(|p| &*p.name).collect()
}

#[test]
fn every_primitive_is_in_programs() {
    assert_eq!(rare(Breadth::Whole, 5), [] as [&str; 0]);
}

/// What is not exact on every device, and what is compiled in some places only, is left out there.
#[test]
fn every_primitive_that_is_the_same_on_every_device_is_in_programs_that_are_compiled() {
    let left_out = [
        "sqrt",
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "pow",
        "filterWrg",
        "filterLcl",
        "scatter",
        "partition",
        "caseSplit",
    ];
    assert_eq!(rare(Breadth::Compiled, 5), left_out);
}
