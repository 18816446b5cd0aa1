//! Tests of single passes: each file of `tests/passes` has a pass, a target, a kernel and the expected result.
//!
//! ```text
//! ; Says what is to be seen.
//! ; pass rewrite
//! ; target portable
//! kernel …
//! ; gives
//! kernel …
//! ; by rule-name at line 5
//! ```
//!
//! `UPDATE_EXPECT=1 cargo test -p lift-codegen --lib passes` writes what is below `; gives`.

use super::{
    Applied, Schedule, chosen, columns, counted, counters, distribute, flatten, heads, in_turn, interchange, numbered,
    place, rewrite, row_tables, teams, views,
};
use crate::core::check::problems;
use crate::core::{Kernel, parse, simplify};
use crate::target::Target;
use std::fmt::Write;
use std::path::Path;

const GIVES: &str = "; gives\n";

#[test]
fn passes_give_what_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/passes");
    let mut files: Vec<_> = folder.read_dir().expect("tests/passes is there").flatten().map(|e| e.path()).collect();
    files.sort();
    assert!(files.len() > 5, "there are few cases in {}", folder.display());
    let mut wrong = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case is text");
        let (case, expected) = text.split_once(GIVES).unwrap_or((&text, ""));
        match outcome(case) {
            Ok(actual) if actual == expected => {}
            Ok(actual) if std::env::var_os("UPDATE_EXPECT").is_some() => {
                std::fs::write(&file, format!("{}\n{GIVES}{actual}", case.trim_end())).expect("a case is written");
            }
            Ok(actual) => {
                let _ = writeln!(wrong, "{}: it gives\n{actual}instead of\n{expected}", file.display());
            }
            Err(why) => {
                let _ = writeln!(wrong, "{}: {why}", file.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}UPDATE_EXPECT=1 accepts what they give");
}

fn outcome(case: &str) -> Result<String, String> {
    let said = |what: &str| {
        let said = case.lines().find_map(|line| line.strip_prefix("; ")?.strip_prefix(what));
        said.map(str::trim).ok_or_else(|| format!("there is no line `; {what}…`"))
    };
    let target: Target = said("target ")?.parse()?;
    // Comments become empty lines, to keep line numbers.
    let start = case.find("kernel ").ok_or("there is no kernel")?;
    let before = case[..start].matches('\n').count();
    let kernel = well_formed(parse::kernel(&case[start..])?, "the kernel")?;
    let mut applied = Vec::new();
    let after = match said("pass ")? {
        "simplify" => simplify::simplify(kernel),
        "rewrite" => rewrite::rewrite(&kernel, &mut applied),
        "counted" => counted::rewrite(kernel, usize::MAX, &mut applied),
        "counters" => counters::counters(kernel, &target, &mut applied),
        "interchange" => interchange::interchange(kernel, &target, &mut applied),
        "unrolled" => super::unrolled::unrolled(kernel, &target, &mut applied),
        "grouped" => super::by_key::grouped(kernel, &mut applied),
        "merged" => super::by_key::merged(kernel, &target, &mut applied),
        "all-rows" => super::all_rows::all_rows(kernel, &target, &mut applied),
        "unfolded" => super::unfolded::unfolded(kernel, &target, &mut applied),
        "unswitched" => super::unswitched::unswitched(kernel, &mut applied),
        "ends" => super::ends::ends(kernel, &mut applied),
        "least" => super::least::least(kernel, &target, &mut applied),
        "after-scan" => super::after_scan::after_scan(kernel, &mut applied),
        "results" => super::results::results(kernel, &target, &mut applied),
        "invariant" => super::invariant::invariant(kernel, &mut applied),
        "any-order" => super::any_order::any_order(kernel, &mut applied),
        "same-rows" => super::same_rows::same_rows(kernel, &mut applied),
        "loops-in" => super::loops_in::loops_in(kernel, &target, &mut applied),
        "loops-out" => super::loops_out::loops_out(kernel, &target, &mut applied),
        "row-tables" => row_tables::row_tables(kernel, &target, &mut applied),
        "in-turn" => in_turn::in_turn(&kernel, &target, &mut applied).unwrap_or(kernel),
        "branches" => super::branches::branches(kernel, &target, &mut applied),
        "distribute" => distribute::distribute(kernel, &target, &mut applied),
        "heads" => heads::heads(kernel, &target, &mut applied),
        "crossed" => super::crossed::crossed(kernel, &target, &mut applied),
        "narrowed" => super::narrowed::narrowed(kernel),
        "joined" => super::joined::joined(kernel, &target, &mut applied),
        "views" => views::views(kernel, &target, &mut applied),
        "numbered" => numbered::numbered(&kernel, &mut applied),
        "flatten" => flatten::flatten(kernel, &target, &mut applied),
        "together" => super::together::together(kernel, &target, &mut applied),
        "products" => super::products::products(kernel, &target, &mut applied),
        "turned" => super::turned::turned(kernel, &target, &mut applied),
        "columns" => columns::columns(kernel, &target, &mut applied),
        "beside" => super::beside::beside(kernel, &target, &mut applied),
        "chosen" => chosen::chosen(kernel, &target, &mut applied),
        "teams" => teams::teams(kernel, &target, &mut applied).0,
        "small" => super::small::small(kernel, &target, &mut applied),
        "updates" => super::updates::updates(kernel, &mut applied),
        "row-updates" => super::row_updates::row_updates(kernel, &mut applied),
        "place" => place::place(&kernel, &target, &mut applied),
        "schedule" => {
            let schedule = Schedule::new(&kernel, &target);
            applied = schedule.applied;
            schedule.kernel
        }
        other => return Err(format!("no pass is called `{other}`")),
    };
    let mut out = well_formed(after, "what it gives")?.to_string();
    for Applied { rule, origin } in applied {
        let _ = writeln!(out, "; by {} at line {}", rule.name, origin.expr.0 as usize + before);
    }
    Ok(out)
}

fn well_formed(kernel: Kernel, what: &str) -> Result<Kernel, String> {
    let problems = problems(&kernel);
    if problems.is_empty() { Ok(kernel) } else { Err(format!("{what} is not well formed: {problems:?}\n{kernel}")) }
}
