//! Types of programs, and the ranges of errors.

use super::translate;
use std::fmt::Write;

/// The types of a program's names, or its errors.
fn types(text: &str) -> String {
    let program = translate(text);
    let mut out = String::new();
    for error in &program.program.errors {
        let (at, message) = (&text[std::ops::Range::<usize>::from(error.range)], &error.message);
        let _ = writeln!(out, "{} at `{at}`: {message}", error.code);
        if let Some((range, message)) = &error.related {
            let _ = writeln!(out, "  at `{}`: {message}", &text[std::ops::Range::<usize>::from(*range)]);
        }
    }
    if program.program.errors.is_empty() {
        for (_, name, ty) in &program.definitions {
            let _ = writeln!(out, "{name} : {ty}");
        }
    }
    out
}

#[test]
fn types_are_found() {
    for (text, ty) in [
        ("val x = 1 + 2", "x : int"),
        ("val x = -1.5", "x : double"),
        ("fun f x y = x", "f : forall 'a 'b. 'a -> 'b -> 'a"),
        ("val f = fn x => fn y => y x", "f : forall 'a 'b. 'a -> ('a -> 'b) -> 'b"),
        ("val x = let f = fn y => y in (f 1, f true)", "x : (int, bool)"),
        ("fun f x = fst x + snd x", "f : (int, int) -> int"),
        ("fun f<l> xs = push<1+l> (mapPull (addi 1) xs)", "f : forall <l>. [int] -> [int]<1+l>"),
        ("val f = let g<m> = push<m> in g<block>", "f : forall 'a. ['a] -> ['a]<block>"),
        ("val p = do<grid> { x <- return<grid> 1; return<grid> (x == 2) }", "p : Program <grid> bool"),
        (
            "fun f g = while<block> (fn x => 1 != lengthPull x) g",
            "f : forall 'a. (['a] -> Program <block> ['a]<block>) -> Program <block> ['a]<block> -> Program <block> ['a]",
        ),
        ("sig f : forall 'z. 'z -> int -> 'z\nfun f x n = x", "f : forall 'a. 'a -> int -> 'a"),
        ("sig f : forall <k> 'a. ['a] -> ['a]<k>\nfun f<l> x = push<l> x", "f : forall <l> 'a. ['a] -> ['a]<l>"),
        ("val u = ()", "u : unit"),
        ("val f = if true then return<thread> () else return<Z> ()", "f : Program <thread> unit"),
        ("fun zipWith x = x", "zipWith : forall 'a. 'a -> 'a"),
    ] {
        assert_eq!(types(text).trim_end(), ty, "{text}");
    }
}

