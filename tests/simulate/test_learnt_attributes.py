"""Decision trees over files' features: by hand, against all conditions tried one by one, and on made traces."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from small_store import Row, small_store

from iotrace.errors import UsageError
from iotrace.simulate.attribute.decision_tree import MOST_DEPTH, grow, leaf_of
from iotrace.simulate.attribute.features import Condition, Features, features_of
from iotrace.simulate.attribute.settings import Settings
from iotrace.simulate.attribute.simulation import run

features = st.builds(
    Features,
    type=st.sampled_from(["datafile", "directory"]),
    suffix=st.sampled_from(["", ".o", ".log"]),
    tree=st.just("/var"),
    program=st.sampled_from(["cc", "ld"]),
    access=st.sampled_from(["read", "write"]),
    start=st.just("0"),
    directory=st.sampled_from(["/var/a", "/var/b"]),
    size_bytes=st.sampled_from([None, 0, 10, 20]),
)
files = st.lists(st.tuples(features, st.tuples(*[st.integers(-9, 9)] * 2)), min_size=1, max_size=12)


def decided(gains: list[tuple[int, int]]) -> int:
    """What the best decision for some files saves."""
    return max(0, *(sum(column) for column in zip(*gains, strict=True))) if gains else 0


def conditions(given: list[Features]) -> list[Condition]:
    tried = [
        Condition(name, getattr(each, name))
        for name in ("type", "suffix", "tree", "program", "access", "start", "directory")
        for each in given
    ]
    return tried + [Condition("size_bytes", each.size_bytes) for each in given if each.size_bytes is not None]


@examples(150)
@given(files)
def test_a_tree_of_one_condition_is_the_best_of_all(given: list[tuple[Features, tuple[int, int]]]) -> None:
    known = [each for each, _ in given]
    best = decided([gains for _, gains in given])
    for condition in conditions(known):
        sides = ([], [])
        for each, gains in given:
            sides[condition.accepts(each)].append(gains)
        best = max(best, sum(map(decided, sides)))
    leaves = grow(known, np.array([gains for _, gains in given], float), most_depth=1)
    assert sum(leaf.saving for leaf in leaves) == best


@examples(100)
@given(files)
def test_every_file_comes_to_one_leaf_and_a_deeper_tree_saves_no_less(
    given: list[tuple[Features, tuple[int, int]]],
) -> None:
    known, gains = [each for each, _ in given], np.array([gains for _, gains in given], float)
    savings = []
    for depth in range(MOST_DEPTH + 1):
        leaves = grow(known, gains, depth)
        assert all(len(leaf.conditions) <= depth for leaf in leaves)
        for leaf in leaves:
            mine = [gain for each, gain in zip(known, gains.tolist(), strict=True) if leaf.accepts(each)]
            assert leaf.saving == decided(mine)
            assert leaf.subcache is None or leaf.saving == sum(gain[leaf.subcache] for gain in mine)
        for each in known:
            assert [leaf for leaf in leaves if leaf.accepts(each)] == [leaf_of(leaves, each)]
        savings.append(sum(leaf.saving for leaf in leaves))
    assert savings == sorted(savings)


def scans(logs: list[int], texts: list[int]) -> tuple[list[Row], dict[int, str]]:
    """Logs of which each block is read once, between reads of small files, which are too many for large blocks."""
    large = max(logs + texts) + 1
    rows: list[Row] = [("datafile", "read", large, 0, 4096, 1 << 20)]
    for turn in range(12):
        rows += [("datafile", "read", text, 0, 4096, 4096) for text in texts]
        for log in logs:
            rows += [
                ("datafile", "read", log, 4096 * (4 * turn + block), 4096, 1 << 18) for block in range(4)
            ]
    paths = {log: f"/var/log/number{log}.log" for log in logs}
    return rows, paths | {text: f"/var/log/text{text}.txt" for text in texts} | {large: "/var/log/large.tar"}


def stores(tmp_path: Path) -> dict[str, object]:
    """Two traces with other logs and other files; in both, the rule is that a log is read like a large file."""
    first, second = scans([0, 1], [*range(5, 11)]), scans([3, 4, 8], [*range(9, 15)])
    return {
        name: small_store(tmp_path / f"{name}.iotrace", rows, paths=paths)
        for name, (rows, paths) in {"first": first, "second": second}.items()
    }


SCHEME = "x/4K Temporal, 256K/64K Sequential"
LEARN = Settings(SCHEME, totals_bytes=((256 << 10) + 6 * 4096,), learn=True)


def test_a_rule_that_exists_is_learnt_and_holds_on_the_second_trace(tmp_path: Path) -> None:
    tables = run(stores(tmp_path), LEARN).tables
    (rule,) = tables["rules"].to_pylist()
    assert (rule["learnt_from"], rule["conditions"], rule["to_class"]) == (
        "first",
        "suffix = .log",
        "Sequential",
    )
    assert rule["files_moved"] == 2
    (row,) = tables["learnt"].to_pylist()
    assert (row["trace"], row["learnt_from"], row["files_moved"]) == ("second", "first", 3)
    # of 12 reads of each of 6 small files 1 misses, of 48 of each log 3, of 64 KB each; the large file misses once
    assert (row["cost"], row["learnt_cost"]) == (6 * 12 + 3 * 48 + 1, 6 + 3 * 3 + 1)
    assert row["searched_cost"] == row["learnt_cost"]


def test_features_are_those_of_the_first_request(tmp_path: Path) -> None:
    rows = [
        ("datafile", "write", 0, 4096, 10, None),
        ("datafile", "read", 0, 0, 10, 5000),
        ("directory", "read", 1, 0, 512, 512),
    ]
    store = small_store(tmp_path / "s.iotrace", rows, paths={0: "/var/log/app/a.tar.GZ", 1: "/var/log"})
    assert features_of(store) == {
        0: Features("datafile", ".gz", "/var/log", "cc", "write", "elsewhere", "/var/log/app", None),
        1: Features("directory", "", "/var", "cc", "read", "0", "/var", 512),
    }


def test_rules_are_never_judged_on_the_trace_that_they_are_learnt_from(tmp_path: Path) -> None:
    store = stores(tmp_path)["first"]
    with pytest.raises(UsageError, match="--learn needs two traces"):
        run({"first": store}, LEARN)
    with pytest.raises(UsageError, match="not judged on the trace that it learns from"):
        run({"first": store, "again": store}, LEARN)
