"""The miss-ratio curve of keys, as notebooks and data frames take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries, units
from iotrace.analysis.curves.keys import curve_of_keys
from iotrace.analysis.curves.policies import POLICIES, compare_policies
from iotrace.errors import UsageError
from iotrace.frames.keys import numbers_of
from iotrace.frames.pictures import miss_ratios

if TYPE_CHECKING:
    import plotly.graph_objects as go
    import polars as pl

LRU = "lru"
STEPS = 4
"""Sizes for each doubling of caches that are simulated size by size."""
SHARES = (0.5, 0.9, 0.99)


@dataclass(frozen=True)
class KeyCurve:
    """How many references miss, by the size of the cache.

    ``table`` has the columns of result key_curve: size (objects), requests, request_misses and miss_ratio. For LRU it
    has a row for each size at which the misses change, from one object on, unless sizes were chosen.
    """

    table: pa.Table
    policy: str = LRU

    @property
    def requests(self) -> int:
        """All references."""
        return int(self.table["requests"][0].as_py())

    def miss_ratio(self, size: int) -> float:
        """Return the miss ratio of a cache of ``size`` objects: that of the largest size of the table up to it.

        Raises UsageError for a size below the smallest one.
        """
        sizes = self.table["size"].to_numpy()
        index = int(np.searchsorted(sizes, size, "right")) - 1
        if index < 0:
            raise UsageError(f"the curve begins at {units.count(int(sizes[0]))} objects, {size} is less")
        return float(self.table["miss_ratio"][index].as_py())

    def size_for(self, share: float = 0.9) -> int | None:
        """Return the smallest size of the table with this share of the hits that the largest has; None without hits."""
        hits = pc.subtract(self.table["requests"], self.table["request_misses"]).to_numpy()
        most = int(hits.max(initial=0))
        if not most:
            return None
        return int(self.table["size"][int(np.argmax(hits >= share * most))].as_py())

    def to_arrow(self) -> pa.Table:
        """Return it as a table of Arrow."""
        return self.table

    def to_polars(self) -> pl.DataFrame:
        """Return it as a data frame of polars."""
        import polars as pl

        frame = pl.from_arrow(self.table)
        assert isinstance(frame, pl.DataFrame)
        return frame

    def to_pandas(self) -> Any:
        """Return it as a data frame of pandas, which must be installed."""
        return self.table.to_pandas()

    def to_relation(self, connection: Any = None) -> Any:
        """Return it as a relation of DuckDB, on a connection or the usual one."""
        import duckdb

        return (connection or duckdb).from_arrow(self.table)

    def figure(self) -> go.Figure:
        """Return its picture as a figure of Plotly."""
        return compare({self.policy.upper(): self})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Give the table through Arrow's C interface."""
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"<KeyCurve: {self.sentence()}>"

    def sentence(self) -> str:
        """Return which sizes matter, in a sentence."""
        ratio = float(self.table["miss_ratio"][-1].as_py()) if len(self) else 1.0
        sizes_by_share = [(share, self.size_for(share)) for share in SHARES]
        if len(self) == 0 or sizes_by_share[0][1] is None:
            return f"{self.policy}, no hits at any size"
        sizes = ", ".join(
            f"{100 * share:g} % of the hits at {units.count(size)}" for share, size in sizes_by_share if size
        )
        largest = int(self.table["size"][-1].as_py())
        return (
            f"{self.policy}, {units.count(self.requests)} requests: {sizes} objects; "
            f"{100 * ratio:.1f} % miss at {units.count(largest)}"
        )

    def _repr_html_(self) -> str:
        html: str = self.figure()._repr_html_()
        return html

    def _repr_mimebundle_(self, *arguments: Any, **named: Any) -> Any:
        return self.figure()._repr_mimebundle_(*arguments, **named)


def compare(curves: Mapping[str, KeyCurve]) -> go.Figure:
    """Return a figure of Plotly of several curves by their names."""
    return miss_ratios({name: curve.table for name, curve in curves.items()})


def curve(
    keys: Any, sizes: Sequence[int] | None = None, *, policy: str = LRU, key: str | None = None
) -> KeyCurve:
    """Return the exact miss-ratio curve of a cache of objects over keys, each the read of one object.

    ``keys`` is as in `iotrace.frames.keys.numbers_of`; of several columns, ``key`` names theirs.

    ``sizes`` are numbers of objects; unless given, LRU has a row for each size at which its misses change, and other
    policies one for each fourth of a doubling. ``policy`` is one of `iotrace.analysis.curves.POLICIES`. Raises
    UsageError for sizes below 1 and unknown policies, and else as `numbers_of`.
    """
    if policy not in POLICIES:
        raise UsageError(f"there is no policy {policy}; there are {', '.join(POLICIES)}")
    distinct_sizes = None if sizes is None else sorted({int(size) for size in sizes})
    if distinct_sizes is not None and (not distinct_sizes or distinct_sizes[0] < 1):
        raise UsageError("a cache has at least 1 object")
    counted = (
        _of_lru(numbers_of(keys, key), distinct_sizes)
        if policy == LRU
        else _of_policy(numbers_of(keys, key), distinct_sizes, policy)
    )
    requests, misses = counted["requests"], counted["request_misses"]
    ratio = pc.divide(misses.cast(pa.float64()), requests.cast(pa.float64()))
    columns = [counted["size"], requests, misses, ratio]
    return KeyCurve(pa.table(columns, schema=queries.table_schema("key_curve")), policy)


def _of_lru(keys: Iterator[pa.Array], sizes: list[int] | None) -> pa.Table:
    rows = curve_of_keys(keys, sizes_blocks=sizes)
    rows = rows.rename_columns(["size", "requests", "request_misses"])
    # of no keys there is nothing to say
    return rows if rows.num_rows and rows["requests"][0].as_py() else rows.slice(0, 0)


def _of_policy(keys: Iterator[pa.Array], sizes: list[int] | None, policy: str) -> pa.Table:
    """Return the same of caches that are simulated size by size: each key is a block of a file."""
    parts = list(keys)
    every = np.concatenate([part.to_numpy() for part in parts]) if parts else np.zeros(0, np.uint64)
    distinct, numbers = np.unique(every, return_inverse=True)
    if sizes is None:
        doublings = max(len(distinct) - 1, 0).bit_length()
        sizes = sorted({round(2 ** (step / STEPS)) for step in range(STEPS * doublings + 1)})
    count = len(every)
    references = pa.table(
        {
            "file": pa.array(np.zeros(count, np.int32)),
            "operation": pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), ["read"]),
            "offset": pa.array(numbers.astype(np.int64)),
            "length": pa.array(np.ones(count, np.int64)),
        }
    )
    rows = compare_policies(references, policies=[policy], sizes_bytes=sizes, block_bytes=1)
    return pa.table(
        {
            "size": rows["size_blocks"],
            "requests": rows["block_references"],
            "request_misses": rows["block_misses"],
        }
    ).slice(0, rows.num_rows if count else 0)
