"""The best partition against trying them all."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from small_store import small_store
from test_attribute_cache import Row, rows

from iotrace.simulate.attribute.best import Searches, Together, cost_of, least_regret
from iotrace.simulate.attribute.notation import Configuration, Subcache, parse_space
from iotrace.simulate.attribute.outcome import MEASURES, outcome, prepare
from iotrace.simulate.attribute.partition import Partitions
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import of_configuration
from iotrace.simulate.attribute.staircase import Staircase

steps = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 1000)), max_size=8)


def curve(block: int, points: list[tuple[int, int]], whole: int) -> tuple[int, np.ndarray, np.ndarray]:
    by_size = {0: whole, **{size * block: cost for size, cost in points if size}}
    return block, np.array(sorted(by_size)), np.array([by_size[size] for size in sorted(by_size)], float)


@examples(300)
@given(st.lists(st.tuples(steps, steps, st.integers(0, 1000)), min_size=1, max_size=4), st.integers(0, 150))
def test_nothing_is_better(classes: list[tuple], total: int) -> None:
    stairs = [
        Staircase.of([curve(1, first, whole), curve(3, second, whole)]) for first, second, whole in classes
    ]
    split = Partitions(stairs).best(total)
    every = product(*(list(zip(one.sizes, one.costs, strict=True)) for one in stairs))
    least = min(sum(c for _, c in one) for one in every if sum(s for s, _ in one) <= total)
    taken = [(one.sizes[place], one.costs[place]) for one, place in zip(stairs, split.places, strict=True)]
    assert split.cost == least == sum(cost for _, cost in taken)
    assert sum(size for size, _ in taken) <= total
    assert split.bound <= least + 1e-6


def test_a_staircase_keeps_what_pays() -> None:
    stairs = Staircase.of([curve(4, [(1, 9), (2, 9), (3, 12), (4, 2)], 10), curve(6, [(1, 5)], 8)])
    assert stairs.sizes.tolist() == [0, 6, 16]
    assert stairs.costs.tolist() == [8, 5, 2]
    assert stairs.blocks_bytes.tolist() == [6, 6, 4]


SPACE = parse_space("?/100|300 General, ?/64 ID")


def every_cost(memo: PassMemo, total: int, objective: str) -> dict[Configuration, int]:
    """Try all sizes of the space, a block at a time, each as a separate scheme."""
    costs = {}
    for block in (100, 300):
        for general in range(total // block + 1):
            for ids in range((total - general * block) // 64 + 1):
                made = Configuration(
                    (Subcache(general * block, block, "General"), Subcache(ids * 64, 64, "ID"))
                )
                scheme = of_configuration(made)
                prepare(memo, [scheme])
                costs[made] = outcome(memo, scheme, made.fixed_bytes).sum(MEASURES[objective])
    return costs


@pytest.mark.parametrize("objective", ["reads", "time", "requests"])
@examples(15)
@given(rows, st.integers(1, 900))
def test_the_best_of_all_configurations(
    tmp_path_factory: pytest.TempPathFactory, objective: str, rows: list[Row], total: int
) -> None:
    memo = PassMemo(small_store(tmp_path_factory.mktemp("stores") / "s", rows))
    search = Searches(memo, [SPACE], objective)
    best = search.best(total)
    assert (
        best.cost == min(every_cost(memo, total, objective).values()) == cost_of(search, best.configuration)
    )
    assert best.configuration.fixed_bytes <= total and best.hull_bound <= best.cost * (1 + 1e-9)


@examples(10)
@given(rows, rows, st.integers(1, 600))
def test_the_least_mean_regret(
    tmp_path_factory: pytest.TempPathFactory, first: list[Row], second: list[Row], total: int
) -> None:
    folder = tmp_path_factory.mktemp("stores")
    memos = [PassMemo(small_store(folder / name, rows)) for name, rows in (("a", first), ("b", second))]
    found = least_regret(Together([Searches(memo, [SPACE]) for memo in memos]), total)
    costs = [every_cost(memo, total, "reads") for memo in memos]
    weighing = [one for one in costs if min(one.values()) > 0]
    if not weighing:
        assert found.mean is None
        return
    means = [sum(one[made] / min(one.values()) - 1 for one in weighing) / len(weighing) for made in costs[0]]
    assert found.mean == pytest.approx(min(means), abs=1e-9)
