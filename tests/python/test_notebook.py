"""Cells of Lift in IPython, and pictures."""

import json
from pathlib import Path
from xml.etree import ElementTree

import lift
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from lift import LiftError, Rows


def test_cells_of_a_notebook(capsys):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "lift")
    inc = "(lift inc (N) ((array-type int N)) (lambda (xs) (map (add 1) xs)))"

    def cell(text):
        done = shell.run_cell(text)
        return done.error_in_exec, capsys.readouterr().out

    error, said = cell(f"%%lift\n{inc}")
    assert error.code == "unknown-name" and "cell:1:55" in said and "^^^" in said, said
    assert cell("%%lift\n(define (add a b) (+ a b))") == (None, "")
    error, said = cell(f"%%lift --cost --run\n;;; run: xs=[1,2]\n{inc}")
    assert error is None
    assert "<lift inc : Array[Int,N] -> Array[Int,N]>" in said and "bytes read: 4*N" in said and "2\n3\n" in said
    # A changed definition changes the kernels of other cells.
    assert cell("%%lift\n(define (add a b) (+ (+ a b) 10))")[0] is None
    assert shell.user_ns["inc"]([1, 2]).tolist() == [12, 13]
    # An error in another cell is reported there.
    error, said = cell("%%lift\n;; one argument\n(define (add a) a)")
    assert error.place.startswith("cell of inc:2:") and "--> cell of inc:2:" in said, said
    error, said = cell("%%lift --run\n(lift nothing (N) ((array-type int N)) (lambda (xs) xs))")
    assert "a line `;;; run:` above `nothing`" in said
    for wrong, why in (
        ("--frob", "the options"),
        ("--tune x", "x is not a number of seconds"),
        ("--tune nan", "nan is not a number of seconds"),
        ("--tune", "expected one argument"),
    ):
        error, said = cell(f"%%lift {wrong}\n{inc}")
        assert why in str(error) and "Traceback" not in said
    assert cell("%%lift\n(lift class (N) ((array-type int N)) (lambda (xs) (map (* 2) xs)))")[0] is None
    assert shell.user_ns["_class"]([1, 2]).tolist() == [2, 4]
    error, said = cell('%%lift\n(import "x.lift")')
    assert error.code == "missing-import" and "a cell has no folder" in said


def test_names_of_cells(capsys, monkeypatch):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "lift")
    which = None
    monkeypatch.setattr(shell, "get_parent", lambda: {"metadata": {"cellId": which}}, raising=False)

    def cell(text):
        done = shell.run_cell(f"%%lift\n{text}" if text.startswith((" ", "(", "[", ";")) else text)
        return done.error_in_exec

    same = "(N) ((array-type int N)) (lambda (xs) xs))"
    # Running a form again replaces it, in any layout.
    for form in (f"  (lift one {same}", f"[lift one {same[:-1]}]", f"(lift ; (lift two\n one {same}"):
        assert cell(form) is None
        assert "<lift one :" in capsys.readouterr().out
    assert "needs a name" in str(cell(f" (lift {same}"))
    assert cell(f"(lift a-b {same}") is None and cell(f"(lift a_b {same}") is None
    assert (shell.user_ns["a_b"].name, shell.user_ns["a_b_"].name) == ("a_b", "a-b")
    capsys.readouterr()
    assert cell(f"(lift abs {same}") is None
    assert "hides Python's `abs`" in capsys.readouterr().err
    assert cell("del abs; assert abs(-1) == 1") is None
    # The kernel does not learn that a cell was deleted.
    which = "first"
    assert cell(f"(define (twice x) (* x 2)) (lift two {same}") is None
    # Variables that the notebook deleted or set are left alone.
    assert cell("assert abs(-1) == 1; one = 1") is None
    assert cell(f"(define (thrice x) (* x 3)) (lift two {same}") is None
    assert cell("assert one == 1") is None
    which = "second"
    error = cell(f"(lift two {same}")
    assert error.code == "duplicate-definition" and "`%%lift --replace` forgets that cell" in error.message
    assert cell(f"%%lift --replace\n(lift two {same}") is None
    assert cell(f"(lift two {same}") is None


