"""The answers of ``iotrace curve`` on caches of blocks: one for each question of the options, sampled or exact."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iotrace.cli.options.curve import ALONE, WritePolicy
from iotrace.cli.pages import draw_curves, draw_sampled
from iotrace.cli.progress import bar
from iotrace.cli.states import emit_state, state_of
from iotrace.cli.tables.curve import emit_curves, emit_policies, warn_of_curves
from iotrace.cli.tables.disk_accesses import emit_disk_accesses
from iotrace.cli.tables.sampled import emit_sampled, emit_sampled_policies
from iotrace.cli.terminal import note_of, warn_of
from iotrace.errors import MemoryLimitError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.curves import Curves
    from iotrace.analysis.curves.requests import Requests
    from iotrace.analysis.curves.sampling import Sampling
    from iotrace.cli.options.curve import CurveOptions
    from iotrace.cli.output import Output
    from iotrace.workers import Workers


@dataclass(frozen=True)
class BlockAnalysis:
    """Caches of blocks, the requests that they serve, and the options and output of a command."""

    requests: Requests
    cache: Cache
    trace: str
    options: CurveOptions
    output: Output

    @property
    def is_alone(self) -> bool:
        """Whether each dirty block is written alone."""
        return self.options.coalesce == ALONE


def show_blocks(analysis: BlockAnalysis, policies: list[str]) -> None:
    """Write the answer: a state, policies at sizes, disk reads and writes, or LRU's curve."""
    if analysis.options.states.is_used:
        _state(analysis)
    elif policies:
        _policies(analysis, policies)
    elif (access := analysis.options.disk_access()) is not None:
        rows = analysis.requests.disk_accesses(analysis.cache, access, analysis.options.sizes_bytes())
        emit_disk_accesses(rows, analysis.cache, access, analysis.options.where, analysis.output)
    else:
        _curve(analysis)


def _state(analysis: BlockAnalysis) -> None:
    options = analysis.options
    state = state_of(analysis.requests, analysis.cache, options.syncs_value, analysis.trace, options.states)
    sizes = options.sizes_bytes()
    emit_state(state, options.states.state, options.costs, sizes, analysis.output, alone=analysis.is_alone)


def _policies(analysis: BlockAnalysis, policies: list[str]) -> None:
    options, requests, cache, output = analysis.options, analysis.requests, analysis.cache, analysis.output
    sizes = options.sizes_bytes()
    if options.sample.is_used:
        sampling = options.sample.sampling(requests, cache.block_bytes)
        rows, curves = requests.sampled_policies(cache, sampling, policies, sizes, options.protected)
        emit_sampled_policies(rows, curves, policies, options.where, output)
    else:
        _refuse_costs_without_times(analysis, "--policy")
        rows = requests.policies(cache, policies, sizes, options.protected)
        emit_policies(rows, policies, cache, options.where, output, alone=analysis.is_alone)


def _refuse_costs_without_times(analysis: BlockAnalysis, of: str) -> None:
    """Raise UsageError for the costs of a disk, where its times are unknown unless each block is written alone."""
    costs = analysis.options.costs
    given = [name for name in ("device", "overhead", "transfer") if getattr(costs, name) is not None]
    if given and not analysis.is_alone:
        raise UsageError(
            f"--{given[0]}: disk times with {of} are known only where each block is written alone: add"
            " --coalesce none"
        )


def _curve(analysis: BlockAnalysis) -> None:
    options, requests, cache = analysis.options, analysis.requests, analysis.cache
    if options.sample.is_used:
        _refuse_costs_without_times(analysis, "--sample")
        _sampled(analysis, options.sample.sampling(requests, cache.block_bytes))
        return
    sampling = requests.sample_within_memory(cache.block_bytes) if _may_sample(options) else None
    curves = tried = None
    if sampling is None:
        try:
            curves = _curves(analysis)
        except MemoryLimitError as error:
            if not _may_sample(options):
                raise
            tried = error.with_traceback(None)  # whose frames hold what was computed
    if curves is not None:
        _exact(analysis, curves)
        return
    sampling = sampling or requests.sample_within_memory(cache.block_bytes, tried)
    assert sampling is not None, "memory is limited"
    warn_of(
        f"{sampling.reason}; this one is estimated from a sample (--sample '{sampling.most_blocks} blocks')"
    )
    _sampled(replace(analysis, requests=requests.again()), replace(sampling, reason=""))


