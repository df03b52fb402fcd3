"""DFTracer's traces (.pfw, also compressed): a JSON object on each line, of the kind that browsers' tracing reads.

Events of phase X (1 in version 2) are calls: name, category, pid, ts and dur in microseconds, and args. Three dialects:
the first has all numbers as text, and ``fname`` and ``hostname`` in each call; later ones have ``fhash`` and ``hhash``,
numbers of 64 bits without a sign, or hexadecimal text, which events of phase M (4) named FH and HH explain, perhaps
after their use and in the trace of another process. Calls of POSIX and STDIO are kept (neither is made of the other);
the layers above them, which the same bytes pass too, are counted by category. A read without an offset is where the
file pointer stands. Renames are not followed: a file is what has one name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace.formats.parallel_io.accesses import encodable, skipped
from iotrace.formats.parallel_io.calls import (
    METADATA_CALLS,
    OPERATION_OF,
    STREAM_CALLS,
    WHENCE_OF,
    WITH_OFFSET,
    number,
    open_flags,
    plain,
)
from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.jobs import Job, grouped
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.parallel_io.usual import Section
from iotrace.formats.parallel_io.usual_lines import UsualLineSource
from iotrace.formats.reading.durations import UNREADABLE_NS
from iotrace.formats.reading.files import first_bytes

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows

LAYERS = {"POSIX": "posix", "STDIO": "stdio"}
IS_CALL, IS_TOLD = ("X", 1), ("M", 4)
UNIT_NS = {"NS": 1, "US": 1_000, "MS": 1_000_000, "SEC": 1_000_000_000}
EPOCH_NS = 10**18
"""A first time after this, September 2001, counts from 1970."""
HASH = "hash:"
EVENT = re.compile(rb'^\s*\{"(id|name)":[^\n]*"pid":[^\n]*"args":\{[^\n]*"(hhash|hostname)"', re.MULTILINE)


class DftracerSource(UsualLineSource):
    """Lines of JSON."""

    usual = "dftracer"

    required = ("process", "operation", "time_ns")

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(paths)
        self.names: dict[str, str] = {}
        self.unit_ns = UNIT_NS["US"]
        self._is_first = True
        self._missing = 0

    def path_of(self, file: str) -> str:
        """Return the path recorded for a hash."""
        if not file.startswith(HASH):
            return file
        if file not in self.names:
            self._missing += 1
            if self._missing == 1:
                self.notes.warnings.append(
                    "the trace does not record the names of some files: they are called fhash N"
                )
            return f"f{file.replace(':', ' ')}"
        return self.names[file]

    def host_of(self, host: str) -> str:
        """Return the machine's name recorded for a hash."""
        return self.names.get(host, host.removeprefix(HASH))

    def section(self, rows: CallRows, first: int, end: int) -> Section:
        """Return the unit of times."""
        if self._is_first:
            self._begin_times(rows.calls(0)["time"][first].as_py() * self.unit_ns)
        return Section(unit_ns=self.unit_ns)

    def key_of(self, process: int | None, host: str | None) -> str:
        """Return what distinguishes a process from those of other machines."""
        return f"{process}@{host}"

    def call(self, line: str) -> Mapping[str, Any] | None:
        """Return an event's call."""
        text = line.strip().rstrip(",")
        if text in ("", "[", "]"):
            return None
        try:
            event = json.loads(text.removesuffix("]") if text.endswith("}]") else text)
        except (ValueError, RecursionError):
            return skipped("no JSON that can be read")
        if not isinstance(event, dict) or not isinstance(event.get("name"), str):
            return skipped("no event")
        args = event.get("args")
        args = args if isinstance(args, dict) else {}
        if event.get("ph") in IS_TOLD:
            self._learn(event["name"], args)
            return None
        if event.get("ph") not in IS_CALL:
            self.notes.remark("events that are not calls")
            return None
        return self._call(event, args)

    def _learn(self, kind: str, args: Mapping[str, Any]) -> None:
        name, value = args.get("name"), args.get("value")
        if kind in ("FH", "HH") and isinstance(name, str) and isinstance(value, str | int):
            self.names[encodable(f"{HASH}{value}")] = encodable(name)
        elif kind == "CM" and name == "time_metric":
            self.unit_ns = UNIT_NS.get(str(value).upper(), self.unit_ns)

    def _call(self, event: Mapping[str, Any], args: Mapping[str, Any]) -> Mapping[str, Any] | None:
        category, name = str(event.get("cat")), plain(event["name"])
        layer = LAYERS.get(category)
        if layer is None:
            self.notes.remark(f"events of layer {category[:40]}")
            return None
        operation = OPERATION_OF.get(name)
        if operation is None or operation == "barrier":
            self.notes.remark(METADATA_CALLS)
            return None
        result = number(args.get("ret"))
        if result is not None and result < 0:
            self.notes.remark("calls that failed")
            return None
        ts = number(event.get("ts"))
        time_ns = None if ts is None else ts * self.unit_ns
        if self._is_first and time_ns is not None:
            self._begin_times(time_ns)
        process, host = number(event.get("pid")), _named(args, "hhash", "hostname")
        return {
            "time_ns": time_ns,
            "duration_ns": self._duration_ns(event.get("dur")),
            "process": process,
            "process_key": self.key_of(process, host),
            "thread": number(event.get("tid")),
            "host": host,
            "layer": layer,
            "operation": operation,
            "file": _named(args, "fhash", "fname"),
            **_details(name, operation, args, result),
        }

    def _duration_ns(self, stated: Any) -> int | None:
        """Return how long a call took, None where the event does not say."""
        steps = number(stated)
        if steps is None:
            return None if stated is None else UNREADABLE_NS
        return steps * self.unit_ns

    def _begin_times(self, time_ns: int) -> None:
        """Take the first call's time."""
        self._is_first = False
        self.notes.base = "epoch" if time_ns >= EPOCH_NS else "relative"


