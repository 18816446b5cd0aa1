//! Results of the typed views.

use lift_syntax::ast::{Define, Expr, Item, SizeOperator, Type};
use lift_syntax::{LiteralValue, parse_form};

fn item(text: &str) -> Item {
    let form = parse_form(text).form();
    form.and_then(|form| form.item()).expect("a form")
}

fn define(text: &str) -> Define {
    match item(text) {
        Item::Define(define) => define,
        other => panic!("no definition: {other:?}"),
    }
}

fn body(text: &str) -> Expr {
    define(text).body().expect("a body")
}

#[test]
fn documentation_is_without_its_semicolons() {
    let doc = |text| parse_form(text).form().and_then(|form| form.doc());
    assert_eq!(doc(";;; One.\n;;;\n;;;   * two  \n(define a 1)").as_deref(), Some("One.\n\n  * two"));
    assert_eq!(doc("(define a 1)"), None);
}

#[test]
fn a_definition_has_one_name_in_both_shapes() {
    let plain = define("(define a 1)");
    assert_eq!(plain.name().and_then(|name| name.text()).as_deref(), Some("a"));
    assert!(plain.head().is_none());
    let with_params = define("(define (f x (y int)) 1)");
    assert_eq!(with_params.name().and_then(|name| name.text()).as_deref(), Some("f"));
    let params: Vec<_> = with_params.head().into_iter().flat_map(|head| head.params()).collect();
    assert_eq!(params.len(), 2);
    assert!(params[0].ty().is_none() && params[1].ty().is_some());
}

#[test]
fn literals_have_values() {
    let value = |literal: &str| match body(&format!("(define a {literal})")) {
        Expr::Literal(literal) => literal.value(),
        other => panic!("no literal: {other:?}"),
    };
    assert_eq!(value("-2147483648"), Some(LiteralValue::Int(i32::MIN)));
    assert_eq!(value("2147483648"), None);
    assert_eq!(value("+3L"), Some(LiteralValue::Long(3)));
    assert_eq!(value("1e-3f"), Some(LiteralValue::Float(1e-3)));
    assert_eq!(value("2."), Some(LiteralValue::Double(2.0)));
    assert_eq!(value("false"), Some(LiteralValue::Bool(false)));
    assert_eq!(value("inf"), Some(LiteralValue::Double(f64::INFINITY)));
    assert_eq!(value("-inff"), Some(LiteralValue::Float(f32::NEG_INFINITY)));
    let nans = ["nanf", "-nanf"]
        .map(|word| matches!(value(word), Some(LiteralValue::Float(x)) if x.to_bits() == f32::NAN.to_bits()));
    assert_eq!(nans, [true, true]);
    assert_eq!((value("1e999"), value("1e99f")), (None, None));
}

#[test]
fn an_unpack_may_name_its_sizes() {
    let names = |text: &str| match body(text) {
        Expr::Unpack(unpack) => (
            unpack.size_names().filter_map(|name| name.text()).collect::<Vec<_>>(),
            unpack.name().and_then(|name| name.text()),
            unpack.value().is_some() && unpack.body().is_some(),
        ),
        other => panic!("no unpack: {other:?}"),
    };
    let of = |sizes: &[&str]| (sizes.iter().map(ToString::to_string).collect(), Some("y".to_owned()), true);
    assert_eq!(names("(define a (unpack y x y))"), of(&[]));
    assert_eq!(names("(define a (unpack (X y) x y))"), of(&["X"]));
    assert_eq!(names("(define a (unpack (X Y y) x y))"), of(&["X", "Y"]));
}

#[test]
fn what_is_broken_keeps_its_place() {
    let Expr::If(conditional) = body("(define a (if \"x\" 1 2))") else { panic!("no if") };
    assert!(matches!(conditional.condition(), Some(Expr::Error(_))));
    assert!(matches!(conditional.else_branch(), Some(Expr::Literal(_))));
    let Expr::Ascribe(ascription) = body("(define a (: \"x\" float))") else { panic!("no type") };
    assert!(matches!(ascription.expr(), Some(Expr::Error(_))));
    assert!(matches!(ascription.ty(), Some(Type::Name(_))));
}

#[test]
fn sizes_know_their_operator() {
    let Expr::SizeLit(literal) = body("(define a #(sum (i N) (* i i)))") else { panic!("no size") };
    let Some(lift_syntax::ast::Size::Op(sum)) = literal.size() else { panic!("no operation") };
    assert_eq!(sum.operator(), Some(SizeOperator::Sum));
    let binder = sum.sum_binder().expect("a position");
    assert_eq!(binder.name().and_then(|name| name.text()).as_deref(), Some("i"));
    assert!(binder.bound().is_some());
    assert_eq!(sum.operands().count(), 1);
}

#[test]
fn the_path_of_an_import_has_no_escapes_left() {
    let Item::Import(import) = item(r#"(import "a \"b\" \\ \c.lift")"#) else { panic!("no import") };
    assert_eq!(import.path().as_deref(), Some(r#"a "b" \ \c.lift"#));
}
