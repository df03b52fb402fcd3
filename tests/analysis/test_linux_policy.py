"""``curve --policy linux``: the page cache's misses against a twin written for reading."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_cache_lists_twin import PAGE, Row, ceil_pages
from page_cache_twin import Twin

from iotrace.analysis.curves import compare_policies

Missed = dict[str, int]


@st.composite
def references(draw: st.DrawFn) -> list[Row]:
    """Reads, writes, removals and syncs of three files, all of which say how long their file is."""
    rows, sizes = [], {file: draw(st.integers(1, 200 * PAGE)) for file in range(3)}
    position: dict[int, int] = {}
    for _ in range(draw(st.integers(1, 40))):
        file = draw(st.integers(0, 2))
        name: str = draw(st.sampled_from(["read"] * 8 + ["write"] * 3 + ["truncate", "delete", "sync"]))
        row: Row = {"operation": name, "file": file, "offset": None, "length": None, "requested": None}
        row |= {"use": draw(st.sampled_from([None, file, file + 3])), "flags": None}
        if name == "read":
            if not sizes[file]:
                continue
            goes_on = draw(st.booleans()) and position.get(file, 0) < sizes[file]
            offset = position.get(file, 0) if goes_on else draw(st.integers(0, sizes[file] - 1))
            asked = draw(st.sampled_from([1, PAGE, 3 * PAGE + 5, 40 * PAGE, 400 * PAGE]))
            length = min(asked, sizes[file] - offset)
            position[file] = offset + length
            row |= {"offset": offset, "length": length, "requested": asked}
        elif name == "write":
            row |= {
                "offset": draw(st.integers(0, 200 * PAGE)),
                "flags": draw(st.sampled_from([None, "synchronous"])),
            }
            row["length"] = draw(st.sampled_from([1, PAGE, 5 * PAGE, 17 * PAGE + 1]))
            sizes[file] = max(sizes[file], row["offset"] + row["length"])
        elif name == "truncate":
            row["offset"] = sizes[file] = draw(st.integers(0, 200 * PAGE))
        elif name == "delete":
            sizes[file] = 0
        rows.append(row | {"file_size": sizes[file], "time_ns": None})
    return rows


def table(rows: list[Row]) -> pa.Table:
    kinds = {
        "operation": pa.string(), "file": pa.int32(), "offset": pa.int64(), "length": pa.int64(),
        "requested": pa.int64(), "use": pa.int32(), "flags": pa.string(), "file_size": pa.int64(),
        "time_ns": pa.int64(),
    }  # fmt: skip
    return pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()})


def twin_misses(rows: list[Row], pages: int, counted_from: int) -> Missed:
    twin = Twin(pages)
    missed = {f"{way}_{what}_misses": 0 for way in ("read", "write") for what in ("block", "request")}
    requests = 0
    for row in rows:
        event = row["operation"]
        if event in ("read", "write"):
            requests += 1
            first, end = row["offset"] // PAGE, ceil_pages(row["offset"] + row["length"])
            missing = sum((row["file"], page) not in twin.cached for page in range(first, end))
            if requests > counted_from:
                missed[f"{event}_block_misses"] += missing
                missed[f"{event}_request_misses"] += missing > 0
            event = "write_synchronous" if row["flags"] else event
        twin.run([row | {"event": event, "open": row["use"]}])
    return missed


@given(references(), st.sampled_from([1, 40, 128, 500]), st.sampled_from([0, 5]))
def test_misses_are_those_of_the_twin(rows: list[Row], pages: int, warm_up: int) -> None:
    found = compare_policies(
        table(rows), policies=["linux", "lru"], sizes_bytes=[pages * PAGE], warm_up_requests=warm_up
    )
    linux, lru = found.to_pylist()
    expected = twin_misses(rows, pages, warm_up)
    assert {name: linux[name] for name in expected} == expected
    assert linux["block_references"] == lru["block_references"]
    assert linux["read_bytes_exact"] <= linux["read_bytes_estimated"] == PAGE * linux["read_block_misses"]


def scan(pages: int) -> list[Row]:
    return [
        {"operation": "read", "file": 0, "offset": page * PAGE, "length": PAGE, "requested": PAGE, "use": 0}
        | {"flags": None, "file_size": pages * PAGE, "time_ns": None}
        for page in range(pages)
    ]


def test_read_ahead_saves_most_of_a_scans_misses() -> None:
    """Each of LRU's reads misses; of the page cache's only the first, since all others were read ahead."""
    linux, lru = compare_policies(
        table(scan(1000)), policies=["linux", "lru"], sizes_bytes=[1 << 20]
    ).to_pylist()
    assert (linux["read_request_misses"], lru["read_request_misses"]) == (1, 1000)
    assert linux["equal_lru_size_bytes"] is None


def test_deletes_may_be_ignored() -> None:
    gone = {"operation": "delete", "file": 0, "offset": None, "length": None, "requested": None, "use": None}
    rows = [*scan(8), gone | {"flags": None, "file_size": 0, "time_ns": None}, *scan(8)]
    misses = [
        compare_policies(table(rows), policies=["linux"], sizes_bytes=[1 << 20], deletes=deletes).to_pylist()
        for deletes in ("honour", "ignore")
    ]
    assert [row["read_request_misses"] for (row,) in misses] == [2, 1]


def test_other_blocks_than_pages_are_refused() -> None:
    with pytest.raises(Exception, match="pages of 4 KB"):
        compare_policies(table(scan(2)), policies=["linux"], sizes_bytes=[1 << 20], block_bytes=8192)
