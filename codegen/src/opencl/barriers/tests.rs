//! Correct functions and faulty ones.

use super::*;
use crate::opencl::{CType, Param, PartOrigins};
use crate::testing::origin;

#[test]
fn what_is_wrong_is_found() {
    let at = |kind: StmtKind| Stmt { kind, origin: None };
    let barrier = || at(StmtKind::Barrier { local: true, global: false });
    let item = || Expr::Call("get_local_id".into(), vec![Expr::Int { value: 0, long: false }]);
    let group = || Expr::Call("get_group_id".into(), vec![Expr::Int { value: 0, long: false }]);
    let write = || {
        let to = Expr::Index(Expr::Var("xs".into()).into(), item().into());
        at(StmtKind::Assign(to, Expr::Int { value: 1, long: false }))
    };
    let declared =
        |init: Expr| at(StmtKind::Declare { ty: CType::Int, constant: true, name: "i".into(), init: Some(init) });
    let when = |condition: Expr, then: Vec<Stmt>| at(StmtKind::If { condition, then, otherwise: Vec::new() });
    let i = || Expr::Var("i".into());
    let function = |body: Vec<Stmt>| Function {
        name: "f".into(),
        doc: String::new(),
        origin: origin(0),
        params: vec![Param { name: "xs".into(), ty: ParamType::Buffer { element: CType::Int, constant: false } }],
        group_size: None,
        body,
        parts: PartOrigins::default(),
    };
    let none = FxHashSet::default();
    let loop_of = |body: Vec<Stmt>| at(StmtKind::While { condition: Expr::Bool(true), body });
    // A failure that this function records itself is found by some work-items, and by others not yet.
    let failed = || Expr::Index(Expr::Var("xs".into()).into(), Expr::Int { value: 0, long: false }.into());
    let record = || at(StmtKind::Expr(Expr::Call(Helper::Fail.name().into(), vec![Expr::Var("xs".into())])));
    let stop = || when(failed(), vec![at(StmtKind::Stop)]);
    let right = [
        vec![stop(), write(), barrier(), write()],
        vec![write(), barrier(), write()],
        vec![declared(group()), when(i(), vec![write(), barrier(), write()]), write()],
        vec![loop_of(vec![write(), barrier(), when(group(), vec![at(StmtKind::Break)])])],
        vec![declared(group()), when(i(), vec![at(StmtKind::Stop)]), write(), barrier(), write()],
        vec![loop_of(vec![when(item(), vec![write()]), barrier(), when(group(), vec![at(StmtKind::Break)])])],
    ];
    let wrong = [
        vec![write(), barrier(), barrier(), write()],
        vec![write(), barrier()],
        vec![declared(item()), when(i(), vec![write(), barrier(), write()])],
        vec![declared(item()), when(i(), vec![at(StmtKind::Return)]), write(), barrier(), write()],
        vec![declared(item()), when(i(), vec![at(StmtKind::Stop)]), write(), barrier(), write()],
        vec![declared(item()), loop_of(vec![when(i(), vec![at(StmtKind::Stop)]), write(), barrier(), write()])],
        vec![declared(item()), loop_of(vec![write(), barrier(), write(), when(i(), vec![at(StmtKind::Break)])])],
        vec![loop_of(vec![barrier(), declared(group())])],
        vec![stop(), when(item(), vec![record()]), write(), barrier(), write()],
        vec![when(group(), vec![write(), barrier(), write()]), when(item(), vec![write()])],
        vec![loop_of(vec![when(item(), vec![write()]), when(group(), vec![at(StmtKind::Break)]), barrier(), write()])],
    ];
    for body in right {
        assert_eq!(check(&function(body), &none).map(|barriers| barriers > 0), Ok(true));
    }
    let alone = Function { group_size: Some([1; 3]), ..function(vec![stop(), record(), write(), barrier(), write()]) };
    assert!(check(&alone, &none).is_ok());
    for (n, body) in wrong.into_iter().enumerate() {
        assert!(check(&function(body), &none).is_err(), "number {n} of what is wrong is not found");
    }
}
