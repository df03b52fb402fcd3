"""Gaps in the numbers of a trace, and the share of its records that were skipped, each with its one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from iotrace import units
from iotrace.store import sampled_files

USUAL_PERCENT = 1.0
"""More than this is said before anything else, unless ``ingest --max-skipped`` says otherwise."""
KEY = "max_skipped_percent"
"""Where a manifest keeps what ``ingest --max-skipped`` said."""
ATTACHED = "attached_ns"
"""Where a manifest keeps for how long strace was attached to processes."""
SHOWN_PERCENT = 90
"""The share of that time that a trace usually shows; less is said."""

BY_FILE = "skipped_by_file"
"""Where it keeps the counts of those of several files that have skipped records."""


@dataclass(frozen=True)
class SkippedRecords:
    """How many of a trace's records were skipped, or of one of its files'.

    Records are what was understood and what was skipped. Lines that are not records are neither: blank ones, strace's
    own notices, and what the traced program wrote to the same standard error.
    """

    skipped: int
    records: int
    most_percent: float = USUAL_PERCENT
    file: str | None = None

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> "SkippedRecords":
        """Return what a store's manifest says of the trace."""
        counts = manifest["counts"]
        skipped = int(counts["skipped_lines"])
        return cls(skipped, skipped + int(counts["parsed"]), float(manifest.get(KEY, USUAL_PERCENT)))

    @classmethod
    def too_many_of(cls, manifest: Mapping[str, Any]) -> list["SkippedRecords"]:
        """Return those that are too many: of the trace, and of each of its files."""
        whole = cls.of(manifest)
        files = [
            cls(counts["skipped"], counts["records"], whole.most_percent, file)
            for file, counts in manifest.get(BY_FILE, {}).items()
        ]
        return [one for one in (whole, *files) if one.are_too_many]

    @property
    def percent(self) -> float:
        """The share; 0 of nothing."""
        return 100 * self.skipped / self.records if self.records else 0.0

    @property
    def are_too_many(self) -> bool:
        """Whether the share is beyond what was said to be acceptable."""
        return self.percent > self.most_percent

    @property
    def sentence(self) -> str:
        """The sentence on them."""
        whose = "the trace's" if self.file is None else f"{self.file}'s"
        return (
            f"{_shown(self.percent)} % of {whose} records could not be read ({self.skipped:,} of {self.records:,});"
            " they are missing from all numbers"
        )


def cautions(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what stands before a verdict: sentences where input is damaged or too many records were skipped."""
    from iotrace.formats.reading.open_ends import LEFT_OUT  # the formats take long to load

    damage = tuple(
        f"{damaged}."
        if damaged.endswith(LEFT_OUT)
        else f"{damaged}: what follows there is missing from all numbers."
        for damaged in manifest.get("damage") or ()
    )
    too_many = (f"{skipped.sentence}." for skipped in SkippedRecords.too_many_of(manifest))
    sampled = sampled_files.sentence(manifest)
    return (
        *damage,
        *too_many,
        *losses(manifest),
        *_unseen_time(manifest),
        *([f"{sampled}."] if sampled else []),
    )


def losses(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence on calls of which the trace lacks a half, and on records that its recorder lost, if any."""
    seen = manifest.get("seen") or {}
    calls, records = int(seen.get("lost_calls") or 0), int(seen.get("lost_records") or 0)
    parts = []
    if calls:
        lacking = units.plural(calls, "call is", "calls are")
        parts.append(f"at least {lacking} incomplete (the beginning or the end is not in the trace)")
    if records:
        parts.append(f"the recorder says that it lost {units.plural(records, 'record', 'records')}")
    sentences = []
    if parts:
        lost = " and ".join(parts)
        sentences.append(
            f"{lost[0].upper()}{lost[1:]}: the true numbers of calls and bytes are at least those shown. Offsets after"
            " a loss count from an unknown place until a call shows the position; descriptors are taken to keep their"
            " files."
        )
    if events := int(seen.get("lost_events") or 0):
        sentences.append(
            f"The recorder lost {units.plural(events, 'event', 'events')} of threads' waits, the page cache or disks:"
            " how long threads waited and for what, and what reads found in memory, is not exact."
        )
    return tuple(sentences)


def _unseen_time(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence where calls of an attached process span much less than the time for which it was traced."""
    attached_ns = 0 if "part" in manifest else manifest.get(ATTACHED, 0)
    run_ns = manifest["counts"]["duration_ns"] or 0
    if 100 * run_ns >= SHOWN_PERCENT * attached_ns:
        return ()
    return (
        f"The recorder was attached for {units.duration(attached_ns)}, of which the trace shows"
        f" {units.duration(run_ns)}: what the threads did before their first call and after their last is not known.",
    )


def _shown(percent: float) -> str:
    """Return a share so that one above a bound of whole percents does not look equal to it."""
    return f"{percent:.3g}" if percent < 99.95 else f"{percent:.2f}"
