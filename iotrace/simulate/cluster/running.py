"""Disciplines on their programs, each simulated once: on the threads of this process, or by remote workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import pyarrow as pa

from iotrace.simulate.cluster.costs import Components, components
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import Outcome, simulate, simulate_all
from iotrace.simulate.cluster.rows import Rows, rows_of
from iotrace.simulate.cluster.settings import Settings
from iotrace.simulate.in_parts import outcomes_of_parts
from iotrace.workers import Workers

Case = tuple[Settings, Discipline, pa.Table]
"""A discipline with its settings, and the program that it runs on (table program)."""
Progress = Callable[[int, int], None]
"""Called with the runs done and their number in all."""


def by_place(cases: Sequence[Case]) -> list[list[Case]]:
    """Return the cases of each machine, which follow one another."""
    return [list(of_place) for _, of_place in groupby(cases, lambda case: case[0].place)]


def programs_of(cases: Sequence[Case], warm: pa.Table | None) -> dict[int, Rows]:
    """Return the programs of cases on one machine as the engine takes them, by `id`.

    What is ``warm`` precedes each of them (`Program.warm`).
    """
    prepared: dict[int, Rows] = {}
    for settings, _, records in cases:
        if id(records) not in prepared:
            prepared[id(records)] = rows_of(records, settings.nodes, warm)
    return prepared


def outcomes_here(
    cases: Sequence[Case], warm: pa.Table | None, threads: int | None, progress: Progress | None
) -> list[Outcome]:
    """Return the outcomes of cases in their order; those on one machine with one program run at the same time."""
    outcomes: list[Outcome] = []
    for of_place in by_place(cases):
        outcome_of: dict[int, Outcome] = {}
        for key, rows in programs_of(of_place, warm).items():
            mine = [number for number, (_, _, records) in enumerate(of_place) if id(records) == key]
            settings = of_place[mine[0]][0]
            finished = simulate_all(
                [of_place[number][:2] for number in mine],
                rows,
                components(settings.costs),
                clock=not settings.count_only,
                threads=threads,
                done=_after(progress, len(outcomes) + len(outcome_of), len(cases)),
            )
            outcome_of.update(zip(mine, finished, strict=True))
        outcomes += [outcome_of[number] for number in range(len(of_place))]
    return outcomes


def _after(progress: Progress | None, before: int, total: int) -> Progress | None:
    return None if progress is None else lambda ended, _: progress(before + ended, total)


Sent = tuple[Settings, Discipline, int, Components]
"""A case as it is sent: its program by number, and its costs, which may be of a file here."""


def remote_outcomes(cases: Sequence[Case], warm: pa.Table | None, workers: Workers) -> list[Outcome]:
    """Return the same, simulated by workers that take some of the cases each."""
    programs = {id(records): records for _, _, records in cases}
    numbers = {key: number for number, key in enumerate(programs)}
    sent = [
        (settings, discipline, numbers[id(records)], components(settings.costs))
        for settings, discipline, records in cases
    ]
    return outcomes_of_parts(workers, _some, sent, shared=(tuple(programs.values()), warm))


def _some(cases: Sequence[Sent], programs: Sequence[pa.Table], warm: pa.Table | None) -> list[Outcome]:
    prepared: dict[tuple[int, int], Rows] = {}
    outcomes = []
    for settings, discipline, number, costs in cases:
        key = (number, settings.nodes)
        if key not in prepared:
            prepared[key] = rows_of(programs[number], settings.nodes, warm)
        outcomes.append(simulate(prepared[key], settings, discipline, costs, clock=not settings.count_only))
    return outcomes
