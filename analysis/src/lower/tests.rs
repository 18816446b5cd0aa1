//! The HIR of forms, and the diagnostics of lowering.

use super::*;
use crate::diagnostics::Place;
use expect_test::{Expect, expect};

/// The body as an expression whose local names carry the numbers of their binders, then the diagnostics.
fn show(text: &str) -> String {
    let lowered = lower(text, false);
    let (body, map) = (&lowered.body, &lowered.map);
    let printer = Printer { body };
    let mut out = String::new();
    let sizes: Vec<String> = body.size_params.iter().map(|b| printer.binder(*b)).collect();
    if !sizes.is_empty() {
        out += &format!("sizes {}\n", sizes.join(" "));
    }
    for ty in &body.param_types {
        out += &format!("param : {}\n", printer.ty(*ty));
    }
    match body.root {
        Some(root) => out += &printer.expr(root),
        None => out += &format!("{:?}", body.kind),
    }
    for error in &lowered.errors {
        out += &format!("\n{}", error.code);
    }
    for diagnostic in body.diagnostics.iter().chain(&body.unbound_sizes) {
        out += &format!("\n{} at `{}`: {}", diagnostic.code, &text[map.range(diagnostic.at)], diagnostic.message);
        for related in &diagnostic.related {
            if let Place::Here(node) = related.place {
                out += &format!("\n  {:?}: {}", map.range(node), related.message);
            }
        }
        for fix in &diagnostic.fixes {
            out += &format!("\n  fix: {}", fix.title);
        }
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(text));
}

struct Printer<'b> {
    body: &'b Body,
}

impl Printer<'_> {
    fn binder(&self, id: BinderId) -> String {
        let binder = self.body.binder(id);
        match binder.ty {
            Some(ty) => format!("({}{} {})", binder.name, id.0, self.ty(ty)),
            None => format!("{}{}", binder.name, id.0),
        }
    }

    fn local(&self, id: BinderId) -> String {
        format!("{}{}", self.body.binder(id).name, id.0)
    }

    fn exprs(&self, exprs: &[ExprId]) -> String {
        exprs.iter().map(|e| format!(" {}", self.expr(*e))).collect()
    }

    fn expr(&self, id: ExprId) -> String {
        match self.body.expr(id) {
            Expr::Missing => "?".into(),
            Expr::Local(binder) => self.local(*binder),
            Expr::Global(name) => name.to_string(),
            Expr::Literal(literal) => literal.to_string(),
            Expr::Size(size) => format!("#{}", self.size(*size)),
            Expr::Lambda { params, body } => {
                let params: Vec<String> = params.iter().map(|p| self.binder(*p)).collect();
                format!("(lambda ({}) {})", params.join(" "), self.expr(*body))
            }
            Expr::Apply { callee, args } => format!("({}{})", self.expr(*callee), self.exprs(args)),
            Expr::Let { binder, value, body } => {
                format!("(let {} {} {})", self.local(*binder), self.expr(*value), self.expr(*body))
            }
            Expr::If { condition, then, otherwise } => format!("(if{})", self.exprs(&[*condition, *then, *otherwise])),
            Expr::Tuple(parts) => format!("(tuple{})", self.exprs(parts)),
            Expr::Component { of, index, .. } => format!("{}.{index}", self.local(*of)),
            Expr::Ascribe { value, ty } => format!("(: {} {})", self.expr(*value), self.ty(*ty)),
            Expr::Pack(inner) => format!("(pack {})", self.expr(*inner)),
            Expr::Unpack { sizes, binder, value, body } => {
                let names: Vec<String> = sizes.iter().chain([binder]).map(|name| self.local(*name)).collect();
                let name = if sizes.is_empty() { names.concat() } else { format!("({})", names.join(" ")) };
                format!("(unpack {name}{})", self.exprs(&[*value, *body]))
            }
            Expr::Compose(parts) => format!("(o{})", self.exprs(parts)),
        }
    }

    fn ty(&self, id: TypeRefId) -> String {
        match self.body.type_ref(id) {
            TypeRef::Error => "?".into(),
            TypeRef::Scalar(scalar) => scalar.to_string(),
            TypeRef::Variable(name) => format!("'{name}"),
            TypeRef::Array { position, element, length } => {
                let position = position.map_or(String::new(), |p| format!("{} => ", self.local(p)));
                format!("[{position}{},{}]", self.ty(*element), self.size(*length))
            }
            TypeRef::Tuple(parts) => {
                format!("(tuple {})", parts.iter().map(|t| self.ty(*t)).collect::<Vec<_>>().join(" "))
            }
            TypeRef::Vector { element, width } => format!("<{},{}>", self.ty(*element), self.size(*width)),
            TypeRef::Exists { sizes, body } => {
                let sizes: Vec<String> = sizes.iter().map(|s| self.local(*s)).collect();
                format!("∃{}.{}", sizes.join(" "), self.ty(*body))
            }
            TypeRef::Function { params, result } => {
                let params: Vec<String> = params.iter().map(|t| self.ty(*t)).collect();
                format!("({} -> {})", params.join(" "), self.ty(*result))
            }
        }
    }

    fn size(&self, id: SizeRefId) -> String {
        match self.body.size_ref(id) {
            SizeRef::Error => "?".into(),
            SizeRef::Nat(value) => value.to_string(),
            SizeRef::Local(binder) => self.local(*binder),
            SizeRef::Global(name) => self.expr(*name),
            SizeRef::Variable(name) => format!("'{name}"),
            SizeRef::Op(op, operands) => {
                let operands: Vec<String> = operands.iter().map(|s| self.size(*s)).collect();
                format!("({op:?} {})", operands.join(" "))
            }
            SizeRef::Sum { index, count, body } => {
                format!("(sum {}<{} {})", self.local(*index), self.size(*count), self.size(*body))
            }
            SizeRef::LengthOf(binder) => format!("(length {})", self.local(*binder)),
        }
    }
}

