"""The best set of segments to let through the global cache in each phase, and a bound on how good any set can be.

The model. A visit is one passage of a program through a phase; a plan gives each visit a set of segments whose blocks,
together, are at most what the cache holds. A block of the set is fetched when the visit first reads it, or placed when
it is first written, and stays as long as its segment is in the set of every visit that follows without a break. So
nothing is ever evicted by chance, and what a plan is worth is a sum over segments and runs of visits: for each read of
a block ``hit_ns``, but ``-miss_ns`` instead for a read that fetches it, and ``-write_ns`` for each write. Everything is
counted relative to bypassing the global cache always.

What is optimal, what is not. For one segment, with given prices for space, the best runs of visits are found exactly
(dynamic programming). Prices that minimise the Lagrangian's dual give an upper bound which no plan of the model can
exceed, with any sets. The plan itself is built from those prices and then filled up while space is left; it fits,
and its value is exact, but it need not be the best: the bound says by how much at most it falls short. Within one visit
with segments of one size it is the best. A real cache of the same size evicts by second chance, and a plan's reads may
hit in local caches before: simulate it to know what it saves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from iotrace.errors import IotraceError, UsageError
from iotrace.libraries import pl
from iotrace.simulate.cluster import planning
from iotrace.simulate.cluster.access_sets import (
    NO_PHASE,
    CacheCapacity,
    by_block,
    file_blocks,
    requests,
    segment_blocks,
)
from iotrace.simulate.cluster.costs.components import Components
from iotrace.simulate.cluster.costs.rows import BLOCK_BYTES, Row

MOST_VISITS = 48
"""Runs of visits are evaluated one by one, so that their number grows as its square."""
MOST_CELLS = 40_000_000
"""The most kinds of segments times runs of visits."""
FORBIDDEN = 1e30
"""A price that nothing is worth."""
STEPS = 200
"""Steps towards the best prices."""


@dataclass(frozen=True)
class Weights:
    """What an access to a block through the global cache is worth, compared with bypassing it."""

    hit_ns: float
    """Time saved by a read that finds its block there; below 0 where even a hit is slower (small requests)."""
    miss_ns: float
    """Time lost by a read that does not."""
    write_ns: float = 0.0
    """Time lost by a write, which goes on to the daemon all the same."""

    def __post_init__(self) -> None:
        if self.miss_ns < 0 or self.write_ns < 0 or self.hit_ns + self.miss_ns < 0:
            raise UsageError(
                "a miss and a write through the global cache cost 0 or more, a hit no more than a miss"
            )

    @classmethod
    def of(cls, costs: Components, size_bytes: int, iods: int, local: bool = True) -> Weights:
        """Return what costs (b) say of reads of a size that miss in the local cache, or have none, block by block.

        A write costs the message to the global cache, its look-up there, and its bytes on the network again.
        """
        blocks = max(1.0, size_bytes / BLOCK_BYTES)
        direct, hit, miss = (
            costs.time_ns(row, size_bytes, iods)
            for row in (Row.LOCAL_MISS if local else Row.PVFS, Row.GLOBAL_HIT, Row.GLOBAL_MISS)
        )
        further = costs.message_ns + costs.global_look_up_ns + costs.network_ns_per_kb * size_bytes / 1024
        return cls((direct - hit) / blocks, max(0, miss - direct, hit - direct) / blocks, further / blocks)


@dataclass(frozen=True)
class Oracle:
    """A plan by offline optimisation, and how good it is."""

    program: pa.Table
    """The program with a phase for each visit, which the plan's phases mean."""
    plan: pa.Table
    """Table cluster_bits."""
    value_ns: float
    """What the plan saves in the model."""
    bound_ns: float
    """What no plan of the model can exceed."""


def oracle(
    program: pa.Table,
    capacity: CacheCapacity,
    weights: Weights,
    file_bytes: Sequence[int] | None = None,
    steps: int = STEPS,
) -> Oracle:
    """Return the best plan found for a program with phases, visit by visit.

    With ``capacity.per_file`` each file has a cache. Raises IotraceError for more than MOST_VISITS visits.
    """
    visits = by_visit(program)
    accesses = requests(visits)
    blocks = file_blocks(accesses, capacity, file_bytes)
    files = [accesses.filter(pl.col("file") == file) for file in sorted(accesses["file"].unique())]
    chosen, value, bound = [], 0.0, 0.0
    for part in files if capacity.per_file else [accesses]:
        segments = Segments.of(part, blocks, capacity, weights)
        if segments is None:
            continue
        problem = Problem(segments.values, segments.size, segments.members, capacity.blocks)
        solution = solve(problem, steps)
        value, bound = value + solution.value_ns, bound + solution.bound_ns
        chosen.append(segments.chosen(solution.taken))
    empty = pl.DataFrame(schema=dict.fromkeys(("phase", "file", "segment"), pl.Int64))
    plan = planning.bits(planning.runs(pl.concat([empty, *chosen])))
    return Oracle(visits, plan, value, bound)


