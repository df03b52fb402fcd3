"""The records of a trace that were skipped, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from iotrace.libraries import pl

EXCERPT = 120


class Skips:
    """Counts the records that were skipped by reason, with the first one's number and look.

    A record may be several rows, of requests that it stands for: it counts once.
    """

    def __init__(self) -> None:
        self.reasons: dict[str, dict[str, Any]] = {}
        self.of_file: dict[str, dict[str, Any]] = {}
        """The same of the file that is being read."""

    def count(self, checked: pl.DataFrame, excerpt: Callable[[int], str]) -> None:
        """Count the rows that have a reason."""
        rows = checked.filter(pl.col("reason").is_not_null()).group_by("reason", maintain_order=True)
        counted = rows.agg(pl.col("record").first(), lines=pl.col("record").n_unique())
        for reason, record, lines in counted.iter_rows():
            for reasons in (self.reasons, self.of_file):
                if reason not in reasons:
                    reasons[reason] = {"lines": 0, "first_line": record, "excerpt": shown(excerpt(record))}
                reasons[reason]["lines"] += lines

    @property
    def total(self) -> int:
        """All that was skipped."""
        return sum(reason["lines"] for reason in self.reasons.values())

    def warnings(self, records: int) -> list[str]:
        """Say how many of ``records`` records were skipped, and why; nothing if none was."""
        if not self.reasons:
            return []
        reasons = ", ".join(f"{skipped['lines']:,} {name}" for name, skipped in self.reasons.items())
        return [f"{self.total:,} of {records:,} records were skipped: {reasons}"]


def shown(text: str) -> str:
    r"""Return the beginning of a line, with what is not printable as ``\xHH``."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:EXCERPT])
