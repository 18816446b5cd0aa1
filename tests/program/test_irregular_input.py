"""Arrays whose rows have lengths of their own, given what does not fit: each is a clear error before anything runs,
from the interpreter, on OpenCL, and from what is emitted."""

import numpy as np
import pytest
from emitted import DOUBLED
from test_emitted_c import build_c

DEVICES = ["interpreter", "opencl"]
# The rows have 3, 2, 1 and 0 elements, and from the fifth on less than none.
SHRINKING = """(lift shrinking (N) ((array-type (i) (array-type int (- 3 i)) N))
  (lambda (rows) (map (map (lambda (x) (* 2 x))) rows)))
"""
# Of 2, 3 and 4 elements.
PIECES = """(lift pieces (N) ((array-type int N))
  (lambda (xs) (map (lambda (piece) (head (reduceSeq 0 + piece))) (partition #3 (lambda (i) (+ i 2)) xs))))
"""
CAST = """(lift cast (N) ((array-type (i) (array-type int (+ i 1)) N))
  (lambda (rows) (map (reduceSeq 0 +) (: rows (array-type (i) (array-type int (min (+ i 1) 2)) N)))))
"""
NEGATIVE = "3-i is not negative for every i below N"
NOT_ALL = "N equals 9"
DOUBLES = ["2", "4", "6", "8", "10", "12"]
OTHER_ROWS = "i+1 equals min(i+1,2) for every i below N"


def packed(lift, n):
    np.save(lift.folder / "packed.npy", np.arange(1, n + 1, dtype=np.int32))
    return "packed.npy"


@pytest.mark.parametrize("device", DEVICES)
class TestRun:
    def test_a_packed_input_of_the_wrong_length(self, lift, device):
        program = lift.file("doubled.lift", DOUBLED)
        assert lift.succeeds("run", program, packed(lift, 6), "--device", device).split() == DOUBLES
        message = lift.fails("run", program, packed(lift, 5), "--device", device)
        assert "`rows` has 5 elements" in message and "N*(N+1)/2" in message, message
        message = lift.fails("run", program, packed(lift, 6), "--size", "N=4", "--device", device)
        assert "`rows` has 6 elements" in message and "is 10" in message, message

    def test_rows_as_text_of_the_wrong_length(self, lift, device):
        program = lift.file("doubled.lift", DOUBLED)
        message = lift.fails("run", program, "[[1],[2,3,4]]", "--device", device)
        assert "3" in message and "2" in message, message

    def test_a_rule_that_is_negative(self, lift, device):
        program = lift.file("shrinking.lift", SHRINKING)
        assert lift.succeeds("run", program, packed(lift, 6), "--size", "N=4", "--device", device).split() == DOUBLES
        message = lift.fails("run", program, packed(lift, 3), "--size", "N=6", "--device", device)
        assert NEGATIVE in message, message

    def test_pieces_that_do_not_add_up(self, lift, device):
        program = lift.file("pieces.lift", PIECES)
        assert lift.succeeds("run", program, packed(lift, 9), "--device", device).split() == ["3", "12", "30"]
        for n in (0, 8, 10):
            assert NOT_ALL in lift.fails("run", program, packed(lift, n), "--device", device)

    def test_a_cast_to_other_rows(self, lift, device):
        program = lift.file("cast.lift", CAST)
        assert lift.succeeds("run", program, packed(lift, 3), "--device", device).split() == ["1", "5"]
        assert OTHER_ROWS in lift.fails("run", program, packed(lift, 6), "--device", device)


# A C program says with N how long its arrays are: there is no other length that could be wrong.


def test_c(lift):
    main = """
  const cl_int rows[] = {1, 2, 3, 4, 5, 6, 7, 8};
  cl_int result[8];
  if (shrinking_run(p, 4, rows, result)) { return 3; }
  printf("%d\\n", (int)result[5]);
  if (shrinking_run(p, 6, rows, result)) { printf("%s\\n", shrinking_error(p)); }
"""
    out = build_c(lift, "shrinking", SHRINKING, main).splitlines()
    assert out[0] == "12" and NEGATIVE in out[1], out
    main = """
  const cl_int xs[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  cl_int result[3];
  if (pieces_run(p, 9, xs, result)) { return 3; }
  printf("%d\\n", (int)result[2]);
  if (pieces_run(p, 8, xs, result)) { printf("%s\\n", pieces_error(p)); }
"""
    out = build_c(lift, "pieces", PIECES, main).splitlines()
    assert out[0] == "30" and NOT_ALL in out[1], out
    main = """
  const cl_int rows[] = {1, 2, 3, 4, 5, 6};
  cl_int result[3];
  if (cast_run(p, 2, rows, result)) { return 3; }
  printf("%d\\n", (int)result[1]);
  if (cast_run(p, 3, rows, result)) { printf("%s\\n", cast_error(p)); }
"""
    out = build_c(lift, "cast", CAST, main).splitlines()
    assert out[0] == "5" and OTHER_ROWS in out[1], out


def test_python(imported):
    doubled = imported("doubled", DOUBLED)
    for wrong in (np.ones(5, np.int32), [[1], [2]], [[1, 2]]):
        with pytest.raises(doubled.LiftError, match="by its type that number is|is needed, not of|does not follow"):
            doubled.doubled(wrong)
    shrinking = imported("shrinking", SHRINKING)
    with pytest.raises(shrinking.LiftError, match=NEGATIVE):
        shrinking.shrinking([[1, 2, 3], [4, 5], [6], [], [], []])
    pieces = imported("pieces", PIECES)
    assert list(pieces.pieces(range(1, 10))) == [3, 12, 30]
    with pytest.raises(pieces.LiftError, match=NOT_ALL):
        pieces.pieces([1, 2, 3])
    cast = imported("cast", CAST)
    with pytest.raises(cast.LiftError, match="min"):
        cast.cast([[1], [2, 3], [4, 5, 6]])
