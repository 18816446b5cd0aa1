//! Programs as trees of brackets, for mutation and minimization.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    Word(String),
    List(Vec<Tree>),
}

/// A path in a forest: the index at each level.
pub type Path = Vec<usize>;

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Word(word) => f.write_str(word),
            Tree::List(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    write!(f, "{part}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Parses a program into trees; comments and unmatched brackets are dropped.
pub fn parse(text: &str) -> Vec<Tree> {
    let mut open: Vec<Vec<Tree>> = vec![Vec::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let whole = |rest: &str, end: Option<usize>| end.unwrap_or(rest.len());
        let used = match c {
            ';' => whole(rest, rest.find('\n')),
            '(' | '[' => {
                open.push(Vec::new());
                1
            }
            ')' | ']' => {
                if open.len() > 1 {
                    let list = Tree::List(open.pop().unwrap_or_default());
                    open.last_mut().into_iter().for_each(|parent| parent.push(list.clone()));
                }
                1
            }
            c if c.is_whitespace() => c.len_utf8(),
            '#' if rest[1..].starts_with('(') => {
                // `#(…)`: `#` is a word of its own; the space printed after it does not change the meaning.
                open.last_mut().into_iter().for_each(|parent| parent.push(Tree::Word("#".into())));
                1
            }
            _ => {
                let end = whole(rest, rest.find(|c: char| c.is_whitespace() || "()[];".contains(c)));
                open.last_mut().into_iter().for_each(|parent| parent.push(Tree::Word(rest[..end].into())));
                end
            }
        };
        rest = &rest[used..];
    }
    while open.len() > 1 {
        let list = Tree::List(open.pop().unwrap_or_default());
        open.last_mut().into_iter().for_each(|parent| parent.push(list.clone()));
    }
    open.pop().unwrap_or_default()
}

pub fn print(forms: &[Tree]) -> String {
    forms.iter().map(|form| format!("{form}\n")).collect::<String>().replace("# (", "#(")
}

/// Returns all paths, outer ones first.
pub fn places(forms: &[Tree]) -> Vec<Path> {
    fn below(trees: &[Tree], at: &mut Path, out: &mut Vec<Path>) {
        for (i, tree) in trees.iter().enumerate() {
            at.push(i);
            out.push(at.clone());
            if let Tree::List(parts) = tree {
                below(parts, at, out);
            }
            at.pop();
        }
    }
    let mut out = Vec::new();
    below(forms, &mut Vec::new(), &mut out);
    out
}

pub fn at<'t>(forms: &'t [Tree], path: &[usize]) -> Option<&'t Tree> {
    let (first, rest) = path.split_first()?;
    let tree = forms.get(*first)?;
    match (rest, tree) {
        ([], tree) => Some(tree),
        (rest, Tree::List(parts)) => at(parts, rest),
        _ => None,
    }
}

/// Replaces the tree at a path by any number of trees.
pub fn replaced(forms: &[Tree], path: &[usize], by: &[Tree]) -> Vec<Tree> {
    let Some((first, rest)) = path.split_first() else { return forms.to_vec() };
    let mut out = Vec::with_capacity(forms.len() + by.len());
    for (i, tree) in forms.iter().enumerate() {
        match tree {
            _ if i != *first => out.push(tree.clone()),
            _ if rest.is_empty() => out.extend_from_slice(by),
            Tree::List(parts) => out.push(Tree::List(replaced(parts, rest, by))),
            Tree::Word(_) => out.push(tree.clone()),
        }
    }
    out
}

/// Minimizes a program while `wrong` holds: removes forms and arguments, and replaces expressions by a part of them or
/// by a simple one. Calls `wrong` at most `tries` times.
pub fn reduce(text: &str, mut tries: u32, wrong: &mut dyn FnMut(&str) -> bool) -> String {
    let mut forms = parse(text);
    if !wrong(&print(&forms)) {
        return text.to_owned();
    }
    loop {
        let before = forms.clone();
        let mut next = 0;
        // Replacements change the paths, so they are recomputed; a path that is gone ends the loop.
        while let Some(path) = places(&forms).get(next).cloned() {
            let Some(here) = at(&forms, &path).cloned() else { break };
            let mut smaller: Vec<Vec<Tree>> = vec![Vec::new()];
            if let Tree::List(parts) = &here {
                smaller.extend(parts.iter().map(|part| vec![part.clone()]));
                smaller.extend(["0", "xs", "k"].map(|word| vec![Tree::Word(word.into())]));
            }
            let found = smaller.into_iter().map(|by| replaced(&forms, &path, &by)).find(|candidate| {
                let Some(left) = tries.checked_sub(1) else { return false };
                tries = left;
                wrong(&print(candidate))
            });
            match found {
                Some(candidate) => forms = candidate,
                None => next += 1,
            }
            if tries == 0 {
                return lift_syntax::format(&print(&forms));
            }
        }
        if forms == before {
            return lift_syntax::format(&print(&forms));
        }
    }
}
