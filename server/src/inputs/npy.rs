//! NumPy's `.npy` files. The format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use lift_analysis::each_scalar;
use lift_analysis::scalar::{Scalar, ScalarKind};
use lift_analysis::ty::Ty;
use lift_codegen::io::bind::Argument;
use lift_codegen::io::cast::{Casts, cast};
use lift_codegen::io::flat::{FlatArray, common_scalar, flat_from_value, numpy_name, value_from_flat};
use lift_codegen::value::{ArrayValue, Value};
use npyz::{AutoSerialize, DType, Deserialize, NpyFile, NpyHeader, Order, Serialize, TypeChar, WriterBuilder};
use std::io::{self, Read};

/// First bytes of a file.
pub const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy's own limit on the text of a header, in bytes.
const MAX_HEADER: usize = 10_000;
/// Maximal number of elements of an array: device code counts in 32 bits.
const MAX_ELEMENTS: u64 = i32::MAX as u64;

/// Maximal number of rows of an array without elements: each row still takes memory.
const MAX_EMPTY_ROWS: u64 = 1 << 20;

/// Reads a file of `size` bytes as a value of type `ty`. An error is a message for the user.
pub fn read(file: &mut impl Read, size: u64, ty: &Ty, casts: Casts) -> Result<Argument, String> {
    let wanted = common_scalar(ty);
    let array = match wanted {
        Some(wanted) if casts == Casts::Made => {
            let FlatArray { dims, data } = array(file, size, &any_scalar)?;
            FlatArray { dims, data: cast(&data, wanted)? }
        }
        _ => array(file, size, &|dtype| scalar_of(dtype, ty, wanted, casts))?,
    };
    let dims = array.dims.clone();
    let value = value_from_flat(ty, array).map_err(|e| e.message)?;
    Ok(Argument::Value { value, dims })
}

/// Reads the array of a file of `size` bytes; `scalar` maps its dtype to the element type, or rejects it.
pub fn array(
    file: &mut impl Read,
    size: u64,
    scalar: &dyn Fn(&DType) -> Result<Scalar, String>,
) -> Result<FlatArray, String> {
    let text = header(file)?;
    let header = NpyHeader::from_reader(&*text).map_err(|e| format!("the header of the `.npy` file is bad: {e}"))?;

    let scalar = scalar(&header.dtype())?;
    let shape = shape_text(header.shape());
    if header.len() > MAX_ELEMENTS {
        return Err(format!("it has shape {shape}, {} elements; at most {MAX_ELEMENTS} are taken", header.len()));
    }
    let rows = header.shape().iter().take_while(|n| **n > 0).fold(1u64, |all, n| all.saturating_mul(*n));
    if header.len() == 0 && rows > MAX_EMPTY_ROWS {
        return Err(format!(
            "it has shape {shape}, {rows} rows without an element; at most {MAX_EMPTY_ROWS} are taken"
        ));
    }
    let bytes = header.dtype().num_bytes().unwrap_or(1) as u64;
    let (expected, present) = (header.len() * bytes, size.saturating_sub(text.len() as u64));
    if present < expected {
        return Err(format!(
            "the file is cut short: shape {shape} needs {expected} bytes of data, there are {present}"
        ));
    }
    let dims: Vec<usize> = header.shape().iter().map(|&n| n as usize).collect();
    let order = header.order();
    let file = NpyFile::with_header(header, file);
    macro_rules! read {
        (() $($kind:ident: $rust:ty),*) => {
            match scalar {
                $(Scalar::$kind => ArrayValue::$kind(elements(file, &dims, order)?),)*
            }
        };
    }
    let data = each_scalar!(read!());
    Ok(FlatArray { dims, data })
}

/// The kind of the elements and the rank, from the header.
pub fn kind_and_rank(file: &mut impl Read) -> Result<(ScalarKind, usize), String> {
    let text = header(file)?;
    let header = NpyHeader::from_reader(&*text).map_err(|e| format!("the header of the `.npy` file is bad: {e}"))?;
    Ok((any_scalar(&header.dtype())?.kind(), header.shape().len()))
}

