"""Partitions by period: the counts, warnings and findings of each day that was appended to a store, in its manifest.

The manifest's counts and warnings follow from those of the partitions whose rows the store has. One whose rows were
dropped stays in the list. Of system calls a partition is a recording, and recordings may overlap in time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace import families, schemas, units
from iotrace.errors import IotraceError
from iotrace.libraries import pc
from iotrace.store import partitions
from iotrace.store.part.time_spec import is_clock, length_ns, moment_ns
from iotrace.store.skipped import BY_FILE, SkippedRecords, losses

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.store.store import Store

KEY = partitions.APPENDED
"""The member of the manifest."""
NAME = "partition"
"""The member of an entry with its name, and of a manifest that of a store which is one partition."""
HAS_ROWS = "has_rows"
COUNTED = ("lines", "parsed", "skipped_lines", "requests", "references")
OF_RECORDINGS = ("lines", "parsed", "skipped_lines", "calls", "references", "files", "processes", "uses")
"""The same of system calls, of which each partition has files and processes of its own."""
TABLES = "tables"
"""The member of an entry of a recording with the rows of its tables: they follow those of the recordings before."""
AGREEMENT = "path_agreement"
AGREEMENTS = ("calls", "checked", "agreed", "literally_equal")
DISAGREEMENTS = ("disagreed", "undecidable")
"""Its counts, and those by reason."""
SUMMED = ("remarks", "seen")
KEPT = ("skipped", *SUMMED, "lacks", "sources", "times", "warnings", "damage")
"""The members of a manifest that an entry repeats; COUNTED are those of its counts."""
ANSWERS = "answers"
"""The member of an entry with what was found in its partition alone: columns of result `catalogue`."""
MOST_WARNINGS = 10
"""How many warnings that are of one partition the store repeats."""

Entry = dict[str, Any]


def between_ns(manifest: Mapping[str, Any]) -> int:
    """Return how long nothing was recorded between the recordings of a store of several; 0 for other stores.

    A part of a store has it from the whole.
    """
    if "part" in manifest:
        return int(manifest["part"].get("between_ns", 0))
    return between_within(manifest)


def between_within(
    manifest: Mapping[str, Any], first_ns: int | None = None, last_ns: int | None = None
) -> int:
    """Return the same of a period, on the trace's clock; without one of the whole."""
    listed = with_rows(manifest.get(KEY, ()))
    if not listed or not is_of_recordings(listed):
        return 0
    between, reached = 0, start_ns(listed[0]) if first_ns is None else first_ns
    for one in listed:
        start = start_ns(one) if last_ns is None else min(start_ns(one), last_ns)
        between += max(start - reached, 0)
        reached = max(reached, end_ns(one))
    return between


def state_name(place: int) -> str:
    """Return the name of the file with the state of the curve of a partition, by its place in the list."""
    return f"curve_state.{place}.arrow"


def statistics_name(place: int) -> str:
    """Return the name of the file with the statistics of a partition, by its place in the list."""
    return f"statistics.{place}.parquet"


@dataclass(frozen=True)
class KeptRows:
    """Merged statistics and states of partitions, which were kept when these were appended."""

    views: Mapping[str, pa.Table]
    """The rows of views, by name (see `iotrace.analysis.kept_statistics`)."""
    states: tuple[Path, ...]
    """The files with the states of the curves of the partitions in their order; none where one has no state."""
    has_requests: bool
    """Whether the store has the requests of all these partitions."""


def entries(store: Store) -> list[Entry]:
    """Return the partitions of a store in the order of time; a store to which nothing was appended is one.

    Raises as `Store.batches` does, and IotraceError for a trace without times.
    """
    listed: list[Entry] | None = store.manifest.get(KEY)
    return [entry(store)] if listed is None else list(listed)


def with_rows(listed: Sequence[Entry]) -> list[Entry]:
    """Return the partitions whose rows the store has."""
    return [one for one in listed if one[HAS_ROWS]]


