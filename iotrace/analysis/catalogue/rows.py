"""The row of one store in a catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import duckdb

from iotrace.analysis import jobs
from iotrace.analysis.answers.ask import first_screen
from iotrace.analysis.answers.kept import kept
from iotrace.analysis.answers.screen import FirstScreen
from iotrace.analysis.overview import statistics
from iotrace.errors import IotraceError, is_interruption, reason
from iotrace.families import counts_jobs
from iotrace.files import transfers
from iotrace.files.remote import Address, Place
from iotrace.store import appended
from iotrace.store import manifest as manifests
from iotrace.store.store import Store, read

MOST_NAMED = 3
"""The most machines or jobs of one store that are named."""
BYTES, LENGTHS = "bytes_by_origin", "references_by_type"
WHOLE, PARTIAL, REFUSED, DROPPED = "whole", "partial", "refused", "dropped"


def row(name: str, place: Place, is_quick: bool = False) -> dict[str, Any]:
    """Return the row of the store at a place, by its name in the catalogue: result `catalogue`.

    A quick one has what the manifest says, and answers only where another command computed them. A store that cannot be
    read has a row, too, which says why.
    """
    try:
        store = read(place)
    except (IotraceError, OSError) as error:
        return _refused(name, str(error) if isinstance(error, IotraceError) else reason(error))
    try:
        return {"store": name} | _of(store, is_quick)
    except (IotraceError, duckdb.Error, OSError) as error:
        if is_interruption(error):
            raise
        return _refused(name, reason(error).splitlines()[0])


def partitions(store: Store) -> list[dict[str, Any]]:
    """Return the rows of the partitions of a store that grows: what was found in each when it was appended."""
    return [
        {
            **(one.get(appended.ANSWERS) or {}),
            "store": one[appended.NAME],
            "status": (PARTIAL if one["damage"] else WHOLE) if one[appended.HAS_ROWS] else DROPPED,
            "problem": "; ".join(one["damage"]) or None,
            "family": store.family.name,
            "format": store.manifest["format"],
            "started_at": _instant(
                one["times"]["first_ns"] if store.manifest["times"]["base"] == "epoch" else None
            ),
            "seconds": one["duration_ns"] / 1e9,
        }
        for one in appended.entries(store)
    ]


def _refused(name: str, why: str) -> dict[str, Any]:
    return {"store": name, "status": REFUSED, "problem": why}


def _of(store: Store, is_quick: bool) -> dict[str, Any]:
    manifest = store.manifest
    damage = manifest.get("damage") or []
    known = {
        "status": PARTIAL if damage else WHOLE,
        "problem": "; ".join(damage) or None,
        "family": store.family.name,
        "format": manifest["format"],
        "host": manifest["host"] or _named(manifest.get("nodes") or []),
        "program": _command(manifest.get("command")),
        "started_at": _instant(manifests.started_ns(manifest)),
        "seconds": None if store.length_ns is None else store.length_ns / 1e9,
        "stored_bytes": sum(map(_stored_bytes, store.stored_paths)),
    }
    if not is_quick:
        return known | _moved(store) | _answers(kept(store, lambda: first_screen(store)))
    try:
        return known | _answers(kept(store, _none))
    except _NotKeptError:
        return known


class _NotKeptError(Exception):
    """No first screen of a store is kept."""


def _none() -> FirstScreen:
    raise _NotKeptError


def _moved(store: Store) -> dict[str, Any]:
    """Return the bytes that reads and writes moved; of counters of jobs also what ran, when and for how long."""
    if not counts_jobs(store.tables):
        results = statistics(store, [BYTES, LENGTHS], {})
        requests, unknown = (
            sum(results[LENGTHS][name].to_pylist()) for name in ("requests", "unknown_lengths")
        )
        of_calls = [row for row in results[BYTES].to_pylist() if row["origin"] == "calls"]
        moved = [row[name] for row in of_calls for name in ("bytes_read", "bytes_written")]
        return {"bytes": None if 0 < requests == unknown else _of_63_bits(sum(moved))}
    ran = jobs.rows(store).to_pylist()
    starts = [job["start_ns"] for job in ran if job["start_ns"] is not None]
    times_s = [job["run_s"] for job in ran if job["run_s"] is not None]
    moved = [job[name] for job in ran for name in ("bytes_read", "bytes_written") if job[name] is not None]
    return {
        "job": _named([str(job["job_id"]) for job in ran if job["job_id"] is not None]),
        "program": _named([job["program"] for job in ran if job["program"]]),
        "started_at": _instant(min(starts, default=None)),
        "seconds": sum(times_s) if times_s else None,
        "bytes": _of_63_bits(sum(moved)) if moved else None,
    }


def _answers(screen: FirstScreen) -> dict[str, Any]:
    """Return the columns that the first screen has; those of the finding are null without advice."""
    first = screen.change.amounts[0] if screen.change is not None and screen.change.amounts else None
    unit = screen.change.unit if screen.change is not None else ""
    at_stake = None if first is None else first.value
    cache = screen.cache
    has_knee = cache is not None and cache.is_in_bytes and not cache.is_of_memory
    return {
        "headline": screen.headline.sentence,
        "finding": first and first.key,
        "at_stake_s": at_stake if unit == "s" else None,
        "at_stake_bytes": round(at_stake) if unit == "bytes" and at_stake is not None else None,
        "knee_bytes": cache.knee if cache is not None and has_knee else None,
    }


def _stored_bytes(path: Place) -> int:
    return transfers.size_bytes(path) if isinstance(path, Address) else path.stat().st_size


def _of_63_bits(number: int) -> int | None:
    """Return a number, or None for one that no table can hold, as of a damaged log."""
    return number if number <= manifests.MOST else None


def _named(names: list[str]) -> str | None:
    """Return names that are different, the first of many."""
    different = list(dict.fromkeys(names))
    more = len(different) - MOST_NAMED
    return ", ".join(different[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "") or None


def _command(command: Any) -> str | None:
    return " ".join(map(str, command)) if isinstance(command, list) else command


def _instant(ns: int | None) -> datetime | None:
    try:
        return None if ns is None else datetime.fromtimestamp(ns // 10**9, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None


def state(place: Place) -> Mapping[str, Any]:
    """Return sizes, times and inodes of the files of a store, by which a change is seen."""
    if isinstance(place, Address):
        return {"objects": transfers.state([place])}
    status = {path.name: path.stat() for path in sorted(place.iterdir())}
    return {name: [one.st_size, one.st_mtime_ns, one.st_ino] for name, one in status.items()}
