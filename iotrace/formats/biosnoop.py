"""The output of bcc's biosnoop, the Python tool's and libbpf's, with or without -Q and -P.

``TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] [PATTERN] LAT(ms)``, where the header may have the pattern (RANDOM,
SEQUENTIAL, or UNKNOWN) at any place after the bytes: the time is the completion's, so that the arrival is that
less the latency (and the time in the queue where -Q prints it; without it the arrival is the dispatch); 512-byte
sectors. The operation is R or W, or the letters of the block layer. Names may hold spaces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from iotrace.formats.disk_io.delimited import DelimitedSource, Layout
from iotrace.formats.disk_io.fields import decimal_ns, rwbs, whole
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.reading.clock import NS_PER_MS, NS_PER_S
from iotrace.libraries import pl

PATTERN = r"(?:\s+[A-Z]+)?"
"""The words that -P prints: how a request lies to the one before it."""
HEADER = r"\s*TIME\(s\)\s+COMM\s.*\bSECTOR\s+BYTES\b"


def _requests() -> Mapping[str, pl.Expr]:
    service_ns, queued_ns = decimal_ns("service", NS_PER_MS), decimal_ns("queued", NS_PER_MS)
    waited_ns = pl.when(queued_ns >= 0).then(queued_ns)
    return {
        "time_ns": decimal_ns("time", NS_PER_S) - service_ns - waited_ns.fill_null(0),
        "device": pl.col("disk"),
        **rwbs("type"),
        "lbn": whole("sector"),
        "length_bytes": whole("bytes"),
        "pid": whole("pid"),
        "program": pl.col("program"),
        "latency_ns": service_ns + waited_ns,
        "service_ns": service_ns,
    }


LAYOUT = Layout(
    fields=("time", "service"),
    requests=_requests,
    required=("time_ns", "operation", "blocks"),
    at_least=2,
    header=re.compile(HEADER),
    pattern=r"^(?P<time>\d+\.\d+)\s+(?P<program>.*?)\s+(?P<pid>\d+)\s+(?P<disk>\S+)\s+(?P<type>[A-Z]+)\s+(?P<sector>-?\d+)"
    rf"\s+(?P<bytes>\d+){PATTERN}(?:\s+(?P<queued>-?\d{{1,15}}(?:\.\d+)?))?{PATTERN}\s+(?P<service>\d+\.\d+){PATTERN}$",
    ordered=False,
)

FORMAT = block_format(
    name="biosnoop",
    description="bcc biosnoop's output, with or without -Q and -P: seconds, program, pid, disk, type, "
    "sector, bytes, ms.",
    endings=".txt .biosnoop",
    recognises=lambda head: re.match(HEADER.encode(), head) is not None,
    source=lambda paths: DelimitedSource(paths, LAYOUT),
)
