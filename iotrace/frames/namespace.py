"""The namespace ``iotrace`` of polars' expressions and series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from iotrace.frames.distances import reuse_time, stack_distance
from iotrace.frames.key_curve import LRU, KeyCurve, curve

NAME = "iotrace"
POINT = pl.Struct(
    {"size": pl.Int64, "requests": pl.Int64, "request_misses": pl.Int64, "miss_ratio": pl.Float64}
)
"""A row of a curve."""


def register() -> None:
    """Give polars the namespace."""
    if not hasattr(pl.Expr, NAME):
        pl.api.register_expr_namespace(NAME)(KeyExpression)
        pl.api.register_series_namespace(NAME)(KeySeries)


class KeySeries:
    """``series.iotrace``: what the functions of `iotrace.frames` say of a series of keys."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def stack_distance(self) -> pl.Series:
        """Return the distinct keys since each key's last use, itself included; null at its first."""
        return _series(self._series, stack_distance(self._series))

    def reuse_time(self, times: pl.Series | None = None) -> pl.Series:
        """Return the references, or the time, since each key's last use; null at its first."""
        return _series(self._series, reuse_time(self._series, times))

    def miss_ratio_curve(self, sizes: Sequence[int] | None = None, *, policy: str = LRU) -> KeyCurve:
        """Return the curve of the keys; see `iotrace.frames.curve`."""
        return curve(self._series, sizes, policy=policy)


class KeyExpression:
    """``expression.iotrace``: the same over expressions, also of each group with ``over`` and ``group_by``."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def stack_distance(self) -> pl.Expr:
        """Return the distinct keys since each key's last use, itself included; null at its first."""
        return self._expression.map_batches(
            lambda keys: _series(keys, stack_distance(keys)), return_dtype=pl.UInt32
        )

    def reuse_time(self, times: pl.Expr | str | None = None) -> pl.Expr:
        """Return the references since each key's last use, or with times what they differ by; null at its first."""
        if times is None:
            return self._expression.map_batches(
                lambda keys: _series(keys, reuse_time(keys)), return_dtype=pl.Int64
            )
        when = pl.col(times) if isinstance(times, str) else times
        return pl.map_batches(
            [self._expression, when],
            lambda both: _series(both[0], reuse_time(both[0], both[1])),
        )

    def miss_ratio_curve(self, sizes: Sequence[int] | None = None, *, policy: str = LRU) -> pl.Expr:
        """Return the curve as a list of structs with the columns of result key_curve: one list for each group."""

        def listed(keys: pl.Series) -> pl.Series:
            rows = curve(keys, sizes, policy=policy).to_polars()
            return pl.Series(keys.name, [rows.to_struct()], dtype=pl.List(POINT))

        return self._expression.map_batches(listed, return_dtype=pl.List(POINT), returns_scalar=True)


def _series(keys: pl.Series, values: Any) -> pl.Series:
    series = pl.Series(keys.name, values)
    assert isinstance(series, pl.Series)
    return series
