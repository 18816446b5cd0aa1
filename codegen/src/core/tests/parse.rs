//! Malformed text is refused with its line. That printed kernels can be parsed is tested on random kernels (`random`).

use super::super::parse;

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let wrong = [
        ("kernel k (N) (xs : Array[Int,M]) -> Int\n  0\n", "line 1: no length is called `M` here"),
        ("kernel k () (x : Int) -> Int\n  let y : Int = x + z\n  y\n", "line 2: `z` is not in scope"),
        ("kernel k () (x : Int) -> Int\n  let y : Int = turn x\n  y\n", "line 2: no operation is called `turn`"),
        ("kernel k () (x : Int) -> Int\n  x x\n", "line 2: text after the result of the kernel"),
        ("kernel k () (x : Int) -> Int\n", "line 1: expected a statement or a result on a new line"),
        ("lift", "line 1: expected `kernel`, found `lift`"),
    ];
    for (text, why) in wrong {
        assert_eq!(parse::kernel(text).map(|kernel| kernel.to_string()), Err(why.to_string()), "{text}");
    }
}