def entry(store: Store) -> Entry:
    """Return the entry of a store that is one partition; it is named by its start if no name was given."""
    manifest, native = store.manifest, store.family.name
    if not store.has_times:
        raise IotraceError(f"{store.name}: has no times, so that nothing is before or after it")
    counts, rows = manifest["counts"], manifest["tables"][native]
    made: Entry = {
        NAME: manifest.get(NAME) or moment(manifest, manifest["times"]["first_ns"]),
        HAS_ROWS: True,
        "rows": rows,
        "several_keys": _requests_for_several_keys(store),
        "last_ns": manifest["times"]["first_ns"] + _last_ns(store),
        "duration_ns": counts["duration_ns"],
        "counts": {name: counts[name] for name in (OF_RECORDINGS if store.family.has_model else COUNTED)},
        **{name: manifest.get(name) or ({} if name in ("skipped", *SUMMED) else []) for name in KEPT},
        AGREEMENT: manifest[AGREEMENT],
    }
    if store.family.has_model:
        made[TABLES] = dict(manifest["tables"])
    return made | {BY_FILE: manifest.get(BY_FILE) or _of_one_file(manifest)}


def _last_ns(store: Store) -> int:
    """Return when the last request of a store starts, since the first; of calls, when the last event is."""
    if store.family.has_model:
        return int(store.manifest["counts"]["duration_ns"])
    rows = store.manifest["tables"][store.family.name]
    (last,) = store.batches(store.family.name, ["time_ns"], records=range(rows - 1, rows))
    return int(last["time_ns"][0].as_py())


def _of_one_file(manifest: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Return the counts of a trace that is one file, as those of several are counted."""
    skipped = SkippedRecords.of(manifest)
    (file, *others) = manifest["sources"]
    return (
        {file: {"records": skipped.records, "skipped": skipped.skipped}}
        if skipped.skipped and not others
        else {}
    )


def _requests_for_several_keys(store: Store) -> int:
    """Return how many requests of a store are for several keys, each of which has a row."""
    if "request" not in schemas.schema(store.family.name).names:
        return 0
    last = (pc.max(batch["request"]).as_py() for batch in store.batches(store.family.name, ["request"]))
    return max((number + 1 for number in last if number is not None), default=0)


def ending_before(store: Store, text: str) -> list[Entry]:
    """Return the partitions with rows that end before a moment: of the clock, or a time before the store's end.

    Raises UsageError for what is neither.
    """
    listed = entries(store)
    first_ns, until_ns = start_ns(listed[0]), max(one["last_ns"] for one in listed)
    if is_clock(text):
        known_ns = first_ns if store.manifest["times"]["base"] == "epoch" else None
        before_ns = first_ns + moment_ns(text, "--drop-before", known_ns, until_ns - first_ns)
    else:
        before_ns = until_ns - length_ns(text)
    return [one for one in with_rows(listed) if one["last_ns"] < before_ns]


def fault(manifest: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a manifest's list; None if it fits the tables."""
    listed = manifest.get(KEY)
    if listed is None:
        return None
    rows = sum(one["rows"] for one in with_rows(listed))
    if rows not in manifest["tables"].values() or not rows:
        return f"{KEY} has {rows:,} rows, which no table has"
    if any(start_ns(later) < earliest_ns(one) for one, later in pairwise(listed)):
        return f"{KEY} is not in the order of time"
    has_model = families.of_tables(manifest["tables"]).has_model
    if any(is_of_recordings([one]) != has_model for one in listed):
        return f"{KEY} is of another family"
    if is_of_recordings(listed):
        tables = _summed([one.get(TABLES, {}) for one in with_rows(listed)])
        if any(tables.get(name) != count for name, count in manifest["tables"].items()):
            return f"{KEY} has other rows than the tables"
    return None


def is_of_recordings(listed: Sequence[Entry]) -> bool:
    """Return whether partitions are recordings of system calls, which may overlap."""
    return "calls" in listed[0]["counts"]


def amount(listed: Sequence[Entry]) -> str:
    """Return how many calls or requests some partitions have."""
    if is_of_recordings(listed):
        return units.plural(sum(one["counts"]["calls"] for one in listed), "call", "calls")
    return units.plural(sum(one["rows"] for one in listed), "request", "requests")


def start_ns(one: Entry) -> int:
    """Return when a partition starts, on the trace's clock."""
    return int(one["times"]["first_ns"])


def earliest_ns(one: Entry) -> int:
    """Return when the partition after one may start: after its last request, of a recording at its start."""
    return start_ns(one) if is_of_recordings([one]) else int(one["last_ns"])


def end_ns(one: Entry) -> int:
    """Return when the last of its requests ends."""
    return start_ns(one) + int(one["duration_ns"])


def moment(manifest: Mapping[str, Any], ns: int) -> str:
    """Return a moment on the clock of a trace: a date in UTC, or seconds."""
    seconds, rest = divmod(ns, 10**9)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    if manifest["times"]["base"] == "epoch":
        try:
            return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}{fraction}"
        except (ValueError, OverflowError, OSError):
            pass
    return f"{seconds:,}{fraction} s"


