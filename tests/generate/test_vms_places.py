"""Which place a generated request goes to: shares, distances and order as they were asked for, measured again."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.places import distances, places
from iotrace.generate.vms.sequence import operations
from iotrace.generate.vms.shapes import DISTANCES, READBACK, REREAD, REWRITE, UPDATE, Shape
from iotrace.option import options

NOTHING = Parameters(rewrite_share=0, write_after_read_share=0, reread_share=0, read_after_write_share=0)
"""Every request goes to a new place."""
REPEATS = {
    "rewrite": "writes",
    "reread": "reads",
    "write_after_read": "reads",
    "read_after_write": "writes",
}
"""What repeats a place, and in what its distance is counted."""


def naive_places(is_write: list[bool], same: int, other: int) -> list[int]:
    """Each request repeats the place of the `same`-th last request of its operation, or of the `other`-th last of
    the other operation, or, where there is none, takes a new place."""
    found: list[int] = []
    history: dict[bool, list[int]] = {True: [], False: []}
    for writes in is_write:
        before = history[writes] if same else history[not writes]
        distance = same or other
        place = before[-distance] if len(before) >= distance else len(set(found))
        found.append(place)
        history[writes].append(place)
    return found


@examples(200)
@given(st.lists(st.booleans(), min_size=1, max_size=80), st.integers(1, 9), st.booleans(), st.integers(0, 99))
def test_distances_are_counted_in_requests_of_one_operation(
    is_write: list[bool], distance: int, own: bool, seed: int
) -> None:
    same = {"rewrite": 1.0, "reread": 1.0} if own else {"write_after_read": 1.0, "read_after_write": 1.0}
    unit = {"rewrite": "writes", "reread": "reads", "write_after_read": "reads", "read_after_write": "writes"}
    result = {f"{name}_share": share for name, share in same.items()}
    result |= {f"{name}_distance_{unit[name]}": float(distance) for name in same}
    result |= {f"{name}_distance_spread": 0.0 for name in same}
    found = places(np.array(is_write), replace(NOTHING, **result), np.random.default_rng(seed))
    expected = naive_places(is_write, distance if own else 0, 0 if own else distance)
    assert found.tolist() == expected


@pytest.mark.parametrize("spread", [0.0, 0.5, 2.0])
def test_distances_have_their_median_and_spread(spread: float) -> None:
    drawn = distances(5000, spread, 40_000, np.random.default_rng(0))
    assert np.median(drawn) == pytest.approx(5000, rel=0.05)
    assert np.log(drawn).std() == pytest.approx(spread, rel=0.02, abs=1e-9)
    assert distances(1, 3, 1000, np.random.default_rng(0)).min() == 1


SHAPES = {"rewrite": REWRITE, "reread": REREAD, "write_after_read": UPDATE, "read_after_write": READBACK}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_measured_distances_are_drawn_again(shape: Shape) -> None:
    assert len(shape.percent) == len(DISTANCES) and sorted(shape.percent) == list(shape.percent)
    drawn = shape.distances(shape.median, shape.spread, 200_000, np.random.default_rng(0))
    up_to = [100 * (drawn <= distance).mean() for distance in DISTANCES]
    assert up_to == pytest.approx(list(shape.percent), abs=0.5)
    assert np.log(drawn).std() == pytest.approx(shape.spread, rel=0.05)
    twice = shape.distances(2 * shape.median, 0, 10, np.random.default_rng(0))
    assert set(twice.tolist()) == {2 * shape.median}


@pytest.mark.parametrize("kept", [0.0, 0.6])
@pytest.mark.parametrize("own", ["write", "read"])
def test_what_a_request_does_is_kept(own: str, kept: float) -> None:
    repeat = {"write": "rewrite", "read": "reread"}[own]
    asked = {f"{repeat}_share": 0.5, f"{repeat}_distance_{REPEATS[repeat]}": 2.0}
    asked |= {f"{repeat}_distance_spread": 0.0, f"{own}_kind_kept_share": kept}
    place = places(np.full(20_000, own == "write"), replace(NOTHING, **asked), np.random.default_rng(1))
    is_new = np.zeros(len(place), bool)
    is_new[np.unique(place, return_index=True)[1]] = True
    assert is_new.mean() == pytest.approx(0.5, abs=0.03)
    assert (is_new[1:] == is_new[:-1]).mean() == pytest.approx(kept + (1 - kept) / 2, abs=0.02)


def test_places_once_written_are_not_read_again_or_updated() -> None:
    share = {"rewrite": 0.5, "write_after_read": 0.2, "reread": 0.4, "read_after_write": 0.3}
    asked = {f"{name}_share": value for name, value in share.items()}
    is_write = operations(20_000, 20_000, 3, np.random.default_rng(1))
    place = places(is_write, replace(NOTHING, **asked), np.random.default_rng(2))
    written: set[int] = set()
    unread: set[int] = set()
    read: set[int] = set()
    wrong = 0
    for writes, one in zip(is_write.tolist(), place.tolist(), strict=True):
        wrong += not writes and one in written and one not in unread
        if writes:
            written.add(one)
            unread.add(one)
        else:
            unread.discard(one)
            read.add(one)
    assert wrong < 0.005 * len(place)
    assert len(read & written) > 1000


@pytest.mark.parametrize("share", ["rewrite", "write_after_read", "reread", "read_after_write"])
def test_a_share_is_of_its_operation(share: str) -> None:
    is_write = operations(20_000, 20_000, 1.5, np.random.default_rng(1))
    near = {one.field: 0.0 for one in options(Parameters) if "distance_spread" in one.field}
    place = places(is_write, replace(NOTHING, **near, **{f"{share}_share": 0.3}), np.random.default_rng(2))
    first = np.unique(place, return_index=True)[1]
    again = np.ones(len(place), bool)
    again[first] = False
    affected = is_write if share.startswith("write") or share == "rewrite" else ~is_write
    assert again[affected].mean() == pytest.approx(0.3, abs=0.02)
    assert not again[~affected].any()


def test_without_shares_every_place_is_new() -> None:
    is_write = operations(500, 500, 2, np.random.default_rng(1))
    assert places(is_write, NOTHING, np.random.default_rng(1)).tolist() == list(range(1000))


def measured(is_write: np.ndarray, place: np.ndarray) -> dict[str, np.ndarray]:
    """Return the distances to the last request of each place, of rewrites to its last write."""
    number = {True: 0, False: 0}
    last: dict[int, tuple[bool, int]] = {}
    last_write: dict[int, int] = {}
    found = defaultdict(list)
    for writes, one in zip(is_write.tolist(), place.tolist(), strict=True):
        if writes and one in last_write:
            found["rewrite"].append(number[True] - last_write[one])
        elif one in last:
            of_write, before = last[one]
            kind = ("read_after_write" if of_write else "reread") if not writes else "write_after_read"
            found[kind].append(number[of_write] - before)
        last[one] = (writes, number[writes])
        if writes:
            last_write[one] = number[True]
        number[writes] += 1
    return {kind: np.array(values) for kind, values in found.items()}


def found_of(share: dict[str, float], median: float, spread: float, kept: float) -> dict[str, np.ndarray]:
    is_write = operations(30_000, 30_000, 3, np.random.default_rng(1))
    asked = {f"{name}_distance_{unit}": median for name, unit in REPEATS.items()}
    asked |= {f"{name}_distance_spread": spread for name in REPEATS}
    asked |= {f"{name}_share": value for name, value in share.items()}
    asked |= {"rewrite_order_share": kept, "reread_order_share": kept}
    return measured(is_write, places(is_write, replace(NOTHING, **asked), np.random.default_rng(2)))


ALONE = [{"rewrite": 0.85}, {"reread": 0.6}, {"write_after_read": 0.2}, {"read_after_write": 0.6}]


def expected(name: str, median: float, spread: float) -> np.ndarray:
    """Return the distances that are asked for, as many as say how they are distributed."""
    return SHAPES[name].distances(median, spread, 40_000, np.random.default_rng(9))


def assert_distributed(found: np.ndarray, wanted: np.ndarray) -> None:
    """Compare the shares of distances up to each of a few."""
    for distance in np.unique(np.percentile(wanted, [10, 25, 50, 75, 90])):
        share = (wanted <= distance).mean()
        assert (found <= distance).mean() == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize("kept", [0.0, 0.5])
@pytest.mark.parametrize(("median", "spread"), [(40, 1.5), (9, 0.8), (300, 1.0)])
@pytest.mark.parametrize("share", ALONE, ids=lambda share: next(iter(share)))
def test_distances_are_met_although_places_are_used_again(
    share: dict[str, float], median: float, spread: float, kept: float
) -> None:
    (name,) = share
    assert_distributed(found_of(share, median, spread, kept)[name], expected(name, median, spread))


@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_rewrites_keep_their_distances_whatever_is_read(kept: float) -> None:
    share = {"rewrite": 0.85, "write_after_read": 0.1, "reread": 0.4, "read_after_write": 0.3}
    assert_distributed(found_of(share, 40, 1.5, kept)["rewrite"], expected("rewrite", 40, 1.5))


def kept_order(place: list[int]) -> float:
    """Return the share of the repeats after a repeat whose place was next in the order of last uses."""
    order: list[int] = []
    follows: int | None = None
    kept = []
    for one in place:
        repeats = one in order
        if repeats and follows is not None:
            kept.append(one == (order[follows] if follows < len(order) else None))
        follows = order.index(one) if repeats else None
        if repeats:
            order.remove(one)
        order.append(one)
    return float(np.mean(kept))


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("own", ["rewrite", "reread"])
def test_a_share_keeps_its_order(own: str, share: float) -> None:
    unit = REPEATS[own]
    asked = {f"{own}_share": 0.9, f"{own}_distance_{unit}": 60.0, f"{own}_distance_spread": 1.5}
    is_write = np.full(4000, own == "rewrite")
    p = replace(NOTHING, **asked, **{f"{own}_order_share": share})
    place = places(is_write, p, np.random.default_rng(3)).tolist()
    assert kept_order(place) == pytest.approx(share, abs=0.04)
