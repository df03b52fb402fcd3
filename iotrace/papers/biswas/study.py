"""A trace simulated with all the settings of the paper's tables, each of them once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from iotrace.errors import IotraceError
from iotrace.papers.biswas.printed import Experiment, Row, Table, tables
from iotrace.papers.biswas.subject import Subject
from iotrace.simulate.write_cache.requests import Fit, Replay, Requests
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate

RUNS_FOR_EACH_CORE = 2
"""How many controllers are held in memory at once, for each core; the trace is read again for the next ones."""

Metrics = dict[str, Any]
"""A row of result write_cache."""


class Study:
    """Simulations of one subject, made when they are first asked for; `prepare` makes them all, on all cores.

    `fit`, `replay` and `time_scale` are those of `simulate`. Raises IotraceError for a trace that cannot be simulated.
    """

    def __init__(
        self, subject: Subject, fit: Fit = "wrap", replay: Replay = "open", time_scale: float = 1.0
    ) -> None:
        self.subject = subject
        self.fit = fit
        self.replay = replay
        self.time_scale = time_scale
        self._made: dict[tuple[bool, Settings], Metrics] = {}
        self._requests: dict[bool, Requests] = {}

    def prepare(self, progress: Callable[[str], None] = lambda doing: None) -> None:
        """Simulate whatever the tables ask for."""
        wanted = {True: dict[Settings, None](), False: dict[Settings, None]()}
        for table in tables():
            for row in table.rows:
                wanted[table.of == "four disks"].update(dict.fromkeys(row.experiment.settings))
        self.simulate(list(wanted[False]), progress=progress)
        if self.subject.devices is not None:
            self.simulate(list(wanted[True]), several=True, progress=progress)

    def simulate(
        self,
        settings: Sequence[Settings],
        several: bool = False,
        progress: Callable[[str], None] = lambda doing: None,
    ) -> None:
        """Simulate all these settings on all cores, some at a time."""
        step = RUNS_FOR_EACH_CORE * len(os.sched_getaffinity(0))
        for place in range(0, len(settings), step):
            progress(f"{self.subject.name}: simulating, {100 * place // len(settings)} %")
            self._simulate(settings[place : place + step], several)

    def metrics(self, settings: Settings, several: bool = False) -> Metrics:
        """Return what a controller with these settings does to the busiest disk, or to several (section 4.6)."""
        if (several, settings) not in self._made:
            self._simulate([settings], several)
        return self._made[several, settings]

    def best(self, experiment: Experiment, several: bool = False) -> tuple[Settings, Metrics]:
        """Return the settings of an experiment that count, and what came of them; the first of equals."""
        runs = [(one, self.metrics(one, several)) for one in experiment.settings]
        if experiment.best is None:
            return runs[0]
        name = experiment.best
        return min(runs, key=lambda run: float("inf") if run[1][name] is None else run[1][name])

    def value(self, table: Table, row: Row, metric: str) -> float | None:
        """Return our number for a cell; None where the trace has none, or too few disks."""
        if metric in self.subject.described:
            return self.subject.described[metric]
        several = table.of == "four disks"
        if several and self.subject.devices is None:
            return None
        found = self.best(row.experiment, several)[1][metric]
        return None if found is None else float(found)

    @property
    def offered_load_percent(self) -> float | None:
        """The offered load without a write cache: above 95 % queues grow with the trace."""
        found = self.metrics(Settings(write_cache_bytes=0))["offered_load"]
        return None if found is None else float(found)

    @property
    def refitted(self) -> int:
        """How many requests of the busiest disk had to be brought onto the drive."""
        return int(self.metrics(Settings(write_cache_bytes=0))["refitted_requests"])

    def _simulate(self, settings: Sequence[Settings], several: bool) -> None:
        try:
            if several not in self._requests:
                devices = self.subject.devices if several else (self.subject.busiest.device,)
                self._requests[several] = Requests(self.subject.store, devices)
            made = simulate(
                self._requests[several],
                self.subject.drive,
                settings,
                replay=self.replay,
                time_scale=self.time_scale,
                fit=self.fit,
            )
        except IotraceError as error:
            raise type(error)(f"{self.subject.name}: {error}") from None
        self._made.update(((several, one), row) for one, row in zip(settings, made.to_pylist(), strict=True))
