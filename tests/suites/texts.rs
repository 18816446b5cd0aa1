//! The OpenCL text of small programs, one for each translation of a primitive. A change here affects all programs:
//! review it before accepting it with `UPDATE_EXPECT=1`.

use libtest_mimic::{Arguments, Trial};
use lift_codegen::lower;
use lift_codegen::plan::{Arg, BufferId, BufferRole, Step};
use lift_codegen::target::Target;
use lift_tests::check::Program;
use lift_tests::{files, golden};
use std::collections::HashSet;

/// A file of `tests/primitives`, its kernel, and the target.
const TEXTS: [(&str, &str, &str); 20] = [
    ("map", "sequential", "portable"),
    ("map", "global-2D", "portable"),
    ("map", "groups", "portable"),
    ("map", "chosen", "gpu"),
    ("reduce", "reduced", "portable"),
    ("reduce", "folded-to-a-tuple", "portable"),
    ("reduce", "scanned", "portable"),
    ("reduce", "until", "portable"),
    ("filter", "chosen", "portable"),
    ("filter", "in-a-group", "portable"),
    ("lengths", "several", "portable"),
    ("lengths", "counted", "portable"),
    ("rows", "kept", "portable"),
    ("sorting", "found", "portable"),
    ("views", "padded", "portable"),
    ("views", "scattered", "portable"),
    ("views", "transposed", "cpu"),
    ("vectors", "on-each-lane", "portable"),
    ("memory", "in-local-memory", "portable"),
    ("loops", "while-an-array-changes", "portable"),
];

