"""CHARISMA's traces (Nieuwejaar, Kotz et al.; iPSC/860 and CM-5) as text: our own layout of the published record types.

``time_us,type,app,client,file,offset,length,mode``, perhaps after a line ``# iotrace charisma 1``. Of the binary
layout only the types and flags are known, so that it cannot be read. Types are named or numbered as in
charisma-format.h. A process is a client of an application. ``mode`` of RW is read or write; of opens it is the
flags READ 1, RW 2, WRITE 4, CREATE 8, TRUNC 16, as a number or as names joined by |. An RW without an offset is where
the file pointer stands. TRUNCATE's new length is in offset.
"""

import re
from collections.abc import Mapping
from typing import Any

from iotrace.formats.parallel_io.accesses import LineSource, nanoseconds, skipped, whole
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.reading.clock import NS_PER_US

MAGIC = "# iotrace charisma 1"
COLUMNS = ("time_us", "type", "app", "client", "file", "offset", "length", "mode")
TYPES = (
    "HEADER", "APP_LOAD", "APP_EXIT", "CLIENT_JOIN", "APP_CLIENT_LEAVE", "APP_OPEN", "CLIENT_OPEN",
    "APP_CLOSE", "CLIENT_CLOSE", "RW", "EXTEND", "TRUNCATE", "LINK", "UNLINK", "ASYNCH_END", "FCNTL",
)  # fmt: skip
OPERATION_OF = {"CLIENT_OPEN": "open", "CLIENT_CLOSE": "close", "TRUNCATE": "truncate", "UNLINK": "delete"}
DIRECTIONS = {"read": "read", "r": "read", "write": "write", "w": "write"}
CREATE, TRUNC = 0x08, 0x10


class CharismaSource(LineSource):
    """Lines of records."""

    required = ("process", "operation", "time_ns", "file")

    def call(self, line: str) -> Mapping[str, Any] | None:
        """Return a record's call."""
        if not line.strip() or line.startswith(("#", f"{COLUMNS[0]},")):
            return None
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != len(COLUMNS):
            return skipped("no record of eight fields")
        row = dict(zip(COLUMNS, fields, strict=True))
        number = whole(row["type"])
        kind = TYPES[number] if number is not None and 0 <= number < len(TYPES) else row["type"].upper()
        if kind not in TYPES:
            return skipped("unknown operation")
        operation = DIRECTIONS.get(row["mode"].lower()) if kind == "RW" else OPERATION_OF.get(kind)
        if operation is None and kind != "RW":
            self.notes.remark(f"records of type {kind}")
            return None
        moves = kind == "RW"
        return {
            "time_ns": nanoseconds(row["time_us"], NS_PER_US),
            "process": whole(row["client"]),
            "process_key": f"{row['app']}:{row['client']}",
            "program": f"application {row['app']}" if row["app"] else None,
            "operation": operation,
            "file": row["file"] or None,
            "offset": whole(row["offset"]) if moves or operation == "truncate" else None,
            "length": whole(row["length"]) if moves else None,
            "flags": _flags(row["mode"]) if operation == "open" else None,
        }


def _flags(mode: str) -> str | None:
    number = whole(mode)
    flags = mode.upper().split("|")
    creates = number & CREATE if number is not None else "CREATE" in flags
    truncates = number & TRUNC if number is not None else "TRUNC" in flags
    return "|".join(name for name, is_set in (("create", creates), ("truncate", truncates)) if is_set) or None


FORMAT = parallel_format(
    name="charisma",
    description="CHARISMA's record types as text: time, type, application, client, file, offset, length, mode.",
    endings=".csv .txt",
    recognises=lambda head: re.match(rf"({MAGIC}|{','.join(COLUMNS)})\s".encode(), head) is not None,
    source=lambda members, paths: CharismaSource(paths),
)
