"""The figures' settings run by the simulation of clusters, as many at once as there are cores."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np
import pyarrow as pa

from iotrace import queries, schemas
from iotrace.engine import available_cores
from iotrace.generate import program
from iotrace.generate.program import Operation, Rows
from iotrace.papers.vilayannur.axes import axes
from iotrace.papers.vilayannur.figures import Setting
from iotrace.papers.vilayannur.judging import judge
from iotrace.papers.vilayannur.memo import Mechanism, Metrics, PaperMemo
from iotrace.papers.vilayannur.workloads import Workload, Workloads
from iotrace.simulate.cluster.costs import Components
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.settings import FirstAccess, Machine, Scope
from iotrace.simulate.ratios import percent
from iotrace.store.store import Store

NESTS = ("tomcatv", "vpenta")
NS_PER_S = 1_000_000_000
MECHANISM_BLOCKS = 8
"""The number of blocks, one segment, that are read repeatedly to see what the run-time scheme decides."""
MECHANISM_THRESHOLD = 12
"""The counter's value when half of them are decided about, in the second round; it continues beyond it."""
MECHANISM_ROUNDS = 20
UNREACHED = 1 << 20
"""A threshold that no counter comes to."""


@dataclass(frozen=True)
class Reading:
    """Choices that the paper leaves open; the defaults are those of the figures.

    `first_access`, `scope` and `ages` are those of ``Discipline.counters``; `nodes`, `iods`, `tile_columns` and
    `iterations` replace those of tomcatv and vpenta, which the paper does not say. With `buffers_writes` a node keeps
    what it writes in its local cache where only reads of the global cache are compared; otherwise a write goes to the
    global cache there.
    """

    name: str = "as in the figures"
    first_access: FirstAccess = "block"
    scope: Scope = "cluster"
    ages: bool = True
    nodes: int | None = None
    iods: int | None = None
    tile_columns: int | None = None
    iterations: int | None = None
    buffers_writes: bool = False
    global_per_file: bool = False
    flusher_period_ns: int = Machine().flusher_period_ns

    def of(self, setting: Setting) -> Setting:
        """Return a setting on the machine of this reading."""
        if setting.workload not in NESTS:
            return setting
        parameters = dict(setting.parameters)
        for name in ("tile_columns", "iterations"):
            if value := getattr(self, name):
                parameters[name] = value
        return replace(
            setting,
            parameters=tuple(sorted(parameters.items())),
            nodes=self.nodes or setting.nodes,
            iods=self.iods or setting.iods,
        )

    def counters(self, threshold: int) -> Discipline:
        """Return the run-time scheme in this reading."""
        return Discipline.counters(
            threshold=threshold, first_access=self.first_access, scope=self.scope, ages=self.ages
        )


@dataclass
class Simulation:
    """Runs settings on the components, with the traces of `stores` for figures 12 and 13."""

    components: Components
    stores: Mapping[str, Store]
    reading: Reading = field(default_factory=Reading)
    _workloads: dict[tuple[str, object, int], Workload] = field(default_factory=dict)
    _known: dict[Hashable, Metrics] = field(default_factory=dict)

    def other(self, reading: Reading) -> "Simulation":
        """Return the same by another reading; what does not depend on it is simulated once for both."""
        return replace(self, reading=reading)

    def memo(self) -> PaperMemo:
        """Return a memo of what the paper's figures need, made by these simulations."""
        return PaperMemo(
            self.components,
            self.run,
            self.try_mechanism,
            traces=tuple(self.stores),
            imitations=self._made.imitations,
            global_per_file=self.reading.global_per_file,
        )

    def run(self, settings: Sequence[Setting], progress: Callable[[str], None]) -> list[Metrics]:
        """Simulate settings; the longest are not known, so that each core takes the next one."""
        settings = [self.reading.of(setting) for setting in settings]
        for setting in settings:
            self._workload(setting)
        all_metrics: list[Metrics] = []
        with ThreadPoolExecutor(available_cores()) as cores:
            for number, metrics in enumerate(cores.map(self._metrics, settings)):
                progress(f"simulating the figures {self.reading.name}, {100 * number // len(settings)} %")
                all_metrics.append(metrics)
        return all_metrics

    def try_mechanism(self) -> Mechanism:
        """Read the blocks of a segment repeatedly through a global cache that holds half of them, on one node.

        In one round, with a threshold that no counter reaches, every bypass is of a first access. In many, half
        of the blocks stay, and their hits bring the counter far beyond the threshold; the others were decided against
        below it. If a decision is revisited one of those is placed again.
        """
        first = self._rounds(1, UNREACHED)
        placed_first = self._rounds(1, MECHANISM_THRESHOLD)["global_placed"]
        decided = self._rounds(MECHANISM_ROUNDS, MECHANISM_THRESHOLD)
        bypassed = ("global_bypassed", "global_told", "global_not_placed")
        return Mechanism(
            first_accesses_bypassed=sum(first[name] for name in bypassed),
            decisions_revisited=decided["global_placed"] - placed_first
            if decided["global_not_placed"]
            else None,
        )

    def _rounds(self, rounds: int, threshold: int) -> Mapping[str, int]:
        machine = Machine(
            nodes=1,
            iods=1,
            local_blocks=1,
            global_blocks=MECHANISM_BLOCKS // 2,
            global_per_file=self.reading.global_per_file,
            segment_blocks=MECHANISM_BLOCKS,
        )
        discipline = self.reading.counters(threshold)
        return simulate(_in_rounds(rounds), machine, discipline, self.components).totals

    def _metrics(self, setting: Setting) -> Metrics:
        machine = setting, self.reading.global_per_file, self.reading.flusher_period_ns
        key: Hashable = machine
        if setting.threshold is not None:
            key = machine, self.reading.counters(setting.threshold)
        elif setting.scheme == "global":
            key = machine, self.reading.buffers_writes
        if key not in self._known:
            self._known[key] = self._simulated(setting)
        return self._known[key]

    def _simulated(self, setting: Setting) -> Metrics:
        workload = self._workload(setting)
        machine = Machine(
            nodes=setting.nodes,
            iods=setting.iods,
            local_blocks=setting.local_blocks,
            global_blocks=setting.global_blocks,
            global_per_file=self.reading.global_per_file,
            segment_blocks=setting.segment_blocks,
            flusher_period_ns=self.reading.flusher_period_ns,
        )
        plan = workload.plan(setting, self.reading.global_per_file)
        discipline = self._discipline(setting, plan)
        outcome = simulate(workload.program, machine, discipline, self.components)
        totals = outcome.totals
        return Metrics(
            seconds=(outcome.execution_ns or 0) / NS_PER_S,
            local_hits=percent(totals["local_hits"], totals["local_look_ups"]),
            global_hits=percent(totals["global_hits"], totals["global_look_ups"]),
        )

    def _discipline(self, setting: Setting, plan: pa.Table | None) -> Discipline:
        if plan is not None:
            return Discipline.planned(plan, default_through=False)
        if setting.threshold is not None:
            return self.reading.counters(setting.threshold)
        if setting.scheme == "global" and self.reading.buffers_writes:
            return Discipline.planned(_reads_bypass_the_local_cache(), default_through=True)
        return Discipline.of(setting.scheme.replace("-", "+"))

    def _workload(self, setting: Setting) -> Workload:
        key = setting.workload, setting.parameters, setting.nodes
        if key not in self._workloads:
            self._workloads[key] = self._made.of(setting)
        return self._workloads[key]

    @cached_property
    def _made(self) -> Workloads:
        return Workloads(self.stores)


