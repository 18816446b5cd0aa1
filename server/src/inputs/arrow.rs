//! Arrow IPC files (also called Feather): columns with equal numbers of rows; elements may be lists of different
//! lengths.
//!
//! An array is one column with a row per element. An array of tuples, or a tuple of arrays of one length, is a column
//! per component. The format: <https://arrow.apache.org/docs/format/Columnar.html>.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, Float16Array, Float32Array, Float64Array, Int8Array, Int16Array,
    Int32Array, Int64Array, ListArray, RecordBatch, StructArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, CompressionType, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use lift_analysis::ty::{Ty, TyKind};
use lift_codegen::io::cast::{Casts, cast};
use lift_codegen::io::columns::{concat, gathered};
use lift_codegen::io::flat::part;
use lift_codegen::value::{ArrayValue, Value};
use std::io::Cursor;
use std::panic;
use std::sync::Arc;

/// First bytes of a file in the random access format.
pub const MAGIC: &[u8] = b"ARROW1";

/// Reads a file as a value of type `ty`. An error is a message for the user.
pub fn read(bytes: &[u8], ty: &Ty, casts: Casts) -> Result<Value, String> {
    let damaged = |why: &str| format!("this is not an Arrow file that can be read: {why}");
    let Some(blocks) = blocks(bytes) else {
        return Err(damaged("it does not end as one, or its parts are outside of it"));
    };
    for block in blocks {
        can_be_unpacked(block).map_err(damaged)?;
    }
    // The library panics on buffers outside their block.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let batches = panic::catch_unwind(|| FileReader::try_new(Cursor::new(bytes), None)?.collect::<Result<Vec<_>, _>>());
    panic::set_hook(hook);
    match batches {
        Ok(Ok(batches)) => value_of(ty, &batches, casts),
        Ok(Err(e)) => Err(damaged(&e.to_string())),
        Err(_) => Err(damaged("it is damaged")),
    }
}

/// The metadata and the body of each block listed in the footer; none if one lies outside the file. The library allocates
/// the sizes that they claim.
fn blocks(bytes: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let (rest, tail) = bytes.split_at(bytes.len().checked_sub(MAGIC.len() + size_of::<i32>())?);
    let (length, MAGIC) = tail.split_at_checked(size_of::<i32>())? else { return None };
    let length = usize::try_from(i32::from_le_bytes(length.try_into().ok()?)).ok()?;
    let footer = root_as_footer(rest.get(rest.len().checked_sub(length)?..)?).ok()?;
    let listed = [footer.recordBatches(), footer.dictionaries()];
    let one = |block: &Block| {
        let start = usize::try_from(block.offset()).ok()?;
        let body = start.checked_add(usize::try_from(block.metaDataLength()).ok()?)?;
        let end = body.checked_add(usize::try_from(block.bodyLength()).ok()?)?;
        Some((bytes.get(start..body)?, bytes.get(body..end)?))
    };
    listed.into_iter().flatten().flatten().map(one).collect()
}

/// LZ4 makes nothing smaller than by this factor.
const MOST_PACKED: u64 = 256;

/// Rejects compression that is not known, and buffers that claim more than their bytes can unpack to.
fn can_be_unpacked((metadata, body): (&[u8], &[u8])) -> Result<(), &'static str> {
    let damaged = "it is damaged";
    // The length comes first, since version 0.15 after a mark.
    let prefix = if metadata.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = root_as_message(metadata.get(prefix..).ok_or(damaged)?).map_err(|_| damaged)?;
    let dictionary = || message.header_as_dictionary_batch()?.data();
    let Some(batch) = message.header_as_record_batch().or_else(dictionary) else { return Ok(()) };
    let Some(compression) = batch.compression() else { return Ok(()) };
    if compression.codec() != CompressionType::LZ4_FRAME {
        return Err("it is compressed by Zstandard; LZ4 is read, and what is not compressed");
    }
    for buffer in batch.buffers().into_iter().flatten() {
        let part = || {
            let start = usize::try_from(buffer.offset()).ok()?;
            body.get(start..start.checked_add(usize::try_from(buffer.length()).ok()?)?)
        };
        let part = part().ok_or(damaged)?;
        // The length before compression; negative without any.
        let claimed = part.first_chunk().map_or(0, |length| i64::from_le_bytes(*length));
        if u64::try_from(claimed).is_ok_and(|claimed| claimed / MOST_PACKED > part.len() as u64) {
            return Err(damaged);
        }
    }
    Ok(())
}

/// Removes the outer existential quantifiers of a type.
fn opened(mut ty: &Ty) -> &Ty {
    while let TyKind::Exists(_, body) = ty.kind() {
        ty = body;
    }
    ty
}

