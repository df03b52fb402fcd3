"""``iotrace paper kotz``: the programs of the paper on parallel file systems, simulated."""

from __future__ import annotations

from functools import partial

from iotrace.papers.kotz import page
from iotrace.papers.kotz.cells import cells, points
from iotrace.papers.kotz.judging import judge
from iotrace.papers.kotz.study import Study
from iotrace.papers.page import split
from iotrace.papers.reproduction import Asked, Made, Part, Progress, Work


def reproduce(asked: Asked) -> Work:
    """Return the simulations of the paper, which needs no trace."""
    return partial(_made, asked.part)


def _made(part: Part, progress: Progress) -> Made:
    study = Study()
    study.prepare(part is not Part.CELLS, progress)
    if part is Part.CELLS:
        return Made({"Cells": cells(study)})
    progress("judging the findings")
    findings = judge(study)
    if part is Part.FINDINGS:
        return Made({"Findings": findings})
    made = {"cells": cells(study), "points": points(study), "findings": findings}
    progress("writing the page")
    tables = {**split(made["cells"], "table"), **split(made["points"], "figure"), "findings": findings}
    return Made(tables, page.write(made))
