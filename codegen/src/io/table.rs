//! Values as tables of cells, as in CSV files. This module gets cells; the file format is its caller's.
//!
//! | type | table |
//! |---|---|
//! | a scalar, a tuple or a vector of scalars | one row |
//! | an array of scalars | one column, or one row |
//! | an array of tuples or of vectors | a row per element |
//! | a tuple of arrays of scalars | a column per array, all of one length |
//! | an array of arrays | a row per row |

use super::text::Form;
use super::{InputError, Result, counted, opened, print, scalar};
use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Scalar;
use lift_analysis::ty::{Ty, TyKind};
use std::io;

/// Collects the rows of a table as a value. The first row is a header if no cell of it is a number or a truth value.
pub struct TableReader<'t> {
    ty: &'t Ty,
    form: Form,
    /// Whether the components of the type are columns, which are collected as rows of tuples.
    columns: bool,
    header: Option<Header>,
    /// Line and number of cells of the first row that is not empty.
    first: Option<(usize, usize)>,
    /// Elements at rank 0 and 1, rows at rank 2.
    elements: ArrayValue,
    /// Empty rows before anything else.
    blank: usize,
}

struct Header {
    line: usize,
    names: Vec<String>,
}

impl<'t> TableReader<'t> {
    pub fn new(ty: &'t Ty) -> Result<TableReader<'t>> {
        let columns = columns_of(ty);
        let form = match &columns {
            Some(scalars) => Some(Form::of_rows(scalars.clone())),
            None => Form::of(ty),
        };
        let form = form.filter(|form| form.rank <= 2).ok_or_else(|| {
            InputError::new(format!("a value of type `{ty}` is not a table, which is rows of numbers"))
        })?;
        let elements = none(&form);
        Ok(TableReader { ty, form, columns: columns.is_some(), header: None, first: None, elements, blank: 0 })
    }

    /// Takes the cells of a line, without white space around them. An empty line has no cells.
    pub fn row(&mut self, line: usize, mut cells: &[&str]) -> Result<()> {
        if self.form.ragged {
            // Spreadsheets pad short rows.
            while let [rest @ .., ""] = cells {
                cells = rest;
            }
        }
        if matches!(cells, [] | [""]) {
            match self.form.ragged && self.form.rank == 2 {
                true => scalar::push(&mut self.elements, Value::Array(self.form.empty())),
                false => self.blank += 1,
            }
            return Ok(());
        }
        if let Some(cell) = cells.iter().find(|cell| is_several(cell)) {
            let cell = scalar::shortened(cell);
            return Err(InputError::new(format!("line {line}: `{cell}` is not one number: commas separate the cells")));
        }
        if self.first.is_none() && self.header.is_none() && is_header(cells) {
            self.elements = none(&self.form);
            self.header = Some(Header { line, names: cells.iter().map(|cell| (*cell).to_owned()).collect() });
            return Ok(());
        }
        self.check_length(line, cells.len())?;
        self.first.get_or_insert((line, cells.len()));
        let mut row = match self.form.rank {
            2 => self.form.empty(),
            _ => std::mem::replace(&mut self.elements, ArrayValue::Values(Vec::new())),
        };
        let wanted = self.form.scalars();
        for (group, cells) in cells.chunks(wanted.len()).enumerate() {
            let value = |(i, cell): (usize, &&str)| self.cell(line, group * wanted.len() + i, cell, wanted[i]);
            let parts = cells.iter().enumerate().map(value).collect::<Result<Vec<_>>>()?;
            self.form.push_element(&mut row, parts);
        }
        match self.form.rank {
            2 => scalar::push(&mut self.elements, Value::Array(row)),
            _ => self.elements = row,
        }
        Ok(())
    }

    fn check_length(&self, line: usize, cells: usize) -> Result<()> {
        let width = self.form.columns();
        let wrong = |why: String| Err(InputError::new(format!("line {line} has {}; {why}", counted(cells, "cell"))));
        let one_element = self.form.rank == 0 || (self.form.rank == 1 && width > 1);
        if one_element && cells != width {
            let whole = self.ty;
            return wrong(format!("`{whole}` has {}", counted(width, "column")));
        }
        if !cells.is_multiple_of(width) {
            return wrong(format!("an element of `{}` has {width}", self.ty));
        }
        if self.form.ragged {
            return Ok(());
        }
        if let Some((before, has)) = self.first {
            if has != cells {
                return wrong(format!("line {before} has {has}"));
            }
            if self.form.rank == 0 {
                return wrong(format!("one `{}` is expected, and line {before} has it", self.ty));
            }
            if self.form.rank == 1 && width == 1 && cells > 1 {
                return wrong(format!("`{}` is one column or one row", self.ty));
            }
        } else if let Some(header) = &self.header
            && header.names.len() != cells
        {
            return wrong(format!("the header in line {} has {}", header.line, header.names.len()));
        }
        Ok(())
    }

    fn cell(&self, line: usize, column: usize, cell: &str, wanted: Scalar) -> Result<Value> {
        let why = match cell {
            "" => "the cell is empty".to_owned(),
            cell => match scalar::parse(wanted, cell) {
                Ok(value) => return Ok(value),
                Err(why) => why,
            },
        };
        let name = self.header.as_ref().and_then(|header| header.names.get(column));
        let name = name.map_or(String::new(), |name| format!(" (`{}`)", scalar::shortened(name)));
        Err(InputError::new(format!("line {line}, column {}{name}: {why}", column + 1)))
    }

    pub fn finish(mut self) -> Result<Value> {
        if self.form.rank == 2 && self.first.is_none() && !self.form.ragged {
            // Rows of length 0.
            (0..self.blank).for_each(|_| scalar::push(&mut self.elements, Value::Array(self.form.empty())));
        }
        if self.columns {
            let scalars = self.form.scalars();
            let mut columns: Vec<ArrayValue> = scalars.iter().map(|s| scalar::empty(*s)).collect();
            for i in 0..self.elements.len() {
                let Some(Value::Tuple(parts)) = self.elements.get(i) else { continue };
                columns.iter_mut().zip(parts).for_each(|(column, part)| scalar::push(column, part));
            }
            return Ok(Value::Tuple(columns.into_iter().map(Value::Array).collect()));
        }
        if self.form.rank > 0 {
            return Ok(Value::Array(self.elements));
        }
        self.elements
            .get(0)
            .ok_or_else(|| InputError::new(format!("one `{}` is expected, but there is no row", self.ty)))
    }
}

fn none(form: &Form) -> ArrayValue {
    if form.rank == 2 { ArrayValue::Values(Vec::new()) } else { form.empty() }
}

/// Whether a cell is numbers that another character than the comma separates.
fn is_several(cell: &str) -> bool {
    [';', '\t', '|'].iter().any(|separator| {
        cell.contains(*separator) && cell.split(*separator).all(|part| part.trim().parse::<f64>().is_ok())
    })
}

/// The element types of a tuple of arrays of scalars.
fn columns_of(ty: &Ty) -> Option<Vec<Scalar>> {
    let TyKind::Tuple(parts) = opened(ty).kind() else { return None };
    let column = |ty: &Ty| match opened(ty).kind() {
        TyKind::Array(array) => array.element.as_scalar(),
        _ => None,
    };
    parts.iter().map(column).collect::<Option<Vec<_>>>().filter(|columns| !columns.is_empty())
}

fn is_header(cells: &[&str]) -> bool {
    let is_value = |cell: &str| scalar::parse(Scalar::Double, cell).is_ok() || matches!(cell, "true" | "false");
    !cells.iter().any(|cell| is_value(cell)) && cells.iter().any(|cell| !cell.is_empty())
}

/// Writes a value of type `ty` as lines of cells with commas between them. Numbers need no quotes.
pub fn write(out: &mut dyn io::Write, ty: &Ty, value: &Value) -> io::Result<Result<()>> {
    let refused = |why: String| Ok(Err(InputError::new(why)));
    let rows;
    let value = match (columns_of(ty), value) {
        (Some(_), Value::Tuple(parts)) => {
            let columns: Vec<&ArrayValue> = parts.iter().filter_map(Value::as_array).collect();
            let length = columns.first().map_or(0, |column| column.len());
            if let Some(other) = columns.iter().find(|column| column.len() != length) {
                return refused(format!(
                    "the columns of a table are equally long; these have {length} and {} elements",
                    other.len()
                ));
            }
            let row = |i| Value::Tuple(columns.iter().filter_map(|column| column.get(i)).collect());
            rows = Value::rows((0..length).map(row));
            &rows
        }
        _ if Form::of(ty).is_some_and(|form| form.rank <= 2) => value,
        _ => return refused(format!("a value of type `{ty}` is not a table, which is rows of numbers")),
    };
    print::write_separated(out, value, ',').map(Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::param;
    use lift_analysis::size::Size;
    use lift_analysis::ty::bound;

    fn array(element: Ty) -> Ty {
        Ty::array(element, Size::var(param(0, "N")))
    }

    fn hidden(element: Ty) -> Ty {
        let x = bound(0, "X");
        Ty::exists(vec![x.clone()], Ty::array(element, Size::var(x)))
    }

    fn read(ty: &Ty, text: &str) -> std::result::Result<String, String> {
        let mut reader = TableReader::new(ty).map_err(|e| e.message)?;
        for (i, line) in text.split('|').enumerate() {
            let cells: Vec<&str> = line.split(',').map(str::trim).collect();
            reader.row(i + 1, &cells).map_err(|e| e.message)?;
        }
        let value = reader.finish().map_err(|e| e.message)?;
        let mut out = Vec::new();
        write(&mut out, ty, &value).expect("memory").expect("a table");
        Ok(format!("{value} = {}", String::from_utf8_lossy(&out).replace('\n', "|")))
    }

    #[test]
    fn tables_are_values_of_many_types() {
        let ok = |ty: &Ty, text: &str| read(ty, text).expect("a table");
        let pair = Ty::tuple(vec![Ty::int(), Ty::scalar(Scalar::Float)]);
        assert_eq!(ok(&Ty::int(), "n|3"), "3 = 3|");
        assert_eq!(ok(&pair, "3, 0.5"), "(3, 0.5) = 3,0.5|");
        assert_eq!(ok(&array(Ty::int()), "1|2"), "[1, 2] = 1|2|");
        assert_eq!(ok(&array(Ty::int()), "1,2"), "[1, 2] = 1|2|");
        assert_eq!(ok(&array(pair.clone()), "a,b||1,2|3,4"), "[(1, 2.0), (3, 4.0)] = 1,2.0|3,4.0|");
        assert_eq!(
            ok(&Ty::tuple(vec![array(Ty::int()), array(Ty::scalar(Scalar::Bool))]), "a,b|1,true|3,0"),
            "([1, 3], [true, false]) = 1,true|3,false|"
        );
        assert_eq!(ok(&array(array(Ty::int())), "1,2|3,4"), "[[1, 2], [3, 4]] = 1,2|3,4|");
        assert_eq!(ok(&array(array(Ty::int())), "|"), "[[], []] = ||");
        assert_eq!(
            ok(&array(array(pair)), "1,2,3,4|5,6,7,8"),
            "[[(1, 2.0), (3, 4.0)], [(5, 6.0), (7, 8.0)]] = 1,2.0,3,4.0|5,6.0,7,8.0|"
        );
        assert_eq!(ok(&array(hidden(Ty::int())), "1,2,||3,,"), "[[1, 2], [], [3]] = 1,2||3|");
    }

    #[test]
    fn what_is_wrong_has_a_line_and_a_column() {
        let why = |ty: &Ty, text: &str| read(ty, text).expect_err("no such table");
        let matrix = array(array(Ty::int()));
        assert_eq!(why(&matrix, "a,b|1,2|3,x"), "line 3, column 2 (`b`): `x` is not an Int");
        assert_eq!(why(&Ty::int(), "1;2"), "line 1: `1;2` is not one number: commas separate the cells");
        assert_eq!(why(&matrix, "a,b|1,5;2,5"), "line 2: `5;2` is not one number: commas separate the cells");
        assert_eq!(why(&matrix, "1\t2.5"), "line 1: `1\t2.5` is not one number: commas separate the cells");
        assert_eq!(why(&matrix, "1,2|,4"), "line 2, column 1: the cell is empty");
        assert_eq!(why(&matrix, "1,2|3"), "line 2 has 1 cell; line 1 has 2");
        assert_eq!(why(&matrix, "a,b,c|1,2"), "line 2 has 2 cells; the header in line 1 has 3");
        assert_eq!(why(&array(Ty::int()), "1,2|3,4"), "line 2 has 2 cells; `Array[Int,N]` is one column or one row");
        assert_eq!(why(&Ty::int(), "1|2"), "line 2 has 1 cell; one `Int` is expected, and line 1 has it");
        assert_eq!(why(&Ty::int(), "n"), "one `Int` is expected, but there is no row");
        assert_eq!(
            why(&array(Ty::tuple(vec![Ty::int(), Ty::int()])), "1,2,3"),
            "line 1 has 3 cells; `Array[(Int, Int),N]` has 2 columns"
        );
        assert!(why(&array(matrix), "1").contains("is not a table"));
    }
}