def _named(args: Mapping[str, Any], hashed: str, plainly: str) -> str | None:
    value = args.get(hashed)
    if isinstance(value, str | int) and not isinstance(value, bool):
        return f"{HASH}{value}"
    name = args.get(plainly)
    return name if isinstance(name, str) else None


def _details(
    name: str, operation: str, args: Mapping[str, Any], result: int | None
) -> Mapping[str, int | str | None]:
    """Return where a call goes, and how much it moves."""
    offset = number(args.get("offset"))
    if operation == "open":
        mode = args.get("mode")
        flags = open_flags(number(args.get("flags")), mode if isinstance(mode, str) else None)
        return {"descriptor": None if name in STREAM_CALLS else result, "flags": flags}
    details: dict[str, int | str | None] = {"descriptor": number(args.get("fd"))}
    if operation == "seek":
        whence = number(args.get("whence"))
        if name == "lseek" and result is not None:
            return {**details, "offset": result, "whence": "start"}
        return {**details, "offset": offset, "whence": WHENCE_OF.get(0 if whence is None else whence, "end")}
    if operation in ("read", "write"):
        size = _first(args, "size") if name in STREAM_CALLS else 1
        requested = _first(args, "count", "nmemb", "nitems")
        items = requested if result is None else result
        return {
            **details,
            "offset": offset if name in WITH_OFFSET or name in STREAM_CALLS else None,
            "length": None if items is None or size is None else items * size,
            "requested": None if requested is None or size is None else requested * size,
        }
    if operation == "truncate":
        return {**details, "offset": _first(args, "length", "size", "offset")}
    return details


def _first(args: Mapping[str, Any], *names: str) -> int | None:
    numbers = (number(args.get(name)) for name in names)
    return next((value for value in numbers if value is not None), None)


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
        if isinstance(args, dict) and event.get("ph") in IS_CALL:
            return f"{number(event.get('pid'))}@{_named(args, 'hhash', 'hostname')}"
    return None


FORMAT = parallel_format(
    name="dftracer",
    description="DFTracer's JSON lines, three dialects (names or hashes), one file per process.",
    endings=".pfw .pfw.gz",
    recognises=lambda head: EVENT.search(head) is not None,
    source=lambda members, paths: DftracerSource(paths),
    jobs=jobs,
)
