//! Short lengths that become large when expanded, added or compared.

use crate::choices::Random;

/// A short size that becomes large when expanded.
pub fn size(random: &mut Random, depth: usize) -> String {
    let leaf = |random: &mut Random| {
        random.of(&["N", "M", "K", "2", "3", "7", "4294967296", "9223372036854775807", "0", "1"]).to_string()
    };
    if depth == 0 {
        return leaf(random);
    }
    match random.below(8) {
        0 => leaf(random),
        1 => format!("(pow {} {})", size(random, depth - 1), random.of(&["2", "3", "9", "64", "N", "1000000"])),
        2 => format!("(sum (i) {} {})", size(random, depth - 1), size(random, depth - 1)),
        n => {
            let op = ["+", "*", "-", "/", "mod", "min", "max"][n - 3 + random.below(3)];
            format!("({op} {} {})", size(random, depth - 1), size(random, depth - 1))
        }
    }
}

pub fn explosive(random: &mut Random) -> String {
    let depth = 2 + random.below(5);
    let (a, b) = (size(random, depth), size(random, depth));
    match random.below(4) {
        0 => format!("(lift g (N M K) ((array-type int {a})) (lambda (xs) (: xs (array-type int {b}))))"),
        1 => {
            format!("(lift g (N M K) ((array-type int {a})) (lambda (xs) (join (split #{} xs))))", b.replace('\n', " "))
        }
        2 => {
            // Each definition uses the previous one twice.
            let n = 3 + random.below(40);
            let mut text = String::from("(define (d0 xs) (concat xs xs))\n");
            for i in 1..n {
                text += &std::format!("(define (d{i} xs) (d{} (d{} xs)))\n", i - 1, i - 1);
            }
            text + &std::format!("(lift g (N M K) ((array-type int {a})) (lambda (xs) (d{} xs)))", n - 1)
        }
        _ => {
            let n = 3 + random.below(30);
            let mut body = String::from("x0");
            for i in (1..n).rev() {
                body = std::format!(
                    "(let x{} (zip x{} x{}) {})",
                    i,
                    i - 1,
                    i - 1,
                    if body == "x0" { std::format!("x{i}") } else { body }
                );
            }
            format!("(define (g (x0 (array-type int {b}))) {body})")
        }
    }
}
