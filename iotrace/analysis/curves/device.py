"""The cost of an access to a disk: a fixed time and a time for each KB (Richardson 1994, 2.5), for typical devices.

The presets are round numbers of data sheets, for one request at a time:

- nvme: a drive on four lanes of PCIe 3.0, about 12,500 random reads of 4 KB a second and 3.4 GB/s.
- ssd: a drive on SATA 6 Gb/s, 10,000 random reads of 4 KB a second and 540 MB/s (Samsung 850 EVO, 1 TB).
- hdd: a disk of 7,200 rpm, 8.5 ms of seek on average, half a revolution of 4.2 ms, 175 MB/s (Seagate Constellation
  ES.3, 4 TB, outermost zone).
- 1994: the disk of the dissertation, 20 ms and 2 KB/ms.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    """The cost of a disk access: `overhead_ms`, and `transfer_ms_per_kb` for each 1,024 bytes moved."""

    name: str
    overhead_ms: float
    transfer_ms_per_kb: float


NVME = Device("nvme", 0.08, 0.0003)
SSD = Device("ssd", 0.1, 0.0019)
HDD = Device("hdd", 12.7, 0.0059)
DEVICE_1994 = Device("1994", 20.0, 0.5)
DEVICES = {device.name: device for device in (NVME, SSD, HDD, DEVICE_1994)}
"""The presets, fastest first; ssd is the default, and the reproductions of the dissertation take 1994."""


def named(overhead_ms: float, transfer_ms_per_kb: float) -> str:
    """Return what stands next to times of these costs: the preset, such as ``ssd preset``, or ``as given``."""
    for device in DEVICES.values():
        if (device.overhead_ms, device.transfer_ms_per_kb) == (overhead_ms, transfer_ms_per_kb):
            return f"{device.name} preset"
    return "as given"
