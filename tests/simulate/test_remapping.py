"""Files moved between subcaches, against a direct simulation of LRU caches."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from attribute_oracle import simulate
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from small_store import Row, small_store

from iotrace.errors import UsageError
from iotrace.simulate.attribute.fixed_sizes import FixedSizes
from iotrace.simulate.attribute.notation import parse
from iotrace.simulate.attribute.outcome import MEASURES, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.remapping import advise, moved
from iotrace.simulate.attribute.schemes import of_configuration
from iotrace.simulate.attribute.settings import Settings
from iotrace.simulate.attribute.simulation import run

CUT_OFF = 2000
FILES = 5
NAMES = ("ID", "Temporal", "Sequential", None)
KINDS = ("directory", "datafile", "datafile", "datafile", "executable")

row = st.tuples(
    st.sampled_from(["read", "read", "read", "write", "truncate", "delete"]),
    st.integers(0, FILES - 1),
    st.integers(0, 700),
    st.integers(1, 900),
)


def references(steps: Sequence[tuple[str, int, int, int]]) -> list[Row]:
    """File 3 is large, the others are small, from the beginning."""
    size = {3: 3000}
    return [
        (KINDS[file], operation, file, offset, length, size.get(file, 1600))
        for operation, file, offset, length in steps
    ]


def first_homes(rows: Sequence[Row]) -> list[int]:
    """The place of each file's subcache; files without requests are uncached."""
    used = {row[2] for row in rows if row[1] in ("read", "write")}
    homes = [0 if KINDS[file] == "directory" else 2 if file == 3 else 1 for file in range(FILES)]
    return [home if file in used else 3 for file, home in enumerate(homes)]


def oracle(rows: Sequence[Row], sizes: Sequence[int], homes: Sequence[int], objective: str) -> int:
    caches = dict(zip(NAMES, zip(sizes, (64, 150, 300), strict=True), strict=False))
    counts = simulate(rows, caches, lambda row: NAMES[homes[row[2]]])
    return sum(count[name] for count in counts.values() for name in MEASURES[objective])


def sizes_of(
    tmp: pytest.TempPathFactory, rows: list[Row], blocks: Sequence[int], objective: str
) -> FixedSizes:
    ids, temporal, sequential = blocks
    text = f"{ids * 64}/64 ID, {temporal * 150}/150 Temporal, {sequential * 300}/300 Sequential"
    memo = PassMemo(small_store(tmp.mktemp("stores") / "small.iotrace", rows))
    prepare(memo, [of_configuration(parse(text)).with_cut_off(CUT_OFF)])
    return FixedSizes.of(memo, memo.assigned(parse(text), CUT_OFF), objective)


steps = st.lists(row, min_size=1, max_size=50)
blocks = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4))
objectives = st.sampled_from(["reads", "requests"])


@examples(60)
@given(steps, blocks, objectives, st.lists(st.integers(0, 3), min_size=FILES, max_size=FILES))
def test_any_assignment_costs_what_separate_caches_cost(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, int, int, int]],
    blocks: tuple[int, int, int],
    objective: str,
    homes: list[int],
) -> None:
    rows = references(steps)
    sizes = sizes_of(tmp_path_factory, rows, blocks, objective)
    places = sizes.assignment()
    assert places[:-1].tolist() == first_homes(rows)[: len(places) - 1]
    there = moved(places, {file: homes[file] for file in range(len(places) - 1)})
    assert sizes.total(there) == oracle(rows, blocks, homes, objective)
    if objective == "reads":
        assert sizes.by_file(places).costs.sum() == sizes.total(places)


@examples(40)
@given(steps, blocks, objectives, st.integers(1, 8))
def test_advice_is_what_the_moves_do(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, int, int, int]],
    blocks: tuple[int, int, int],
    objective: str,
    candidates: int,
) -> None:
    rows = references(steps)
    sizes = sizes_of(tmp_path_factory, rows, blocks, objective)
    places, homes = sizes.assignment(), first_homes(rows)
    found = advise(sizes, places, sizes.by_file(places), candidates)
    assert found.cost == oracle(rows, blocks, homes, objective)
    for file, gains in found.gains.items():
        for place, gain in gains.items():
            elsewhere = [*homes[:file], place, *homes[file + 1 :]]
            assert gain == found.cost - oracle(rows, blocks, elsewhere, objective)
    cost = found.cost
    for move in found.moves:
        assert (move.from_place, move.saved_alone) == (
            homes[move.file],
            found.gains[move.file][move.to_place],
        )
        homes[move.file] = move.to_place
        assert cost - oracle(rows, blocks, homes, objective) == move.saved > 0
        cost -= move.saved
    assert found.remapped_cost == cost
    assert len(found.gains) <= candidates
    if not found.moves:
        assert all(gain <= 0 for gains in found.gains.values() for gain in gains.values())


def scans(path: Path) -> list[Row]:
    """A small file is read again and again; between, a log of which each block is read once pushes it out."""
    rows: list[Row] = []
    for turn in range(12):
        rows += [("datafile", "read", 0, 4096 * block, 4096, 8192) for block in range(2)]
        rows += [("datafile", "read", 1, 4096 * (4 * turn + block), 4096, 1 << 18) for block in range(4)]
    return rows


def test_the_file_that_pushes_others_out_is_moved(tmp_path: Path) -> None:
    rows = [*scans(tmp_path), ("datafile", "read", 2, 0, 4096, 1 << 20)]
    store = small_store(tmp_path / "small.iotrace", rows, paths={1: "/var/log/scan.log"})
    settings = Settings("x/4K Temporal, 64K/64K Sequential", totals_bytes=(80 << 10,), advise=True)
    tables = run({"small": store}, settings).tables
    (row,) = tables["remapping"].to_pylist()
    (move,) = tables["moves"].to_pylist()
    assert (move["path"], move["from_class"], move["to_class"]) == (
        "/var/log/scan.log",
        "Temporal",
        "Sequential",
    )
    # 2 misses of the small file instead of 24, 3 of the log (16 blocks each) instead of 48, and one of the large file
    assert (row["cost"], row["remapped_cost"], row["predicted_cost"]) == (73, 6, 6)
    assert row["saved_percent"] == pytest.approx(100 * 67 / 73)


def test_where_nothing_is_gained_no_file_is_moved(tmp_path: Path) -> None:
    rows = [("datafile", "read", 0, 0, 4096, 8192), ("datafile", "read", 1, 0, 4096, 8192)]
    store = small_store(tmp_path / "small.iotrace", rows)
    settings = Settings("x/4K Temporal, 64K/64K Sequential", totals_bytes=(1 << 20,), advise=True)
    tables = run({"small": store}, settings).tables
    assert tables["moves"].num_rows == 0
    (row,) = tables["remapping"].to_pylist()
    assert (row["files_moved"], row["cost"], row["remapped_cost"], row["saved_percent"]) == (0, 2, 2, 0)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, "needs --total"),
        ({"totals_bytes": (1 << 20,), "split": True}, "cannot be combined with --split"),
        ({"totals_bytes": (1 << 20,), "reclassify": True}, "cannot be combined with --reclassify"),
    ],
)
def test_advice_that_makes_no_sense_is_refused(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        Settings(advise=True, **settings)


def test_one_subcache_leaves_nowhere_to_move(tmp_path: Path) -> None:
    store = small_store(tmp_path / "small.iotrace", [("datafile", "read", 0, 0, 4096, 8192)])
    with pytest.raises(UsageError, match="no two subcaches"):
        run({"small": store}, Settings("x/4K General", totals_bytes=(1 << 20,), advise=True))
