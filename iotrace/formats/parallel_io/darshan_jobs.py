"""The jobs of Darshan's logs as rows of tables darshan_job and darshan_mount, and the warnings about damaged logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import SourceNotes
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.libraries import pa, pc

MOST_NAMED = 10
"""Of how many logs what is partial or damaged is said; table darshan_job has it of all."""
LATEST_NS = 2**62
"""No job starts or ends later, in 2116, or runs longer."""


@dataclass(frozen=True)
class LogPart:
    """Rows that were read of some logs; their numbers of jobs, records and files begin at 0."""

    jobs: Sequence[Mapping[str, Any]]
    """Rows of table darshan_job."""
    mounts: Sequence[Mapping[str, Any]]
    """Rows of table darshan_mount."""
    files: Sequence[str]
    """The names of files, by their numbers."""
    rows: Sequence[tuple[str, pa.RecordBatch]]
    """Rows of tables darshan_record and darshan_counter."""
    log_bytes: int

    @property
    def records(self) -> int:
        """The number of records."""
        return sum(len(batch) for name, batch in self.rows if name == "darshan_record")

    def numbered(self, jobs: int, records: int, files: Sequence[int]) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yield the rows with numbers that follow those of jobs and records before, and the numbers of files."""
        number_of = pa.array(files, pa.int32())
        changed = {
            "job": lambda column: pc.add(column, pa.scalar(jobs, pa.int32())),
            "record": lambda column: pc.add(column, pa.scalar(records, pa.int64())),
            "file": number_of.take,
            "of_file": number_of.take,
        }
        for name, batch in self.rows:
            columns = [
                changed[described.name](column) if described.name in changed else column
                for described, column in zip(batch.schema, batch.columns, strict=True)
            ]
            yield name, pa.RecordBatch.from_arrays(columns, schema=batch.schema)


class JobRows:
    """A row for each log that was read or refused."""

    def __init__(self, notes: SourceNotes) -> None:
        self.notes = notes
        self.jobs: list[dict[str, Any]] = []
        self.mounts: list[dict[str, Any]] = []
        self._refused: list[str] = []
        self._damaged: list[str] = []
        self._partial: list[str] = []

    @property
    def last(self) -> int:
        """The number of the job of the log that was read last."""
        return len(self.jobs) - 1

    def refuse(self, log: str, why: str) -> None:
        """Add a log of which nothing can be read."""
        self._take({"job": len(self.jobs), "log": log, "status": "refused", "damage": why})

    def add(self, log: str, about: Mapping[str, Any]) -> None:
        """Add a log that was read."""
        job = len(self.jobs)
        metadata = dict(about["metadata"])
        partial = [module["name"] for module in about["modules"] if module["is_partial"]]
        damage = list(about["damage"])
        run_ns = about["run_ns"]
        start_ns = about["start_s"] * NS_PER_S + about["start_part_ns"]
        self._take(
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
        self.mounts += [{"job": job, "path": path, "type": kind} for path, kind in about["mounts"]]

    def add_part(self, part: LogPart) -> None:
        """Add logs that were read as a part."""
        before = len(self.jobs)
        for row in part.jobs:
            self._take({**row, "job": before + row["job"]})
        self.mounts += [{**row, "job": before + row["job"]} for row in part.mounts]

    def _take(self, row: dict[str, Any]) -> None:
        """Add a row, and note what is refused, damaged or partial."""
        self.jobs.append(row)
        log = row["log"]
        if row["status"] == "refused":
            self._refused.append(f"{log}: {row['damage']}")
            return
        if row["damage"]:
            self._damaged.append(f"{log}: {row['damage']}")
        for name in (row["partial_modules"] or "").split(", "):
            if not name:
                continue
            what = (
                "holds only a part of what was done"
                if name.startswith("DXT_")
                else "is not of all files, and its counters are lower bounds"
            )
            self._partial.append(f"{log}: Darshan's memory ran out: module {name} {what}")

    def end(self) -> str | None:
        """Note what is partial and damaged; return why, if no log could be read."""
        if len(self._refused) == len(self.jobs):
            return "; ".join(_some(self._refused))
        self.notes.warnings += _some(self._partial)
        self.notes.damage += _some([*self._refused, *self._damaged])
        return None

    def tables(self) -> list[tuple[str, pa.RecordBatch]]:
        """Return the rows of both tables."""
        return [
            ("darshan_job", tables.of_rows("darshan_job", self.jobs)),
            ("darshan_mount", tables.of_rows("darshan_mount", self.mounts)),
        ]


def _some(sentences: Sequence[str]) -> list[str]:
    """Return the first of many sentences, and how many more there are."""
    more = len(sentences) - MOST_NAMED
    return [*sentences[:MOST_NAMED], *([f"and {more:,} more, in table darshan_job"] if more > 0 else [])]
