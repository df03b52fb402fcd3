"""``iotrace paper vilayannur``: what each level of a cluster's caches costs, and the paper's figures simulated."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from iotrace.errors import UsageError
from iotrace.papers.page import split
from iotrace.papers.reproduction import PaperRequest, PaperResult, Part, Progress, Work
from iotrace.papers.vilayannur import page
from iotrace.papers.vilayannur.cells import cells, figure_values
from iotrace.papers.vilayannur.judging import judge
from iotrace.papers.vilayannur.memo import PaperMemo
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
    simulation = Simulation(costs, stores, Reading(global_per_file=request.options.global_per_file))
    return partial(_made, simulation, request.part, request.options.readings)


def _made(simulation: Simulation, part: Part, readings: bool, progress: Progress) -> PaperResult:
    """Return the tables; the cells need no simulation."""
    if part is Part.CELLS:
        return PaperResult({"Cells": cells(simulation.components)})
    memo = simulation.memo()
    memo.prepare(progress)
    if part is Part.FINDINGS:
        return PaperResult({"Findings": judge(memo)})
    return whole(memo, by_readings(simulation, progress) if readings else None)


def whole(memo: PaperMemo, readings: pa.Table | None = None) -> PaperResult:
    """Return the page and its files: each table and figure of the paper, the findings, and readings if there are."""
    shown = {"cells": cells(memo.components), "figures": figure_values(memo), "findings": judge(memo)}
    if readings is not None:
        shown["readings"] = readings
    tables = split(shown["cells"], "table", "table_{}".format)
    tables |= split(shown["figures"], "figure", "figure_{}".format)
    tables |= {name: shown[name] for name in ("findings", "readings") if name in shown}
    return PaperResult(tables, page.write(shown, memo))
