"""Statistics that are kept with partitions equal those of one ingest of the same files, also when requests are gone."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.reports.report import kept_partitions
from property_tests import examples

from iotrace import queries
from iotrace.analysis import kept_statistics
from iotrace.analysis.kept_partitions import keep
from iotrace.analysis.overview import statistics
from iotrace.errors import IotraceError
from iotrace.ingest import append, pipeline
from iotrace.store import appended
from iotrace.store.store import Store, read

FORM = "csv:time=1,offset=2:512,length=3:512,op=4,device=5,latency=6:us"
NAMES = [name for name in queries.names("disk_io") if not kept_statistics.why_not(name, "disk_io", {})]
Request = tuple[int, int, int, str, str, int | None]
REQUEST = st.tuples(
    st.integers(0, 3),
    st.integers(0, 40),
    st.integers(0, 9),
    st.sampled_from("RRW"),
    st.sampled_from(("sda", "sdb", "nvme0")),
    st.none() | st.integers(0, 900),
)
DAYS = st.lists(st.lists(REQUEST, min_size=2, max_size=9), min_size=2, max_size=4)
DAY_NS = 86_400 * 10**9


def days_of(rows: list[list[Request]], folder: Path) -> list[Path]:
    """Write a file for each day; requests follow each other after some seconds."""
    paths = []
    for number, day in enumerate(rows):
        second = 1_700_000_000 + number * 86_400
        texts = [f"{second},7,3,R,sdb,9\n"]  # a trace moves something
        for passed, block, length, operation, disk, latency in day:
            second += passed
            texts.append(
                f"{second},{block},{length},{operation},{disk},{'' if latency is None else latency}\n"
            )
        paths.append(folder / f"{number}.csv")
        paths[-1].write_text("".join(texts))
    return paths


def growing(days: list[Path], store: Path) -> Store:
    for number, day in enumerate(days):
        append.append(store, [day], f"day {number}", keep, format=FORM)
    return read(store)


def of_last(store: Store, count: int, names: list[str] = NAMES) -> dict[str, pa.Table]:
    """Return statistics of the last partitions, from what was kept of them."""
    chosen = appended.entries(store)[-count:]
    return statistics(kept_statistics.of_partitions(store, chosen).store, names, {}, {})


def test_most_statistics_of_disks_are_kept() -> None:
    assert {"totals", "requests_by_disk", "latency_by_size", "seek_distances", "interarrival_times"} <= {
        *NAMES
    }
    assert len(NAMES) >= 18


@given(DAYS)
@examples(5)
def test_kept_statistics_are_those_of_one_ingest(rows: list[list[Request]]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        days = days_of(rows, folder)
        store = growing(days, folder / "days.iotrace")
        for count in sorted({2, len(days)}):
            one = pipeline.ingest(days[-count:], folder / f"{count}" / "one.iotrace", format=FORM)
            expected = statistics(one, NAMES, {}, {})
            assert of_last(store, count) == expected
        append.drop(store.path, lambda of: appended.entries(of)[:-1])
        assert of_last(read(store.path), len(days)) == expected


def test_which_partitions_a_time_has(tmp_path: Path) -> None:
    rows: list[list[Request]] = [[(1, 8, 8, "R", "sda", 5)] * 2] * 4
    store = growing(days_of(rows, tmp_path), tmp_path / "days.iotrace")
    chosen = {days: len(kept_statistics.covering(store, days * DAY_NS)) for days in (0, 1, 2, 9)}
    assert chosen == {0: 0, 1: 2, 2: 3, 9: 4}
    alone = pipeline.ingest([tmp_path / "0.csv"], tmp_path / "alone.iotrace", format=FORM)
    assert kept_statistics.covering(alone, 9 * DAY_NS) == []


def test_large_states_are_left_to_their_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[list[Request]] = [[(1, 8, 8, "R", "sda", 5)] * 2] * 2
    store = growing(days_of(rows, tmp_path), tmp_path / "days.iotrace")
    part = kept_statistics.of_partitions(store, appended.entries(store)).store
    assert kept_partitions.curves_of(part).counts_any
    monkeypatch.setattr(kept_partitions, "MOST_STATE_BYTES", 100)
    with pytest.raises(
        IotraceError, match=rf"takes long; iotrace merge-curves {store.path} --last TIME does it"
    ):
        kept_partitions.curves_of(part)


def test_what_needs_the_requests_is_left_out(tmp_path: Path) -> None:
    rows: list[list[Request]] = [[(1, 8, 8, "R", "sda", 5)] * 2] * 2
    store = growing(days_of(rows, tmp_path), tmp_path / "days.iotrace")
    part = kept_statistics.of_partitions(store, appended.entries(store)).store
    left_out: dict[str, str] = {}
    found = statistics(part, ["totals", "answer_times"], {"population": "all"}, left_out)
    assert found["answer_times"].num_rows == 0
    assert left_out == {"answer_times": "it does not merge, and needs the requests"}
    statistics(part, ["by_program"], {"population": "all"}, left_out)
    assert left_out["by_program"] == "it was kept with population data, and needs the requests"


def rewritten(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    return lambda path: pq.write_table(change(pq.read_table(path)), path)


def with_files(number: int) -> Callable[[pa.Table], pa.Table]:
    def changed(table: pa.Table) -> pa.Table:
        rows = table["touched_object"].to_pylist()
        place = table.column_names.index("touched_object")
        column = pa.array([[row | {"file": number} for row in rows[0]]], table["touched_object"].type)
        return table.set_column(place, "touched_object", column)

    return changed


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (Path.unlink, r"partition day 1 has no statistics \(statistics.1.parquet\)"),
        (lambda path: path.write_bytes(path.read_bytes()[:99]), "statistics.1.parquet: cannot be used"),
        (rewritten(lambda table: table.drop_columns(["file"])), "its columns are those of another version"),
        (
            rewritten(lambda table: pa.concat_tables([table, table])),
            "its columns are those of another version",
        ),
        (rewritten(with_files(7)), "what is kept of partitions does not fit"),
        (rewritten(with_files(-1)), "what is kept of partitions does not fit"),
    ],
)
def test_damage_is_said(tmp_path: Path, damage: Callable[[Path], None], sentence: str) -> None:
    rows: list[list[Request]] = [[(1, 8, 8, "R", "sda", 5)] * 2] * 3
    store = growing(days_of(rows, tmp_path), tmp_path / "days.iotrace")
    damage(store.path / appended.statistics_name(1))
    with pytest.raises(IotraceError, match=sentence):
        of_last(read(store.path), 3)
