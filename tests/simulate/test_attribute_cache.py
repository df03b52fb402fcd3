"""Attribute caches against a direct simulation of several LRU caches, at every size."""

from pathlib import Path

import pytest
from attribute_oracle import simulate
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from small_store import Row, small_store

from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.attribute.classes import Classes
from iotrace.simulate.attribute.curves import PLACE
from iotrace.simulate.attribute.membership import Rule
from iotrace.simulate.attribute.notation import parse
from iotrace.simulate.attribute.outcome import Outcome, outcome, outcome_table, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import Scheme, find, of_configuration, schemes, variable

KB = 1024
CUT_OFF = 2000
COUNTED = (
    "read_requests",
    "read_request_misses",
    "write_requests",
    "write_request_misses",
    "read_block_misses",
    "write_block_misses",
    "write_expulsions",
)


def request(kind: str, operation: str, file: int, offset: int, length: int, grown: int | None) -> Row:
    """A request to a file of its type: inodes and directories have other files than data."""
    number = {"inode": 0, "directory": 2, "executable": 4, "datafile": 6}[kind] + file
    return kind, operation, number, offset, length, None if grown is None else offset + length + grown


rows = st.lists(
    st.builds(
        request,
        st.sampled_from(["inode", "directory", "executable", "datafile", "datafile"]),
        st.sampled_from(["read", "read", "write", "update", "truncate", "delete"]),
        st.integers(0, 1),
        st.integers(0, 700),
        st.integers(1, 900),
        st.sampled_from([None, 0, 700, 1500]),
    ),
    min_size=1,
    max_size=60,
)


def temporal_or_sequential(kind: str, size: int | None) -> str:
    if kind in ("inode", "directory"):
        return "ID"
    return "Sequential" if size is not None and size >= CUT_OFF else "Temporal"


def chosen_once(rows: list[Row], largest: bool = False) -> dict[int, str]:
    """Each file's subcache, by its first request; the size is that request's, or the largest."""
    found: dict[int, str] = {}
    for row in rows:
        if row[1] not in ("truncate", "delete"):
            sizes = [other[5] for other in rows if other[2] == row[2] and other[5] is not None]
            size = max(sizes, default=None) if largest else row[5]
            found.setdefault(row[2], temporal_or_sequential(row[0], size))
    return found


def counts_of(found: Outcome, subcache: str) -> dict[str, int]:
    mine = [counts for (name, _), counts in found.counts.items() if name == subcache]
    return {name: sum(int(counts[PLACE[name]]) for counts in mine) for name in COUNTED}


def study_of(path: pytest.TempPathFactory, rows: list[Row], **settings: object) -> PassMemo:
    return PassMemo(small_store(path.mktemp("stores") / "small.iotrace", rows), **settings)


def scheme_of(text: str) -> Scheme:
    return of_configuration(parse(text)).with_cut_off(CUT_OFF)


@examples(60)
@given(rows, st.integers(1, 9), st.integers(0, 9), st.integers(1, 4), st.sampled_from(["first", "largest"]))
def test_three_subcaches(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], ids: int, rest: int, large: int, size: str
) -> None:
    scheme = scheme_of(f"{ids * 64}/64 ID, x/150 Temporal, {large * 300}/300 Sequential")
    memo = study_of(tmp_path_factory, rows, rule=Rule(file_size=size))
    prepare(memo, [scheme])
    found = outcome(memo, scheme, ids * 64 + large * 300 + rest * 150 + 149)
    home = chosen_once(rows, largest=size == "largest")
    caches = {"ID": (ids, 64), "Temporal": (rest, 150), "Sequential": (large, 300)}
    expected = simulate(rows, caches, lambda row: home[row[2]])
    for name in caches:
        assert counts_of(found, name) == {count: expected[name][count] for count in COUNTED}
    assert found.sum(["read_requests", "write_requests"]) == memo.requests


@examples(60)
@given(rows, st.integers(1, 6), st.integers(1, 6), st.booleans())
def test_each_request_decides_and_blocks_may_move(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], small: int, large: int, moves: bool
) -> None:
    scheme = scheme_of(f"{small * 150}/150 Temporal, {large * 300}/300 Sequential, x/64 ID")
    memo = study_of(tmp_path_factory, rows, rule=Rule(file_size="each", reclassify=moves))
    prepare(memo, [scheme])
    found = outcome(memo, scheme, scheme.smallest_bytes + 64 * 4)
    caches = {"ID": (4, 64), "Temporal": (small, 150), "Sequential": (large, 300)}
    expected = simulate(rows, caches, lambda row: temporal_or_sequential(row[0], row[5]), moves)
    for name in caches:
        assert counts_of(found, name) == {count: expected[name][count] for count in COUNTED}


