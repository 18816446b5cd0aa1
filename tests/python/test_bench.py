"""The benchmarks of the module run, and their results are NumPy's."""

import importlib
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench"


@pytest.mark.parametrize("script", ["in_python", "on_gpu"])
def test_a_benchmark_prints_a_row(script, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(BENCH))
    bench = importlib.import_module(script)
    monkeypatch.setattr(sys, "argv", [script, "sum", "--small", "--runs", "1"])
    assert bench.main() == 0
    heads, _, row = capsys.readouterr().out.splitlines()
    assert row.startswith("| sum |") and row.count("|") == heads.count("|")
