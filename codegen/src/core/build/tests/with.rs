//! `with`: which primitives have which settings. The values do not depend on them.

use super::*;
use expect_test::expect;

#[test]
fn settings_hold_for_what_is_written_in_a_with_and_for_what_it_names() {
    check_kernel(
        "(define (halves xs) (map (lambda (x) (/ x 2)) xs))
         (lift f (N) ((array-type int N))
           (lambda (xs)
             (let ys (with ((group 64)) (halves (with ((item.elements 8)) (scan 0 + xs))))
               (let zs (halves ys)
                 (zipWith + ys ((with ((group 32)) (map neg)) zs))))))",
        expect![[r#"
            kernel f (N) (xs : Array[Int,N]) -> Array[Int,N]
              let xs'2 : Array[Int,N] = with (group=64 item.elements=8) scan (λ(x : Int, x'2 : Int)
                let t : Int = x + x'2
                t) 0 xs
              let ys : Array[Int,N] = with (group=64) map (λ(x'3 : Int)
                let t'2 : Int = x'3 / 2
                t'2) xs'2
              let zs : Array[Int,N] = map (λ(x'4 : Int)
                let t'3 : Int = x'4 / 2
                t'3) ys
              let ys'2 : Array[Int,N] = with (group=32) map (λ(x'5 : Int)
                let t'4 : Int = neg x'5
                t'4) zs
              let t'5 : Array[(Int, Int),N] = zip ys ys'2
              let t'6 : Array[Int,N] = map (λ(p : (Int, Int))
                let t'7 : Int = get1 p
                let t'8 : Int = get2 p
                let t'9 : Int = t'7 + t'8
                t'9) t'5
              t'6
        "#]],
    );
}

#[test]
fn what_a_kernel_as_a_whole_has_is_printed_once_and_can_be_parsed() {
    let text = "(lift f (N) ((array-type int N))
                  (lambda (xs) (with ((target gpu) (group 64)) (map neg (with ((group 32)) (scan 0 + xs))))))";
    let (_, kernel) = build(text).expect("a kernel");
    let printed = kernel.to_string();
    assert_eq!(crate::core::parse::kernel(&printed).map(|kernel| kernel.to_string()), Ok(printed.clone()));
    expect![[r#"
        kernel f (N) (xs : Array[Int,N]) -> Array[Int,N]
          with target=gpu group=64
          let t : Array[Int,N] = with (target=gpu group=32) scan (λ(x : Int, x'2 : Int)
            let t'2 : Int = x + x'2
            t'2) 0 xs
          let t'3 : Array[Int,N] = map (λ(x'3 : Int)
            let t'4 : Int = neg x'3
            t'4) t
          t'3
    "#]]
    .assert_eq(&printed);
}

#[test]
fn values_do_not_depend_on_settings() {
    let one = |body: &str| {
        let text = format!("(lift f (N) ((array-type int N)) (lambda (xs) {body}))");
        result(&text, &[ints(-2..6)])
    };
    assert_eq!(one("(with ((group 64)) (map neg (filter (< 1) xs)))"), one("(map neg (filter (< 1) xs))"));
    assert_eq!(one("(map neg (with ((group 64)) (filter (< 1) xs)))"), one("(map neg (filter (< 1) xs))"));
    assert_eq!(one("((with ((group 64)) (map neg)) xs)"), one("(map neg xs)"));
    assert_eq!(one("((with ((group 64)) map) neg xs)"), one("(map neg xs)"));
    assert_eq!(one("((with ((group 64)) (o (map neg) (map abs))) xs)"), one("((o (map neg) (map abs)) xs)"));
    assert_eq!(one("((with ((group 64)) (iterate 3 (map neg))) xs)"), one("(iterate 3 (map neg) xs)"));
    assert_eq!(one("(let f (with ((group 64)) (lambda (x) (+ x 1))) (map f xs))"), one("(map (+ 1) xs)"));
}

#[test]
fn a_setting_belongs_to_the_meaning_that_is_tuned() {
    let meaning = |settings: &str| {
        let text = format!("(lift f (N) ((array-type int N)) (lambda (xs) (with ({settings}) (map neg xs))))");
        crate::core::print::meaning(&build(&text).expect("a kernel").1)
    };
    assert_eq!(meaning("(group 64)"), meaning("(group 64)"));
    assert_ne!(meaning("(group 64)"), meaning("(group 32)"));
    assert_ne!(meaning("(group 64)"), meaning(""));
}
