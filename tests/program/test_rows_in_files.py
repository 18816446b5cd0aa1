"""`.npz` and Arrow files: values of every type in and out, and bad ones."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pytest

SAME = "(lift same (N) ({} (array-type int N)) (lambda (x ys) x))"
ROWS = "(array-type (exists (X) (array-type int X)) N)"
#: Types with a value, its text, and whether its parts are columns of Arrow.
VALUES = [
    ("int", 1, "7", False),
    ("(array-type float N)", 2, "[0.5,1.5]", True),
    ("(array-type (array-type long 2) N)", 2, "[[1,2],[3,4]]", True),
    ("(array-type (vector-type float 4) N)", 1, "[(1,2,3,4)]", True),
    ("(array-type (tuple-type int bool) N)", 2, "[(1,true),(2,false)]", True),
    ("(tuple-type int (array-type double N))", 2, "(1,[0.5,0.25])", False),
    ("(tuple-type (array-type int N) (array-type double N))", 2, "([1,2],[0.5,0.25])", True),
    (ROWS, 3, "[[1],[],[2,3]]", True),
    (ROWS, 0, "[]", True),
    ("(array-type (array-type (exists (X) (array-type int X)) 2) N)", 2, "[[[1],[]],[[2,3],[4]]]", True),
    ("(array-type (exists (X) (array-type (exists (Y) (array-type int Y)) X)) N)", 3, "[[[1,2],[]],[],[[3]]]", True),
    ("(array-type (exists (X) (array-type (tuple-type int float) X)) N)", 2, "[[(1,0.5)],[]]", True),
    ("(array-type (tuple-type int (exists (X) (array-type int X))) N)", 2, "[(1,[2,3]),(4,[])]", True),
    ("(array-type (i) (array-type int (+ i 1)) N)", 2, "[[1],[2,3]]", True),
    ("(exists (X) (array-type (array-type int 3) X))", 1, "[[1,2,3],[4,5,6]]", True),
]


@pytest.mark.parametrize(("type", "count", "value", "columns"), VALUES)
def test_what_is_written_is_read(lift, type, count, value, columns):
    program = lift.file("same.lift", SAME.format(type))
    other = "[" + ",".join("0" * count) + "]"
    shown = lift.succeeds("run", program, value, other, "--device", "interpreter")
    for name in ("a.npz", "a.arrow"):
        write = ("run", program, value, other, "--device", "interpreter", "-o", name)
        if name == "a.arrow" and not columns:
            assert "is not an array, as the columns of an Arrow file are" in lift.fails(*write)
            continue
        lift.succeeds(*write)
        for device in ("interpreter", "opencl"):
            assert lift.succeeds("run", program, name, other, "--device", device) == shown


@pytest.mark.parametrize("device", ["interpreter", "opencl"])
def test_no_rows_have_a_length(lift, device):
    """The shape of an array without rows has their length, in both formats of NumPy."""
    program = lift.file(
        "twice.lift", "(lift twice (M N) ((array-type (array-type int M) N)) (lambda (xss) (map (map (* 2)) xss)))"
    )
    np.save(lift.folder / "none.npy", np.zeros((0, 3), np.int32))
    for name in ("a.npy", "a.npz"):
        lift.succeeds("run", program, "none.npy", "--device", device, "-o", name)
        found = np.load(lift.folder / name)
        assert (found if name == "a.npy" else found["values"]).shape == (0, 3), name
        lift.succeeds("run", program, name, "--device", device, "-o", "b.npy")
        assert np.load(lift.folder / "b.npy").shape == (0, 3), name


def test_other_programs_read_and_write_them(lift):
    program = lift.file("same.lift", SAME.format(ROWS))
    run = ("run", program, "[[1],[],[2,3]]", "[0,0,0]", "--device", "interpreter")
    lift.succeeds(*run, "-o", "a.npz")
    with np.load(lift.folder / "a.npz") as arrays:
        assert {name: array.tolist() for name, array in arrays.items()} == {
            "offsets": [0, 1, 1, 3],
            "values": [1, 2, 3],
        }
    lift.succeeds(*run, "-o", "a.arrow")
    rows = pyarrow.feather.read_table(lift.folder / "a.arrow")
    assert rows.to_pydict() == {"values": [[1], [], [2, 3]]}
    written = {
        "compressed.npz": lambda f: np.savez_compressed(f, offsets=[0, 1, 1, 3], values=np.array([1, 2, 3], np.int32)),
        "large.feather": lambda f: pyarrow.feather.write_feather(
            pa.table({"rows": pa.array([[1], [], [2, 3]], pa.large_list(pa.int32()))}), f, compression="uncompressed"
        ),
        # In the form that pandas writes.
        "packed.feather": lambda f: pyarrow.feather.write_feather(
            pa.table({"rows": pa.array([[1], [], [2, 3]], pa.list_(pa.int32()))}), f
        ),
        "chunks.arrow": lambda f: write_chunks(f, [[[1], []], [[2, 3]]]),
    }
    for name, write in written.items():
        with open(lift.folder / name, "wb") as file:
            write(file)
        assert lift.succeeds("run", program, name, "[0,0,0]", "--device", "interpreter") == "1\n\n2 3\n", name
    np.savez(lift.folder / "one.npz", np.array([1.5, 2.5], np.float32))
    lift.file("floats.lift", SAME.format("(array-type float N)"))
    assert lift.succeeds("run", "floats.lift", "one.npz", "[0,0]", "--device", "interpreter") == "1.5\n2.5\n"


def write_chunks(file, chunks):
    schema = pa.schema([("rows", pa.list_(pa.int32()))])
    with pa.ipc.new_file(file, schema) as written:
        for chunk in chunks:
            written.write_batch(pa.record_batch([pa.array(chunk, pa.list_(pa.int32()))], schema))


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def arrow(table, **options):
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema, **options) as written:
        written.write_table(table)
    return file.getvalue()


INTS = np.array([1, 2, 3], np.int32)
BAD = [
    ("a.npz", npz(values=INTS), "`Array[<∃X, Array[Int,X]>,N]` is expected"),
    ("a.npz", npz(offsets=[0, 4], values=INTS), "4 numbers are needed"),
    ("a.npz", npz(offsets=[0, 2, 1], values=INTS), "not decrease"),
    ("a.npz", npz(offsets=[0, 3], values=INTS.astype(np.int64)), "holds `int64`"),
    ("a.npz", npz(offsets=[0, 3], values=INTS.astype(np.complex64)), "it holds `complex64`"),
    ("a.npz", npz(offsets=[0.0, 3.0], values=INTS), "holds no integers"),
    ("a.npz", npz(offsets=[0, 3], other=INTS), "has no array `values`; it has `offsets`"),
    ("a.npz", npz(offsets=[0, 2**62], values=INTS), "the offsets make more"),
    ("a.npz", npz(other=INTS), "has shape (3,), and the archive has no array `offsets`, which says where rows begin"),
    ("a.npz", npz(lengths=[1, 2], values=INTS), "no array `offsets`"),
    ("a.npz", npz(offsets=[], values=INTS[:0]), "the array `offsets` is empty; it begins with 0"),
    ("a.npz", npz(offsets=[0, 1], values=np.array([None])), "objects of Python: convert them to numbers"),
    ("a.parquet", b"PAR1nothing", "a Parquet file is not read; an Arrow file is"),
    ("a.arrows", b"\xff\xff\xff\xffnothing", "an Arrow stream is not read; an Arrow file is"),
    ("a.npz", b"PK\x03\x04", "the archive cannot be read"),
    ("a.arrow", arrow(pa.table({"x": pa.array([[1], None], pa.list_(pa.int32()))})), "1 value is null; Lift"),
    (
        "a.arrow",
        arrow(pa.table({"x": [[1]]}), options=pa.ipc.IpcWriteOptions(compression="zstd")),
        "compressed by Zstandard; LZ4 is read",
    ),
    ("a.arrow", arrow(pa.table({"x": pa.array([[1]], pa.list_(pa.int64()))})), "a column of the file holds Int64"),
    ("a.arrow", arrow(pa.table({"x": INTS})), "is expected, but a column of the file holds Int32"),
    ("a.arrow", arrow(pa.table({"x": INTS, "y": INTS})), "the file has 2 columns"),
    ("a.arrow", b"ARROW1\0\0nothing", "not an Arrow file that can be read"),
    ("a.arrow", b"", "not an Arrow file that can be read"),
]


@pytest.mark.parametrize(("name", "content", "why"), BAD)
def test_bad_files_are_refused(lift, name, content, why):
    program = lift.file("same.lift", SAME.format(ROWS))
    said = lift.fails("run", program, lift.file(name, content), "[0,0,0]", "--device", "interpreter")
    assert why in said, said


def test_files_that_are_cut_or_changed_are_refused(lift):
    """Truncated or changed files cause no panic and no hang."""
    program = lift.file("same.lift", SAME.format(ROWS))
    files = {
        "a.npz": npz(offsets=[0, 1, 3], values=INTS),
        "a.arrow": arrow(pa.table({"x": pa.array([[1], [2, 3]], pa.list_(pa.int32()))})),
        "packed.arrow": arrow(
            pa.table({"x": pa.array([[1], [2] * 99], pa.list_(pa.int32()))}),
            options=pa.ipc.IpcWriteOptions(compression="lz4"),
        ),
    }
    for name, content in files.items():
        for at in range(0, len(content), max(len(content) // 12, 1)):
            lift.file(name, content[:at])
            lift("run", program, name, "[0,0]", "--device", "interpreter")
            lift.file(name, content[:at] + b"\xff\x7f" + content[at + 2 :])
            lift("run", program, name, "[0,0]", "--device", "interpreter")


def test_all_lines_of_a_table_are_one_array_for_fcl(lift):
    lift.file("table.csv", "1,2,3\n40,50,60\n")
    program = lift.file(
        "sums.fcl",
        'val main =\n  do<grid>\n   { xs <- readIntCSV "table.csv"\n'
        "   ; ys <- concatMap<block> 3 pushM<block> (splitUp 3 (mapPull (addi 1) xs))\n   ; forceAndPrint 6 ys\n   }\n",
    )
    for device in ("opencl", "interpreter"):
        assert lift.succeeds("run", program, "--device", device).strip() == "[2,3,4,41,51,61]"
