"""``iotrace paper kotz``: the programs of the paper on parallel file systems, simulated."""

from functools import partial

import pyarrow as pa

from iotrace.papers.answering import answer
from iotrace.papers.kotz import page
from iotrace.papers.kotz.cells import cells, points
from iotrace.papers.kotz.judging import judge
from iotrace.papers.kotz.memo import PaperMemo
from iotrace.papers.kotz.readings import by_readings, moving
from iotrace.papers.page import split
from iotrace.papers.reproduction import PaperPart, PaperRequest, PaperResult, Progress, Work


def reproduce(request: PaperRequest) -> Work:
    """Return the simulations of the paper, which needs no trace."""
    return partial(_made, request)


def _made(request: PaperRequest, progress: Progress) -> PaperResult:
    """Return the tables; readings that are asked for stand alone, but on the page."""
    memo, part, has_readings = PaperMemo(), request.part, request.options.readings
    if has_readings and part is not PaperPart.PAGE:
        readings = by_readings(memo, progress)
        return PaperResult({"Readings": moving(readings) if request.to_read else readings})
    memo.prepare(part is not PaperPart.CELLS, progress)

    def written(cells: pa.Table, findings: pa.Table) -> PaperResult:
        return _whole(memo, cells, findings, by_readings(memo, progress) if has_readings else None)

    def shown() -> pa.Table:
        rows = cells(memo)
        return rows.sort_by("overhead") if request.to_read else rows  # calibrated, then zero

    return answer(part, progress, shown, partial(judge, memo), written, request.to_read)


def _whole(memo: PaperMemo, cells: pa.Table, findings: pa.Table, readings: pa.Table | None) -> PaperResult:
    judged = {"findings": findings} | ({} if readings is None else {"readings": readings})
    drawn = points(memo)
    tables = split(cells, "table") | split(drawn, "figure") | judged
    return PaperResult(tables, page.write({"cells": cells, "points": drawn} | judged))
