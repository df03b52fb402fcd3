"""How commands make, continue and show the states of slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace.cli.output import Output
from iotrace.cli.tables.curve import emit_curves, warn_of_counts

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache, Syncs
    from iotrace.analysis.curves.requests import Requests
    from iotrace.analysis.curves.states import State
    from iotrace.cli.options.device import Costs
    from iotrace.cli.options.state import StateOptions


def state_of(
    requests: Requests, cache: Cache, syncs: Syncs | None, trace: str, options: StateOptions
) -> State:
    """Return the state of the records that the options name, after those of the state that they continue."""
    from iotrace.analysis.curves.records import chosen_records, following
    from iotrace.analysis.curves.states import largest_blocks, read

    if options.resume is None:
        records = chosen_records(options.records, requests.store)
        largest = largest_blocks(options.largest, cache.block_bytes)
        return requests.state(cache, syncs, trace, records, largest)
    before = read(options.resume)
    records = following(requests.store, trace, before.records[-1])
    after = requests.state(cache, syncs, trace, records, before.settings.largest_blocks)
    return before.merge(after)


def emit_state(
    state: State,
    is_written: bool,
    costs: Costs,
    sizes_bytes: Sequence[int] | None,
    output: Output,
    *,
    alone: bool = False,
) -> None:
    """Write a state, or its curve; what was guessed or left out is warned of.

    Disk times are known if each block is written `alone`.
    """
    from iotrace.analysis.curves.sizing import which_size

    warn_of_counts(state.counts, state.settings.where)
    if is_written and output.output is not None:
        state.write(output.output)
        return
    device = costs.chosen()
    curves = state.curves(device.overhead_ms, device.transfer_ms_per_kb)
    sentences = which_size(curves) if output.is_interactive else []
    emit_curves(curves, sizes_bytes, output, sentences, alone=alone)
