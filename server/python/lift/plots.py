"""Results as curves and pictures, drawn as SVG for notebooks.

An array of numbers is a curve; an array of tuples, or of vectors, has a curve for each part; rows, also of different
lengths, are a picture. `lift run` reduces results to the resolution of a screen by the same rules.
"""

from __future__ import annotations

import base64
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Union
from xml.sax.saxutils import escape

import numpy as np
from lift_runtime import LiftError, Rows

#: Maximum points of a curve, rows or columns of a picture, and curves of a plot.
POINTS, CELLS, CURVES = 2048, 256, 16
WIDTH, HEIGHT, MARGIN = 640, 240, 56
COLORS = ("#1f77b4", "#d95f02", "#1b9e77", "#7570b3", "#e7298a", "#66a61e", "#a6761d", "#666666")
#: Colours of a picture, from the least number to the greatest.
RAMP = np.array([(13, 8, 80), (126, 3, 167), (204, 71, 120), (248, 149, 64), (240, 249, 33)], np.float64)


@dataclass
class Curves:
    """Curves over the indices of an array: the least and the greatest number of each bucket."""

    length: int
    low: list[np.ndarray]
    high: list[np.ndarray]
    title: str = ""

    def _repr_svg_(self) -> str:
        least, most = _range(np.concatenate([*self.low, *self.high]))
        marks = [self._mark(i, least, most) for i in range(len(self.low))]
        return _svg(self.title, marks, (least, most), self.length - 1)

    def _mark(self, i: int, least: float, most: float) -> str:
        low, high = self.low[i], self.high[i]
        seen = np.isfinite(low)
        x = MARGIN + (np.arange(len(low)) + 0.5) * ((WIDTH - MARGIN - 8) / len(low))
        down = lambda y: 20 + (HEIGHT - 44) * (1 - (y - least) / (most - least))  # noqa: E731
        color = COLORS[i % len(COLORS)]
        if len(low) == 1:
            return f'<circle cx="{x[0]:.1f}" cy="{down(low[0]):.1f}" r="3" fill="{color}"/>' if seen[0] else ""
        upper = zip(x[seen], down(high[seen]))
        lower = zip(x[seen][::-1], down(low[seen])[::-1])
        way = list(upper) if np.array_equal(low[seen], high[seen]) else [*upper, *lower]
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in way)
        fill = "none" if len(way) == seen.sum() else color
        return f'<polyline points="{points}" fill="{fill}" stroke="{color}" stroke-width="1.2"/>'

    def __repr__(self) -> str:
        return f"<a plot of {len(self.low)} × {self.length} numbers>"


@dataclass
class Picture:
    """A matrix as a picture: the mean of each block of elements, NaN where a row has none."""

    rows: int
    columns: int
    cells: np.ndarray
    title: str = ""

    def _repr_svg_(self) -> str:
        least, most = _range(self.cells)
        wide, high = WIDTH - MARGIN - 8, HEIGHT - 44
        image = base64.b64encode(_png(self.cells, least, most)).decode()
        mark = (
            f'<image x="{MARGIN}" y="20" width="{wide}" height="{high}" preserveAspectRatio="none" '
            f'style="image-rendering:pixelated" href="data:image/png;base64,{image}"/>'
        )
        legend = f"colours: {_number(least)} … {_number(most)}"
        return _svg(self.title or legend, [mark], (self.rows - 1, 0), self.columns - 1)

    def __repr__(self) -> str:
        return f"<a picture of {self.rows} × {self.columns} numbers>"


Plot = Union[Curves, Picture]


def plot(value: Any, title: str = "") -> Plot:
    """Plot a result or another array as curves or as a picture."""
    array = None if isinstance(value, Rows) else _array(value)
    if array is None or (array.dtype == object and array.ndim == 1):
        return _rows([_array(row) for row in value], title)
    if array.dtype.names:
        return _curves([array[name] for name in array.dtype.names], title)
    if not (array.dtype.kind in "biuf" and array.ndim in (1, 2)) or array.size == 0:
        shape = f"{array.dtype} of shape {array.shape}"
        raise LiftError("input", f"numbers in one or two dimensions can be drawn, not {shape}")
    return _curves([array], title) if array.ndim == 1 else _rows(list(array), title)


