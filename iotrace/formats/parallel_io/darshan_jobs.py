"""The jobs of Darshan's logs as rows of tables darshan_job and darshan_mount, and the warnings about damaged logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import SourceNotes
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.libraries import pa

MOST_NAMED = 10
"""Of how many logs what is partial or damaged is said; table darshan_job has it of all."""
LATEST_NS = 2**62
"""No job starts or ends later, in 2116, or runs longer."""


class JobRows:
    """A row for each log that was read or refused."""

    def __init__(self, notes: SourceNotes) -> None:
        self.notes = notes
        self._jobs: list[dict[str, Any]] = []
        self._mounts: list[dict[str, Any]] = []
        self._refused: list[str] = []
        self._damaged: list[str] = []
        self._partial: list[str] = []

    @property
    def last(self) -> int:
        """The number of the job of the log that was read last."""
        return len(self._jobs) - 1

    def refuse(self, log: str, why: str) -> None:
        """Add a log of which nothing can be read."""
        self._jobs.append({"job": len(self._jobs), "log": log, "status": "refused", "damage": why})
        self._refused.append(f"{log}: {why}")

    def add(self, log: str, about: Mapping[str, Any]) -> None:
        """Add a log that was read."""
        job = len(self._jobs)
        metadata = dict(about["metadata"])
        partial = [module["name"] for module in about["modules"] if module["is_partial"]]
        damage = list(about["damage"])
        run_ns = about["run_ns"]
        start_ns = about["start_s"] * NS_PER_S + about["start_part_ns"]
        self._jobs.append(
            {
                "job": job,
                "log": log,
                "status": "damaged" if damage else "partial" if partial else "whole",
                "format": about["format"],
                "byte_order": about["byte_order"],
                "compression": about["compression"],
                "job_id": about["job_id"],
                "uid": about["uid"],
                "program": about["program"] or None,
                "start_ns": start_ns if 0 <= start_ns < LATEST_NS else None,
                "run_ns": run_ns if run_ns is not None and run_ns < LATEST_NS else None,
                "ranks": about["processes"],
                "nodes": about["nodes"],
                "library": metadata.get("lib_ver"),
                "hints": metadata.get("h"),
                "modules": ", ".join(module["name"] for module in about["modules"]) or None,
                "partial_modules": ", ".join(partial) or None,
                "damage": "; ".join(damage) or None,
            }
        )
        self._mounts += [{"job": job, "path": path, "type": kind} for path, kind in about["mounts"]]
        if damage:
            self._damaged.append(f"{log}: {'; '.join(damage)}")
        for name in partial:
            what = (
                "holds only a part of what was done"
                if name.startswith("DXT_")
                else "is not of all files, and its counters are lower bounds"
            )
            self._partial.append(f"{log}: Darshan's memory ran out: module {name} {what}")

    def end(self) -> str | None:
        """Note what is partial and damaged; return why, if no log could be read."""
        if len(self._refused) == len(self._jobs):
            return "; ".join(_some(self._refused))
        self.notes.warnings += _some(self._partial)
        self.notes.damage += _some([*self._refused, *self._damaged])
        return None

    def tables(self) -> list[tuple[str, pa.RecordBatch]]:
        """Return the rows of both tables."""
        return [
            ("darshan_job", tables.of_rows("darshan_job", self._jobs)),
            ("darshan_mount", tables.of_rows("darshan_mount", self._mounts)),
        ]


def _some(sentences: Sequence[str]) -> list[str]:
    """Return the first of many sentences, and how many more there are."""
    more = len(sentences) - MOST_NAMED
    return [*sentences[:MOST_NAMED], *([f"and {more:,} more, in table darshan_job"] if more > 0 else [])]
