//! Expressions built to grow exponentially stay small.

use super::*;

#[test]
fn towers_of_products_stay_bounded() {
    let mut tower = n(1);
    for i in 0..200 {
        tower = tower * (v(&format!("A{i}")) + v(&format!("B{i}")) + i);
    }
    assert!(tower.weight() <= MAX_WEIGHT);
    assert!(tower.to_string().len() < 100_000);
    assert_eq!(tower, tower.subst(&mut |_| None));
}

#[test]
fn products_too_large_to_multiply_out_still_have_their_value() {
    let mut tower = n(1);
    let mut value = 1;
    for i in 0..14 {
        tower = tower * (v(&format!("A{i}")) + v(&format!("B{i}")));
        value *= 3;
    }
    let values = |var: &Var| Some(if var.name.starts_with('A') { 1 } else { 2 });
    assert_eq!(tower.eval(&values), Ok(value));
}

#[test]
fn behind_the_limit_of_work_everything_is_given_up_at_once() {
    // A quotient in which each level has twice the terms of the previous one.
    let tower = |levels| {
        (0..levels).fold(n(1), |below, i| {
            let k = v(&format!("K{i}"));
            (&k * below).div_exact(&(k + 1))
        })
    };
    work::take();
    let (terms, met) = work::apart(5000, || {
        assert!(!tower(40).is_zero());
        (work::so_far(), work::exhausted())
    });
    assert!(met, "{terms} terms");
    assert!((5000..20_000).contains(&terms), "{terms} terms");
    // The caller's fuel is unchanged.
    assert!(!work::exhausted() && work::so_far() == 0);
    assert!(tower(9) == tower(9) && work::so_far() > 5000, "{} terms", work::so_far());
    // Small sizes are unaffected.
    assert!(!work::apart(0, || v("N").sub(&v("N")).is_zero()), "nothing is claimed");
    assert_eq!(work::apart(9, || v("N").sub(&v("N"))), n(0));
}

#[test]
fn a_question_about_large_sizes_has_an_end() {
    let tower = |levels| {
        (0..levels).fold(n(1), |below, i| {
            let k = v(&format!("K{i}"));
            (&k * below).div_exact(&(k + 1))
        })
    };
    let large = tower(8);
    let other = large.subst(&mut |var| Some(v(&format!("{}'", var.name))));
    work::take();
    let simple = Facts::new().simplify(&Size::max(&large, &other));
    let terms = work::take();
    // Subquestions may be given up, but not the question itself.
    assert!(!simple.is_zero());
    assert!((100_000..150_000).contains(&terms), "{terms} terms");
}

#[test]
fn squaring_again_and_again_stays_bounded() {
    let mut size = v("N") + v("M") + 1;
    for _ in 0..60 {
        size = &size * &size + 1;
    }
    assert!(size.weight() <= MAX_WEIGHT);
    assert!(size.is_too_large());
    assert_eq!(size.eval(&|_| Some(1)), Err(EvalError::TooLarge));
}

#[test]
fn deep_nesting_stays_bounded() {
    let mut size = v("N");
    for i in 0..5000 {
        size = (&size * &size + v("M")).div_floor(&(v("k") + i));
        size = Size::max(&size, &v("M"));
        size = Size::if_le(&size, &v("N"), &size, &v("k"));
    }
    assert!(size.weight() <= MAX_WEIGHT);
    assert!(!size.to_string().is_empty());
}

#[test]
fn sums_of_sums_stay_bounded() {
    let mut size = v("N");
    for i in 0..100 {
        let index = Var::new(VarKind::Position, i, "p");
        size = Size::sum(index.clone(), size.clone(), (&size * Size::var(index)).div_floor(&n(3)));
    }
    assert!(size.weight() <= MAX_WEIGHT);
}

#[test]
fn numbers_that_do_not_fit_do_not_panic() {
    let mut size = n(i64::MAX);
    for _ in 0..20 {
        size = &size * &size + v("N");
        size = size.div_exact(&(n(i64::MIN) + v("M")));
        size = size.div_floor(&n(7)) - n(i64::MIN);
    }
    assert!(size.weight() <= MAX_WEIGHT);
    let power = n(10).pow(&n(1_000_000));
    assert_eq!(power.eval(&|_| None), Err(EvalError::Overflow));
    let power = v("N").pow(&n(i64::MAX)).pow(&n(i64::MAX));
    assert_eq!(power.eval(&|_| Some(3)), Err(EvalError::Overflow));
    assert_eq!((n(i64::MAX) + n(i64::MAX)).as_const(), None);
}

