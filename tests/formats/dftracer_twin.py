"""A slow twin of the engine's reader of DFTracer's events, with Python's reader of JSON."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from named_calls import WHENCE_OF, WITH_OFFSET, open_flags

from iotrace.formats.dftracer import CALL, HASH
from iotrace.formats.parallel_io.accesses import LineSource, encodable, skipped
from iotrace.formats.parallel_io.calls import OPERATION_OF, STREAM_CALLS, number, plain
from iotrace.formats.reading.durations import UNREADABLE_NS

LAYERS = {"POSIX": "posix", "STDIO": "stdio"}
TOLD = ("M", 4)
UNIT_NS = {"NS": 1, "US": 1_000, "MS": 1_000_000, "SEC": 1_000_000_000}
EPOCH_NS = 10**18
OF_NAMES = {
    "stat": "stat lstat fstat fstatat newfstatat statx __xstat __lxstat __fxstat __fxstatat",
    "access": "access faccessat eaccess euidaccess",
    "opendir": "opendir fdopendir",
    "readdir": "readdir readdir_r",
    "closedir": "closedir",
    "mkdir": "mkdir mkdirat",
    "rmdir": "rmdir",
    "rename": "rename renameat renameat2",
    "link": "link linkat symlink symlinkat",
    "readlink": "readlink readlinkat",
    "set_attributes": "chmod fchmod fchmodat chown lchown fchown fchownat utime utimes futimes utimensat futimens",
}
"""The names of calls on names and attributes, by their operation; any other is "other"."""


class DftracerTwin(LineSource):
    """Lines of JSON."""

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
        if event.get("ph") in TOLD:
            self._learn(event["name"], args)
            return None
        if event.get("ph") not in CALL:
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
        category, name = event.get("cat"), plain(event["name"])
        layer = LAYERS.get(category) if isinstance(category, str) else None
        if layer is None:
            shown = f"layer {encodable(category)[:40]}" if isinstance(category, str) else "no layer"
            self.notes.remark(f"events of {shown}")
            return None
        operation = OPERATION_OF.get(name, "barrier")
        is_of_names = operation == "barrier"
        if is_of_names:
            operation = next((op for op, names in OF_NAMES.items() if name in names.split()), "other")
        result = number(args.get("ret"))
        if result is not None and result < 0 and not is_of_names:
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
            "process_key": f"{process}@{host}",
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
