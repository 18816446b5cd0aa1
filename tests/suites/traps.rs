//! Corner cases of generated code: every kind of kernel on every class of devices, with no elements, one, lengths near
//! the size of a work-group, all or none kept, and NaN; with work-groups of one work-item, and of at most 64. The
//! interpreter gives the expected results.

use libtest_mimic::{Arguments as Options, Trial};
use lift_codegen::core::Kernel;
use lift_codegen::plan;
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::value::{ArrayValue, Value};
use lift_fuzz::large::REFUSALS;
use lift_tests::check::Program;
use lift_tests::kernels::{Arguments, close, compiled_for, on_device, on_interpreter, unoptimized_device};
use std::path::Path;

/// The inputs of a kernel besides its size `N`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Takes {
    /// `(is int N) (fs float N)`
    Arrays,
    /// `(a float N×N) (b float N×N)`
    Squares,
}
use Takes::*;

/// Each kind of kernel: name, inputs, body. Kernels that filter keep elements below 50.
const KINDS: &[(&str, Takes, &str)] = &[
    ("map", Arrays, "(map (lambda (p) (+ (* 2.0f (get2 p)) (toFloat (get1 p)))) (zip is fs))"),
    ("reduce", Arrays, "(tuple (reduce 0 + is) (reduce 1000.0f min fs))"),
    ("reduceSeq", Arrays, "(reduceSeq 1 (lambda (s x) (- (* 3 s) x)) is)"),
    ("scan", Arrays, "(tuple (scan 0 + is) (scanExcl 1000.0f min fs))"),
    ("filter", Arrays, "(filter (lambda (x) (< x 50)) is)"),
    ("filter of floats, then map", Arrays, "(map (lambda (x) (* x 2.0f)) (filter (lambda (x) (< x 50.0f)) fs))"),
    ("filter into reduce", Arrays, "(reduce 0 + (filter (lambda (x) (< x 50)) is))"),
    ("filter of a filter", Arrays, "(filter (lambda (x) (> x 10)) (filter (lambda (x) (< x 50)) is))"),
    ("two filters", Arrays, "(tuple (filter (lambda (x) (< x 50)) is) (filter (lambda (x) (>= x 50)) is))"),
    (
        "filter of rows",
        Arrays,
        "(map (lambda (k) (reduce 0 + (filter (lambda (x) (< x k)) is))) (map (* 30) (iota 4)))",
    ),
    ("sort", Arrays, "(sort < is)"),
    ("sort of what is kept", Arrays, "(sort > (filter (lambda (x) (< x 50)) is))"),
    ("argsort", Arrays, "(argsort < is)"),
    ("argsort of floats", Arrays, "(argsort > fs)"),
    (
        "argsort by no order",
        Arrays,
        "(head (reduce 0 + (map (lambda (i) (* i i)) (argsort (lambda (a b) (not (>= a b))) fs))))",
    ),
    (
        "sort by no order",
        Arrays,
        "(head (reduce 0 + (map (lambda (x) (* x x)) (sort (lambda (a b) (< (* 50000000 (- a b)) 0)) is))))",
    ),
    ("fold by key", Arrays, "(map (lambda (k) (reduce 0 + (map (lambda (x) (if (= (mod x 7) k) x 0)) is))) (iota 7))"),
    ("search", Arrays, "(map (lambda (key) (search (lambda (x) (- key x)) (map (* 3) (iota #N)))) is)"),
    ("scatter", Arrays, "(scatter (lambda (i) (- (- N 1) i)) is)"),
    ("concat", Arrays, "(concat (reverse is) (map (lambda (x) (- x 1)) is))"),
    ("window", Arrays, "(map (reduceSeq 0.0f max) (slide #3 #1 (pad #1 #1 clamp (concat (fill #1 0.5f) fs))))"),
    (
        "until",
        Arrays,
        "(iterateWhile (lambda (v) (< (head (reduce 0 + v)) 1000)) (map (lambda (x) (+ x 10))) (concat (fill #1 1) is))",
    ),
    (
        "matmul",
        Squares,
        "(map (lambda (r) (map (lambda (c) (reduce 0.0f + (map (uncurry *) (zip r c)))) (transpose b))) a)",
    ),
    ("transpose", Squares, "(transpose a)"),
    ("sums of rows", Squares, "(map (reduce 0.0f +) a)"),
    ("scans of rows", Squares, "(map (scan 0.0f +) b)"),
    (
        "stencil",
        Squares,
        "(map (map (lambda (w) (reduceSeq 0.0f max (join w)))) (map transpose (slide #3 #1 (map (slide #3 #1) (pad #1 #1 clamp (map (pad #1 #1 clamp) (concat a (fill #1 (fill #N 1.0f)))))))))",
    ),
];

