"""Affine expressions: whole-number sums of multiples of names, as bounds and subscripts of loop nests are."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from iotrace.errors import IotraceError

LONGEST = 1000
"""Characters of an expression."""
LARGEST = 1 << 50


@dataclass(frozen=True)
class Affine:
    """A constant and the coefficient of each name."""

    constant: int
    coefficients: Mapping[str, int] = field(default_factory=dict)

    def with_values(self, values: Mapping[str, int]) -> "Affine":
        """Return the expression with the names in ``values`` replaced by whole numbers."""
        known = sum(factor * values[name] for name, factor in self.coefficients.items() if name in values)
        rest = {name: factor for name, factor in self.coefficients.items() if name not in values}
        return Affine(self.constant + known, rest)

    def at(self, values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
        """Return its value for each of ``count`` rows; raises KeyError for a name without values."""
        terms = (factor * values[name] for name, factor in self.coefficients.items())
        return reduce(np.add, terms, np.full(count, self.constant, np.int64))

    def range_over(
        self, low: Mapping[str, np.ndarray], high: Mapping[str, np.ndarray], count: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the least and the largest value over the box of each row, whose bounds are inclusive."""
        least = {name: low[name] if factor > 0 else high[name] for name, factor in self.coefficients.items()}
        most = {name: high[name] if factor > 0 else low[name] for name, factor in self.coefficients.items()}
        return self.at(least, count), self.at(most, count)


def affine(text: object) -> Affine:
    """Read an expression: a whole number, or text such as ``n - 1`` or ``2 * i + j``.

    Raises IotraceError for what is not affine with whole-number coefficients.
    """
    if isinstance(text, int) and not isinstance(text, bool):
        return _bounded(Affine(text), str(text))
    if not isinstance(text, str) or len(text) > LONGEST:
        raise IotraceError(f"{text!r:.40} is not an expression of whole numbers and names")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return _bounded(_of(tree), text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise IotraceError(f"{text!r:.40} is not affine: sums of names times whole numbers are") from None


def _bounded(expression: Affine, text: str) -> Affine:
    if max(abs(expression.constant), *map(abs, expression.coefficients.values()), 0) > LARGEST:
        raise IotraceError(f"{text!r:.40} has a number beyond {LARGEST:,}")
    return expression


def _of(tree: ast.expr) -> Affine:
    match tree:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return Affine(value)
        case ast.Name(id=name):
            return Affine(0, {name: 1})
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _times(_of(inner), -1)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sum(_of(left), _of(right))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _sum(_of(left), _times(_of(right), -1))
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            first, other = _of(left), _of(right)
            if not first.coefficients:
                return _times(other, first.constant)
            if not other.coefficients:
                return _times(first, other.constant)
    raise ValueError


def _sum(first: Affine, other: Affine) -> Affine:
    names = {*first.coefficients, *other.coefficients}
    factors = {name: first.coefficients.get(name, 0) + other.coefficients.get(name, 0) for name in names}
    return Affine(
        first.constant + other.constant, {name: factor for name, factor in factors.items() if factor}
    )


def _times(expression: Affine, factor: int) -> Affine:
    return Affine(
        expression.constant * factor,
        {name: value * factor for name, value in expression.coefficients.items() if value * factor},
    )
