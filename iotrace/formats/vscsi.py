"""CloudPhysics' virtual SCSI traces (Waldspurger et al., FAST '15), versions 1 and 2, little-endian records.

Version 1 has 32 bytes: u32 serial number, u32 bytes, u32 scatter-gather entries, u16 command, u16 version (its high
byte is 1), u64 block, u64 microseconds. Version 2 has 40: u16 command, u16 version (2), u32 serial number, u32 bytes,
u32 entries, u64 block, u64 microseconds, u64 response time in microseconds. Commands are SCSI operation codes.
"""

from __future__ import annotations

from iotrace.formats.disk_io.format import block_format
from iotrace.formats.disk_io.records import Records, RecordSource, first_records
from iotrace.libraries import np

READS = (0x08, 0x28, 0xA8, 0x88)
WRITES = (0x0A, 0x2A, 0xAA, 0x8A, 0x2E, 0xAE, 0x8E, 0x41, 0x93)
"""WRITE of 6, 10, 12 and 16 bytes, WRITE AND VERIFY, WRITE SAME."""
SYNCHRONIZE_CACHE = (0x35, 0x91)
UNMAP = 0x42
COMMANDS = {
    **dict.fromkeys(READS, "read"),
    **dict.fromkeys(WRITES, "write"),
    **dict.fromkeys(SYNCHRONIZE_CACHE, "flush"),
    UNMAP: "discard",
}
VERSION_1 = [
    ("serial", "<u4"),
    ("bytes", "<u4"),
    ("entries", "<u4"),
    ("command", "<u2"),
    ("version", "<u2"),
    ("lbn", "<u8"),
    ("time_us", "<u8"),
]
VERSION_2 = [
    ("command", "<u2"),
    ("version", "<u2"),
    ("serial", "<u4"),
    ("bytes", "<u4"),
    ("entries", "<u4"),
    ("lbn", "<u8"),
    ("time_us", "<u8"),
    ("response_us", "<u8"),
]
LOOKED_AT = 16


def layout(head: bytes) -> Records | None:
    """Return the version of the first records, of which most must be reads or writes; None if it is neither."""
    for number, fields in ((1, VERSION_1), (2, VERSION_2)):
        records = first_records(head, fields, LOOKED_AT)
        known = np.isin(records["command"], list(COMMANDS)).sum()
        if len(records) and (records["version"] >> 8 == number).all() and 2 * known >= len(records):
            return Records(fields, f"vscsi{number}")
    return None


FORMAT = block_format(
    name="vscsi",
    description="CloudPhysics virtual SCSI, versions 1 and 2: binary records of 32 or 40 bytes.",
    endings=".vscsi",
    recognises=lambda head: layout(head) is not None,
    source=lambda paths: RecordSource(paths, layout, "vscsi"),
    is_split=True,
)