/// Views that are not stored, with lengths near 2^31 and 2^32: name, N, body, result. A program may be refused for its
/// length by an error that says so ([`REFUSALS`]), but must not give another result.
const LARGE: &[(&str, i64, &str, &str)] = &[
    ("any", 65536, "(any (= 5) PLANE)", "true"),
    ("lsearch", 65536, "(lsearch (lambda (x) (- x 65535)) PLANE)", "65535"),
    ("reduceWhileSeq", 65536, "(head (reduceWhileSeq (lambda (s) (< s 10)) 0 + PLANE))", "10"),
    ("length", 65536, "(length PLANE)", "4294967296"),
    ("length beyond 2^31", 46341, "(length PLANE)", "2147488281"),
    ("element", 65536, "(aref PLANE 65540)", "4"),
    ("part", 65536, "(sumi (drop #65530 (take #65540 PLANE)))", "393201"),
    ("last", 65536, "(last PLANE)", "65535"),
    ("concat", 65536, "(aref (concat PLANE (iota #N)) 65537)", "1"),
    ("cast to nothing", 65536, "(length (: PLANE (array-type int 0)))", "no"),
    ("cast that is true", 65536, "(head (: PLANE (array-type int (* 65536 65536))))", "0"),
    (
        "false cast of hidden length",
        65536,
        "(sumi (: (join (map (lambda (x) (iota #N)) (filter (< -1) (iota #N)))) (array-type int 0)))",
        "no",
    ),
    (
        "any of hidden length",
        65536,
        "(any (= 5) (join (map (lambda (x) (iota #N)) (filter (< -1) (iota #N)))))",
        "true",
    ),
    ("twice as long", 1 << 30, "(any (= 5) (concat (iota #N) (concat (iota #N) (iota #N))))", "true"),
    ("what a branch that is not taken counts", 65536, "(if (< N 100) (any (= 5) PLANE) (any (= 5) (iota #N)))", "true"),
    ("a size is exact", 1_431_655_000, "(length (map (+ 1) (iota (- 10 (+ N (+ N N))))))", "no"),
    (
        "a stored array of an exact size",
        1_431_655_000,
        "(last (scan 0 + (map (+ 1) (iota (- 10 (+ N (+ N N)))))))",
        "no",
    ),
    (
        "a length that wraps",
        1_431_655_000,
        "(let n (head (fill #1 N)) (length (map (+ 1) (iota (- 10 (+ n (+ n n)))))))",
        "2306",
    ),
    (
        "a stored array whose length wraps",
        1_431_655_000,
        "(let n (head (fill #1 N)) (last (scan 0 + (map (+ 1) (iota (- 10 (+ n (+ n n))))))))",
        "2659971",
    ),
];

/// The content of the inputs.
#[derive(Debug, Clone, Copy)]
enum Data {
    /// Some elements are kept.
    Mixed,
    AllKept,
    NoneKept,
    /// Infinities, negative zero and NaN.
    Special,
}
const DATA: [Data; 4] = [Data::Mixed, Data::AllKept, Data::NoneKept, Data::Special];

impl Data {
    fn int(self, i: usize) -> i32 {
        match self {
            Data::Mixed | Data::Special => (i * 37 % 101) as i32,
            Data::AllKept => (i % 50) as i32,
            Data::NoneKept => 50 + (i * 7 % 50) as i32,
        }
    }
    /// Small multiples of 1/4, so that sums of a few thousand are exact in any order.
    fn float(self, i: usize) -> f32 {
        const SPECIAL: [f32; 6] = [f32::INFINITY, -0.0, f32::NAN, 1.25, f32::NEG_INFINITY, 0.0];
        match self {
            Data::Special => SPECIAL[i * 5 % SPECIAL.len()],
            _ => self.int(i) as f32 + (i % 4) as f32 / 4.0,
        }
    }
}

/// Zero, one, and one more than a work-group of 64 or 256, and than the tile of an NVIDIA GPU; then lengths for small
/// work-groups. The first length is tried with all data, the others with mixed data.
const LENGTHS: &[usize] = &[257, 0, 1, 65, 4099];
const SHORT: &[usize] = &[65, 0, 1, 7];
/// Side lengths of squares.
const SIDES: &[usize] = &[17, 0, 1, 65];
const SHORT_SIDES: &[usize] = &[17, 0, 1];

const NAMED: [(&str, Target); 4] =
    [("portable", Target::portable()), ("gpu", Target::gpu()), ("cpu", Target::cpu()), ("nvidia", Target::nvidia())];

