//! The verifier reports malformed kernels.

use super::super::builder::*;
use super::super::check::problems;
use super::super::{Kernel, Rhs, VarId};
use expect_test::{Expect, expect};
use lift_analysis::size::{Assumption, Size, Var, VarKind};

/// Damages `map (x => x * x)` over an array and compares the reported problems.
fn damaged(damage: impl FnOnce(&mut Kernel), expected: Expect) {
    let mut b = Builder::new("k");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let ys = b.map(Level::Auto, &xs, |b, x| b.mul(x, x));
    let mut kernel = b.finish(&ys);
    assert_eq!(problems(&kernel), Vec::<String>::new());
    damage(&mut kernel);
    expected.assert_eq(&problems(&kernel).join("\n"));
}

#[test]
fn variables() {
    damaged(
        |k| k.body.result = Atom::Var(VarId(9)),
        expect![[r#"
        the result of a block uses variable 9, which is not in scope
        the result is declared as `Array[Int,N]`, but it is `?`"#]],
    );
    damaged(
        |k| k.body.result = Atom::Var(VarId(1)),
        expect![[r#"
        the result of a block uses `x` (1), which is not in scope
        the result is declared as `Array[Int,N]`, but it is `Int`"#]],
    );
    damaged(
        |k| k.body.stmts.push(k.body.stmts[0].clone()),
        expect![[r#"
        `x` (1) is bound twice
        `t` (2) is bound twice
        `t` (3) is bound twice"#]],
    );
}

#[test]
fn types() {
    damaged(
        |k| k.vars[2].ty = float(),
        expect![[r#"
        `t` (2) is declared as `Float`, but it is `Int`
        `t` (3) is declared as `Array[Int,N]`, but it is `Array[Float,N]`"#]],
    );
    damaged(
        |k| k.vars[1].ty = float(),
        expect![[r#"
        `t` (2) is declared as `Int`, but it is `Float`
        `t` (3): `map`: the function takes `Float`, but is applied to `Int`"#]],
    );
    damaged(|k| k.result = int(), expect!["the result is declared as `Int`, but it is `Array[Int,N]`"]);
}

#[test]
fn lengths() {
    let unknown = Size::var(Var::new(VarKind::Skolem, 7, "X7"));
    damaged(
        |k| k.vars[3].ty = array(int(), &unknown),
        expect![[r#"
        `t` (3) is declared as `Array[Int,X7]`, but it is `Array[Int,N]`
        `t` (3) mentions the length `X7`, which is not known there
        the result is declared as `Array[Int,N]`, but it is `Array[Int,X7]`"#]],
    );
    damaged(
        |k| k.body.stmts[0].binds.push(Var::new(VarKind::Skolem, 1, "X1")),
        expect!["`t` (3) binds lengths and is not an `unpack`"],
    );
}

#[test]
fn a_length_that_leaves_its_function() {
    let mut b = Builder::new("k");
    let n = b.size("N");
    let xss = b.param("xss", array(array(int(), &n), &n));
    let yss = b.map(Level::Auto, &xss, |b, xs| {
        let ys = b.filter(Level::Seq, xs, |b, x| b.gt(x, 0));
        b.unpack(&ys).1
    });
    expect![[r#"
        `t` (6) mentions the length `X2`, which is not known there
        the result mentions the length `X2`, which is not known there"#]]
    .assert_eq(&problems(&b.finish(&yss)).join("\n"));
}

#[test]
fn lengths_that_are_equal_by_assumption() {
    let zipped = |assume: bool| {
        let mut b = Builder::new("k");
        let (n, m) = (b.size("N"), b.size("M"));
        b.assume(Assumption::Equal(n.clone(), m.clone()));
        let (xs, ys) = (b.param("xs", array(int(), &n)), b.param("ys", array(int(), &m)));
        let zipped = b.zip(&[xs, ys]);
        let mut kernel = b.finish(&zipped);
        if !assume {
            kernel.assumptions.clear();
        }
        problems(&kernel).join("\n")
    };
    expect![""].assert_eq(&zipped(true));
    expect!["`t` (2): `zip`: the lengths M and N differ"].assert_eq(&zipped(false));
}

#[test]
fn a_pack_of_something_else() {
    let mut b = Builder::new("k");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let packed = b.emit("p", dynamic_array(int()), Vec::new(), Rhs::Pack(xs, vec![&n + 1i64]));
    expect!["`p` (1) is declared as `Array[Int,N+1]`, but it is `Array[Int,N]`"]
        .assert_eq(&problems(&b.finish(&packed)).join("\n"));
}