def by_visit(program: pa.Table) -> pa.Table:
    """Return a program whose phases are visits: each time that a process comes to another phase is one.

    The first visits to a phase of all processes are one, so are the second ones; visits are numbered in the order of
    their first rows. Raises IotraceError where there are more than MOST_VISITS.
    """
    rows = pl.DataFrame(pl.from_arrow(program.select(["process", "phase"]))).with_row_index("row")
    rows = rows.with_columns(pl.col("phase").fill_null(NO_PHASE))
    rows = rows.with_columns(
        came=(pl.col("phase") != pl.col("phase").shift(1, fill_value=-2)).over("process")
    )
    visits = rows.with_columns(visit=pl.col("came").cum_sum().over("process", "phase"))
    visits = visits.with_columns(first=pl.col("row").min().over("phase", "visit"))
    number = visits.select(pl.col("first").rank("dense") - 1).to_series().to_numpy()
    if len(number) and number.max() >= MOST_VISITS:
        raise IotraceError(
            f"the program comes to a phase {int(number.max()) + 1:,} times, more than {MOST_VISITS}: "
            "make fewer iterations, or find phases by equal parts"
        )
    field = program.schema.field("phase")
    return program.set_column(program.schema.get_field_index("phase"), field, pa.array(number, field.type))


@dataclass(frozen=True)
class Segments:
    """The segments of a program, those of the same worth taken together as a kind."""

    places: pl.DataFrame
    """Columns kind, file, segment."""
    values: np.ndarray
    """(kinds, visits, visits): what a run from the one visit to the other, both included, is worth; ns."""
    size: np.ndarray
    """Blocks of a segment of each kind."""
    members: np.ndarray
    """Segments of each kind."""

    @classmethod
    def of(
        cls, accesses: pl.DataFrame, blocks: np.ndarray, capacity: CacheCapacity, weights: Weights
    ) -> Segments | None:
        """Return the segments that accesses (by visit) touch; null where there are none."""
        touched = by_block(accesses, capacity, ["phase"])
        if not len(touched):
            return None
        cells = _cells(touched, capacity)
        places, representatives = _kinds(cells, blocks, capacity)
        visits = 1 + int(cells["phase"].max())  # type: ignore[arg-type]
        kinds = len(representatives)
        if kinds * visits * visits > MOST_CELLS:
            raise IotraceError(
                f"{kinds:,} kinds of segments over {visits} visits are too many: find fewer phases"
            )
        values = _values(cells.join(representatives, on=["file", "segment"]), kinds, visits, weights)
        size = segment_blocks(representatives.sort("kind"), blocks, capacity)
        return cls(places, values, size, np.bincount(places["kind"].to_numpy(), minlength=kinds))

    def chosen(self, taken: list[tuple[int, int, np.ndarray]]) -> pl.DataFrame:
        """Return the segments (phase, file, segment) of (kind, how many, in which visits)."""
        groups = self.places.sort("kind", "file", "segment").partition_by("kind", as_dict=True)
        used = dict.fromkeys(range(len(self.size)), 0)
        parts = []
        for kind, count, inside in taken:
            members = groups[(kind,)].slice(used[kind], count).select("file", "segment")
            used[kind] += count
            phases = pl.DataFrame({"phase": np.flatnonzero(inside)}, schema={"phase": pl.Int64})
            parts.append(phases.join(members, how="cross"))
        empty = pl.DataFrame(schema=dict.fromkeys(("phase", "file", "segment"), pl.Int64))
        return pl.concat([empty, *parts])


def _cells(touched: pl.DataFrame, capacity: CacheCapacity) -> pl.DataFrame:
    """Return, for each segment, visit, and visit of its blocks' last touch before: reads, writes, fetches."""
    return (
        touched.sort("file", "block", "phase")
        .with_columns(
            before=pl.col("phase").shift(1).over("file", "block").fill_null(-1),
            segment=pl.col("block") // capacity.segment_blocks,
        )
        .group_by("file", "segment", "phase", "before")
        .agg(
            pl.col("reads").sum(),
            pl.col("writes").sum(),
            fetches=(~pl.col("written_first")).sum().cast(pl.Int64),
        )
        .sort("file", "segment", "phase", "before")
    )


