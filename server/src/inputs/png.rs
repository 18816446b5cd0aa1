//! PNG files.

use super::picture::{MAX_NUMBERS, Picture};
use png::{BitDepth, ColorType, Decoder, Encoder, Limits, Transformations};
use std::io::Cursor;

/// First bytes of a file.
pub const MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Decodes a file. An error is a message for the user.
pub fn decode(bytes: &[u8]) -> Result<Picture, String> {
    let bad = |e: &dyn std::fmt::Display| format!("the PNG file cannot be read: {e}");
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: 2 * MAX_NUMBERS });
    // A palette becomes colours, pixels of less than a byte become bytes.
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|e| bad(&e))?;
    let size = reader.output_buffer_size().filter(|size| *size <= 2 * MAX_NUMBERS);
    let mut buffer = vec![0; size.ok_or_else(|| bad(&"it is too large"))?];
    let info = reader.next_frame(&mut buffer).map_err(|e| bad(&e))?;
    buffer.truncate(info.buffer_size());
    let (max, data) = match info.bit_depth {
        BitDepth::Sixteen => {
            (u16::MAX, buffer.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]])).collect())
        }
        _ => (255, buffer.into_iter().map(u16::from).collect()),
    };
    let channels = info.color_type.samples();
    Ok(Picture { width: info.width as usize, height: info.height as usize, channels, max, data })
}

/// Encodes a picture of 8 bits. An error is a message for the user.
pub fn encode(picture: &Picture) -> Result<Vec<u8>, String> {
    let bad = |e: png::EncodingError| format!("a PNG file cannot hold the picture: {e}");
    let side =
        |n: usize| u32::try_from(n).map_err(|_| format!("a PNG file has less than 2³¹ pixels in a row, not {n}"));
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, side(picture.width)?, side(picture.height)?);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(match picture.channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    });
    let bytes: Vec<u8> = picture.data.iter().map(|n| *n as u8).collect();
    let mut writer = encoder.write_header().map_err(bad)?;
    writer.write_image_data(&bytes).map_err(bad)?;
    writer.finish().map_err(bad)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_survive() {
        for channels in 1..=4 {
            let data = (0..6 * channels as u16).map(|n| n * 10).collect();
            let picture = Picture { width: 3, height: 2, channels, max: 255, data };
            assert_eq!(decode(&encode(&picture).expect("it fits")), Ok(picture));
        }
        let none = Picture { width: 0, height: 2, channels: 1, max: 255, data: Vec::new() };
        assert!(encode(&none).expect_err("no pixels").starts_with("a PNG file cannot hold the picture"));
        assert!(decode(MAGIC).expect_err("cut").starts_with("the PNG file cannot be read"));
    }
}
