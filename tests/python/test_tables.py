"""Tables of pandas, Polars and Arrow as inputs."""

import lift
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from lift import LiftError


@pytest.fixture(scope="module")
def program():
    return lift.source("""
(lift pairs (N) ((array-type (tuple-type float int) N)) (lambda (ps) (map (lambda (p) (get1 p)) ps)))
(lift columns (N) ((tuple-type (array-type float N) (array-type int N))) (lambda (both) (get1 both)))
(lift within (N) ((array-type (tuple-type (tuple-type float float) int) N))
  (lambda (ps) (map (lambda (p) (get2 (get1 p))) ps)))
(lift matrix (N M) ((array-type (array-type float M) N)) (lambda (xss) xss))
(lift numbers (N) ((array-type float N)) (lambda (xs) xs))
(lift rows (N) ((array-type (exists (X) (array-type int X)) N))
  (lambda (rows) (map (lambda (row) (reduce 0 + row)) rows)))
""")


A, B = np.float32([0.5, 2.5]), np.int32([1, 2])
POLARS = pl.DataFrame({"a": A, "b": B})
ARROW = pa.table({"a": A, "b": B})
TABLES = {
    "pandas": pd.DataFrame({"a": A, "b": B}),
    "Polars": POLARS,
    "structs of Polars": POLARS.to_struct(),
    "Arrow": ARROW,
    "batch of Arrow": ARROW.to_batches()[0],
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_the_columns_of_a_table_are_the_parts_of_tuples(program, table):
    assert program.pairs(table).tolist() == [0.5, 2.5]
    assert program.pairs(table[:0]).tolist() == []
    assert program.columns(table).tolist() == [0.5, 2.5]
    with pytest.raises(LiftError, match="the table has the columns a, b$"):
        lift.source("(lift f (N) ((array-type (tuple-type int int int) N)) (lambda (ps) ps))").f(table)


def test_tables_of_one_type_are_matrices_and_structs_are_nested(program):
    equal = {"a": A, "b": A}
    for table in (pd.DataFrame(equal), pl.DataFrame(equal), pa.table(equal)):
        assert program.matrix(table).tolist() == [[0.5, 0.5], [2.5, 2.5]]
    nested = pl.DataFrame({"p": pl.DataFrame(equal).to_struct(), "i": B})
    assert program.within(nested).tolist() == [0.5, 2.5]
    with pytest.raises(LiftError, match="column `b` of column `p` holds `float64`; `Float` is NumPy's `float32`$"):
        program.within(nested.with_columns(p=pl.struct(pl.lit(A[0]).alias("a"), pl.lit(1.0).alias("b"))))


WIDE = {"a": [0.5, 2.5], "b": [1, 2]}
RECORDS = np.array([(0.5, 1), (2.5, 2)], [("a", "float64"), ("b", "int64")])
WRONG = [
    ("pairs", pd.DataFrame(WIDE), "column `a`"),
    ("pairs", pl.DataFrame(WIDE), "column `a`"),
    ("pairs", pl.DataFrame(WIDE).to_struct(), "column `a`"),
    ("pairs", pa.table(WIDE), "column `a`"),
    ("pairs", pa.table(WIDE).to_struct_array(), "field `a`"),
    ("pairs", RECORDS, "field `a`"),
    ("columns", pd.DataFrame(WIDE), "column `a`"),
    ("matrix", pa.table(WIDE).select(["a"]), "the array"),
    ("matrix", pl.DataFrame(WIDE), "the array"),
    ("numbers", pl.Series([0.5]), "the array"),
    ("numbers", pa.array([0.5]), "the array"),
    ("rows", pl.Series([[1]]), "the array"),
    ("rows", pa.array([[1]]), "the array"),
]


@pytest.mark.parametrize("kernel, value, part", WRONG)
def test_what_a_message_says_to_write_does_it(program, kernel, value, part):
    with pytest.raises(LiftError, match=f"{part} holds `.*`: convert with `.*`$") as raised:
        program[kernel](value)
    advice = raised.value.message.split("convert with ")[1].strip("`")
    names = {"numpy": np, "polars": pl, "pyarrow": pa}
    program[kernel](eval(f"value{advice}", names, {"value": value}))


@pytest.mark.parametrize(
    "value, message",
    [
        (pl.DataFrame({"a": [1, None], "b": [1, 2]}), r"column `a`: 1 value is missing.*fill_null"),
        (pa.table({"a": A, "b": pa.array([1, None], pa.int32())}), "column `b`: 1 value is null"),
        (pd.DataFrame({"a": pd.array([1, None], "Float32"), "b": B}), r"column `a`: 1 value is missing.*fillna"),
        (pd.DataFrame({"a": ["x"], "b": [1]}), "column `a`.*not `'x'`|column `a` holds"),
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), "column `a` holds `float64`; `Float` is NumPy's `float32`$"),
        (pd.DataFrame(), "the table has no columns"),
        (POLARS.lazy(), r"not a `LazyFrame`: `.collect\(\)` makes one"),
        (np.zeros((2, 2), np.float32), "a structured array, a table or a list of tuples"),
    ],
)
def test_what_is_no_array_of_pairs(program, value, message):
    with pytest.raises(LiftError, match=message):
        program.pairs(value)


def test_a_table_is_no_vector(program):
    for table in (pd.DataFrame(WIDE), pl.DataFrame(WIDE), pa.table(WIDE), pd.DataFrame({"a": A})):
        with pytest.raises(LiftError, match=r": the type has 1 dimension; the array has shape \(\d, \d\)$"):
            program.numbers(table)


def test_bytes_are_told_how_they_become_an_array():
    bytes_of = lift.source("(lift f (N) ((array-type ubyte N)) (lambda (xs) xs))").f
    with pytest.raises(LiftError, match=r"`numpy.frombuffer\(…, numpy.uint8\)` makes one"):
        bytes_of(b"abc")
