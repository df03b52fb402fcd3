"""System calls as ``perf trace`` and ``perf script`` print them: recorded at low overhead, without strace."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError, reason
from iotrace.families import CALLS
from iotrace.files.temporary import folder_of
from iotrace.formats.format import Format, Run
from iotrace.formats.known_files import KnownFiles, read_known_files
from iotrace.formats.perf.lines import Translator
from iotrace.formats.reading.batches import SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.files import files_of
from iotrace.formats.reading.unpacked import EMPTY_BYTES, Space, most_bytes
from iotrace.libraries import pa

BLANK, COMMENT, NO_CALL = "blank lines", "comments", "not a system call"
LOSSES = "records of losses"
EXCERPT_BYTES = 80
RAW = re.compile(rb"^# arch : (?!x86_64)(\S+)", re.MULTILINE)
LOST = re.compile(
    rb"\bLOST (\d{1,18}) (?:events|EVENTS)\b|\bPERF_RECORD_LOST(?:_SAMPLES)?:? lost:? ?(\d{1,18})"
    rb"|\blost (\d{1,18}) chunks\b"
)
"""What perf trace, perf script --show-lost-events, and perf record at its end say of records that are lost."""
HEAD = re.compile(
    rb"^\s*\d+\.\d{3} \(\s*(?:\d+\.\d+ ms)?\s*\): .*\(|:\s+(?:\d+\s+)?(?:raw_)?syscalls:sys_(?:enter|exit)",
    re.MULTILINE,
)


class PerfRun:
    """A log being read: all of it is put into strace's words first, a file for each thread, which the engine reads."""

    def __init__(self, paths: Sequence[Path], model: Mapping[str, str], known: KnownFiles) -> None:
        self._folder = folder_of(self)
        self._space = Space()
        self._name = str(paths[0])
        self.lines = 0
        self.skipped: dict[str, Any] = {}
        self.remarks = {BLANK: 0, COMMENT: 0, LOSSES: 0}
        self.lost_records = 0
        self.translator = Translator()
        self.notes = SourceNotes()
        self._translate(files_of(paths))
        self._run = self._started(model, known)

    def _translate(self, paths: Sequence[Path]) -> None:
        reading = Reading(paths, self.notes)
        while text := reading.lines()[0]:
            if found := RAW.search(text):
                raise IotraceError(
                    f"{self._name}: was recorded on {found[1].decode(errors='replace')}; the calls of perf script are"
                    " known by number for x86_64 only: record syscalls:* instead of raw_syscalls:*, or use perf trace"
                )
            by_thread: dict[int, list[bytes]] = {}
            for line in text.splitlines():
                self.lines += 1
                translated = self.translator.line(line) or self._leave_out(line)
                if translated is not None and translated[1]:
                    by_thread.setdefault(translated[0], []).append(translated[1])
            for thread, lines in by_thread.items():
                self._append(thread, b"\n".join(lines) + b"\n")
        for thread, words in self.translator.rest():
            self._append(thread, words + b"\n")

    def _append(self, thread: int, text: bytes) -> None:
        place = self._folder / f"log.{max(thread, 0)}"
        self._space.reserve(len(text) + (0 if place.exists() else EMPTY_BYTES), self._name)
        try:
            with place.open("ab") as log:
                log.write(text)
        except OSError as error:
            raise IotraceError(
                f"{self._name}: needs temporary space, and there is none: {reason(error)}; set TMPDIR"
            ) from None

    def _leave_out(self, line: bytes) -> tuple[int, bytes] | None:
        """Count a line that is not a call; return what stands for a loss in strace's words, as the translator does."""
        stripped = line.strip()
        if found := LOST.search(stripped):
            lost = int(next(filter(None, found.groups())))
            self.lost_records += lost
            self.remarks[LOSSES] += 1
            return self.translator.loss(lost)
        if not stripped or stripped.startswith(b"#"):
            self.remarks[COMMENT if stripped else BLANK] += 1
            return None
        excerpt = stripped[:EXCERPT_BYTES].decode("utf-8", "replace")
        first = {"lines": 0, "first_line": self.lines, "excerpt": excerpt}
        self.skipped.setdefault(NO_CALL, first)["lines"] += 1
        return None

    def _started(self, model: Mapping[str, str], known: KnownFiles) -> Run:
        from iotrace.engine import native

        logs = sorted(self._folder.iterdir())
        if not logs:
            where = self.skipped.get(NO_CALL)
            said = f"; line {where['first_line']} is: {where['excerpt']}" if where else ""
            raise IotraceError(
                f"{self._name}: is no perf log: none of its {self.lines:,} lines is a system call{said}"
            )
        return native.SyscallRun(
            "strace", [str(log) for log in logs], list(model.items()), "time", known, most_bytes()
        )

    def tables(self) -> list[str]:
        """Return the names of the tables that will come."""
        return self._run.tables()

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on; return the batches that are complete, or None at the end."""
        return self._run.next()

    def progress(self) -> tuple[int, int | None]:
        """Return how many bytes of strace's words were read, and how many there are."""
        return self._run.progress()

    def report(self) -> dict[str, Any]:
        """Return counts and warnings, at the end: of the lines of the log, not of the words made of them."""
        report = self._run.report()
        counts, inner = report["counts"], report["counts"]["skipped_lines"]
        left_out = sum(entry["lines"] for entry in self.skipped.values())
        counts |= {
            "lines": self.lines,
            "parsed": self.lines - left_out - sum(self.remarks.values()) - inner,
            "skipped_lines": left_out + inner,
        }
        report["skipped"] = {**report["skipped"], **self.skipped}
        report["remarks"] = {
            **report["remarks"],
            **{name: count for name, count in self.remarks.items() if count},
        }
        report["times"] = {**report["times"], "base": "relative", "first_ns": None}
        report["seen"] = {
            **report["seen"],
            "paths_as_pointers": self.translator.raw_paths,
            "lost_records": self.lost_records,
        }
        own = re.compile(re.escape(str(self._folder)) + r"/log\.\d+")
        inner_warnings = [
            own.sub(f"what was made of {self._name}", warning) for warning in report["warnings"]
        ]
        report["warnings"] = [*self._warnings(), *inner_warnings, *self.notes.damage, *self.notes.warnings]
        report["damage"] = report.get("damage") or self.notes.damage
        return report

    def _warnings(self) -> list[str]:
        warnings = [
            f"{entry['lines']:,} lines skipped: {reason}; the first is line {entry['first_line']}: {entry['excerpt']}"
            for reason, entry in self.skipped.items()
        ]
        if self.translator.raw_paths:
            shown_by = "" if self.translator.is_of_perf_trace else ", and so may perf trace"
            warnings.append(
                f"{self.translator.raw_paths:,} paths are pointers in this log: files are known by process and"
                f" descriptor only, and look-ups are missing; iotrace record shows paths{shown_by}"
            )
        return warnings


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    return PerfRun(paths, model, read_known_files(known_files))


FORMAT = Format(
    name="perf",
    family=CALLS,
    description="System calls as perf trace prints them, or perf script of raw_syscalls:* or syscalls:*.",
    endings=".txt .perf",
    recognises=lambda head: HEAD.search(head[:8192]) is not None,
    start=_start,
)
