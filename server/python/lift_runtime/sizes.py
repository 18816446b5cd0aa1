"""Sizes of a plan: a number, a name, or `[operator, operand, …]`, evaluated with exact integers.

Values of names may be NumPy arrays, one number for each row; then the result is an array, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Union

import numpy as np

Size = Union[int, str, list, None]
Values = Mapping[str, Any]


class Unknown(Exception):
    """A name that has no value yet."""


class NoValue(Exception):
    """The size is undefined for these values: a division by zero or with a remainder."""


class NoQuotient(NoValue):
    """The quotient does not exist. Only branches that are not taken use it: assumptions of used sizes were checked."""


def where_used(size: Size, values: Values) -> Any:
    """Evaluates a size that is passed to the device."""
    try:
        return evaluate(size, values)
    except NoQuotient:
        return 0


def evaluate(size: Size, values: Values) -> Any:
    """The value of a size: an integer, or an array of integers."""
    value = _value(size, values)
    if isinstance(value, Fraction):
        raise NoQuotient("a division leaves a remainder")
    return value


def _value(size: Size, values: Values) -> Any:
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        try:
            return values[size]
        except KeyError:
            raise Unknown(size) from None
    if size is None:
        raise NoValue("the size is too large an expression")
    operator = size[0]
    if operator == "sum":
        return _sum(size, values)
    if operator == "if":
        holds = _value(size[1], values) <= _value(size[2], values)
        if isinstance(holds, np.ndarray):
            return np.where(holds, _value(size[3], values), _value(size[4], values))
        # The other branch may be undefined.
        return _value(size[3] if holds else size[4], values)
    operands = [_value(operand, values) for operand in size[1:]]
    value = operands[0]
    if operator == "-" and len(operands) == 1:
        return -value
    for operand in operands[1:]:
        value = _OPERATORS[operator](value, operand)
    return value


def _sum(size: list, values: Values) -> Any:
    _, index, count, body = size
    total: Any = 0
    count = _value(count, values)
    if isinstance(count, np.ndarray):
        return np.array([_sum([None, index, int(n), body], values) for n in count], np.int64)
    if count <= 0:
        return 0
    rows = _value(body, {**values, index: np.arange(count, dtype=np.int64)})
    total = int(np.sum(rows)) if isinstance(rows, np.ndarray) else rows * count
    return total


def _floor(a: Any, b: Any) -> Any:
    if not np.all(np.greater(b, 0)):
        raise NoQuotient("division by zero")
    return a // b


def _remainder(a: Any, b: Any) -> Any:
    if not np.all(np.greater(b, 0)):
        raise NoQuotient("division by zero")
    return a % b


def _exact(a: Any, b: Any) -> Any:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if np.any(np.remainder(a, b)):
            raise NoQuotient("a division leaves a remainder")
        return a // b
    if b == 0:
        raise NoQuotient("division by zero")
    value = Fraction(a) / Fraction(b)
    return value.numerator if value.denominator == 1 else value


def _power(a: Any, b: Any) -> Any:
    if isinstance(b, int) and b > 64 and abs(a) > 1:
        raise NoValue("the size is too large a number")
    return a**b


def _extreme(scalar: Any, elementwise: Any) -> Any:
    def of(a: Any, b: Any) -> Any:
        return elementwise(a, b) if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else scalar(a, b)

    return of


_OPERATORS: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _exact,
    "floor": _floor,
    "mod": _remainder,
    "^": _power,
    "min": _extreme(min, np.minimum),
    "max": _extreme(max, np.maximum),
}


def names(size: Size) -> Iterator[str]:
    """The names in a size, including the indices of its sums."""
    if isinstance(size, str):
        yield size
    elif isinstance(size, list):
        for operand in size[1:]:
            yield from names(operand)


def text(size: Size) -> str:
    """A size in the syntax of the language, for messages."""
    if not isinstance(size, list):
        return "?" if size is None else str(size)
    operator, operands = size[0], [text(operand) for operand in size[1:]]
    bare = [o if not isinstance(s, list) or s[0] in _CALLS else f"({o})" for o, s in zip(operands, size[1:])]
    if operator == "floor":
        return f"floor({bare[0]}/{bare[1]})"
    if operator == "if":
        return f"if({operands[0]}<={operands[1]}, {operands[2]}, {operands[3]})"
    if operator == "sum":
        return f"sum({operands[0]}<{operands[1]}, {operands[2]})"
    if operator in ("min", "max"):
        return f"{operator}({', '.join(operands)})"
    if operator == "-" and len(bare) == 1:
        return f"-{bare[0]}"
    products = [o if isinstance(s, list) and s[0] == "*" else b for o, b, s in zip(operands, bare, size[1:])]
    if operator in ("+", "-"):
        return operator.join(products)
    return (" mod " if operator == "mod" else operator).join(bare)


_CALLS = ("floor", "if", "sum", "min", "max")


def holds(condition: dict[str, Any], values: Values) -> bool:
    """Whether a condition of a plan holds; an undefined one does not."""
    try:
        return _holds(condition, values)
    except NoValue:
        return False


def _holds(condition: dict[str, Any], values: Values) -> bool:
    if "divides" in condition:
        divisor, value = (evaluate(size, values) for size in condition["divides"])
        return divisor > 0 and value % divisor == 0
    if "nonNegative" in condition:
        return evaluate(condition["nonNegative"], values) >= 0
    if "positive" in condition:
        return evaluate(condition["positive"], values) > 0
    if "atMost" in condition:
        less, more = (evaluate(size, values) for size in condition["atMost"])
        return less <= more
    if "equal" in condition:
        left, right = (evaluate(size, values) for size in condition["equal"])
        return left == right
    if "where" in condition:
        inner = condition["where"]
        return not all(_holds(given, values) for given in inner["given"]) or _holds(inner, values)
    every = condition["forAll"]
    count = evaluate(every["count"], values)
    return all(_holds(every, {**values, every["position"]: i}) for i in range(count))


def condition_names(condition: dict[str, Any]) -> Iterator[str]:
    """The names in a condition."""
    for parts in condition.values():
        if isinstance(parts, dict):
            for given in parts.get("given", ()):
                yield from condition_names(given)
            yield from names(parts.get("count", 0))
            yield from condition_names({k: v for k, v in parts.items() if k not in ("position", "count", "given")})
        elif isinstance(parts, list) and parts and isinstance(parts[0], str) and parts[0] in _OPERATORS:
            yield from names(parts)
        elif isinstance(parts, list):
            for part in parts:
                yield from names(part)
        else:
            yield from names(parts)


def solve(size: Size, name: str, wanted: int, values: Values) -> int | None:
    """The unique natural number for `name` that makes a size equal to `wanted`; `None` if there is none or several.

    Uses bisection, because lengths are monotonic in their sizes.
    """

    def at(x: int) -> int | None:
        try:
            return evaluate(size, {**values, name: x})
        except NoValue:
            return None

    low, high = -1, 1
    while _below(size, name, high, wanted, values) and high < 2**62:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if _below(size, name, middle, wanted, values):
            low = middle
        else:
            high = middle
    return high if at(high) == wanted and at(high + 1) != wanted else None


def _below(size: Size, name: str, x: int, wanted: int, values: Values) -> bool:
    try:
        return _value(size, {**values, name: x}) < wanted
    except NoValue:
        return True
