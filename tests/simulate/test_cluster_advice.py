"""Advice on what goes through a global cache, from a machine with invented times."""

import pyarrow as pa
import pytest
from planning_accesses import BLOCK, Access
from test_cluster_planning import program

from iotrace.simulate.cluster.access_sets import CacheCapacity
from iotrace.simulate.cluster.advice import Timing, advise
from iotrace.simulate.cluster.costs import CostRow, components
from iotrace.simulate.cluster.worth import Worth

ROOM = CacheCapacity(6, False, 1, BLOCK)
TOY = [Access(0, phase, False, file, 0, 3 * BLOCK) for phase in (0, 1) for file in (0, 1, 2)]


def machine(worth: dict[int, int]) -> Timing:
    """A machine on which caching file f saves `worth[f]` ns, in proportion to the share of its segments cached."""

    def timing(plan: pa.Table) -> int:
        share = dict.fromkeys(worth, 0.0)
        for row in plan.to_pylist():
            part = 1.0 if row["segments"] is None else row["segments"] / 3
            share[row["file"]] += part * (1 if row["phase"] is None else 0.5)
        return round(10_000 - sum(worth[file] * min(1.0, part) for file, part in share.items()))

    return timing


def test_only_the_files_that_pay() -> None:
    found = advise(program(TOY), ROOM, machine({0: 500, 1: -300, 2: 200}), names=["a", "b", "c"])
    assert found.best.name == "files that pay"
    assert found.best.execution_ns == 9_300
    assert (
        found.sentence
        == "go through the global cache only for a, c (files that pay): 9.3 µs instead of 9.6 µs, 3.12 % less"
    )
    assert found.files.select(["file", "name", "phases", "segments", "saved_ns"]).to_pylist() == [
        {"file": 0, "name": "a", "phases": None, "segments": None, "saved_ns": 500},
        {"file": 2, "name": "c", "phases": None, "segments": None, "saved_ns": 200},
    ]
    first = found.candidates.to_pylist()[0]
    assert (first["execution_ns"], first["saved_ns"]) == (9_300, 300)
    assert first["saved_percent"] == pytest.approx(3.125)


def test_nothing_and_everything() -> None:
    nothing = advise(program(TOY), ROOM, machine({0: -5, 1: -3, 2: -1}))
    assert nothing.sentence == "bypass the global cache for everything: 10 µs"
    assert len(nothing.files) == 0
    everything = advise(program(TOY), ROOM, machine({0: 1, 1: 1, 2: 1}))
    assert everything.best.name == "everything"
    assert [row["saved_ns"] for row in everything.files.to_pylist()] == [1, 1, 1]


def test_every_candidate_is_simulated_and_the_best_is_the_fastest() -> None:
    found = advise(program(TOY), ROOM, machine({0: 100, 1: 10, 2: -100}))
    plans = [row["plan"] for row in found.candidates.to_pylist()]
    assert sorted(plans) == sorted(
        [
            "nothing",
            "everything",
            "one file",
            "one file",
            "one file",
            "files that pay",
            "coarse",
            "fine",
        ]
    )
    times = [row["execution_ns"] for row in found.candidates.to_pylist()]
    assert times == sorted(times) and found.best.execution_ns == times[0]


def test_what_an_access_is_worth_is_the_costs_of_a_block() -> None:
    costs = components()
    found = Worth.of(costs, 65_536, 4)
    hit = costs.time_ns(CostRow.LOCAL_MISS, 65_536, 4) - costs.time_ns(CostRow.GLOBAL_HIT, 65_536, 4)
    miss = costs.time_ns(CostRow.GLOBAL_MISS, 65_536, 4) - costs.time_ns(CostRow.LOCAL_MISS, 65_536, 4)
    assert found.hit_ns == pytest.approx(hit / 16) and found.miss_ns == pytest.approx(miss / 16)
    assert Worth.of(costs, 4096, 4, local=False).hit_ns < 0


def test_what_local_caches_serve_does_not_count_for_fine() -> None:
    served = [Access(0, 0, False, 0, 0, BLOCK)] * 4
    far = [Access(0, 0, False, 1, block * BLOCK, BLOCK) for block in (0, 1, 2, 0, 1, 2)]
    for local, file in ((0, 0), (2, 1)):
        plans: list[pa.Table] = []
        advise(
            program([*served, *far]),
            CacheCapacity(1, False, 1, BLOCK),
            lambda plan, plans=plans: plans.append(plan) or 1,
            local_blocks=local,
        )
        segmented = [plan for plan in plans if plan.num_rows and not plan["segments"].null_count]
        assert segmented[0]["file"].to_pylist() == [file]
