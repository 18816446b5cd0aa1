//! Lengths that the host reads during a run, their checks, and reporting of all errors.

use super::*;
use crate::core::builder::*;
use crate::failure::Message;
use crate::plan::{BufferRole, Step};
use crate::schedule::Schedule;
use crate::target::Target;
use expect_test::expect;

fn compiled(kernel: &Kernel) -> Program {
    compile(kernel, &Target::portable()).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]))
}

/// The steps of the plan, one word each.
fn steps(kernel: &Kernel) -> String {
    let program = compiled(kernel);
    let word = |step: &Step| match step {
        Step::Launch(launch) => launch.label.clone(),
        Step::Measure { var, from, .. } => format!("{var} from {}", program.plan.buffer(*from).name),
        Step::Zero(id) => format!("zero {}", program.plan.buffer(*id).name),
        Step::While { .. } => "while".into(),
        Step::Repeat { .. } => "repeat".into(),
        Step::Swap(..) => "swap".into(),
        Step::For { .. } => "for".into(),
    };
    program.plan.steps.iter().map(word).collect::<Vec<_>>().join("; ")
}

fn int_kernel(name: &str, body: impl FnOnce(&mut Builder, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new(name);
    let k = b.param("k", int());
    let result = body(&mut b, &k);
    b.finish(&result)
}

#[test]
fn a_length_is_read_only_where_it_decides_about_memory() {
    let sum = int_kernel("sum", |b, k| {
        let counted = b.view(Prim::Iota, &[], &[k.clone()]);
        let (_, counted) = b.unpack(&counted);
        b.reduce(Level::Auto, 0, &counted, |b, a, x| b.add(a, x))
    });
    expect!["reduce: chunks; reduce: result"].assert_eq(&steps(&sum));
    let counted = int_kernel("counted", |b, k| b.view(Prim::Iota, &[], &[k.clone()]));
    expect!["L1 from k; copy"].assert_eq(&steps(&counted));
    let squares = int_kernel("squares", |b, k| {
        let more = b.add(k, 1);
        let counted = b.view(Prim::Iota, &[], &[more]);
        let (lengths, counted) = b.unpack(&counted);
        let squares = b.map(Level::Auto, &counted, |b, x| b.mul(x, x));
        b.pack(&squares, &lengths)
    });
    expect!["length; L1 from L1_found; map"].assert_eq(&steps(&squares));
    for k in [0, 1, 5, 1000] {
        for kernel in [&sum, &counted, &squares] {
            agrees(kernel, &[Value::Int(k)]);
        }
    }
}

#[test]
fn a_hidden_length_is_read_if_the_worst_case_grows_faster_than_the_inputs() {
    let kept = |b: &mut Builder, xs: &Atom| {
        let kept = b.filter(Level::Auto, xs, |b, x| b.lt(x, 3));
        b.unpack(&kept)
    };
    let with_input = |name: &str, body: &dyn Fn(&mut Builder, &Atom) -> Atom| {
        let mut b = Builder::new(name);
        let n = b.size("N");
        let xs = b.param("xs", array(int(), &n));
        let result = body(&mut b, &xs);
        b.finish(&result)
    };
    let products = with_input("products", &|b, xs| {
        let (lengths, f) = kept(b, xs);
        let products = b.map(Level::Auto, &f, |b, x| b.map(Level::Auto, &f, |b, y| b.mul(x, y)));
        b.pack(&products, &lengths)
    });
    expect!["filter: count; filter: compact; LX2 from kept_len; map"].assert_eq(&steps(&products));
    let program = compiled(&products);
    let result = program.plan.buffers.iter().filter(|b| b.role == BufferRole::Output);
    expect!["1 LX2*LX2"].assert_eq(&result.map(|b| b.capacity.to_string()).collect::<Vec<_>>().join(" "));
    let read = &program.report.read[0];
    expect![[r#"LX2: at most Some("N")"#]].assert_eq(&format!(
        "{}: at most {:?}",
        read.name,
        read.most.as_ref().map(ToString::to_string)
    ));
    // An input of two dimensions may need as much in any case.
    let mut b = Builder::new("of_rows");
    let (n, m) = (b.size("N"), b.size("M"));
    let xss = b.param("xss", array(array(int(), &m), &n));
    let row = b.view(Prim::Head, &[], &[xss.clone()]);
    let (lengths, f) = kept(&mut b, &row);
    let table = b.map(Level::Auto, &f, |b, x| b.map(Level::Auto, &f, |b, y| b.mul(x, y)));
    let table = b.pack(&table, &lengths);
    let of_rows = b.finish(&table);
    assert!(!steps(&of_rows).contains("LX"), "{}", steps(&of_rows));
    let many = |each: u64| {
        with_input("many", &|b, xs| {
            let (lengths, f) = kept(b, xs);
            let rows = b.map(Level::Auto, &f, |b, x| {
                let same = b.view(Prim::Fill, &[each.into()], &[x.clone()]);
                b.map(Level::Auto, &same, |b, y| b.mul(x, y))
            });
            b.pack(&rows, &lengths)
        })
    };
    assert!(!steps(&many(3)).contains("LX"), "few for each element");
    assert!(steps(&many(1000)).contains("LX"), "many for each element");
    for n in [0, 1, 7, 200] {
        agrees(&products, &[Value::Array(ArrayValue::Int((0..n).map(|i| i % 17).collect()))]);
    }
}

#[test]
fn the_longest_of_many_is_found_first() {
    let mut b = Builder::new("rows");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let rows = b.map(Level::Auto, &xs, |b, x| {
        let counted = b.view(Prim::Iota, &[], &[x.clone()]);
        let (lengths, counted) = b.unpack(&counted);
        let squares = b.map(Level::Seq, &counted, |b, y| b.mul(x, y));
        b.pack(&squares, &lengths)
    });
    let kernel = b.finish(&rows);
    expect!["reduce: chunks; reduce: result; L1 from longest; copy"].assert_eq(&steps(&kernel));
    for lengths in [vec![], vec![0], vec![3, 0, 7, 1], (0..300).map(|i| i % 17).collect()] {
        agrees(&kernel, &[Value::Array(ArrayValue::Int(lengths))]);
    }
}

#[test]
fn all_errors_that_are_independent_are_told() {
    let mut b = Builder::new("two");
    let n = b.size("N");
    let xss = b.param("xss", array(array(int(), &100_000u64.into()), &n));
    let local = |b: &mut Builder| {
        b.map(Level::Wrg(0), &xss, |b, row| {
            let here = b.map(Level::Lcl(0), row, |b, x| b.mul(x, x));
            let here = b.store(Space::Local, &here);
            b.map(Level::Lcl(0), &here, |b, x| b.add(x, 1))
        })
    };
    let (first, second) = (local(&mut b), local(&mut b));
    let both = b.tuple(&[first, second]);
    let errors = compile(&b.finish(&both), &Target::portable()).expect_err("rows that no local memory has room for");
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert_ne!(errors[0].origin, errors[1].origin);
}

#[test]
fn checks_are_counted_and_can_be_left_out() {
    let mut b = Builder::new("checked");
    let n = b.size("N");
    let (xs, is) = (b.param("xs", array(int(), &n)), b.param("is", array(int(), &n)));
    let ys = b.map(Level::Auto, &is, |b, i| {
        let x = b.aref(&xs, i);
        let half = b.div(&x, 2);
        b.div(&half, i)
    });
    let kernel = b.finish(&ys);
    let checked = compiled(&kernel);
    let kinds: Vec<&str> = checked.plan.failures.iter().map(|f| f.kind.name()).collect();
    assert_eq!((kinds, checked.plan.needless_checks), (vec!["index", "divisionByZero"], 1));
    let told: Vec<&str> = checked.report.left_out.iter().map(|c| &*c.message).collect();
    assert_eq!(told, ["division by zero"], "which it was is told, too");
    let unchecked = Target { checked: false, ..Target::portable() };
    let program = super::super::compile_scheduled(&Schedule::new(&kernel, &unchecked)).expect("it compiles");
    assert!(program.plan.failures.is_empty() && !program.opencl.text.contains("lift_fail"), "{}", program.opencl.text);
    let inputs = [ints(3), Value::Array(ArrayValue::Int(vec![1, 2, 1]))];
    agree(&kernel, &program, &inputs).unwrap_or_else(|problem| panic!("{problem}"));
}

/// A length is told as that of its own statement, also where another statement is the first to read it.
#[test]
fn an_impossible_length_belongs_to_its_statement() {
    let text = "kernel sum () (k : Int) -> Int
  let t : <∃X, Array[Int,X]> = iota k
  unpack (X1) t'2 : Array[Int,X1] = t
  let t'3 : Array[Int,1] = reduce (λ(a : Int, b : Int)
    let t'4 : Int = a + b
    t'4) 0 t'2
  let t'5 : Int = head t'3
  t'5
";
    let kernel = crate::core::parse::kernel(text).expect("it is well formed");
    for target in [Target::portable(), Target::cpu(), Target::gpu(), Target::nvidia()] {
        let program = compile(&kernel, &target).expect("it is compiled");
        let message = Message::impossible_length();
        let told = program.plan.failures.iter().filter(|f| f.message == message.template);
        let lines: Vec<u32> = told.map(|f| f.origin.expr.0).collect();
        assert_eq!(lines, [2], "{:?}", target.class);
    }
}

/// The lengths that memory requires are found without writing a function, so each further one costs little.
#[test]
fn the_host_level_alone_finds_lengths() {
    let kernel = int_kernel("squares", |b, k| {
        let counted = b.view(Prim::Iota, &[], &[k.clone()]);
        let (lengths, counted) = b.unpack(&counted);
        let squares = b.map(Level::Auto, &counted, |b, x| b.mul(x, x));
        b.pack(&squares, &lengths)
    });
    let schedule = Schedule::new(&kernel, &Target::portable());
    let (program, found) = crate::lower::host::program(&schedule, true);
    assert!(program.is_err_and(|errors| errors.is_empty() || !found.is_empty()));
    assert_eq!(found.len(), 1);
    let measuring = schedule.measuring(&found);
    let (program, all) = crate::lower::host::program(&measuring, true);
    assert_eq!(program.map(|p| p.functions.len()), Err(Vec::new()));
    assert!(all.is_subset(&found));
    let (program, _) = crate::lower::host::program(&measuring, false);
    assert_eq!(program.map(|p| p.functions.len()), Ok(1));
}
