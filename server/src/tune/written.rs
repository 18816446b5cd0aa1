//! A choice as part of the program: its rewritings, and `(with ((rows.team 16)) e)` around what a kernel computes.
//!
//! The changed program, compiled without the choice, gives the text that the program gives with it. Other choices are
//! refused.

use crate::engine;
use crate::program::{Program, Texts};
use crate::tuned::choice::Choice;
use crate::tuned::rewriting;
use lift_analysis::ide::{Analysis, Cancellable, DocLineKind, KernelInfo, SourceChange};
use lift_analysis::parameters::Settings;
use lift_codegen::core::print::meaning;
use lift_codegen::plan;
use lift_codegen::target::Target;
use lift_syntax::TextRange;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Where a choice is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Into the kernel.
    Kernel,
    /// Into a copy of the kernel, below it.
    Copy,
}

/// A choice to write, and the kernel.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    pub path: &'a Arc<str>,
    pub kernel: &'a KernelInfo,
    pub choice: &'a Choice,
    pub place: Place,
    /// How the choice was found; the documentation of a copy.
    pub found: &'a str,
}

/// A change of a program.
#[derive(Debug)]
pub struct Written {
    pub change: SourceChange,
    /// The kernel that has the choice.
    pub kernel: String,
    /// The fingerprint of that kernel's core.
    pub meaning: String,
    /// The file after the change.
    pub text: String,
}

/// Writes a choice into a program that consists of `texts`. The code is compared on each target; `Err` says why the
/// choice cannot be written.
pub fn write(texts: &Texts, wish: &Wish<'_>, targets: &[Target]) -> Cancellable<Result<Written, String>> {
    let (name, settings) = (&wish.kernel.name, wish.choice.settings());
    let Some(before) = texts.get(wish.path) else { return Ok(Err(format!("{} is not loaded", wish.path))) };
    let rewritten = match rewriting::apply(texts, wish.path, name, wish.choice.laws())? {
        Ok(rewritten) => rewritten,
        Err(why) => return Ok(Err(why)),
    };
    let (analysis, now) = (&rewritten.analysis, &rewritten.texts[wish.path]);
    let kernels = analysis.kernels(wish.path)?;
    let Some(kernel) = kernels.iter().find(|kernel| kernel.name == *name) else {
        return Ok(Err(format!("`{name}` has errors, or is in another language")));
    };
    let (at, kernel_at) = (kernel.focus.start(), kernel.range);
    let (changed, kernel) = match wish.place {
        Place::Kernel if settings == Settings::DEFAULT => (Some(SourceChange::default()), name.clone()),
        Place::Kernel => (analysis.write_settings(wish.path, at, &settings)?, name.clone()),
        Place::Copy => {
            let copy = free_name(analysis, wish.path, name)?;
            (analysis.copy_with_settings(wish.path, at, &settings, &copy, &docs(wish))?, copy)
        }
    };
    let Some(changed) = changed else {
        return Ok(Err(format!("`{name}` has errors, is in another language, or has {settings} already")));
    };
    let text = match wish.place {
        Place::Kernel => changed.applied(wish.path, now),
        Place::Copy => match with_copy(wish, kernel_at, &changed, before, now) {
            Some(text) => text,
            None => {
                return Ok(Err(format!(
                    "a copy of `{name}` needs changed definitions; write the choice into `{name}` itself"
                )));
            }
        },
    };
    let change = SourceChange::between(wish.path, before, &text);
    let mut after = texts.clone();
    after.insert(wish.path.clone(), text.as_str().into());
    let after = Program::load_texts(Path::new(&**wish.path), &after)?;
    for target in targets {
        let Some(tuned) = wish.choice.of(*target) else { continue };
        let old = engine::program(analysis, wish.path, name, &tuned)?;
        let new = engine::program_called(&after.analysis, wish.path, &kernel, name, target)?;
        let is_same = match (old, new) {
            (Ok(old), Ok(new)) => code(old) == code(new),
            (old, new) => old.is_err() && new.is_err(),
        };
        if !is_same {
            return Ok(Err(format!(
                "`{name}` uses definitions with a `with` of their own, which would count instead of {settings}"
            )));
        }
    }
    let core = engine::core(&after.analysis, wish.path, &kernel)?;
    let meaning = core.map(|core| format!("{:016x}", meaning(&core))).unwrap_or_default();
    Ok(Ok(Written { change, kernel, meaning, text }))
}

/// The program with the copy that `changed` adds to the rewritten program, but with the original kernel; `None` if the
/// rewritings changed more than the kernel.
fn with_copy(wish: &Wish<'_>, kernel_at: TextRange, changed: &SourceChange, before: &str, now: &str) -> Option<String> {
    let copy = changed.files.first()?.1.first()?;
    let rest = now.get(usize::from(copy.range.end())..)?;
    let own = before.strip_suffix(rest)?;
    let start = wish.kernel.range.start();
    let same = start == kernel_at.start() && before.get(..start.into())? == now.get(..start.into())?;
    same.then(|| format!("{own}{}{rest}", copy.new_text))
}

/// The text and the plan without the name of the kernel, which is in the text's first line.
pub fn code(mut program: plan::Program) -> [String; 2] {
    program.plan.kernel.clear();
    let text = program.opencl.text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned());
    [text, plan::json::to_json(&program, "", &|_| String::new())]
}

/// A name for a copy that the file does not define yet.
fn free_name(analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Cancellable<String> {
    let used: Vec<String> = analysis.types(path)?.into_iter().map(|form| form.name).collect();
    let names = (1..).map(|n| match n {
        1 => format!("{kernel}-tuned"),
        n => format!("{kernel}-tuned-{n}"),
    });
    Ok(names.into_iter().find(|name| !used.contains(name)).unwrap_or_default())
}

/// The documentation of a copy: how it was found, and the lines of the kernel that tools read.
fn docs(wish: &Wish<'_>) -> String {
    let mut out = format!(";;; `{}`, tuned: {}.\n", wish.kernel.name, wish.found);
    if let Some(line) = &wish.kernel.run_line {
        let _ = writeln!(out, ";;; run: {}", line.trim());
    }
    for line in &wish.kernel.lines {
        let word = match line.kind {
            DocLineKind::Test => "test",
            DocLineKind::Bench => "bench",
        };
        let _ = writeln!(out, ";;; {word}: {}", line.text.trim());
    }
    out
}
