//! Types, schemes and levels.

use super::super::kind::FclKind::*;
use super::Parser;

impl Parser<'_> {
    /// Parses optional bindings of levels, `<l, m>`.
    pub(super) fn level_names(&mut self) {
        if !self.is("<") {
            return;
        }
        self.start(LevelNames);
        let opener = self.take();
        while self.peek() == Some(Name) {
            self.take();
            if !self.is(",") {
                break;
            }
            self.take();
        }
        self.close_angle(opener);
        self.finish();
    }

    /// Parses optional levels, `<block, l>`.
    pub(super) fn levels(&mut self) {
        if !self.is("<") {
            return;
        }
        self.start(Levels);
        let opener = self.take();
        while !self.failed && !self.is(">") {
            self.level();
            if !self.is(",") {
                break;
            }
            self.take();
        }
        self.close_angle(opener);
        self.finish();
    }

    fn close_angle(&mut self, opener: crate::TextRange) {
        if self.is(">") {
            self.take();
            return;
        }
        let first = !self.failed;
        self.unexpected("`>`");
        if first && let Some(error) = self.errors.last_mut() {
            error.related = Some((opener, "opened here".to_owned()));
        }
    }

    fn level(&mut self) {
        self.start(Level);
        while self.peek() == Some(Int) && self.word() == "1" {
            self.take();
            if !self.want("+") {
                break;
            }
        }
        if !self.failed {
            self.want_kind(Name, "a level");
        }
        self.finish();
    }

    pub(super) fn scheme(&mut self) {
        self.start(Scheme);
        if self.peek() == Some(Name) && self.word() == "forall" {
            self.take();
            self.level_names();
            while self.peek() == Some(TypeName) {
                self.take();
            }
            // The paper writes the levels last.
            self.level_names();
            self.want(".");
        }
        self.ty();
        self.finish();
    }

    fn ty(&mut self) {
        self.deeper(|p| {
            let from = p.checkpoint();
            p.simple_type();
            if !p.failed && p.is("->") {
                p.wrap(from, ArrowType);
                p.take();
                p.ty();
                p.finish();
            }
        });
    }

    fn simple_type(&mut self) {
        match self.peek() {
            Some(ParenOpen) => {
                self.start(TupleType);
                let opener = self.take();
                self.ty();
                if self.is(",") {
                    self.take();
                    self.ty();
                }
                self.close(ParenClose, ")", opener);
                self.finish();
            }
            Some(BracketOpen) => {
                self.start(ArrayType);
                let opener = self.take();
                self.ty();
                self.close(BracketClose, "]", opener);
                self.levels();
                self.finish();
            }
            Some(Name) if self.word() == "Program" => {
                self.start(ProgramType);
                self.take();
                if self.is("<") {
                    self.levels();
                    self.deeper(Self::simple_type);
                } else {
                    self.unexpected("the level of the program");
                }
                self.finish();
            }
            Some(Name | TypeName) => {
                self.start(NamedType);
                self.take();
                self.finish();
            }
            Some(Keyword) if matches!(self.word(), "int" | "double" | "bool" | "char") => {
                self.start(NamedType);
                self.take();
                self.finish();
            }
            _ => self.unexpected("a type"),
        }
    }
}
