"""``iotrace curve``: miss-ratio curves of LRU caches of every size, and other policies at chosen sizes."""

from iotrace.cli.curves import BlockAnalysis, show_blocks
from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.objects import show_objects
from iotrace.cli.options.block_budget import block_budget
from iotrace.cli.options.curve import CurveOptions
from iotrace.cli.options.curve_help import EPILOG
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.policies import FILE_VARIANTS, VARIANTS, chosen
from iotrace.cli.output import OutputWithBars, refuse_to_overwrite
from iotrace.option.rules import Caches, Given

SETTINGS = {"epilog": EPILOG}


@grouped
def curve(
    trace: TraceArgument, *, options: CurveOptions, given: Given, output: OutputWithBars, raw: RawTrace
) -> None:
    """Compute the miss ratios of LRU caches of every size, exactly in one pass, or estimated (--sample).

    A terminal table has miss ratios at sizes that double; csv, json and parquet have the counts of table
    curve (iotrace schema curve) at every size where one changes. With --sizes, all have those sizes.
    The block miss ratio counts blocks, as most cache simulators do; the request miss ratio counts requests.
    --policy compares replacement policies; --fetch and --coalesce count disk reads and writes.
    """
    refuse_to_overwrite(options.plot, output.force, "--plot")
    options.check()
    cache, policies = options.cache(), options.policies()
    opened = raw.opened(trace, as_blocks=options.block is not None)
    opened.family.check_answers("accesses", opened.name)
    caches = options.caches(opened)
    given.refuse_others(opened.name, caches)
    if caches is Caches.OBJECTS:
        show_objects(opened, options, output)
        return
    further = FILE_VARIANTS if opened.family.has_model else ()
    policies = chosen(policies, VARIANTS, "caches of blocks", further)
    cache.sizes_blocks(options.sizes_bytes() or [])
    store = options.part.of_caches(opened, output.is_interactive)
    requests = options.requests(store, block_budget(options.budget, cache.block_bytes))
    show_blocks(BlockAnalysis(requests, cache, trace.name, options, output), policies)
