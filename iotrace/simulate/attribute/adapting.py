"""Schemes whose subcaches grow and shrink with the workload, compared with fixed ones (Richardson 1994, 6.2.2)."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import queries, units
from iotrace.analysis.curves.passes import references_read
from iotrace.engine import available_cores
from iotrace.errors import UsageError
from iotrace.simulate.adaptive import Adaptation, Split, split_quanta
from iotrace.simulate.attribute.best import Searches, Space, cost_of
from iotrace.simulate.attribute.classes import ClassKey
from iotrace.simulate.attribute.membership import Batch, batches
from iotrace.simulate.attribute.notation import Choice, Configuration, Subcache
from iotrace.simulate.attribute.outcome import MEASURES, outcome, prepare
from iotrace.simulate.attribute.passes import Assigned, PassMemo, engine_columns
from iotrace.simulate.attribute.schemes import Scheme, schemes
from iotrace.simulate.attribute.settings import Objective

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class _Adapting:
    """A total's configuration, and the split as which it begins."""

    total_bytes: int
    assigned: Assigned
    split: Split

    @property
    def space(self) -> Space:
        """The same classes with the same block sizes, of any size."""
        parts = self.assigned.configuration.subcaches
        return tuple(Choice(part.category, (part.block_bytes,)) for part in parts)


@dataclass(frozen=True)
class _Together:
    """Totals of the same classes and block sizes, and their caches."""

    caches: Sequence[_Adapting]
    adaptation: Adaptation


def adapted(
    name: str,
    memo: PassMemo,
    scheme: Scheme,
    totals_bytes: Sequence[int],
    objective: Objective = "reads",
    period_requests: int = 2000,
    progress: Progress | None = None,
) -> pa.Table:
    """Return table attribute_adaptive for one trace: a scheme that adapts, a row for each total.

    At each total the cache begins as the scheme's configuration, and space moves between its subcaches as
    `iotrace.simulate.adaptive` says, by the same measure as the best partition is looked for. It is compared with
    the fixed scheme, the best fixed partition among the same classes and block sizes, and the Unix baseline. Totals
    whose space cannot be moved (a single subcache, or less than one quantum, a multiple of every block, for each) are
    left out. All totals share one reading of the references.

    Raises UsageError for a rule under which files change their class, since blocks would have to follow them.
    """
    if memo.rule.by_request:
        raise UsageError(
            "an adaptive partition needs classes that stay: no --reclassify, no --file-size each"
        )
    baseline = schemes()["unix"].with_cut_off(scheme.cut_off_bytes)
    prepare(memo, [scheme, baseline])
    by_space: dict[Space, list[_Adapting]] = {}
    for total in totals_bytes:
        if adapting := _adapting(memo, scheme, total):
            by_space.setdefault(adapting.space, []).append(adapting)
    groups = [_together(memo, caches, objective, period_requests) for caches in by_space.values()]
    _run(memo, groups, progress)
    rows = []
    for space, group in zip(by_space, groups, strict=True):
        search = Searches(memo, [space], objective, scheme.cut_off_bytes)
        for adapting, (outcomes, moves) in zip(group.caches, group.adaptation.finish(), strict=True):
            rows.append(_row(name, scheme, baseline, adapting, search, outcomes, moves))
    rows.sort(key=lambda row: totals_bytes.index(row["total_bytes"]))
    return queries.result_table("attribute_adaptive", rows)


def _adapting(memo: PassMemo, scheme: Scheme, total_bytes: int) -> _Adapting | None:
    configuration = scheme.at(total_bytes)
    if configuration is None or len(configuration.subcaches) < 2:
        return None
    blocks = [subcache.block_bytes for subcache in configuration.subcaches]
    sizes = [subcache.size_bytes or 0 for subcache in configuration.subcaches]
    try:
        split = split_quanta(total_bytes, blocks, sizes)
    except UsageError:
        return None
    return _Adapting(total_bytes, memo.assigned(configuration, scheme.cut_off_bytes), split)