fn value_of(ty: &Ty, batches: &[RecordBatch], casts: Casts) -> Result<Value, String> {
    let width = batches.first().map_or(1, RecordBatch::num_columns);
    let columns = |i: usize| batches.iter().map(move |batch| batch.column(i));
    let all = |ty: &Ty, i: usize| {
        let read: Vec<ArrayValue> = columns(i).map(|column| values(ty, column, casts)).collect::<Result<_, _>>()?;
        Ok::<_, String>(concat(ty, &read))
    };
    let wrong = |what: &str| Err(format!("`{ty}` is expected; the file has {width} columns{what}"));
    match opened(ty).kind() {
        TyKind::Array(array) => match opened(&array.element).kind() {
            TyKind::Tuple(parts) if parts.len() == width && width != 1 => {
                let columns = parts.iter().enumerate().map(|(i, part)| all(part, i)).collect::<Result<Vec<_>, _>>()?;
                let rows = columns.first().map_or(0, ArrayValue::len);
                let row = |i| Value::Tuple(columns.iter().filter_map(|column| column.get(i)).collect());
                Ok(Value::Array(ArrayValue::Values((0..rows).map(row).collect())))
            }
            _ if width == 1 => Ok(Value::Array(all(&array.element, 0)?)),
            _ => wrong(""),
        },
        TyKind::Tuple(parts) if parts.len() == width => {
            let part = |(i, ty): (usize, &Ty)| match opened(ty).kind() {
                TyKind::Array(array) => Ok(Value::Array(all(&array.element, i)?)),
                _ => wrong(", which are arrays"),
            };
            Ok(Value::Tuple(parts.iter().enumerate().map(part).collect::<Result<_, _>>()?))
        }
        _ => wrong(", which are arrays"),
    }
}

/// Converts a column to elements of type `ty`.
fn values(ty: &Ty, column: &ArrayRef, casts: Casts) -> Result<ArrayValue, String> {
    if column.null_count() > 0 {
        let nulls = column.null_count();
        let are = if nulls == 1 { "value is" } else { "values are" };
        return Err(format!("{nulls} {are} null; Lift has no such value"));
    }
    let ty = opened(ty);
    let has = column.data_type();
    match ty.kind() {
        TyKind::Array(array) => {
            let (bounds, inside): (Vec<usize>, &ArrayRef) = match has {
                DataType::List(_) => {
                    (bounds(column.as_list::<i32>().value_offsets()), column.as_list::<i32>().values())
                }
                DataType::LargeList(_) => {
                    (bounds(column.as_list::<i64>().value_offsets()), column.as_list::<i64>().values())
                }
                DataType::FixedSizeList(_, width) => {
                    let width = usize::try_from(*width).unwrap_or(0);
                    ((0..=column.len()).map(|i| i * width).collect(), column.as_fixed_size_list().values())
                }
                _ => return Err(mismatch(ty, has)),
            };
            let inner = values(&array.element, inside, casts)?;
            let row = |pair: &[usize]| Value::Array(part(&inner, pair[0], pair[1] - pair[0]));
            Ok(ArrayValue::Values(bounds.windows(2).map(row).collect()))
        }
        TyKind::Vec(element, width) => match has {
            DataType::FixedSizeList(_, has) if width.as_const() == Some(i64::from(*has)) => {
                let inner = values(element, column.as_fixed_size_list().values(), casts)?;
                let width = usize::try_from(*has).unwrap_or(0);
                let lanes = |i| (0..width).filter_map(|j| inner.get(i * width + j)).collect();
                Ok(ArrayValue::Values((0..column.len()).map(|i| Value::Vec(lanes(i))).collect()))
            }
            _ => Err(mismatch(ty, has)),
        },
        TyKind::Tuple(types) => match column.as_struct_opt() {
            Some(parts) if parts.num_columns() == types.len() => {
                let columns = types.iter().zip(parts.columns()).map(|(ty, column)| values(ty, column, casts));
                let columns = columns.collect::<Result<Vec<_>, _>>()?;
                let row = |i| Value::Tuple(columns.iter().filter_map(|column| column.get(i)).collect());
                Ok(ArrayValue::Values((0..column.len()).map(row).collect()))
            }
            _ => Err(mismatch(ty, has)),
        },
        _ => scalars(ty, column, casts),
    }
}

fn bounds<T: Copy + TryInto<usize>>(offsets: &[T]) -> Vec<usize> {
    offsets.iter().map(|at| (*at).try_into().unwrap_or(0)).collect()
}

