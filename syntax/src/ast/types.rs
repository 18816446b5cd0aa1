//! Types and sizes.

use super::{Error, Name, NameRef, SizeParams, child, children, choices, nodes, token};
use crate::kind::SyntaxKind;
use crate::{SyntaxToken, literal};

nodes! {
    /// A scalar type or a type variable.
    NameType = NAME_TYPE;
    /// `(array-type type size)`, `(array-type (i) type size)`
    ArrayType = ARRAY_TYPE;
    /// `(i)` in an `array-type`.
    PositionBinder = POSITION_BINDER;
    /// `(tuple-type type type+)`
    TupleType = TUPLE_TYPE;
    /// `(vector-type scalar size)`
    VectorType = VECTOR_TYPE;
    /// `(exists (size-name+) type)`
    ExistsType = EXISTS_TYPE;
    /// `(-> type type+)`
    FunType = FUN_TYPE;
    /// A natural number.
    SizeNat = SIZE_NAT;
    SizeName = SIZE_NAME;
    /// `(op size*)`, `(sum (i size) size)`, `(length name)`
    SizeOp = SIZE_OP;
    /// `(i size)` in a `sum`.
    SumBinder = SUM_BINDER;
}

choices! {
    Type {
        Name(NameType),
        Array(ArrayType),
        Tuple(TupleType),
        Vector(VectorType),
        Exists(ExistsType),
        Fun(FunType),
        Error(Error),
    }

    Size {
        Nat(SizeNat),
        Name(SizeName),
        Op(SizeOp),
        Error(Error),
    }
}

impl NameType {
    pub fn token(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::IDENT)
    }

    pub fn text(&self) -> Option<String> {
        self.token().map(|token| token.text().to_owned())
    }
}

impl ArrayType {
    /// Returns `i`, the index variable that the element type may mention.
    pub fn position(&self) -> Option<Name> {
        child::<PositionBinder>(&self.0)?.name()
    }

    pub fn element(&self) -> Option<Type> {
        child(&self.0)
    }

    pub fn length(&self) -> Option<Size> {
        size_after_type(&self.0)
    }
}

impl PositionBinder {
    pub fn name(&self) -> Option<Name> {
        child(&self.0)
    }
}

impl TupleType {
    pub fn components(&self) -> impl Iterator<Item = Type> + use<> {
        children(&self.0)
    }
}

impl VectorType {
    pub fn scalar(&self) -> Option<Type> {
        child(&self.0)
    }

    pub fn width(&self) -> Option<Size> {
        size_after_type(&self.0)
    }
}

/// Returns the size after the type. (An `ERROR` node can be either, so the size must come after the type.)
fn size_after_type(parent: &crate::SyntaxNode) -> Option<Size> {
    use super::AstNode;
    let after = child::<Type>(parent)?.syntax().index();
    parent.children().filter(|node| node.index() > after).find_map(Size::cast)
}

impl ExistsType {
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        child::<SizeParams>(&self.0).into_iter().flat_map(|params| params.names())
    }

    pub fn body(&self) -> Option<Type> {
        child(&self.0)
    }
}

impl FunType {
    /// Returns the argument types, followed by the result type.
    pub fn types(&self) -> impl Iterator<Item = Type> + use<> {
        children(&self.0)
    }
}

impl SizeNat {
    /// Returns the value; `None` if it is at least 2^63, which the parser has reported.
    pub fn value(&self) -> Option<u64> {
        literal::natural(token(&self.0, SyntaxKind::INT)?.text())
    }
}

impl SizeName {
    pub fn token(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::IDENT)
    }

    pub fn text(&self) -> Option<String> {
        self.token().map(|token| token.text().to_owned())
    }
}

/// The operator of a `SizeOp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeOperator {
    Add,
    Sub,
    Mul,
    /// Exact division.
    Div,
    Mod,
    Min,
    Max,
    Pow,
    Sum,
    Length,
}

impl SizeOp {
    pub fn operator(&self) -> Option<SizeOperator> {
        Some(match self.operator_token()?.text() {
            "+" => SizeOperator::Add,
            "-" => SizeOperator::Sub,
            "*" => SizeOperator::Mul,
            "/" => SizeOperator::Div,
            "mod" => SizeOperator::Mod,
            "min" => SizeOperator::Min,
            "max" => SizeOperator::Max,
            "pow" => SizeOperator::Pow,
            "sum" => SizeOperator::Sum,
            "length" => SizeOperator::Length,
            _ => return None,
        })
    }

    pub fn operator_token(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::KEYWORD)
    }

    /// Returns the sizes after the operator: only the summand of a `sum`, and none of a `length`.
    pub fn operands(&self) -> impl Iterator<Item = Size> + use<> {
        children(&self.0)
    }

    /// Returns `(i size)` of a `sum`.
    pub fn sum_binder(&self) -> Option<SumBinder> {
        child(&self.0)
    }

    /// Returns `xs` of `(length xs)`.
    pub fn array(&self) -> Option<NameRef> {
        child(&self.0)
    }
}

impl SumBinder {
    /// Returns the index variable, which runs from 0 to the bound, exclusive.
    pub fn name(&self) -> Option<Name> {
        child(&self.0)
    }

    pub fn bound(&self) -> Option<Size> {
        child(&self.0)
    }
}
