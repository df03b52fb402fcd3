"""``iotrace paper kotz``: the programs of the paper on parallel file systems, simulated."""

from __future__ import annotations

from functools import partial

from iotrace.papers.kotz import page
from iotrace.papers.kotz.cells import cells, points
from iotrace.papers.kotz.judging import judge
from iotrace.papers.kotz.memo import PaperMemo
from iotrace.papers.page import split
from iotrace.papers.reproduction import PaperRequest, PaperResult, Part, Progress, Work


def reproduce(request: PaperRequest) -> Work:
    """Return the simulations of the paper, which needs no trace."""
    return partial(_made, request.part)


def _made(part: Part, progress: Progress) -> PaperResult:
    memo = PaperMemo()
    memo.prepare(part is not Part.CELLS, progress)
    if part is Part.CELLS:
        return PaperResult({"Cells": cells(memo)})
    progress("judging the findings")
    findings = judge(memo)
    if part is Part.FINDINGS:
        return PaperResult({"Findings": findings})
    made = {"cells": cells(memo), "points": points(memo), "findings": findings}
    progress("writing the page")
    tables = {**split(made["cells"], "table"), **split(made["points"], "figure"), "findings": findings}
    return PaperResult(tables, page.write(made))
