"""Costs of a scheme at a total size: the subcaches' counts at the sizes that the configuration implies."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import queries
from iotrace.simulate.attribute.curves import COUNTS, PLACE, Integers
from iotrace.simulate.attribute.notation import Configuration
from iotrace.simulate.attribute.passes import UNCACHED_BLOCK_BYTES, Assigned, PassMemo
from iotrace.simulate.attribute.schemes import Scheme

UNCACHED = "uncached"
"""The label of requests that no subcache takes."""

MEASURES: dict[str, tuple[str, ...]] = {
    "reads": ("read_request_misses",),
    "writes": ("write_expulsions",),
    "requests": ("read_request_misses", "write_expulsions"),
    "read_time": ("read_service_time_ns",),
    "write_time": ("write_service_time_ns",),
    "time": ("read_service_time_ns", "write_service_time_ns"),
}
"""Measures of disk accesses (5.6), each a sum of counts: requests, and nanoseconds of service time."""


@dataclass(frozen=True)
class Outcome:
    """A configuration with all sizes, and its counts by subcache and type."""

    scheme: Scheme
    total_bytes: int
    configuration: Configuration
    counts: dict[tuple[str, str], Integers]
    """By the subcache's class as the configuration writes it (or `UNCACHED`) and the references' type."""
    without_cache: frozenset[str]
    """Subcaches that have no block and yet requests, and `UNCACHED`."""

    def sum(self, names: Iterable[str]) -> int:
        """Return the sum of some counts over all subcaches and types."""
        places = [PLACE[name] for name in names]
        return sum(int(counts[places].sum()) for counts in self.counts.values())

    def ratio(self, counted: Sequence[str], of: Sequence[str]) -> float | None:
        """Return counts over others; None if there is nothing to divide by."""
        whole = self.sum(of)
        return self.sum(counted) / whole if whole else None

    @property
    def read_request_miss_ratio(self) -> float | None:
        """Read request misses per read request; above 1 where requests larger than a subcache miss repeatedly."""
        return self.ratio(["read_request_misses"], ["read_requests"])

    @property
    def write_expulsion_ratio(self) -> float | None:
        """Blocks written per write request (5.4)."""
        return self.ratio(["write_expulsions"], ["write_requests"])


def outcome(memo: PassMemo, scheme: Scheme, total_bytes: int) -> Outcome | None:
    """Return what a prepared scheme costs at a total; None if it has no configuration there.

    A subcache that is left nothing, or less than one block, is none: its requests are disk requests, and each block
    that they write is a disk write.
    """
    key = scheme.id, scheme.label, scheme.cut_off_bytes, total_bytes
    if key not in memo.outcomes:
        memo.outcomes[key] = _outcome(memo, scheme, total_bytes)
    known: Outcome | None = memo.outcomes[key]
    return known


def _outcome(memo: PassMemo, scheme: Scheme, total_bytes: int) -> Outcome | None:
    configuration = scheme.at(total_bytes)
    if configuration is None:
        return None
    assigned = memo.assigned(configuration, scheme.cut_off_bytes)
    counts: dict[tuple[str, str], Integers] = {}
    without = set()
    for subcache, pass_ in zip(configuration.subcaches, assigned.passes[:-1], strict=True):
        size = subcache.size_bytes or 0
        counts_of = memo.curve(pass_).at(size)
        counts |= {(subcache.category, kind): values for kind, values in counts_of.items()}
        if counts_of and size < subcache.block_bytes:
            without.add(subcache.category)
    for kind, values in memo.curve(assigned.passes[-1]).at(0).items():
        counts[UNCACHED, kind] = values
        without.add(UNCACHED)
    return Outcome(scheme, total_bytes, configuration, counts, frozenset(without))


def prepare(memo: PassMemo, schemes: Iterable[Scheme]) -> None:
    """Make all passes that schemes need, in one reading of the references."""
    memo.prepare(assigned for scheme in schemes for assigned in assigned_rows(memo, scheme))


def assigned_rows(memo: PassMemo, scheme: Scheme) -> list[Assigned]:
    """Return a scheme's configurations with their classes found."""
    return [memo.assigned(row.configuration, scheme.cut_off_bytes) for row in scheme.rows]


def outcome_table(
    memo: PassMemo, schemes: Sequence[Scheme], totals_bytes: Sequence[int], split: bool = False
) -> pa.Table:
    """Return table attribute_cache: a row for each scheme and total that it has a configuration for.

    With `split`, also one for each subcache and one for each type, whose sums the former are.
    """
    prepare(memo, schemes)
    rows: list[dict[str, Any]] = []
    for scheme in schemes:
        for total in totals_bytes:
            if result := outcome(memo, scheme, total):
                rows.extend(_rows(result, split))
    return queries.result_table("attribute_cache", rows)


def _rows(outcome: Outcome, split: bool) -> Iterator[dict[str, Any]]:
    whole = np.sum([*outcome.counts.values(), np.zeros(len(COUNTS), np.int64)], axis=0)
    yield _row(outcome, None, None, whole)
    if not split:
        return
    for index, column in enumerate(("subcache", "type")):
        for name in dict.fromkeys(key[index] for key in outcome.counts):
            mine = np.sum([values for key, values in outcome.counts.items() if key[index] == name], axis=0)
            if column == "subcache":
                yield _row(outcome, name, None, mine)
            else:
                yield _row(outcome, None, name, mine)


def _row(outcome: Outcome, subcache: str | None, kind: str | None, counts: Integers) -> dict[str, Any]:
    value = dict(zip(COUNTS, counts.tolist(), strict=True))
    sizes = {part.category: part for part in outcome.configuration.subcaches}
    mine = sizes.get(subcache or "")
    exact = not any(
        name in outcome.without_cache
        for name, other in outcome.counts
        if subcache in (None, name) and kind in (None, other)
    )
    block = UNCACHED_BLOCK_BYTES if subcache == UNCACHED else mine.block_bytes if mine else None
    return {
        "scheme": outcome.scheme.label,
        "total_bytes": outcome.total_bytes,
        "configuration": str(outcome.configuration),
        "subcache": subcache,
        "type": kind,
        "size_bytes": outcome.total_bytes if subcache is None else mine.size_bytes if mine else 0,
        "block_bytes": block,
        **{name: value[name] for name in COUNTS},
        "read_bytes_exact": value["read_bytes_exact"] if exact else None,
        "write_bytes_exact": value["write_bytes_exact"] if exact else None,
        "read_request_miss_ratio": _over(value["read_request_misses"], value["read_requests"]),
        "write_request_miss_ratio": _over(value["write_request_misses"], value["write_requests"]),
        "write_expulsion_ratio": _over(value["write_expulsions"], value["write_requests"]),
        "disk_requests": value["read_request_misses"] + value["write_expulsions"],
        "service_time_ns": value["read_service_time_ns"] + value["write_service_time_ns"],
    }


def _over(counted: int, of: int) -> float | None:
    return counted / of if of else None
