//! Equations with one inference variable.

use super::trees::{NAMES, names_at, points};
use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn show(solution: &Solution) -> String {
    match solution {
        Solution::Unique(size, assumptions) => {
            let mut text = format!("U = {size}");
            for (i, assumption) in assumptions.iter().enumerate() {
                text += if i == 0 { " if " } else { " and " };
                text += &assumption.to_string();
            }
            text
        }
        Solution::None => "none".into(),
        Solution::Stuck => "stuck".into(),
    }
}

#[track_caller]
fn check(lhs: Size, rhs: Size, expected: Expect) {
    check_under(lhs, rhs, &Facts::new(), expected);
}

#[track_caller]
fn check_under(lhs: Size, rhs: Size, facts: &Facts, expected: Expect) {
    let solution = super::solve(&lhs, &rhs, &var("?U"), facts);
    expected.assert_eq(&show(&solution));
    // The equation with its sides exchanged has the same solution.
    assert_eq!(show(&super::solve(&rhs, &lhs, &var("?U"), facts)), show(&solution));
}

fn u() -> Size {
    v("?U")
}

#[test]
fn linear_equations() {
    check(u(), v("N"), expect!["U = N"]);
    check(u().div_exact(&n(2)), v("M"), expect!["U = 2*M"]);
    check(u() * 2, v("N"), expect!["U = N/2 if 2 divides N"]);
    check(u() * v("k"), v("N"), expect!["U = N/k if k divides N"]);
    check(u() + 3, v("N"), expect!["U = N-3 if N-3 is not negative"]);
    check(u() * 2 + 1, v("N"), expect!["U = (N-1)/2 if 2 divides N-1"]);
    check(u() * v("k"), v("k") * 2, expect!["U = 2"]);
    check(u() * v("k") * 4, v("N") * 2, expect!["U = N/(2*k) if 2*k divides N"]);
    check(u().div_exact(&v("k")) + 1, v("N"), expect!["U = N*k-k if k is at most N*k"]);
    check((u() - v("S")).div_exact(&v("T")) + 1, v("N"), expect!["U = N*T+S-T if T is at most N*T+S"]);
    check(v("N").div_exact(&u()), v("M"), expect!["U = N/M if M divides N"]);
    check(u() * 2, v("N").div_exact(&v("k")), expect!["U = N/(2*k) if 2*k divides N"]);
    check(u() + v("N").div_exact(&n(2)), v("M"), expect!["U = M-N/2 if 2 divides N and N is at most 2*M"]);
    check(u() * 2, v("M") * 4 + 2, expect!["U = 2*M+1"]);
    check(u() + u() * v("N"), v("N") * v("N") - 1, expect!["U = N-1 if N-1 is not negative"]);
}

#[test]
fn equations_without_solution() {
    check(u() * 2, n(7), expect!["none"]);
    check(u() + 5, n(3), expect!["none"]);
    check(u() + v("N") + 1, v("N"), expect!["none"]);
    check(u() * 2, v("N") * 2 + 1, expect!["none"]);
    check(n(2).pow(&u()), n(6), expect!["none"]);
    check(u() * u(), n(8), expect!["none"]);
}

#[test]
fn equations_that_determine_nothing() {
    check(v("N"), v("N"), expect!["stuck"]);
    check(v("N"), v("M"), expect!["stuck"]);
    check(v("N"), v("N") + 1, expect!["none"]);
    check(u().div_floor(&n(4)), v("N"), expect!["stuck"]);
    check(Size::min(&u(), &n(4)), v("N"), expect!["stuck"]);
    check(u() - u(), n(0), expect!["stuck"]);
}

#[test]
fn powers_and_squares() {
    check(n(2).pow(&u()), n(8), expect!["U = 3"]);
    check(n(2).pow(&u()), n(2).pow(&(v("k") + 1)), expect!["U = k+1"]);
    check(n(2).pow(&u()) * v("N"), n(16) * v("N"), expect!["U = 4"]);
    check(u() * u(), n(9), expect!["U = 3"]);
    check(u() * u() + u(), n(12), expect!["U = 3"]);
}

