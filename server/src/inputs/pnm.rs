//! PGM and PPM files: the size as text, then numbers as text or bytes. The formats:
//! <https://netpbm.sourceforge.net/doc/pgm.html>, <https://netpbm.sourceforge.net/doc/ppm.html>.

use super::picture::{MAX_NUMBERS, Picture, channels_text};

/// First bytes of files: grey and colours, as text and as bytes.
pub const MAGICS: [&[u8]; 4] = [b"P2", b"P3", b"P5", b"P6"];

/// Decodes a file. An error is a message for the user.
pub fn decode(bytes: &[u8]) -> Result<Picture, String> {
    let (channels, as_text) = match bytes {
        [b'P', b'2', ..] => (1, true),
        [b'P', b'3', ..] => (3, true),
        [b'P', b'5', ..] => (1, false),
        [b'P', b'6', ..] => (3, false),
        _ => return Err("this is not a PGM or PPM file: it does not begin with P2, P3, P5 or P6".to_owned()),
    };
    let mut text = Text { bytes, at: 2 };
    let (width, height, max) = (text.number()?, text.number()?, text.number()?);
    let max = u16::try_from(max).ok().filter(|max| *max > 0);
    let max = max.ok_or("the greatest number of a PGM or PPM file is from 1 to 65535")?;
    let count = width.checked_mul(height).and_then(|n| n.checked_mul(channels)).filter(|n| *n <= MAX_NUMBERS);
    let count = count.ok_or_else(|| format!("the picture of {width} times {height} pixels is too large"))?;
    let data: Vec<u16> = if as_text {
        let number = |_| text.number().map(|n| u16::try_from(n).unwrap_or(u16::MAX));
        (0..count).map(number).collect::<Result<_, _>>()?
    } else {
        // A single white space ends the header.
        let rest = bytes.get(text.at + 1..).unwrap_or_default();
        let size = if max > 255 { 2 } else { 1 };
        let has = rest.len();
        let pixels = rest.get(..count * size).ok_or_else(|| {
            format!("the file is cut short: {width} times {height} pixels need {} bytes, there are {has}", count * size)
        })?;
        text.at += 1 + pixels.len();
        pixels.chunks_exact(size).map(|n| n.iter().fold(0, |all, byte| all << 8 | u16::from(*byte))).collect()
    };
    if let Some(i) = data.iter().position(|n| *n > max) {
        return Err(format!("the number {} at index {i} is greater than {max}, the greatest of the file", data[i]));
    }
    if !bytes.get(text.at..).unwrap_or_default().trim_ascii().is_empty() {
        return Err("something follows the picture; files with one are read".to_owned());
    }
    Ok(Picture { width, height, channels, max, data })
}

struct Text<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Text<'_> {
    /// Reads the next number; `#` starts a comment to the end of the line.
    fn number(&mut self) -> Result<usize, String> {
        loop {
            match self.bytes.get(self.at) {
                Some(b'#') => {
                    let end = self.bytes[self.at..].iter().position(|byte| *byte == b'\n');
                    self.at = end.map_or(self.bytes.len(), |end| self.at + end);
                }
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..digits]).ok().and_then(|digits| digits.parse().ok());
        self.at += digits;
        number.ok_or_else(|| match rest.is_empty() {
            true => "the file is cut short".to_owned(),
            false => format!("a number is expected at offset {}", self.at),
        })
    }
}

/// Encodes a picture with `channels` numbers per pixel: 1 as PGM, 3 as PPM. An error is a message for the user.
pub fn encode(picture: &Picture, channels: usize) -> Result<Vec<u8>, String> {
    if picture.channels != channels {
        let (has, wants) = (channels_text(picture.channels), channels_text(channels));
        let advice = if picture.channels == 3 { "; write `.ppm` or `.png`" } else { "; write `.png`" };
        return Err(format!("the picture has {has}, the file has {wants}{advice}"));
    }
    let magic = if channels == 1 { "P5" } else { "P6" };
    let mut out = format!("{magic}\n{} {}\n{}\n", picture.width, picture.height, picture.max).into_bytes();
    out.extend(picture.data.iter().map(|n| *n as u8));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_text_or_bytes() {
        let picture = Picture { width: 3, height: 2, channels: 1, max: 255, data: vec![0, 1, 2, 35, 10, 255] };
        assert_eq!(decode(b"P2 # grey\n3 2\n# a comment\n255\n0 1 2\n35 10 255\n"), Ok(picture.clone()));
        assert_eq!(decode(b"P5 3 2 255\n\0\x01\x02\x23\x0a\xff"), Ok(picture.clone()));
        assert_eq!(decode(&encode(&picture, 1).expect("grey")), Ok(picture.clone()));
        assert!(encode(&picture, 3).expect_err("grey").ends_with("write `.png`"));
        let colours = Picture { width: 1, height: 1, channels: 3, max: 1000, data: vec![1, 256, 1000] };
        assert_eq!(decode(b"P6\n1 1\n1000\n\0\x01\x01\0\x03\xe8\n"), Ok(colours));
    }

    #[test]
    fn broken_files_are_refused() {
        let why = |bytes: &[u8]| decode(bytes).expect_err("broken");
        assert_eq!(why(b"P5 2 2 255\n\0\0\0"), "the file is cut short: 2 times 2 pixels need 4 bytes, there are 3");
        assert_eq!(why(b"P2 1 1 7 8"), "the number 8 at index 0 is greater than 7, the greatest of the file");
        assert_eq!(why(b"P2 1 1 255"), "the file is cut short");
        assert_eq!(why(b"P2 1 x"), "a number is expected at offset 5");
        assert!(why(b"P5 99999999999 99999999999 255\n").contains("too large"));
        assert!(why(b"P5 1 1 255\n\0P5 1 1 255\n\0").starts_with("something follows"));
    }
}
