"""Programs on a parallel file system, simulated: rows for each of the settings out of several trials."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.errors import IotraceError, UsageError
from iotrace.generate.patterns.settings import Settings as Pattern
from iotrace.simulate.in_parts import threads_of
from iotrace.simulate.parallel_fs import engine, metrics
from iotrace.simulate.parallel_fs.settings import Settings, Trials
from iotrace.simulate.parallel_fs.workloads import Workload, generated_program
from iotrace.workers import Workers

ADVICE = "choose larger blocks (--block), or raise it with --budget BLOCKS"
WINDOWS = 50
Show = Literal["totals", "processes", "windows"]
Progress = Callable[[int, int], None]
"""Called with the runs done and their number in all."""


@dataclass(frozen=True)
class Case:
    """One program on one file system."""

    workload: Workload
    settings: Settings


def run(
    workload: Workload | None,
    all_settings: Sequence[Settings],
    trials: Trials | None = None,
    *,
    show: Show = "totals",
    budget_blocks: int = Budget.PARALLEL,
    threads: int | None = None,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> pa.Table:
    """Return how long a program takes on each file system, and where the time goes.

    The program is the pattern of the settings, or the workload where they have none. Each runs with every seed of
    ``trials``: for the jitter, and for the program where chance makes it (the paper averages five trials). ``totals``
    is a row for each of the settings (result parallel); ``processes`` a row for each process of the first trial
    (parallel_processes), and ``windows`` one for each of `WINDOWS` parts of its time (parallel_windows). Runs are
    spread over ``threads``, by default all processors there are, or over ``workers``. A program whose records touch
    more blocks than ``budget_blocks``, and 64 more for each record, is refused.

    Raises UsageError for invalid values (fewer buffers than processes), IotraceError for a program that cannot
    run.
    """
    cases = _cases(workload, all_settings)
    if not cases:
        raise UsageError("there is nothing to simulate")
    trials = trials or Trials()
    windows = WINDOWS if show == "windows" else 0
    done, total = 0, trials.trials * len(cases)
    runs: list[list[engine.Run]] = [[] for _ in cases]
    for together, first_seed, count in _batches(cases, trials.trials, trials.seed):
        first_workload = cases[together[0]].workload
        settings = [cases[number].settings for number in together]

        def report(here: int, before: int = done) -> None:
            if progress:
                progress(before + here, total)

        records = first_workload.records(first_seed)
        smallest_bytes = min(setting.block_bytes or first_workload.block_bytes for setting in settings)
        BlockBudget(budget_blocks, smallest_bytes, ADVICE).spend(records["length"].drop_null())
        seeds = range(first_seed, first_seed + count)
        try:
            if workers is not None and workers.is_remote:
                results = engine.run_remote(
                    records, first_workload.processes, settings, seeds, windows, workers
                )
                report(count * len(together))
            else:
                count_here = threads or threads_of(workers)
                results = engine.run(
                    records, first_workload.processes, settings, seeds, windows, count_here, report
                )
        except ValueError as error:
            raise IotraceError(f"{first_workload.name}: {error}") from error
        for number, own_runs in zip(together, results, strict=True):
            runs[number] += own_runs
        done += count * len(together)
    return _table(show, cases, runs, trials.seed)


def _cases(workload: Workload | None, all_settings: Sequence[Settings]) -> list[Case]:
    """Return what runs on what; a pattern is one workload, whose program is made once for all settings."""
    workloads: dict[Pattern, Workload] = {}
    cases = []
    for setting in all_settings:
        case_workload = (
            workload
            if setting.pattern is None
            else workloads.setdefault(setting.pattern, generated_program(setting.pattern))
        )
        if case_workload is None:
            raise UsageError("there is no program to run")
        cases.append(
            Case(case_workload, setting.fitting(sum(case_workload.processes), case_workload.block_bytes))
        )
    return cases


def _table(show: Show, cases: Sequence[Case], runs: Sequence[list[engine.Run]], seed: int) -> pa.Table:
    rows: list[dict[str, Any]] = []
    for number, (case, own_runs) in enumerate(zip(cases, runs, strict=True)):
        if show == "totals":
            rows.append(metrics.totals(number, case.workload, case.settings, seed, own_runs))
        elif show == "processes":
            rows += metrics.processes(number, own_runs[0])
        else:
            rows += metrics.windows(number, case.settings, own_runs[0])
    return queries.result_table("parallel" if show == "totals" else f"parallel_{show}", rows)


def lives_s(rows: pa.Table) -> list[float]:
    """Return the time of a process that makes requests, for each row of the result parallel."""
    return [sum(row[name] for name in SPENT) for row in rows.select(SPENT).to_pylist()]


SPENT = ["computing_s", "overhead_s", "waiting_for_reads_s", "waiting_for_buffers_s", "waiting_for_writes_s"]
"""The columns of what a process does in its time."""


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
