//! Functions whose names begin with `⎕`: operations on bits, and files.

use super::extend::extended;
use super::value::{Arr, Ev, Kind, Repr, Res, Scalar, Source, System, fail};
use crate::front::build::Parameter;
use crate::hir;
use lift_syntax::SyntaxErrorCode::{AplDomain, AplNotSupported, AplPhrase};
use lift_syntax::TextRange;

const NAMES: [(&str, System); 12] = [
    ("⎕C", System::Case),
    ("⎕FMT", System::Format),
    ("⎕UCS", System::Unicode),
    ("⎕INT32AND", System::And),
    ("⎕INT32OR", System::Or),
    ("⎕INT32XOR", System::Xor),
    ("⎕INT32SHL", System::ShiftLeft),
    ("⎕INT32SHR", System::ShiftRight),
    ("⎕INT32SHAR", System::ShiftSigned),
    ("⎕ReadFile", System::ReadFile),
    ("⎕ReadIntVecFile", System::ReadInts),
    ("⎕ReadDoubleVecFile", System::ReadDoubles),
];

pub fn of_name(name: &str) -> Option<System> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, system)| *system)
}

pub fn name_of(system: System) -> &'static str {
    NAMES.iter().find(|(_, known)| *known == system).map_or("", |(name, _)| name)
}

/// Whether a function gives an element for each element of its arguments.
pub fn is_scalar(system: System) -> bool {
    use System::{And, Or, ShiftLeft, ShiftRight, ShiftSigned, Xor};
    matches!(system, And | Or | Xor | ShiftLeft | ShiftRight | ShiftSigned)
}

pub fn apply(ev: &mut Ev, system: System, left: Option<&Arr>, right: &Arr, range: TextRange) -> Res<Arr> {
    let name = name_of(system);
    match (system, left) {
        (System::Unicode, None) => {
            let whole = if right.kind == Kind::Bool { ev.as_kind(right, Kind::Int)? } else { right.clone() };
            unicode(&whole)
        }
        (System::Format, None) => super::text::as_matrix(ev, right),
        (System::Format, Some(left)) => {
            let message =
                format!("the left of `{name}` is not supported yet: `8 2⍕x` writes numbers 8 wide with 2 decimals");
            fail(AplNotSupported, left.range, message)
        }
        (System::Case, left) => super::letters::cased(ev, left, right),
        (System::Unicode, Some(_)) => fail(AplPhrase, range, format!("`{name}` takes no left argument")),
        (System::ReadFile | System::ReadInts | System::ReadDoubles, None) => read(ev, system, right),
        (System::ReadFile | System::ReadInts | System::ReadDoubles, Some(_)) => {
            fail(AplPhrase, range, format!("`{name}` takes no left argument"))
        }
        (_, None) => fail(AplPhrase, range, format!("`{name}` lacks its left argument")),
        (_, Some(left)) => {
            for x in [left, right] {
                if x.kind > Kind::Int {
                    return fail(AplDomain, x.range, format!("`{name}` needs whole numbers"));
                }
            }
            bits(ev, system, left, right)
        }
    }
}

/// Characters as their code points, and code points as characters.
fn unicode(x: &Arr) -> Res<Arr> {
    let kind = match x.kind {
        Kind::Char => Kind::Int,
        Kind::Int => Kind::Char,
        _ => return fail(AplDomain, x.range, "`⎕UCS` needs characters or whole numbers"),
    };
    let repr = match x.items() {
        Some(items) => Repr::Items(items.iter().map(|item| Scalar { kind, ..item.clone() }).collect()),
        None => x.repr.clone(),
    };
    Ok(Arr { kind, repr, ..x.clone() })
}

fn bits(ev: &mut Ev, system: System, left: &Arr, right: &Arr) -> Res<Arr> {
    let primitive = match system {
        System::And => "bitand",
        System::Or => "bitor",
        System::Xor => "bitxor",
        System::ShiftLeft => "shl",
        System::ShiftRight => "ushr",
        _ => "shr",
    };
    let combine = move |ev: &mut Ev, x: &Scalar, y: &Scalar| {
        let known = x.known.zip(y.known).and_then(|(x, y)| value(system, x as i32, y as i32));
        Ok(match known {
            Some(value) => ev.known(Kind::Int, f64::from(value)),
            None => {
                let term = ev.app(primitive, [x.term.clone(), y.term.clone()]);
                Scalar { kind: Kind::Int, term, known: None, size: None }
            }
        })
    };
    extended(ev, &format!("`{}`", name_of(system)), Kind::Int, Some(Kind::Int), (left, right), combine)
}

/// The value of an operation on constants; `None` for a shift by more bits than there are.
fn value(system: System, x: i32, y: i32) -> Option<i32> {
    let by = u32::try_from(y).ok().filter(|by| *by < i32::BITS);
    Some(match system {
        System::And => x & y,
        System::Or => x | y,
        System::Xor => x ^ y,
        System::ShiftLeft => x << by?,
        System::ShiftRight => ((x as u32) >> by?) as i32,
        _ => x >> by?,
    })
}

/// The contents of a file as an input of the kernel.
fn read(ev: &mut Ev, system: System, file: &Arr) -> Res<Arr> {
    let name = name_of(system);
    let text = file.known().filter(|_| file.kind == Kind::Char && file.rank() <= 1);
    let Some(text) = text else {
        return fail(AplDomain, file.range, format!("`{name}` needs the name of a file, known before the run"));
    };
    let path: String = text.iter().filter_map(|code| char::from_u32(*code as u32)).collect();
    if path.contains('"') {
        return fail(AplDomain, file.range, "the name of a file has no `\"`");
    }
    let (kind, scalar, prefix) = match system {
        System::ReadInts => (Kind::Int, hir::Scalar::Int, ""),
        System::ReadDoubles => (Kind::Double, hir::Scalar::Double, ""),
        _ => (Kind::Char, hir::Scalar::UByte, "bytes:"),
    };
    let number = ev.sources.len() + 1;
    let (size, bound) = (ev.fresh(&format!("F{number}")), ev.fresh(&format!("file{number}")));
    let length = size.as_size();
    let parameter = Parameter { name: bound.clone(), scalar, shape: vec![length.clone()], range: file.range };
    ev.sources.push(Source { parameter, size, file: format!("{prefix}{path}") });
    let contents = Arr { kind, shape: vec![length.clone()], repr: Repr::Stored(bound), range: ev.at };
    if kind != Kind::Char {
        return Ok(contents);
    }
    Ok(ev.of_pull(kind, vec![length], move |ev, index| {
        let byte = ev.element(&contents, index)?;
        Ok(ev.app("toInt", [byte]))
    }))
}
