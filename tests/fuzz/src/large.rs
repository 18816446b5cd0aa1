//! Views that are stored nowhere, with lengths near 2^31 and 2^32: each target gives the element, or refuses the length by
//! an error that says so.
//!
//! The interpreter would need days: each [`View`] has a formula of its elements instead.

use crate::choices::Random;
use crate::{Case as Outcome, Wrong, guarded, remember};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_tests::check::Program;
use lift_tests::kernels::{Arguments, compiled_for, on_device, unoptimized_device};
use std::path::Path;

/// Errors about a length that generated code does not count to, that a cast denies, or that needs too much memory.
pub const REFUSALS: [&str; 8] = [
    "generated code counts to",
    "generated code counts no further",
    "is at most 2147483647`, which is false",
    "equals 0`, which is false",
    "is positive`, which is false",
    "is not negative`, which is false",
    "a checked cast is false",
    "the device allows",
];

/// A view of `PLANE`, N rows of 0 to N-1.
pub struct View {
    pub text: &'static str,
    pub len: fn(i64) -> i64,
    /// The element at an index, for N.
    pub at: fn(i64, i64) -> i64,
}

const fn of(text: &'static str, len: fn(i64) -> i64, at: fn(i64, i64) -> i64) -> View {
    View { text, len, at }
}

const PLANE: &str = "(join (map (lambda (x) (iota #N)) (iota #N)))";

pub const VIEWS: [View; 10] = [
    of("PLANE", |n| n * n, |n, i| i % n),
    of("(join (fill #N (iota #N)))", |n| n * n, |n, i| i % n),
    of("(join (transpose (map (lambda (x) (iota #N)) (iota #N))))", |n| n * n, |n, i| i / n),
    of("(reverse PLANE)", |n| n * n, |n, i| (n * n - 1 - i) % n),
    of("(pad #3 #2 clamp PLANE)", |n| n * n + 5, |n, i| (i - 3).clamp(0, n * n - 1) % n),
    of("(concat (iota #3) PLANE)", |n| n * n + 3, |n, i| if i < 3 { i } else { (i - 3) % n }),
    of("(tail PLANE)", |n| n * n - 1, |n, i| (i + 1) % n),
    of("(join (slide #2 #1 PLANE))", |n| 2 * (n * n - 1), |n, i| (i / 2 + i % 2) % n),
    of("(join (map reverse (split N PLANE)))", |n| n * n, |n, i| n - 1 - i % n),
    of("(drop #7 PLANE)", |n| n * n - 7, |n, i| (i + 7) % n),
];

/// A computation on a view `VIEW`.
pub struct Use {
    pub text: &'static str,
    /// The result, from the length and the elements; `None` if the program must stop.
    pub result: fn(i64, &dyn Fn(i64) -> i64) -> Option<i64>,
}

const fn gives(text: &'static str, result: fn(i64, &dyn Fn(i64) -> i64) -> Option<i64>) -> Use {
    Use { text, result }
}

fn part(from: i64, count: i64, len: i64, at: &dyn Fn(i64) -> i64) -> Option<i64> {
    (from + count <= len).then(|| (from..from + count).map(at).sum())
}

pub const USES: [Use; 11] = [
    gives("(head VIEW)", |_, at| Some(at(0))),
    gives("(last VIEW)", |len, at| Some(at(len - 1))),
    gives("(length VIEW)", |len, _| Some(len)),
    gives("(aref VIEW 65540)", |_, at| Some(at(65540))),
    gives("(aref VIEW 2147483647)", |len, at| part(2_147_483_647, 1, len, at)),
    gives("(sumi (drop #65530 (take #65540 VIEW)))", |len, at| part(65530, 10, len, at)),
    gives("(sumi (take #4 (drop #2147483646 VIEW)))", |len, at| part(2_147_483_646, 4, len, at)),
    gives("(sumi (take #4 (drop #(+ 2147483647 2147483647) VIEW)))", |len, at| part(4_294_967_294, 4, len, at)),
    gives("(sumi (take #5 (reverse VIEW)))", |len, at| part(len - 5, 5, len, at)),
    gives("(sumi (map (lambda (i) (aref VIEW (* i 200000000))) (iota #10)))", |_, at| {
        Some((0..10).map(|i| at(i * 200_000_000)).sum())
    }),
    gives("(head (reduceWhileSeq (lambda (s) (< s 10)) 0 + VIEW))", |len, at| {
        let mut sum = 0;
        for x in (0..len).map(at) {
            if sum >= 10 {
                break;
            }
            sum += x;
        }
        Some(sum)
    }),
];

/// The N whose squares are next to 2^31 and 2^32, and more than 2^33.
pub const SIDES: [i64; 6] = [46340, 46341, 65535, 65536, 65537, 92682];

fn targets() -> [Target; 4] {
    [Target::portable(), Target::cpu(), Target::gpu(), Target::nvidia()]
}

/// A program, its size and a target, as indices into the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    pub view: usize,
    pub used: usize,
    pub side: usize,
    pub target: usize,
}

impl Case {
    pub fn number() -> usize {
        VIEWS.len() * USES.len() * SIDES.len() * targets().len()
    }

    pub fn nth(n: usize) -> Case {
        let (n, target) = (n / targets().len(), n % targets().len());
        let (n, side) = (n / SIDES.len(), n % SIDES.len());
        Case { view: n / USES.len() % VIEWS.len(), used: n % USES.len(), side, target }
    }

    pub fn text(&self) -> String {
        let body = USES[self.used].text.replace("VIEW", VIEWS[self.view].text).replace("PLANE", PLANE);
        lift_syntax::format(&format!("(lift large (N) () (lambda () {body}))\n"))
    }

    /// Compares a device with the formula; `false` if the length is refused.
    pub fn is_right(&self) -> Result<bool, String> {
        let text = self.text();
        remember("large", &text);
        let program = Program::new(Path::new("."), "large.lift", &text);
        if !program.is_well_typed() {
            return Err(format!("refused: {}", program.outcome()));
        }
        let kernel = program.kernels().into_iter().next().ok_or("no kernel")?.core?;
        let n = SIDES[self.side];
        let view = &VIEWS[self.view];
        let expected = (USES[self.used].result)((view.len)(n), &|i| (view.at)(n, i));
        let sizes = kernel.sizes.iter().cloned().map(|size| (size, n)).collect::<SizeValues>();
        let target = targets()[self.target];
        let arguments = Arguments { values: Vec::new(), sizes };
        let result = on_device(&compiled_for(&kernel, &target)?, &arguments, unoptimized_device());
        match (result, expected) {
            (Ok(value), Some(expected)) if value.to_string() == expected.to_string() => Ok(true),
            (Err(_), None) => Ok(true),
            (Err(why), Some(_)) if REFUSALS.iter().any(|refusal| why.contains(refusal)) => Ok(false),
            (result, expected) => Err(format!("N={n}, {:?}: {result:?} instead of {expected:?}", target.class)),
        }
    }
}

/// Tests one case.
pub fn try_one(seed: u64) -> Outcome {
    let case = Case::nth(Random::scattered(seed, Case::number()));
    match guarded(|| case.is_right()) {
        Ok(false) => Outcome::Rejected,
        Ok(true) => Outcome::Accepted,
        Err(why) => Outcome::Wrong(Wrong { program: case.text(), why }),
    }
}
