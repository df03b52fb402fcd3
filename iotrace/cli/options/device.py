"""The options that say what a disk access costs, which several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from iotrace.analysis.curves.device import Device


class DeviceName(StrEnum):
    """A preset of `iotrace.analysis.curves.device`."""

    NVME = "nvme"
    SSD = "ssd"
    HDD = "hdd"
    DEVICE_1994 = "1994"


HELP = """
[b]Devices[/b] (--device): ms for each access, ms for each KB; data-sheet figures

 nvme   0.08   0.0003   PCIe 3.0: 12,500 random 4-KB reads/s, 3.4 GB/s
 ssd    0.1    0.0019   SATA: 10,000 random 4-KB reads/s, 540 MB/s; the default
 hdd    12.7   0.0059   7,200 rpm: seek 8.5 ms, half a turn 4.2 ms, 175 MB/s
 1994   20     0.5      Richardson 1994, section 2.5; used by iotrace paper
"""

DeviceOption = Annotated[
    DeviceName | None,
    typer.Option("--device", help="The disk behind the cache, for disk times.", show_default="ssd"),
]
OverheadOption = Annotated[
    float | None,
    typer.Option(
        "--overhead",
        min=0,
        help="A disk access without its transfer, in ms, instead of the device's.",
        show_default=False,
    ),
]
TransferOption = Annotated[
    float | None,
    typer.Option(
        "--transfer", min=0, help="The disk's ms for 1 KB, instead of the device's.", show_default=False
    ),
]


def chosen(device: DeviceName | None, overhead_ms: float | None, transfer_ms_per_kb: float | None) -> Device:
    """Return what an access costs: the preset's times, but for those given."""
    from iotrace.analysis.curves.device import DEVICES, SSD, Device, named

    preset = SSD if device is None else DEVICES[device.value]
    overhead = preset.overhead_ms if overhead_ms is None else overhead_ms
    transfer = preset.transfer_ms_per_kb if transfer_ms_per_kb is None else transfer_ms_per_kb
    return Device(named(overhead, transfer), overhead, transfer)
