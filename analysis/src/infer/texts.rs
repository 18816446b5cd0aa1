//! Abridged texts of expressions, and the calls that compute them.

use crate::hir::*;

/// The text, cut off after 40 characters.
pub fn shorten(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        return text.into();
    }
    let mut short: String = text.chars().take(MOST - 1).collect();
    short.push('…');
    short
}

/// Abridged text of an expression: names and literals in full, inner parts shortened.
pub fn short_text(body: &Body, id: ExprId) -> String {
    shorten(&text(body, id, 2))
}

fn text(body: &Body, id: ExprId, depth: u32) -> String {
    let list = |head: &str, parts: &[ExprId]| {
        let mut out = format!("({head}");
        for p in parts {
            out.push(' ');
            out.push_str(&text(body, *p, depth - 1));
        }
        out + ")"
    };
    match body.expr(id) {
        Expr::Missing => "…".into(),
        Expr::Local(b) => body.binder(*b).name.to_string(),
        Expr::Global(n) => n.to_string(),
        Expr::Literal(literal) => literal.to_string(),
        Expr::Size(s) => format!("#{}", size_text(body, *s, depth)),
        Expr::Lambda { .. } => "(lambda …)".into(),
        _ if depth == 0 => "(…)".into(),
        Expr::Apply { callee, args } => list(&text(body, *callee, depth - 1), args),
        Expr::Let { .. } => "(let …)".into(),
        Expr::If { .. } => "(if …)".into(),
        Expr::Tuple(parts) => list("tuple", parts),
        Expr::Component { of, index, .. } => format!("(get{} {})", index + 1, body.binder(*of).name),
        Expr::Ascribe { value, .. } => format!("(: {} …)", text(body, *value, depth - 1)),
        Expr::Pack(e) => list("pack", &[*e]),
        Expr::Unpack { .. } => "(unpack …)".into(),
        Expr::Compose(_) => "(o …)".into(),
    }
}

fn size_text(body: &Body, id: SizeRefId, depth: u32) -> String {
    match body.size_ref(id) {
        SizeRef::Nat(n) => n.to_string(),
        SizeRef::Local(b) => body.binder(*b).name.to_string(),
        SizeRef::Global(name) => text(body, *name, depth),
        SizeRef::LengthOf(b) => format!("(length {})", body.binder(*b).name),
        SizeRef::Op(op, args) if depth > 0 => {
            let op = match op {
                SizeOp::Add => "+",
                SizeOp::Sub => "-",
                SizeOp::Mul => "*",
                SizeOp::Div => "/",
                SizeOp::Mod => "mod",
                SizeOp::Min => "min",
                SizeOp::Max => "max",
                SizeOp::Pow => "pow",
            };
            let args: Vec<String> = args.iter().map(|a| size_text(body, *a, depth - 1)).collect();
            format!("({op} {})", args.join(" "))
        }
        _ => "…".into(),
    }
}

/// The call that computes an expression: its callee and all its arguments, through `let`, `unpack`, casts and curried
/// calls.
pub fn call_of(body: &Body, id: ExprId) -> Option<(ExprId, Vec<ExprId>)> {
    match body.expr(id) {
        Expr::Apply { callee, args } => match body.expr(*callee) {
            Expr::Apply { .. } => {
                let (head, mut all) = call_of(body, *callee)?;
                all.extend(args);
                Some((head, all))
            }
            _ => Some((*callee, args.clone())),
        },
        Expr::Let { body: inner, .. } | Expr::Unpack { body: inner, .. } => call_of(body, *inner),
        Expr::Ascribe { value, .. } => call_of(body, *value),
        Expr::Pack(inner) => call_of(body, *inner),
        _ => None,
    }
}
