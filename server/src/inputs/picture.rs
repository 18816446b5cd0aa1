//! Pictures as values, and values as pictures: rows of pixels, each a number, or several in an inner array, tuple or
//! vector.
//!
//! | type of a number | pixel |
//! |---|---|
//! | an integer | the stored number, 0 to 255; in a file with 16 bits, to 65535 |
//! | a float | 0 (black) to 1 (white) |
//! | a truth value | black or white |

use lift_analysis::hir::Scalar;
use lift_analysis::ty::{Ty, TyKind};
use lift_codegen::io::bind::Argument;
use lift_codegen::io::cast::{Number, converted, numbers};
use lift_codegen::io::flat::{FlatArray, common_scalar, flat_from_value, rank, value_from_flat};
use lift_codegen::value::Value;

/// Maximal number of numbers in a picture.
pub const MAX_NUMBERS: usize = 1 << 28;

/// A picture in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    /// Numbers per pixel: 1 grey, 2 grey and alpha, 3 red, green and blue, 4 these and alpha.
    pub channels: usize,
    /// The number that is white.
    pub max: u16,
    /// Row by row, the channels of a pixel side by side; `width * height * channels` of them.
    pub data: Vec<u16>,
}

/// How many numbers the pixels of a type have, if it says so.
fn numbers_of_pixel(ty: &Ty) -> Option<usize> {
    let pixel = &ty.as_array()?.element.as_array()?.element;
    match pixel.kind() {
        TyKind::Tuple(parts) => Some(parts.len()),
        TyKind::Vec(_, width) => usize::try_from(width.as_const()?).ok(),
        TyKind::Array(array) => usize::try_from(array.len.as_const()?).ok(),
        _ => None,
    }
}

/// The names of a pixel's channels.
pub fn channels_text(channels: usize) -> &'static str {
    match channels {
        1 => "1 channel (grey)",
        2 => "2 channels (grey, alpha)",
        3 => "3 channels (red, green, blue)",
        _ => "4 channels (red, green, blue, alpha)",
    }
}

impl Picture {
    /// Converts to a value of type `ty`. An error is a message for the user.
    pub fn into_value(self, ty: &Ty) -> Result<Argument, String> {
        let Some(scalar) = common_scalar(ty) else {
            return Err(format!("a picture is rows of pixels of one type of numbers; the parameter is `{ty}`"));
        };
        let mut dims = vec![self.height, self.width];
        match (rank(ty), self.channels) {
            (2, 1) => {}
            (3, channels) => match numbers_of_pixel(ty) {
                Some(taken) if taken != channels => {
                    return Err(format!(
                        "the picture has {}; the parameter `{ty}` takes {taken} numbers per pixel",
                        channels_text(channels)
                    ));
                }
                _ => dims.push(channels),
            },
            (2, channels) => {
                return Err(format!(
                    "the picture has {}; the parameter `{ty}` takes one number per pixel",
                    channels_text(channels)
                ));
            }
            _ => return Err(format!("a picture is rows of pixels; the parameter is `{ty}`")),
        }
        let max = self.max;
        let number = |n: u16| match scalar {
            Scalar::Half | Scalar::Float | Scalar::Double => Number::Real(f64::from(n) / f64::from(max)),
            // Only black and white are truth values.
            Scalar::Bool if n == max => Number::Integer(1),
            _ => Number::Integer(n.into()),
        };
        let data = converted(scalar, self.data.into_iter().map(number))?;
        let value = value_from_flat(ty, FlatArray { dims: dims.clone(), data }).map_err(|e| e.message)?;
        Ok(Argument::Value { value, dims })
    }

