"""A trace simulated with all the settings of the paper's tables, each of them once."""

from collections.abc import Callable

from iotrace.papers.biswas.printed import Experiment, PrintedRow, Table, controller, tables
from iotrace.papers.biswas.subject import Subject
from iotrace.simulate.write_cache.replaying import Fit
from iotrace.simulate.write_cache.runs import Metrics, Runs
from iotrace.simulate.write_cache.settings import Settings


class PaperMemo:
    """Simulations of one subject, made when they are first asked for; `prepare` makes them all, on all cores.

    `fit`, `replay` and `time_scale` are those of `simulate`. Raises IotraceError for a trace that cannot be simulated.
    """

    def __init__(
        self, subject: Subject, fit: Fit = "wrap", replay: str = "open", time_scale: float = 1.0
    ) -> None:
        self.subject = subject
        self.fit = fit
        self.replay = replay
        self.time_scale = time_scale
        self._runs = {
            several: Runs(
                subject.name,
                subject.store,
                devices,
                subject.drive,
                replay,
                time_scale,
                fit,
                settings=controller(),
            )
            for several, devices in ((False, (subject.busiest.device,)), (True, subject.devices))
            if devices is not None
        }

    def prepare(self, progress: Callable[[str], None] = lambda doing: None) -> None:
        """Simulate everything that the tables need."""
        for several, runs in self._runs.items():
            chosen = [table for table in tables() if (table.of == "four disks") == several]
            all_settings = [
                setting for table in chosen for row in table.rows for setting in row.experiment.settings
            ]
            runs.prepare(all_settings, progress)

    def metrics(self, settings: Settings, several: bool = False) -> Metrics:
        """Return what a controller with these settings does to the busiest disk, or to several (section 4.6)."""
        return self._runs[several].metrics(settings)

    def best(self, experiment: Experiment, several: bool = False) -> tuple[Settings, Metrics]:
        """Return the settings of an experiment that count, and their results; the first of equals."""
        runs = [(setting, self.metrics(setting, several)) for setting in experiment.settings]
        if experiment.best is None:
            return runs[0]
        name = experiment.best
        return min(runs, key=lambda run: float("inf") if run[1][name] is None else run[1][name])

    def value(self, table: Table, row: PrintedRow, metric: str) -> float | None:
        """Return our number for a cell; None where the trace has none, or too few disks."""
        if metric in self.subject.described:
            return self.subject.described[metric]
        several = table.of == "four disks"
        if several not in self._runs:
            return None
        number = self.best(row.experiment, several)[1][metric]
        return None if number is None else float(number)

    @property
    def offered_load_percent(self) -> float | None:
        """The offered load without a write cache: above 95 % queues grow with the trace."""
        return self._runs[False].offered_load_percent

    @property
    def refitted(self) -> int:
        """How many requests of the busiest disk had to be brought onto the drive."""
        return self._runs[False].refitted
