"""I/O of VAX/VMS systems as text, after what Ramakrishnan, Biswas and Karedla (SIGMETRICS '92) say they traced.

The layout of their files was never published (DiskSim's released sources have a stub for it); this one is ours:
``# iotrace vms-io 1``, a line of column names, then ``time_vms,node,device,pid,function,modifiers,file_id,vbn,lbn,
byte_count,status,duration_100ns``. Times are VMS's: 100 ns since 17 November 1858, or since the start of the trace
where a line ``# times count from the start`` says so. Functions are named without ``IO$_`` or numbered ($IODEF; the
low 6 bits); those that move no blocks (ACCESS, DEACCESS, ...) are counted and left out. lbn counts 512-byte blocks
from 0. A device without an allocation class ($1$DUA12) is of its node.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from iotrace.formats.disk_io.delimited import DelimitedSource, Layout
from iotrace.formats.disk_io.fields import LARGEST, hexadecimal, steps_ns, whole
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.disk_io.requests import BLOCK_BYTES
from iotrace.formats.reading.durations import stated_ns
from iotrace.libraries import pl

MAGIC = "# iotrace vms-io 1"
RELATIVE = "# times count from the start"
COLUMNS = "time_vms,node,device,pid,function,modifiers,file_id,vbn,lbn,byte_count,status,duration_100ns"
TICK_NS = 100
SEPARATORS = re.compile(r"[,\s]+")
EPOCH_TICKS = 35_067_168_000_000_000
"""1970 on VMS's clock."""
READS = {"READVBLK": 0x31, "READLBLK": 0x21, "READPBLK": 0x0C}
WRITES = {"WRITEVBLK": 0x30, "WRITELBLK": 0x20, "WRITEPBLK": 0x0B}
CONTROL = {
    "SEEK": 0x02,
    "ACCESS": 0x32,
    "CREATE": 0x33,
    "DEACCESS": 0x34,
    "DELETE": 0x35,
    "MODIFY": 0x36,
    "ACPCONTROL": 0x38,
    "MOUNT": 0x39,
}
CODE_BITS = 64
"""The bits of a function's number above the low 6 are modifiers."""


def _requests(zero_ticks: int = EPOCH_TICKS) -> Mapping[str, pl.Expr]:
    ticks = whole("time_vms") - zero_ticks
    name = pl.col("function").str.to_uppercase().str.replace(r"^IO\$_", "")
    number = pl.coalesce(whole("function"), pl.when(name.str.starts_with("0X")).then(hexadecimal("function")))
    code = pl.coalesce(
        name.replace_strict({**READS, **WRITES, **CONTROL}, default=None, return_dtype=pl.Int64),
        number % CODE_BITS,
    )
    pid = pl.coalesce(whole("pid"), pl.when(pl.col("pid").str.contains("^0[xX]")).then(hexadecimal("pid")))
    node, device = pl.col("node"), pl.col("device")
    return {
        "time_ns": pl.when(ticks.abs() < LARGEST // TICK_NS).then(ticks * TICK_NS),
        "device": pl.when(device.str.contains("$", literal=True) | (node == ""))
        .then(device)
        .otherwise(pl.concat_str(node, device, separator="$")),
        "operation": pl.when(code.is_in(list(READS.values())))
        .then(pl.lit("read"))
        .when(code.is_in(list(WRITES.values())))
        .then(pl.lit("write")),
        "lbn": whole("lbn"),
        "length_bytes": whole("byte_count"),
        # the number fills 32 bits, of which table process has the sign
        "pid": pl.when(pid >= 2**31).then(pid - 2**32).otherwise(pid),
        "file": pl.when(pl.col("file_id") != "").then(pl.col("file_id")),
        "latency_ns": stated_ns("duration", steps_ns("duration", TICK_NS)),
        "host": pl.when(node != "").then(node),
        "remark": pl.when(code.is_in(list(CONTROL.values()))).then(pl.lit("control functions")),
    }


LAYOUT = Layout(
    fields=("time_vms", "byte_count"),
    requests=_requests,
    required=("time_ns", "operation", "blocks"),
    at_least=2,
    header=re.compile("#|time_vms,"),
    pattern=r"^(?P<time_vms>[^,]*),(?P<node>[^,]*),(?P<device>[^,]*),(?P<pid>[^,]*),(?P<function>[^,]*),(?P<modifiers>[^,]*),"
    r"(?P<file_id>\([^)]*\)|[^,]*),(?P<vbn>[^,]*),(?P<lbn>[^,]*),(?P<byte_count>[^,]*)(?:,(?P<status>[^,]*))?"
    r"(?:,(?P<duration>[^,]*))?$",
    base="epoch",
)


class VmsSource(DelimitedSource):
    """Lines whose header says from when the times count."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._zero_ticks = EPOCH_TICKS
        super().__init__(paths, replace(LAYOUT, requests=lambda: _requests(self._zero_ticks)))

    def _begin(self, header: str) -> None:
        if header.startswith(RELATIVE):
            self._zero_ticks, self.notes.base = 0, "relative"


def line(request: Mapping[str, Any], zero_ns: int) -> str:
    """Return a read or write, a row of the query disk_request, as a line; `zero_ns` is the start on VMS's clock."""
    pid, latency_ns = request["pid"], request["latency_ns"]
    ticks = (zero_ns + request["time_ns"]) // TICK_NS
    node, device, file_id = _plain(request["host"]), _plain(request["device"]), _file_id(request["path"])
    process = "" if pid is None else f"0x{pid % 2**32:08X}"
    function = "READLBLK" if request["operation"] == "read" else "WRITELBLK"
    lbn, byte_count = request["lbn"], request["blocks"] * BLOCK_BYTES
    duration = "" if latency_ns is None else latency_ns // TICK_NS
    return f"{ticks},{node},{device},{process},{function},,{file_id},,{lbn},{byte_count},,{duration}\n"


def _plain(name: str | None) -> str:
    """Return a name without what separates fields and lines."""
    return SEPARATORS.sub("_", name) if name else ""


def _file_id(path: str | None) -> str:
    return path if path and re.fullmatch(r"\([^)\n]*\)", path) else _plain(path)


FORMAT = block_format(
    name="vms-io",
    description="VAX/VMS I/O as text: 100 ns, node, device, pid, function, file, block, bytes; read and written.",
    endings=".vms .csv",
    recognises=lambda head: head.startswith(MAGIC.encode()),
    source=VmsSource,
)
