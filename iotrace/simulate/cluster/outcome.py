"""A program on a cluster with two levels of caches, simulated: what each level hits, how long it takes."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from iotrace.engine import available_cores
from iotrace.engine.native import ClusterSimulator, ClusterStop
from iotrace.errors import IotraceError
from iotrace.simulate.cluster.costs import Components, components
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.engine import for_engine, rules
from iotrace.simulate.cluster.rows import Rows, rows_of
from iotrace.simulate.cluster.settings import Machine

KEYS = ("application", "node", "phase", "file")
BREATH_S = 0.1
"""How long to wait at a time: a signal does not end a wait where a library had it restart."""


@dataclass(frozen=True)
class Outcome:
    """Counts of a run; times are None where it had no clock."""

    discipline: Discipline
    counts: pa.Table
    """A row for each application, node, phase and file that had requests: `KEYS`, then counters (`by` sums them)."""
    requests: pa.Table
    """A row for each request in the order in which they ended, where the log was kept: row of the program, blocks by
    where they were found, begin and end in ns."""
    resources: pa.Table
    """A row for each resource: kind, number, how long it was busy until the last process ended, how long requests
    waited for it in all, and how often it served."""
    processes: pa.Table
    """When each process ended, in ns."""
    execution_ns: int | None
    """When the last process ended."""
    drained_ns: int | None
    """When the last dirty block was written."""
    distinct_blocks: int
    thresholds: tuple[int, int] | None
    """The run-time scheme's thresholds at the end, least and largest over the global caches."""
    remarks: tuple[str, ...] = ()
    """Remarks for readers of the outcome."""

    @cached_property
    def totals(self) -> dict[str, int]:
        """Every counter, over all of the program."""
        names = [name for name in self.counts.column_names if name not in KEYS]
        return {name: pc.sum(self.counts[name]).as_py() or 0 for name in names}

    def by(self, *keys: str) -> pa.Table:
        """Return the counters summed by some of `KEYS`, sorted by them."""
        names = [name for name in self.counts.column_names if name not in KEYS]
        summed = self.counts.group_by(list(keys)).aggregate([(name, "sum") for name in names])
        summed = summed.select([*keys, *(f"{name}_sum" for name in names)]).rename_columns([*keys, *names])
        return summed.sort_by([(key, "ascending") for key in keys])

    def busy_percent(self, resource: str) -> float | None:
        """Return how much of the execution the busiest resource of a kind was busy; None where there is none."""
        busy = self.resources.filter(pc.equal(self.resources["resource"], resource))["busy_ns"]
        if not len(busy) or not self.execution_ns:
            return None
        return 100 * float(pc.max(busy).as_py()) / self.execution_ns


def simulate(
    program: pa.Table | Rows,
    machine: Machine,
    discipline: Discipline,
    costs: Components | None = None,
    *,
    clock: bool = True,
    log: bool = False,
) -> Outcome:
    """Return what a program (table program, or its `Rows` for this number of nodes) does on a machine.

    With a clock, each process makes its requests in their order, computing in between; requests queue for what they
    share, and take what ``costs`` say (`iotrace.simulate.cluster.costs`, by default those fitted to the paper).
    Without, requests come one after the other in the order of what their processes have computed, and only counts are
    returned.

    Reading of the paper: local look-ups come first, what they lack goes on in one message to the global cache and one
    to each daemon, both at once; blocks enter a cache when their data arrives. A read of a block that is on its way to
    the same cache waits for it and fetches nothing; it counts as a hit (``local_delayed_hits``, ``global_delayed_hits``
    among the hits), unless a write from its node or a ``sync_write`` has overtaken that fetch. Without a clock nothing
    is ever on its way. Writes are dirty in the local cache until its flusher or harvester sends them on, and then in
    the global cache until its own do, unless it writes through. A write that finds fewer free and clean frames than it
    needs goes through whole. A frame made by a partial write knows the stretch of bytes that it holds; a read of others
    misses. A ``sync_write`` ends when global cache and daemons have it, and every other node in the directory has
    dropped its copy, dirty or not. Local caches that bypass, or are off, move the bytes asked for; otherwise whole
    blocks move. Opens and closes are never cached (section 3.1): each is a message to the metadata server, in every
    discipline; without a clock they are only counted.

    Senders on the medium take turns of a block. Messages are work of the processor that sends them. A read that goes
    past the global cache does not see what is dirty there: with bits that change by phase it can be stale.

    Raises IotraceError for an invalid program, UsageError for bits that do not.
    """
    rows = program if isinstance(program, Rows) else rows_of(program, machine.nodes)
    return _stoppable([lambda stop: _simulate(rows, machine, discipline, costs, clock, log, stop)], 1)[0]


def _simulate(
    rows: Rows,
    machine: Machine,
    discipline: Discipline,
    costs: Components | None,
    clock: bool,
    log: bool,
    stop: ClusterStop,
) -> Outcome:
    paid = costs or components()
    settings = for_engine(machine, discipline, rows, paid, clock, log)
    try:
        simulator = ClusterSimulator(
            settings,
            rows.processes,
            bits=(rules(discipline.plan), discipline.default_through),
            clock=(json.dumps(asdict(paid)), machine.network) if clock else None,
            warm=rows.warming(),
            stop=stop,
        )
        for batch in rows.batches(interleaved=not clock):
            simulator.push(batch)
        simulator.finish()
    except ValueError as error:
        raise IotraceError(str(error)) from None
    tables = {
        name: pa.table(pa.record_batch(simulator.table(name)))
        for name in ("counts", "requests", "resources", "processes")
    }
    if not clock:
        in_program = rows.order[tables["requests"]["row"].to_numpy()]
        tables["requests"] = tables["requests"].set_column(0, "row", pa.array(in_program))
    return Outcome(
        discipline,
        **tables,
        execution_ns=simulator.execution_ns,
        drained_ns=simulator.drained_ns,
        distinct_blocks=simulator.distinct_blocks,
        thresholds=simulator.thresholds,
        remarks=tuple(rows.remarks),
    )


def simulate_all(
    runs: Sequence[tuple[Machine, Discipline]],
    program: pa.Table | Rows,
    costs: Components | None = None,
    *,
    clock: bool = True,
    threads: int | None = None,
    done: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Return the outcomes of machines with as many nodes and disciplines, as many at once as there are cores."""
    if not runs:
        return []
    rows = program if isinstance(program, Rows) else rows_of(program, runs[0][0].nodes)

    def task(machine: Machine, discipline: Discipline) -> Callable[[ClusterStop], Outcome]:
        return lambda stop: _simulate(rows, machine, discipline, costs, clock, False, stop)

    return _stoppable([task(*run) for run in runs], threads or available_cores(), done)


def _stoppable(
    tasks: Sequence[Callable[[ClusterStop], Outcome]],
    threads: int,
    done: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Run tasks on separate threads, so that this one can receive an interruption and stop them."""
    stop = ClusterStop()
    outcomes = []
    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(task, stop) for task in tasks]
        try:
            for number, future in enumerate(waiting):
                while not wait([future], BREATH_S).done:
                    pass
                outcomes.append(future.result())
                if done is not None:
                    done(number + 1, len(waiting))
        except BaseException:
            stop.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return outcomes
