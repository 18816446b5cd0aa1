//! The source map of generated OpenCL is well formed for every example, covers all computation, and leads to the
//! expressions that a line was generated for.

use expect_test::expect;
use lift_codegen::opencl::OpenClText;
use lift_codegen::opencl::barriers::verify;
use lift_codegen::target::Target;
use lift_tests::check::Program;
use lift_tests::{files, kernels, sample};

/// Returns the innermost source text of a byte of the OpenCL text.
fn source_at<'s>(program: &Program, source: &'s str, opencl: &OpenClText, at: usize) -> Option<&'s str> {
    let within = |r: &std::ops::Range<u32>| r.start as usize <= at && at < r.end as usize;
    let (_, origin) = opencl.map.iter().rfind(|(range, _)| within(range))?;
    let place = program.analysis().resolve_origin(origin).expect("no edit, no cancellation")?;
    (&*place.path == program.path()).then(|| &source[place.range.start().into()..place.range.end().into()])
}

/// Returns the start and the text of each line.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end())
    })
}

/// Prints each line of the OpenCL text with its source.
fn side_by_side(program: &Program, source: &str, opencl: &OpenClText) -> String {
    let mut out = String::new();
    for (start, line) in lines(&opencl.text) {
        let first = start + line.len() - line.trim_start().len();
        let from = source_at(program, source, opencl, first).unwrap_or_default();
        let from = from.split_whitespace().collect::<Vec<_>>().join(" ");
        out += format!("{line:70} | {from}").trim_end();
        out.push('\n');
    }
    out
}

#[test]
fn a_line_leads_to_its_words() {
    let source = "\
(lift twice (N) ((array-type float N))
  (lambda (xs)
    (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)))
