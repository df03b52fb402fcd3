"""The axes of figure 7, whose ticks survive: bounds on its times that nothing was fitted to."""

from collections.abc import Iterator
from dataclasses import dataclass

from iotrace.papers.vilayannur.memo import PaperMemo


@dataclass(frozen=True)
class Axis:
    """One panel: the ticks of its axis, and the least and the largest time that was simulated.

    An axis that a plotting program chose ends at the first tick that no value exceeds, and begins at the last one that
    none falls below: the largest time lies within the last step, and the least within the first, unless that is at 0.
    """

    name: str
    first_s: float
    step_s: float
    last_s: float
    least_s: float
    largest_s: float

    def ends(self) -> Iterator[tuple[str, float, float, float]]:
        """Yield each end of the axis that bounds a time: its name, the time, the least and the largest it may be."""
        yield f"{self.name}, largest", self.largest_s, self.last_s - self.step_s, self.last_s
        if self.first_s > 0:
            yield f"{self.name}, least", self.least_s, self.first_s, self.first_s + self.step_s


def axes(memo: PaperMemo) -> list[Axis]:
    """Return the axes whose ticks survive, with the times simulated for their panels."""
    ends = []
    for figure in memo.figures:
        for panel, (first, step, last) in figure.ticks_s.items():
            times = [memo.metrics(point.setting).seconds for point in figure.points() if point.panel == panel]
            ends.append(Axis(f"figure {figure.id}, {panel}", first, step, last, min(times), max(times)))
    return ends