fn scalars(ty: &Ty, column: &ArrayRef, casts: Casts) -> Result<ArrayValue, String> {
    let known = match column.data_type() {
        DataType::Int8 => Some(ArrayValue::Byte(column.as_primitive::<Int8Type>().values().to_vec())),
        DataType::UInt8 => Some(ArrayValue::UByte(column.as_primitive::<UInt8Type>().values().to_vec())),
        DataType::Int16 => Some(ArrayValue::Short(column.as_primitive::<Int16Type>().values().to_vec())),
        DataType::UInt16 => Some(ArrayValue::UShort(column.as_primitive::<UInt16Type>().values().to_vec())),
        DataType::UInt32 => Some(ArrayValue::UInt(column.as_primitive::<UInt32Type>().values().to_vec())),
        DataType::UInt64 => Some(ArrayValue::ULong(column.as_primitive::<UInt64Type>().values().to_vec())),
        DataType::Int32 => Some(ArrayValue::Int(column.as_primitive::<Int32Type>().values().to_vec())),
        DataType::Int64 => Some(ArrayValue::Long(column.as_primitive::<Int64Type>().values().to_vec())),
        DataType::Float16 => Some(ArrayValue::Half(column.as_primitive::<Float16Type>().values().to_vec())),
        DataType::Float32 => Some(ArrayValue::Float(column.as_primitive::<Float32Type>().values().to_vec())),
        DataType::Float64 => Some(ArrayValue::Double(column.as_primitive::<Float64Type>().values().to_vec())),
        DataType::Boolean => Some(ArrayValue::Bool(column.as_boolean().values().iter().collect())),
        _ => None,
    };
    match (known, ty.as_scalar()) {
        (Some(found), _) if concat(ty, std::slice::from_ref(&found)).len() == found.len() => Ok(found),
        (Some(found), Some(wanted)) if casts == Casts::Made => cast(&found, wanted),
        (known, _) => {
            let advice = if casts == Casts::Offered && known.is_some() { "; run with `--cast`" } else { "" };
            Err(mismatch(ty, column.data_type()) + advice)
        }
    }
}

fn mismatch(ty: &Ty, has: &DataType) -> String {
    let needed = match data_type(ty) {
        Ok(needed) => format!(", Arrow's {needed}"),
        Err(_) => String::new(),
    };
    format!("`{ty}`{needed} is expected, but a column of the file holds {has}")
}

/// The Arrow type of an element of type `ty`.
fn data_type(ty: &Ty) -> Result<DataType, String> {
    use lift_analysis::hir::Scalar;
    Ok(match opened(ty).kind() {
        TyKind::Scalar(Scalar::Byte) => DataType::Int8,
        TyKind::Scalar(Scalar::UByte) => DataType::UInt8,
        TyKind::Scalar(Scalar::Short) => DataType::Int16,
        TyKind::Scalar(Scalar::UShort) => DataType::UInt16,
        TyKind::Scalar(Scalar::UInt) => DataType::UInt32,
        TyKind::Scalar(Scalar::ULong) => DataType::UInt64,
        TyKind::Scalar(Scalar::Int) => DataType::Int32,
        TyKind::Scalar(Scalar::Long) => DataType::Int64,
        TyKind::Scalar(Scalar::Half) => DataType::Float16,
        TyKind::Scalar(Scalar::Float) => DataType::Float32,
        TyKind::Scalar(Scalar::Double) => DataType::Float64,
        TyKind::Scalar(Scalar::Bool) => DataType::Boolean,
        TyKind::Array(array) => DataType::List(item(data_type(&array.element)?)),
        TyKind::Vec(element, width) => {
            DataType::FixedSizeList(item(data_type(element)?), width.as_const().unwrap_or(0) as i32)
        }
        TyKind::Tuple(parts) => DataType::Struct(fields(parts)?),
        _ => return Err(format!("a value of type `{ty}` does not fit an Arrow file")),
    })
}

fn item(inner: DataType) -> Arc<Field> {
    Arc::new(Field::new_list_field(inner, false))
}

fn fields(parts: &[Ty]) -> Result<Fields, String> {
    let field = |(i, ty): (usize, &Ty)| Ok(Field::new(i.to_string(), data_type(ty)?, false));
    parts.iter().enumerate().map(field).collect()
}

/// Encodes a value of type `ty` as a file. An error is a message for the user.
pub fn write(value: &Value, ty: &Ty) -> Result<Vec<u8>, String> {
    let columns = columns(ty, value)?;
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(name, column.data_type().clone(), false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, column)| column).collect();
    let bytes = || {
        let batch = RecordBatch::try_new(schema.clone(), arrays)?;
        let mut writer = FileWriter::try_new(Vec::new(), &schema)?;
        writer.write(&batch)?;
        writer.into_inner()
    };
    bytes().map_err(|e: ArrowError| format!("a `{ty}` does not fit an Arrow file: {e}"))
}