def _kinds(
    cells: pl.DataFrame, blocks: np.ndarray, capacity: CacheCapacity
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return each segment's kind (kind, file, segment), and one segment of each kind."""
    profile = pl.struct("phase", "before", "reads", "writes", "fetches")
    segments = cells.group_by("file", "segment", maintain_order=True).agg(profile=profile)
    segments = segments.with_columns(size=segment_blocks(segments, blocks, capacity))
    alike = (
        segments.group_by("profile", "size", maintain_order=True)
        .agg("file", "segment")
        .with_row_index("kind")
    )
    alike = alike.with_columns(pl.col("kind").cast(pl.Int64)).drop("profile", "size")
    representatives = alike.select("kind", pl.col("file").list.first(), pl.col("segment").list.first())
    return alike.explode("file", "segment"), representatives


def _values(cells: pl.DataFrame, kinds: int, visits: int, weights: Weights) -> np.ndarray:
    """Return what each run of visits is worth to each kind."""
    kind, visit = cells["kind"].to_numpy(), cells["phase"].to_numpy()
    worth = weights.hit_ns * cells["reads"].to_numpy() - weights.write_ns * cells["writes"].to_numpy()
    values = np.zeros((kinds, visits, visits))
    for start in range(visits):
        fetched = np.where(cells["before"].to_numpy() < start, cells["fetches"].to_numpy(), 0)
        within = visit >= start
        gained = worth - (weights.hit_ns + weights.miss_ns) * fetched
        np.add.at(values[:, start], (kind[within], visit[within]), gained[within])
    return np.cumsum(values, axis=2)


@dataclass(frozen=True)
class Problem:
    """Kinds of segments, what runs of visits are worth to them, and how many blocks each visit holds."""

    values: np.ndarray
    size: np.ndarray
    members: np.ndarray
    capacity: int

    @property
    def visits(self) -> int:
        """How many visits."""
        return int(self.values.shape[1])


@dataclass(frozen=True)
class Solution:
    """What is taken, its value, and the bound."""

    taken: list[tuple[int, int, np.ndarray]]
    """Kind, how many of its segments, and in which visits (flags)."""
    value_ns: float
    bound_ns: float


def solve(problem: Problem, steps: int = STEPS) -> Solution:
    """Return a plan and a bound: prices by subgradient steps, a plan from the best prices, then filled up."""
    prices = np.zeros(problem.visits)
    best = np.zeros(problem.visits)
    bound = np.inf
    plan = fill(problem, prices)
    for step in range(steps):
        worth, inside = best_runs(problem, np.tile(prices, (len(problem.size), 1)))
        dual = float(problem.members @ worth + problem.capacity * prices.sum())
        if dual < bound:
            bound, best = dual, prices
        slope = problem.capacity - (problem.members * problem.size) @ inside
        length = float(slope @ slope)
        if length == 0 or bound - plan.value_ns <= 1e-9 * max(1.0, abs(bound)):
            break
        prices = np.maximum(0, prices - (dual - plan.value_ns) / length * slope / (1 + step / 50))
        if step % 20 == 19:
            plan = max(plan, fill(problem, best), key=lambda solution: solution.value_ns)
    plan = max(plan, fill(problem, best), key=lambda solution: solution.value_ns)
    return Solution(plan.taken, plan.value_ns, max(bound, plan.value_ns))


def best_runs(problem: Problem, prices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each kind's best worth at prices (kinds, visits) a block, and in which visits (flags) it is then."""
    kinds, visits = len(problem.size), problem.visits
    paid = np.zeros((kinds, visits))
    worth = np.zeros((kinds, visits + 1))
    start = np.full((kinds, visits + 1), -1)
    for last in range(visits):
        paid[:, : last + 1] += (prices[:, last] * problem.size)[:, None]
        runs = worth[:, : last + 1] + problem.values[:, : last + 1, last] - paid[:, : last + 1]
        first = np.argmax(runs, axis=1)
        taken = runs[np.arange(kinds), first]
        better = taken > worth[:, last]
        worth[:, last + 1] = np.where(better, taken, worth[:, last])
        start[:, last + 1] = np.where(better, first, -1)
    edges = np.zeros((kinds, visits + 1), np.int64)
    at = np.full(kinds, visits)
    for after in range(visits, 0, -1):
        here, first = at == after, start[:, after]
        run = np.flatnonzero(here & (first >= 0))
        edges[run, first[run]] += 1
        edges[run, after] -= 1
        at = np.where(here, np.where(first >= 0, first, after - 1), at)
    return worth[:, visits], np.cumsum(edges, axis=1)[:, :visits] > 0


def fill(problem: Problem, prices: np.ndarray) -> Solution:
    """Return a plan that fits: by worth at the prices for each block, then at none, as long as something fits."""
    left = np.full(problem.visits, problem.capacity)
    members = problem.members.copy()
    taken: list[tuple[int, int, np.ndarray]] = []
    value = 0.0
    for charged in (prices, np.zeros(problem.visits)):
        while True:
            full = left[None, :] < problem.size[:, None]
            worth, inside = best_runs(problem, np.where(full, FORBIDDEN, charged[None, :]))
            has_filled = False
            for kind in np.argsort(-worth / problem.size, kind="stable"):
                if worth[kind] <= 0:
                    break
                fits = int(left[inside[kind]].min()) // int(problem.size[kind])
                count = min(fits, int(members[kind]))
                if count > 0:
                    taken.append((int(kind), count, inside[kind]))
                    members[kind] -= count
                    left = left - count * problem.size[kind] * inside[kind]
                    value += count * _worth(problem.values[kind], inside[kind])
                    has_filled = True
            if not has_filled:
                break
    return Solution(taken, value, np.inf)


def _worth(values: np.ndarray, inside: np.ndarray) -> float:
    """Return what the runs of flags are worth."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(np.int8), [0]])))
    return float(sum(values[first, after - 1] for first, after in zip(edges[::2], edges[1::2], strict=True)))
