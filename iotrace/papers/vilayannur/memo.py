"""Everything that the paper's figures ask for, simulated once each, on all cores."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from iotrace.papers.vilayannur.figures import Point, PublishedFigure, Setting, figures
from iotrace.simulate.cluster.costs import Components

TRACES_OF_THE_PAPER = ("LU", "Cholesky", "Titan", "Mining", "Pgrep", "DB2")

OTHER_NAMES = {"Mining": "dmine"}
"""The name of a trace in an archive."""


def is_called(trace: str, name: str) -> bool:
    """Return whether a trace's name, which may have a folder and endings, has one of the paper's among its words."""
    parts = re.split(r"[^a-z0-9]+", trace.lower())
    return name.lower() in parts or OTHER_NAMES.get(name) in parts


@dataclass(frozen=True)
class Metrics:
    """The result of a simulation; hit ratios in percent, None where nothing was looked up."""

    seconds: float
    local_hits: float | None
    global_hits: float | None


@dataclass(frozen=True)
class Mechanism:
    """Decisions of the run-time scheme on blocks whose requests are known (finding V22)."""

    first_accesses_bypassed: int
    decisions_revisited: int | None
    """None where none was made."""


Simulate = Callable[[Sequence[Setting], Callable[[str], None]], list[Metrics]]
"""Simulates settings on all cores, telling its progress."""


@dataclass
class PaperMemo:
    """The paper's simulations, made when they are first asked for; `prepare` makes them all, on all cores.

    `traces` are the names of those that are given, `imitations` of those among them that are generated.
    """

    components: Components
    simulate: Simulate
    try_mechanism: Callable[[], Mechanism]
    traces: tuple[str, ...] = ()
    imitations: tuple[str, ...] = ()
    global_per_file: bool = False
    figures: tuple[PublishedFigure, ...] = field(default_factory=figures)
    _made: dict[Setting, Metrics] = field(default_factory=dict)
    _mechanism: Mechanism | None = None

    def points(self) -> list[Point]:
        """Return every point of every figure."""
        return [point for figure in self.figures for point in figure.points(self.traces)]

    def prepare(self, progress: Callable[[str], None] = lambda doing: None) -> None:
        """Simulate everything that the figures need."""
        self._make([point.setting for point in self.points()], progress)

    def metrics(self, setting: Setting) -> Metrics:
        """Return the results of a setting."""
        if setting not in self._made:
            self._make([setting], lambda doing: None)
        return self._made[setting]

    @property
    def mechanism(self) -> Mechanism:
        """Decisions of the run-time scheme on single blocks."""
        if self._mechanism is None:
            self._mechanism = self.try_mechanism()
        return self._mechanism

    @property
    def why_no_traces(self) -> str | None:
        """Say why findings about the paper's traces can't be judged; None where they can."""
        if self.imitations:
            return f"{', '.join(self.imitations)}: generated in imitation; only real traces can decide this"
        if len(self.traces) != len(TRACES_OF_THE_PAPER):
            given = len(self.traces) or "none"
            return f"needs the six traces ({', '.join(TRACES_OF_THE_PAPER)}); {given} given"
        for name in TRACES_OF_THE_PAPER:
            if not any(is_called(trace, name) for trace in self.traces):
                return f"needs the six traces ({', '.join(TRACES_OF_THE_PAPER)}); none is called {name}"
        return None

    def _make(self, settings: Iterable[Setting], progress: Callable[[str], None]) -> None:
        missing = [setting for setting in dict.fromkeys(settings) if setting not in self._made]
        self._made.update(zip(missing, self.simulate(missing, progress), strict=True))


def values(memo: PaperMemo, figure: PublishedFigure) -> list[tuple[Point, str, float | None]]:
    """Return the values of a figure: for each point a metric and its value, divided by what the figure says."""
    points = figure.points(memo.traces)
    if figure.metric == "hits":
        return [
            (point, metric, getattr(memo.metrics(point.setting), metric))
            for point in points
            for metric in ("local_hits", "global_hits")
        ]
    base = {
        point.panel: memo.metrics(point.setting).seconds
        for point in points
        if figure.over and all(getattr(point, name) == value for name, value in figure.over.items())
    }
    return [
        (
            point,
            "normalised" if figure.over else "seconds",
            memo.metrics(point.setting).seconds / divisor if divisor else None,
        )
        for point in points
        for divisor in (base.get(point.panel, 1.0),)
    ]