def _array(value: Any) -> np.ndarray:
    """The value as an array; an array of objects if its rows have different lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.zeros(0, object)


def of_report(report: dict[str, Any] | None) -> Plot | None:
    """The plot in a report of `lift run`."""
    if report is None:
        return None
    if report["kind"] == "curves":
        low, high = ([_floats(curve[bound]) for curve in report["curves"]] for bound in ("low", "high"))
        return Curves(report["length"], low, high)
    return Picture(report["rows"], report["columns"], np.stack([_floats(row) for row in report["cells"]]))


def _floats(numbers: list[float | None]) -> np.ndarray:
    return np.array([np.nan if number is None else number for number in numbers], np.float64)


def _curves(parts: list[np.ndarray], title: str) -> Curves:
    if len(parts) > CURVES or any(part.dtype.kind not in "biuf" or part.ndim != 1 for part in parts):
        raise LiftError("input", f"tuples of at most {CURVES} numbers can be drawn")
    length = len(parts[0])
    starts = _starts(length, min(length, POINTS))
    finite = [np.where(np.isfinite(part), part, np.nan) for part in (p.astype(np.float64) for p in parts)]
    low, high = ([by.reduceat(part, starts) for part in finite] for by in (np.fmin, np.fmax))
    return Curves(length, low, high, title)


def _rows(rows: list[np.ndarray], title: str) -> Picture:
    drawn = all(row.ndim == 1 and row.dtype.kind in "biuf" for row in rows)
    columns = max(map(len, rows), default=0) if drawn else 0
    if columns == 0:
        raise LiftError("input", "rows of numbers can be drawn, at least one of which is not empty")
    height, width = min(len(rows), CELLS), min(columns, CELLS)
    sums, counts = np.zeros((height, width)), np.zeros((height, width))
    for i, row in enumerate(rows):
        at = np.arange(len(row)) * width // columns
        seen = np.isfinite(row)
        np.add.at(sums[i * height // len(rows)], at[seen], row[seen])
        np.add.at(counts[i * height // len(rows)], at[seen], 1)
    with np.errstate(invalid="ignore"):
        return Picture(len(rows), columns, sums / counts, title)


def _starts(length: int, buckets: int) -> np.ndarray:
    """The first index of each bucket; the sizes of buckets differ by at most one."""
    return -(-np.arange(buckets) * length // buckets)


def _range(numbers: np.ndarray) -> tuple[float, float]:
    seen = numbers[np.isfinite(numbers)]
    if len(seen) == 0:
        return 0.0, 1.0
    least, most = float(seen.min()), float(seen.max())
    return (least, most) if least < most else (least - 0.5, most + 0.5)


def _png(cells: np.ndarray, least: float, most: float) -> bytes:
    """The cells as a PNG of one pixel each, transparent where a cell is NaN."""
    with np.errstate(invalid="ignore"):
        at = np.nan_to_num((cells - least) / (most - least)) * (len(RAMP) - 1)
    below = np.minimum(at.astype(int), len(RAMP) - 2)
    colors = RAMP[below] + (RAMP[below + 1] - RAMP[below]) * (at - below)[..., None]
    alpha = np.where(np.isfinite(cells), 255, 0)[..., None]
    pixels = np.concatenate([colors, alpha], axis=2).astype(np.uint8)
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", cells.shape[1], cells.shape[0], 8, 6, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(lines)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _number(x: float) -> str:
    return f"{x:.4g}"


def _svg(title: str, marks: list[str], vertical: tuple[float, float], last: int) -> str:
    """A frame with the bounds of both axes around the marks."""
    bottom = HEIGHT - 24
    text = 'font-family="sans-serif" font-size="11" fill="currentColor"'
    words = [
        f'<text x="{MARGIN}" y="14" {text}>{escape(title)}</text>' if title else "",
        f'<text x="{MARGIN - 4}" y="28" text-anchor="end" {text}>{_number(vertical[1])}</text>',
        f'<text x="{MARGIN - 4}" y="{bottom}" text-anchor="end" {text}>{_number(vertical[0])}</text>',
        f'<text x="{MARGIN}" y="{HEIGHT - 8}" {text}>0</text>',
        f'<text x="{WIDTH - 8}" y="{HEIGHT - 8}" text-anchor="end" {text}>{last}</text>',
    ]
    frame = (
        f'<rect x="{MARGIN}" y="20" width="{WIDTH - MARGIN - 8}" height="{HEIGHT - 44}" fill="none" '
        'stroke="currentColor" stroke-opacity="0.3"/>'
    )
    inside = "".join([*marks, frame, *words])
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" viewBox="0 0 {WIDTH} {HEIGHT}">{inside}</svg>'
