"""Answers of a reproduction: its cells, its findings, or the page of both."""

from collections.abc import Callable

import pyarrow as pa

from iotrace.papers.findings.tally import for_a_terminal
from iotrace.papers.reproduction import PaperPart, PaperResult, Progress


def answer(
    part: PaperPart,
    progress: Progress,
    cells: Callable[[], pa.Table],
    judge: Callable[[], pa.Table],
    page: Callable[[pa.Table, pa.Table], PaperResult],
    to_read: bool = False,
) -> PaperResult:
    """Return the cells or the findings alone, or the page, made of both, with its tables.

    Findings that are `to_read` on a terminal come with their counts, and with the columns that fit it.
    """
    if part is PaperPart.CELLS:
        return PaperResult({"Cells": cells()})
    progress("judging the claims")
    findings = judge()
    if part is PaperPart.FINDINGS:
        return PaperResult(for_a_terminal(findings) if to_read else {"Findings": findings})
    progress("writing the page")
    return page(cells(), findings)