    /// Converts a value of type `ty` to a picture with 8 bits per number. An error is a message for the user.
    pub fn from_value(value: &Value, ty: &Ty) -> Result<Picture, String> {
        let flat = flat_from_value(ty, value).map_err(|e| e.message)?;
        let (height, width, channels) = match flat.dims[..] {
            [height, width] => (height, width, 1),
            [height, width, channels @ 1..=4] => (height, width, channels),
            _ => {
                return Err(format!(
                    "`{ty}` is not a picture, which is rows of pixels, each a number or an array, tuple or vector of 1 to 4"
                ));
            }
        };
        let scalar = common_scalar(ty);
        let pixel = |(i, number): (usize, Number)| {
            let scaled = match number {
                Number::Integer(n) if scalar == Some(Scalar::Bool) => n * 255,
                Number::Integer(n) => n,
                // The least float that `as` rounds to -1 is left to the range's end: NaN and infinities are outside.
                Number::Real(x) if x.is_finite() => (x * 255.0).round() as i128,
                Number::Real(_) => -1,
            };
            u16::try_from(scaled).ok().filter(|n| *n <= 255).ok_or_else(|| {
                let (row, column) = (i / channels / width, i / channels % width);
                let (shown, range) = match number {
                    Number::Integer(n) => (n.to_string(), "0 to 255"),
                    Number::Real(x) => (format!("{x:?}"), "0.0 to 1.0"),
                };
                format!("the pixel in row {row}, column {column} has the number {shown}; a picture has {range}")
            })
        };
        let data = numbers(&flat.data).enumerate().map(pixel).collect::<Result<_, _>>()?;
        Ok(Picture { width, height, channels, max: 255, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lift_analysis::size::Size;

    fn rows(element: Ty) -> Ty {
        Ty::array(Ty::array(element, Size::nat(2)), Size::nat(1))
    }

    fn shown(picture: Picture, ty: &Ty) -> String {
        match picture.into_value(ty) {
            Ok(Argument::Value { value, .. }) => value.to_string(),
            Ok(Argument::Generated(_)) => "generated".to_owned(),
            Err(why) => why,
        }
    }

    #[test]
    fn pixels_are_numbers_of_every_type() {
        let grey = |data: [u16; 2]| Picture { width: 2, height: 1, channels: 1, max: 255, data: data.to_vec() };
        assert_eq!(shown(grey([7, 255]), &rows(Ty::int())), "[[7, 255]]");
        assert_eq!(shown(grey([51, 255]), &rows(Ty::scalar(Scalar::Float))), "[[0.2, 1.0]]");
        assert_eq!(shown(grey([0, 255]), &rows(Ty::scalar(Scalar::Bool))), "[[false, true]]");
        assert_eq!(
            shown(grey([0, 2]), &rows(Ty::scalar(Scalar::Bool))),
            "the number 2, at index 1, does not fit `Bool`"
        );
        let colours = Picture { width: 2, height: 1, channels: 3, max: 65535, data: vec![1, 2, 3, 4, 5, 65535] };
        let triple = Ty::tuple(vec![Ty::int(), Ty::int(), Ty::int()]);
        assert_eq!(shown(colours.clone(), &rows(triple)), "[[(1, 2, 3), (4, 5, 65535)]]");
        assert!(shown(colours, &rows(Ty::int())).starts_with("the picture has 3 channels (red, green, blue)"));
    }

    #[test]
    fn values_are_pictures_if_their_numbers_fit() {
        let of = |value: Value, scalar| Picture::from_value(&value, &rows(Ty::scalar(scalar))).map(|p| p.data);
        assert_eq!(of(Value::from(vec![vec![7, 255]]), Scalar::Int), Ok(vec![7, 255]));
        assert_eq!(of(Value::from(vec![vec![0.5f32, 1.000001]]), Scalar::Float), Ok(vec![128, 255]));
        assert_eq!(of(Value::from(vec![vec![false, true]]), Scalar::Bool), Ok(vec![0, 255]));
        let wrong = of(Value::from(vec![vec![7, 256]]), Scalar::Int);
        assert_eq!(wrong, Err("the pixel in row 0, column 1 has the number 256; a picture has 0 to 255".to_owned()));
        assert!(of(Value::from(vec![vec![f32::NAN, 1.1]]), Scalar::Float).is_err());
        assert!(of(Value::from(vec![vec![1.1f32]]), Scalar::Float).is_err());
    }
}
