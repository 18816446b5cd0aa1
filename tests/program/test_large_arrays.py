"""Arrays of more elements than an `int` counts, stored nowhere: views of small ones."""

PARTS = """
(lift parts (N) ((array-type int N))
  (lambda (xs)
    (take #4 (drop #5
      (map (lambda (row) (head (drop #999999999 row)))
        (split #1000000000 (join (fill #4000000000 xs))))))))
"""
AT = "(lift at (N) ((array-type int N) int) (lambda (xs y) (aref (join (fill #1000000000 xs)) y)))"
ENDS = """
(lift ends (N) ((array-type int N))
  (lambda (xs)
    (let all (join (fill #1000000000 xs))
      (map id (take #3 (drop #(- (* 1000000000 N) 3) all))))))
"""


def test_an_index_is_computed_in_long_where_it_may_be_large(lift):
    # Row i of a thousand million begins at i·10⁹; 4 divides that, so each row ends with the last of four.
    lift.file("parts.lift", PARTS)
    assert lift.succeeds("run", "parts.lift", "[5,6,7,8]", "--device", "opencl").split() == ["8"] * 4
    # Of seven numbers it is number (i·10⁹ + 999999999) mod 7, and rows 5 to 8 are printed.
    numbers = [10, 11, 12, 13, 14, 15, 16]
    expected = [str(numbers[(i * 10**9 + 999999999) % 7]) for i in range(5, 9)]
    assert lift.succeeds("run", "parts.lift", str(numbers), "--device", "opencl").split() == expected


def test_a_length_beyond_int_is_refused_where_an_index_is_compared_with_it(lift):
    lift.file("at.lift", AT)
    assert lift.succeeds("run", "at.lift", "[5,6]", "1999999999", "--device", "opencl").split() == ["6"]
    said = lift.fails("run", "at.lift", "[5,6,7,8]", "7", "--device", "opencl")
    assert "the size 1000000000*N is 4000000000 here" in said


def test_the_end_of_a_large_view(lift):
    lift.file("ends.lift", ENDS)
    assert lift.succeeds("run", "ends.lift", "[5,6,7,8]", "--device", "opencl").split() == ["6", "7", "8"]
