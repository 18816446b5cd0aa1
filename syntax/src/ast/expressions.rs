//! Expressions.

use super::{
    AstNode, Error, Name, ParamList, Size, TuplePattern, Type, child, children, choices, nodes, token, tokens,
};
use crate::SyntaxToken;
use crate::kind::SyntaxKind;
use crate::literal::{self, LiteralValue};

nodes! {
    /// A use of a name.
    NameRef = NAME_REF;
    Literal = LITERAL;
    /// `# size`
    SizeLit = SIZE_LIT;
    /// `(lambda (param*) expr)`
    Lambda = LAMBDA;
    /// `(expr expr*)`
    App = APP;
    /// `(let name value body)`; of several bindings, the first, whose body is the `LET` of the next.
    Let = LET;
    /// `(if condition then else)`
    If = IF;
    /// `(tuple expr expr+)`
    TupleExpr = TUPLE_EXPR;
    /// `(: expr type)`
    Ascribe = ASCRIBE;
    /// `(pack expr)`
    Pack = PACK;
    /// `(unpack name value body)`, `(unpack (size-name … name) value body)`
    Unpack = UNPACK;
    /// `(size-name … name)` in an `unpack`.
    UnpackBinder = UNPACK_BINDER;
    /// `(o expr+)`
    Compose = COMPOSE;
    /// `(with (setting*) expr)`
    With = WITH;
    SettingList = SETTING_LIST;
    /// `(name value)`
    Setting = SETTING;
    SettingName = SETTING_NAME;
    SettingValue = SETTING_VALUE;
}

choices! {
    Expr {
        NameRef(NameRef),
        Literal(Literal),
        SizeLit(SizeLit),
        Lambda(Lambda),
        App(App),
        Let(Let),
        If(If),
        Tuple(TupleExpr),
        Ascribe(Ascribe),
        Pack(Pack),
        Unpack(Unpack),
        Compose(Compose),
        With(With),
        Error(Error),
    }
}

impl NameRef {
    pub fn token(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::IDENT)
    }

    pub fn text(&self) -> Option<String> {
        self.token().map(|token| token.text().to_owned())
    }
}

impl Literal {
    pub fn token(&self) -> Option<SyntaxToken> {
        tokens(&self.0).next()
    }

    /// Returns the type: `INT`, `SIZED`, `LONG`, `HALF`, `FLOAT`, `DOUBLE` or `BOOL`, even if the number does not fit it.
    pub fn kind(&self) -> Option<SyntaxKind> {
        self.token().map(|token| token.kind())
    }

    /// Returns the value; `None` if the number does not fit its type, which the parser has reported.
    pub fn value(&self) -> Option<LiteralValue> {
        self.token().and_then(|token| literal::value(token.kind(), token.text()))
    }
}

impl SizeLit {
    pub fn size(&self) -> Option<Size> {
        child(&self.0)
    }
}

impl Lambda {
    pub fn param_list(&self) -> Option<ParamList> {
        child(&self.0)
    }

    pub fn body(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl App {
    pub fn function(&self) -> Option<Expr> {
        child(&self.0)
    }

    pub fn args(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.0).skip(1)
    }
}

impl Let {
    /// Returns the pattern `(tuple a b)`, if one replaces the name.
    pub fn pattern(&self) -> Option<TuplePattern> {
        child(&self.0)
    }

    pub fn name(&self) -> Option<Name> {
        child(&self.0)
    }

    pub fn value(&self) -> Option<Expr> {
        child(&self.0)
    }

    pub fn body(&self) -> Option<Expr> {
        children(&self.0).nth(1)
    }
}

impl If {
    pub fn condition(&self) -> Option<Expr> {
        child(&self.0)
    }

    pub fn then_branch(&self) -> Option<Expr> {
        children(&self.0).nth(1)
    }

    pub fn else_branch(&self) -> Option<Expr> {
        children(&self.0).nth(2)
    }
}

impl TupleExpr {
    pub fn components(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.0)
    }
}

impl Ascribe {
    pub fn expr(&self) -> Option<Expr> {
        child(&self.0)
    }

    pub fn ty(&self) -> Option<Type> {
        let after = self.expr()?.syntax().index();
        self.0.children().filter(|node| node.index() > after).find_map(Type::cast)
    }
}

impl Pack {
    pub fn expr(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl Unpack {
    /// Returns `X` and `Y` of `(unpack (X Y ys) value body)`.
    pub fn size_names(&self) -> impl Iterator<Item = Name> + use<> {
        child::<UnpackBinder>(&self.0).into_iter().flat_map(|binder| binder.size_names())
    }

    /// Returns `ys`, of either syntax.
    pub fn name(&self) -> Option<Name> {
        match child::<UnpackBinder>(&self.0) {
            Some(binder) => binder.name(),
            None => child(&self.0),
        }
    }

    pub fn value(&self) -> Option<Expr> {
        child(&self.0)
    }

    pub fn body(&self) -> Option<Expr> {
        children(&self.0).nth(1)
    }
}

impl UnpackBinder {
    /// Returns all names but the last.
    pub fn size_names(&self) -> impl Iterator<Item = Name> + use<> {
        let sizes = children::<Name>(&self.0).count().saturating_sub(1).max(1);
        children(&self.0).take(sizes)
    }

    pub fn name(&self) -> Option<Name> {
        children(&self.0).skip(1).last()
    }
}

impl Compose {
    /// Returns the functions as written; the last one is applied first.
    pub fn functions(&self) -> impl Iterator<Item = Expr> + use<> {
        children(&self.0)
    }
}

impl With {
    pub fn settings(&self) -> impl Iterator<Item = Setting> + use<> {
        child::<SettingList>(&self.0).into_iter().flat_map(|list| children(&list.0))
    }

    pub fn expr(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl Setting {
    pub fn name(&self) -> Option<SettingName> {
        child(&self.0)
    }

    pub fn value(&self) -> Option<SettingValue> {
        child(&self.0)
    }
}

impl SettingName {
    pub fn token(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::IDENT)
    }
}

impl SettingValue {
    /// Returns the number or the word.
    pub fn token(&self) -> Option<SyntaxToken> {
        tokens(&self.0).next()
    }
}