#[test]
fn a_kernel_declares_its_sizes_and_they_are_values_too() {
    check(
        "(lift scale (N) ((array-type float N) int) (lambda (xs k) (tuple (take #(/ N 2) xs) (+ N k))))",
        expect![[r#"
            sizes N0
            param : [Float,N0]
            param : Int
            (lambda (xs1 k2) (tuple (take #(Div N0 2) xs1) (+ N0 k2)))"#]],
    );
}

#[test]
fn the_innermost_binder_of_a_name_decides() {
    check(
        "(define (f x) (let x (g x) ((lambda (x) x) x)))",
        expect!["(lambda (x0) (let x1 (g x0) ((lambda (x2) x2) x1)))"],
    );
}

#[test]
fn a_value_is_not_in_scope_in_itself() {
    check("(define f (let x x x))", expect!["(let x0 x x0)"]);
}

#[test]
fn size_names_of_a_define_are_introduced_by_its_types() {
    check(
        "(define (f (xs (array-type (array-type float m) n)) (ys (array-type int n))) (take n ys xs))",
        expect![[r#"
        sizes m0 n1
        (lambda ((xs2 [[Float,m0],n1]) (ys3 [Int,n1])) (take n1 ys3 xs2))"#]],
    );
}

#[test]
fn a_size_name_may_be_used_before_the_type_that_introduces_it() {
    check(
        "(define f (tuple n #n (lambda ((xs (array-type float n))) xs)))",
        expect![[r#"
        sizes n0
        (tuple n0 #n0 (lambda ((xs1 [Float,n0])) xs1))"#]],
    );
}

#[test]
fn a_parameter_is_in_scope_in_the_types_of_those_after_it() {
    check(
        "(define (f xs (ys (array-type float (+ 1 (length xs))))) ys)",
        expect!["(lambda (xs0 (ys1 [Float,(Add 1 (length xs0))])) ys1)"],
    );
}

#[test]
fn a_value_may_stand_for_a_size() {
    check(
        "(define (halves k xs) (split #k (take (* 2 k) xs)))",
        expect!["(lambda (k0 xs1) (split #k0 (take (* 2 k0) xs1)))"],
    );
}

#[test]
fn exists_positions_and_sums_bind_in_types_only() {
    check(
        "(define (f (xs (exists (X Y) (tuple-type (array-type float X) (array-type (i) (array-type int (+ i 1)) (sum (j Y) j)))))) X)",
        expect![[r#"
            (lambda ((xs4 ∃X0 Y1.(tuple [Float,X0] [i2 => [Int,(Add i2 1)],(sum j3<Y1 j3)]))) X)
            unused-name at `xs`: the parameter `xs` is never used
              fix: Rename to `_xs`"#]],
    );
}

#[test]
fn unpack_binds_a_length_and_a_value() {
    check(
        "(define (f p xs) (unpack (X ys) (filter p xs) (unpack zs ys (tuple #(* 2 X) zs))))",
        expect!["(lambda (p0 xs1) (unpack (X2 ys3) (filter p0 xs1) (unpack zs4 ys3 (tuple #(Mul 2 X2) zs4))))"],
    );
}

#[test]
fn literals_are_values_however_they_are_written() {
    assert_eq!(show("(define f (g 1.50f 1e2 -3L 7 true))"), show("(define f (g 1.5f 100.0 -3L 7 true)) ; a comment"));
    check("(define f (g 1.50f 1e2 -3L 7 true))", expect!["(g 1.5f 100.0 -3L 7 true)"]);
}

#[test]
fn brackets_comments_and_documentation_leave_no_trace() {
    let plain = lower("(define (f x) (g x))", false);
    let decorated = lower(";;; Doc.\n(define [f x] ; c\n   [g x])", false);
    assert_eq!(plain.body, decorated.body);
    assert_eq!(plain.docs, None);
    assert_eq!(decorated.docs.as_deref(), Some("Doc."));
}

#[test]
fn what_is_missing_conflicts_with_nothing() {
    check(
        "(define (f x) (if (g x) 1))",
        expect![[r#"
        (lambda (x0) (if (g x0) 1 ?))
        syntax/missing"#]],
    );
    check(
        "(define (f (x flot)) (let y))",
        expect![[r#"
            (lambda ((x0 ?)) (let y1 ? ?))
            syntax/missing
            unknown-type at `flot`: there is no type `flot`: the types without parts are `byte`, `ubyte`, `short`, `ushort`, `int`, `uint`, `long`, `ulong`, `half`, `float`, `double`, `bool`
              fix: Write `float`"#]],
    );
    check(
        "(defin f 1)",
        expect![[r#"
        Unknown
        syntax/expected-form"#]],
    );
}

#[test]
fn unknown_size_of_a_kernel() {
    check(
        "(lift (N) ((array-type float M)) (lambda (xs) (take #N xs)))",
        expect![[r#"
            sizes N0
            param : [Float,M]
            (lambda (xs1) (take #N0 xs1))
            unknown-size-name at `M`: there is no size `M` here: the sizes of a kernel are declared at its head, as in `(lift (M) …)`
              fix: Declare `M` as a size of the kernel"#]],
    );
    check(
        "(lift (Width) ((array-type float Widht)) (lambda (xs) (take #Width xs)))",
        expect![[r#"
            sizes Width0
            param : [Float,Widht]
            (lambda (xs1) (take #Width0 xs1))
            unknown-size-name at `Widht`: there is no size `Widht` here: the sizes of a kernel are declared at its head, as in `(lift (Widht) …)`
              fix: Write `Width`"#]],
    );
    check(
        "(define (f xs) (split #k xs))",
        expect![[r#"
        (lambda (xs0) (split #k xs0))
        unknown-size-name at `k`: there is no size `k` here: a size name of a `define` is introduced by the type of a parameter, as in `(xs (array-type float k))`"#]],
    );
}

#[test]
fn two_names_that_are_one() {
    check(
        "(define (f x y x) (g x y))",
        expect![[r#"
        (lambda (x0 y1 x2) (g x2 y1))
        duplicate-parameter at `x`: two parameters are called `x`
          11..12: the first `x`"#]],
    );
    check(
        "(lift (N N) ((array-type float N)) (lambda (xs) xs))",
        expect![[r#"
        sizes N0 N1
        param : [Float,N1]
        (lambda (xs2) xs2)
        duplicate-parameter at `N`: two sizes are called `N`
          7..8: the first `N`"#]],
    );
    check("(define (f _ _) 1)", expect!["(lambda (_0 _1) 1)"]);
}

#[test]
fn the_parameters_of_a_kernel_and_their_types_are_as_many() {
    check(
        "(lift (N) ((array-type float N)) (lambda (xs ys) (g N xs ys)))",
        expect![[r#"
        sizes N0
        param : [Float,N0]
        (lambda (xs1 ys2) (g N0 xs1 ys2))
        kernel-parameter-count at `ys`: the kernel has 1 parameter type and 2 parameters: each parameter of the lambda needs its type in the list, in order"#]],
    );
    check(
        "(lift (N) ((array-type float N) int) (lambda (xs) (g N xs)))",
        expect![[r#"
        sizes N0
        param : [Float,N0]
        param : Int
        (lambda (xs1) (g N0 xs1))
        kernel-parameter-count at `int`: the kernel has 2 parameter types and 1 parameter: each parameter of the lambda needs its type in the list, in order"#]],
    );
}

#[test]
fn unused_names_are_information_but_not_those_of_an_interface() {
    check(
        "(lift (N) ((array-type float N) int) (lambda (xs k) (let y 1 (lambda (z _w) xs))))",
        expect![[r#"
        sizes N0
        param : [Float,N0]
        param : Int
        (lambda (xs1 k2) (let y3 1 (lambda (z4 _w5) xs1)))
        unused-name at `y`: the name `y` is never used
          fix: Rename to `_y`
        unused-name at `z`: the parameter `z` is never used
          fix: Rename to `_z`"#]],
    );
}

#[test]
fn words_that_are_no_values() {
    check(
        "(define (f xs) (map tuple (map o xs)))",
        expect![[r#"
            (lambda (xs0) (map ? (map ? xs0)))
            word-as-value at `tuple`: `tuple` is not a value: write it directly after an opening bracket, as in `(tuple x y)`
            word-as-value at `o`: `o` is not a value: write it directly after an opening bracket, as in `(o f g)`"#]],
    );
}

#[test]
fn sizes_that_make_no_sense() {
    check(
        "(define (f (xs (array-type float (/ n 0)))) (length xs))",
        expect![[r#"
        sizes n0
        (lambda ((xs1 [Float,?])) (length xs1))
        division-by-zero at `0`: the divisor of a size is 0"#]],
    );
    check(
        "(define (f (xs (array-type float (length ys)))) xs)",
        expect![[r#"
        (lambda ((xs0 [Float,?])) xs0)
        unknown-size-name at `ys`: there is no local name `ys`: in a size, `length` takes a parameter or a name bound by `let`"#]],
    );
    check(
        "(define (f (v (vector-type float 5))) v)",
        expect![[r#"
        (lambda ((v0 ?)) v0)
        vector-width at `5`: there are no vectors of 5: the widths of OpenCL are 2, 3, 4, 8 and 16"#]],
    );
    check(
        "(define (f (v (vector-type (array-type float 2) 4))) v)",
        expect![[r#"
        (lambda ((v0 ?)) v0)
        vector-element at `(array-type float 2)`: the components of a vector are scalars"#]],
    );
}

#[test]
fn primitives_are_declared_by_the_compiler_only() {
    check(
        "(primitive fast () (-> int int))",
        expect![[r#"
        Primitive
        primitive-form at `fast`: `primitive` declares the compiler's built-in functions; a program uses `define`"#]],
    );
}

#[test]
fn a_misspelt_name_is_recognised_if_one_is_close() {
    assert_eq!(closest("mpa", ["map", "max", "tail"]), Some("map"));
    assert_eq!(closest("fliter", ["filter", "flipper"]), Some("filter"));
    assert_eq!(closest("mapglb", ["mapGlb", "mapGlb0"]), Some("mapGlb"));
    assert_eq!(closest("ma", ["map", "max"]), None);
    assert_eq!(closest("x", ["y"]), None);
    assert_eq!(closest("reduceSeq", ["reduceSeq"]), None);
    assert_eq!(closest("redcueSqe", ["reduceSeq"]), Some("reduceSeq"));
    assert_eq!(closest("reduceSeqWh", ["reduceSeq", "reduceSeqWhile"]), Some("reduceSeq"));
    assert_eq!(closest("xreduceSeqyz", ["reduceSeq"]), Some("reduceSeq"));
    assert_eq!(closest("xreduceSeqyzw", ["reduceSeq"]), None);
}

/// The comparison of two long names visits only a few neighbours of each character.
#[test]
fn names_as_long_as_a_file_are_compared() {
    let long = "'".repeat(200_000);
    let longer = format!("{long}ab");
    let other = format!("ab{}cd", &long[4..]);
    assert_eq!(closest(&longer, [long.as_str(), other.as_str()]), Some(long.as_str()));
}
