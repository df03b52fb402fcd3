"""The options that say what a disk access costs, which several commands share."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.options.groups import RARE, Group, declared
from iotrace.option.rules import Caches, Kind

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
    typer.Option("--device", help="The disk behind the cache.", show_default="ssd"),
]
OverheadOption = Annotated[
    float | None,
    typer.Option(
        "--overhead",
        rich_help_panel=RARE,
        min=0,
        help="Time of an access without its transfer, in ms.",
        show_default=False,
    ),
]
TransferOption = Annotated[
    float | None,
    typer.Option(
        "--transfer",
        rich_help_panel=RARE,
        min=0,
        help="Time to transfer 1 KB, in ms.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Costs(Group):
    """The costs of an access to the disk behind a cache."""

    device: DeviceOption = declared(None, kind=Kind.SETTING, only_for=Caches.BLOCKS, exempt=[DeviceName.SSD])
    overhead: OverheadOption = declared(None, kind=Kind.SETTING, only_for=Caches.BLOCKS)
    transfer: TransferOption = declared(None, kind=Kind.SETTING, only_for=Caches.BLOCKS)

    def chosen(self) -> "Device":
        """Return the preset's times, except for those given."""
        from iotrace.analysis.curves.device import DEVICES, SSD, Device, named

        preset = SSD if self.device is None else DEVICES[self.device.value]
        overhead = preset.overhead_ms if self.overhead is None else self.overhead
        transfer = preset.transfer_ms_per_kb if self.transfer is None else self.transfer
        return Device(named(overhead, transfer), overhead, transfer)
