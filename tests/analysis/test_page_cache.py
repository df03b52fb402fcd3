"""The page cache of Linux: the engine against a twin written for reading, and worked examples of the kernel's rules."""

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_cache_lists_twin import PAGE, Row
from page_cache_twin import Twin
from single_pages_twin import fewest_reads, lru_reads

from iotrace.engine.native import PageCaches

KERNEL = {
    "readahead_pages": 32,
    "device_request_pages": 320,
    "dirty_background_percent": 10,
    "dirty_expire_ns": 30_000_000_000,
    "dirty_wake_ns": 5_000_000_000,
}


def batch(rows: list[Row]) -> pa.RecordBatch:
    columns: dict[str, pa.Array] = {
        "event": pa.array([row["event"] for row in rows]).cast(pa.string()).dictionary_encode()
    }
    for name, kind in {"file": pa.int32(), "open": pa.int32()}.items():
        columns[name] = pa.array([row[name] for row in rows], kind)
    for name in ("offset", "length", "requested", "file_size", "time_ns"):
        columns[name] = pa.array([row[name] for row in rows], pa.int64())
    return pa.record_batch(columns)


def run(
    rows: list[Row], limits: list[int], chunk: int = 1000, choice: Row | None = None, **kernel: Any
) -> list[dict[str, int]]:
    choices = [{"pages": pages, "has_other": True, "is_compared": True} | (choice or {}) for pages in limits]
    caches = PageCaches(json.dumps(KERNEL | kernel), json.dumps(choices), threads=2)
    for start in range(0, len(rows), chunk):
        caches.push(batch(rows[start : start + chunk]))
    rows: list[dict[str, int]] = pa.table(pa.record_batch(caches.finish())).to_pylist()
    return rows


def event(name: str, file: int | None = 0, offset: int = 0, length: int = 0, **more: Any) -> Row:
    row = {"event": name, "file": file, "open": 0, "offset": offset, "length": length, "requested": length}
    return row | {"file_size": None, "time_ns": None} | more


def page_read(page: int, pages: int = 1, file_pages: int = 1000, **more: Any) -> Row:
    given = {"offset": page * PAGE, "length": pages * PAGE, "file_size": file_pages * PAGE}
    return event("read", **(given | more))


