//! Rewrites by laws: what they compute where the program does not, the names that they bind, and their reverses.

use super::*;

/// The titles of the rewrites by laws at the cursor, each with the program after it.
fn rewrites(text: &str) -> Vec<(String, String)> {
    let fixture = Fixture::new(text);
    let (path, range) = fixture.marked();
    let actions = fixture.analysis().code_actions(path, range).unwrap();
    let laws = actions.into_iter().filter(|action| action.kind == crate::ide::actions::kinds::LAW);
    laws.map(|action| (action.title, fixture.apply(&action.change).trim_end().to_owned())).collect()
}

/// The one rewrite whose title begins so.
fn by(title: &str, text: &str) -> (String, String) {
    let mut all = rewrites(text);
    let titles: Vec<String> = all.iter().map(|(title, _)| title.clone()).collect();
    all.retain(|(own, _)| own.starts_with(title));
    all.pop().unwrap_or_else(|| panic!("{title} is not among {titles:?}"))
}

#[track_caller]
fn check(title: &str, before: &str, after: &str) {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&by(title, before).1), words(after));
}

const COULD_FAIL: &str = "assumes that ";

/// An expression hoisted out of a map is evaluated for an empty array, too, and where `and` would have skipped it.
#[test]
fn what_may_fail_is_assumed_not_to_where_it_is_computed_more_often() {
    let hoist = "Compute once, before the map (hoist)";
    let title = |title: &str, text: &str| by(title, text).0;
    let divided = "(define (f (c int) (xs (array-type int n))) ($0map (lambda (x) (+ x (/ 100 c))) xs))";
    assert_eq!(title(hoist, divided), format!("{hoist}; assumes that (/ 100 c) cannot fail"));
    let skipped = "(define (f (c int) (xs (array-type int n))) ($0map (lambda (x) (and (!= c x) (> (/ 12 c) x))) xs))";
    assert!(title(hoist, skipped).contains(COULD_FAIL));
    let fine = divided.replace("(/ 100 c)", "(* 100 c)");
    assert_eq!(title(hoist, &fine), hoist);
    let floats = divided.replace("(/ 100 c)", "(/ 100.0f c)").replace("int", "float");
    assert_eq!(title(hoist, &floats), hoist);
    assert_eq!(title(hoist, &divided.replace("(/ 100 c)", "(mod c 7)")), hoist);
    let element = "(define (f (ys (array-type int m)) (xs (array-type int n)))
  ($0map (lambda (x) (if (> (aref ys 3) 0) (+ x 1) (- x 1))) xs))";
    let unswitch = "Test once, before the map (unswitch)";
    assert_eq!(title(unswitch, element), format!("{unswitch}; assumes that (> (aref ys 3) 0) cannot fail"));
    // Through definitions.
    let safe =
        "(define (g c) (* c 3))\n(define (f (c int) (xs (array-type int n))) ($0map (lambda (x) (+ x (g c))) xs))";
    assert_eq!(title(hoist, safe), hoist);
    assert!(title(hoist, &safe.replace("(* c 3)", "(/ 3 c)")).contains(COULD_FAIL));
    let given = "(define (g f c) (f c))
(define (f (c int) (xs (array-type int n))) ($0map (lambda (x) (+ x (g (lambda (d) (* d 2)) c))) xs))";
    assert_eq!(title(hoist, given), hoist);
    assert!(title(hoist, &given.replace("(* d 2)", "(/ 2 d)")).contains(COULD_FAIL));
    for body in [
        "(let h (lambda (d) (/ 2 d)) (h c))",
        "((lambda (h) (h c)) (lambda (d) (/ 2 d)))",
        "(head (map (/ 2) (fill #1 c)))",
    ] {
        let local = safe.replace("(* c 3)", body);
        assert!(title(hoist, &local).contains(COULD_FAIL), "{body}");
        assert_eq!(title(hoist, &local.replace('/', "*")), hoist, "{body}");
    }
}

