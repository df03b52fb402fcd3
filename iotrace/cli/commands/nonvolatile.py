"""``iotrace nonvolatile``: a cache of which only a part survives a crash."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace import units
from iotrace.analysis.block_budget import Budget
from iotrace.cli.commands.curve import Deletes, warn_of_nothing
from iotrace.cli.inputs import ModelOption, PopulationOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.options import device as devices
from iotrace.cli.options.block_budget import BudgetOption, block_budget
from iotrace.cli.options.device import DeviceOption, OverheadOption, TransferOption
from iotrace.cli.output import PIECES, ForceOption, Format, FormatOption, OutputOption, refuse_to_overwrite
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.simulate.nonvolatile import TimeSpan, WritePolicy
    from iotrace.store.store import Store

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace nonvolatile strace.log                        four write policies, with and without non-volatile memory
 iotrace nonvolatile build.iotrace --volatile 16M --nonvolatile 0,256K,1M,4M
 iotrace nonvolatile build.iotrace --write-policy periodic,deadline --interval 5s
 iotrace nonvolatile build.iotrace --volatile 0 --nonvolatile 1M,16M --write-policy copy-back
                                                       all of it non-volatile: the dissertation's caches
 iotrace nonvolatile build.iotrace --where "path like '/var/%'" --format csv

[b]Write policies[/b] (what happens to dirty blocks in volatile memory): copy-back (written when expelled),
write-through (at once), periodic (all of them at each interval), deadline (each when it has been at risk for so long).
The syncs of the trace, and its synchronous writes, are obeyed by all.
"""
    + devices.HELP
}