#[test]
fn roots_that_can_be_seen() {
    let triangle = |n: &Size| Size::sum(var("p"), n.clone(), v("p") + 1);
    check(triangle(&u()), triangle(&v("N")), expect!["U = N"]);
    check(triangle(&(u() + 1)), triangle(&v("N")), expect!["U = N-1 if N-1 is not negative"]);
    check(u() * u(), v("N") * v("N"), expect!["U = N"]);
    check(u() * u(), v("N"), expect!["stuck"]);
    check(u() * u() - u(), v("N") * v("N") - v("N"), expect!["stuck"]);
    check(n(2).pow(&v("k")) * u(), v("N"), expect!["U = N/2^k if 2^k divides N"]);
    check(n(2).pow(&v("k")) * u(), n(2).pow(&(v("k") + 1)) * v("N"), expect!["U = 2*N"]);
}

#[test]
fn facts_take_assumptions_away() {
    let mut facts = Facts::new();
    facts.assume_divides(n(2), v("N"));
    facts.assume_le(n(3), v("N"));
    check_under(u() * 2, v("N"), &facts, expect!["U = N/2"]);
    check_under(u() + 3, v("N"), &facts, expect!["U = N-3"]);
    check_under(u() * 2 + 1, v("N"), &facts, expect!["none"]);
    check_under(u() + v("N"), n(2), &facts, expect!["none"]);
}

/// Found by random equations: the factor `3*k-4` is negative at k = 1, so a negative quotient there still has a
/// solution.
#[test]
fn a_factor_of_either_sign_has_solutions_where_the_quotient_looks_negative() {
    check((v("k") * u() + v("M")).div_exact(&n(2)), (u() * 2).div_exact(&n(3)) - 1, expect!["stuck"]);
    check((v("k") - 4) * u(), v("M") * -1 - 2, expect!["stuck"]);
    check((v("k") + 1) * u(), v("M") * -1 - 2, expect!["none"]);
}

/// A side of an equation, linear in the inference variable.
fn side() -> impl Strategy<Value = Size> {
    let coefficient = prop_oneof![(0..5i64).prop_map(n), Just(v("k")), Just(v("N") + 1)];
    let rest = prop_oneof![
        (-3..8i64).prop_map(n),
        Just(v("N")),
        Just(v("N") * v("M")),
        Just(v("M").rem(&n(3))),
        Just(v("N").div_exact(&n(2))),
        Just(v("M") * 2 - v("k")),
        Just(v("N").div_exact(&v("k"))),
    ];
    let divisor = prop_oneof![(1..4i64).prop_map(n), Just(v("k")), Just(v("M") + 1)];
    (coefficient, rest, divisor).prop_map(|(c, r, d)| (c * u() + r).div_exact(&d))
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn the_solution_solves_the_equation(
        lhs in side(),
        rhs in side(),
        points in points(40),
    ) {
        let Solution::Unique(size, assumptions) =
            super::solve(&lhs, &rhs, &var("?U"), &Facts::new())
        else {
            return Ok(());
        };
        prop_assert!(!size.contains(&var("?U")));
        let put_in = |side: &Size| side.subst_var(&var("?U"), &size);
        let (left, right) = (put_in(&lhs), put_in(&rhs));
        prop_assert_eq!(Facts::new().equal(&left, &right), Truth::Yes);
        for at in points {
            let env = names_at(at);
            let holds = assumptions.iter().all(|a| a.check(&env) == Ok(true));
            let both = (left.eval(&env), right.eval(&env));
            if let (true, (Ok(_), Ok(_))) = (holds, &both) {
                // The assumptions guarantee a natural number.
                prop_assert!(
                    matches!(size.eval(&env), Ok(_) | Err(EvalError::DivisionByZero)),
                    "{} at {:?} {:?} for {} = {}", show(&Solution::Unique(size, assumptions)), at,
                    NAMES, lhs, rhs
                );
            }
        }
    }

    #[test]
    fn no_solution_means_none(
        lhs in side(),
        rhs in side(),
        points in points(40),
        unknown in 0..60i64,
    ) {
        if super::solve(&lhs, &rhs, &var("?U"), &Facts::new()) == Solution::None {
            for at in points {
                let env = names_at(at);
                let is_unknown = |var: &Var| var.kind == VarKind::Unknown;
                let env = |var: &Var| if is_unknown(var) { Some(unknown) } else { env(var) };
                if let (Ok(l), Ok(r)) = (lhs.eval(&env), rhs.eval(&env)) {
                    prop_assert_ne!(l, r, "{} = {} at {:?}", lhs, rhs, at);
                }
            }
        }
    }
}