/// An operand that `or` skips does not become a separate map.
#[test]
fn an_operand_that_may_be_skipped_is_not_split_off() {
    let split = |body: &str| {
        let text = format!("(define (f (c bool) (xs (array-type int n))) ($0map (lambda (x) {body}) xs))");
        rewrites(&text).iter().any(|(title, _)| title == "Split the map in two (map-map)")
    };
    assert!(!split("(or c (> (/ 9 x) 3))"));
    assert!(split("(or (> (/ 9 x) 3) c)"));
    assert!(split("(+ 1 (/ 9 x))"));
}

/// Elements that a part leaves out are not computed.
#[test]
fn a_map_of_a_part_becomes_one_of_the_whole_only_if_it_cannot_fail() {
    let take = "Take after the map (take-map)";
    let text = "(define (f (xs (array-type int (+ n 3)))) ($0map (lambda (x) (/ 100 x)) (take 3 xs)))";
    assert_eq!(by(take, text).0, format!("{take}; assumes that (lambda (x) (/ 100 x)) cannot fail"));
    assert_eq!(by(take, &text.replace('/', "*")).0, take);
    let back = "(define (f (xs (array-type int (+ n 3)))) ($0take 3 (map (lambda (x) (/ 100 x)) xs)))";
    assert_eq!(by("Take before the map (take-map)", back).0, "Take before the map (take-map)");
}

/// `(f e)` would compute `e` even if it is never called.
#[test]
fn a_function_is_left_as_a_lambda_if_its_first_arguments_do_work() {
    check(
        "Run on all work-items",
        "(define (f (c int) (xs (array-type int n))) ($0map (lambda (x) (+ (/ 100 c) x)) xs))",
        "(define (f (c int) (xs (array-type int n))) (mapGlb (lambda (x) (+ (/ 100 c) x)) xs))",
    );
    check(
        "Fuse the maps",
        "(define (f (c int) (xs (array-type int n))) ($0map (+ c) (map (lambda (x) (* (/ 100 c) x)) xs)))",
        "(define (f (c int) (xs (array-type int n))) (map (lambda (x) (+ c (* (/ 100 c) x))) xs))",
    );
}

/// The names of the program stay, and no `let` is needed for a name that a function binds, too.
#[test]
fn parameters_keep_their_names() {
    check(
        "Fuse the maps",
        "(define (f (rows (array-type (array-type int m) n)))
  ($0map head (map (lambda (row) (reduceSeq 0 + (map (lambda (x) (* x 3)) row))) rows)))",
        "(define (f (rows (array-type (array-type int m) n)))
  (map (lambda (row) (head (reduceSeq 0 + (map (lambda (x) (* x 3)) row)))) rows))",
    );
    check(
        "Compute for each element",
        "(define (f (es (array-type float n))) ($0let s (sum es) (map (lambda (e) (/ e s)) es)))",
        "(define (f (es (array-type float n))) (map (lambda (e) (/ e (sum es))) es))",
    );
    check(
        "Interchange the maps (interchange)",
        "(define (f (ps (array-type int n)) (qs (array-type int m))) ($0map (lambda (p) (map (lambda (q) (- p q)) qs)) ps))",
        "(define (f (ps (array-type int n)) (qs (array-type int m)))
  (transpose (map (lambda (q) (map (lambda (p) (- p q)) ps)) qs)))",
    );
}

/// A parameter may have the name of a definition that the law uses.
#[test]
fn a_parameter_does_not_hide_what_a_law_uses() {
    check(
        "Fold tile by tile (fold-tiles, k = 4)",
        "(define (f (xs (array-type int (* 64 n)))) ($0reduceSeq 0 (lambda (head last) (+ (* 3 head) last)) xs))",
        "(define (f (xs (array-type int (* 64 n)))) (reduceSeq 0 \
         (lambda (acc tile) (head (reduceSeq acc (lambda (head last) (+ (* 3 head) last)) tile))) (split 4 xs)))",
    );
    check(
        "Split a map off the fold",
        "(define (f (xs (array-type int n))) ($0reduceSeq 0 (lambda (map x) (+ map (* x x))) xs))",
        "(define (f (xs (array-type int n))) (reduceSeq 0 + (map (lambda (x) (* x x)) xs)))",
    );
    check(
        "Fuse the map into the fold",
        "(define (f (xs (array-type int n))) ($0reduceSeq 0 (lambda (reduceSeq y) (- y reduceSeq)) (map (+ 1) xs)))",
        "(define (f (xs (array-type int n))) (reduceSeq 0 (lambda (acc x) (- (+ 1 x) acc)) xs))",
    );
}