#[test]
fn mistakes_have_places_and_reasons() {
    for (text, wrong) in [
        ("val x = y", "fcl/name at `y`: `y` is not defined"),
        (
            "fun f x = f x",
            "fcl/name at `f`: `f` is used in its own definition, but there is no recursion: `power`, `whileSeq` and `foldl` repeat",
        ),
        (
            "fun main xs = forceAndPrint 1 (push<grid> (mapPull (fn x => 1) xs))",
            "fcl/type at `xs`: any type fits `xs`: a `sig` of `main` says which, such as `[int]`",
        ),
        (
            "fun main xs = forceAndPrint 4 xs",
            "fcl/type at `xs`: a parameter of `main` is a number or an array of numbers, but `xs` is `[int]<grid>`; `push<grid> xs` \
             makes one of an array",
        ),
        (
            "fun main f xs = push<grid> (mapPull (fn x => f x + 1) xs)",
            "fcl/type at `f`: a parameter of `main` is a number or an array of numbers, but `f` is `'a -> int`",
        ),
        (
            "val x = forceAndPrint (push<grid> (iota 3))",
            "fcl/type at `push<grid> (iota 3)`: this is `[int]<grid>`, and `forceAndPrint` takes `int` before the array\n  at \
             `forceAndPrint`: the function",
        ),
        (
            "val x = take (iota 9) 3",
            "fcl/type at `iota 9`: this is `[int]`, and `take` takes `int` before the array\n  at `take`: the function",
        ),
        ("val x = map 1", "fcl/name at `map`: `map` is not defined; there are `mapPull`, `mapPush`"),
        ("val x = mapp 1", "fcl/name at `mapp`: `mapp` is not defined; there are `mapPull`, `mapPush`"),
        ("val x = mapPul 1", "fcl/name at `mapPul`: `mapPul` is not defined; did you mean `mapPull`?"),
        ("val x = y\nval y = 1", "fcl/name at `y`: `y` is defined further down: a definition knows those above it"),
        (
            "val x = if 1 < 2 then 3 else 4",
            "fcl/syntax at `<`: `<` is not an operator: `lti a b` says whether `a` is less than `b`",
        ),
        (
            "fun f x = if x < 2 then 3 else 4",
            "fcl/syntax at `2`: a level is missing before `2`: `<` begins levels, and `lti a b` says whether `a` is less \
             than `b`",
        ),
        (
            "val x = do<grid> { a <- forcePull<grid> (iota 3) forceAndPrint 3 (push<grid> a) }",
            "fcl/type at `forcePull<grid> (iota 3) forceAndPrint 3 (push<grid> a)`: the last statement of `do` is its result, so \
             it has no name: `;` separates statements",
        ),
        (
            "val x = forceAndPrint 3 (iota 3)",
            "fcl/type at `iota 3`: this is `[int]`, and `forceAndPrint` takes `[int]<grid>`: `push<grid>` makes one from the \
             other\n  at `forceAndPrint 3`: the function",
        ),
        (
            "sig f : int -> int\nfun f x y = x + y\nval z = generate 1 (f 1)",
            "fcl/signature at `f`: `f` is `int -> int -> int`, but its signature says `int -> int`\n  at `int -> int`: the signature",
        ),
        ("val f = fn y => y y", "fcl/type at `y`: this would be a function that takes itself\n  at `y`: the function"),
        ("val x = sqrtd 1 2", "fcl/type at `1`: this is `int`, and `sqrtd` takes `double`\n  at `sqrtd`: the function"),
        (
            "sig f : int\nval g = 1\nval h = f",
            "fcl/signature at `f`: this is the signature of `f`, but the definition after it is `g`",
        ),
        ("val x = 1 2", "fcl/type at `1`: this is not a function: it is `int`\n  at `2`: it is applied to this"),
        (
            "val x = addi 1 true",
            "fcl/type at `true`: this is `bool`, and `addi` takes `int`\n  at `addi 1`: the function",
        ),
        (
            "val x = 1 + 1.5",
            "fcl/type at `1.5`: this is `double`, not `int`: `+` takes two of `int`; `addd` takes two of `double`\n  at `+`: this is `int`",
        ),
        (
            "val x = 1.0 * 2.0",
            "fcl/type at `1.0`: this is `double`, not `int`: `*` takes two of `int`; `muld` takes two of `double`\n  at `*`: this is `int`",
        ),
        (
            "val x = do<grid> { a <- forceM<grid> (push<grid> (iota 3)); return<grid> a }",
            "fcl/type at `push<grid> (iota 3)`: this is `[int]<grid>`, and `forceM` takes `Program <grid> ['a]<grid>`: `force<grid>` \
             stores it, and `return<grid>` makes a program of it\n  at `forceM<grid>`: the function",
        ),
        (
            "val x = if 1 == 1 then 1 else ()",
            "fcl/type at `()`: this is `unit`, not `int`: both branches of an `if` have one type\n  at `1`: this is `int`",
        ),
        (
            "val x = force<grid> (push<block> (iota 3))",
            "fcl/level at `push<block> (iota 3)`: this is `[int]<block>`, and `force` takes `['a]<grid>`: the levels are \
             `block` and `grid`\n  at `block`: `block` is from here",
        ),
        (
            "val x = do<grid> { a <- forcePull<block> (iota 3); return<grid> a }",
            "fcl/level at `forcePull<block> (iota 3)`: this is `Program <block> [int]`, not `Program <grid> 'a`: a statement of \
             `do<grid>` is a program of that level: the levels are `block` and `grid`\n  at `block`: `block` is from here",
        ),
        (
            "val x = do<grid> { a <- forcePull<block> (iota 3); b <- forcePull<block> a; return<block> b }",
            "fcl/level at `forcePull<block> (iota 3)`: this is `Program <block> [int]`, not `Program <grid> 'a`: a statement of \
             `do<grid>` is a program of that level: the levels are `block` and `grid`\n  at `block`: `block` is from here",
        ),
        ("val x = push (iota 3)", "fcl/level at `push`: `push` takes one level: `push<l>`"),
        ("val x = iota<block> 3", "fcl/level at `iota<block>`: `iota` takes no levels"),
        (
            "val x = push<lvl> (iota 3)",
            "fcl/name at `lvl`: the level `lvl` is not known: `thread`, `block`, `grid`, or one in `<…>`",
        ),
        (
            "sig f : int -> double\nfun f x = x",
            "fcl/signature at `f`: `f` is `int -> int`, but its signature says `int -> double`\n  at `int -> double`: the signature",
        ),
        (
            "sig f : forall 'a. 'a -> 'a\nfun f x = x + 1",
            "fcl/type at `x`: this is `'a`, not `int`: `+` takes two of `int`\n  at `+`: this is `int`",
        ),
        (
            "sig f : forall <l>. [int] -> [int]<l>\nfun f<l> x = push<block> x",
            "fcl/level at `f`: `f` is `[int] -> [int]<block>`, but its signature says `[int] -> [int]<l>`: the levels are `block` \
             and `l`\n  at `block`: `block` is from here",
        ),
        ("sig f : 'a\nval f = 1", "fcl/name at `'a`: `'a` is not known: `forall 'a. …` makes it one"),
        (
            "sig g : int\nval f = 1",
            "fcl/signature at `g`: this is the signature of `g`, but the definition after it is `f`",
        ),
        (
            "val x = do<grid> { a <- return<grid> 1 }",
            "fcl/type at `return<grid> 1`: the last statement of `do` is its result, so it has no name: `;` separates statements",
        ),
        ("val x = 3000000000", "fcl/word at `3000000000`: this number does not fit 32 bits"),
    ] {
        assert_eq!(types(text).trim_end(), wrong, "{text}");
    }
}

#[test]
fn types_that_grow_without_end_are_an_error() {
    let text = "val a = fn x => (x, x)\n".to_owned() + &"val a = fn x => a (a x)\n".repeat(40) + "val b = a 1";
    translate(&text);
    let text = format!("val a = {}1{}", "(fn x => x) (".repeat(100), ")".repeat(100));
    assert_eq!(types(&text), "a : int\n");
}
