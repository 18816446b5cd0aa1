//! Project Euler: each line of `examples/euler/answers.txt` has a run line of a problem and its answer. OpenCL must
//! give every answer, the interpreter those of the programs' own `;;; run:` lines. The table in the folder's README
//! lists what the checker inserted.

use libtest_mimic::{Arguments, Trial};
use lift_tests::check::Program;
use lift_tests::kernels::{self, Runnable};
use lift_tests::{files, golden};
use std::path::PathBuf;

const PROBLEMS: usize = 30;
/// The lines of the README around the table.
const TABLE: [&str; 2] =
    ["<!-- made by the tests: UPDATE_EXPECT=1 cargo test -p lift-tests --test euler -->", "<!-- end -->"];

/// A line of `answers.txt`.
#[derive(Clone)]
struct Answer {
    problem: usize,
    run: String,
    answer: String,
}

fn main() {
    let answers = answers();
    let mut trials = vec![
        Trial::test("every problem is answered", {
            let answers = answers.clone();
            move || every_problem(&answers).map_err(Into::into)
        }),
        Trial::test("the table of the README is in step", || table().map_err(Into::into)),
    ];
    for answer in answers {
        let name = format!("p{:02} {}", answer.problem, answer.run);
        trials.push(Trial::test(name, move || check(&answer).map_err(Into::into)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn folder() -> PathBuf {
    files::root().join("examples/euler")
}

fn answers() -> Vec<Answer> {
    let parse = |line: &str| {
        let (run, answer) = line.rsplit_once(" = ")?;
        let (problem, run) = run.split_once(' ')?;
        let problem = problem.strip_prefix('p')?.parse().ok()?;
        Some(Answer { problem, run: run.to_owned(), answer: answer.to_owned() })
    };
    let text = files::read(&folder().join("answers.txt"));
    text.lines().map(|line| parse(line).unwrap_or_else(|| panic!("answers.txt: `{line}`"))).collect()
}

fn program(problem: usize) -> Program {
    let name = format!("{problem:02}.lift");
    Program::new(&folder(), &name, &files::read(&folder().join(&name)))
}

fn kernel(problem: usize) -> Result<Runnable, String> {
    let mut kernels = program(problem).kernels();
    match kernels.pop() {
        Some(kernel) if kernels.is_empty() && kernel.name == format!("p{problem:02}") => Ok(kernel),
        _ => Err(format!("{problem:02}.lift has one kernel, p{problem:02}")),
    }
}

/// Checks that the first line of each problem is its program's run line.
fn every_problem(answers: &[Answer]) -> Result<(), String> {
    for problem in 1..=PROBLEMS {
        let first = answers.iter().find(|a| a.problem == problem).map(|a| a.run.clone());
        let run_line = kernel(problem)?.run_line.map(|line| line.trim().to_owned());
        if first.is_none() || first != run_line {
            return Err(format!("problem {problem}: answers.txt has {first:?}, the program {run_line:?}"));
        }
    }
    Ok(())
}

fn check(answer: &Answer) -> Result<(), String> {
    let kernel = kernel(answer.problem)?;
    let core = kernel.core?;
    let arguments = kernels::arguments(&core, &answer.run, &kernel.folder)?;
    let compiled = kernels::compiled(&core)?;
    let mut results = vec![("OpenCL", kernels::on_device(&compiled, &arguments, kernels::device())?)];
    if kernel.run_line.as_deref().map(str::trim) == Some(&*answer.run) {
        results.push(("the interpreter", kernels::on_interpreter(&core, &arguments)?));
    }
    for (place, value) in results {
        let text = lift_codegen::io::print::to_text(&value);
        if text.trim() != answer.answer {
            return Err(format!("{place} says {}, and not {}", text.trim(), answer.answer));
        }
    }
    Ok(())
}

/// Checks the table of insertions, made by comparing each program with its elaborated text.
fn table() -> Result<(), String> {
    let mut rows = String::from("\n| problem | is | opens | packs |\n|---|---|---|---|\n");
    let (mut all_opens, mut all_packs) = (0, 0);
    for problem in 1..=PROBLEMS {
        let program = program(problem);
        let name = format!("{problem:02}.lift");
        let text = files::read(&folder().join(&name));
        let elaborated = program.elaborated();
        let inserted = |form: &str| elaborated.matches(form).count() - text.matches(form).count();
        let (opens, packs) = (inserted("(unpack "), inserted("(pack "));
        all_opens += opens;
        all_packs += packs;
        rows += &format!("| [{problem}]({name}) | {} | {opens} | {packs} |\n", statement(&text, problem)?);
    }
    rows += &format!("| all | | {all_opens} | {all_packs} |\n\n");
    let path = folder().join("README.md");
    let readme = files::read(&path);
    let [start, end] = TABLE;
    let (before, rest) = readme.split_once(start).ok_or("the README has no line where the table begins")?;
    let (_, after) = rest.split_once(end).ok_or("the README has no line where the table ends")?;
    golden::check_file(&path, &format!("{before}{start}\n{rows}{end}{after}"))
}

/// Returns the first sentence of the documentation.
fn statement(text: &str, problem: usize) -> Result<String, String> {
    let start = format!(";;; Problem {problem}: ");
    let (_, rest) = text.split_once(&start).ok_or(format!("{problem:02}.lift does not begin with `{start}`"))?;
    let lines = rest.lines().map(|line| line.trim_start_matches(";;;").trim());
    let documentation = lines.take_while(|line| !line.starts_with("run:")).collect::<Vec<_>>().join(" ");
    let first = documentation.split_once(". ").map_or(&*documentation, |(first, _)| first);
    Ok(first.trim_end_matches('.').replace('|', "\\|"))
}
