//! The lines `;;; run: xs=random N=1000`, `;;; test: xs=[1,2] => [2]` and `;;; bench: xs=random N=1000,1000000` in a
//! kernel's documentation, which give its inputs and sizes.

use std::collections::BTreeMap;

/// Maximal number of runs of one line with several sizes.
const MOST_RUNS: usize = 256;

/// Pairs `NAME=VALUE`, in the order of the line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunLine {
    /// The line's keyword: `run`, `test` or `bench`.
    head: &'static str,
    pairs: Vec<(String, String)>,
}

/// Inputs and sizes of a run, matched with a kernel's parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultRun {
    /// One per parameter, in order.
    pub inputs: Vec<String>,
    pub sizes: BTreeMap<String, u64>,
}

/// The expected result after the `=>` of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A literal or a file.
    Value(String),
    /// The code of the error that stops the run; empty for any error.
    Error(String),
}

impl RunLine {
    /// Parses the text after `run:`.
    pub fn parse(line: &str) -> Result<RunLine, String> {
        let line = line.trim().trim_start_matches(';').trim_start();
        RunLine::read("run", line.strip_prefix("run:").unwrap_or(line))
    }

    /// Parses the text after `bench:`.
    pub fn parse_bench(line: &str) -> Result<RunLine, String> {
        RunLine::read("bench", line)
    }

    /// Parses the text after `test:`. `None` means that the interpreter's result is expected.
    pub fn parse_test(line: &str) -> Result<(RunLine, Option<Expected>), String> {
        let (given, expected) = match split_at_arrow(line) {
            Some((given, expected)) => (given, Some(expected.trim())),
            None => (line, None),
        };
        let expected = match expected.map(|text| (text, text.strip_prefix("error"))) {
            Some(("", _)) => return Err("nothing follows the `=>` of the line `;;; test:`".to_owned()),
            Some((_, Some(code))) if code.is_empty() || code.starts_with(char::is_whitespace) => {
                Some(Expected::Error(code.trim().to_owned()))
            }
            Some((value, _)) => Some(Expected::Value(value.trim_matches('"').to_owned())),
            None => None,
        };
        Ok((RunLine::read("test", given)?, expected))
    }

    /// Splits the text into pairs. Values end at white space outside brackets and quotes.
    fn read(head: &'static str, text: &str) -> Result<RunLine, String> {
        let mut rest = text.trim();
        let mut pairs: Vec<(String, String)> = Vec::new();
        while !rest.is_empty() {
            let word = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
            let Some((name, _)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
                return Err(format!(
                    "`{word}` has no name: the line `;;; {head}:` names inputs and sizes, as in `xs=iota N=10`"
                ));
            };
            let (value, after) =
                value(&rest[name.len() + 1..]).ok_or(format!("in the line `;;; {head}:`, a quote is not closed"))?;
            if pairs.iter().any(|(n, _)| n == name) {
                return Err(format!("the line `;;; {head}:` gives `{name}` twice"));
            }
            pairs.push((name.to_owned(), value));
            rest = after.trim_start();
        }
        Ok(RunLine { head, pairs })
    }

    /// Matches the pairs with a kernel's parameters and sizes; several values of a size are an error.
    pub fn fit(&self, parameters: &[&str], sizes: &[&str]) -> Result<DefaultRun, String> {
        let runs = self.fit_all(parameters, sizes)?;
        match <[DefaultRun; 1]>::try_from(runs) {
            Ok([only]) => Ok(only),
            Err(_) => Err(format!("the line `;;; {}:` gives several values for one size", self.head)),
        }
    }