/// Reads the bytes before the data and rejects headers on which the parser could overflow.
fn header(file: &mut impl Read) -> Result<Vec<u8>, String> {
    let cut = || "the file is cut short: it ends in the header".to_owned();
    let mut start = Vec::new();
    file.take(8).read_to_end(&mut start).map_err(|e| e.to_string())?;
    if !start.starts_with(&MAGIC[..start.len().clamp(1, MAGIC.len())]) {
        return Err("this is not a `.npy` file: it does not begin as one".to_owned());
    }
    if start.len() < 8 {
        return Err(cut());
    }
    let digits = match start[6] {
        1 => 2,
        2 | 3 => 4,
        v => return Err(format!("`.npy` format version {v} is not known")),
    };
    let mut length = [0; 4];
    let mut more =
        |to: &mut [u8]| file.read_exact(to).map_err(|_| "the file is cut short: it ends in the header".to_owned());
    more(&mut length[..digits])?;
    start.extend(&length[..digits]);
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER {
        return Err(format!("the header of the `.npy` file has {length} bytes; at most {MAX_HEADER} are read"));
    }
    let mut text = vec![0; length];
    more(&mut text)?;
    // The parser recurses over brackets and multiplies the dimensions without overflow checks.
    if text.iter().filter(|b| b"([{".contains(b)).count() > 100 {
        return Err("the header of the `.npy` file is bad: too many brackets".to_owned());
    }
    if String::from_utf8_lossy(&text).contains("'descr': '|O'") {
        return Err("its elements are objects of Python: convert them to numbers".to_owned());
    }
    if !shape_fits(&String::from_utf8_lossy(&text)) {
        return Err("the header of the `.npy` file is bad: its shape is impossible".to_owned());
    }
    start.extend(text);
    Ok(start)
}

/// Whether the product of the dimensions fits into 64 bits. Malformed shapes are rejected by the parser.
fn shape_fits(header: &str) -> bool {
    let shape = header.split("shape").nth(1).and_then(|rest| rest.split_once('('));
    let Some((dims, _)) = shape.and_then(|(_, rest)| rest.split_once(')')) else { return true };
    let dims = dims.split(',').filter_map(|d| d.trim().trim_end_matches('L').parse::<u64>().ok());
    dims.filter(|&n| n != 0).try_fold(1u64, |product, n| product.checked_mul(n)).is_some()
}

/// Returns the scalar type of any supported array; an error describes an unsupported one.
pub fn any_scalar(dtype: &DType) -> Result<Scalar, String> {
    let DType::Plain(t) = dtype else {
        return Err(format!("it holds records, `{}`; arrays of numbers are taken", dtype.descr()));
    };
    known_scalar(dtype).ok_or_else(|| {
        let has = dtype_name(t.type_char(), t.size_field()).unwrap_or_else(|| dtype.descr());
        let known: Vec<&str> = Scalar::all().map(numpy_name).collect();
        format!("it holds `{has}`; there are {}", known.join(", "))
    })
}

fn known_scalar(dtype: &DType) -> Option<Scalar> {
    let DType::Plain(t) = dtype else { return None };
    let kind = match t.type_char() {
        TypeChar::Int => ScalarKind::Signed,
        TypeChar::Uint => ScalarKind::Unsigned,
        TypeChar::Float => ScalarKind::Floating,
        TypeChar::Bool => ScalarKind::Truth,
        _ => return None,
    };
    Scalar::all().find(|scalar| scalar.kind() == kind && scalar.bytes() == t.size_field())
}

