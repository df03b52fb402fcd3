"""``iotrace curve``: exact miss-ratio curves of LRU caches of every size, and other policies at chosen sizes."""

from iotrace.analysis.block_budget import Budget
from iotrace.cli.former_doors import CurveDoors, Door
from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.options.block_budget import BudgetOption, block_budget
from iotrace.cli.options.curve import CurveOptions, PlotOption
from iotrace.cli.options.device import HELP
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.policies import VARIANTS, variants
from iotrace.cli.options.state import StateOptions
from iotrace.cli.output import Output, refuse_to_overwrite
from iotrace.cli.states import run_state
from iotrace.cli.tables.curve import draw_curves, emit_curves, emit_policies, warn_of_counts
from iotrace.cli.tables.disk_accesses import emit_disk_accesses
from iotrace.cli.terminal import warn_of

SETTINGS = {
    "epilog": f"""
[b]Examples[/b]

 iotrace curve strace.log                              miss ratios at sizes that double
 iotrace curve build.iotrace --block 4K --format csv   every size at which a count changes
 iotrace curve build.iotrace --sizes 64K,1M,16M --by type
 iotrace curve build.iotrace --where "type = 'datafile'" --by "program like '%/cc1'"
 iotrace curve build.iotrace --plot curve.html
 iotrace curve monday.iotrace --state -o monday.state  for iotrace merge-curves
 iotrace curve build.iotrace --policy lru,slru,opt --sizes 1M,16M,64M
 iotrace curve build.iotrace --policy all --format csv  every policy, 64K to 256M
 iotrace curve build.iotrace --fetch 4K,64K --coalesce 25  disk reads and writes
 iotrace paper richardson strace.log --chapter 4       the dissertation's figures for this trace, its findings judged

[b]Variants of the policies[/b]

{variants(VARIANTS)}
"""
    + HELP
}


@grouped
def curve(
    trace: TraceArgument,
    *,
    options: CurveOptions,
    doors: CurveDoors,
    states: StateOptions,
    plot: PlotOption = None,
    budget: BudgetOption = Budget.CURVE.value,
    output: Output,
    raw: RawTrace,
) -> None:
    """Compute the exact miss ratios of LRU caches of every size. One pass over the trace suffices.

    A terminal table has miss ratios at sizes that double; csv, json and parquet have the counts of table
    curve (iotrace schema curve) at every size where one changes. With --sizes, all have those sizes.
    block_miss_ratio counts blocks, as most cache simulators do; request_miss_ratio counts requests.
    With --policy, caches of those replacement policies are compared, and with the LRU cache that does as well.
    With --fetch or --coalesce, disk reads and writes are counted (iotrace schema disk_accesses).
    """
    refuse_to_overwrite(plot, output.force, "--plot")
    from iotrace.analysis.curves.curves import tally
    from iotrace.analysis.curves.requests import Requests

    if doors.run(Door([trace], output, raw), options, plot):
        return
    states.refuse_without_effect(options, plot, output)
    policies, access = options.policies(plot is not None), options.disk_access(plot is not None)
    cache, sizes = options.cache(), options.sizes_bytes()
    blocks = block_budget(budget, cache.block_bytes)
    requests = Requests(raw.open(trace), blocks, options.where, options.population, options.by)
    if states.is_used:
        run_state(requests, cache, trace.name, options, states, output)
        return
    if policies:
        rows = requests.policies(cache, policies, sizes, options.protected)
        warn_of_counts(tally(rows), options.where)
        emit_policies(rows, policies, cache.block_bytes, output)
        return
    if access:
        rows = requests.disk_accesses(cache, access, sizes)
        warn_of_counts(tally(rows), options.where)
        emit_disk_accesses(rows, cache, access, output)
        return
    curves = requests.curves(cache, options.syncs.value if options.syncs else None, options.split)
    warn_of_counts(curves.counts, options.where)
    if options.warm_up is not None and not curves.table(sizes)["block_references"].to_numpy().any():
        warn_of("the trace ends before the warm-up: nothing was counted")
    if plot is not None:
        draw_curves(curves, plot, trace.name)
    emit_curves(curves, sizes, output)
