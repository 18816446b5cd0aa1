//! `docs/laws.md`: the laws as a page, printed from the laws.

use super::answered;
use lift_analysis::ide::{AnalysisHost, SourceChange};
use lift_analysis::laws::{Condition, Direction, LAWS_TEXT, Law};
use std::fmt::Write as _;
use std::io;

const HEAD: &str = "\
# Laws of rewriting

This page is printed from `analysis/prelude/laws.lift`.

A law is a pair of expressions that mean the same. The editor offers each law as a code action, in the directions that have a
title, where a side of it matches at the cursor and the result checks to the same type. `lift laws` checks and tests laws; `lift
laws FILE` does so for those of a program.

A law is a definition whose body is a tuple of its two sides; its parameters are the variables of the pattern. A variable that is
applied stands for any function. Lines of the documentation say what a rewriting does and when it may be done:

| line | says |
|---|---|
| `forwards: Fuse the maps` | the title of the rewriting from the first side to the second; without it there is none |
| `backwards: Split the map in two` | the title of the other direction |
| `where: (associative f) (commutative f) (neutral z f)` | what types do not say; known of `+ * min max and or bitand bitor bitxor`, otherwise the action's title names it as assumed |
| `forwards where: (total f)`, `backwards where: (total g x)` | what one direction needs: that calling `f`, or calling `g` with `x`, cannot fail, because it computes that where the program may not; found out from the program, otherwise assumed |
| `try: k 4 32` | values for a size that matching leaves open; the first is taken with which nothing is assumed |

Conditions on lengths follow from the types: where one side needs that 4 divides N, the title says so, and a run checks it.
A reordered reduction of floats may round otherwise. In the editor, the laws of a program and of its imports are offered, too.
";

/// The page about laws.
pub fn page(laws: &[Law]) -> io::Result<String> {
    let mut out = HEAD.to_owned();
    let sections = sections();
    for law in laws {
        if let Some((title, _)) = sections.iter().find(|(_, first)| *first == &*law.name) {
            let _ = write!(out, "\n## {}{}\n", title[..1].to_uppercase(), &title[1..]);
        }
        let _ = write!(out, "\n### `{}`\n\n{}\n\n", law.name, law.docs);
        let _ = write!(out, "```lift\n{}\n```\n\n=\n\n```lift\n{}\n```\n\n", law.left.text, law.right.text);
        for (word, title) in [("Forwards", &law.forwards), ("Backwards", &law.backwards)] {
            if let Some(title) = title {
                let _ = writeln!(out, "* {word}: {title}.");
            }
        }
        if !law.conditions.is_empty() {
            let conditions: Vec<String> = law.conditions.iter().map(|c| c.to_string()).collect();
            let _ = writeln!(out, "* Where {}.", conditions.join(" and "));
        }
        for (word, direction) in [("Forwards", Direction::Forwards), ("Backwards", Direction::Backwards)] {
            let of = |(one, condition): &(Direction, Condition)| (*one == direction).then(|| condition.to_string());
            let conditions: Vec<String> = law.directed.iter().filter_map(of).collect();
            if !conditions.is_empty() {
                let _ = writeln!(out, "* {word} where {}.", conditions.join(" and "));
            }
        }
        for (name, values) in &law.tries {
            let values: Vec<String> = values.iter().map(u64::to_string).collect();
            let _ = writeln!(out, "* Tries `{name}` = {}.", values.join(", "));
        }
        let example = law.example.as_deref().map(|example| lift_syntax::format(example).trim_end().to_owned());
        if let Some(example) = example
            && let Some((title, after)) = applied(law, &example)?
        {
            let _ = write!(out, "\n```lift\n{example}\n```\n\n{title}:\n\n```lift\n{after}\n```\n");
        }
    }
    Ok(out)
}

/// The title and the result of the first rewriting of an example, forwards if possible; `None` if the law does not apply.
pub fn applied(law: &Law, example: &str) -> io::Result<Option<(String, String)>> {
    let mut host = AnalysisHost::default();
    host.set_file("example.lift", format!("{example}\n").into());
    let actions = answered(host.snapshot().rewrites_by("example.lift", law))?;
    let forwards = |title: &str| law.title(Direction::Forwards).is_some_and(|own| title.starts_with(own));
    let chosen = actions.iter().find(|action| forwards(&action.title)).or(actions.first());
    Ok(chosen.map(|action| (action.title.clone(), changed(example, &action.change))))
}

fn changed(text: &str, change: &SourceChange) -> String {
    change.applied("example.lift", &format!("{text}\n")).trim_end().to_owned()
}

/// The sections of the built-in laws: title, and name of the first law.
fn sections() -> Vec<(&'static str, &'static str)> {
    let parts = LAWS_TEXT.split("\n; ---- ").skip(1);
    let of = |part: &'static str| {
        let title = part.lines().next()?;
        let name = part.split("\n(define (").nth(1)?.split([' ', ')']).next()?;
        Some((title, name))
    };
    parts.filter_map(of).collect()
}