/// The value modulo `prime` of a polynomial whose variables are 3; `None` where a part was given up.
fn modulo(size: &Size, prime: i128) -> Option<i128> {
    let factor = |atom: &Atom| match atom {
        Atom::Var(_) => Some(3),
        Atom::Group(group) => modulo(group, prime),
        _ => None,
    };
    size.terms().iter().try_fold(0, |sum, term| {
        let mut product = term.coeff.to_integer()?.rem_euclid(prime);
        for (atom, exponent) in &*term.mono.0 {
            for _ in 0..*exponent {
                product = product * factor(atom)? % prime;
            }
        }
        Some((sum + product) % prime)
    })
}

#[test]
fn arithmetic_with_large_coefficients_is_exact_or_given_up() {
    let prime = 1_000_000_007;
    let large = |power: u32| {
        let (low, high) = (power / 2, power - power / 2);
        n(1 << low) * n(1 << high)
    };
    let mut sizes = vec![n(0), n(1), n(-1), v("N"), v("M") - v("N"), v("N") * 2 + 3];
    for power in [61, 62, 63, 64, 90, 125, 126] {
        let coeff = large(power);
        sizes.extend([
            coeff.clone(),
            -&coeff,
            &coeff * v("N"),
            v("M") - &coeff * v("N"),
            &coeff * v("N") + v("M") * 7 - 1,
        ]);
    }
    let mut given_up = 0;
    for a in &sizes {
        for b in &sizes {
            let values = modulo(a, prime).zip(modulo(b, prime));
            let Some((x, y)) = values else { panic!("{a} or {b} was given up") };
            for (size, value) in [(a.add(b), x + y), (a.sub(b), x - y), (a.mul(b), x * y)] {
                match modulo(&size, prime) {
                    Some(found) => assert_eq!(found, value.rem_euclid(prime), "{size} of {a} and {b}"),
                    None => given_up += 1,
                }
            }
        }
    }
    assert!(given_up > 100);
    // Nor are different sizes the same placeholder.
    let most = large(126) * v("N");
    assert_ne!(most.add(&most), most.neg().sub(&most));
}

#[test]
fn what_was_given_up_is_equal_to_itself_only() {
    let explode = |seed: &str| {
        let mut size = v(seed);
        for _ in 0..50 {
            size = (&size * &size + v("M")).div_floor(&(&size + 2));
        }
        size
    };
    assert!(explode("N").is_too_large());
    assert_eq!(explode("N"), explode("N"));
    assert_ne!(explode("N"), explode("k"));
}

#[test]
fn questions_about_large_sizes_come_back() {
    let mut facts = Facts::new();
    let mut sum = n(0);
    for i in 0..30 {
        let index = Var::new(VarKind::Index, i, "i");
        let bound = v(&format!("N{i}")) - 1;
        facts.assume_range(index.clone(), Some(n(0)), Some(bound));
        facts.assume_divides(n(i64::from(i) + 2), v(&format!("N{i}")));
        facts.assume_le(v(&format!("N{i}")), v(&format!("N{}", i + 1)));
        let term = (Size::var(index) * v(&format!("N{}", i + 1)) + sum.clone()).rem(&v("M"));
        sum = sum + Size::min(&term, &v("k"));
    }
    let _ = facts.simplify(&sum);
    let _ = facts.bounds(&sum);
    let _ = facts.const_bounds(&sum);
    let _ = facts.equal(&sum, &v("N"));
    let _ = facts.divides(&v("N3"), &sum);
    let _ = super::solve(&sum, &v("?U"), &var("N4"), &facts);
}

/// A sum of natural numbers is least where each of them is.
#[test]
fn sums_of_many_names_are_refuted_at_once() {
    let sum = (0..60).fold(n(-1), |sum, i| sum + v(&format!("A{i}")));
    work::take();
    assert_eq!(Facts::new().le(&n(0), &sum), Truth::Unknown);
    let terms = work::take();
    assert!(terms < 3000, "{terms} terms");
}
