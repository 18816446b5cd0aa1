//! Completion: which items are offered where, in which order, and the text after accepting one.

use super::Fixture;
use crate::ide::completion::{CompletionItem, Completions};
use crate::ide::scope::is_subsequence;
use expect_test::{Expect, expect};

fn completions(fixture: &Fixture) -> (String, Completions) {
    let (path, range) = fixture.marked();
    let found = fixture.analysis().completions(path, range.start()).unwrap();
    let text = fixture.host.file_text(path).unwrap();
    (text[found.replace].to_owned(), found)
}

/// The items as an editor shows them: without those that do not match the typed text, and prefix matches first.
fn shown<'a>(typed: &str, found: &'a Completions) -> Vec<&'a CompletionItem> {
    let label = |item: &'a CompletionItem| item.filter.as_deref().unwrap_or(&item.label);
    let mut items: Vec<&CompletionItem> =
        found.items.iter().filter(|item| is_subsequence(typed, label(item))).collect();
    items.sort_by_key(|item| !label(item).to_lowercase().starts_with(&typed.to_lowercase()));
    items
}

/// Compares the first items: inserted text and description.
fn check(text: &str, count: usize, expected: Expect) {
    let fixture = Fixture::new(text);
    let (typed, found) = completions(&fixture);
    let mut out = format!("`{typed}`\n");
    for item in shown(&typed, &found).into_iter().take(count) {
        let insert = item.insert.as_snippet().unwrap_or_else(|| item.insert.plain());
        let source = item.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
        out += &format!("{}{source} : {} => {insert}\n", item.label, item.detail);
        for edit in &item.additional {
            out += &format!("  {:?} => {}\n", edit.range, edit.new_text);
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn what_fits_comes_first() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map sq$0 xs)))\n",
        2,
        expect![[r#"
        `sq`
        sqrt : a -> a => sqrt
        reduceSeq : b -> (b -> a -> b) -> Array[a,n] -> Array[b,1] => reduceSeq
    "#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map $0 xs)))\n",
        4,
        expect![[r#"
        ``
        lambda : a function => (lambda (${1:x}) $0)
        toFloat : a -> Float => toFloat
        sqrt : a -> a => sqrt
        toInt : a -> Int => toInt
    "#]],
    );
    check(
        "(lift f (N M) ((array-type float N) (array-type int M) float) (lambda (xs is y) (zip xs $0)))\n",
        4,
        expect![[r#"
        ``
        xs : Array[Float,N] => xs
        map : (a -> b) -> Array[a,n] -> Array[b,n] => (map ${1:f} ${2:xs})
        filter : (a -> Bool) -> Array[a,n] -> <∃X, Array[a,X]> => (filter ${1:p} ${2:xs})
        zip : Array[a,n] -> Array[b,n] -> Array[(a, b),n] => (zip ${1:xs} ${2:ys})
    "#]],
    );
    check(
        "(lift f (N) ((array-type float N) float) (lambda (xs y) (map (lambda (x) (* x $0)) xs)))\n",
        4,
        expect![[r#"
        ``
        x : Float => x
        y : Float => y
        toFloat : a -> Float => (toFloat ${1:x})
        + : a -> a -> a => (+ ${1:x} ${2:y})
    "#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (reduce $0)))\n",
        4,
        expect![[r#"
        ``
        xs : Array[Float,N] => xs
        map : (a -> b) -> Array[a,n] -> Array[b,n] => map
        + : a -> a -> a => +
        * : a -> a -> a => *
    "#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (reduce 0.0f $0 xs)))\n",
        4,
        expect![[r#"
        ``
        + : a -> a -> a => +
        * : a -> a -> a => *
        - : a -> a -> a => -
        / : a -> a -> a => /
    "#]],
    );
}

#[test]
fn calls_have_holes() {
    check(
        ";;; Twice.\n(define (twice by x) (* by x))\n(lift f (N) ((array-type float N)) (lambda (xs) (tw$0)))\n",
        1,
        expect![[r#"
        `tw`
        twice : a -> a -> a => twice ${1:by} ${2:x}
    "#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (sp$0)))\n",
        1,
        expect![[r#"
        `sp`
        split : #k -> Array[a,n] -> Array[Array[a,k],n/k] => split #${1:k} ${2:xs}
    "#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map sqrt fil$0)))\n",
        1,
        expect![[r#"
        `fil`
        filter : (a -> Bool) -> Array[a,n] -> <∃X, Array[a,X]> => (filter ${1:p} ${2:xs})
    "#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (ma$0 sqrt xs)))\n",
        1,
        expect![[r#"
        `ma`
        map : (a -> b) -> Array[a,n] -> Array[b,n] => map
    "#]],
    );
}

#[test]
fn half_a_form() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map $0\n(define (g x) x)\n",
        2,
        expect![[r#"
        ``
        lambda : a function => (lambda (${1:x}) $0)
        g : a -> a => g
    "#]],
    );
    check(
        "(define (f xs) (let ys (filter (lambda (x) (> x 0.0f)) xs) (zip ys $0",
        2,
        expect![[r#"
        ``
        xs : Array[Float,_] => xs
        ys : Array[Float,X1] => ys
    "#]],
    );
    check(
        "(define (f xs) (let ys $0",
        1,
        expect![[r#"
        ``
        ys : _ => ys
    "#]],
    );
}

#[test]
fn sizes() {
    check(
        "(lift f (N M) ((array-type float (* N M))) (lambda (xs) (split #$0 xs)))\n",
        3,
        expect![[r#"
            ``
            N : size => N
            M : size => M
            (length xs) : Array[Float,N*M] => (length xs)
        "#]],
    );
    check(
        "(lift f (N M) ((array-type float $0)) (lambda (xs) xs))\n",
        3,
        expect![[r#"
        ``
        N : size => N
        M : size => M
        + : the sum of sizes => (+ ${1:N} ${2:1})
    "#]],
    );
    check(
        "(lift f (N M) ((array-type float (m$0)) (lambda (xs) xs))\n",
        3,
        expect![[r#"
        `m`
        mod : the remainder => mod ${1:N} ${2:2}
        min : the smallest of sizes => min ${1:N} ${2:M}
        max : the largest of sizes => max ${1:N} ${2:M}
    "#]],
    );
    check(
        "(lift f (N M) ((array-type float (* N M))) (lambda (xs) (split $0 xs)))\n",
        2,
        expect![[r#"
        ``
        N : size => N
        M : size => M
    "#]],
    );
    check(
        "(define (f xs) #(length $0))\n",
        1,
        expect![[r#"
        ``
        xs : _ => xs
    "#]],
    );
}

#[test]
fn types() {
    check(
        "(lift f (N) ($0) (lambda (x) x))\n",
        3,
        expect![[r#"
        ``
        float : a floating-point number of 32 bits => float
        int : a number of 32 bits => int
        bool : true or false => bool
    "#]],
    );
    check(
        "(lift f (N) ((arr$0 float N)) (lambda (x) x))\n",
        1,
        expect![[r#"
        `arr`
        array-type : an array: the type of its elements, its length => array-type ${1:float} ${2:N}
    "#]],
    );
    check(
        "(define (f (x fl$0)) x)\n",
        1,
        expect![[r#"
        `fl`
        float : a floating-point number of 32 bits => float
    "#]],
    );
    check(
        "(define (f x) (: x (array-type $0)))\n",
        1,
        expect![[r#"
        ``
        float : a floating-point number of 32 bits => float
    "#]],
    );
}

#[test]
fn forms_and_paths() {
    check(
        "(define one 1)\n(de$0)\n",
        3,
        expect![[r#"
        `de`
        define : a function or a value => define (${1:name} ${2:x})
          $0
    "#]],
    );
    check(
        "$0",
        3,
        expect![[r#"
        ``
        define : a function or a value => (define (${1:name} ${2:x})
          $0)
        lift : a kernel: a form that can be compiled and run => (lift ${1:name} (${2:N}) ((array-type ${3:float} ${4:N}))
          (lambda (${5:xs})
            $0))
        import : the definitions of another file => (import "${1:file}.lift")
    "#]],
    );
    check(
        "(import \"$0\")\n;;- lib/a.lift\n(define one 1)\n",
        3,
        expect![[r#"
        ``
        lib/a.lift :  => lib/a.lift
    "#]],
    );
    check(
        "(import \"li$0\n(define x 1)\n;;- lib/a.lift\n(define one 1)\n",
        3,
        expect![[r#"
        `li`
        lib/a.lift :  => lib/a.lift
    "#]],
    );
}

#[test]
fn postfix_forms() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) xs.ma$0))\n",
        2,
        expect![[r#"
        `.ma`
        map : (map f xs) => (map ${1:f} xs)
          48..50 => 
        mapSeq : (mapSeq f xs) => (mapSeq ${1:f} xs)
          48..50 => 
    "#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map sqrt xs).fil$0))\n",
        2,
        expect![[r#"
        `.fil`
        filter : (filter p (map sqrt xs)) => (filter ${1:p} (map sqrt xs))
          48..61 => 
    "#]],
    );
    check(
        "(lift f (N) (float) (lambda (x) (> x 0.0f).$0))\n",
        3,
        expect![[r#"
        `.`
        if : (if (> x 0.0f) then else) => (if (> x 0.0f) ${1:then} ${2:else})
          32..42 => 
        not : (not (> x 0.0f)) => (not (> x 0.0f))
          32..42 => 
        let : (let x (> x 0.0f)
          ) => (let ${1:x} (> x 0.0f)
          $0)
          32..42 => 
    "#]],
    );
}

#[test]
fn nothing_in_comments_numbers_and_new_names() {
    check(
        "(define f 1) ; com$0\n",
        3,
        expect![[r#"
        ``
    "#]],
    );
    check(
        "(define f 12$0)\n",
        3,
        expect![[r#"
        ``
    "#]],
    );
    check(
        "(define (f x$0) x)\n",
        3,
        expect![[r#"
        ``
    "#]],
    );
    check(
        "(define f$0 1)\n",
        3,
        expect![[r#"
        ``
    "#]],
    );
}

/// Realistic tasks: the name that a person wants to write next, and where. Each is `wanted: program`, with the cursor
/// at `$0`.
const TASKS: &str = include_str!("completion/tasks.txt");

#[test]
fn how_often_the_wanted_one_is_first() {
    let (mut report, mut ranks) = (String::new(), Vec::new());
    for task in TASKS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (wanted, program) = task.split_once(": ").expect(task);
        let fixture = Fixture::new(&program.replace('~', "\n"));
        let (typed, found) = completions(&fixture);
        let items = shown(&typed, &found);
        let rank = items.iter().position(|item| item.label == wanted).map(|index| index + 1);
        let before: Vec<&str> = items.iter().take(rank.unwrap_or(4).min(4) - 1).map(|item| &*item.label).collect();
        let rank_text = rank.map_or("-".to_owned(), |rank| rank.to_string());
        let before = if before.is_empty() { String::new() } else { format!(" after {}", before.join(" ")) };
        report += &format!("{rank_text:>3} {wanted}{before} | {program}\n");
        ranks.push(rank);
    }
    let within = |most: usize| ranks.iter().filter(|rank| rank.is_some_and(|rank| rank <= most)).count();
    let reciprocal: f64 = ranks.iter().flatten().map(|&rank| 1.0 / rank as f64).sum::<f64>() / ranks.len() as f64;
    report += &format!(
        "\n{} tasks: first {}, among the first three {}, among the first ten {}, mean reciprocal rank {reciprocal:.3}\n",
        ranks.len(),
        within(1),
        within(3),
        within(10)
    );
    expect_test::expect_file!["completion/ranks.txt"].assert_eq(&report);
    assert!(ranks.len() >= 60);
}

#[test]
fn what_another_file_defines_comes_with_its_import() {
    let library = ";;- lib/vectors.lift\n(define (doubled xs) (map (lambda (x) (* x 2.0f)) xs))\n(define dot 1)\n";
    check(
        &format!(
            ";;- main.lift\n(import \"other.lift\")\n(lift f (N) ((array-type float N)) (lambda (xs) (doub$0 xs)))\n;;- other.lift\n{library}"
        ),
        1,
        expect![[r#"
            `doub`
            doubled (lib/vectors.lift) : Array[Float,n] -> Array[Float,n] => doubled
              21..21 => 
            (import "lib/vectors.lift")
        "#]],
    );
    check(
        &format!(";;- a/main.lift\n(define x (doub$0))\n{library}"),
        1,
        expect![[r#"
        `doub`
        doubled (../lib/vectors.lift) : Array[Float,n] -> Array[Float,n] => doubled ${1:xs}
          0..0 => (import "../lib/vectors.lift")


    "#]],
    );
}

#[test]
fn parameters_and_their_values() {
    let program =
        |with: &str| format!("(lift f (N) ((array-type float N)) (lambda (xs) (with {with} (map sqrt xs))))\n");
    check(
        &program("((rows.te$0))"),
        2,
        expect![[r#"
            `rows.te`
            rows.team : Work-items per row, if there are many rows of unknown length. => rows.team
            rows.started : Maximum work-items, per compute unit, that are started for rows in registers; if there are more rows, each has several. => rows.started
        "#]],
    );
    check(
        &program("((rows.te$0 16))"),
        1,
        expect![[r#"
        `rows.te`
        rows.team : Work-items per row, if there are many rows of unknown length. => rows.team
    "#]],
    );
    check(
        &program("(gr$0)"),
        1,
        expect![[r#"
        `gr`
        group : Work-items of a group, unless something else determines them. => (group ${1:128})
    "#]],
    );
    check(
        &program("((rows.team $0))"),
        3,
        expect![[r#"
        ``
        2 :  => 2
        4 :  => 4
        8 : the value unless set => 8
    "#]],
    );
    check(
        &program("((target n$0))"),
        1,
        expect![[r#"
        `n`
        nvidia :  => nvidia
    "#]],
    );
}
