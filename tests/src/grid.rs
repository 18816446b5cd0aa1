//! A grid of small programs: an operator, so many maps around it, how its rows lie in memory, how many and how long they
//! are, and of what. Nobody has tuned any of them, and none of them is to be slow.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Map,
    Reduce,
    /// By an operator that does not commute.
    Ordered,
    Scan,
    /// By an operator that is not a sum.
    ScanAny,
    Filter,
    Sort,
    Argsort,
    Histogram,
    /// Each row with each of [`OTHERS`] others.
    Product,
    Stencil,
    /// [`ROUNDS`] rounds of a stencil.
    Iterate,
    /// A row is folded, folded again with what was found, and mapped with both.
    TwoFolds,
    ThreeFolds,
}

const OPS: [(Op, &str); 14] = [
    (Op::Map, "map"),
    (Op::Reduce, "reduce"),
    (Op::Ordered, "ordered-reduce"),
    (Op::Scan, "scan"),
    (Op::ScanAny, "scan-any"),
    (Op::Filter, "filter"),
    (Op::Sort, "sort"),
    (Op::Argsort, "argsort"),
    (Op::Histogram, "histogram"),
    (Op::Product, "product"),
    (Op::Stencil, "stencil"),
    (Op::Iterate, "iterate"),
    (Op::TwoFolds, "two-folds"),
    (Op::ThreeFolds, "three-folds"),
];

/// How rows lie, and the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Rows,
    /// The elements of a row lie apart, those of neighbouring rows side by side.
    Columns,
    /// Rows of which a transposed result is made.
    Turned,
}

const SIDES: [(Side, &str); 3] = [(Side::Rows, "rows"), (Side::Columns, "columns"), (Side::Turned, "turned")];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Long,
    Middling,
    Short,
    /// Row `i` has `i+1` elements.
    Ragged,
}

const SHAPES: [(Shape, &str); 4] =
    [(Shape::Long, "long"), (Shape::Middling, "middling"), (Shape::Short, "short"), (Shape::Ragged, "ragged")];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Float,
    Int,
    Double,
    /// Of a `Float` and an `Int`.
    Pair,
}

const ELEMENTS: [(Element, &str); 4] =
    [(Element::Float, "float"), (Element::Int, "int"), (Element::Double, "double"), (Element::Pair, "pair")];

/// Buckets of a histogram, rows of the other operand of a product, rounds of a loop.
const BUCKETS: i64 = 256;
const OTHERS: i64 = 64;
const ROUNDS: i64 = 4;
/// Results of a product that share what they read: of 64 by 64.
const TILE: i64 = 64;
/// Bytes of a row that a group can keep.
const KEPT: i64 = 48 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub op: Op,
    /// Maps around the operator.
    pub depth: usize,
    pub side: Side,
    pub shape: Shape,
    pub element: Element,
}

/// Each operator at depth 1 in all shapes; and from the middle in each direction: other depths, other elements.
pub fn cells() -> Vec<Cell> {
    let mut all = Vec::new();
    for (op, _) in OPS {
        let mut add = |depth, side, shape, element| {
            let cell = Cell { op, depth, side, shape, element };
            if cell.exists() && !all.contains(&cell) {
                all.push(cell);
            }
        };
        for (side, _) in SIDES {
            for (shape, _) in SHAPES {
                add(1, side, shape, Element::Float);
            }
        }
        for (element, _) in ELEMENTS {
            add(0, Side::Rows, Shape::Long, element);
            add(1, Side::Rows, Shape::Middling, element);
            add(1, Side::Rows, Shape::Short, element);
            add(1, Side::Columns, Shape::Middling, element);
        }
        for shape in [Shape::Long, Shape::Middling, Shape::Short] {
            add(2, Side::Rows, shape, Element::Float);
            add(2, Side::Columns, shape, Element::Float);
        }
        add(3, Side::Rows, Shape::Middling, Element::Float);
        add(3, Side::Columns, Shape::Middling, Element::Float);
    }
    all
}

