//! Branches that hide lengths: one mentions a length twice where the other mentions two, or captures an array in a map.

use super::ty::{BOOL, INT};
use super::{Breadth, Maker};

/// Templates for branches, and for uses of the `if`; both branches of an `if` are of one kind. `A` and `B` stand for
/// arrays of numbers, `P` for a predicate, `F` for a function, `V`, `L` and `W` for new names, `T` for a condition, `R` for
/// the `if`.
pub struct Kind {
    pub branches: &'static [&'static str],
    pub uses: &'static [&'static str],
}

pub const KINDS: [Kind; 3] = [
    Kind {
        branches: &[
            "(tuple A A)",
            "(tuple A B)",
            "(tuple A (map F A))",
            "(tuple B (concat A B))",
            "(tuple (filter P A) (filter P A))",
            "(let V (filter P A) (tuple V V))",
            "(let V (filter P A) (tuple V A))",
            "(unpack V (filter P A) (tuple A (reverse V)))",
            "(unpack (L V) (filter P A) (tuple V (iota #L)))",
            "(unpack (L M V) (both P P A) (tuple (get1 V) (iota #M)))",
            "(unpack V (both P P A) (tuple (get2 V) A))",
        ],
        uses: &[
            "R",
            "(let V R (tuple (get2 V) (get1 V)))",
            "(let V R (tuple (get1 V) (map F (get2 V))))",
            "(let V R (get1 V))",
            "(let V R (if T V V))",
        ],
    },
    Kind {
        branches: &[
            "(map (lambda (V) A) A)",
            "(map (lambda (V) A) B)",
            "(map (lambda (V) (map (+ V) B)) A)",
            "(generate #3 (lambda (V) A))",
            "(transpose (map (lambda (V) A) B))",
            "(split #1 A)",
            "(let V (filter P A) (map (lambda (L) V) V))",
            "(let V (filter P A) (map (lambda (L) V) A))",
            "(unpack V (filter P A) (map (lambda (L) A) V))",
            "(unpack (L M V) (both P P A) (map (lambda (u) (get2 V)) (iota #L)))",
        ],
        uses: &[
            "R",
            "(let V R (map (map F) V))",
            "(let V R (map (lambda (L) (concat L L)) V))",
            "(let V R (tuple V V))",
            "(map sumi R)",
        ],
    },
    Kind {
        branches: &[
            "A",
            "(map F A)",
            "(concat A A)",
            "(concat A B)",
            "(filter P A)",
            "(map F (filter P A))",
            "(let V (filter P A) (concat V A))",
            "(unpack V (filter P A) (concat V V))",
            "(unpack (L M V) (both P P A) (concat (get1 V) (iota #M)))",
            "(iota (abs (mod k 5)))",
            "(iterate 2 (filter P) A)",
            "(iterateWhile (lambda (V) (> (length V) 2)) (lambda (V) (filter P (tail V))) A)",
        ],
        uses: &["R", "(let V R (tuple V V))", "(let V R (zip V (map F V)))", "(map F R)", "(filter P R)", "(sumi R)"],
    },
];

impl Maker<'_> {
    /// Arrays of hidden length, and an `if` with branches made from them.
    pub(super) fn branches(&mut self) -> String {
        let of_rows = self.breadth != Breadth::Compiled && self.choices.below(4) == 3;
        let (mut begin, mut end) = (String::new(), String::new());
        let mut arrays: Vec<String> = match of_rows {
            true => ["r", "xs"].map(str::to_owned).into(),
            false => ["xs", "zs", "hid"].map(str::to_owned).into(),
        };
        for _ in 0..=self.choices.below(2) {
            let (name, from) = (self.fresh("h"), arrays[self.choices.below(arrays.len().min(2))].clone());
            let value = format!("(filter {} {from})", self.test());
            let (before, after) = match self.choices.below(4) {
                1 => (format!("((lambda ({name}) "), format!(") {value})")),
                2 => (format!("(unpack {name} {value} "), ")".to_owned()),
                3 => (format!("(unpack ({} {name}) {value} ", self.fresh("L")), ")".to_owned()),
                _ => (format!("(let {name} {value} "), ")".to_owned()),
            };
            begin += &before;
            end.insert_str(0, &after);
            arrays.insert(0, name);
        }
        let kind = &KINDS[self.choices.below(KINDS.len())];
        let both = self.either(kind, &arrays, 1);
        let of_both = self.choices.of(kind.uses);
        let text = format!("{begin}{}{end}", self.filled(of_both, &arrays, &both));
        if of_rows { format!("(map (lambda (r) {text}) rows)") } else { text }
    }

    /// An `if` of this kind, possibly with nested ones in its branches.
    fn either(&mut self, kind: &Kind, arrays: &[String], deeper: u32) -> String {
        let test = self.condition(arrays);
        let mut branch = |deeper: u32| match self.choices.below(6) {
            5 if deeper > 0 => self.either(kind, arrays, deeper - 1),
            _ => {
                let text = self.choices.of(kind.branches);
                self.filled(text, arrays, "")
            }
        };
        format!("(if {test} {} {})", branch(deeper), branch(deeper))
    }

    fn condition(&mut self, arrays: &[String]) -> String {
        self.choices.of(&["c", "(> (length H) 2)", "(> k 0)", "(and c (> N 1))"]).replace('H', &arrays[0])
    }

    fn test(&mut self) -> String {
        match self.choices.below(3) {
            0 => "(< 0)".to_owned(),
            1 => "(< -20)".to_owned(),
            _ => self.function(&INT, &BOOL, 1),
        }
    }

    /// Replaces the letters of a template.
    fn filled(&mut self, text: &str, arrays: &[String], both: &str) -> String {
        let of = |this: &mut Self| arrays[this.choices.below(arrays.len())].clone();
        let new = [('V', self.fresh("v")), ('L', self.fresh("w")), ('M', self.fresh("w"))];
        let letters = [('A', of(self)), ('B', of(self))].into_iter().chain(new).collect::<Vec<_>>();
        let mut out = String::new();
        for letter in text.chars() {
            match letter {
                'P' => out += &self.test(),
                'F' => out += self.choices.of(&["(+ 1)", "neg", "(lambda (x) (* x x))"]),
                'T' => out += &self.condition(arrays),
                'R' => out += both,
                _ => match letters.iter().find(|(known, _)| *known == letter) {
                    Some((_, what)) => out += what,
                    None => out.push(letter),
                },
            }
        }
        out
    }
}
