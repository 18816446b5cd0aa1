//! Random FCL programs that are well typed: arrays of integers, computed where they are read, by threads, in blocks with
//! local memory, and by the grid.

use crate::choices::Choices;
use std::fmt::Write;

const BLOCKS: [usize; 4] = [4, 8, 2, 16];
const OPERATORS: [&str; 5] = ["+", "-", "*", "&", "%"];
const FUNCTIONS: [&str; 5] = ["addi", "subi", "mini", "maxi", "xor"];

struct Maker<'a> {
    choices: Choices<'a>,
}

/// A program that stores some arrays of one length, each of the ones before, and prints them.
pub fn program(choices: &[u16]) -> String {
    let mut maker = Maker { choices: Choices::new(choices) };
    let block = maker.choices.of(&BLOCKS);
    let length = block * (1 + maker.choices.below(4));
    let mut text = format!("val main =\n  do<grid>\n   {{ a0 <- forceM<grid> (pushM<grid> (iota {length}))\n");
    let mut names = vec!["a0".to_owned()];
    for place in 1..2 + maker.choices.below(3) {
        let name = format!("a{place}");
        let value = maker.grid(length, block, &names);
        let _ = writeln!(text, "   ; {name} <- forceM<grid> ({value})");
        names.push(name);
    }
    for name in &names {
        let _ = writeln!(text, "   ; forceAndPrint {length} (push<grid> {name})");
    }
    text + "   }\n"
}

impl Maker<'_> {
    /// An array of this length that is computed where it is read.
    fn pull(&mut self, length: usize, names: &[String], depth: usize) -> String {
        let name = self.choices.below(names.len());
        let name = names[names.len() - 1 - name].clone();
        if depth == 0 {
            return name;
        }
        let depth = depth - 1;
        let (operator, f) = (self.choices.of(&OPERATORS), self.choices.of(&FUNCTIONS));
        let number = 1 + self.choices.below(5);
        let of = self.pull(length, names, depth);
        match self.choices.below(8) {
            0 => of,
            1 => format!("(mapPull (fn x => x {operator} {number}) {of})"),
            2 => format!("(zipWith {f} {of} {})", self.pull(length, names, depth)),
            3 => format!("(generate {length} (fn i => index {of} ((i * {number} + 1) % {length})))"),
            4 => format!("(generate {length} (fn i => if lti i {number} then i else index {of} i {operator} 3))"),
            5 => format!("(index (splitUp {length} (generate {} (fn i => index {of} (i % {length})))) 1)", 2 * length),
            6 => format!("(mapPull (xor {number}) {of})"),
            _ => format!("(generate {length} (fn i => index {of} ({length} - 1 - i)))"),
        }
    }

    /// A program of the grid.
    fn grid(&mut self, length: usize, block: usize, names: &[String]) -> String {
        let of = self.pull(length, names, 2);
        let rounds = 1 + self.choices.below(20);
        match self.choices.below(5) {
            0 => format!("pushM<grid> {of}"),
            1 => format!(
                "liftM<grid> push<grid> (power<grid> {rounds} (fn k xs => pushM<grid> (generate {length} (fn i => index xs ((i + k) % {length}) + k))) (pushM<grid> {of}))"
            ),
            _ => {
                let body = self.block(block);
                format!("concatMap<block> {block} (fn xs => {body}) (splitUp {block} {of})")
            }
        }
    }

    /// A program of a block, about the array `xs`.
    fn block(&mut self, length: usize) -> String {
        let here = ["xs".to_owned()];
        let of = self.pull(length, &here, 2);
        let (f, rounds) = (self.choices.of(&FUNCTIONS), 1 + self.choices.below(20));
        match self.choices.below(6) {
            0 => format!("pushM<block> {of}"),
            1 => {
                let then = self.pull(length, &["ys".to_owned(), "xs".to_owned()], 2);
                format!("do<block> {{ ys <- forcePull<block> {of}; pushM<block> {then} }}")
            }
            2 => {
                let step = self.pull(length, &["ys".to_owned(), "xs".to_owned()], 1);
                format!(
                    "liftM<block> push<block> (power<block> {rounds} (fn k ys => pushM<block> {step}) (pushM<block> {of}))"
                )
            }
            3 => format!(
                "do<block> {{ s <- while<block> (fn ys => 1 != lengthPull ys) (fn ys => let two = halve ys in pushM<block> (zipWith {f} (fst two) (snd two))) (pushM<block> {of}); pushM<block> (generate {length} (fn i => index xs i + index s 0)) }}"
            ),
            4 => format!("concatMap<thread> 2 (fn pair => return<thread> (scanl1 {f} pair)) (splitUp 2 {of})"),
            _ => {
                format!("concatMap<thread> 1 (fn one => return<thread> (foldl addi (index one 0) {of})) (splitUp 1 xs)")
            }
        }
    }
}