    /// As [`RunLine::fit`], with a run for each combination of sizes: `N=10,1000` gives two.
    pub fn fit_all(&self, parameters: &[&str], sizes: &[&str]) -> Result<Vec<DefaultRun>, String> {
        let head = self.head;
        let given = |name: &str| self.pairs.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let missing = |name: &str| format!("the line `;;; {head}:` gives no value for `{name}`");
        // An unknown name shows why a parameter has no value.
        let is_known = |name: &str| parameters.contains(&name) || sizes.contains(&name);
        if let Some((name, _)) = self.pairs.iter().find(|(name, _)| !is_known(name)) {
            return Err(format!("the line `;;; {head}:` names `{name}`, which is neither a parameter nor a size"));
        }
        let inputs = parameters.iter().map(|p| given(p).ok_or_else(|| missing(p))).collect::<Result<_, _>>()?;
        let mut runs = vec![DefaultRun { inputs, sizes: BTreeMap::new() }];
        for (name, values) in self.pairs.iter().filter(|(name, _)| !parameters.contains(&&**name)) {
            let value = |value: &str| {
                let wrong = || format!("in the line `;;; {head}:`, `{name}={value}` is not a size");
                value.trim().parse::<u64>().map_err(|_| wrong())
            };
            let values: Vec<u64> = values.split(',').map(value).collect::<Result<_, _>>()?;
            if runs.len() * values.len() > MOST_RUNS {
                return Err(format!("the line `;;; {head}:` asks for more than {MOST_RUNS} runs"));
            }
            let with = |run: &DefaultRun, value: u64| {
                let mut run = run.clone();
                run.sizes.insert(name.clone(), value);
                run
            };
            runs =
                runs.iter().flat_map(|run| values.iter().map(|value| with(run, *value)).collect::<Vec<_>>()).collect();
        }
        Ok(runs)
    }
}

/// Splits a line at the word `=>`; `None` if it has none.
fn split_at_arrow(line: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        quoted ^= c == '"';
        let word = || line[..at].chars().next_back().is_none_or(char::is_whitespace);
        if !quoted && line[at..].starts_with("=>") && word() {
            return Some((&line[..at], &line[at + 2..]));
        }
    }
    None
}

/// Splits off one value; `None` if a quote is not closed.
fn value(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, rest) = quoted.split_once('"')?;
        return Some((value.to_owned(), rest));
    }
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            c if c.is_whitespace() && depth <= 0 => return Some((text[..at].to_owned(), &text[at..])),
            _ => {}
        }
    }
    Some((text.to_owned(), ""))
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
        assert_eq!(why("xs"), "`xs` has no name: the line `;;; run:` names inputs and sizes, as in `xs=iota N=10`");
        assert_eq!(why("xs=iota"), "the line `;;; run:` gives no value for `c`");
        assert_eq!(why("xs=iota c=1 c=2"), "the line `;;; run:` gives `c` twice");
        assert_eq!(why("xs=iota c=1 K=2"), "the line `;;; run:` names `K`, which is neither a parameter nor a size");
        assert_eq!(why("ys=iota c=1"), "the line `;;; run:` names `ys`, which is neither a parameter nor a size");
        assert_eq!(why("xs=iota c=1 N=few"), "in the line `;;; run:`, `N=few` is not a size");
        assert_eq!(why("xs=iota c=1 N=1,2"), "the line `;;; run:` gives several values for one size");
        assert_eq!(why("xs=\"iota"), "in the line `;;; run:`, a quote is not closed");
    }

    #[test]
    fn a_test_says_what_is_expected() {
        let expected = |line| RunLine::parse_test(line).map(|(_, expected)| expected);
        assert_eq!(expected("xs=[1, 2] => [2]"), Ok(Some(Expected::Value("[2]".to_owned()))));
        assert_eq!(expected("=> 3"), Ok(Some(Expected::Value("3".to_owned()))));
        assert_eq!(expected("xs=\"a => b\" => error input"), Ok(Some(Expected::Error("input".to_owned()))));
        assert_eq!(expected("xs=iota => errors.npy"), Ok(Some(Expected::Value("errors.npy".to_owned()))));
        assert_eq!(expected("xs=random N=3"), Ok(None));
        assert_eq!(expected("xs=iota =>"), Err("nothing follows the `=>` of the line `;;; test:`".to_owned()));
    }

    #[test]
    fn a_size_may_have_several_values() {
        let line = RunLine::parse_bench("xs=random N=1,1000 M=2,3").expect("a good line");
        let runs = line.fit_all(&["xs"], &["N", "M"]).expect("it fits");
        let sizes: Vec<(u64, u64)> = runs.iter().map(|run| (run.sizes["N"], run.sizes["M"])).collect();
        assert_eq!(sizes, [(1, 2), (1, 3), (1000, 2), (1000, 3)]);
        let many: Vec<String> = (0..300).map(|n| n.to_string()).collect();
        let line = RunLine::parse_bench(&format!("xs=random N={}", many.join(","))).expect("a good line");
        assert!(line.fit_all(&["xs"], &["N"]).is_err());
    }
}