def test_an_error_of_a_run_is_at_a_line_of_its_cell(capsys):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "lift")
    shell.run_cell(
        "%%lift\n\n(lift picked (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (aref (iota 3) x)) xs)))\n"
        "(lift fours (N) ((array-type int N)) (lambda (xs) (split #4 xs)))"
    )
    # The other cell has since been compiled together with this one.
    shell.run_cell("%%lift\n;; one\n;; two\n(lift other (N) ((array-type int N)) (lambda (xs) xs))")
    capsys.readouterr()
    picked, fours = shell.user_ns["picked"], shell.user_ns["fours"]
    for run in (
        lambda: picked([9]),
        lambda: picked.on("opencl:1")([9]),
        lambda: picked.on("interpreter")([9]),
        lambda: picked.spread([9]).compute(scheduler="sync"),
        lambda: fours([9]),
        lambda: fours.spread([9]),
        lambda: fours.tune([9], seconds=0),
    ):
        with pytest.raises(LiftError) as raised:
            run()
        assert raised.value.place.startswith(("cell of fours, picked:2:", "cell of fours, picked:3:")), raised.value
        assert "source.lift" not in str(raised.value)


def test_a_run_of_a_cell_is_drawn(capsys):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "lift")
    run = ";;; run: xs=iota N=100\n(lift twice (N) ((array-type int N)) (lambda (xs) (map (* 2) xs)))"
    assert shell.run_cell(f"%%lift --run\n{run}").success
    assert "\n38\n…\n<a plot of 1 × 100 numbers>" in capsys.readouterr().out
    wrong = run.replace("xs=iota", "xs=[1.5]")
    done = shell.run_cell(f"%%lift --run\n{wrong}")
    assert done.error_in_exec is not None and "1.5" in capsys.readouterr().out


def test_plots():
    peaks = np.zeros(10_000, np.float32)
    peaks[[77, 5000]] = [-3, 8]
    drawn = lift.plot(peaks)
    assert (min(map(np.min, drawn.low)), max(map(np.max, drawn.high))) == (-3, 8), "no peak is lost"
    pairs = lift.plot(np.array([(1, 2.5), (3, np.nan)], [("f0", "i4"), ("f1", "f4")]))
    assert [curve.tolist()[0] for curve in pairs.high] == [1, 2.5]
    ragged = lift.plot(Rows([0, 2, 2, 3], np.array([1, 3, 5])))
    assert (ragged.rows, ragged.columns) == (3, 2)
    assert np.array_equal(ragged.cells, [[1, 3], [np.nan, np.nan], [5, np.nan]], equal_nan=True)
    for one in (drawn, pairs, ragged, lift.plot([1.0]), lift.plot([[np.nan]])):
        ElementTree.fromstring(one._repr_svg_())
    assert "&lt;b>" in lift.plot([1, 2], "<b>")._repr_svg_().replace("&gt;", ">")
    for wrong in ([], "text", np.zeros((2, 2, 2)), 3, Rows([0], np.zeros(0))):
        with pytest.raises(LiftError, match="can be drawn"):
            lift.plot(wrong)


def test_the_notebook_of_the_examples(examples, capsys, monkeypatch):
    monkeypatch.chdir(examples / "notebooks")
    shell = InteractiveShell.instance()
    notebook = json.loads(Path("first.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            done = shell.run_cell("".join(cell["source"]))
            assert done.success, cell["source"]
    said = capsys.readouterr().out
    assert "<lift above : Array[Float,N] -> Float -> <∃X, Array[Float,X]>>" in said
    assert "245 of 3650 days are above 22 °C" in said
    assert said.count("<a plot of 1 ×") == 2 and said.count("<a picture of 10 ×") == 2
    assert "the type has 2 dimensions; the array has shape (3650,)" in said
    assert "kernel void" in said and " tried; " in said
    assert "10 blocks; <∃X, Array[Float,X]> (nan,)" in said
    assert "the sum of the hot days is 5828.0 a copy; here it is 5828.0" in said
