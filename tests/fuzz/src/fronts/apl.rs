//! Random APL programs that are well formed: vectors and matrices of whole numbers, of lengths that are known and of
//! lengths that only the run knows.

use crate::choices::Choices;
use std::fmt::Write;

/// The shape of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Scalar,
    Vector(usize),
    /// A vector whose length only the run knows; equal numbers are equal lengths.
    Hidden(usize),
    Matrix(usize, usize),
}

const LENGTHS: [usize; 5] = [3, 1, 4, 7, 40];
const ROWS: [usize; 4] = [2, 3, 1, 5];
/// Functions of two numbers whose results stay small.
const SMALL: [&str; 9] = ["+", "-", "⌈", "⌊", "=", ">", "≤", "≠", "<"];
/// Functions that reduce and scan in any order with one result.
const FOLDS: [&str; 4] = ["+", "⌈", "⌊", "-"];

struct Maker<'a> {
    choices: Choices<'a>,
    /// The names so far.
    names: Vec<(String, Shape)>,
    /// The number of hidden lengths so far.
    hidden: usize,
}

/// A program of some assignments, whose values are printed.
pub fn program(choices: &[u16]) -> String {
    let mut maker = Maker { choices: Choices::new(choices), names: Vec::new(), hidden: 0 };
    let mut text = String::new();
    for place in 0..2 + maker.choices.below(4) {
        let shape = maker.shape();
        let (value, shape) = match shape {
            Shape::Hidden(_) => maker.kept(),
            shape => (maker.of(shape, 3), shape),
        };
        let name = format!("v{place}");
        let _ = writeln!(text, "{name}←{value}");
        maker.names.push((name, shape));
    }
    for (name, shape) in maker.names.clone() {
        let shown = match maker.choices.below(4) {
            1 if matches!(shape, Shape::Vector(_) | Shape::Hidden(_)) => maker.parts(&name),
            2 => format!("≢{name}"),
            _ => name,
        };
        let _ = writeln!(text, "⎕←{shown}");
    }
    text
}

