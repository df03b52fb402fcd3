"""The output of ``iotrace info``, from a store's manifest alone."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.errors import IotraceError
from iotrace.store import manifest as manifests
from iotrace.store import sampled_files
from iotrace.store.location import is_kept
from iotrace.store.store import Store


def information(store: Store) -> dict[str, Any]:
    """Return what a store's manifest says, counts first.

    ``skipped`` maps each reason for which lines were not understood to their number, the first one's line
    and an excerpt; ``path_agreement`` compares the reconstruction with the kernel's descriptor paths (null
    where the log has none); ``seen`` counts what the file table met; ``damage`` says why the trace was not read to its
    end, a sentence for each place; ``lost_calls`` is how many system calls are not in the trace or lack a half, at
    least; ``backend``, ``recorded_calls`` and ``overhead`` are those of `iotrace record`. ``files`` are those that are
    no inodes, ``processes`` are thread groups, and ``duration_ns`` is the time from the trace's first event to its
    last; the numbers of rows of the tables, which hold inodes, threads and programs too, are in ``tables``. ``kept_as``
    is where the store is that a command made of a raw trace.
    """
    manifest = store.manifest
    counts = manifest["counts"]
    known = {
        "lines": counts["lines"],
        "parsed": counts["parsed"],
        "skipped": manifest["skipped"],
        "remarks": manifest["remarks"],
        **{unit: counts[unit] for unit in ("calls", "requests") if unit in counts},
        "references": counts["references"],
        "files": counts["files"],
        "processes": counts["processes"],
        "uses": counts["uses"],
        "duration_ns": counts["duration_ns"],
        "path_agreement": manifest["path_agreement"],
        "seen": manifest["seen"],
        "damage": manifest.get("damage") or [],
        **({"lost_calls": _lost_calls(manifest)} if "calls" in counts else {}),
        **_recorded(manifest),
        **({"sampled_files_share": share} if (share := sampled_files.share(manifest)) is not None else {}),
        "lacks": manifest.get("lacks", []),
        **{
            member: manifest[member]
            for member in ("skipped_by_file", "nodes", "jobs", "clock_alignment", "coverage")
            if manifest.get(member)
        },
        "times": manifest["times"],
        "format": manifest["format"],
        "model": manifest["model"],
        "sources": manifest["sources"],
        **({"kept_as": str(store.path)} if is_kept(store.path) else {}),
        **({"host": manifest["host"]} if manifest["host"] else {}),
        "iotrace": manifest["iotrace"],
        "tables": manifest["tables"],
        "warnings": manifest["warnings"],
    }
    if store.family.answers("accesses"):
        return known
    return _rows(store) | {name: value for name, value in known.items() if name not in OF_ACCESSES}


OF_ACCESSES = frozenset((
    "lines", "parsed", "skipped", "remarks", "requests", "references", "processes", "uses", "duration_ns",
    "path_agreement", "seen", "lacks", "times", "model",
))  # fmt: skip
"""The members that a store without accesses has not."""


def _rows(store: Store) -> dict[str, int]:
    """Return how many logs, records and counters a store of jobs has."""
    tables = store.manifest["tables"]
    return {
        "logs": tables[store.family.name],
        **{name.rpartition("_")[2] + "s": tables[name] for name in store.family.other_tables},
    }


def counted_rows(store: Store) -> str:
    """Return how much a store of jobs has, with names: 1 log, 5 records."""
    rows = _rows(store) | {"files": store.manifest["counts"]["files"]}
    return ", ".join(units.plural(count, name[:-1], name) for name, count in rows.items())


def _lost_calls(manifest: dict[str, Any]) -> int:
    """Return how many calls are not in a trace, or not whole, at least."""
    seen = manifest["seen"]
    # of recordings of BPF programs, whose lost records are calls, and beginnings and ends of threads
    lost = seen["lost_records"] - seen["lost_lives"] if "lost_lives" in seen else 0
    return int(lost + seen.get("lost_calls", 0))


def _recorded(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return what `iotrace record` recorded with, how many calls, and what it adds to a call; nothing of other logs."""
    if manifests.BACKEND not in manifest:
        return {}
    recording = manifest.get(manifests.RECORDING)
    overhead = {"traced_ns": recording.get("added_ns")} if recording else manifest.get(manifests.OVERHEAD)
    calls = manifest["counts"].get("calls")
    of_calls = {} if calls is None else {"recorded_calls": calls, "overhead": overhead}
    return {"backend": manifest[manifests.BACKEND], **of_calls}


MOST_NODES = 8
"""The most machines named in a table."""


def _summed_up(information: dict[str, Any]) -> dict[str, Any]:
    """Return the information with one value for the machines, and one for the processes whose clocks were aligned."""
    changed = dict(information)
    if nodes := information.get("nodes"):
        named = nodes if len(nodes) <= MOST_NODES else [*nodes[:MOST_NODES], "..."]
        changed["nodes"] = f"{len(nodes):,}: {', '.join(named)}"
    if alignment := information.get("clock_alignment"):
        moved = sum(1 for process in alignment["processes"] if process["moved_ns"])
        changed["clock_alignment"] = {
            **alignment,
            "processes": f"{moved:,} moved of {len(alignment['processes']):,}",
        }
    return changed


def disagreements_table(store: Store) -> pa.Table:
    """Return table disagreement of a store.

    Raises IotraceError if the trace's log has no paths to compare with, or the store is older than the table.
    """
    if "disagreement" not in store.tables:
        why = "it has no system calls" if not store.family.has_model else "ingest the trace again"
        raise IotraceError(f"{store.name}: has no table disagreement: {why}")
    if store.manifest["path_agreement"] is None:
        raise IotraceError(f"{store.name}: its log has no paths of descriptors (strace -y) to compare with")
    return store.arrow("disagreement")


def checked_calls(store: Store) -> tuple[int, int]:
    """Return how many calls could be compared with the kernel's path, and how many have one."""
    agreement = store.manifest["path_agreement"]
    return agreement["checked"], agreement["calls"]


def information_table(information: dict[str, Any]) -> pa.Table:
    """Return the same as a table of items and values, nested ones joined by dots; machines and clocks in sum."""
    information = _summed_up(information)

    rows: list[tuple[str, str]] = []

    def add(name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                add(f"{name}.{key}" if name else str(key), item)
        elif isinstance(value, list):
            for position, item in enumerate(value):
                add(f"{name}.{position + 1}", item)
        elif isinstance(value, int) and not isinstance(value, bool):
            rows.append((name, str(value)))
        else:
            rows.append((name, "" if value is None else str(value)))

    add("", information)
    return pa.table({"item": [name for name, _ in rows], "value": [value for _, value in rows]})


def counted(store: Store, names: Iterable[str]) -> str:
    """Return counts of a store with their names: 1 line, 5 processes."""
    counts = store.manifest["counts"]
    return ", ".join(
        f"{counts[name]:,} {ONE.get(name, name[:-1]) if counts[name] == 1 else name}" for name in names
    )


ONE = {"processes": "process"}
