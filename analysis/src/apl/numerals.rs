//! Execute on a text of numbers, `⍎x`.

use super::nested;
use super::value::{Arr, Ev, Kind, Res, Scalar, fail};
use lift_syntax::SyntaxErrorCode::{AplDomain, AplPhrase};
use lift_syntax::apl::{complex, number};

/// `⍎x`: the vector of the numbers in a text that is known before the run.
pub fn numbers(ev: &mut Ev, x: &Arr) -> Res<Arr> {
    let Some(codes) = x.known().filter(|_| x.kind == Kind::Char && x.rank() <= 1) else {
        let what =
            "`⍎` needs a text that is known before the run; `10⊥¯1+⎕D⍳x` is the number that the digits in x write";
        return fail(AplDomain, x.range, what);
    };
    let text: String = codes.into_iter().filter_map(|code| char::from_u32(code as u32)).collect();
    let mut found: Vec<Scalar> = Vec::new();
    for word in text.split_whitespace() {
        let Some(value) = number(word).filter(|_| complex(word).is_none()) else {
            let what = format!(
                "`⍎` of `{word}`, which is not a number: write `⍎'…'` with the text itself at the right of `⍎`"
            );
            return fail(AplDomain, x.range, what);
        };
        let whole = value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX);
        let kind = match value {
            0.0 | 1.0 => Kind::Bool,
            _ if whole => Kind::Int,
            _ => Kind::Double,
        };
        found.push(ev.known(kind, value));
    }
    let found: Vec<Arr> = found.into_iter().map(|one| ev.of_scalar(one)).collect();
    match &found[..] {
        [] => fail(AplPhrase, x.range, "there is nothing to evaluate in this text"),
        [one] => Ok(one.clone()),
        several => nested::collect(ev, vec![crate::size::Size::nat(several.len() as u64)], several),
    }
}
