//! The tree of every form of the grammar.

use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&crate::common::dump(text));
}

#[test]
fn import() {
    check(
        r#"(import "lib/stencil.lift")"#,
        expect![[r#"
        FORM
          IMPORT KEYWORD "import" STRING "\"lib/stencil.lift\""
    "#]],
    );
}

#[test]
fn define_of_a_value_and_of_a_function() {
    check(
        "(define two 2)\n(define (f x (ys (array-type float N))) x)",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "two"
                LITERAL INT "2"
            FORM
              DEFINE KEYWORD "define"
                DEFINE_HEAD
                  NAME IDENT "f"
                  PARAM
                    NAME IDENT "x"
                  PARAM
                    NAME IDENT "ys"
                    ARRAY_TYPE KEYWORD "array-type"
                      NAME_TYPE IDENT "float"
                      SIZE_NAME IDENT "N"
                NAME_REF IDENT "x"
        "#]],
    );
}

#[test]
fn kernels_with_and_without_a_name() {
    check(
        "(lift (N) ((array-type float N)) (lambda (xs) xs))\n(lift k () () (λ () 1))",
        expect![[r#"
            FORM
              LIFT KEYWORD "lift"
                SIZE_PARAMS
                  NAME IDENT "N"
                TYPE_LIST
                  ARRAY_TYPE KEYWORD "array-type"
                    NAME_TYPE IDENT "float"
                    SIZE_NAME IDENT "N"
                LAMBDA KEYWORD "lambda"
                  PARAM_LIST
                    PARAM
                      NAME IDENT "xs"
                  NAME_REF IDENT "xs"
            FORM
              LIFT KEYWORD "lift"
                NAME IDENT "k"
                SIZE_PARAMS
                TYPE_LIST
                LAMBDA KEYWORD "λ"
                  PARAM_LIST
                  LITERAL INT "1"
        "#]],
    );
}

#[test]
fn primitive_declaration() {
    check(
        ";;; Cuts.\n(primitive split (k) (-> (array-type a n) (array-type (array-type a k) (/ n k)))\n  (where (divides k n) (num a)) pure)",
        expect![[r#"
            FORM
              PRIMITIVE KEYWORD "primitive" IDENT "pure"
                NAME IDENT "split"
                SIZE_PARAMS
                  NAME IDENT "k"
                FUN_TYPE KEYWORD "->"
                  ARRAY_TYPE KEYWORD "array-type"
                    NAME_TYPE IDENT "a"
                    SIZE_NAME IDENT "n"
                  ARRAY_TYPE KEYWORD "array-type"
                    ARRAY_TYPE KEYWORD "array-type"
                      NAME_TYPE IDENT "a"
                      SIZE_NAME IDENT "k"
                    SIZE_OP KEYWORD "/"
                      SIZE_NAME IDENT "n"
                      SIZE_NAME IDENT "k"
                CLAUSE IDENT "where"
                  CLAUSE IDENT "divides" IDENT "k" IDENT "n"
                  CLAUSE IDENT "num" IDENT "a"
        "#]],
    );
}

#[test]
fn literals() {
    check(
        "(define x (f 3 -3 +3 3L 2.0f 2.0 1e-3f 2. 1E5 true false -inf nanf info -x ->))",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "x"
                APP
                  NAME_REF IDENT "f"
                  LITERAL INT "3"
                  LITERAL INT "-3"
                  LITERAL INT "+3"
                  LITERAL LONG "3L"
                  LITERAL FLOAT "2.0f"
                  LITERAL DOUBLE "2.0"
                  LITERAL FLOAT "1e-3f"
                  LITERAL DOUBLE "2."
                  LITERAL DOUBLE "1E5"
                  LITERAL BOOL "true"
                  LITERAL BOOL "false"
                  LITERAL DOUBLE "-inf"
                  LITERAL FLOAT "nanf"
                  NAME_REF IDENT "info"
                  NAME_REF IDENT "-x"
                  NAME_REF IDENT "->"
        "#]],
    );
}

#[test]
fn names_are_any_run_of_other_characters() {
    check(
        "(define λx (xs' +i a#b .5 é× 名前 a-1 - +))",
        expect![[r#"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "λx"
            APP
              NAME_REF IDENT "xs'"
              NAME_REF IDENT "+i"
              NAME_REF IDENT "a#b"
              NAME_REF IDENT ".5"
              NAME_REF IDENT "é×"
              NAME_REF IDENT "名前"
              NAME_REF IDENT "a-1"
              NAME_REF IDENT "-"
              NAME_REF IDENT "+"
    "#]],
    );
}

#[test]
fn size_literals() {
    check(
        "(define x (f #4 #N #(* 2 N) # (length xs)))",
        expect![[r##"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "x"
            APP
              NAME_REF IDENT "f"
              SIZE_LIT HASH "#"
                SIZE_NAT INT "4"
              SIZE_LIT HASH "#"
                SIZE_NAME IDENT "N"
              SIZE_LIT HASH "#"
                SIZE_OP KEYWORD "*"
                  SIZE_NAT INT "2"
                  SIZE_NAME IDENT "N"
              SIZE_LIT HASH "#"
                SIZE_OP KEYWORD "length"
                  NAME_REF IDENT "xs"
    "##]],
    );
}

#[test]
fn special_forms() {
    check(
        "(define x (let y (if true 1 2) (tuple (: y int) (pack y) (unpack z y z) (unpack (X z) y z) (o f g))))",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "x"
                LET KEYWORD "let"
                  NAME IDENT "y"
                  IF KEYWORD "if"
                    LITERAL BOOL "true"
                    LITERAL INT "1"
                    LITERAL INT "2"
                  TUPLE_EXPR KEYWORD "tuple"
                    ASCRIBE KEYWORD ":"
                      NAME_REF IDENT "y"
                      NAME_TYPE IDENT "int"
                    PACK KEYWORD "pack"
                      NAME_REF IDENT "y"
                    UNPACK KEYWORD "unpack"
                      NAME IDENT "z"
                      NAME_REF IDENT "y"
                      NAME_REF IDENT "z"
                    UNPACK KEYWORD "unpack"
                      UNPACK_BINDER
                        NAME IDENT "X"
                        NAME IDENT "z"
                      NAME_REF IDENT "y"
                      NAME_REF IDENT "z"
                    COMPOSE KEYWORD "o"
                      NAME_REF IDENT "f"
                      NAME_REF IDENT "g"
        "#]],
    );
}

#[test]
fn settings() {
    check(
        "(define x (with ((rows.team 16) [target gpu]) y))",
        expect![[r#"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "x"
            WITH KEYWORD "with"
              SETTING_LIST
                SETTING
                  SETTING_NAME IDENT "rows.team"
                  SETTING_VALUE INT "16"
                SETTING
                  SETTING_NAME IDENT "target"
                  SETTING_VALUE IDENT "gpu"
              NAME_REF IDENT "y"
    "#]],
    );
}

#[test]
fn types() {
    check(
        "(define (f (x (-> (tuple-type int a) (vector-type float 4) (exists (X Y) (array-type (array-type bool X) Y))))) x)",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                DEFINE_HEAD
                  NAME IDENT "f"
                  PARAM
                    NAME IDENT "x"
                    FUN_TYPE KEYWORD "->"
                      TUPLE_TYPE KEYWORD "tuple-type"
                        NAME_TYPE IDENT "int"
                        NAME_TYPE IDENT "a"
                      VECTOR_TYPE KEYWORD "vector-type"
                        NAME_TYPE IDENT "float"
                        SIZE_NAT INT "4"
                      EXISTS_TYPE KEYWORD "exists"
                        SIZE_PARAMS
                          NAME IDENT "X"
                          NAME IDENT "Y"
                        ARRAY_TYPE KEYWORD "array-type"
                          ARRAY_TYPE KEYWORD "array-type"
                            NAME_TYPE IDENT "bool"
                            SIZE_NAME IDENT "X"
                          SIZE_NAME IDENT "Y"
                NAME_REF IDENT "x"
        "#]],
    );
}

#[test]
fn an_element_type_may_mention_the_position() {
    check(
        "(define (f (x (array-type (i) (array-type float (+ i 1)) N))) x)",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                DEFINE_HEAD
                  NAME IDENT "f"
                  PARAM
                    NAME IDENT "x"
                    ARRAY_TYPE KEYWORD "array-type"
                      POSITION_BINDER
                        NAME IDENT "i"
                      ARRAY_TYPE KEYWORD "array-type"
                        NAME_TYPE IDENT "float"
                        SIZE_OP KEYWORD "+"
                          SIZE_NAME IDENT "i"
                          SIZE_NAT INT "1"
                      SIZE_NAME IDENT "N"
                NAME_REF IDENT "x"
        "#]],
    );
}

#[test]
fn a_tuple_of_elements_is_no_position() {
    check(
        "(define (f (x (array-type (tuple-type int int) N))) x)",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                DEFINE_HEAD
                  NAME IDENT "f"
                  PARAM
                    NAME IDENT "x"
                    ARRAY_TYPE KEYWORD "array-type"
                      TUPLE_TYPE KEYWORD "tuple-type"
                        NAME_TYPE IDENT "int"
                        NAME_TYPE IDENT "int"
                      SIZE_NAME IDENT "N"
                NAME_REF IDENT "x"
        "#]],
    );
}

#[test]
fn sizes() {
    check(
        "(define x (f #(+ 1 N (- N M)) #(/ (mod N 2) (pow 2 k)) #(min 1 (max 2)) #(sum (i N) (* i i)) #(length xs)))",
        expect![[r##"
            FORM
              DEFINE KEYWORD "define"
                NAME IDENT "x"
                APP
                  NAME_REF IDENT "f"
                  SIZE_LIT HASH "#"
                    SIZE_OP KEYWORD "+"
                      SIZE_NAT INT "1"
                      SIZE_NAME IDENT "N"
                      SIZE_OP KEYWORD "-"
                        SIZE_NAME IDENT "N"
                        SIZE_NAME IDENT "M"
                  SIZE_LIT HASH "#"
                    SIZE_OP KEYWORD "/"
                      SIZE_OP KEYWORD "mod"
                        SIZE_NAME IDENT "N"
                        SIZE_NAT INT "2"
                      SIZE_OP KEYWORD "pow"
                        SIZE_NAT INT "2"
                        SIZE_NAME IDENT "k"
                  SIZE_LIT HASH "#"
                    SIZE_OP KEYWORD "min"
                      SIZE_NAT INT "1"
                      SIZE_OP KEYWORD "max"
                        SIZE_NAT INT "2"
                  SIZE_LIT HASH "#"
                    SIZE_OP KEYWORD "sum"
                      SUM_BINDER
                        NAME IDENT "i"
                        SIZE_NAME IDENT "N"
                      SIZE_OP KEYWORD "*"
                        SIZE_NAME IDENT "i"
                        SIZE_NAME IDENT "i"
                  SIZE_LIT HASH "#"
                    SIZE_OP KEYWORD "length"
                      NAME_REF IDENT "xs"
        "##]],
    );
}

#[test]
fn brackets_of_both_shapes_mean_the_same() {
    check(
        "[define (f [x int]) [map g x]]",
        expect![[r#"
            FORM
              DEFINE KEYWORD "define"
                DEFINE_HEAD
                  NAME IDENT "f"
                  PARAM
                    NAME IDENT "x"
                    NAME_TYPE IDENT "int"
                APP
                  NAME_REF IDENT "map"
                  NAME_REF IDENT "g"
                  NAME_REF IDENT "x"
        "#]],
    );
}

/// Figures 5 and 22 of the paper, as printed there, without the type annotation of Fig. 5.
#[test]
fn programs_of_the_paper() {
    check(
        "(lift
  (N) ; a size
  ((array-type float N)) ; the input
  (lambda (xs)
    (o
      join
      ; Array[Array[Float, 2], N/2]
      (mapSeq (lambda (ys)
        (mapSeq (lambda (y) (* y 2.0f)) ys)))
      (split #2)
      xs)))

(lift
  (N)
  ((array-type float N))
  (lambda (xs)
    ((toGlobal (mapGlb (lambda (x) (* x 2.0f))))
      (filterGlb (lambda (x) (> x 0.5f)) xs))))",
        expect![[r##"
            FORM
              LIFT KEYWORD "lift"
                SIZE_PARAMS
                  NAME IDENT "N"
                TYPE_LIST
                  ARRAY_TYPE KEYWORD "array-type"
                    NAME_TYPE IDENT "float"
                    SIZE_NAME IDENT "N"
                LAMBDA KEYWORD "lambda"
                  PARAM_LIST
                    PARAM
                      NAME IDENT "xs"
                  COMPOSE KEYWORD "o"
                    NAME_REF IDENT "join"
                    APP
                      NAME_REF IDENT "mapSeq"
                      LAMBDA KEYWORD "lambda"
                        PARAM_LIST
                          PARAM
                            NAME IDENT "ys"
                        APP
                          NAME_REF IDENT "mapSeq"
                          LAMBDA KEYWORD "lambda"
                            PARAM_LIST
                              PARAM
                                NAME IDENT "y"
                            APP
                              NAME_REF IDENT "*"
                              NAME_REF IDENT "y"
                              LITERAL FLOAT "2.0f"
                          NAME_REF IDENT "ys"
                    APP
                      NAME_REF IDENT "split"
                      SIZE_LIT HASH "#"
                        SIZE_NAT INT "2"
                    NAME_REF IDENT "xs"
            FORM
              LIFT KEYWORD "lift"
                SIZE_PARAMS
                  NAME IDENT "N"
                TYPE_LIST
                  ARRAY_TYPE KEYWORD "array-type"
                    NAME_TYPE IDENT "float"
                    SIZE_NAME IDENT "N"
                LAMBDA KEYWORD "lambda"
                  PARAM_LIST
                    PARAM
                      NAME IDENT "xs"
                  APP
                    APP
                      NAME_REF IDENT "toGlobal"
                      APP
                        NAME_REF IDENT "mapGlb"
                        LAMBDA KEYWORD "lambda"
                          PARAM_LIST
                            PARAM
                              NAME IDENT "x"
                          APP
                            NAME_REF IDENT "*"
                            NAME_REF IDENT "x"
                            LITERAL FLOAT "2.0f"
                    APP
                      NAME_REF IDENT "filterGlb"
                      LAMBDA KEYWORD "lambda"
                        PARAM_LIST
                          PARAM
                            NAME IDENT "x"
                        APP
                          NAME_REF IDENT ">"
                          NAME_REF IDENT "x"
                          LITERAL FLOAT "0.5f"
                      NAME_REF IDENT "xs"
        "##]],
    );
}

#[test]
fn a_let_of_several_bindings_and_patterns() {
    check(
        "(define x (let a 1 (tuple b (tuple c _)) p d c (f a b)))",
        expect![[r#"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "x"
            LET KEYWORD "let"
              NAME IDENT "a"
              LITERAL INT "1"
              LET
                TUPLE_PATTERN KEYWORD "tuple"
                  NAME IDENT "b"
                  TUPLE_PATTERN KEYWORD "tuple"
                    NAME IDENT "c"
                    NAME IDENT "_"
                NAME_REF IDENT "p"
                LET
                  NAME IDENT "d"
                  NAME_REF IDENT "c"
                  APP
                    NAME_REF IDENT "f"
                    NAME_REF IDENT "a"
                    NAME_REF IDENT "b"
    "#]],
    );
    check(
        "(define f (lambda (x (tuple a b)) (tuple a b)))",
        expect![[r#"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "f"
            LAMBDA KEYWORD "lambda"
              PARAM_LIST
                PARAM
                  NAME IDENT "x"
                PARAM
                  TUPLE_PATTERN KEYWORD "tuple"
                    NAME IDENT "a"
                    NAME IDENT "b"
              TUPLE_EXPR KEYWORD "tuple"
                NAME_REF IDENT "a"
                NAME_REF IDENT "b"
    "#]],
    );
    // A `(tuple …)` with nothing after it is the body of the `let`, not a further binding.
    check(
        "(define x (let a 1 (tuple b c)))",
        expect![[r#"
        FORM
          DEFINE KEYWORD "define"
            NAME IDENT "x"
            LET KEYWORD "let"
              NAME IDENT "a"
              LITERAL INT "1"
              TUPLE_EXPR KEYWORD "tuple"
                NAME_REF IDENT "b"
                NAME_REF IDENT "c"
    "#]],
    );
}