@examples(30)
@given(rows)
def test_what_no_subcache_takes_is_uncached(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    memo = study_of(tmp_path_factory, rows)
    scheme = find("x/128 ID")
    prepare(memo, [scheme])
    found = outcome(memo, scheme, 512)
    expected = simulate(
        rows, {"ID": (4, 128)}, lambda row: "ID" if row[0] in ("inode", "directory") else None
    )
    for name in ("ID", "uncached"):
        assert counts_of(found, name) == {count: expected[name][count] for count in COUNTED}
    assert memo.unclassified(memo.assigned(scheme.rows[0].configuration)) == sum(
        expected["uncached"][f"{way}_requests"] for way in ("read", "write")
    )


@examples(20)
@given(rows)
def test_splits_sum_to_the_whole(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    table = outcome_table(
        study_of(tmp_path_factory, rows), [find("unix"), variable()], [2**16, 2**20], split=True
    )
    result = table.to_pylist()
    summed = [name for name in COUNTED if name in table.column_names]
    for whole in (row for row in result if row["subcache"] is None and row["type"] is None):
        parts = [
            row
            for row in result
            if (row["scheme"], row["total_bytes"]) == (whole["scheme"], whole["total_bytes"])
        ]
        for split in ("subcache", "type"):
            for name in summed:
                assert whole[name] == sum(row[name] for row in parts if row[split] is not None)


LOGS = [
    ("datafile", "read", 0, 0, 100, 100),
    ("datafile", "read", 1, 0, 100, 100),
    ("datafile", "write", 1, 0, 100, 100),
]
PATHS = {0: "/var/a.log", 1: "/var/b.db"}


def test_classes_of_the_users_own(tmp_path: Path) -> None:
    rule = Rule(Classes.read(["Logs: path like '%.log' and program = 'cc'", "Rest: temporal and not logs"]))
    memo = PassMemo(small_store(tmp_path / "s", LOGS, paths=PATHS), rule)
    scheme = find("4K/4K Logs, x/4K rest")
    prepare(memo, [scheme])
    found = outcome(memo, scheme, 8 * KB)
    assert counts_of(found, "Logs")["read_requests"] == 1
    assert counts_of(found, "rest")["read_requests"] == counts_of(found, "rest")["write_requests"] == 1


def test_overlapping_classes_name_files(tmp_path: Path) -> None:
    memo = PassMemo(
        small_store(tmp_path / "s", LOGS, paths=PATHS), Rule(Classes.read(["Logs: path like '%.log'"]))
    )
    with pytest.raises(UsageError, match=r"overlap: both have /var/a\.log"):
        prepare(memo, [find("4K/4K Logs, x/4K General")])


def test_strict(tmp_path: Path) -> None:
    memo = PassMemo(small_store(tmp_path / "s", LOGS, paths=PATHS), strict=True)
    with pytest.raises(IotraceError, match="takes 3 of 3 requests"):
        prepare(memo, [find("x/128 ID")])


def test_files_of_unknown_size_are_counted(tmp_path: Path) -> None:
    memo = PassMemo(small_store(tmp_path / "s", [("datafile", "read", 0, 0, 9, None)] * 3))
    prepare(memo, [find("x/4K Temporal")])
    assert memo.unknown_size_requests == 3


def test_an_empty_store(tmp_path: Path) -> None:
    memo = PassMemo(small_store(tmp_path / "s", []))
    table = outcome_table(memo, [variable()], [2**20], split=True)
    assert table.num_rows == 1 and table["read_request_miss_ratio"].to_pylist() == [None]


@pytest.mark.parametrize(
    ("definitions", "words"),
    [
        (["no colon"], "a class is written as in"),
        (["ID: true"], "there is a class ID already"),
        (["path: true"], "is a column"),
        (["a: true", "A: false"], "there is a class A already"),
    ],
)
def test_definitions_that_are_refused(definitions: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Classes.read(definitions)


def test_wrong_sql_and_unknown_classes(tmp_path: Path) -> None:
    memo = PassMemo(small_store(tmp_path / "s", LOGS), Rule(Classes.read(["Logs: nonsense = 3"])))
    with pytest.raises(IotraceError, match="SQL of --class"):
        prepare(memo, [find("x/4K Logs")])
    with pytest.raises(UsageError, match="there is no class Blue"):
        prepare(memo, [find("x/4K Blue")])
    with pytest.raises(UsageError, match="twice"):
        prepare(memo, [find("4K/4K Temp, x/4K Temporal")])


def test_table_5_1_gives_its_totals() -> None:
    for row in variable().rows:
        assert row.printed_bytes[0] == row.from_bytes
        for total in row.printed_bytes:
            assert variable().at(total) == row.configuration.sized(total)
    assert len(variable().printed_bytes) == 20
    assert variable().at(31 * KB) is None


def test_every_scheme_has_a_configuration_at_1_gb() -> None:
    assert all(scheme.at(2**30) is not None for scheme in schemes().values())