/// The lengths in the border are those of the array, whatever its name.
#[test]
fn a_border_is_taken_back_of_an_array_of_any_name() {
    check(
        "Map the border with the rest",
        "(define (f (ys (array-type float (+ n 2))))
  ($0concat (map sqrt (take 1 ys))
          (concat (map sqrt (slice 1 #(- (length ys) 2) ys)) (map sqrt (drop #(- (length ys) 1) ys)))))",
        "(define (f (ys (array-type float (+ n 2)))) (map sqrt ys))",
    );
}

/// A program with settings, such as `lift tune --write` makes, is rewritten as any other.
#[test]
fn laws_apply_inside_of_settings_and_types() {
    check(
        "Fuse the maps",
        "(define (f (xs (array-type float n))) (with ((group 64)) ($0map sqrt (map abs xs))))",
        "(define (f (xs (array-type float n))) (with ((group 64)) (map (lambda (x) (sqrt (abs x))) xs)))",
    );
    check(
        "Remove both",
        "(define (f (xs (array-type float n))) (: (reverse ($0reverse xs)) (array-type float n)))",
        "(define (f (xs (array-type float n))) (: xs (array-type float n)))",
    );
}

/// A left fold accepts any function, so it does not imply that its function is associative.
#[test]
fn a_sequential_fold_may_not_be_reordered() {
    let f = "(lambda (a b) (- (* 3 b) a))";
    let needs = format!("; assumes that {f} is associative; assumes that 0 is neutral for {f}");
    for (law, fold) in
        [("Reduce in any order (any-order)", "reduceSeq"), ("Scan in any order (scan-any-order)", "scanSeq")]
    {
        let title = by(law, &format!("(define (g (xs (array-type int n))) ($0{fold} 0 {f} xs))")).0;
        assert_eq!(title, format!("{law}{needs}"));
    }
    // `reduce` asks for it.
    let title = by("Fold from left to right", &format!("(define (g (xs (array-type int n))) ($0reduce 0 {f} xs))")).0;
    assert_eq!(title, "Fold from left to right (any-order)");
}

#[test]
fn neutral_elements_of_small_types_and_of_bounds_are_known() {
    let any = "Reduce in any order (any-order)";
    for (ty, fold) in [
        ("ubyte", "0ub +"),
        ("short", "0s +"),
        ("half", "0.0h +"),
        ("float", "-inff max"),
        ("int", "2147483647 min"),
        ("double", "inf min"),
    ] {
        let text = format!("(define (f (xs (array-type {ty} n))) ($0reduceSeq {fold} xs))");
        let title = by(any, &text).0;
        assert!(!title.contains("assumes"), "{title}");
    }
    let title = by(any, "(define (f (xs (array-type int n))) ($0reduceSeq 0 max xs))").0;
    assert_eq!(title, "Reduce in any order (any-order); assumes that 0 is neutral for max");
}

#[test]
fn only_what_rounds_may_round_otherwise() {
    let title = |text: &str| by("Reduce in any order", text).0;
    let rounds = "Reduce in any order (any-order); floats may round otherwise";
    assert_eq!(title("(define (f (xs (array-type float n))) ($0reduceSeq 0.0f + xs))"), rounds);
    let typed = "(define (f (z float) (xs (array-type float n))) ($0reduceSeq z + xs))";
    assert!(title(typed).ends_with("; floats may round otherwise"));
    assert!(!title("(define (f (xs (array-type float n))) ($0reduceSeq -inff max xs))").contains("round"));
    assert!(!title("(define (f (xs (array-type int n))) ($0reduceSeq 0 + xs))").contains("round"));
}
