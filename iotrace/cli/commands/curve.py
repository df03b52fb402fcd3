"""``iotrace curve``: miss-ratio curves of LRU caches of every size, and other policies at chosen sizes."""

from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.options.block_budget import BudgetOption, block_budget
from iotrace.cli.options.curve import ALONE, CurveOptions, PlotOption
from iotrace.cli.options.curve_help import EPILOG
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.policies import VARIANTS, chosen
from iotrace.cli.options.sample import SampleOptions
from iotrace.cli.options.state import StateOptions
from iotrace.cli.output import Output, refuse_to_overwrite
from iotrace.cli.samples import run_sampled
from iotrace.cli.states import run_state
from iotrace.cli.tables.curve import emit_policies, show_curves
from iotrace.cli.tables.disk_accesses import emit_disk_accesses
from iotrace.cli.tables.objects import show_objects

SETTINGS = {"epilog": EPILOG}


@grouped
def curve(
    trace: TraceArgument,
    *,
    options: CurveOptions,
    states: StateOptions,
    sample: SampleOptions,
    plot: PlotOption = None,
    budget: BudgetOption = Budget.CURVE.value,
    output: Output,
    raw: RawTrace,
) -> None:
    """Compute the miss ratios of LRU caches of every size, exactly in one pass, or estimated (--sample).

    A terminal table has miss ratios at sizes that double; csv, json and parquet have the counts of table
    curve (iotrace schema curve) at every size where one changes. With --sizes, all have those sizes.
    block_miss_ratio counts blocks, as most cache simulators do; request_miss_ratio counts requests.
    --policy compares replacement policies; --fetch and --coalesce count disk reads and writes.
    """
    refuse_to_overwrite(plot, output.force, "--plot")
    states.refuse_without_effect(options, plot, output)
    sample.refuse_without_effect(options, states.is_used)
    policies, access = options.policies(plot is not None), options.disk_access(plot is not None)
    cache, sizes, workers = options.cache(), options.sizes_bytes(), options.worker_spec(states.is_used)
    opened = raw.opened(trace, of_blocks=options.block is not None)
    others = {"--plot": plot is not None, "--state": states.is_used, "--sample": sample.is_used}
    if (asked := options.asked_of_objects(opened, others)) is not None:
        show_objects(opened, *asked, options, sizes, output)
        return
    policies = chosen(policies, VARIANTS, "caches of blocks")
    cache.sizes_blocks(sizes or [])
    store = options.part.of_caches(opened, output.is_to_read)
    requests = options.requests(store, block_budget(budget, cache.block_bytes))
    if states.is_used:
        run_state(requests, cache, trace.name, options, states, output)
    elif sample.is_used:
        run_sampled(requests, cache, trace.name, options, sample, plot, output, workers)
    elif policies:
        rows = requests.policies(cache, policies, sizes, options.protected)
        alone = options.coalesce == ALONE
        emit_policies(rows, policies, cache.block_bytes, options.where, output, alone=alone)
    elif access:
        emit_disk_accesses(requests.disk_accesses(cache, access, sizes), cache, access, options.where, output)
    else:
        curves = options.curves(requests, cache, workers, are_doublings=output.is_table)
        show_curves(curves, requests, options, plot, trace.name, output)
