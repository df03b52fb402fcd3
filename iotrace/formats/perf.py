"""System calls as ``perf trace``, ``perf script`` and ftrace print them (``syscalls/perf`` in the engine).

ftrace and ``trace-cmd report`` print the same tracepoints as perf script, in lines of their own.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace.families import CALLS
from iotrace.files.of_trace import files_of
from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import read_known_files

HEAD = re.compile(
    rb"^\s*\d+\.\d{3} \(\s*(?:\d+\.\d+ ms)?\s*\): .*\(|:\s+(?:\d+\s+)?(?:raw_)?syscalls:sys_(?:enter|exit)",
    re.MULTILINE,
)
OF_FTRACE = re.compile(
    rb"^.*-\d+ .*\s\d+\.\d{1,9}: sys_(?:(?:enter|exit)(?:_\w+)?: |\w+(?:\(.*\)| -> 0x[0-9a-f]+)\s*$)",
    re.MULTILINE,
)


def _format(name: str, head: re.Pattern[bytes], description: str, endings: str) -> Format:
    def start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
        from iotrace.engine import native

        logs = [str(path) for path in files_of(paths)]
        return native.SyscallRun(name, logs, list(model.items()), order, read_known_files(known_files))

    return Format(
        name,
        CALLS,
        description,
        endings,
        lambda first: head.search(first[:8192]) is not None,
        start,
        reads_ahead=True,
    )


FORMAT = _format(
    "perf",
    HEAD,
    "System calls as perf trace prints them, or perf script of raw_syscalls:* or syscalls:*.",
    ".txt .perf",
)
FTRACE = _format(
    "ftrace",
    OF_FTRACE,
    "System calls (syscalls:* or raw_syscalls:*): lines of ftrace's trace, trace_pipe, or trace-cmd report.",
    ".txt .trace",
)
