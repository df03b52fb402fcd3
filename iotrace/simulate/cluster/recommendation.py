"""Advice on what a program should put through the global cache of a machine, by simulating the candidates."""

from dataclasses import dataclass

import pyarrow as pa

from iotrace.analysis.block_budget import Budget
from iotrace.simulate.cluster.advice import Advice, advise
from iotrace.simulate.cluster.cases import capacity_of, with_phases
from iotrace.simulate.cluster.costs import components
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.rows import file_sizes, rows_of
from iotrace.simulate.cluster.settings import Settings
from iotrace.simulate.cluster.simulation import SIZES, STALE, remarks, spend
from iotrace.simulate.programs.program import Program


@dataclass(frozen=True)
class Recommendation:
    """The advice, and what a reader of it should know."""

    advice: Advice
    remarks: list[str]

    def tables(self, has_bits: bool) -> dict[str, pa.Table]:
        """Return the candidates, the files of the best one, and its bypass bits, where it has any."""
        tables = {"candidates": self.advice.candidates, "advice": self.advice.files}
        if has_bits and self.advice.best.name != "no caching":
            tables["bits"] = self.advice.best.plan
        return tables


def recommend(program: Program, settings: Settings, budget_blocks: int = Budget.CLUSTER) -> Recommendation:
    """Return advice for a program on a machine; raises IotraceError for a program that cannot run."""
    spend(program, budget_blocks)
    costs = components(settings.costs)
    records, remark = with_phases(program.records)
    rows = rows_of(records, settings.nodes, program.warm)
    stale: dict[int, int] = {}

    def timing(plan: pa.Table) -> int:
        outcome = simulate(rows, settings, Discipline.planned(plan), costs)
        stale[id(plan)] = outcome.totals.get("stale_reads", 0)
        return outcome.execution_ns or 0

    advice = advise(
        records,
        capacity_of(settings),
        timing,
        names=program.files,
        without_caches_ns=simulate(rows, settings, Discipline.of("none"), costs).execution_ns,
        local_blocks=settings.local_blocks or 0,
    )
    sentences = [
        advice.sentence,
        *([remark] if remark else []),
        *remarks(rows, settings, file_sizes(rows).tolist()),
    ]
    if older := stale.get(id(advice.best.plan)):
        sentences.append(f"with it {older:,} reads are stale: {STALE}")
    return Recommendation(advice, [*sentences, SIZES])