/// Returns the scalar type of the file, which must be `wanted`, that of `ty`: nothing is converted silently.
fn scalar_of(dtype: &DType, ty: &Ty, wanted: Option<Scalar>, casts: Casts) -> Result<Scalar, String> {
    let DType::Plain(t) = dtype else {
        return Err(format!("the file holds records, `{}`; arrays of numbers are taken", dtype.descr()));
    };
    match (known_scalar(dtype), wanted) {
        (Some(found), None) => Ok(found),
        (Some(found), Some(wanted)) if found == wanted => Ok(found),
        (_, wanted) => {
            let has = dtype_name(t.type_char(), t.size_field()).unwrap_or_else(|| dtype.descr());
            // What `--cast` cannot read is not offered.
            let casts = if any_scalar(dtype).is_ok() { casts } else { Casts::Refused };
            let advice = wanted.map_or(String::new(), |wanted| format!(": {}", casts.advice(wanted)));
            Err(format!("the file holds `{has}`, but the parameter is `{ty}`{advice}"))
        }
    }
}

/// NumPy's name of a dtype, as in `float16` or `uint8`.
fn dtype_name(char: TypeChar, bytes: u64) -> Option<String> {
    let kind = match char {
        TypeChar::Bool => return Some("bool".to_owned()),
        TypeChar::Int => "int",
        TypeChar::Uint => "uint",
        TypeChar::Float => "float",
        TypeChar::Complex => "complex",
        _ => return None,
    };
    Some(format!("{kind}{}", bytes * 8))
}

/// Formats a shape in NumPy's notation: `(3,)`, `(3, 4)`.
fn shape_text(shape: &[u64]) -> String {
    let dims: Vec<String> = shape.iter().map(u64::to_string).collect();
    if dims.len() == 1 { format!("({},)", dims[0]) } else { format!("({})", dims.join(", ")) }
}

/// Reads the elements in row-major order.
fn elements<T: Deserialize + Copy + Default>(
    file: NpyFile<impl Read>,
    dims: &[usize],
    order: Order,
) -> Result<Vec<T>, String> {
    let read = |e: io::Error| format!("the data of the `.npy` file cannot be read: {e}");
    let stored: Vec<T> = file.into_vec().map_err(read)?;
    if order == Order::C || dims.len() < 2 {
        return Ok(stored);
    }
    let mut out = Vec::with_capacity(stored.len());
    // Step through the row-major indices; `at` is the offset of the element in the file.
    let strides: Vec<usize> = dims.iter().scan(1, |s, n| Some(std::mem::replace(s, *s * n))).collect();
    let (mut index, mut at) = (vec![0; dims.len()], 0);
    for _ in 0..stored.len() {
        out.push(stored[at]);
        for d in (0..dims.len()).rev() {
            index[d] += 1;
            at += strides[d];
            if index[d] < dims[d] {
                break;
            }
            at -= strides[d] * dims[d];
            index[d] = 0;
        }
    }
    Ok(out)
}

/// Encodes a value of type `ty` as a file. An error is a message for the user.
pub fn write(value: &Value, ty: &Ty) -> Result<Vec<u8>, String> {
    let array = flat_from_value(ty, value).map_err(|e| e.message)?;
    encode(&array).map_err(|e| e.to_string())
}

/// Encodes an array as a `.npy` file.
pub fn encode(array: &FlatArray) -> io::Result<Vec<u8>> {
    let dims: Vec<u64> = array.dims.iter().map(|&n| n as u64).collect();
    macro_rules! write {
        (() $($kind:ident: $rust:ty),*) => {
            match &array.data {
                $(ArrayValue::$kind(v) => encoded(v, &dims),)*
                ArrayValue::Values(_) => Err(io::Error::other("only arrays of numbers fit a `.npy` file")),
            }
        };
    }
    each_scalar!(write!())
}

fn encoded<T: Serialize + AutoSerialize + Copy>(data: &[T], dims: &[u64]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut writer = npyz::WriteOptions::<T>::new().default_dtype().shape(dims).writer(&mut out).begin_nd()?;
    writer.extend(data.iter().copied())?;
    writer.finish()?;
    Ok(out)
}
