//! Inputs that often break parsers, on a small stack like that of a server's thread.

use lift_syntax::{format, parse_file, parse_form, split};

const STACK: usize = 1 << 20;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(test);
    thread.expect("a thread").join().expect("no panic");
}

fn keeps_text(text: &str) -> usize {
    let file = parse_file(text);
    for form in &file.forms {
        assert!(form.parse.syntax().text() == text[form.raw.range]);
    }
    file.errors().count()
}

#[test]
fn a_hundred_thousand_nested_brackets() {
    on_a_small_stack(|| {
        let n = 100_000;
        let closed = format!("(define a {}x{})", "(f ".repeat(n), ")".repeat(n));
        assert_eq!(keeps_text(&closed), 1);
        assert_eq!(keeps_text(&"(".repeat(n)), 2, "no form, not closed");
        assert_eq!(keeps_text(&"[(".repeat(n)), 2);
        assert_eq!(keeps_text(&")".repeat(n)), 1);
        let both = format!("{}{}", "(".repeat(n), "]".repeat(n));
        keeps_text(&both);
        let types = format!("(define (f (x {}", "(array-type ".repeat(n));
        keeps_text(&types);
        let sizes = format!("(define a #{}", "(+ 1 ".repeat(n));
        keeps_text(&sizes);
        let lambdas = format!("(define a {}", "(lambda (x) (let y ".repeat(n));
        keeps_text(&lambdas);
    });
}

#[test]
fn the_deepest_nesting_that_is_allowed() {
    on_a_small_stack(|| {
        let n = lift_syntax::MAX_DEPTH as usize - 1;
        for (open, close) in [("(f ", ")"), ("(let y 1 ", ")"), ("(if c 1 ", ")"), ("(f #", ")")] {
            let text = format!("(define a {}x{})", open.repeat(n), close.repeat(n));
            keeps_text(&text);
        }
        let text = format!("(define a {}x{})", "(f ".repeat(n), ")".repeat(n));
        assert_eq!(keeps_text(&text), 0);
        let text = format!("(define a {}x{})", "(f ".repeat(n + 1), ")".repeat(n + 1));
        assert_eq!(keeps_text(&text), 1);
    });
}

#[test]
fn a_line_of_ten_megabytes() {
    on_a_small_stack(|| {
        let size = 10 << 20;
        keeps_text(&"x".repeat(size));
        keeps_text(&format!(";{}", " ".repeat(size)));
        assert_eq!(split(&"(define (f xs) (mapSeq (lambda (x) (* x 2.0f)) xs))".repeat(size / 51)).len(), size / 51);
        keeps_text(&"(define (f xs) (mapSeq (lambda (x) (* x 2.0f)) xs))".repeat(10_000));
    });
}

#[test]
fn a_line_of_many_tokens() {
    on_a_small_stack(|| {
        let n = 1 << 18;
        assert_eq!(keeps_text(&"x ".repeat(n)), 1);
        assert_eq!(keeps_text(&format!("(define a (f {}))", "#".repeat(n))), 1);
        assert_eq!(keeps_text(&format!("(define a (f {}))", "1 ".repeat(n))), 0);
        assert_eq!(keeps_text(&format!("(define a (f {}))", "1x ".repeat(n))), 200);
        assert_eq!(keeps_text(&"(define a 1)".repeat(n / 4)), 0);
    });
}

#[test]
fn the_formatter_takes_large_and_deep_programs() {
    on_a_small_stack(|| {
        let n = lift_syntax::MAX_DEPTH as usize - 2;
        for open in ["(f ", "(let y 1 ", "(if c 1 ", "(lambda (x) ", "((f x) "] {
            let text = format!("(define a {}x{})", open.repeat(n), ")".repeat(n));
            let formatted = format(&text);
            assert_ne!(formatted, text);
            assert_eq!(format(&formatted), formatted);
        }
        let text = format!("(define a (f {}))", "(g x) ".repeat(1 << 15));
        assert_eq!(format(&text).lines().count(), 1 + (1 << 15));
        let text = "(".repeat(1 << 18);
        assert_eq!(format(&text), text);
    });
}

#[test]
fn text_that_is_no_single_form_still_has_a_tree() {
    for text in ["", "  ", "; c", "(define a 1) (define b 2)", ") (", "x (f", "\0(", "#"] {
        assert_eq!(parse_form(text).syntax().text().to_string(), text);
    }
    assert!(split("\0 \u{feff}").len() == 1);
}
