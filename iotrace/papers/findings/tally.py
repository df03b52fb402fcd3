"""What pages say of the verdicts on a paper's findings."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from iotrace.papers.findings import IN_FULL, Verdict, counted


def tally(counts: Mapping[Verdict, int], where: str = "") -> Markup:
    """Say how many of a paper's findings have each verdict; `where` they were judged is text or markup."""
    return Markup("Of the paper's {} findings, <b>{}</b>{}.").format(
        sum(counts.values()), counted(counts, IN_FULL), where
    )