impl Maker<'_> {
    fn shape(&mut self) -> Shape {
        match self.choices.below(5) {
            0 | 1 => Shape::Vector(self.choices.of(&LENGTHS)),
            2 => Shape::Hidden(0),
            3 => Shape::Matrix(self.choices.of(&ROWS), self.choices.of(&ROWS)),
            _ => Shape::Scalar,
        }
    }

    /// A name of this shape.
    fn name(&mut self, shape: Shape) -> Option<String> {
        let alike: Vec<usize> = (0..self.names.len()).filter(|at| self.names[*at].1 == shape).collect();
        if alike.is_empty() || !self.choices.flip() {
            return None;
        }
        let at = self.choices.of(&alike);
        Some(self.names[at].0.clone())
    }

    /// Some elements of a vector, whose number only the run knows.
    fn kept(&mut self) -> (String, Shape) {
        self.hidden += 1;
        let length = self.choices.of(&LENGTHS);
        let of = self.of(Shape::Vector(length), 2);
        let number = self.choices.below(5);
        let text = match self.choices.below(6) {
            0 => format!("(({of}>{number})/{of})"),
            1 => format!("(∪{of})"),
            2 => format!("(⍸{number}<{of})"),
            3 => format!("(⍳+/{number}<{of})"),
            4 => format!("({of}~{number})"),
            _ => format!("((5|⌈0⌈{of})/{of})"),
        };
        (text, Shape::Hidden(self.hidden))
    }

    /// An expression that prints the parts of a vector.
    fn parts(&mut self, vector: &str) -> String {
        let marks = format!("(0=2|⍳≢{vector})");
        match self.choices.below(4) {
            0 => format!("+/¨{marks}⊂{vector}"),
            1 => format!("≢¨{marks}⊆{vector}"),
            2 => format!("↑{marks}⊆{vector}"),
            _ => format!("{marks}⊂{vector}"),
        }
    }

    /// An expression of this shape, in brackets.
    fn of(&mut self, shape: Shape, depth: usize) -> String {
        if let Some(name) = self.name(shape) {
            return name;
        }
        if depth == 0 {
            return self.leaf(shape);
        }
        let depth = depth - 1;
        let f = self.choices.of(&SMALL);
        match self.choices.below(4) {
            0 => return self.leaf(shape),
            1 => return format!("({}{f}{})", self.of(shape, depth), self.of(shape, depth)),
            2 => return format!("({}{f}{})", self.of(Shape::Scalar, depth), self.of(shape, depth)),
            _ => {}
        }
        let number = self.choices.below(4);
        match shape {
            Shape::Scalar => self.scalar(depth),
            Shape::Vector(n) => self.vector(n, depth),
            Shape::Hidden(_) => {
                let of = self.of(shape, depth);
                match self.choices.below(6) {
                    0 => format!("(⌽{of})"),
                    1 => format!("(+\\{of})"),
                    2 => format!("({number}⌽{of})"),
                    3 => format!("({{⍵{f}{number}}}¨{of})"),
                    4 => format!("({of}[⍋{of}])"),
                    _ => format!("(({{1⌽⍵}}⍣{number}){of})"),
                }
            }
            Shape::Matrix(rows, columns) => self.matrix(rows, columns, depth),
        }
    }

    fn leaf(&mut self, shape: Shape) -> String {
        match shape {
            Shape::Scalar => self.choices.below(10).to_string(),
            Shape::Vector(n) if n < 5 && self.choices.flip() => {
                let numbers: Vec<String> = (0..n).map(|_| self.choices.below(10).to_string()).collect();
                format!("(,{})", numbers.join(" "))
            }
            Shape::Vector(n) => format!("(⍳{n})"),
            Shape::Hidden(_) => match self.names.iter().find(|(_, other)| *other == shape) {
                Some((name, _)) => name.clone(),
                None => self.choices.below(10).to_string(),
            },
            Shape::Matrix(rows, columns) => format!("({rows} {columns}⍴⍳{})", 1 + self.choices.below(rows * columns)),
        }
    }

    fn scalar(&mut self, depth: usize) -> String {
        let (fold, length) = (self.choices.of(&FOLDS), self.choices.of(&LENGTHS));
        let hidden = self.names.iter().rev().find(|(_, shape)| matches!(shape, Shape::Hidden(_)));
        let hidden = hidden.map(|(name, _)| name.clone());
        match (self.choices.below(6), hidden) {
            (0, Some(name)) => format!("(+/{name})"),
            (1, Some(name)) => format!("(≢{name})"),
            (2, _) => format!("(⊃{})", self.of(Shape::Vector(length), depth)),
            (3, _) => format!("({{⍵>3:⍵-1 ⋄ ⍵+2}}{})", self.of(Shape::Scalar, depth)),
            (4, _) => {
                format!("({}+.×{})", self.of(Shape::Vector(length), depth), self.of(Shape::Vector(length), depth))
            }
            _ => format!("({fold}/{})", self.of(Shape::Vector(length), depth)),
        }
    }

    fn vector(&mut self, n: usize, depth: usize) -> String {
        let (fold, f, number) = (self.choices.of(&FOLDS), self.choices.of(&SMALL), self.choices.below(4));
        let other = self.choices.of(&LENGTHS);
        match self.choices.below(13) {
            0 => format!("(⌽{})", self.of(Shape::Vector(n), depth)),
            1 => format!("({number}⌽{})", self.of(Shape::Vector(n), depth)),
            2 => format!("({fold}\\{})", self.of(Shape::Vector(n), depth)),
            3 => format!("({{⍵{f}{number}}}¨{})", self.of(Shape::Vector(n), depth)),
            4 => {
                let of = self.of(Shape::Vector(n), depth);
                format!("({of}[⍒{of}])")
            }
            5 => format!("({fold}/{})", self.of(Shape::Matrix(n, number + 1), depth)),
            6 => format!("({}∊{})", self.of(Shape::Vector(n), depth), self.of(Shape::Vector(other), depth)),
            7 => format!("({n}⍴{})", self.of(Shape::Vector(other), depth)),
            8 => format!("({n}↑{})", self.of(Shape::Vector(other), depth)),
            9 => format!("({}[1;])", self.of(Shape::Matrix(number + 1, n), depth)),
            10 => format!("({}⍳{})", self.of(Shape::Vector(other), depth), self.of(Shape::Vector(n), depth)),
            11 => format!("(({{⍵{f}1⌽⍵}}⍣{number}){})", self.of(Shape::Vector(n), depth)),
            _ => format!("({number}↓{},⍳{number})", self.of(Shape::Vector(n), depth)),
        }
    }

    fn matrix(&mut self, rows: usize, columns: usize, depth: usize) -> String {
        let (fold, number) = (self.choices.of(&FOLDS), self.choices.below(3));
        let f = self.choices.of(&SMALL);
        match self.choices.below(9) {
            0 => format!("({}∘.{f}{})", self.of(Shape::Vector(rows), depth), self.of(Shape::Vector(columns), depth)),
            1 => format!("(⍉{})", self.of(Shape::Matrix(columns, rows), depth)),
            2 => format!("(⊖{})", self.of(Shape::Matrix(rows, columns), depth)),
            3 => format!("({number}⌽{})", self.of(Shape::Matrix(rows, columns), depth)),
            4 => format!("({rows} {columns}↑{})", self.of(Shape::Matrix(columns, rows), depth)),
            5 => {
                let (left, right) = (Shape::Matrix(rows, number + 1), Shape::Matrix(number + 1, columns));
                format!("({}+.×{})", self.of(left, depth), self.of(right, depth))
            }
            6 => format!("({fold}\\{})", self.of(Shape::Matrix(rows, columns), depth)),
            7 => format!("(¯1↓{}⍪7)", self.of(Shape::Matrix(rows, columns), depth)),
            _ => format!("(({{⍵{f}1⊖⍵}}⍣{number}){})", self.of(Shape::Matrix(rows, columns), depth)),
        }
    }
}
