"""The fit of the presets: what it may look at, its search, and the prediction of a disk from the others."""

import numpy as np
import pytest

from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.presets import preset
from iotrace.option import options
from iotrace.papers.biswas.fitting import DISKS, SHARED, START, Fit, decoded, encoded, search, without

READS = {"r_wc", "read_service_ms", "write_service_ms", "read_queue_ms", "read_queue_behind_writes_ms"}


@pytest.mark.parametrize("name", DISKS)
def test_only_declared_cells_are_looked_at(name: str) -> None:
    cells = {(row.policy, metric) for row, metric, _ in Fit(preset(name)).cells}
    expected = {("one_threshold", metric) for metric in ("w_wc", "io_stall")}
    expected |= {("no_write_cache", metric) for metric in READS}
    expected |= {("asap_125kb", metric) for metric in {*READS, "w_wc"}}
    if name == "off-day":  # two misprints
        expected -= {("asap_125kb", "read_service_ms"), ("asap_125kb", "write_service_ms")}
    assert cells == expected
    assert len(Fit(preset(name)).cells) == len(expected) + 3 * 2  # four rows of table 4.1


def test_parameters_outlive_the_scale_of_the_search() -> None:
    assert {*START} <= {one.field for one in options(Parameters)}
    for name, value in START.items():
        assert decoded(name, encoded(name, value)) == value
    assert decoded("burst_requests", -5) == 1.0
    fit = Fit(preset("sci-off"))
    assert fit.parameters(fit.start).reread_share == 0.8


class Parabola(Fit):
    """Errors that are linear in the parameters."""

    def __init__(self) -> None:
        super().__init__(preset("off-day"))
        rng = np.random.default_rng(1)
        self.slopes = rng.standard_normal((30, len(START)))
        self.goal = self.start + rng.standard_normal(len(START))

    def residuals(self, point: np.ndarray) -> np.ndarray:
        return self.slopes @ (point - self.goal)


def test_the_search_finds_a_minimum() -> None:
    fit = Parabola()
    assert search(fit) == pytest.approx(fit.goal, abs=0.05)


def test_a_disk_is_predicted_by_the_two_others() -> None:
    predicted, own = without("air-rsv"), preset("air-rsv").parameters
    others = [preset(name).parameters for name in ("off-day", "sci-off")]
    for one in options(Parameters):
        value = getattr(predicted, one.field)
        if one.field in SHARED:
            low, high = sorted(getattr(other, one.field) for other in others)
            assert low <= value <= high
        else:
            assert value == getattr(own, one.field)