@st.composite
def streams(draw: st.DrawFn, most_pages: int = 200, most_rows: int = 40) -> list[Row]:
    rows, time_ns = [], 0
    sizes = {file: draw(st.integers(1, most_pages * PAGE)) for file in range(3)}
    position: dict[int, int] = {}
    for _ in range(draw(st.integers(1, most_rows))):
        time_ns += draw(st.sampled_from([0, 1_000_000, 3_000_000_000, 20_000_000_000]))
        file, open_file = draw(st.integers(0, 2)), draw(st.sampled_from([0, 1, None]))
        name: str = draw(
            st.sampled_from(
                ["read"] * 12
                + ["read_spliced"] * 2
                + ["write"] * 5
                + ["touch", "fault", "mapped", "evicted", "dropped"] * 2
                + ["write_begun", "write_ended"] * 3
                + ["writes_shown", "write_synchronous", "sync", "truncate", "delete", "memory", "direct_read"]
                + ["advise_sequential", "advise_random", "advise_normal", "will_need"]
                + ["dont_need", "processor"] * 3
            )
        )
        row = event(name, file, time_ns=draw(st.sampled_from([time_ns, None])), open=open_file)
        if name in ("read", "read_spliced", "touch", "fault", "mapped", "direct_read"):
            if not sizes[file]:
                continue
            goes_on = draw(st.booleans())
            offset = position.get(file, 0) if goes_on else draw(st.integers(0, sizes[file] - 1))
            if offset >= sizes[file]:
                offset = 0
            asked = draw(st.sampled_from([1, 100, PAGE, 3 * PAGE + 5, 8 * PAGE, 40 * PAGE, 400 * PAGE]))
            length = min(asked, sizes[file] - offset)
            position[file] = offset + length
            row |= {"offset": offset, "length": length, "requested": asked, "file_size": sizes[file]}
            if name in ("touch", "fault", "mapped"):
                most = PAGE if name == "fault" else 20 * PAGE
                row |= {"offset": offset // PAGE * PAGE, "length": min(length, most)}
        elif name.startswith("write"):
            offset = draw(st.integers(0, most_pages * PAGE))
            longest = draw(st.sampled_from([1, 100, PAGE, 5 * PAGE, 17 * PAGE + 1, 90 * PAGE]))
            length = min(longest, most_pages * PAGE)
            sizes[file] = max(sizes[file], offset + length)
            row |= {"offset": offset, "length": length, "file_size": sizes[file]}
        elif name == "truncate":
            sizes[file] = draw(st.integers(0, most_pages * PAGE))
            row["offset"] = sizes[file]
        elif name == "delete":
            sizes[file] = 0
        elif name == "processor":
            row |= {"file": None, "offset": draw(st.integers(0, 2))}
        elif name == "memory":
            row |= {"file": None, "length": draw(st.integers(0, 60 * PAGE))}
        elif name in ("evicted", "dropped", "write_begun", "write_ended"):
            row |= {
                "offset": draw(st.integers(0, most_pages)) * PAGE,
                "length": draw(st.integers(0, 20)) * PAGE,
            }
        elif name in ("will_need", "dont_need"):
            ends = [0, PAGE, 10 * PAGE, 12345, 600 * PAGE, max(sizes[file], 1)]
            row |= {
                "offset": draw(st.sampled_from([0, 0, 5 * PAGE, 777])),
                "length": draw(st.sampled_from(ends)),
            }
            row["file_size"] = draw(st.sampled_from([sizes[file], None]))
        elif name == "sync":
            row["file"] = draw(st.sampled_from([file, None]))
        rows.append(row)
    return rows


@given(
    streams(),
    st.sampled_from([1, 40, 70, 128, 500]),
    st.sampled_from([0, 1, 4, 32, 64]),
    st.booleans(),
    st.integers(1, 40),
    st.sampled_from(["recorded", "interval", "current", "never"]),
    st.sampled_from(["faults", "rounds", "after_eviction"]),
    st.sampled_from([10, 15, None]),
    st.sampled_from([0, 100_000, 10**9]),
    st.sampled_from(["woken", "recorded", "late"]),
    st.booleans(),
)
def test_the_engine_is_the_twin(
    rows: list[Row],
    limit: int,
    readahead: int,
    large: bool,
    chunk: int,
    statistics: str,
    touches: str,
    start_percent: int | None,
    write_page_ns: int,
    flusher: str,
    batches: bool,
) -> None:
    kernel = {"readahead_pages": readahead}
    choice: Row = {"large_folios": large, "statistics": statistics, "touches": touches}
    choice |= {"dirty_start_percent": start_percent, "write_page_ns": write_page_ns}
    choice |= {"flusher": flusher, "batches": batches}
    (counted,) = run(rows, [limit], chunk, choice, **kernel)
    twin = Twin(
        limit,
        readahead=readahead,
        large=large,
        start_percent=start_percent,
        write_page_ns=write_page_ns,
        flusher=flusher,
        statistics=statistics,
        touches=touches,
        batches=batches,
    ).run(rows)
    names = ("reads", "insertions", "refaults", "evictions")
    assert [counted[f"page_{name}"] for name in names] == [getattr(twin, name) for name in names]


CHOICES = st.fixed_dictionaries(
    {
        "pages": st.sampled_from([20, 40, 41, 128, 500]),
        "has_other": st.booleans(),
        "large_folios": st.booleans(),
        "statistics": st.sampled_from(["recorded", "interval", "current", "never"]),
        "touches": st.sampled_from(["faults", "rounds", "after_eviction"]),
        "batches": st.booleans(),
        "dirty_start_percent": st.sampled_from([10, 15, None]),
        "write_page_ns": st.sampled_from([0, 100_000, 10**9]),
        "flusher": st.sampled_from(["woken", "recorded", "late"]),
        "is_compared": st.booleans(),
    }
)


def run_choices(rows: list[Row], choices: list[Row], chunk: int, threads: int) -> list[dict[str, int]]:
    caches = PageCaches(json.dumps(KERNEL), json.dumps(choices), threads=threads)
    for start in range(0, len(rows), chunk):
        caches.push(batch(rows[start : start + chunk]))
    counted: list[dict[str, int]] = pa.table(pa.record_batch(caches.finish())).to_pylist()
    return counted


@given(streams(), st.lists(CHOICES, min_size=2, max_size=12), st.integers(1, 50), st.integers(1, 3))
def test_limits_together_count_as_each_alone(
    rows: list[Row], choices: list[Row], chunk: int, threads: int
) -> None:
    alone = [row for choice in choices for row in run_choices(rows, [choice], 1000, 1)]
    assert run_choices(rows, choices, chunk, threads) == alone


@given(streams(most_pages=5, most_rows=10))
def test_lru_and_the_optimum_are_their_twins(rows: list[Row]) -> None:
    rows = [row for row in rows if row["event"] != "direct_read"]
    for limit, counted in zip([1, 2, 3], run(rows, [1, 2, 3]), strict=True):
        assert counted["page_reads_lru"] == lru_reads(rows, limit)
        assert counted["page_reads_optimum"] == fewest_reads(rows, limit) <= counted["page_reads_lru"]


@given(streams())
def test_no_cache_reads_fewer_pages_than_the_optimum(rows: list[Row]) -> None:
    for counted in run(rows, [1, 40, 128, 5000]):
        assert counted["page_reads_optimum"] <= min(counted["page_reads"], counted["page_reads_lru"])


def test_a_scan_opens_windows_that_double() -> None:
    """A read of one page at a file's start brings in four; the mark opens eight, then four up to a multiple of 16."""
    seen = [
        run([page_read(page) for page in range(pages)], [10_000])[0]["page_reads"] for pages in (1, 2, 4, 5)
    ]
    assert seen == [4, 12, 12, 16]


def test_random_reads_bring_in_what_they_ask_for() -> None:
    rows = [page_read(page, 3) for page in (500, 100, 900, 300)]
    assert run(rows, [10_000])[0]["page_reads"] == 12


def test_no_read_ahead_brings_in_single_pages() -> None:
    rows = [page_read(page) for page in range(50)]
    assert run(rows, [10_000], readahead_pages=0)[0]["page_reads"] == 50


def test_writes_do_not_promote() -> None:
    """Pages that are written twice leave before pages that are read twice."""
    read_twice = [page_read(500 + 7 * place) for place in range(40)] * 2
    written = [event("write", 1, page * PAGE, PAGE) for page in range(40)] * 2
    fill = [page_read(2 * page, file=2, file_size=4000 * PAGE) for page in range(5, 300)]
    again = [page_read(500 + 7 * place) for place in range(40)]
    before = run([*read_twice, *written, event("sync", None), *fill], [200])[0]["page_reads"]
    after = run([*read_twice, *written, event("sync", None), *fill, *again], [200])[0]["page_reads"]
    assert after == before


def test_a_partial_write_of_a_page_reads_it() -> None:
    assert run([event("write", 0, 10, 10, file_size=PAGE)], [100])[0]["page_reads"] == 1
    assert run([event("write", 0, 0, PAGE, file_size=9 * PAGE)], [100])[0]["page_reads"] == 0
    assert run([event("write", 0, 0, 10, file_size=10)], [100])[0]["page_reads"] == 0


def test_a_fault_reads_around() -> None:
    faults = [event("fault", 0, 500 * PAGE, PAGE, file_size=1000 * PAGE)]
    assert run(faults, [10_000])[0]["page_reads"] == 32
    assert run(faults, [10_000], readahead_pages=2048)[0]["page_reads"] == 1000


@pytest.mark.parametrize(("returns", "again"), [(False, 31), (True, 50)])
def test_what_waits_on_another_processor_stays(returns: bool, again: int) -> None:
    """Of 50 pages of processor 0, 31 go to a list and 19 wait. Processor 1 evicts the 31; all leave once 0 reclaims."""

    def reads(file: int, pages: int) -> list[Row]:
        size = 1000 * PAGE
        return [page_read(page, file=file, open=file, file_size=size) for page in range(0, 2 * pages, 2)]

    rows = [event("processor", None, 0), *reads(0, 50), event("processor", None, 1), *reads(1, 200)]
    if returns:
        rows += [event("processor", None, 0), *reads(2, 200)]
    before, after = (
        run(some, [100], choice={"batches": True}, readahead_pages=0)[0]["page_reads"]
        for some in (rows, [*rows, *reads(0, 50)])
    )
    assert after - before == again


FLUSHERS = ["woken", "recorded", "late"]


@pytest.mark.parametrize(("flusher", "again"), list(zip(FLUSHERS, [20, 0, 0], strict=True)))
def test_pages_that_are_not_written_yet_stay(flusher: str, again: int) -> None:
    """Reclaim that wakes the flusher has 20 dirty pages written, which leave; else reads of others take clean pages."""
    written = [event("writes_shown", 1), event("write", 1, 0, 20 * PAGE)]
    fill = [page_read(3 * page, file=2, file_size=4000 * PAGE) for page in range(5, 305)]
    rows = [*written, *fill, page_read(0, 20, 20, file=1)]
    assert (
        run(rows, [100], choice={"flusher": flusher, "dirty_start_percent": None})[0]["page_reads"]
        == 300 + again
    )
    begun = [*written, event("write_begun", 1, 0, 20 * PAGE), *fill, page_read(0, 20, 20, file=1)]
    assert (
        run(begun, [100], choice={"flusher": flusher, "dirty_start_percent": None})[0]["page_reads"]
        == 300 + again
    )


@pytest.mark.parametrize(("flusher", "again"), list(zip(FLUSHERS, [20, 20, 0], strict=True)))
def test_pages_that_the_recorded_kernel_wrote_leave(flusher: str, again: int) -> None:
    written = [event("writes_shown", 1), event("write", 1, 0, 20 * PAGE)]
    ended = [event("write_begun", 1, 0, 20 * PAGE), event("write_ended", 1, 0, 20 * PAGE)]
    fill = [page_read(3 * page, file=2, file_size=4000 * PAGE) for page in range(5, 305)]
    rows = [*written, *ended, *fill, page_read(0, 20, 20, file=1)]
    assert (
        run(rows, [100], choice={"flusher": flusher, "dirty_start_percent": None})[0]["page_reads"]
        == 300 + again
    )


def test_files_whose_writes_are_not_recorded_are_written_at_once() -> None:
    fill = [page_read(3 * page, file=2, file_size=4000 * PAGE) for page in range(5, 305)]
    rows = [event("write", 1, 0, 20 * PAGE), *fill, page_read(0, 20, 20, file=1)]
    reads = [
        run(rows, [100], choice={"flusher": flusher, "dirty_start_percent": None})[0]["page_reads"]
        for flusher in FLUSHERS
    ]
    assert reads == [320, 320, 300]


@pytest.mark.parametrize(("name", "again"), [("read", 1), ("read_spliced", 0)])
def test_each_read_into_a_pipe_counts(name: str, again: int) -> None:
    """Two reads of one page promote it if they go into a pipe; other reads of the same page in a row count once."""
    twice = [page_read(500, event=name)] * 2
    fill = [page_read(3 * page, file=2, file_size=4000 * PAGE) for page in range(5, 305)]
    assert run([*twice, *fill, page_read(500)], [200])[0]["page_reads"] == 1 + 300 + again


def test_what_will_be_needed_comes_in_up_to_the_devices_request() -> None:
    size = {"file_size": 1000 * PAGE}
    rows = [page_read(0), event("will_need", 0, 10 * PAGE, 20 * PAGE), page_read(12, 8)]
    assert run(rows, [10_000])[0]["page_reads"] == 4 + 20
    rows = [page_read(0), event("will_need", 0, 100 * PAGE, 0, **size)]
    assert run(rows, [10_000])[0]["page_reads"] == 4 + 320
    assert run(rows, [10_000], readahead_pages=400)[0]["page_reads"] == 4 + 400


def test_what_is_not_needed_leaves_unless_it_was_dirty() -> None:
    """Of 8 pages the 6 that lie inside the range are read again; pages that had to be written are still there."""
    rows = [page_read(0, 8, 8), event("dont_need", 0, 100, 7 * PAGE - 100), page_read(0, 8, 8)]
    assert run(rows, [10_000])[0]["page_reads"] == 8 + 6
    written = [event("write", 0, 0, 8 * PAGE), event("dont_need"), page_read(0, 8, 8)]
    assert run(written, [10_000], choice={"large_folios": False})[0]["page_reads"] == 0
    twice = [event("write", 0, 0, 8 * PAGE), event("dont_need"), event("dont_need"), page_read(0, 8, 8)]
    assert run(twice, [10_000], choice={"large_folios": False})[0]["page_reads"] == 8


def test_deleted_pages_are_gone() -> None:
    rows = [page_read(0, 8, 8), event("delete"), page_read(0, 8, 8)]
    assert run(rows, [10_000])[0]["page_reads"] == 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"event": "jump"}, "there is no event jump"),
        ({"offset": -1}, "offset -1 is negative"),
        ({"offset": 2**63 - 1}, "ends beyond"),
        ({"length": 2**43}, "touch more than"),
        ({"event": "processor", "offset": 65_536}, "processors are numbered from 0 to 65535"),
    ],
)
def test_what_cannot_be_is_refused(change: Row, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run([page_read(0) | change], [100])


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one page"):
        run([page_read(0)], [0])
    with pytest.raises(ValueError, match="at most 4 GB"):
        run([page_read(0)], [1], readahead_pages=1 << 21)
