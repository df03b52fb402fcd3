"""What is kept of the partitions of a store that grows equals one pass over all rows, also when rows are gone."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.catalogue.stores import catalogue
from iotrace.analysis.curves.requests import Requests
from iotrace.analysis.kept_partitions import CACHE, keep, merged, state_files
from iotrace.errors import IotraceError, UsageError
from iotrace.ingest import append, pipeline
from iotrace.store import appended
from iotrace.store.store import Store, read

FORM = "csv:time=1,offset=2:4096,length=3:4096,op=4,device=5"
DAY = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 3), st.sampled_from("RW"), st.integers(0, 2)),
    min_size=2,
    max_size=12,
)
DAY_S = 86_400


def days_of(rows: list[list[tuple[int, int, str, int]]], folder: Path) -> list[Path]:
    """Write a file for each day, with a request a second."""
    paths = []
    for number, day in enumerate(rows):
        path = folder / f"{number}.csv"
        texts = (
            f"{1_700_000_000 + number * DAY_S + second},{block},{length},{operation},{disk}\n"
            for second, (block, length, operation, disk) in enumerate(day)
        )
        path.write_text("".join(texts))
        paths.append(path)
    return paths


def curve(store: Store) -> list[dict[str, object]]:
    """Return the curve of one pass over a store's rows."""
    requests = Requests(store, BlockBudget(1 << 20, 4096, ""))
    return list(requests.curves(CACHE, "ignore").table(None).to_pylist())


def kept_curve(store: Path, last_ns: int | None = None) -> list[dict[str, object]]:
    """Return the curve of the states that a store keeps."""
    state = merged([store], last_ns)
    return list(state.curves(CACHE.overhead_ms, CACHE.transfer_ms_per_kb).table(None).to_pylist())


@given(st.lists(DAY, min_size=2, max_size=4))
@examples(20)
def test_kept_curves_are_those_of_all_rows(rows: list[list[tuple[int, int, str, int]]]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        days = days_of(rows, folder)
        store = folder / "days.iotrace"
        for number, day in enumerate(days):
            append.append(store, [day], f"day {number}", keep, format=FORM)
        expected = curve(pipeline.ingest(days, folder / "one.iotrace", format=FORM))
        assert kept_curve(store) == expected
        assert len(state_files(read(store), DAY_S * 10**9 // 2)) == 1
        append.drop(store, lambda of: appended.entries(of)[:-1])
        assert kept_curve(store) == expected
        assert kept_curve(store, DAY_S * 10**9 // 2) == curve(read(store))


def test_what_was_found_in_a_day_stays(tmp_path: Path) -> None:
    rows = [[(block % 7, 1, "R", 0) for block in range(20)] for _ in range(3)]
    days = days_of(rows, tmp_path)
    store = tmp_path / "days.iotrace"
    for number, day in enumerate(days):
        append.append(store, [day], f"day {number}", keep, format=FORM)
    alone = pipeline.ingest([days[0]], tmp_path / "alone" / "day.iotrace", format=FORM)
    (expected,) = catalogue(alone.path)[0].to_pylist()
    append.drop(store, lambda of: appended.entries(of)[:2])
    found = catalogue(store)[0].to_pylist()
    assert [(row["store"], row["status"]) for row in found] == [
        ("day 0", "dropped"),
        ("day 1", "dropped"),
        ("day 2", "whole"),
    ]
    same = ("family", "format", "started_at", "seconds", "bytes", "headline", "finding", "knee_bytes")
    assert {name: found[0][name] for name in same} == {name: expected[name] for name in same}
    assert found[0]["bytes"] == 20 * 4096


def test_stores_without_states(tmp_path: Path) -> None:
    (day,) = days_of([[(1, 1, "R", 0), (2, 1, "R", 0)]], tmp_path)
    whole = pipeline.ingest([day], tmp_path / "whole.iotrace", format=FORM)
    with pytest.raises(UsageError, match="has no partitions: iotrace curve shows its curve"):
        state_files(whole)
    for number in range(2):
        (tmp_path / f"{number}.keys").write_text(f"{number},a,1\n{number},b,1\n")
        append.append(
            tmp_path / "keys.iotrace",
            [tmp_path / f"{number}.keys"],
            None,
            keep,
            format="csv:time=1,key=2,size=3",
        )
    with pytest.raises(IotraceError, match="caches of objects have no states that merge"):
        state_files(read(tmp_path / "keys.iotrace"))
    days = days_of([[(1, 1, "R", 0)] * 2, [(2, 1, "R", 0)] * 2], tmp_path)
    for number, path in enumerate(days):
        append.append(tmp_path / "days.iotrace", [path], f"day {number}", keep, format=FORM)
    with pytest.raises(UsageError, match="--last chooses partitions of stores"):
        merged([tmp_path / "days.iotrace" / "curve_state.0.arrow"], 1)
    (tmp_path / "days.iotrace" / "curve_state.1.arrow").unlink()
    with pytest.raises(IotraceError, match="partition day 1 has no state of its curve"):
        state_files(read(tmp_path / "days.iotrace"))