/// Targets, also with other work-groups, by name, and whether they have the short lengths.
fn classes() -> Vec<(&'static str, Target, bool)> {
    let most = |target: Target, n: u32| Target { group: target.group.min(n), most_in_group: n, ..target };
    let small = [
        ("portable, groups of 1", most(Target::portable(), 1), true),
        ("portable, groups of 64 at most", most(Target::portable(), 64), false),
        ("nvidia, groups of 1", most(Target::nvidia(), 1), true),
        ("nvidia, groups of 64 at most", most(Target::nvidia(), 64), true),
    ];
    NAMED.into_iter().map(|(name, target)| (name, target, false)).chain(small).collect()
}

fn main() {
    let mut trials = Vec::new();
    for &(kind, takes, body) in KINDS {
        for (class, target, short) in classes() {
            let name = format!("{kind}: {class}");
            trials.push(Trial::test(name, move || test(takes, body, &target, short).map_err(Into::into)));
        }
    }
    for &(kind, n, body, expected) in LARGE {
        for (class, target) in NAMED {
            let name = format!("large: {kind}: {class}");
            trials.push(Trial::test(name, move || large(n, body, expected, &target).map_err(Into::into)));
        }
    }
    libtest_mimic::run(&Options::from_args(), trials).exit();
}

fn test(takes: Takes, body: &str, target: &Target, short: bool) -> Result<(), String> {
    let (types, names) = match takes {
        Arrays => ("(array-type int N) (array-type float N)", "is fs"),
        Squares => ("(array-type (array-type float N) N) (array-type (array-type float N) N)", "a b"),
    };
    let text = format!("(lift trap (N) ({types})\n  (lambda ({names})\n    {body}))\n");
    let program = Program::new(Path::new("."), "trap.lift", &text);
    if !program.is_well_typed() {
        return Err(program.outcome());
    }
    let kernel = program.kernels().into_iter().next().ok_or("no kernel")?.core?;
    let compiled = compiled_for(&kernel, target)?;
    let lengths = match (takes, short) {
        (Arrays, false) => LENGTHS,
        (Arrays, true) => SHORT,
        (Squares, false) => SIDES,
        (Squares, true) => SHORT_SIDES,
    };
    for (at, &n) in lengths.iter().enumerate() {
        for data in if at == 0 { &DATA[..] } else { &DATA[..1] } {
            agree(&kernel, &compiled, takes, n, *data).map_err(|why| format!("N={n}, {data:?}: {why}"))?;
        }
    }
    Ok(())
}

fn large(n: i64, body: &str, expected: &str, target: &Target) -> Result<(), String> {
    let body = body.replace("PLANE", "(join (map (lambda (x) (iota #N)) (iota #N)))");
    let program = Program::new(Path::new("."), "trap.lift", &format!("(lift trap (N) () (lambda () {body}))\n"));
    if !program.is_well_typed() {
        return Err(program.outcome());
    }
    let kernel = program.kernels().into_iter().next().ok_or("no kernel")?.core?;
    let sizes = kernel.sizes.iter().cloned().map(|size| (size, n)).collect::<SizeValues>();
    let result =
        on_device(&compiled_for(&kernel, target)?, &Arguments { values: Vec::new(), sizes }, unoptimized_device());
    match result {
        Ok(value) if value.to_string() == expected => Ok(()),
        Ok(value) => Err(format!("{value} instead of {expected}")),
        Err(message) if REFUSALS.iter().any(|refusal| message.contains(refusal)) => Ok(()),
        Err(message) => Err(message),
    }
}

fn agree(kernel: &Kernel, compiled: &plan::Program, takes: Takes, n: usize, data: Data) -> Result<(), String> {
    let floats = |from: usize, count: usize| -> Value {
        Value::Array(ArrayValue::Float((from..from + count).map(|i| data.float(i)).collect()))
    };
    let values = match takes {
        Arrays => vec![Value::Array(ArrayValue::Int((0..n).map(|i| data.int(i)).collect())), floats(0, n)],
        Squares => [0, 3].map(|from| Value::rows((0..n).map(|row| floats(from + row * n, n)))).to_vec(),
    };
    let sizes = kernel.sizes.iter().cloned().map(|size| (size, n as i64)).collect::<SizeValues>();
    let arguments = Arguments { values, sizes };
    let meaning = on_interpreter(kernel, &arguments);
    let result = on_device(compiled, &arguments, unoptimized_device());
    let same = match (&meaning, &result) {
        (Ok(meaning), Ok(result)) => close(meaning, result),
        (Err(meaning), Err(result)) => meaning == result,
        _ => false,
    };
    let short = |r: &Result<Value, String>| format!("{r:?}").chars().take(600).collect::<String>();
    if same { Ok(()) } else { Err(format!("interpreter {}\ndevice {}", short(&meaning), short(&result))) }
}
