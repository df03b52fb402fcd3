"""Programs on a parallel file system, simulated: a row for each case out of several trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.parallel_fs import engine, metrics
from iotrace.simulate.parallel_fs.settings import Settings
from iotrace.simulate.parallel_fs.workloads import Workload

ADVICE = "choose larger blocks (--block), or raise it with --budget BLOCKS"
Progress = Callable[[int, int], None]
"""Called with the runs done and their number in all."""


@dataclass(frozen=True)
class Case:
    """One program on one file system."""

    workload: Workload
    settings: Settings
    swept: str | None = None
    """What a sweep set here, in words."""


@dataclass(frozen=True)
class Outcome:
    """What came of the cases: tables of queries/results.toml, each with the case's number."""

    totals: pa.Table
    """Result parallel: a row for each case, means over the trials."""
    processes: pa.Table
    """Result parallel_processes: a row for each process of the first trial of each case."""
    windows: pa.Table
    """Result parallel_windows: a row for each window of the first trial of each case."""


def simulate(
    cases: Case | Sequence[Case],
    *,
    trials: int = 5,
    seed: int = 1,
    windows: int = 0,
    budget_blocks: int = Budget.PARALLEL,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Return how long each program takes on its file system, and where the time goes.

    Each case runs ``trials`` times, with the seeds from ``seed`` on: for the jitter, and for the program where chance
    makes it (the paper averages five trials). Processes, and so many ``windows``, are told of the first trial. Runs are
    spread over ``threads``, by default all processors there are. A program whose records touch more blocks than
    ``budget_blocks``, and 64 more for each record, is refused.

    Raises UsageError for what makes no sense (fewer buffers than processes), IotraceError for a program that cannot
    run.
    """
    given = [cases] if isinstance(cases, Case) else list(cases)
    if not given:
        raise UsageError("there is nothing to simulate")
    for name, value, least, most in (
        ("trials", trials, 1, 1000),
        ("seed", seed, 0, (1 << 63) - 1),
        ("windows", windows, 0, 1_000_000),
    ):
        if not least <= value <= most:
            raise UsageError(f"{name}: {value:,} is not from {least:,} to {most:,}")
    for case in given:
        case.settings.check_processes(sum(case.workload.processes))
    done, total = 0, trials * len(given)
    runs: list[list[engine.Run]] = [[] for _ in given]
    for together, first_seed, count in _batches(given, trials, seed):
        workload = given[together[0]].workload
        settings = [given[number].settings for number in together]

        def tell(here: int, before: int = done) -> None:
            if progress:
                progress(before + here, total)

        records = workload.records(first_seed)
        smallest_bytes = min(one.block_bytes for one in settings)
        BlockBudget(budget_blocks, smallest_bytes, ADVICE).spend(records["length"].drop_null())
        try:
            results = engine.run(
                records,
                workload.processes,
                settings,
                range(first_seed, first_seed + count),
                windows,
                threads,
                tell,
            )
        except ValueError as error:
            raise IotraceError(f"{workload.name}: {error}") from error
        for number, found in zip(together, results, strict=True):
            runs[number] += found
        done += count * len(together)
    return Outcome(
        _table(
            "parallel",
            [
                metrics.totals(n, c.workload, c.settings, seed, r) | {"swept": c.swept}
                for n, c, r in _all(given, runs)
            ],
        ),
        _table(
            "parallel_processes", [row for n, _, r in _all(given, runs) for row in metrics.processes(n, r[0])]
        ),
        _table(
            "parallel_windows",
            [row for n, c, r in _all(given, runs) for row in metrics.windows(n, c.settings, r[0])],
        ),
    )


def _all(cases: Sequence[Case], runs: Sequence[list[engine.Run]]) -> list[tuple[int, Case, list[engine.Run]]]:
    return [(number, case, found) for number, (case, found) in enumerate(zip(cases, runs, strict=True))]


def _batches(cases: Sequence[Case], trials: int, seed: int) -> list[tuple[list[int], int, int]]:
    """Return which cases run one program together, from which seed on, and for how many seeds."""
    of_workload: dict[int, list[int]] = {}
    for number, case in enumerate(cases):
        of_workload.setdefault(id(case.workload), []).append(number)
    batches = []
    for together in of_workload.values():
        if cases[together[0]].workload.is_random:
            batches += [(together, seed + trial, 1) for trial in range(trials)]
        else:
            batches.append((together, seed, trials))
    return batches


def _table(name: str, rows: Sequence[dict[str, Any]]) -> pa.Table:
    schema = queries.table_schema(name)
    return pa.table([pa.array([row[one.name] for row in rows], one.type) for one in schema], schema=schema)
