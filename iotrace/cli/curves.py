"""What ``iotrace curve`` answers about caches of blocks: a question of the options, with sampling as a setting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from iotrace.cli.options.curve import ALONE
from iotrace.cli.pages import draw_curves, draw_sampled
from iotrace.cli.states import emit_state, state_of
from iotrace.cli.tables.curve import emit_curves, emit_policies, warn_of_curves
from iotrace.cli.tables.disk_accesses import emit_disk_accesses
from iotrace.cli.tables.sampled import emit_sampled, emit_sampled_policies

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.requests import Requests
    from iotrace.cli.options.curve import CurveOptions
    from iotrace.cli.output import Output


@dataclass(frozen=True)
class Asked:
    """Caches of blocks, and the requests that they serve, of a trace of this name."""

    requests: Requests
    cache: Cache
    trace: str
    options: CurveOptions
    output: Output

    @property
    def is_alone(self) -> bool:
        """Whether each dirty block is written alone."""
        return self.options.coalesce == ALONE


def show_blocks(asked: Asked, policies: list[str]) -> None:
    """Write the answer: a state, policies at sizes, disk reads and writes, or LRU's curve."""
    if asked.options.states.is_used:
        _state(asked)
    elif policies:
        _policies(asked, policies)
    elif (access := asked.options.disk_access()) is not None:
        rows = asked.requests.disk_accesses(asked.cache, access, asked.options.sizes_bytes())
        emit_disk_accesses(rows, asked.cache, access, asked.options.where, asked.output)
    else:
        _curve(asked)


def _state(asked: Asked) -> None:
    options = asked.options
    state = state_of(asked.requests, asked.cache, options.syncs_value, asked.trace, options.states)
    sizes = options.sizes_bytes()
    emit_state(state, options.states.state, options.costs, sizes, asked.output, alone=asked.is_alone)


def _policies(asked: Asked, policies: list[str]) -> None:
    options, requests, cache, output = asked.options, asked.requests, asked.cache, asked.output
    sizes = options.sizes_bytes()
    if options.sample.is_used:
        sampling = options.sample.sampling(requests, cache.block_bytes)
        rows, curves = requests.sampled_policies(cache, sampling, policies, sizes, options.protected)
        emit_sampled_policies(rows, curves, policies, options.where, output)
    else:
        rows = requests.policies(cache, policies, sizes, options.protected)
        emit_policies(rows, policies, cache.block_bytes, options.where, output, alone=asked.is_alone)


def _curve(asked: Asked) -> None:
    options, requests, cache, output = asked.options, asked.requests, asked.cache, asked.output
    if not options.sample.is_used:
        curves = options.curves(requests, cache, are_doublings=output.is_table)
        sentences = requests.which_size(curves) if output.is_interactive else []
        warn_of_curves(curves, options.where, options.warm_up)
        draw_curves(curves, options.plot, asked.trace)
        emit_curves(curves, options.sizes_bytes(), output, sentences, alone=asked.is_alone)
        return
    sampling = options.sample.sampling(requests, cache.block_bytes)
    with options.started() as workers:
        sampled = requests.sampled(cache, sampling, options.syncs_value, workers)
    draw_sampled(sampled, options.plot, asked.trace)
    emit_sampled(sampled, options.sizes_bytes(), options.where, output, alone=asked.is_alone)
