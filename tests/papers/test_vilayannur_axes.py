"""The axes of figure 7, and the workload in which thresholds of the run-time scheme act."""

from collections.abc import Callable, Sequence

import pytest

from iotrace.papers.vilayannur.axes import Axis, axes
from iotrace.papers.vilayannur.figures import Setting, figures
from iotrace.papers.vilayannur.memo import Mechanism, Metrics, PaperMemo
from iotrace.papers.vilayannur.simulating import GRID, READINGS, Simulation
from iotrace.simulate.cluster import costs


def test_ticks_are_those_of_the_paper() -> None:
    (ticks,) = (figure.ticks_s for figure in figures() if figure.ticks_s)
    spelt_out = {panel: list(range(first, last + 1, step)) for panel, (first, step, last) in ticks.items()}
    assert spelt_out == {
        "20 MB": [0, 50, 100, 150, 200, 250, 300],
        "200 MB": [20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220],
    }


def test_the_least_and_largest_times_of_a_panel_are_compared_with_its_axis() -> None:
    def simulate(settings: Sequence[Setting], progress: Callable[[str], None]) -> list[Metrics]:
        times = {"none": 30.0, "fine": 210.0}
        return [Metrics(times.get(one.scheme, 100.0), None, None) for one in settings]

    small, large = axes(PaperMemo(costs.components(), simulate, lambda: Mechanism(0, 0)))
    assert (small.least_s, small.largest_s) == (30.0, 210.0)
    assert list(small.ends()) == [("figure 7, 20 MB, largest", 210.0, 250, 300)]
    assert [end[0] for end in large.ends()] == ["figure 7, 200 MB, largest", "figure 7, 200 MB, least"]
    assert list(Axis("a", 20, 20, 220, 25, 230).ends())[1] == ("a, least", 25, 20, 40)


def test_readings_combine_requests_periods_and_iterations() -> None:
    found = {(one.tile_columns, one.flusher_period_ns, one.iterations) for one in GRID}
    assert len(found) == len(GRID) == 2 * 3 * 2
    names = [one.name for one in (*READINGS, *GRID)]
    assert len(set(names)) == len(names)
    setting = next(point.setting for figure in figures() if figure.id == "5" for point in figure.points())
    assert dict(GRID[-1].of(setting).parameters) | {"n": 0} == {"iterations": 4, "n": 0, "tile_columns": 8}


def test_thresholds_act_in_the_lu_like_nest() -> None:
    """Each of them decides otherwise than the one before, from 1 to 50; in tomcatv none above 20 does."""
    (figure,) = (one for one in figures() if one.id == "9a-lu")
    simulation = Simulation(costs.components(), {})
    points = [point for point in figure.points() if point.place in (3, 10, 20, 35)]
    times = [one.seconds for one in simulation.run([point.setting for point in points], lambda doing: None)]
    assert len(set(times)) == len(times)
    assert times[0] == pytest.approx(max(times)) and times[0] > 1.2 * min(times)
