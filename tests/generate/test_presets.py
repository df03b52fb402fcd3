"""The presets' README: each cell that it shows of table 4.1, and some others, is what is simulated."""

import re
from importlib.resources import files

import pyarrow.compute as pc
import pytest

from iotrace.generate.vms.presets import preset
from iotrace.generate.vms.requests import generate
from iotrace.papers.biswas.printed import controller
from iotrace.simulate.write_cache.simulation import simulate

DISKS = ("off-day", "air-rsv", "sci-off")
HIGH_PERCENT = (80, 90, 95, 99)
ROWS = {
    **{
        f"4.1 ‡ | {high}": controller(purge="one-threshold", low_percent=high, high_percent=high)
        for high in HIGH_PERCENT
    },
    **{f"4.2 | {high}/40": controller(high_percent=high) for high in HIGH_PERCENT},
    "4.4 ‡ | no write cache": controller(write_cache_bytes=0),
    "4.4 | purge": controller(unit="cylinder"),
    "A3 | full piggyback": controller(piggyback="full"),
}
"""Rows of the README, and how they are simulated."""
METRICS = {
    "W_wc %": "w_wc",
    "R_wc %": "r_wc",
    "I/O stalls %": "io_stall",
    "read service ms": "read_service_ms",
    "read queue ms": "read_queue_ms",
}


def shown(text: str, row: str, quantity: str, disk: str) -> float | None:
    """Return what the README shows as made in a cell."""
    found = re.search(rf"^\| {re.escape(row)}, {re.escape(quantity)} \| (.*) \|$", text, re.MULTILINE)
    return float(found[1].split(" | ")[DISKS.index(disk)].split(" / ")[1]) if found else None


@pytest.mark.parametrize("name", DISKS)
def test_the_readme_shows_what_is_simulated(name: str) -> None:
    text = files("iotrace.generate.vms").joinpath("presets", "README.md").read_text(encoding="utf-8")
    like = preset(name)
    trace = generate(like.load, like.parameters)
    since_first = pc.subtract(trace["time_ns"], trace["time_ns"][0])  # as a store counts
    trace = trace.set_column(trace.schema.get_field_index("time_ns"), "time_ns", since_first)
    compared = 0
    for (row, _), result in zip(
        ROWS.items(), simulate(trace, like.load.disk, list(ROWS.values())).to_pylist(), strict=True
    ):
        for quantity, metric in METRICS.items():
            made = shown(text, row, quantity, name)
            if made is not None:
                compared += 1
                assert f"{result[metric]:.2f}" == f"{made:.2f}", (row, quantity)
    assert compared == 2 * 4 + 2 * 4 + 3 + 4 + 4
