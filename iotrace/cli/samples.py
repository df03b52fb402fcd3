"""How ``iotrace curve --sample`` estimates curves and compares policies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.cli.options.curve import ALONE
from iotrace.cli.options.policies import VARIANTS, chosen
from iotrace.cli.output import Output
from iotrace.cli.tables.sampled import draw_sampled, emit_sampled, emit_sampled_policies

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.requests import Requests
    from iotrace.cli.options.curve import CurveOptions
    from iotrace.cli.options.sample import SampleOptions
    from iotrace.workers import WorkerSpec


def run_sampled(
    requests: Requests,
    cache: Cache,
    trace: str,
    options: CurveOptions,
    sample: SampleOptions,
    plot: Path | None,
    output: Output,
    wanted: WorkerSpec,
) -> None:
    """Estimate what the options ask for, and write it; the workers wanted take slices of the trace."""
    sampling = sample.sampling(requests, cache.block_bytes)
    if policies := chosen(options.policies(plot is not None), VARIANTS, "caches of blocks"):
        rows, curves = requests.sampled_policies(
            cache, sampling, policies, options.sizes_bytes(), options.protected
        )
        emit_sampled_policies(rows, curves, policies, options.where, output)
        return
    if wanted.is_one:
        curves = requests.sampled(cache, sampling, options.syncs_value)
    else:
        with wanted.started() as workers:
            curves = requests.sampled(cache, sampling, options.syncs_value, workers)
    draw_sampled(curves, plot, trace)
    alone = options.coalesce == ALONE
    emit_sampled(curves, options.sizes_bytes(), options.where, output, alone=alone)
