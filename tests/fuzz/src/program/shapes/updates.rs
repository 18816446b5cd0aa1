//! Loops that update elements of two arrays, under several names, in branches and in inner loops. Some read an old array
//! after an update, or exchange the arrays.

use crate::program::len::{Base, Len};
use crate::program::ty::{INT, Ty};
use crate::program::{Maker, Place};

impl Maker<'_> {
    pub(super) fn updates(&mut self) -> (String, Ty) {
        let n = Len::of(Base::N);
        let [xs, ys] = [0, 1].map(|_| self.array(&INT, &n, 1, Place::Top));
        let mut names = vec!["a".to_owned(), "b".to_owned()];
        let mut body = String::new();
        for step in 0..=self.choices.below(3) {
            let old = self.newest(&names);
            let update = self.update_of(&old, &names);
            let made = match self.choices.below(4) {
                2 => format!("(if (> {} 3) {update} {})", self.element_of(&names), self.newest(&names)),
                3 => {
                    let inner = [names.as_slice(), &["c".to_owned()]].concat();
                    format!("(iterate 3 (lambda (c) {}) {old})", self.update_of("c", &inner))
                }
                _ => update,
            };
            body += &format!("u{step} {made} ");
            names.push(format!("u{step}"));
        }
        let ends = [0, 1].map(|_| self.newest(&names));
        let rounds = self.choices.of(&[3, 20]);
        let text = format!(
            "(iterate {rounds} (lambda ((tuple i a b)) (let {body}(tuple (+ i 1) {} {}))) (tuple 0 {xs} {ys}))",
            ends[0], ends[1]
        );
        (text, Ty::Tuple(vec![INT, Ty::array(INT, n.clone()), Ty::array(INT, n)]))
    }

    /// One of the names, most often the last one.
    fn newest(&mut self, names: &[String]) -> String {
        let last = names.len() - 1;
        let back = self.choices.of(&[0, 0, 0, 1, 2]);
        names[last - last.min(back)].clone()
    }

    fn index(&mut self) -> &'static str {
        self.choices.of(&["i", "0", "(- i 1)", "(mod (* 7 i) 5)"])
    }

    fn element_of(&mut self, names: &[String]) -> String {
        format!("(picked {} {})", self.newest(names), self.index())
    }

    fn update_of(&mut self, array: &str, names: &[String]) -> String {
        format!("(update {array} {} (+ i {}))", self.index(), self.element_of(names))
    }
}