fn name_of<T: PartialEq>(of: &T, names: &[(T, &'static str)]) -> &'static str {
    names.iter().find(|(t, _)| t == of).map_or("", |(_, name)| name)
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (op, side) = (name_of(&self.op, &OPS), name_of(&self.side, &SIDES));
        let (shape, element) = (name_of(&self.shape, &SHAPES), name_of(&self.element, &ELEMENTS));
        write!(f, "{op} {} {side} {shape} {element}", self.depth)
    }
}

impl Cell {
    fn exists(&self) -> bool {
        let ragged = self.shape == Shape::Ragged;
        let array = !matches!(self.op, Op::Reduce | Op::Ordered | Op::Filter);
        match (self.op, self.depth, self.side) {
            (Op::Product, 0, _) => false,
            (_, 0, side) => side == Side::Rows && !ragged,
            (Op::Product, ..) if ragged => false,
            (_, _, Side::Turned) => array && !ragged,
            (_, depth, side) => !ragged || depth == 1 && side == Side::Rows,
        }
    }

    /// The lengths of the maps around, outermost first, and that of a row.
    fn lengths(&self) -> (Vec<i64>, i64) {
        let (all, row): ([&[i64]; 4], i64) = match self.shape {
            Shape::Long => ([&[], &[16], &[4, 4], &[2, 2, 4]], 1 << 21),
            Shape::Middling => ([&[], &[4096], &[64, 64], &[16, 16, 16]], 8192),
            Shape::Short => ([&[], &[1 << 20], &[1024, 1024], &[64, 128, 128]], 32),
            Shape::Ragged => ([&[], &[8192], &[], &[]], 8192),
        };
        (all[self.depth].to_vec(), if self.depth == 0 { 1 << 25 } else { row })
    }

    /// The size names of the program, and their values.
    pub fn sizes(&self) -> Vec<(&'static str, i64)> {
        let (outer, row) = self.lengths();
        let mut all: Vec<(&str, i64)> = ["A", "B", "C"].into_iter().zip(outer).collect();
        if self.shape != Shape::Ragged {
            all.push(("M", row));
        }
        if self.op == Op::Product {
            all.push(("P", OTHERS));
        }
        all
    }

    /// How many elements there are.
    pub fn elements(&self) -> f64 {
        let (outer, row) = self.lengths();
        let n = outer.iter().product::<i64>() as f64;
        if self.shape == Shape::Ragged { n * (n + 1.0) / 2.0 } else { n * row as f64 }
    }

    /// Bytes of an element.
    fn bytes(&self) -> i64 {
        if matches!(self.element, Element::Float | Element::Int) { 4 } else { 8 }
    }

    /// Bytes that have to be moved where inputs and results have so many. What nothing near a processor holds is read again.
    pub fn necessary(&self, once: f64) -> f64 {
        let input = self.elements() * self.bytes() as f64;
        let (outer, row) = self.lengths();
        let held = match self.side {
            Side::Columns => row <= 32,
            _ => self.depth > 0 && row * self.bytes() <= KEPT,
        };
        let key = if self.element == Element::Double { 8.0 } else { 4.0 };
        match self.op {
            Op::TwoFolds if !held => once + 2.0 * input,
            Op::ThreeFolds if !held => once + 3.0 * input,
            Op::Iterate if !held => once * ROUNDS as f64,
            // Each eight bits are counted at once, and then moved one after the other.
            Op::Sort if !held => input + key * 2.0 * input,
            Op::Argsort if !held => input + key * 2.0 * (self.elements() * (key + 4.0)),
            Op::Product => {
                let n = outer[self.depth - 1];
                let again =
                    [(n, OTHERS), (OTHERS, n)].map(|(n, m)| n * row * ((m + TILE - 1) / TILE - 1) * self.bytes());
                once + (again.iter().sum::<i64>() * outer[..self.depth - 1].iter().product::<i64>()) as f64
            }
            _ => once,
        }
    }

    /// Multiplications and additions of a product nest, which a device can do at the rate of a product of matrices.
    pub fn products(&self) -> f64 {
        if self.op == Op::Product { 2.0 * OTHERS as f64 * self.elements() } else { 0.0 }
    }

    /// The program, a kernel of the name `cell`.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.sizes().iter().map(|(name, _)| *name).collect();
        let around = ["A", "B", "C"];
        let scalar = match self.element {
            Element::Float => "float",
            Element::Int => "int",
            Element::Double => "double",
            Element::Pair => "(tuple-type float int)",
        };
        let array = |inner: String, name: &str| format!("(array-type {inner} {name})");
        // What one innermost map goes over, in a box.
        let boxed = |count: &str| {
            let (inner, outer) = if self.side == Side::Columns { (count, "M") } else { ("M", count) };
            let plane = array(array(scalar.into(), inner), outer);
            around[..self.depth - 1].iter().rev().fold(plane, |inner, name| array(inner, name))
        };
        let ty = match (self.depth, self.shape) {
            (0, _) => array(scalar.into(), "M"),
            (_, Shape::Ragged) => format!("(array-type (i) (array-type {scalar} (+ i 1)) A)"),
            (depth, _) => boxed(around[depth - 1]),
        };
        let turned = |x: &str| if self.side == Side::Columns { format!("(transpose {x})") } else { x.to_owned() };
        let mapped = match self.op {
            Op::Product => {
                let both = format!(
                    "(lambda (p) {})",
                    self.sum(&format!("(* {} {})", self.number("(get1 p)"), self.number("(get2 p)")))
                );
                let total = both.replace("XS", "(zip a b)");
                let inner = format!("(map {} {})", total.replacen("(lambda (p)", "(lambda (b)", 1), turned("ys"));
                format!("(map (lambda (a) {inner}) {})", turned("xs"))
            }
            _ if self.depth == 0 => self.row("xs"),
            _ => format!("(map (lambda (r) {}) {})", self.row("r"), turned("xs")),
        };
        let mapped = if self.side == Side::Turned { format!("(transpose {mapped})") } else { mapped };
        let product = self.op == Op::Product;
        let body = (1..self.depth).fold(mapped, |inner, _| match product {
            true => format!("(map (lambda (q) (let xs (get1 q) (let ys (get2 q) {inner}))) (zip xs ys))"),
            false => format!("(map (lambda (xs) {inner}) xs)"),
        });
        let (types, params) = if product { (format!("{ty} {}", boxed("P")), "xs ys") } else { (ty, "xs") };
        format!("(lift cell ({}) ({types})\n  (lambda ({params})\n    {body}))\n", names.join(" "))
    }

    /// A number of an element, that is a pair perhaps.
    fn number(&self, v: &str) -> String {
        if self.element == Element::Pair { format!("(get1 {v})") } else { v.to_owned() }
    }
    fn literal(&self, n: &str) -> String {
        match self.element {
            Element::Int => n.to_owned(),
            Element::Double => format!("{n}.0"),
            _ => format!("{n}.0f"),
        }
    }
    /// The sum of what a number is made of, for each element `p` of `XS`.
    fn sum(&self, of: &str) -> String {
        format!("(head (reduce {} + (map (lambda (p) {of}) XS)))", self.literal("0"))
    }

    /// The source text that applies the operator of the cell to the row `r`.
    fn row(&self, r: &str) -> String {
        let pair = self.element == Element::Pair;
        let (zero, low) = (self.literal("0"), self.literal("-1000000"));
        let v = self.number("v");
        let neutral = |n: &str| if pair { format!("(tuple {n} 0)") } else { n.to_owned() };
        let add = match pair {
            true => "(lambda (a b) (tuple (+ (get1 a) (get1 b)) (+ (get2 a) (get2 b))))",
            false => "+",
        };
        // The last that is not neutral; of pairs, the first that is greatest.
        let last = match pair {
            true => "(lambda (a b) (if (> (get1 b) (get1 a)) b a))".to_owned(),
            false => format!("(lambda (a b) (if (= b {zero}) a b))"),
        };
        let ordered = neutral(if pair { &low } else { &zero });
        let any = if pair { (ordered.clone(), last.clone()) } else { (low.clone(), "max".to_owned()) };
        let before = if pair { "(lambda (a b) (< (get1 a) (get1 b)))" } else { "<" };
        let numbers = if pair { format!("(map (lambda (v) (get1 v)) {r})") } else { r.to_owned() };
        let greatest = format!("(head (reduce {low} max {numbers}))");
        let sum = |of: &str| self.sum(of).replace("XS", &numbers);
        let window = |r: &str| {
            let total = format!("(head (reduce {zero} + w))");
            format!("(map (lambda (w) (/ {total} {})) (slide #3 #1 (pad #1 #1 clamp {r})))", self.literal("3"))
        };
        match self.op {
            Op::Map if pair => format!("(map (lambda (v) (tuple (* (get1 v) 2.0f) (+ (get2 v) 1))) {r})"),
            Op::Map => format!("(map (lambda (v) (+ (* v v) v)) {r})"),
            Op::Reduce => format!("(head (reduce {} {add} {r}))", neutral(&zero)),
            Op::Ordered => format!("(head (reduce {ordered} {last} {r}))"),
            Op::Scan => format!("(scan {} {add} {r})", neutral(&zero)),
            Op::ScanAny => format!("(scan {} {} {r})", any.0, any.1),
            Op::Filter => format!("(filter (lambda (v) (> {v} {zero})) {r})"),
            Op::Sort => format!("(sort {before} {r})"),
            Op::Argsort => format!("(argsort {before} {r})"),
            Op::Histogram => {
                let key = if self.element == Element::Int { "v".to_owned() } else { format!("(toInt {v})") };
                let one = format!("(if (= (mod (abs {key}) {BUCKETS}) k) 1 0)");
                format!("(map (lambda (k) (head (reduce 0 + (map (lambda (v) {one}) {r})))) (iota #{BUCKETS}))")
            }
            Op::Product | Op::Stencil => window(&numbers),
            Op::Iterate => format!("(iterate #{ROUNDS} (lambda (s) {}) {numbers})", window("s")),
            Op::TwoFolds => {
                let z = sum("(- p m)");
                format!("(let m {greatest} (let z {z} (map (lambda (v) (* (- v m) z)) {numbers})))")
            }
            Op::ThreeFolds => {
                let (z, w) = (sum("(- p m)"), sum("(* (- p m) (- p z))"));
                let result = format!("(map (lambda (v) (* (- v m) (+ z w))) {numbers})");
                format!("(let m {greatest} (let z {z} (let w {w} {result})))")
            }
        }
    }
}