def merged(manifest: Mapping[str, Any], listed: Sequence[Entry]) -> dict[str, Any]:
    """Return a store's manifest with these partitions; the caller has the counts of its tables."""
    there = with_rows(listed)
    first = there[0]
    whole = {
        **{name: value for name, value in manifest.items() if name not in (NAME, BY_FILE)},
        KEY: list(listed),
        "counts": manifest["counts"]
        | {name: sum(one["counts"].get(name, 0) for one in there) for name in first["counts"]}
        | {"duration_ns": max(map(end_ns, there)) - start_ns(first)},
        "skipped": _skipped([one["skipped"] for one in there]),
        **{name: _summed([one[name] for one in there]) for name in SUMMED},
        AGREEMENT: _agreement([one.get(AGREEMENT) for one in there]),
        "times": first["times"]
        | {"resolution_ns": min((one["times"]["resolution_ns"] or 0 for one in there), default=0) or None},
        "lacks": [name for name in first["lacks"] if all(name in one["lacks"] for one in there)],
        "sources": list(dict.fromkeys(path for one in there for path in one["sources"])),
        "damage": [loss for one in there for loss in one["damage"]],
    }
    if len(whole["sources"]) > 1 and (by_file := _by_file([one[BY_FILE] for one in there])):
        whole[BY_FILE] = by_file
    whole["warnings"] = _warnings(whole, there)
    return whole


def _agreement(parts: Sequence[Mapping[str, Any] | None]) -> dict[str, Any] | None:
    """Return how often paths agree with the kernel's in all recordings that have these."""
    known = [part for part in parts if part is not None]
    by_reason = {name: _summed([part.get(name, {}) for part in known]) for name in DISAGREEMENTS}
    counts = {name: sum(part[name] for part in known) for name in AGREEMENTS}
    return {**counts, **by_reason} if known else None


def _summed(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: sum(part.get(name, 0) for part in parts) for name in names}


def _skipped(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return why records were skipped: the first record of each reason, and how many there are."""
    first: dict[str, Any] = {}
    for part in parts:
        for reason, skipped in part.items():
            first.setdefault(reason, skipped)
    lines = _summed([{reason: one["lines"] for reason, one in part.items()} for part in parts])
    return {reason: {**one, "lines": lines[reason]} for reason, one in first.items()}


def _by_file(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the counts by file; a file of one name in several partitions counts as one."""
    files = dict.fromkeys(file for part in parts for file in part)
    return {file: _summed([part[file] for part in parts if file in part]) for file in files}


def _warnings(whole: Mapping[str, Any], there: Sequence[Entry]) -> list[str]:
    """Return the warnings of the store: those that all partitions have once, the others with the partition's name."""
    shares = [skipped.sentence for skipped in SkippedRecords.too_many_of(whole)]
    of_whole = [*shares, *(loss.removesuffix(".") for loss in losses(whole))]
    further = [(one[NAME], warning) for one in there for warning in one["warnings"]]
    named = dict.fromkeys(warning for _, warning in further)
    of_all = [warning for warning in named if all(warning in one["warnings"] for one in there)]
    of_some = [f"partition {name}: {warning}" for name, warning in further if warning not in of_all]
    if len(of_some) > MOST_WARNINGS:
        more = len(of_some) - MOST_WARNINGS
        of_some[MOST_WARNINGS:] = [
            f"{units.plural(more, 'warning', 'warnings')} of partitions more: manifest.json lists them"
        ]
    return [*_dropped(whole[KEY]), *of_whole, *of_all, *of_some]


def _dropped(listed: Sequence[Entry]) -> list[str]:
    """Return a sentence on the partitions that have no rows any more."""
    dropped = [one for one in listed if not one[HAS_ROWS]]
    if not dropped:
        return []
    of = units.plural(len(dropped), "partition", "partitions")
    up_to = f" up to {dropped[-1][NAME]}" if dropped == listed[: len(dropped)] else ""
    what = "calls" if is_of_recordings(dropped) else "requests"
    return [f"{amount(dropped)} of {of}{up_to} were dropped, and are missing where {what} are read"]
