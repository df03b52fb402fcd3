"""DFTracer's traces (.pfw, also compressed): a JSON object on each line, of the kind that browsers' tracing reads.

Events of phase X (1 in version 2) are calls: name, category, pid, ts and dur in microseconds, and args. Three dialects:
the first has all numbers as text, and ``fname`` and ``hostname`` in each call; later ones have ``fhash`` and ``hhash``,
numbers of 64 bits without a sign, or hexadecimal text, which events of phase M (4) named FH and HH explain, perhaps
after their use and in the trace of another process. Calls of POSIX and STDIO are kept (neither is made of the other);
the layers above them, which the same bytes pass too, are counted by category. A read without an offset is where the
file pointer stands. Renames are not followed: a file is what has one name.

Calls on names and attributes (stat, access, opendir and others) are kept with their time, also those that failed;
failed calls on the bytes of files are counted. A call that names no file keeps its time, without a reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.formats.parallel_io.calls import number
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.jobs import Job, grouped
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.parsed import ParsedCalls
from iotrace.formats.parallel_io.parsed_lines import ParsedLines
from iotrace.formats.reading.ahead import Ahead
from iotrace.formats.reading.files import first_bytes

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows, DftracerEvents

CALL = ("X", 1)
"""The phases of events that are calls."""
HASH = "hash:"
EVENT = re.compile(rb'^\s*\{"(id|name)":[^\n]*"pid":[^\n]*"args":\{[^\n]*"(hhash|hostname)"', re.MULTILINE)


@dataclass(frozen=True)
class TakenLines:
    """Lines of a file, and what reads them without those before."""

    block: bytes
    is_first: bool
    events: DftracerEvents

    def read(self) -> CallRows:
        """Return what the engine reads of them."""
        return self.events.read(self.block)


class DftracerSource(ParsedLines):
    """Lines of JSON."""

    def __init__(self, paths: Sequence[Path]) -> None:
        from iotrace.engine import native

        super().__init__(paths)
        self._events = native.DftracerEvents()
        self._has_nameless = False
        self._ahead: Ahead[CallRows] | None = None

    def read_ahead(self, threads: int) -> None:
        """Have threads read lines before their turn."""
        self._ahead = Ahead(self, threads)

    def next(self) -> ParsedCalls | None:
        """Return the calls of the next lines."""
        calls: ParsedCalls | None = super().next() if self._ahead is None else self._ahead.next()
        return calls

    def take(self) -> TakenLines | None:
        """Return the next lines, to be read alone; None at the end."""
        block, is_first = self.next_lines()
        return TakenLines(block, is_first, self._events.fork()) if block else None

    def finished(self, taken: TakenLines, rows: CallRows) -> ParsedCalls:
        """Return the calls of lines that were read alone; they are read again where the unit of times differs."""
        if taken.is_first:
            self.line = 0
        is_merged = self._events.merge(taken.events)
        return self.calls(taken.block, rows if is_merged else self._events.read(taken.block))

    def rows(self, block: bytes) -> CallRows:
        """Return what the engine reads of the next lines."""
        return self._events.read(block)

    def calls(self, block: bytes, rows: CallRows) -> ParsedCalls:
        """Return the calls of lines, whose times may tell what they count from."""
        self.notes.base = "epoch" if self._events.is_since_epoch else "relative"
        return super().calls(block, rows)

    def path_of(self, file: str) -> str:
        """Return the path recorded for a hash."""
        if not file.startswith(HASH):
            return file
        hash_ = file.removeprefix(HASH)
        path = self._events.name(hash_)
        if path is None and not self._has_nameless:
            self._has_nameless = True
            self.notes.warnings.append(
                "the trace does not record the names of some files: they are called fhash N"
            )
        return f"fhash {hash_}" if path is None else path

    def host_of(self, host: str) -> str:
        """Return the machine's name recorded for a hash."""
        if not host.startswith(HASH):
            return host
        hash_ = host.removeprefix(HASH)
        name = self._events.name(hash_)
        return hash_ if name is None else name

    def key_of(self, process: int | None, host: str | None) -> str:
        """Return what distinguishes a process from those of other machines."""
        return f"{process}@{host}"


def jobs(members: Members, paths: Sequence[Path]) -> list[Job]:
    """Return the jobs of the files: one, unless several files begin with a call of the same process.

    DFTracer writes a file for each process, and names no jobs. Where a process has several files, each file is taken
    for a job's, since nothing says which belong together.
    """
    processes = [_first_process(first_bytes(path)) for path in paths]
    known = [process for process in processes if process is not None]
    if len(set(known)) == len(known):
        return []
    names = [members.name_of(path) for path in paths]
    descriptions = {name: f"process {process}" for name, process in zip(names, processes, strict=True)}
    return grouped(paths, names, descriptions)


def _first_process(head: bytes) -> str | None:
    """Return the process, at its machine, of the first call in a file's beginning."""
    for line in head.splitlines():
        try:
            event = json.loads(line.strip().rstrip(b","))
        except (ValueError, RecursionError):
            continue
        args = event.get("args") if isinstance(event, dict) else None
        if isinstance(args, dict) and event.get("ph") in CALL:
            return f"{number(event.get('pid'))}@{args.get('hhash', args.get('hostname'))}"
    return None


FORMAT = parallel_format(
    name="dftracer",
    description="DFTracer's JSON lines, three dialects (names or hashes), one file per process.",
    endings=".pfw .pfw.gz",
    recognises=lambda head: EVENT.search(head) is not None,
    source=lambda members, paths: DftracerSource(paths),
    jobs=jobs,
    reads_ahead=True,
)
