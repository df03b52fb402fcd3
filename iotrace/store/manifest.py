"""A store's manifest, which may come from strangers: its shape, checked when it is read.

What is checked is what programs read; further members are allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from iotrace.errors import IotraceError, reason
from iotrace.files.inputs import MANIFEST as NAME
from iotrace.files.inputs import MOST_MANIFEST_BYTES as MOST_BYTES
from iotrace.files.remote import Address, Place
from iotrace.files.transfers import size_bytes
from iotrace.store import appended, partitions
from iotrace.store.skipped import ATTACHED, BY_FILE
from iotrace.store.skipped import KEY as MAX_SKIPPED

MOST = (1 << 63) - 1
"""The largest number: tables have no larger ones."""


@dataclass(frozen=True)
class Value:
    """A value that is not a list or object."""

    words: str
    accepts: Callable[[Any], bool]


@dataclass(frozen=True)
class ListOf:
    """A list, all of whose items have one shape."""

    items: Shape


@dataclass(frozen=True)
class MapOf:
    """An object with any names, all of whose values have one shape."""

    values: Shape


@dataclass(frozen=True)
class Record:
    """An object with known members; others are allowed and not checked."""

    members: Mapping[str, Shape]
    optional: Mapping[str, Shape] = field(default_factory=dict)


@dataclass(frozen=True)
class Maybe:
    """Something, or null."""

    shape: Shape


Shape = Value | ListOf | MapOf | Record | Maybe

TEXT = Value("a text", lambda value: isinstance(value, str))
NUMBER = Value("a whole number of 64 bits", lambda value: type(value) is int and -MOST <= value <= MOST)
COUNT = Value("a whole number from 0, of 63 bits", lambda value: type(value) is int and 0 <= value <= MOST)

PERCENT = Value("a number from 0 to 100", lambda value: type(value) in (int, float) and 0 <= value <= 100)
FRACTION = Value("a number", lambda value: type(value) in (int, float))
FLAG = Value("true or false", lambda value: type(value) is bool)
COMMAND = Value("a text, or a list", lambda value: isinstance(value, str | list))

WAITS = "unrecorded_waits"
"""The member that lists the calls in which a thread can wait and that a recording leaves out. Logs that others recorded
lack it: nothing in a log says which calls its tracer left out."""
STOP = "stop by a signal"
"""A kind of ``remarks``."""
OVERHEAD = "tracing_overhead"
"""The member that has what the tracer adds to a call, as `iotrace.ingest.overhead.Overhead` names it."""
BACKEND = "backend"
"""The member that says what ``iotrace record`` recorded with: strace or bpf."""
RECORDING = "recording"
"""The member that has what BPF programs recorded and lost, as `iotrace.ingest.capture.Captured` names it, and
``added_ns``, what they add to a call."""
CALIBRATION = ("outside_ns", "inside_ns", "inside_p99_ns", "tail_ns", "tail_deviation_ns", "measured_calls")
"""Its fields on the part that lies in recorded durations; older recordings lack it."""
COUNTS = ("lines", "parsed", "skipped_lines", "references", "files", "processes", "uses")
TABLES = ("reference", "file", "process", "use")
"""The tables that every store has."""
COVERED: Mapping[str, Shape] = {
    **dict.fromkeys(("operations", "bytes", "counted_operations", "counted_bytes"), COUNT),
    "is_partial": FLAG,
}
"""Counts in a trace of the operations that its counters count: of a layer, and of all."""

SKIPPED = MapOf(Record({"lines": COUNT, "first_line": COUNT, "excerpt": TEXT}, optional={"file": TEXT}))
AGREEMENT = Maybe(
    Record(
        {
            **dict.fromkeys(appended.AGREEMENTS, COUNT),
            "disagreed": MapOf(COUNT),
        },
        {"undecidable": MapOf(COUNT)},
    )
)
APPENDED = Record(
    {
        appended.NAME: TEXT,
        appended.HAS_ROWS: FLAG,
        **dict.fromkeys(("rows", "several_keys", "duration_ns"), COUNT),
        "last_ns": NUMBER,
        "counts": Record(
            dict.fromkeys(("lines", "parsed", "skipped_lines", "references"), COUNT),
            dict.fromkeys((*appended.COUNTED, *appended.OF_RECORDINGS), COUNT),
        ),
        "times": Record({"first_ns": NUMBER, "resolution_ns": Maybe(COUNT)}),
        "skipped": SKIPPED,
        **dict.fromkeys(appended.SUMMED, MapOf(COUNT)),
        **dict.fromkeys(("lacks", "sources", "warnings", "damage"), ListOf(TEXT)),
        BY_FILE: MapOf(Record({"records": COUNT, "skipped": COUNT})),
    },
    {
        appended.AGREEMENT: AGREEMENT,
        appended.TABLES: MapOf(COUNT),
        appended.ANSWERS: Record(
            {},
            {
                **dict.fromkeys(("host", "program", "headline", "finding"), Maybe(TEXT)),
                **dict.fromkeys(("bytes", "at_stake_bytes", "knee_bytes"), Maybe(COUNT)),
                "at_stake_s": Maybe(FRACTION),
            },
        ),
    },
)
"""A partition of a store that grows (see `iotrace.store.appended`)."""

MANIFEST = Record(
    {
        "counts": Record(
            {**dict.fromkeys(COUNTS, COUNT), "duration_ns": Maybe(COUNT)},
            dict.fromkeys(("calls", "requests", "keys"), COUNT),
        ),
        "format": TEXT,
        "host": Maybe(TEXT),
        "iotrace": TEXT,
        "model": MapOf(TEXT),
        appended.AGREEMENT: AGREEMENT,
        "remarks": MapOf(COUNT),
        "seen": MapOf(COUNT),
        "skipped": SKIPPED,
        "sources": ListOf(TEXT),
        "store_version": COUNT,
        "tables": Record(dict.fromkeys(TABLES, COUNT)),
        "times": Record({"base": TEXT, "first_ns": Maybe(NUMBER), "resolution_ns": Maybe(COUNT)}),
        "warnings": ListOf(TEXT),
    },
    {
        "clock_alignment": Maybe(Record({"processes": ListOf(Record({"moved_ns": Maybe(NUMBER)}))})),
        "command": Maybe(COMMAND),
        "coverage": Maybe(Record({**COVERED, "layers": MapOf(Record(COVERED))})),
        "damage": Maybe(ListOf(TEXT)),
        "jobs": Maybe(ListOf(TEXT)),
        "lacks": ListOf(TEXT),
        MAX_SKIPPED: PERCENT,
        "nodes": Maybe(ListOf(TEXT)),
        BY_FILE: MapOf(Record({"records": COUNT, "skipped": COUNT})),
        BACKEND: TEXT,
        RECORDING: Record({"records": COUNT, "lost_calls": COUNT}, {"added_ns": Maybe(COUNT)}),
        "attached_to": ListOf(COUNT),
        ATTACHED: COUNT,
        WAITS: ListOf(TEXT),
        OVERHEAD: Record({"traced_ns": COUNT, "others_ns": COUNT}, dict.fromkeys(CALIBRATION, COUNT)),
        "views": Record({"reference": Record({}, {"files_are_devices": FLAG})}),
        "part": Record({"covers": TEXT, "of": TEXT}, {"counted_from_ns": COUNT, "between_ns": COUNT}),
        partitions.KEY: MapOf(ListOf(COUNT)),
        appended.NAME: TEXT,
        appended.KEY: ListOf(APPENDED),
    },
)


def has_all_waits(manifest: Mapping[str, Any]) -> bool:
    """Return whether a trace is known to have all in which a thread can wait: every such call, and no stops."""
    return shows_waits(manifest) or (manifest.get(WAITS) == [] and not has_stops(manifest))


RECORDED = "recorded_"


def recorded_groups(manifest: Mapping[str, Any]) -> list[str]:
    """Return what a recording has besides calls: scheduler, page_cache, io_uring and disks."""
    return [name.removeprefix(RECORDED) for name in manifest.get("seen", {}) if name.startswith(RECORDED)]


def shows_waits(manifest: Mapping[str, Any]) -> bool:
    """Return whether a recording shows when threads have no processor."""
    return "scheduler" in recorded_groups(manifest)


def shows_disks(manifest: Mapping[str, Any]) -> bool:
    """Return whether a recording shows the requests to disks under its calls."""
    return "disks" in recorded_groups(manifest)


def has_stops(manifest: Mapping[str, Any]) -> bool:
    """Return whether signals stopped processes of a trace, whose threads then wait in no call."""
    return STOP in manifest.get("remarks", {})


def is_of_bpf(manifest: Mapping[str, Any]) -> bool:
    """Return whether BPF programs of iotrace recorded a trace, also one that was ingested later."""
    return manifest["format"] in ("iorec", "iorec-block")


def calibration(manifest: Mapping[str, Any]) -> dict[str, int] | None:
    """Return what the tracer adds to a call, in ns, of a trace that has it with the part in recorded durations."""
    overhead = manifest.get(OVERHEAD, {})
    return {name: overhead[name] for name in CALIBRATION} if overhead.keys() >= set(CALIBRATION) else None


def started_ns(manifest: Mapping[str, Any]) -> int | None:
    """Return when the first event of a trace was, in ns since 1970; None if the trace has no wall-clock time."""
    times = manifest.get("times", {})
    if times.get("base") != "epoch" or not 0 <= times["first_ns"] <= MOST:
        return None
    return int(times["first_ns"])


def load(store: Place) -> dict[str, Any]:
    """Return the manifest of a store as it is; raises IotraceError if it is no JSON object with a version."""
    path = store / NAME
    try:
        if (size_bytes(path) if isinstance(path, Address) else path.stat().st_size) > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES >> 20} MB")
        manifest = json.loads(path.read_bytes().decode("utf-8"))
    except RecursionError:
        raise IotraceError(f"{store}: its manifest.json cannot be read: it is nested too deeply") from None
    except (OSError, ValueError) as error:
        raise IotraceError(f"{store}: its manifest.json cannot be read: {reason(error)}") from None
    if why := fault(manifest, Record({"store_version": COUNT})):
        raise IotraceError(f"{store}: its manifest.json cannot be read: {why}")
    return dict(manifest)


def check(store: Place, manifest: dict[str, Any]) -> None:
    """Raise IotraceError, with the first member that is not as documented, for a manifest that cannot be used."""
    why = fault(manifest, MANIFEST) or fault(manifest["tables"], MapOf(COUNT), "tables")
    if not why and manifest["times"]["base"] == "epoch" and manifest["times"]["first_ns"] is None:
        why = "times.first_ns is null though times.base is epoch"
    why = why or partitions.fault(manifest) or appended.fault(manifest)
    if why:
        raise IotraceError(f"{store}: its manifest.json is not usable: {why}; ingest the trace again")


def fault(value: Any, shape: Shape, place: str = "") -> str | None:
    """Return the first place at which a value has another shape, and what is wrong there; None if it fits."""
    if isinstance(shape, Maybe):
        return None if value is None else fault(value, shape.shape, place)
    if isinstance(shape, Value):
        return None if shape.accepts(value) else f"{place or 'it'} is not {shape.words}"
    if isinstance(shape, ListOf):
        if not isinstance(value, list):
            return f"{place or 'it'} is not a list"
        return _first(fault(item, shape.items, f"{place}[{number}]") for number, item in enumerate(value))
    if not isinstance(value, dict):
        return f"{place or 'it'} is not an object"
    before = f"{place}." if place else ""
    if isinstance(shape, MapOf):
        return _first(fault(item, shape.values, before + _short(name)) for name, item in value.items())
    if missing := [name for name in shape.members if name not in value]:
        return f"it lacks {', '.join(before + name for name in missing)}"
    known = {**shape.members, **{name: item for name, item in shape.optional.items() if name in value}}
    return _first(fault(value[name], item, before + name) for name, item in known.items())


def _first(faults: Iterator[str | None]) -> str | None:
    return next((why for why in faults if why), None)


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:40]}..."
