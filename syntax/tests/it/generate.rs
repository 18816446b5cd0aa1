//! Generates texts for the property tests: grammatical programs, damaged ones, random tokens, random bytes.

use proptest::prelude::*;

/// A grammatical program with arbitrary white space and comments.
pub fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u8>(), 0..400).prop_map(|choices| {
        let mut writer = Writer { choices: choices.into_iter(), text: String::new() };
        writer.program();
        writer.text
    })
}

/// A program with a segment replaced by random tokens.
pub fn damaged_program() -> impl Strategy<Value = String> {
    (program(), any::<prop::sample::Index>(), 0usize..20, soup_of(0..4)).prop_map(|(text, at, len, insert)| {
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let first = at.index(boundaries.len());
        let last = (first + len).min(boundaries.len() - 1);
        format!("{}{insert}{}", &text[..boundaries[first]], &text[boundaries[last]..])
    })
}

/// Tokens in any order.
pub fn soup() -> impl Strategy<Value = String> {
    soup_of(0..60)
}

/// Arbitrary bytes, decoded like a file that is not UTF-8.
pub fn bytes() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u8>(), 0..300).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![3 => program(), 4 => damaged_program(), 4 => soup(), 1 => bytes()]
}

fn soup_of(len: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, len).prop_map(|pieces| pieces.concat())
}

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "(",
    ")",
    " ",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "\t",
    "#",
    "\"",
    "\\",
    "\"s\"",
    "; c\n",
    ";;; doc\n",
    ";;;; line\n",
    ";",
    "(define ",
    "\n(define (f x) ",
    "\n(lift ",
    "(lambda (x) ",
    "(let x ",
    "(if ",
    "(tuple ",
    "(let (tuple a b) ",
    "(: ",
    "(pack ",
    "(unpack (X y) ",
    "(o ",
    "(with ((a 1)) ",
    "(array-type ",
    "(exists (X) ",
    "(-> ",
    "(import \"a\")",
    "(primitive ",
    "#(+ ",
    "(sum (i N) ",
    "x ",
    "λ",
    "é",
    "𝒳",
    "N ",
    "12 ",
    "-3",
    "1.5f ",
    "3L",
    "2e",
    "true",
    "-inf ",
    "\u{0}",
    "\u{feff}",
    "\u{3000}",
];

/// Writes a program. Each decision consumes a choice; without choices left, the program ends.
struct Writer {
    choices: std::vec::IntoIter<u8>,
    text: String,
}

impl Writer {
    fn choose(&mut self, among: u8) -> u8 {
        self.choices.next().unwrap_or(0) % among
    }

    fn exhausted(&self) -> bool {
        self.choices.len() == 0
    }

    fn put(&mut self, token: &str) {
        self.text.push_str(token);
    }

    /// Required white space.
    fn space(&mut self) {
        let space = match self.choose(24) {
            0..=13 => " ",
            14..=16 => "\n",
            17 => "\n\n",
            18 => "  \t ",
            19 => "\r\n",
            20 => " ; why\n",
            21 => "\n  ; alone  \n",
            22 => "; one\n\n\n;;; two\r",
            _ => "\u{3000}",
        };
        self.put(space);
    }

    /// Optional white space.
    fn gap(&mut self) {
        if self.choose(8) == 7 {
            self.space();
        }
    }

