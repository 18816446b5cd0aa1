//! The operations on the value of a recursive call, such as `x+y×∇z`.

use super::scalar;
use super::value::{After, Arr, Ev, FunKind, Kind, Res, Value};

/// The effect of the functions and arrays to the left of a call on its value; `None` if it is more than additions,
/// subtractions and multiplications of numbers.
pub fn after(ev: &mut Ev, before: &[Value]) -> Res<Option<After>> {
    let mut pairs = Vec::new();
    for pair in before.rchunks(2) {
        let [Value::Arr(x), Value::Fun(f)] = pair else { return Ok(None) };
        match *f.kind {
            FunKind::Glyph(glyph @ ('+' | '-' | '×')) if x.rank() == 0 && x.kind <= Kind::Double => {
                pairs.push((glyph, x));
            }
            _ => return Ok(None),
        }
    }
    let mut done = After::default();
    for (glyph, x) in pairs {
        let with = |ev: &mut Ev, glyph: char, of: Option<&Arr>| match of {
            Some(of) => scalar::dyadic(ev, glyph, x, of),
            None => Ok(x.clone()),
        };
        match glyph {
            '×' => {
                done.plus = done.plus.map(|plus| with(ev, '×', Some(&plus))).transpose()?;
                done.times = Some(with(ev, '×', done.times.as_ref())?);
            }
            glyph => {
                if glyph == '-' {
                    let minus = ev.of_scalar(ev.known(Kind::Int, -1.0));
                    let times = done.times.map_or_else(|| Ok(minus), |times| scalar::monadic(ev, '-', &times));
                    done.times = Some(times?);
                }
                done.plus = Some(with(ev, glyph, done.plus.as_ref())?);
            }
        }
    }
    Ok(Some(done))
}
