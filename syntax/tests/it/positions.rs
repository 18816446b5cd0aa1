//! Lines and columns.

use lift_syntax::{ColumnEncoding, LineIndex, Position, TextSize};

use ColumnEncoding::{Utf8, Utf16, Utf32};

fn at(line: u32, column: u32) -> Position {
    Position { line, column }
}

#[test]
fn columns_count_the_units_of_the_editor() {
    let index = LineIndex::new("λ𝒳x\n");
    for (encoding, column) in [(Utf8, 6), (Utf16, 3), (Utf32, 2)] {
        assert_eq!(index.position(TextSize::new(6), encoding), at(0, column));
        assert_eq!(index.offset(at(0, column), encoding), TextSize::new(6));
    }
}

#[test]
fn every_line_end_of_the_protocol_ends_a_line() {
    let index = LineIndex::new("a\nb\r\nc\rd");
    let lines: Vec<_> = (0..index.line_count()).map(|line| index.line(line)).collect();
    assert_eq!(format!("{lines:?}"), "[0..1, 2..3, 5..6, 7..8]");
    assert_eq!(index.position(TextSize::new(7), Utf16), at(3, 0));
    assert_eq!(index.offset(at(2, 1), Utf16), TextSize::new(6));
}

#[test]
fn what_does_not_exist_is_the_nearest_before() {
    let text = "ab\r\n𝒳c";
    let index = LineIndex::new(text);
    let end = TextSize::of(text);
    assert_eq!(index.offset(at(0, 99), Utf16), TextSize::new(2), "past the end of a line");
    assert_eq!(index.offset(at(0, u32::MAX), Utf16), TextSize::new(2));
    assert_eq!(index.offset(at(9, 0), Utf16), end, "past the last line");
    assert_eq!(index.offset(at(u32::MAX, u32::MAX), Utf8), end);
    assert_eq!(index.offset(at(1, 1), Utf16), TextSize::new(4), "inside of a surrogate pair");
    assert_eq!(index.offset(at(1, 3), Utf8), TextSize::new(4), "inside of a character");
    assert_eq!(index.position(TextSize::new(3), Utf16), at(0, 2), "between \\r and \\n");
    assert_eq!(index.position(TextSize::new(6), Utf16), at(1, 0));
    assert_eq!(index.position(TextSize::new(99), Utf16), at(1, 3));
}

#[test]
fn ranges_may_be_given_backwards() {
    let index = LineIndex::new("ab\ncd");
    let range = index.range(at(1, 1), at(0, 1), Utf16);
    assert_eq!(format!("{range:?}"), "1..4");
    assert_eq!(index.positions(range, Utf16), (at(0, 1), at(1, 1)));
}

#[test]
fn an_empty_text_has_one_line() {
    let index = LineIndex::new("");
    assert_eq!(index.line_count(), 1);
    assert_eq!(index.offset(at(0, 0), Utf16), TextSize::new(0));
    assert_eq!(LineIndex::new("a\n").line_count(), 2);
}