    fn group(&mut self, parts: &[&dyn Fn(&mut Writer)]) {
        let square = self.choose(10) == 9;
        self.put(if square { "[" } else { "(" });
        self.gap();
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.space();
            }
            part(self);
        }
        self.gap();
        self.put(if square { "]" } else { ")" });
    }

    fn repeat(&mut self, at_least: u8, part: &dyn Fn(&mut Writer)) {
        let square = self.choose(10) == 9;
        self.put(if square { "[" } else { "(" });
        self.gap();
        let count = at_least + self.choose(3);
        self.list(count, part);
        self.gap();
        self.put(if square { "]" } else { ")" });
    }

    fn list(&mut self, count: u8, part: &dyn Fn(&mut Writer)) {
        for index in 0..count {
            if index > 0 {
                self.space();
            }
            part(self);
        }
    }

    fn word(&mut self, word: &'static str) {
        self.put(word);
    }

    fn program(&mut self) {
        while !self.exhausted() {
            match self.choose(12) {
                0 => self.put("; note\n"),
                1 => self.put(";;; doc\n"),
                2 => self.put("\n\n"),
                3 => self.put("   "),
                _ => self.form(),
            }
            self.put("\n");
        }
    }

    fn form(&mut self) {
        match self.choose(8) {
            0 => self.put("(import \"a \\\" b.lift\")"),
            1 => self.group(&[&|w| w.word("define"), &Self::name, &Self::expr]),
            2 => self.group(&[&|w| w.word("lift"), &Self::sizes, &Self::types, &Self::lambda]),
            3 => self.group(&[&|w| w.word("lift"), &Self::name, &Self::sizes, &Self::types, &Self::lambda]),
            4 => self.group(&[&|w| w.word("primitive"), &Self::name, &Self::sizes, &Self::ty, &|w| {
                w.put("(where (num a) (divides k n))")
            }]),
            _ => self.group(&[
                &|w| w.word("define"),
                &|w| {
                    let params = w.choose(4);
                    w.put("(");
                    w.name();
                    for _ in 0..params {
                        w.space();
                        w.param();
                    }
                    w.put(")");
                },
                &Self::expr,
            ]),
        }
    }

    fn name(&mut self) {
        const NAMES: &[&str] =
            &["x", "y", "f", "xs'", "+i", "->", "aVeryLongNameThatFillsTheLine", "λx", "a#b", "名前", "N", "map", "+"];
        let choice = self.choose(NAMES.len() as u8);
        self.put(NAMES[usize::from(choice)]);
    }

    fn sizes(&mut self) {
        self.repeat(0, &Self::name);
    }

    fn types(&mut self) {
        self.put("(");
        let count = self.choose(3);
        self.list(count, &Self::ty);
        self.put(")");
    }

    fn param(&mut self) {
        match self.choose(3) {
            0 => self.group(&[&Self::name, &Self::ty]),
            _ => self.name(),
        }
    }

    fn lambda(&mut self) {
        let word = if self.choose(2) == 0 { "lambda" } else { "λ" };
        self.group(&[&|w| w.word(word), &|w| w.repeat(0, &Self::param), &Self::expr]);
    }

    fn expr(&mut self) {
        const LITERALS: &[&str] = &["3", "-3", "+4L", "2.0f", "1e-3", "true", "false", "2147483647", "-inf", "nanf"];
        let choice = self.choose(16);
        match choice {
            0 | 1 => self.name(),
            2 => {
                let literal = self.choose(LITERALS.len() as u8);
                self.put(LITERALS[usize::from(literal)]);
            }
            3 => {
                self.put("#");
                self.gap();
                self.size();
            }
            4 => self.lambda(),
            5 => self.group(&[&|w| w.word("let"), &Self::name, &Self::expr, &Self::expr]),
            6 => self.group(&[&|w| w.word("if"), &Self::expr, &Self::expr, &Self::expr]),
            7 => self.group(&[&|w| w.word("tuple"), &Self::expr, &Self::expr]),
            8 => self.group(&[&|w| w.word(":"), &Self::expr, &Self::ty]),
            9 => self.group(&[&|w| w.word("pack"), &Self::expr]),
            10 => self.group(&[&|w| w.word("unpack"), &Self::name, &Self::expr, &Self::expr]),
            11 => self.group(&[
                &|w| w.word("unpack"),
                &|w| match w.choose(2) {
                    0 => w.group(&[&Self::name, &Self::name]),
                    _ => w.group(&[&Self::name, &Self::name, &Self::name]),
                },
                &Self::expr,
                &Self::expr,
            ]),
            12 => self.group(&[&|w| w.word("o"), &Self::expr, &Self::expr]),
            13 => self.group(&[&Self::expr, &Self::expr]),
            14 => self.group(&[
                &|w| w.word("with"),
                &|w| w.group(&[&|w| w.group(&[&Self::name, &Self::name])]),
                &Self::expr,
            ]),
            _ => self.group(&[&Self::name, &Self::expr, &Self::expr]),
        }
    }

    fn ty(&mut self) {
        match self.choose(9) {
            1 => self.group(&[&|w| w.word("array-type"), &Self::ty, &Self::size]),
            2 => self.group(&[&|w| w.word("array-type"), &|w| w.group(&[&Self::name]), &Self::ty, &Self::size]),
            3 => self.group(&[&|w| w.word("tuple-type"), &Self::ty, &Self::ty]),
            4 => self.group(&[&|w| w.word("vector-type"), &|w| w.put("float"), &Self::size]),
            5 => self.group(&[&|w| w.word("exists"), &|w| w.repeat(1, &Self::name), &Self::ty]),
            6 => self.group(&[&|w| w.word("->"), &Self::ty, &Self::ty]),
            7 => self.put("a"),
            _ => self.put("float"),
        }
    }

    fn size(&mut self) {
        match self.choose(8) {
            1 => self.group(&[&|w| w.word("+"), &Self::size, &Self::size, &Self::size]),
            2 => self.group(&[&|w| w.word("mod"), &Self::size, &Self::size]),
            3 => self.group(&[&|w| w.word("sum"), &|w| w.group(&[&Self::name, &Self::size]), &Self::size]),
            4 => self.group(&[&|w| w.word("length"), &Self::name]),
            5 => self.put("42"),
            _ => self.name(),
        }
    }
}