def _together(
    memo: PassMemo, caches: Sequence[_Adapting], objective: Objective, period_requests: int
) -> _Together:
    blocks = [subcache.block_bytes for subcache in caches[0].assigned.configuration.subcaches]
    splits = [adapting.split for adapting in caches]
    adaptation = Adaptation(
        blocks, splits, objective=objective, period_requests=period_requests, cache=memo.cache
    )
    return _Together(caches, adaptation)


def _run(memo: PassMemo, groups: Sequence[_Together], progress: Progress | None) -> None:
    """Let every cache follow the references, in one reading of them."""
    assigned = [group.caches[0].assigned for group in groups]
    different = dict.fromkeys(assignment.keys for assignment in assigned)
    keys = list(dict.fromkeys(key for of_one in different for key in of_one))
    total, done = memo.store.manifest["tables"]["reference"], 0
    with ThreadPoolExecutor(max_workers=available_cores()) as pool, references_read():
        for batch in batches(memo.store, memo.rule, keys) if groups else ():
            ready = engine_columns(batch)
            streams = {keys: _parted(ready, batch, keys) for keys in different}
            tasks = [
                pool.submit(group.adaptation.push, streams[assignment.keys])
                for group, assignment in zip(groups, assigned, strict=True)
            ]
            for task in tasks:
                task.result()
            done += batch.references.num_rows
            if progress:
                progress(done, max(total, done))


def _parted(ready: pa.RecordBatch, batch: Batch, keys: Sequence[ClassKey]) -> pa.RecordBatch:
    """Return what the engine reads, each request with the number of its subcache, or one beyond all."""
    parts = np.full(len(batch.requests), len(keys), np.int32)
    for number, key in enumerate(keys):
        parts[batch.members[key]] = number
    index = ready.schema.get_field_index("component")
    return ready.set_column(index, "component", pa.array(parts))


def _row(
    name: str,
    scheme: Scheme,
    baseline: Scheme,
    adapting: _Adapting,
    search: Searches,
    outcomes: pa.Table,
    moves: int,
) -> dict[str, Any]:
    configuration, objective = adapting.assigned.configuration, search.objective
    best = search.best(adapting.total_bytes)
    fixed = cost_of(search, configuration)
    cost = sum(sum(outcomes[column].to_pylist()) for column in MEASURES[objective])
    unix = outcome(search.memo, baseline, adapting.total_bytes)
    return {
        "trace": name,
        "total_bytes": adapting.total_bytes,
        "scheme": scheme.label,
        "objective": objective,
        "quantum_bytes": adapting.split.quantum_bytes,
        "first_configuration": _configuration(configuration, outcomes["first_bytes"].to_pylist()),
        "last_configuration": _configuration(configuration, outcomes["last_bytes"].to_pylist()),
        "mean_sizes": ", ".join(
            f"{units.size(size)} {part.category}"
            for size, part in zip(outcomes["mean_bytes"].to_pylist(), configuration.subcaches, strict=False)
        ),
        "moves": moves,
        "cost": cost,
        "baseline_cost": None if unix is None else unix.sum(MEASURES[objective]),
        "scheme_cost": round(fixed),
        "scheme_change_percent": _change(cost, fixed),
        "best_configuration": str(best.configuration),
        "best_cost": round(best.cost),
        "above_best_percent": _change(cost, best.cost),
        "scheme_above_best_percent": _change(fixed, best.cost),
    }


def _change(cost: float, other: float) -> float | None:
    return 100 * (cost / other - 1) if other else None


def _configuration(like: Configuration, sizes_bytes: Sequence[int]) -> str:
    """Write a configuration with other sizes; the sizes' last is that of what no subcache takes."""
    parts = (
        Subcache(size, part.block_bytes, part.category)
        for size, part in zip(sizes_bytes, like.subcaches, strict=False)
    )
    return str(Configuration(tuple(parts)))
