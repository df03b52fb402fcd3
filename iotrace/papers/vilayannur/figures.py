"""Figures 3 to 13 as data: which simulations each consists of (``data/figures.toml``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from iotrace.papers import data

TRACE = "trace"
"""The workload of figures 12 and 13: the traces given."""
SCHEMES = ("none", "local", "global", "local-global", "coarse", "fine", "runtime")
OF_RUN = ("workload", "parameters", "machine", "along", "places", "schemes")
OF_MACHINE = ("nodes", "iods", "local_blocks", "global_blocks", "segment_blocks")


@dataclass(frozen=True)
class Setting:
    """One simulation: a workload, on a machine, under a scheme of caching."""

    workload: str
    """micro, tomcatv, vpenta, lu, or the name of a trace."""
    parameters: tuple[tuple[str, int], ...]
    nodes: int
    iods: int
    local_blocks: int
    global_blocks: int
    segment_blocks: int
    scheme: str
    threshold: int | None = None


@dataclass(frozen=True)
class Point:
    """A setting with its place in a figure."""

    figure: str
    panel: str
    scheme: str
    place: float | None
    setting: Setting


@dataclass(frozen=True)
class PublishedFigure:
    """A figure of the paper; see ``data/figures.toml``."""

    id: str
    section: str
    title: str
    metric: Literal["seconds", "hits"]
    draw: Literal["bars", "lines"]
    run: tuple[Mapping[str, Any], ...]
    axis: str = ""
    over: Mapping[str, Any] = field(default_factory=dict)
    """The divisor of values: those of a place, or of a scheme."""
    ticks_s: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    """The ticks of a panel's axis of seconds as the paper prints them: first, step, last."""

    def points(self, traces: tuple[str, ...] = ()) -> list[Point]:
        """Return what is simulated; for each of the traces where the figure is of traces."""
        points = []
        for run in self.run:
            for workload in traces if run["workload"] == TRACE else (run["workload"],):
                panel = workload if run["workload"] == TRACE else run["panel"]
                for place in run.get("places", (None,)):
                    for scheme in run["schemes"]:
                        setting = _setting(run, workload, scheme, place)
                        points.append(Point(self.id, panel, scheme, place, setting))
        return points


@cache
def figures() -> tuple[PublishedFigure, ...]:
    """Return the figures in the paper's order; raises ValueError for a scheme or parameter that is none."""
    return data.records(
        (_with_whole_runs(raw) for raw in data.entries("vilayannur", "figures", "figure")), PublishedFigure
    )


def _with_whole_runs(raw: dict[str, Any]) -> dict[str, Any]:
    """Return a figure whose runs each have what the figure says of all of them."""
    common = {name: raw.pop(name) for name in OF_RUN if name in raw}
    return {**raw, "run": [{**common, **run} for run in raw["run"]]}


def _setting(run: Mapping[str, Any], workload: str, scheme: str, place: int | None) -> Setting:
    machine = {"segment_blocks": 4, **run["machine"]}
    parameters = dict(run.get("parameters", {}))
    kind, _, threshold = scheme.partition("-") if scheme.startswith("runtime") else (scheme, "", "")
    chosen = int(threshold) if threshold else None
    along = run.get("along")
    if place is not None:
        if along == "threshold":
            chosen = place
        elif along in OF_MACHINE:
            machine[along] = place
        else:
            parameters[str(along)] = place
    if kind not in SCHEMES or (kind == "runtime") != (chosen is not None) or set(machine) != set(OF_MACHINE):
        raise ValueError(f"no setting: {scheme} on {machine}")
    return Setting(workload, tuple(sorted(parameters.items())), scheme=kind, threshold=chosen, **machine)