/// The columns of a value, with their names.
fn columns(ty: &Ty, value: &Value) -> Result<Vec<(String, ArrayRef)>, String> {
    match (opened(ty).kind(), value) {
        (TyKind::Array(array), Value::Array(elements)) => match opened(&array.element).kind() {
            TyKind::Tuple(types) => parts(types, elements),
            _ => Ok(vec![("values".to_owned(), column(&array.element, elements)?)]),
        },
        (TyKind::Tuple(types), Value::Tuple(parts)) => {
            let part = |(i, (ty, value)): (usize, (&Ty, &Value))| match (opened(ty).kind(), value) {
                (TyKind::Array(array), Value::Array(elements)) => {
                    Ok((i.to_string(), column(&array.element, elements)?))
                }
                _ => Err(format!("the part `{ty}` of the result is not an array, as the columns of an Arrow file are")),
            };
            types.iter().zip(parts).enumerate().map(part).collect()
        }
        _ => Err(format!("a `{ty}` is not an array, as the columns of an Arrow file are")),
    }
}

fn parts(types: &[Ty], tuples: &ArrayValue) -> Result<Vec<(String, ArrayRef)>, String> {
    let part = |(i, ty): (usize, &Ty)| {
        let of = |n| match tuples.get(n) {
            Some(Value::Tuple(parts)) => parts.get(i).cloned(),
            _ => None,
        };
        Ok((i.to_string(), column(ty, &gathered(ty, (0..tuples.len()).filter_map(of)))?))
    };
    types.iter().enumerate().map(part).collect()
}

/// Converts elements of type `ty` to a column.
fn column(ty: &Ty, elements: &ArrayValue) -> Result<ArrayRef, String> {
    let ty = opened(ty);
    let misfit = |e: ArrowError| format!("a `{ty}` does not fit an Arrow file: {e}");
    Ok(match (ty.kind(), elements) {
        (TyKind::Array(array), ArrayValue::Values(rows)) => {
            let rows: Vec<ArrayValue> = rows.iter().filter_map(|row| row.as_array().cloned()).collect();
            let inner = concat(&array.element, &rows);
            if i32::try_from(inner.len()).is_err() {
                return Err(format!("the rows have {} elements; a list column has fewer than 2³¹", inner.len()));
            }
            let offsets = OffsetBuffer::<i32>::from_lengths(rows.iter().map(ArrayValue::len));
            let field = item(data_type(&array.element)?);
            Arc::new(ListArray::try_new(field, offsets, column(&array.element, &inner)?, None).map_err(misfit)?)
        }
        (TyKind::Vec(element, width), ArrayValue::Values(vectors)) => {
            let lanes = vectors.iter().flat_map(|v| if let Value::Vec(lanes) = v { lanes.clone() } else { Vec::new() });
            let inner = column(element, &gathered(element, lanes))?;
            let width = width.as_const().unwrap_or(0) as i32;
            let made = FixedSizeListArray::try_new(item(data_type(element)?), width, inner, None);
            Arc::new(made.map_err(misfit)?)
        }
        (TyKind::Tuple(types), tuples) => {
            let arrays = parts(types, tuples)?.into_iter().map(|(_, column)| column).collect();
            Arc::new(StructArray::try_new(fields(types)?, arrays, None).map_err(misfit)?)
        }
        (_, ArrayValue::Byte(v)) => Arc::new(Int8Array::from(v.clone())),
        (_, ArrayValue::UByte(v)) => Arc::new(UInt8Array::from(v.clone())),
        (_, ArrayValue::Short(v)) => Arc::new(Int16Array::from(v.clone())),
        (_, ArrayValue::UShort(v)) => Arc::new(UInt16Array::from(v.clone())),
        (_, ArrayValue::UInt(v)) => Arc::new(UInt32Array::from(v.clone())),
        (_, ArrayValue::ULong(v)) => Arc::new(UInt64Array::from(v.clone())),
        (_, ArrayValue::Int(v)) => Arc::new(Int32Array::from(v.clone())),
        (_, ArrayValue::Long(v)) => Arc::new(Int64Array::from(v.clone())),
        (_, ArrayValue::Half(v)) => Arc::new(Float16Array::from(v.clone())),
        (_, ArrayValue::Float(v)) => Arc::new(Float32Array::from(v.clone())),
        (_, ArrayValue::Double(v)) => Arc::new(Float64Array::from(v.clone())),
        (_, ArrayValue::Bool(v)) => Arc::new(BooleanArray::from(v.clone())),
        // An empty array whose element type is not a scalar.
        (_, ArrayValue::Values(_)) => arrow_array::new_empty_array(&data_type(ty)?),
    })
}