def _reads_bypass_the_local_cache() -> pa.Table:
    """Return the bits by which reads of the only file bypass the local cache: table cluster_bits."""
    row = {
        "phase": None,
        "operation": "read",
        "level": "local",
        "file": 0,
        "segments": None,
        "through": False,
    }
    return pa.Table.from_pylist([{**row, "first_segment": 0}], schema=schemas.schema("cluster_bits"))


def _in_rounds(rounds: int) -> pa.Table:
    """Return a program that reads the blocks of a file one by one, round after round."""
    count = rounds * MECHANISM_BLOCKS
    none = np.zeros(count, np.int64)
    block = np.full(count, 4096, np.int64)
    rows = Rows(
        process=none,
        node=none,
        phase=none,
        operation=np.full(count, Operation.READ),
        file=none,
        offset=np.arange(count) % MECHANISM_BLOCKS * block,
        length=block,
        compute_ns=none,
    )
    return program.table([rows])


READINGS = (
    Reading(),
    Reading("first access by segment", first_access="segment"),
    Reading("decision by node", scope="node"),
    Reading("aging off", ages=False),
    Reading("writes buffered beside the global cache", buffers_writes=True),
    Reading("global cache per file", global_per_file=True),
    Reading("1 node, 4 daemons", iods=4),
    Reading("2 nodes, 3 daemons", nodes=2, iods=3),
    Reading("4 nodes, 4 daemons, four columns", nodes=4, iods=4, tile_columns=4),
)
"""Choices that sections 3.2 and 5 leave open, and the machine and requests of figures 5 to 9."""
GRID = tuple(
    Reading(
        f"{columns} column{'s' * (columns > 1)}, flusher {period_ns / NS_PER_S:g} s, {iterations} iterations",
        tile_columns=columns,
        flusher_period_ns=period_ns,
        iterations=iterations,
    )
    for columns, period_ns, iterations in product((1, 8), (NS_PER_S // 5, NS_PER_S, 5 * NS_PER_S), (2, 4))
)
"""The size of requests, the flusher's period and the iterations of tomcatv and vpenta, in all combinations."""


def by_readings(simulation: Simulation, progress: Callable[[str], None]) -> pa.Table:
    """Return table cluster_readings: how what the simulation judges moves with what the paper leaves open."""
    rows = []
    for reading in (*READINGS, *GRID):
        made = simulation.other(reading).memo()
        made.prepare(progress)
        rows += [
            {
                "finding": row["finding"],
                "reading": reading.name,
                "number": row["number"],
                "verdict": row["verdict"],
                "bounds": row["bounds"],
            }
            for row in judge(made).to_pylist()
            if row["by"] == "simulation"
        ]
        rows += [
            {
                "finding": name,
                "reading": reading.name,
                "number": seconds,
                "verdict": "holds" if least < seconds <= most else "fails",
                "bounds": f"above {least:g}, at most {most:g}",
            }
            for axis in axes(made)
            for name, seconds, least, most in axis.ends()
        ]
    return queries.result_table("cluster_readings", rows)
