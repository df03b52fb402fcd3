"""The presets against the table that they were tuned on: what their README says of it stays true."""

import pytest

from iotrace.generate.vms.presets import preset
from iotrace.generate.vms.requests import generate
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate

TABLE_4_1 = {
    "off-day": {80: (41.15, 1.82), 90: (39.25, 1.78), 95: (39.25, 1.77), 99: (43.12, 2.96)},
    "air-rsv": {80: (43.29, 13.44), 90: (41.52, 13.30), 95: (41.19, 13.36), 99: (41.19, 14.23)},
    "sci-off": {80: (53.14, 3.63), 90: (50.82, 3.68), 95: (49.48, 3.65), 99: (49.44, 3.81)},
}
"""By WC-HILIM: W_wc and I/O stalls in percent."""


@pytest.mark.parametrize("name", TABLE_4_1)
def test_whole_traces_come_near_table_4_1(name: str) -> None:
    like = preset(name)
    one_threshold = [Settings(purge="one-threshold", high_percent=high) for high in TABLE_4_1[name]]
    made = simulate(generate(like.load, like.parameters), like.load.disk, one_threshold).to_pylist()
    for row, (w_wc, io_stall) in zip(made, TABLE_4_1[name].values(), strict=True):
        assert row["w_wc"] == pytest.approx(w_wc, rel=0.06)
        assert row["io_stall"] == pytest.approx(io_stall, rel=0.18)