def _may_sample(options: CurveOptions) -> bool:
    """Whether a curve that does not fit in memory may be estimated: no option needs the exact one."""
    if options.states.largest is not None:
        return False
    costs = options.costs
    is_priced = (costs.device, costs.overhead, costs.transfer) != (None, None, None)
    return not options.split and not is_priced and options.worker_spec().is_one


def _exact(analysis: BlockAnalysis, curves: Curves) -> None:
    options, output = analysis.options, analysis.output
    may_say = output.is_interactive and curves.has_every_size
    sentences = analysis.requests.which_size(curves) if may_say else []
    warn_of_curves(curves, options.where, options.warm_up)
    draw_curves(curves, options.plot, analysis.trace)
    emit_curves(curves, options.sizes_bytes(), output, sentences, alone=analysis.is_alone)


def _sampled(analysis: BlockAnalysis, sampling: Sampling) -> None:
    options, output = analysis.options, analysis.output
    with _started(options) as workers:
        sampled = analysis.requests.sampled(analysis.cache, sampling, options.syncs_value, workers)
    draw_sampled(sampled, options.plot, analysis.trace)
    emit_sampled(sampled, options.sizes_bytes(), options.where, output, alone=analysis.is_alone)


@contextmanager
def _started(options: CurveOptions) -> Iterator[Workers | None]:
    """Give the workers that take slices of the trace for a block; None for one, which takes all of it."""
    spec = options.worker_spec()
    if spec.is_one:
        yield None
        return
    with spec.started() as workers, bar("Slices", "MofNCompleteColumn") as progress:
        if workers is not None and workers.dashboard is not None:
            note_of(f"the cluster's dashboard: {workers.dashboard}")
        yield None if workers is None else replace(workers, progress=progress)


def _curves(analysis: BlockAnalysis) -> Curves:
    """Return the curves of LRU caches of every size.

    Neighbours are written together at the sizes given, and of few references at the sizes of a table, which double,
    where that can be simulated.
    """
    options, requests, cache = analysis.options, analysis.requests, analysis.cache
    from iotrace.analysis.curves.states import largest_blocks

    with _started(options) as started:
        workers, is_one_pass = _cheaper(analysis, started)
        sizes = None if options.plot else options.sizes_bytes()
        if workers is not None and is_one_pass and sizes is not None:
            written = _written_blocks(analysis)
            return requests.curves_of_one_worker(workers, cache, options.syncs_value, sizes, written)
        largest = largest_blocks(options.states.largest, cache.block_bytes)
        if workers is not None or largest is not None:
            return requests.curves(
                cache,
                options.syncs_value,
                workers=workers,
                largest_blocks=largest,
                sizes_bytes=sizes,
            )
        return requests.curves(
            cache, options.syncs_value, options.split, written_blocks=_written_blocks(analysis)
        )


def _cheaper(analysis: BlockAnalysis, workers: Workers | None) -> tuple[Workers | None, bool]:
    """Return the workers, None for this process, and whether one of them makes the curve in one pass.

    A cluster cuts the trace into slices if that is estimated to end sooner than one pass, and both are said.
    """
    options, requests = analysis.options, analysis.requests
    if workers is None or not workers.is_remote or options.states.largest:
        return workers, False
    has_rows = options.sizes is not None and options.plot is None
    if options.force_workers and not has_rows:
        return workers, False  # a curve of all sizes comes here as a state
    costs = requests.costs_of_slices(workers, analysis.cache)
    chosen = ON_WORKERS if costs.pays else ON_ONE if options.force_workers else ON_THIS
    note_of(f"{costs.sentence}: {chosen}")
    return (workers if costs.pays or options.force_workers else None), not costs.pays


ON_WORKERS = "the workers do it"
ON_ONE = "one worker does it, in one pass"
ON_THIS = "this process does it (--force-workers)"


def _written_blocks(analysis: BlockAnalysis) -> list[int]:
    """Return the sizes in blocks at which neighbours are written together."""
    from iotrace.analysis.curves.disk_times import DOUBLINGS, FOLLOWED_AT_ONCE

    options = analysis.options
    is_plain = options.write_policy is WritePolicy.ALLOCATE and options.inodes_per_block is None
    if analysis.is_alone or options.by is not None or not is_plain:
        return []
    if options.sizes is not None:
        return analysis.cache.sizes_blocks(options.sizes_bytes() or [])
    references = analysis.requests.store.manifest["counts"]["references"]
    return DOUBLINGS if analysis.output.is_table and references <= FOLLOWED_AT_ONCE else []