";
    let program = Program::new(&files::root(), "twice.lift", source);
    let kernel = &program.kernels()[0];
    let compiled = kernels::compiled(kernel.core.as_ref().expect("it is well typed")).expect("it compiles");
    expect![[r#"
        // twice: generated from Lift.                                         |
        //                                                                     |
        // Every kernel is right for any number of work-items; the host plan says how many are useful. |
        #pragma OPENCL FP_CONTRACT OFF                                         |
                                                                               |
        // map                                                                 |
        __kernel void mapped(                                                  | (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)
            __global const float* restrict xs,                                 | (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)
            __global float* restrict result,                                   | (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)
            int N)                                                             | (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)
        {                                                                      | (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)
          for (int i = get_global_id(0); i < N; i += get_global_size(0)) {     | (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)
            result[i] = sqrt(xs[i]) * 2.0f;                                    | (* y 2.0f)
          }                                                                    | (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)
        }                                                                      | (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)
    "#]].assert_eq(&side_by_side(&program, source, &compiled.opencl));
}

/// A subexpression leads to its own source, not to that of the whole statement.
#[test]
fn a_part_of_an_expression_leads_to_its_words() {
    let check = |source: &str, expected: &[(&str, &str)]| {
        let program = Program::new(&files::root(), "parts.lift", source);
        let kernel = &program.kernels()[0];
        let compiled = kernels::compiled(kernel.core.as_ref().expect("it is well typed")).expect("it compiles");
        let opencl = &compiled.opencl;
        for (part, from) in expected {
            let at = opencl.text.find(part).unwrap_or_else(|| panic!("no {part} in {}", opencl.text));
            assert_eq!(source_at(&program, source, opencl, at), Some(*from), "{part}");
        }
    };
    check(
        "(lift twice (N) ((array-type float N)) (lambda (xs) (mapGlb (lambda (x) (let y (sqrt x) (* y 2.0f))) xs)))",
        &[("sqrt(", "(sqrt x)"), ("result[i] =", "(* y 2.0f)")],
    );
    check(
        "(lift evens (N) ((array-type int N)) (lambda (xs) (filter (lambda (x) (= (mod x 2) 0)) xs)))",
        &[("xs[i] % 2", "(mod x 2)"), ("% 2 == 0", "(mod x 2)"), ("== 0) {", "(= (mod x 2) 0)")],
    );
}

const OTHERS: [Target; 3] = [Target::gpu(), Target::nvidia(), Target::cpu()];

#[test]
fn the_maps_of_all_examples_are_well_formed() {
    let folder = files::root().join("examples");
    let (mut kernels_seen, mut tried, mut compiled_for_others) = (0, 0, 0);
    for path in files::below(&folder, ".lift") {
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        let source = files::read(&path);
        let program = Program::new(&folder, &name, &source);
        if !program.is_well_typed() {
            continue;
        }
        for kernel in program.kernels() {
            let Ok(core) = &kernel.core else { panic!("{name}: no core of `{}`", kernel.name) };
            kernels_seen += 1;
            let Ok(compiled) = kernels::compiled(core) else { panic!("{name}: `{}` does not compile", kernel.name) };
            check(&program, &compiled.opencl).unwrap_or_else(|e| panic!("{name}, `{}`: {e}", kernel.name));
            for (i, target) in OTHERS.iter().enumerate() {
                if !sample::takes(&(&name, &kernel.name, i), kernels::ONE_IN) {
                    continue;
                }
                tried += 1;
                // Compiling verifies barriers; unsupported code may be refused for this class of devices.
                compiled_for_others += u32::from(kernels::compiled_for(core, target).is_ok());
            }
        }
    }
    assert!(kernels_seen > 20, "only {kernels_seen} kernels were seen");
    assert!(compiled_for_others + tried / 20 >= tried, "only {compiled_for_others} of {tried} on other classes");
}

#[test]
fn there_are_barriers_to_verify() {
    let folder = files::root().join("examples");
    for (name, target) in [("matmul", "gpu"), ("sum", "portable"), ("scan", "nvidia"), ("gemv", "gpu")] {
        let name = format!("gallery/{name}.lift");
        let program = Program::new(&folder, &name, &files::read(&folder.join(&name)));
        let kernels = program.kernels();
        let barriers = kernels.iter().map(|kernel| {
            let core = kernel.core.as_ref().expect("an example has core");
            let target = target.parse().expect("a class of devices");
            let compiled = kernels::compiled_for(core, &target).expect("an example is compiled");
            verify(&compiled.functions, &compiled.opencl.text).expect("its barriers are right")
        });
        assert!(barriers.sum::<usize>() > 0, "{name} has no barrier for {target}: nothing is verified");
    }
}

fn check(program: &Program, opencl: &OpenClText) -> Result<(), String> {
    let text = &opencl.text;
    let mut open: Vec<&std::ops::Range<u32>> = Vec::new();
    for (range, origin) in &opencl.map {
        let (start, end) = (range.start as usize, range.end as usize);
        if start >= end || text.get(start..end).is_none() {
            return Err(format!("{range:?} is not a range of the text"));
        }
        while open.last().is_some_and(|outer| outer.end <= range.start) {
            open.pop();
        }
        if open.last().is_some_and(|outer| range.end > outer.end) {
            return Err(format!("{range:?} lies across {:?}", open.last()));
        }
        open.push(range);
        let place = program.analysis().resolve_origin(origin).expect("no edit, no cancellation");
        if place.is_none_or(|place| place.range.is_empty()) {
            return Err(format!("the origin of {range:?} is nowhere: {:?}", &text[start..end]));
        }
    }
    // All code in kernels has a source; helper functions before the kernels have none.
    let mut within = false;
    for (start, line) in lines(text) {
        within |= line.starts_with("__kernel");
        let first = start + line.len() - line.trim_start().len();
        let covered = opencl.map.iter().any(|(r, _)| (r.start as usize..r.end as usize).contains(&first));
        if within && line.starts_with("  ") && !covered {
            return Err(format!("nothing is said of where this line comes from: {line}"));
        }
        within &= line != "}";
    }
    Ok(())
}
