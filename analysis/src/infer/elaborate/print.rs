//! The text of an expression with its insertions.

use super::{Elaborate, Replacement, Value, Wrap};
use crate::hir::*;
use crate::parameters::Settings;
use crate::size::Var;
use lift_syntax::{TextRange, TextSize};

/// The binding of an `unpack`: `(X1 X2 name)`.
fn with_lengths(lengths: &[Var], name: &str) -> String {
    let lengths: String = lengths.iter().map(|length| format!("{} ", length.name)).collect();
    format!("({lengths}{name})")
}

impl Elaborate<'_> {
    pub(super) fn render(&self, e: ExprId) -> String {
        let mut out = String::new();
        let wraps = self.wraps.get(&e).map_or(&[][..], Vec::as_slice);
        for w in wraps {
            let lost = self.left_behind(&w.value, e);
            out.push_str(&self.open_wrap_with(w, &lost));
        }
        let inner = match self.replaced.get(&e) {
            Some(Replacement::Value(v)) => self.value(v),
            Some(Replacement::Body(b)) => self.render(*b),
            Some(Replacement::Lambda { params, wraps, result, pack }) => {
                let mut text = format!("(lambda ({}) ", params.join(" "));
                for w in wraps {
                    text.push_str(&self.open_wrap(w));
                }
                let value = self.value(result);
                text.push_str(&if *pack { format!("(pack {value})") } else { value });
                text.push_str(&")".repeat(wraps.len() + 1));
                text
            }
            None => self.raw(e),
        };
        out.push_str(&match self.packs.get(&e) {
            None => inner,
            Some(None) => format!("(pack {inner})"),
            Some(Some(ty)) => format!("(: {inner} {ty})"),
        });
        out.push_str(&")".repeat(wraps.len()));
        out
    }

    /// The settings of the `with`s around a value but inside the expression in front of which it is moved.
    fn left_behind(&self, value: &Value, spine: ExprId) -> Settings {
        let mut all = Settings::DEFAULT;
        let mut at = match value {
            Value::Name(_) => None,
            Value::Expr(e) | Value::Rendered(e) | Value::Applied(e, _) => Some(*e),
        };
        while let Some(e) = at.filter(|e| *e != spine) {
            if let Some(settings) = self.body.settings_of(e) {
                all = all.inside(&settings);
            }
            at = self.parents[e];
        }
        all
    }

    pub(super) fn open_wrap(&self, w: &Wrap) -> String {
        self.open_wrap_with(w, &Settings::DEFAULT)
    }

    fn open_wrap_with(&self, w: &Wrap, settings: &Settings) -> String {
        let mut value = self.value(&w.value);
        if *settings != Settings::DEFAULT {
            value = format!("(with {} {value})", settings.written());
        }
        match w.lengths.as_slice() {
            [] => format!("(let {} {value} ", w.name),
            lengths => format!("(unpack {} {value} ", with_lengths(lengths, &w.name)),
        }
    }

    pub(super) fn value(&self, v: &Value) -> String {
        match v {
            Value::Name(n) => n.clone(),
            Value::Expr(e) => self.raw(*e),
            Value::Rendered(e) => self.render(*e),
            Value::Applied(part, args) => {
                // The lambda of an opener applies the function itself.
                let itself = self.inference.openers.contains_key(part);
                let part_text = if itself { self.raw(*part) } else { self.render(*part) };
                let args = args.iter().map(|arg| self.value(arg)).collect::<Vec<_>>().join(" ");
                match (self.body.expr(*part), part_text.strip_suffix([')', ']'])) {
                    (Expr::Apply { .. }, Some(open)) if itself || !self.replaced.contains_key(part) => {
                        format!("{open} {args}{}", &part_text[open.len()..])
                    }
                    _ => format!("({part_text} {args})"),
                }
            }
        }
    }

    /// The written sizes that mention a renamed `let`, with their new text.
    pub(super) fn renamed_sizes(&self) -> impl Iterator<Item = (TextRange, String)> + '_ {
        self.body.sizes.iter().enumerate().filter_map(|(i, size)| {
            let (b, is_length) = match size {
                SizeRef::Local(b) => (b, false),
                SizeRef::LengthOf(b) => (b, true),
                _ => return None,
            };
            let name = self.renamed.get(b)?;
            let text = if is_length { format!("(length {name})") } else { name.clone() };
            Some((self.map.range(Node::Size(SizeRefId(i as u32))), text))
        })
    }

    /// The text of the expression, with the changes inside it.
    pub(super) fn raw(&self, e: ExprId) -> String {
        match self.body.expr(e) {
            Expr::Let { value, body, .. } if self.is_component(*value) => self.render(*body),
            _ if self.is_further_binding(e) => {
                let word = if self.let_unpacks.contains_key(&e) { "unpack" } else { "let" };
                format!("({word} {})", self.bindings(e))
            }
            _ => self.bindings(e),
        }
    }

    pub(super) fn bindings(&self, e: ExprId) -> String {
        if let Expr::Local(b) = self.body.expr(e)
            && let Some(name) = self.renamed.get(b)
        {
            return name.clone();
        }
        let range = self.map.range(Node::Expr(e));
        let mut pieces: Vec<(TextRange, String)> = Vec::new();
        for child in self.body.expr(e).children() {
            let text = match self.body.expr(e) {
                Expr::Let { binder, body, .. } if *body == child => match self.let_unpacks.contains_key(&e) {
                    true if self.is_pattern(*binder) => {
                        let pattern = self.slice(self.map.range(Node::Binder(*binder)));
                        format!("(let {pattern} {} {})", self.body.binder(*binder).name, self.render(child))
                    }
                    _ => self.let_body(e, child),
                },
                _ => self.render(child),
            };
            pieces.push((self.map.range(Node::Expr(child)), text));
        }
        if let Expr::Lambda { params, .. } = self.body.expr(e) {
            let named = params.iter().filter(|p| self.is_pattern(**p));
            let named = named.filter_map(|p| Some((self.map.range(Node::Binder(*p)), self.renamed.get(p)?.clone())));
            pieces.extend(named);
        }
        let in_child = |pieces: &[(TextRange, String)], r: TextRange| pieces.iter().any(|(p, _)| p.contains_range(r));
        for (r, text) in self.renamed_sizes().filter(|(r, _)| range.contains_range(*r)).collect::<Vec<_>>() {
            if !in_child(&pieces, r) {
                pieces.push((r, text));
            }
        }
        if let (Some(lengths), Expr::Let { binder, .. }) = (self.let_unpacks.get(&e), self.body.expr(e)) {
            let name_range = self.map.range(Node::Binder(*binder));
            if !self.is_further_binding(e) {
                pieces.push((self.keyword(range, name_range), "unpack".into()));
            }
            pieces.push((name_range, with_lengths(lengths, &self.body.binder(*binder).name)));
        }
        if let (Some(lengths), Expr::Unpack { sizes, binder, .. }) = (self.named_unpacks.get(&e), self.body.expr(e)) {
            let all = with_lengths(lengths, &self.body.binder(*binder).name);
            let named = self.map.range(Node::Binder(*binder));
            // The program has the brackets if it names a length.
            match sizes.first() {
                Some(first) => {
                    let names = TextRange::new(self.map.range(Node::Binder(*first)).start(), named.end());
                    pieces.push((names, all[1..all.len() - 1].to_owned()));
                }
                None => pieces.push((named, all)),
            }
        }
        pieces.sort_by_key(|(r, _)| r.start());
        let mut out = String::new();
        let mut at = range.start();
        for (r, text) in pieces {
            if r.start() < at || r.end() > range.end() {
                continue; // The expression has no text of its own.
            }
            out.push_str(self.slice(TextRange::new(at, r.start())));
            out.push_str(&text);
            at = r.end();
        }
        out.push_str(self.slice(TextRange::new(at, range.end())));
        out
    }

    /// The range of the keyword `let`.
    pub(super) fn keyword(&self, form: TextRange, name: TextRange) -> TextRange {
        let head = self.slice(TextRange::new(form.start(), name.start()));
        match head.find("let") {
            Some(i) => TextRange::at(form.start() + TextSize::new(i as u32), TextSize::new(3)),
            None => TextRange::empty(form.start()),
        }
    }

    pub(super) fn slice(&self, r: TextRange) -> &str {
        self.text.get(usize::from(r.start())..usize::from(r.end())).unwrap_or("")
    }
}
