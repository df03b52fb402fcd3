"""``iotrace paper vilayannur``: what its options say, as simulations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.cli.inputs import open_trace
from iotrace.cli.papers.dissertation import names
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.papers.vilayannur.simulating import Simulation


def simulation(traces: list[Path], costs: str, global_per_file: bool, trace_format: str | None) -> Simulation:
    """Open traces and read the components; raises UsageError or IotraceError for what makes no sense."""
    from iotrace.papers.vilayannur.simulating import Reading, Simulation
    from iotrace.simulate.cluster.costs import components

    for trace in traces:
        if trace.suffix == ".parquet":
            raise UsageError(
                f"{trace}: programs are not taken here, only traces (iotrace cluster runs programs)"
            )
    taken = components(costs)
    stores = {
        name: open_trace(trace, None, trace_format) for name, trace in zip(names(traces), traces, strict=True)
    }
    return Simulation(taken, stores, Reading(global_per_file=global_per_file))
