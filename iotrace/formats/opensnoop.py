"""Tables of calls that bcc, libbpf and bpftrace print, a line each: opensnoop's and syncsnoop's (``syscalls/snoops`` in
the engine)."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace.families import CALLS
from iotrace.files.of_trace import files_of
from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import read_known_files

HEADER = re.compile(
    rb"^(?:TIME(?:\(s\))?\s+)?(?:UID\s+)?PID\s+COMM\s+(?:FD\s+ERR\s+(?:FLAGS\s+)?(?:MODE\s+)?PATH|EVENT)\s*$",
    re.MULTILINE,
)


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    from iotrace.engine import native

    logs = [str(path) for path in files_of(paths)]
    return native.SyscallRun("opensnoop", logs, list(model.items()), order, read_known_files(known_files))


FORMAT = Format(
    name="opensnoop",
    family=CALLS,
    description="Opened files as opensnoop of bcc, libbpf or bpftrace prints them (-T, -x, -e); syncsnoop of bpftrace.",
    endings=".txt",
    recognises=lambda head: HEADER.search(head[:8192]) is not None,
    start=_start,
    reads_ahead=True,
)
