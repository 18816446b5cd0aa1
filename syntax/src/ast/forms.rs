//! The root and the top-level forms.

use super::{AstNode, Error, Expr, Name, Type, child, children, choices, nodes, token, tokens};
use crate::kind::SyntaxKind;
use crate::split::is_doc_comment;
use crate::{SyntaxToken, literal};

nodes! {
    /// The root: documentation and one form.
    Form = FORM;
    /// `(import "file.lift")`
    Import = IMPORT;
    /// `(define name expr)`, `(define (name param*) expr)`
    Define = DEFINE;
    /// `(name param*)` in a `define`.
    DefineHead = DEFINE_HEAD;
    /// `(lift [name] (size-name*) (type*) lambda)`
    Lift = LIFT;
    /// `(primitive name (static-size*) type clause*)`
    Primitive = PRIMITIVE;
    /// A list in a `primitive`, uninterpreted: `(where (num a))`.
    Clause = CLAUSE;
    /// `(N M)`
    SizeParams = SIZE_PARAMS;
    /// `(type*)`
    TypeList = TYPE_LIST;
    /// `(param*)`
    ParamList = PARAM_LIST;
    /// `name`, `(name type)`, `(tuple name name …)`
    Param = PARAM;
    /// `(tuple name name …)` as a binding.
    TuplePattern = TUPLE_PATTERN;
}

choices! {
    /// A binding: a name, or the components of a tuple.
    Pattern {
        Name(Name),
        Tuple(TuplePattern),
    }
}

choices! {
    /// A top-level form.
    Item {
        Import(Import),
        Define(Define),
        Lift(Lift),
        Primitive(Primitive),
        Error(Error),
    }
}

impl Form {
    pub fn item(&self) -> Option<Item> {
        child(&self.0)
    }

    /// Returns the `;;;` lines above the form as Markdown, without the semicolons and one space after them.
    pub fn doc(&self) -> Option<String> {
        let lines: Vec<String> = tokens(&self.0)
            .take_while(|token| token.kind().is_trivia())
            .filter(|token| token.kind() == SyntaxKind::COMMENT && is_doc_comment(token.text()))
            .map(|token| {
                let text = token.text().trim_start_matches(';');
                text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned()
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

impl Item {
    pub fn name(&self) -> Option<Name> {
        match self {
            Item::Define(define) => define.name(),
            Item::Lift(lift) => lift.name(),
            Item::Primitive(primitive) => primitive.name(),
            Item::Import(_) | Item::Error(_) => None,
        }
    }
}

impl Import {
    pub fn path_token(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::STRING)
    }

    /// Returns the path between the quotes, with escapes resolved.
    pub fn path(&self) -> Option<String> {
        self.path_token().map(|token| literal::string(token.text()))
    }
}

impl Define {
    pub fn name(&self) -> Option<Name> {
        child(&self.0).or_else(|| self.head()?.name())
    }

    /// Present if the definition is written with a parameter list, even an empty one.
    pub fn head(&self) -> Option<DefineHead> {
        child(&self.0)
    }

    pub fn body(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl DefineHead {
    pub fn name(&self) -> Option<Name> {
        child(&self.0)
    }

    pub fn params(&self) -> impl Iterator<Item = Param> + use<> {
        children(&self.0)
    }
}

impl Lift {
    /// Returns the name; a kernel without one is named after its file.
    pub fn name(&self) -> Option<Name> {
        child(&self.0)
    }

    pub fn size_params(&self) -> Option<SizeParams> {
        child(&self.0)
    }

    pub fn types(&self) -> Option<TypeList> {
        child(&self.0)
    }

    /// Returns the body. Anything but a lambda is an error that the parser has reported.
    pub fn body(&self) -> Option<Expr> {
        child(&self.0)
    }
}

impl Primitive {
    pub fn name(&self) -> Option<Name> {
        child(&self.0)
    }

    pub fn size_params(&self) -> Option<SizeParams> {
        child(&self.0)
    }

    pub fn ty(&self) -> Option<Type> {
        child(&self.0)
    }

    pub fn clauses(&self) -> impl Iterator<Item = Clause> + use<> {
        children(&self.0)
    }
}

/// An element of a clause.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ClausePart {
    Token(SyntaxToken),
    Clause(Clause),
}

impl Clause {
    /// Returns the elements between the brackets.
    pub fn parts(&self) -> impl Iterator<Item = ClausePart> + use<> {
        self.0.children_with_tokens().filter_map(|part| match part {
            rowan::NodeOrToken::Node(node) => Clause::cast(node).map(ClausePart::Clause),
            rowan::NodeOrToken::Token(token) => {
                let kind = token.kind();
                let content = !kind.is_trivia() && !kind.is_opener() && !kind.is_closer();
                content.then_some(ClausePart::Token(token))
            }
        })
    }
}

impl SizeParams {
    pub fn names(&self) -> impl Iterator<Item = Name> + use<> {
        children(&self.0)
    }
}

impl TypeList {
    pub fn types(&self) -> impl Iterator<Item = Type> + use<> {
        children(&self.0)
    }
}

impl ParamList {
    pub fn params(&self) -> impl Iterator<Item = Param> + use<> {
        children(&self.0)
    }
}

impl TuplePattern {
    pub fn components(&self) -> impl Iterator<Item = Pattern> + use<> {
        children(&self.0)
    }
}

impl Param {
    /// Returns the pattern `(tuple a b)`, if one replaces the name.
    pub fn pattern(&self) -> Option<TuplePattern> {
        child(&self.0)
    }

    pub fn name(&self) -> Option<Name> {
        child(&self.0)
    }

    pub fn ty(&self) -> Option<Type> {
        child(&self.0)
    }
}
