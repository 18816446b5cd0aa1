//! The line `;;; run: xs=random N=1000` of a kernel's documentation: what to run it on when nothing is said.

use std::collections::BTreeMap;

/// Names with what they are given, in the order of the line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunLine {
    pairs: Vec<(String, String)>,
}

/// A line that fits its kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultRun {
    /// One for each parameter, in order.
    pub inputs: Vec<String>,
    pub sizes: BTreeMap<String, u64>,
}

impl RunLine {
    /// Reads what stands after `run:`. Values end at white space, but not inside of brackets or quotes.
    pub fn parse(line: &str) -> Result<RunLine, String> {
        let line = line.trim().trim_start_matches(';').trim_start();
        let mut rest = line.strip_prefix("run:").unwrap_or(line).trim();
        let mut pairs = Vec::new();
        while !rest.is_empty() {
            let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
            let Some((name, _)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
                return Err(format!("`{word}` has no `=`: the line `;;; run:` has the form `xs=iota N=10`"));
            };
            let (value, after) = value(&rest[name.len() + 1..])?;
            if pairs.iter().any(|(n, _)| n == name) {
                return Err(format!("the line `;;; run:` gives `{name}` twice"));
            }
            pairs.push((name.to_owned(), value));
            rest = after.trim_start();
        }
        Ok(RunLine { pairs })
    }

    /// The values for a kernel with these parameters and sizes.
    pub fn fit(&self, parameters: &[&str], sizes: &[&str]) -> Result<DefaultRun, String> {
        let given = |name: &str| self.pairs.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let missing = |name: &str| format!("the line `;;; run:` gives no value for `{name}`");
        let inputs = parameters.iter().map(|p| given(p).ok_or_else(|| missing(p))).collect::<Result<_, _>>()?;
        let mut out = DefaultRun { inputs, sizes: BTreeMap::new() };
        for (name, value) in self.pairs.iter().filter(|(name, _)| !parameters.contains(&&**name)) {
            if !sizes.contains(&&**name) {
                return Err(format!("the line `;;; run:` names `{name}`, which is neither a parameter nor a size"));
            }
            let value = value.parse().map_err(|_| format!("in the line `;;; run:`, `{name}={value}` is no size"))?;
            out.sizes.insert(name.clone(), value);
        }
        Ok(out)
    }
}

/// One value, and what is left after it.
fn value(text: &str) -> Result<(String, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, rest) = quoted.split_once('"').ok_or("in the line `;;; run:`, a quote is not closed")?;
        return Ok((value.to_owned(), rest));
    }
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            c if c.is_whitespace() && depth <= 0 => return Ok((text[..at].to_owned(), &text[at..])),
            _ => {}
        }
    }
    Ok((text.to_owned(), ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(line: &str) -> Result<DefaultRun, String> {
        RunLine::parse(line)?.fit(&["xs", "c"], &["N", "M"])
    }

    #[test]
    fn a_line_gives_inputs_in_the_order_of_the_parameters() {
        let run = fit(" c=-0.5  N=10 xs=[[1, 2], [3]]").expect("a good line");
        assert_eq!(run.inputs, ["[[1, 2], [3]]", "-0.5"]);
        assert_eq!(run.sizes, BTreeMap::from([("N".to_owned(), 10)]));
        assert_eq!(fit(";;; run: c=\"a file.txt\" xs=random:3").expect("a good line").inputs[1], "a file.txt");
    }

    #[test]
    fn a_line_that_does_not_fit_says_why() {
        let why = |line| fit(line).expect_err("a bad line");
        assert_eq!(why("xs"), "`xs` has no `=`: the line `;;; run:` has the form `xs=iota N=10`");
        assert_eq!(why("xs=iota"), "the line `;;; run:` gives no value for `c`");
        assert_eq!(why("xs=iota c=1 c=2"), "the line `;;; run:` gives `c` twice");
        assert_eq!(why("xs=iota c=1 K=2"), "the line `;;; run:` names `K`, which is neither a parameter nor a size");
        assert_eq!(why("xs=iota c=1 N=few"), "in the line `;;; run:`, `N=few` is no size");
        assert_eq!(why("xs=\"iota"), "in the line `;;; run:`, a quote is not closed");
    }
}
