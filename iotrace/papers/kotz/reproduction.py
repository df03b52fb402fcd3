"""``iotrace paper kotz``: the programs of the paper on parallel file systems, simulated."""

from functools import partial

import pyarrow as pa

from iotrace.papers.answering import answer
from iotrace.papers.kotz import page
from iotrace.papers.kotz.cells import cells, points
from iotrace.papers.kotz.judging import judge
from iotrace.papers.kotz.memo import PaperMemo
from iotrace.papers.page import split
from iotrace.papers.reproduction import PaperRequest, PaperResult, Part, Progress, Work


def reproduce(request: PaperRequest) -> Work:
    """Return the simulations of the paper, which needs no trace."""
    return partial(_made, request.part, request.to_read)


def _made(part: Part, to_read: bool, progress: Progress) -> PaperResult:
    memo = PaperMemo()
    memo.prepare(part is not Part.CELLS, progress)
    made = partial(cells, memo), partial(judge, memo), partial(_whole, memo)
    return answer(part, progress, *made, to_read)


def _whole(memo: PaperMemo, cells: pa.Table, findings: pa.Table) -> PaperResult:
    made = {"cells": cells, "points": points(memo), "findings": findings}
    tables = {**split(cells, "table"), **split(made["points"], "figure"), "findings": findings}
    return PaperResult(tables, page.write(made))