/// Programs that repeat an operation: the text contains it once, and the kernel is not refused as too large.
const AGAIN: &str = "
(lift means (N M) ((array-type (array-type float M) N))
  (lambda (grid)
    (iterate #6
      (lambda (g)
        (map2D (lambda (w) (/ (head (reduce 0.0f + (join w))) 9.0f)) (slide2D #3 #1 (pad2D #1 #1 mirror g))))
      grid)))
(define (product a b)
  (map (lambda (r) (map (lambda (c) (head (reduce 0.0f + (zipWith * r c)))) (transpose b))) a))
(lift products (N) ((array-type (array-type float N) N))
  (lambda (a)
    (product a (product a (product a (product a (product a (product a
      (product a (product a (product a (product a (product a (product a a))))))))))))))
";

/// Maps whose code is written more than once before the compiler chooses how lanes lie. A table that looking makes stays.
const LOOKED_AT: &str = "
(lift middles (N M) ((array-type (array-type float M) (+ N 1)))
  (lambda (x) (map (lambda (c) (let s (sort < c) (tuple (sum c) (aref s (/ (length s) 2))))) (transpose x))))
(lift uneven (N) ((array-type (i) (array-type int (mod (* i i) 3)) N))
  (lambda (rows) (map (map (lambda (x) (* 2 x))) rows)))
";

/// A kernel of [`AGAIN`], a target, and the maximal size of its text in bytes.
const BYTES: [(&str, &str, usize); 4] = [
    ("means", "nvidia", 48_000),
    ("means", "cpu", 12_000),
    ("products", "nvidia", 125_000),
    ("products", "cpu", 9_000),
];

/// Limit on the work-items of a group, for a device that allows few.
const FEW: u32 = 64;

fn main() {
    let texts = TEXTS.iter().map(|(file, kernel, target)| {
        Trial::test(format!("{file}.{kernel}.{target}"), move || check(file, kernel, target).map_err(Into::into))
    });
    let bytes = BYTES.iter().map(|(kernel, target, most)| {
        Trial::test(format!("bytes.{kernel}.{target}"), move || is_short(kernel, target, *most).map_err(Into::into))
    });
    let groups = Trial::test("small-groups", || groups_are_small().map_err(Into::into));
    let memory = Trial::test("memory-is-used", || memory_is_used().map_err(Into::into));
    libtest_mimic::run(&Arguments::from_args(), texts.chain(bytes).chain([groups, memory]).collect()).exit();
}

/// What a kernel allocates, one of its launches uses: code that was only looked at asks for nothing.
fn memory_is_used() -> Result<(), String> {
    let program = Program::new(&files::root(), "looked-at.lift", LOOKED_AT);
    for kernel in program.kernels() {
        let core = kernel.core?;
        let compiled = lower::compile(&core, &"nvidia".parse::<Target>()?).map_err(|e| e[0].to_string())?;
        let mut used: HashSet<BufferId> = HashSet::new();
        in_launches(&compiled.plan.steps, &mut used);
        for (at, buffer) in compiled.plan.buffers.iter().enumerate() {
            if buffer.role == BufferRole::Temporary && !used.contains(&BufferId(at as u32)) {
                return Err(format!("no launch of `{}` uses `{}`", kernel.name, buffer.name));
            }
        }
    }
    Ok(())
}

fn in_launches(steps: &[Step], used: &mut HashSet<BufferId>) {
    for step in steps {
        if let Step::Launch(launch) = step {
            used.extend(launch.args.iter().filter_map(|arg| match arg {
                Arg::Buffer(id) => Some(*id),
                Arg::Size { .. } | Arg::Local { .. } => None,
            }));
        }
        step.inside().into_iter().for_each(|inner| in_launches(inner, used));
    }
}

fn is_short(kernel: &str, target: &str, most: usize) -> Result<(), String> {
    let program = Program::new(&files::root(), "again.lift", AGAIN);
    let found = program.kernels().into_iter().find(|k| k.name == kernel);
    let core = found.ok_or_else(|| format!("there is no kernel `{kernel}`"))?.core?;
    let compiled = lower::compile(&core, &target.parse::<Target>()?).map_err(|errors| errors[0].to_string())?;
    let bytes = compiled.opencl.text.len();
    if bytes > most { Err(format!("{kernel} for {target} has {bytes} bytes of text, not {most}")) } else { Ok(()) }
}

/// Checks that no function needs larger groups than the target allows.
fn groups_are_small() -> Result<(), String> {
    let target = Target::nvidia().with_groups_of(FEW).ok_or("no group is larger")?;
    let folder = files::root().join("tests/primitives");
    for (file, kernel, _) in TEXTS {
        let text = files::read(&folder.join(format!("{file}.lift")));
        let program = Program::new(&folder, &format!("{file}.lift"), golden::split_trailing(&text).0);
        let found = program.kernels().into_iter().find(|k| k.name == kernel);
        let core = found.ok_or_else(|| format!("{file}.lift has no kernel `{kernel}`"))?.core?;
        let compiled = lower::compile(&core, &target).map_err(|errors| errors[0].to_string())?;
        let large =
            |f: &lift_codegen::opencl::Function| f.group_size.is_some_and(|size| size.iter().product::<u32>() > FEW);
        if let Some(function) = compiled.functions.iter().find(|f| large(f)) {
            return Err(format!("{file}.{kernel}: {} relies on groups of {:?}", function.name, function.group_size));
        }
    }
    Ok(())
}

fn check(file: &str, kernel: &str, target: &str) -> Result<(), String> {
    let folder = files::root().join("tests/primitives");
    let path = folder.join(format!("{file}.lift"));
    let text = files::read(&path);
    let program = Program::new(&folder, &format!("{file}.lift"), golden::split_trailing(&text).0);
    let found = program.kernels().into_iter().find(|k| k.name == kernel);
    let core = found.ok_or_else(|| format!("{file}.lift has no kernel `{kernel}`"))?.core?;
    let compiled = lower::compile(&core, &target.parse::<Target>()?).map_err(|errors| errors[0].to_string())?;
    golden::check_file(
        &files::root().join("tests/texts").join(format!("{file}.{kernel}.{target}.cl")),
        &compiled.opencl.text,
    )
}
