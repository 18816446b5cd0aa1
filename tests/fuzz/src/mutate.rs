//! Near-misses: well-typed programs with one or two changes that affect their types.

use crate::choices::Random;
use crate::tree::{Path, Tree, at, parse, places, print, replaced};

/// Returns the text with one to three changes.
pub fn near_miss(text: &str, random: &mut Random) -> String {
    let mut forms = parse(text);
    for _ in 0..1 + random.below(3) {
        // Some changes do not apply to every program.
        for _ in 0..20 {
            if let Some(changed) = change(&forms, random) {
                forms = changed;
                break;
            }
        }
    }
    print(&forms)
}

fn change(forms: &[Tree], random: &mut Random) -> Option<Vec<Tree>> {
    let places = places(forms);
    let words = |wanted: &dyn Fn(&str) -> bool| -> Vec<Path> {
        let is = |path: &&Path| matches!(at(forms, path), Some(Tree::Word(word)) if wanted(word));
        places.iter().filter(is).cloned().collect()
    };
    let headed = |heads: &[&str]| -> Vec<Path> {
        let is = |path: &&Path| match at(forms, path) {
            Some(Tree::List(parts)) => {
                matches!(parts.first(), Some(Tree::Word(head)) if heads.contains(&head.as_str()))
            }
            _ => false,
        };
        places.iter().filter(is).cloned().collect()
    };
    let pick = |paths: Vec<Path>, random: &mut Random| (!paths.is_empty()).then(|| random.of(&paths).clone());
    let word = |text: &str| Tree::Word(text.to_owned());
    match random.below(12) {
        // Change a length.
        0 => {
            let path = pick(words(&is_number), random)?;
            let Some(Tree::Word(old)) = at(forms, &path) else { return None };
            let sign = if old.starts_with('#') { "#" } else { "" };
            let n: i64 = old.trim_start_matches('#').parse().ok()?;
            let other = random.of(&[n + 1, n - 1, 0, 2 * n, 1_000_000_007]).to_owned();
            Some(replaced(forms, &path, &[word(&format!("{sign}{}", other.max(0)))]))
        }
        1 => {
            let path = pick(words(&|w| ["N", "M", "#N", "#M"].contains(&w)), random)?;
            let Some(Tree::Word(old)) = at(forms, &path) else { return None };
            let other = if old.ends_with('N') { old.replace('N', "M") } else { old.replace('M', "N") };
            Some(replaced(forms, &path, &[word(&other)]))
        }
        // Replace a variable by another one.
        2 | 3 => {
            let names = words(&is_variable);
            let (to, from) = (pick(names.clone(), random)?, pick(names, random)?);
            let other = at(forms, &from)?.clone();
            Some(replaced(forms, &to, &[other]))
        }
        // Remove an `unpack` or `pack`, or change a `let`.
        4 => {
            let path = pick(headed(&["unpack"]), random)?;
            let Some(Tree::List(parts)) = at(forms, &path) else { return None };
            let [_, binder, value, body] = parts.as_slice() else { return None };
            let name = match binder {
                Tree::List(two) => two.last()?.clone(),
                name => name.clone(),
            };
            Some(replaced(forms, &path, &[Tree::List(vec![word("let"), name, value.clone(), body.clone()])]))
        }
        5 => {
            let path = pick(headed(&["pack"]), random)?;
            let Some(Tree::List(parts)) = at(forms, &path) else { return None };
            Some(replaced(forms, &path, &parts[1..]))
        }
        6 => {
            let path = pick(headed(&["let"]), random)?;
            let Some(Tree::List(parts)) = at(forms, &path) else { return None };
            let [_, name, value, body] = parts.as_slice() else { return None };
            let binder = if random.one_in(2) { Tree::List(vec![word("L0"), name.clone()]) } else { name.clone() };
            let by = [
                Tree::List(vec![word("unpack"), binder, value.clone(), body.clone()]),
                // The bound name is then used outside its scope.
                Tree::List(vec![word("let"), word("v0"), value.clone(), body.clone()]),
                Tree::List(vec![
                    Tree::List(vec![word("lambda"), Tree::List(vec![name.clone()]), body.clone()]),
                    value.clone(),
                ]),
            ];
            Some(replaced(forms, &path, &[random.of(&by).clone()]))
        }
        // Replace an expression by another one.
        7 => {
            let lists = |path: &&Path| path.len() > 1 && matches!(at(forms, path), Some(Tree::List(_)));
            let lists: Vec<Path> = places.iter().filter(lists).cloned().collect();
            let (to, from) = (pick(lists.clone(), random)?, pick(lists, random)?);
            Some(replaced(forms, &to, &[at(forms, &from)?.clone()]))
        }
        // Swap, remove or duplicate arguments.
        8 => {
            let wide = |path: &&Path| matches!(at(forms, path), Some(Tree::List(parts)) if parts.len() > 2);
            let path = pick(places.iter().filter(wide).cloned().collect(), random)?;
            let Some(Tree::List(parts)) = at(forms, &path) else { return None };
            let mut parts = parts.clone();
            let (i, j) = (1 + random.below(parts.len() - 1), 1 + random.below(parts.len() - 1));
            match random.below(3) {
                0 => parts.swap(i, j),
                1 => drop(parts.remove(i)),
                _ => parts[i] = parts[j].clone(),
            }
            Some(replaced(forms, &path, &[Tree::List(parts)]))
        }
        // Replace a function by one of a similar type.
        9 => {
            let path = pick(words(&|w| alike(w).is_some()), random)?;
            let Some(Tree::Word(old)) = at(forms, &path) else { return None };
            Some(replaced(forms, &path, &[word(random.of::<&str>(alike(old)?))]))
        }
        // Annotate an array with a length.
        10 => {
            let path = pick(words(&is_variable), random)?;
            let claim = random.of(&["N", "M", "(* 4 N)", "3", "(+ N 1)", "(/ N 2)", "(- N 1)"]);
            let element = random.of(&["int", "float", "bool"]);
            let value = at(forms, &path)?.clone();
            let ty = parse(&format!("(array-type {element} {claim})"));
            Some(replaced(forms, &path, &[Tree::List([vec![word(":"), value], ty].concat())]))
        }
        // Add a filter or a view, so that a known length becomes hidden or changes.
        _ => {
            let path = pick(words(&is_variable), random)?;
            let value = at(forms, &path)?.clone();
            let around =
                random.of(&["(filter (lambda (z) true) HERE)", "(pack HERE)", "(reverse HERE)", "(tail HERE)"]);
            let by: Vec<Tree> = parse(&around.replace("HERE", &value.to_string()));
            Some(replaced(forms, &path, &by))
        }
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches('#');
    !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The variable names of the generator.
fn is_variable(word: &str) -> bool {
    let inputs = ["ds", "ls", "ps", "tri", "hid", "ragged", "rows", "zs", "ys", "xs", "k"];
    let made =
        word.starts_with(['v', 'x', 'h', 't']) && word.len() > 1 && word[1..].bytes().all(|b| b.is_ascii_digit());
    inputs.contains(&word) || made
}

fn alike(word: &str) -> Option<&'static [&'static str]> {
    const GROUPS: &[&[&str]] = &[
        &["map", "filter", "mapSeq", "mapGlb", "sort", "reorder"],
        &["reverse", "tail", "join", "transpose", "length", "head", "id"],
        &["take", "drop", "split", "stride", "fill", "iota"],
        &["zip", "concat", "pairs", "tuple"],
        &["scan", "scanExcl", "reduce", "reduceSeq"],
        &["get1", "get2", "get3"],
    ];
    GROUPS.iter().find(|group| group.contains(&word)).copied()
}