def nonvolatile(
    trace: TraceArgument,
    volatile: Annotated[
        str, typer.Option("--volatile", help="Sizes of the volatile memory.", metavar="SIZE,...")
    ] = "1M,16M",
    nonvolatile: Annotated[
        str,
        typer.Option("--nonvolatile", help="Sizes of the non-volatile memory beside it.", metavar="SIZE,..."),
    ] = "0,256K,1M",
    write_policy: Annotated[
        str | None,
        typer.Option(
            "--write-policy",
            help="copy-back, write-through, periodic, deadline; all unless given.",
            metavar="NAME,...",
            show_default=False,
        ),
    ] = None,
    interval: Annotated[
        str, typer.Option("--interval", help="For periodic and deadline.", metavar="TIME")
    ] = "30s",
    block: Annotated[str, typer.Option("--block", "-b", help="The block's size: 128, 4K, 1M.")] = "4K",
    where: Annotated[
        str | None,
        typer.Option("--where", help="Cache only what fulfils this SQL.", metavar="SQL", show_default=False),
    ] = None,
    population: PopulationOption = None,
    deletes: Annotated[
        Deletes, typer.Option("--deletes", help="Whether truncated and deleted blocks leave.")
    ] = Deletes.HONOUR,
    inodes_per_block: Annotated[
        int | None,
        typer.Option(
            "--inodes-per-block", min=1, help="Place so many inodes in a block.", show_default=False
        ),
    ] = None,
    device: DeviceOption = None,
    overhead: OverheadOption = None,
    transfer: TransferOption = None,
    budget: BudgetOption = Budget.NONVOLATILE.value,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Show what caches with limited non-volatile memory would have written, and what a crash would have cost.

    One LRU cache over both memories; the blocks written last are safe in the non-volatile part, older dirty ones at
    risk in the volatile part until the write policy, a sync or an expulsion puts them on the disk.
    """
    refuse_to_overwrite(output, force)
    from iotrace import units
    from iotrace.analysis.curves import tally
    from iotrace.analysis.curves.references import chosen
    from iotrace.cli.output import emit
    from iotrace.simulate.nonvolatile import TIMED, TimeSpan, limited_nonvolatile

    if where is not None and not where.strip():
        raise UsageError("--where is empty")
    block_bytes = units.size_bytes(block)
    volatile_bytes, nonvolatile_bytes = _sizes(volatile, nonvolatile, block_bytes)
    policies = None if write_policy is None else _named(write_policy)
    interval_ns = units.time_ns(interval)
    if not interval_ns:
        raise UsageError("--interval wants a time above 0")
    costs = devices.chosen(device, overhead, transfer)
    store = open_trace(trace, model, trace_format)
    policies = _possible(store, policies)
    span = TimeSpan()
    references = chosen(store, where, None, ("flags",), population)[0]
    rows = limited_nonvolatile(
        span.watched(block_budget(budget, block_bytes).watched(references)),
        volatile_bytes=volatile_bytes,
        nonvolatile_bytes=nonvolatile_bytes,
        write_policies=policies,
        interval_s=interval_ns / 1e9,
        block_bytes=block_bytes,
        deletes=deletes.value,
        overhead_ms=costs.overhead_ms,
        transfer_ms_per_kb=costs.transfer_ms_per_kb,
        inodes_per_block=inodes_per_block,
    )
    warn_of_nothing(tally(rows), where)
    _warn_of_short_trace(span, policies, interval_ns)
    if form is Format.TABLE:
        title = f"Limited non-volatile memory, blocks of {units.size(block_bytes)}"
        if any(policy in TIMED for policy in policies):
            title += f", an interval of {units.duration(interval_ns)}"
        at_risk = (
            "At risk is what a crash would have lost, at a random moment in the mean, and at the worst one."
        )
        emit(
            _for_reading(rows, block_bytes),
            form,
            output,
            title,
            note=f"{at_risk} Oldest is the longest time for which a write was. {PIECES}",
        )
    else:
        emit(rows, form, output)


def _sizes(volatile: str, nonvolatile: str, block_bytes: int) -> tuple[list[int], list[int]]:
    sizes = [[units.size_bytes(one) for one in text.split(",")] for text in (volatile, nonvolatile)]
    for size in {one for both in sizes for one in both}:
        if 0 < size < block_bytes:
            raise UsageError(f"a memory of {size} bytes is less than one block of {block_bytes} bytes")
    if not any(map(any, sizes)):
        raise UsageError("a cache without any memory is none: give a size above 0")
    return list(dict.fromkeys(sizes[0])), list(dict.fromkeys(sizes[1]))


def _named(text: str) -> list[WritePolicy]:
    from iotrace.simulate.nonvolatile import WRITE_POLICIES

    known: dict[str, WritePolicy] = {name: name for name in WRITE_POLICIES}
    asked = list(known) if text.strip() == "all" else [one.strip().lower() for one in text.split(",")]
    for name in asked:
        if name not in known:
            raise UsageError(f"--write-policy: {name!r} is not one of {', '.join(known)}, all")
    return [known[name] for name in dict.fromkeys(asked)]


def _possible(store: Store, asked: list[WritePolicy] | None) -> list[WritePolicy]:
    """Return the write policies asked for, or all that the trace's time stamps allow.

    Says so where that is not all; raises IotraceError where one that was asked for is not among them.
    """
    from iotrace.simulate.nonvolatile import TIMED, possible_write_policies

    possible = possible_write_policies(store.manifest["times"])
    if asked is None and TIMED[0] not in possible:
        print(f"iotrace: warning: no {' and no '.join(TIMED)}: the trace has no time stamps", file=sys.stderr)
    if missing := [policy for policy in asked or () if policy not in possible]:
        raise IotraceError(
            f"{store.path}: the trace has no time stamps, which {' and '.join(missing)} writes need"
        )
    return asked or possible


def _warn_of_short_trace(span: TimeSpan, policies: list[WritePolicy], interval_ns: int) -> None:
    """Say which of the write policies never act, because what is simulated ends before their interval does."""
    from iotrace import units

    never = [one for one in span.idle_write_policies(interval_ns) if one in policies]
    if never:
        lasts = units.duration((span.last_ns or 0) - (span.first_ns or 0))
        print(
            f"iotrace: warning: what is simulated lasts {lasts}, and no interval of {units.duration(interval_ns)}"
            f" ends in it: {' and '.join(never)} writes are never due, so that these rows equal copy-back's;"
            " choose a shorter --interval",
            file=sys.stderr,
        )


def _for_reading(rows: pa.Table, block_bytes: int) -> pa.Table:
    """Return sizes and times in words, and what was written as a share of the blocks that the trace wrote."""
    import pyarrow as pa

    from iotrace import units

    def shares(counted: str, of: str) -> pa.Array:
        pairs = zip(rows[counted].to_pylist(), rows[of].to_pylist(), strict=True)
        return pa.array([f"{100 * part / whole:.1f} %" if whole else None for part, whole in pairs])

    def sizes(name: str, unit_bytes: int) -> pa.Array:
        values = rows[name].to_pylist()
        return pa.array([None if one is None else units.size(one * unit_bytes) for one in values])

    oldest = rows["longest_at_risk_ns"].to_pylist()
    return pa.table(
        {
            "write policy": rows["write_policy"],
            "volatile": sizes("volatile_bytes", 1),
            "non-volatile": sizes("nonvolatile_bytes", 1),
            "read misses": shares("read_request_misses", "read_requests"),
            "blocks written": shares("blocks_written", "write_block_references"),
            "expelled": rows["blocks_expelled"],
            "flushed": rows["blocks_flushed"],
            "synced": rows["blocks_synced"],
            "through": rows["blocks_written_through"],
            "at risk, mean": sizes("mean_at_risk", block_bytes),
            "at most": sizes("most_at_risk", block_bytes),
            "oldest": pa.array([None if one is None else units.duration(one) for one in oldest]),
        }
    )
