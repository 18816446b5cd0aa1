//! NumPy's `.npz` files: archives of `.npy` files, which can hold values of every type (`docs/running.md`).

use super::npy;
use lift_analysis::ty::Ty;
use lift_codegen::io::bind::Argument;
use lift_codegen::io::cast::Casts;
use lift_codegen::io::columns::{Arrays, arrays_from_value, value_from_arrays};
use lift_codegen::value::Value;
use std::io::{self, Cursor, Read, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Largest array that is unpacked, in bytes.
const MAX_UNPACKED: u64 = 1 << 34;

/// First bytes of a file.
pub const MAGIC: &[u8] = b"PK\x03\x04";

/// Reads a file as a value of type `ty`, with the shape of its array if it has just one. An error is a message for the user.
pub fn read(file: impl Read + Seek, ty: &Ty, casts: Casts) -> Result<Argument, String> {
    let broken = |e: &dyn std::fmt::Display| format!("the archive cannot be read: {e}");
    let mut archive = ZipArchive::new(file).map_err(|e| broken(&e))?;
    let single = archive.len() == 1;
    let mut arrays = Arrays::new();
    for i in 0..archive.len() {
        let entry = archive.by_index(i).map_err(|e| broken(&e))?;
        let Some(name) = entry.name().strip_suffix(".npy").map(str::to_owned) else { continue };
        // The name of a single array is ignored.
        let name = if single { "values".to_owned() } else { name };
        let mut bytes = Vec::new();
        entry.take(MAX_UNPACKED).read_to_end(&mut bytes).map_err(|e| broken(&e))?;
        let size = bytes.len() as u64;
        let array = npy::array(&mut Cursor::new(bytes), size, &npy::any_scalar);
        arrays.insert(name.clone(), array.map_err(|e| format!("the array `{name}`: {e}"))?);
    }
    let value = value_from_arrays(ty, &arrays, casts).map_err(|e| e.message)?;
    let mut shapes = arrays.into_values().map(|array| array.dims);
    // Without rows, only the shape says how long they would be.
    let dims = shapes.next().filter(|_| shapes.next().is_none()).unwrap_or_default();
    Ok(Argument::Value { value, dims })
}

/// Encodes a value of type `ty` as a file. An error is a message for the user.
pub fn write(value: &Value, ty: &Ty) -> Result<Vec<u8>, String> {
    let arrays = arrays_from_value(ty, value).map_err(|e| e.message)?;
    pack(&arrays).map_err(|e| e.to_string())
}

fn pack(arrays: &Arrays) -> io::Result<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    // Uncompressed like NumPy's `savez`, so that readers can map the file.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    for (name, array) in arrays {
        writer.start_file(format!("{name}.npy"), options)?;
        writer.write_all(&npy::encode(array)?)?;
    }
    Ok(writer.finish()?.into_inner())
}
