"""The numbers behind a name, against twins that go byte by byte and pair by pair."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pattern_oracles import accesses, bytes_by_use, consecutive_and_sequential, followers, linked
from property_tests import examples

from iotrace.analysis.patterns import local, together
from iotrace.analysis.patterns.accesses import Accesses
from iotrace.analysis.patterns.interprocess import Distances, curve, reuse
from iotrace.errors import IotraceError

rows = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 30).map(lambda n: 2 * n), st.sampled_from([1, 2, 2, 4, 5])),
    min_size=1,
    max_size=40,
)


@examples(300)
@given(rows)
def test_local_shares(given: list[tuple[int, int, int]]) -> None:
    one = accesses(given)
    found = local.look(one)
    assert (found.consecutive_share, found.sequential_share) == pytest.approx(consecutive_and_sequential(one))
    assert found.portions.length.sum() == one.length.sum()
    assert found.portions.count.sum() == len(one)
    assert 0 <= found.regular_share <= 1 and 0 <= found.fixed_share <= 1


@examples(300)
@given(rows, st.integers(1, 12))
def test_global_shares_and_coverage(given: list[tuple[int, int, int]], window: int) -> None:
    one = accesses(given)
    found = together.look(one, window)
    assert found.linked_share == pytest.approx(linked(one, window, another=False))
    assert found.consecutive_share == pytest.approx(linked(one, window, another=True))
    covered, once, shared = bytes_by_use(one)
    assert found.covered.bytes == covered
    assert found.once_share == pytest.approx(once / covered)
    assert found.overlap_share == pytest.approx(shared / covered)
    assert (found.covered.start[1:] > found.covered.end[:-1]).all()
    assert found.portions.sum() == one.length.sum()
    assert 0 <= found.ordered_share <= 1 and 0 <= found.sequential_share <= 1


@examples(300)
@given(rows, st.sampled_from([1, 3, 8, 64]))
def test_interprocess_reuse(given: list[tuple[int, int, int]], block: int) -> None:
    one = accesses(given)
    found = reuse(one, block)
    touches, distances = followers(one, block)
    assert found.touches == touches
    assert listed(found.accesses) == distances
    assert found.times_ns is not None and listed(found.times_ns) == [10 * distance for distance in distances]
    assert found.accesses.median == (np.median(distances) if distances else None)
    points = curve(found.accesses, touches)
    for within, followed, share in points:
        assert followed == sum(distance <= within for distance in distances)
        assert share == pytest.approx(followed / touches)
    assert points[-1][1] == len(distances)


def listed(found: Distances) -> list[int]:
    return np.repeat(found.values, np.diff(found.up_to, prepend=0)).tolist()


def test_blocks_that_the_same_accesses_touch_are_followed_together() -> None:
    """Two processes write 16 pieces of 4 GB each and read each other's: 2**26 touches of blocks of 4 KB."""
    piece = 1 << 32
    rows = [(process, (16 * process + number) * piece, piece) for number in range(16) for process in range(2)]
    swapped = [(1 - process, offset, length) for process, offset, length in rows]
    tracemalloc.start()
    found = reuse(accesses(rows + swapped), 4096, 1 << 40)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.touches, len(found.accesses), found.accesses.median) == (64 << 20, 32 << 20, 32)
    assert found.share == 0.5 and peak < 1 << 20


def test_offsets_near_the_largest_of_all() -> None:
    far = 2**60
    one = accesses([(0, far, 8), (1, far + 8, 8), (0, far + 16, 8), (70_000, far + 8, 8)])
    found = together.look(one, 4)
    assert found.covered.bytes == 24
    assert found.overlap_share == pytest.approx(1 / 3)


def test_too_many_touches_are_refused() -> None:
    with pytest.raises(IotraceError, match="choose larger blocks"):
        reuse(accesses([(0, 0, 2**50)]), 1)


def test_touches_are_bounded_beside_the_budget() -> None:
    """Many accesses add to the budget, and the arrays that hold every touch would grow with it."""
    count = 4_000_000
    lengths = np.full(count, 1 << 18)
    lengths[:64] = np.arange(1, 65) << 12
    many = Accesses(*(np.zeros(count, np.int64) for _ in range(2)), lengths)
    tracemalloc.start()
    with pytest.raises(
        IotraceError, match=r"255,997,984 runs of blocks .* more than the 200,000,000 .*--block"
    ):
        reuse(many, 4096)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 29


def test_linked_beyond_chance_is_none_in_random_order() -> None:
    order = np.random.default_rng(1).permutation(400)
    shuffled = accesses([(row % 4, 8 * int(place), 8) for row, place in enumerate(order)])
    assert together.look(shuffled, 8).linked_beyond_chance < 0.05
    ordered = accesses([(row % 4, 8 * row, 8) for row in range(400)])
    assert together.look(ordered, 8).linked_beyond_chance > 0.95
