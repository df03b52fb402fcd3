r"""Traces of HP Labs' SRT library, version 1.3 (Ruemmler and Wilkes, USENIX Winter '93): a text header, then records.

The header starts with ``$$TR_IOREC`` and ends with a form feed; it gives the size of the disks' sectors. Records are
big-endian 32-bit numbers: size, id (its low half 1 or 4 for a request), seconds and microseconds since the start,
microseconds from there to the start and to the end of the service, bytes, sector, device, driver, cylinder, flags
(bit 0: read), origin, and in later versions the queue's length. Sectors count from the disk's start in every
section, so that the sections of a disk (the low byte of the device) are one device, called by its logical unit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from iotrace.formats.disk_io.format import block_format
from iotrace.formats.disk_io.records import Records, RecordSource, first_records, words
from iotrace.formats.reading.clock import NS_PER_S, NS_PER_US
from iotrace.libraries import np

MAGIC = b"$$TR_IOREC"
FIELDS = (
    "size", "id", "sec", "usec", "start", "stop", "bytes", "sector", "device", "driver", "cylinder", "flags",
    "info",
)  # fmt: skip
NUMBER_BYTES = 4
LONGEST_RECORD = 256
READ, SYNCHRONOUS = 0x1, 0x0100_0000
REQUESTS = (1, 4)
"""SHORTIO and SUSPECTIO."""


def layout(head: bytes) -> Records | None:
    """Read the header; None if there is none, or no single sector size in it."""
    end = head.find(b"\f")
    if not head.startswith(MAGIC) or end < 0:
        return None
    sectors = set(re.findall(rb"sectorsize\s*=\s*([1-9]\d{0,4})\b", head[:end]))
    first = first_records(head[end + 1 :], [("size", ">u4")], 1)
    if len(sectors) != 1 or not len(first):
        return None
    size = int(first["size"][0])
    if size % NUMBER_BYTES or not len(FIELDS) * NUMBER_BYTES <= size <= LONGEST_RECORD:
        return None
    further = size // NUMBER_BYTES - len(FIELDS)
    dtype = [(name, ">u4") for name in (*FIELDS, *(f"further_{n}" for n in range(further)))]
    sector_bytes = int(sectors.pop())

    def requests(records: np.ndarray) -> Mapping[str, Any]:
        return _requests(records, size, sector_bytes)

    return Records(dtype, requests, required=("time_ns", "operation", "blocks"), header_bytes=end + 1)


def _requests(records: np.ndarray, size: int, sector_bytes: int) -> Mapping[str, Any]:
    number = {name: records[name].astype(np.int64) for name in FIELDS}
    is_request = (number["size"] == size) & np.isin(number["id"] & 0xFFFF, REQUESTS)
    units = number["device"] >> 8 & 0xFFFF
    return {
        "time_ns": number["sec"] * NS_PER_S + number["usec"] * NS_PER_US,
        "device": [f"disk {unit}" for unit in units.tolist()],
        "operation": words(number["flags"] & READ, {READ: "read", 0: "write"}),
        "offset_bytes": number["sector"] * sector_bytes,
        "length_bytes": number["bytes"],
        "latency_ns": number["stop"] * NS_PER_US,
        "service_ns": (number["stop"] - number["start"]) * NS_PER_US,
        "flags": words(number["flags"] & SYNCHRONOUS, {SYNCHRONOUS: "synchronous"}),
        "reason": words(is_request, {0: "no request"}),
    }


FORMAT = block_format(
    name="hp-srt",
    description="HP Labs SRT 1.3: a text header, then big-endian records with start and end of service.",
    endings=".srt",
    recognises=lambda head: head.startswith(MAGIC),
    source=lambda paths: RecordSource(paths, layout, "hp-srt"),
    is_split=True,
)
