"""``iotrace paper vilayannur``: what each level of a cluster's caches costs, and the paper's figures simulated."""

from functools import partial

import pyarrow as pa

from iotrace.errors import IotraceError, UsageError
from iotrace.papers.answering import answer
from iotrace.papers.page import split
from iotrace.papers.reproduction import PaperPart, PaperRequest, PaperResult, Progress, Work
from iotrace.papers.vilayannur import page
from iotrace.papers.vilayannur.cells import cells, figure_values
from iotrace.papers.vilayannur.judging import judge
from iotrace.papers.vilayannur.memo import PaperMemo
from iotrace.papers.vilayannur.readings import moving
from iotrace.papers.vilayannur.simulating import Reading, Simulation, by_readings
from iotrace.simulate.cluster.costs import components


def reproduce(request: PaperRequest) -> Work:
    """Open the traces, which figures 12 and 13 are of, and read the components."""
    for trace in request.traces.values():
        if trace.suffix == ".parquet":
            raise UsageError(
                f"{trace}: programs are not taken here, only traces (iotrace cluster runs programs)"
            )
    costs = components(request.options.costs)
    stores = {name: request.open(trace, None) for name, trace in request.traces.items()}
    for name, store in stores.items():
        if store.family.has_disks:
            raise IotraceError(
                f"{name}: is made of {store.family.rows}; the paper is about the files of programs"
            )
    simulation = Simulation(costs, stores, Reading(global_per_file=request.options.global_per_file))
    return partial(_made, simulation, request)


def _made(simulation: Simulation, request: PaperRequest, progress: Progress) -> PaperResult:
    """Return the tables; the cells need no simulation. Readings that are asked for stand alone, but on the page."""
    memo, part, has_readings = simulation.memo(), request.part, request.options.readings
    if has_readings and part is not PaperPart.PAGE:
        readings = by_readings(simulation, progress)
        return PaperResult({"Readings": moving(readings) if request.to_read else readings})
    if part is not PaperPart.CELLS:
        memo.prepare(progress)

    def written(cells: pa.Table, findings: pa.Table) -> PaperResult:
        return whole(memo, cells, findings, by_readings(simulation, progress) if has_readings else None)

    parts = partial(cells, simulation.components), partial(judge, memo), written
    return answer(part, progress, *parts, request.to_read)


def whole(
    memo: PaperMemo, cells: pa.Table, findings: pa.Table, readings: pa.Table | None = None
) -> PaperResult:
    """Return the page and its files: each table and figure of the paper, the findings, and readings if there are."""
    figures, judged = figure_values(memo), {"findings": findings}
    if readings is not None:
        judged["readings"] = readings
    tables = split(cells, "table", "table_{}".format) | split(figures, "figure", "figure_{}".format)
    return PaperResult(tables | judged, page.write({"cells": cells, "figures": figures} | judged, memo))
