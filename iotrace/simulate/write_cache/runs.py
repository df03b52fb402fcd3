"""Controllers with many settings in front of the same disks, each simulated once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from iotrace.engine import available_cores
from iotrace.errors import IotraceError
from iotrace.simulate.disk import Description
from iotrace.simulate.memo import Memo
from iotrace.simulate.write_cache.replaying import Fit
from iotrace.simulate.write_cache.requests import Requests
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate
from iotrace.store.store import Store

RUNS_FOR_EACH_CORE = 2
"""How many controllers are held in memory at once, for each core; the trace is read again for the next ones."""
DEFAULTS = Settings()

Metrics = dict[str, Any]
"""A row of result write_cache."""


class Runs:
    """Simulations of some devices of a trace; `replay`, `time_scale` and `fit` are those of `simulate`.

    `name` is what messages call the trace; only its first `most_rows` rows are simulated, if given. The offered load is
    that of `settings` without a write cache. Raises IotraceError for a trace that cannot be simulated.
    """

    def __init__(
        self,
        name: str,
        store: Store,
        devices: Sequence[int],
        drive: Description,
        replay: str = "open",
        time_scale: float = 1.0,
        fit: Fit = "wrap",
        most_rows: int | None = None,
        settings: Settings = DEFAULTS,
    ) -> None:
        self._name = name
        self._store = store
        self._devices = devices
        self._drive = drive
        self._replay: str = replay
        self._time_scale = time_scale
        self._fit: Fit = fit
        self._most_rows = most_rows
        self._baseline = replace(settings, write_cache_bytes=0)
        self._requests: Requests | None = None
        self._made = Memo(self._simulated, RUNS_FOR_EACH_CORE * available_cores())

    def prepare(
        self, all_settings: Iterable[Settings], progress: Callable[[str], None] = lambda doing: None
    ) -> None:
        """Simulate all these settings on all cores, some at a time."""
        self._made.prepare(all_settings, progress, f"{self._name}: simulating")

    def metrics(self, settings: Settings) -> Metrics:
        """Return what a controller with these settings does."""
        return self._made[settings]

    @property
    def offered_load_percent(self) -> float | None:
        """The offered load without a write cache: above 95 % queues grow with the trace."""
        percent = self.metrics(self._baseline)["offered_load"]
        return None if percent is None else float(percent)

    @property
    def refitted(self) -> int:
        """How many requests had to be brought onto the drive."""
        return int(self.metrics(self._baseline)["refitted_requests"])

    @property
    def is_cut(self) -> bool:
        """Whether the trace has more rows than were simulated."""
        return self._requests is not None and self._requests.is_cut

    def _simulated(self, settings: Sequence[Settings]) -> list[Metrics]:
        try:
            self._requests = self._requests or Requests(self._store, self._devices, most_rows=self._most_rows)
            results = simulate(
                self._requests,
                self._drive,
                settings,
                replay=self._replay,
                time_scale=self._time_scale,
                fit=self._fit,
            )
        except IotraceError as error:
            raise type(error)(f"{self._name}: {error}") from None
        rows: list[Metrics] = results.to_pylist()
        return rows
