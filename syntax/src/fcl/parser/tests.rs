//! Losslessness, absence of panics, and ranges of errors.

use super::parse;

const PROGRAM: &str = "-- a program (* in *) FCL\nsig f : forall <l> 'a. int -> (int, ['a]) -> Program <1+l> ['a]<l>\n\
    fun f<l> n p = (* one (* two *) *) do<l> { x <- g<1+l, Z> (fn i j => if i == -1 then 0x1F else 1.5e-3)\n ; h x\n }\n\
    val main = let y <> : int = n'-1 - 2 in iota 3 |> mapPull (fn i => (i << y, ())) \"a\\\"b\"\n";

#[test]
fn every_prefix_has_a_lossless_tree_and_one_error_at_most() {
    assert_eq!(parse(PROGRAM).errors, []);
    for (at, _) in PROGRAM.char_indices() {
        for text in [&PROGRAM[..at], &PROGRAM[at..]] {
            assert_eq!(parse(text).syntax().text().to_string(), text);
        }
        let errors = parse(&PROGRAM[..at]).errors;
        assert!(errors.len() <= 1, "{:?}: {errors:?}", &PROGRAM[..at]);
    }
}

#[test]
fn each_mistake_is_one_error_at_its_place() {
    for (text, range, message) in [
        ("val x = (1 + 2", 13..14, "`)` is missing at the end of the file"),
        ("val x = 1 + \nval y = 2", 13..16, "an expression is missing before `val`"),
        ("val x = 3a", 8..10, "`3a` is not a number"),
        ("val x = \"ab", 8..11, "this string is not closed on its line"),
        ("val x = $ 2 + $", 8..9, "`$` means nothing in FCL"),
        ("val x = 1 ) 2", 10..11, "an operator or a declaration is missing before `)`"),
        ("val x = 1 + sig", 12..15, "an expression is missing before `sig`"),
        ("x = 1\nval y = 1", 0..1, "`sig`, `fun` or `val` is missing before `x`"),
        ("fun f = 1", 6..7, "a parameter is missing before `=`: without parameters it is `val name = …`"),
        (
            "fun f (a, b) = a",
            6..7,
            "a parameter is missing before `(`: a parameter is a name, whose type a `sig` says; `fst` and `snd` take pairs apart",
        ),
        ("val f = \\x -> x", 8..9, "`\\` means nothing in FCL: a function is `fn x => …`"),
        ("val f = fn x -> x", 13..15, "`=>` is missing before `->`: a function is `fn x => …`"),
        ("val x = do { y }", 11..12, "the level of `do` is missing before `{`"),
        ("val x = if a then b", 18..19, "`else` is missing at the end of the file"),
        ("sig f : int ->\nval f = 1", 15..18, "a type is missing before `val`"),
        ("kernel k = 1", 0..6, "`kernel` is not supported: a program is the value `main`"),
        ("val x = 1 (* y", 10..14, "this comment is not closed"),
    ] {
        let errors = parse(text).errors;
        let [error] = &errors[..] else { panic!("{text}: {errors:?}") };
        assert_eq!((std::ops::Range::<usize>::from(error.range), &*error.message), (range, message), "{text}");
    }
}

#[test]
fn depth_has_an_end() {
    for text in ["val x = ".to_owned() + &"(".repeat(100_000), "val x = 1".to_owned() + &" + 1".repeat(100_000)] {
        let parsed = parse(&text);
        assert_eq!(parsed.errors.len(), 1);
        assert_eq!(parsed.syntax().text().len(), crate::TextSize::of(&*text));
    }
}
