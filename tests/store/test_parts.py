"""Parts of random stores against the rows that a slow filter in Python keeps."""

import fnmatch
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from manifests import NOTHING_COUNTED
from property_tests import examples
from tiny_store import table

from iotrace.analysis.characterize import characterize
from iotrace.errors import IotraceError
from iotrace.store import store as stores
from iotrace.store import writer
from iotrace.store.part.build import TracePart, part_of, warmed_part_of
from iotrace.store.part.selection import Selection

PROGRAMS = ("/usr/bin/cc1", "/bin/sh", None)
PATHS = ("/src/a.c", "/src/a.h", "/tmp/x.h", "/src")
"""The files; each has an inode, whose number is four more."""
LENGTH_NS = 40
OPERATIONS = ("read", "write", "delete")

calls = st.fixed_dictionaries(
    {
        "pause": st.integers(0, 4),
        "duration_ns": st.integers(0, 9),
        "process": st.integers(0, 2),
        "file": st.integers(0, 3),
        "references": st.lists(
            st.tuples(st.integers(0, 7), st.sampled_from(OPERATIONS), st.integers(0, 9)), max_size=3
        ),
    }
)
moments = st.none() | st.integers(0, LENGTH_NS)
selections = st.builds(
    Selection,
    moments,
    moments,
    st.just(()) | st.just((10,)) | st.just((10, 12)),
    st.just(()) | st.sampled_from([("cc1",), ("/bin/*",), ("*",), ("cc1", "sh")]),
    st.just(()) | st.sampled_from([("*.h",), ("/src/*",), ("a.?",), ("/src",), ("[!a]*.h", "*.c")]),
    st.none() | st.sampled_from(["length > 4", "operation = 'read'", "program like '%sh' or length = 0"]),
)


@contextmanager
def stored(trace: list[dict[str, Any]]) -> Iterator[stores.Store]:
    """Write calls and their references as a store of three processes, whose times are as in the log."""
    references, syscalls, objects, time = [], [], [], 0
    for seq, call in enumerate(trace):
        time += call["pause"]
        common = {"time_ns": time, "duration_ns": call["duration_ns"], "process": call["process"]}
        syscalls.append(
            {**common, "seq": seq, "seq_return": seq, "thread": 10 + call["process"], "call": "read"}
        )
        objects.append({"call_seq": seq, "file": call["file"], "object": "regular"})
        for file, operation, length in call["references"]:
            references.append(
                {
                    **common,
                    "call_seq": seq,
                    "file": file,
                    "operation": operation,
                    "length": length,
                    "type": "datafile",
                    "use": file % 4,
                }
            )
    tables = {
        "syscall": syscalls,
        "call_file": objects,
        "reference": references,
        "file": [
            {"file": number, "path": path, "kind": "regular"}
            if path
            else {"file": number, "of_file": number - 4, "kind": "inode"}
            for number, path in enumerate([*PATHS, None, None, None, None])
        ],
        "process": [
            {"process": number, "thread": 10 + number, "pid": 10 + number, "program": program}
            for number, program in enumerate(PROGRAMS)
        ],
        "use": [{"use": number, "file": number, "process": 0, "open_ns": 0} for number in range(4)],
    }
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        writers = writer.TableWriters(folder)
        for name, rows in tables.items():
            writers.empty(name)
            for batch in table(name, rows).to_batches():
                writers.write(name, batch)
        writers.close()
        ends = [row["time_ns"] + row["duration_ns"] for row in syscalls]
        times = {"base": "relative", "first_ns": 0, "resolution_ns": 1}
        counts = NOTHING_COUNTED["counts"] | {"duration_ns": max(ends, default=0), "calls": len(syscalls)}
        writer.write_manifest(
            folder, NOTHING_COUNTED | {"tables": writers.rows, "times": times, "counts": counts}
        )
        yield stores.read(folder)


def fits(globs: tuple[str, ...], name: str | None) -> bool:
    return name is not None and any(
        fnmatch.fnmatchcase(name if "/" in glob else name.rpartition("/")[2], glob) for glob in globs
    )


def in_time(row: dict[str, Any], chosen: Selection) -> bool:
    since, until = chosen.since_ns or 0, chosen.until_ns
    return since <= row["time_ns"] and (until is None or row["time_ns"] < until)


def of_processes(row: dict[str, Any], chosen: Selection) -> bool:
    of_number = not chosen.processes or 10 + row["process"] in chosen.processes
    return of_number and (not chosen.programs or fits(chosen.programs, PROGRAMS[row["process"]]))


def fulfils(row: dict[str, Any], where: str | None) -> bool:
    program = PROGRAMS[row["process"]] or ""
    meanings = {
        None: True,
        "length > 4": row["length"] > 4,
        "operation = 'read'": row["operation"] == "read",
        "program like '%sh' or length = 0": program.endswith("sh") or row["length"] == 0,
    }
    return meanings[where]


def is_wanted(row: dict[str, Any], chosen: Selection) -> bool:
    on_path = not chosen.paths or fits(chosen.paths, PATHS[row["file"] % 4])
    return of_processes(row, chosen) and on_path and fulfils(row, chosen.where)


def named(store: stores.Store, origin_ns: int = 0) -> list[tuple[Any, ...]]:
    """Return the references of a store by names that do not depend on its numbering, in its order."""
    rows = store.connect([]).execute(
        "select time_ns, duration_ns, pid, program, coalesce(f.path, o.path), f.of_file is not null, operation, length,"
        " used.path from reference r join process using (process) join file f on f.file = r.file"
        " left join file o on o.file = f.of_file left join use on use.use = r.use"
        " left join file used on used.file = use.file order by seq"
    )
    return [(row[0] + origin_ns, *row[1:]) for row in rows.fetchall()]


def expected(rows: list[dict[str, Any]], kept: list[bool]) -> list[tuple[Any, ...]]:
    return [
        (
            row["time_ns"], row["duration_ns"], 10 + row["process"], PROGRAMS[row["process"]], PATHS[row["file"] % 4],
            row["file"] > 3, row["operation"], row["length"], PATHS[row["file"] % 4],
        )
        for row, is_kept in zip(rows, kept, strict=True)
        if is_kept
    ]  # fmt: skip


def part(store: stores.Store, chosen: Selection, made: Any = part_of) -> TracePart | None:
    try:
        result: TracePart = made(store, chosen)
    except IotraceError as error:
        assert "has no calls in" in str(error)
        return None
    return result


@examples(150)
@given(st.lists(calls, max_size=10), selections)
def test_a_part_has_the_rows_that_a_filter_keeps(trace: list[dict[str, Any]], chosen: Selection) -> None:
    with stored(trace) as store:
        rows = store.arrow("reference").to_pylist()
        kept = [in_time(row, chosen) and is_wanted(row, chosen) for row in rows]
        of_calls = {row["call_seq"] for row, is_kept in zip(rows, kept, strict=True) if is_kept}
        seqs = [
            row["seq"]
            for row, object_ in zip(
                store.arrow("syscall").to_pylist(), store.arrow("call_file").to_pylist(), strict=True
            )
            if in_time(row, chosen)
            and of_processes(row, chosen)
            and (not chosen.paths or fits(chosen.paths, PATHS[object_["file"]]) or chosen.where)
            and (chosen.where is None or row["seq"] in of_calls)
        ]
        found = part(store, chosen)
        assert (found is None) == (not seqs and not any(kept))
        if found is None:
            return
        origin_ns = chosen.since_ns or 0
        assert named(found.store, origin_ns) == expected(rows, kept)
        calls_left = found.store.arrow("syscall").to_pylist()
        assert [row["seq"] for row in calls_left] == seqs
        assert found.store.manifest["counts"]["calls"] == len(seqs)
        assert [row["call_seq"] for row in found.store.arrow("call_file").to_pylist()] == seqs
        moved: Counter[str] = Counter()
        for row, is_kept in zip(rows, kept, strict=True):
            moved[PATHS[row["file"] % 4]] += row["length"] if is_kept and row["operation"] == "read" else 0
        uses = (
            found.store.connect([])
            .execute("select path, bytes_read from use join file using (file)")
            .fetchall()
        )
        assert {path: size for path, size in uses if size} == +moved


@examples(100)
@given(st.lists(calls, max_size=10), selections)
def test_caches_see_what_precedes_a_part_and_all_that_drops_blocks(
    trace: list[dict[str, Any]], chosen: Selection
) -> None:
    with stored(trace) as store:
        rows = store.arrow("reference").to_pylist()
        until = chosen.until_ns
        kept = [
            (until is None or row["time_ns"] < max(until, chosen.since_ns or 0))
            and (row["operation"] == "delete" or is_wanted(row, chosen))
            for row in rows
        ]
        counted = any(in_time(row, chosen) and is_wanted(row, chosen) for row in rows)
        found = part(store, chosen, warmed_part_of)
        assert (found is not None) == counted
        if found is not None:
            assert named(found.store) == expected(rows, kept)
            assert found.store.counted_from_ns == chosen.since_ns


ADDED_UP = (
    "select 'calls', \"by\" || name || class, sum(calls), sum(total_s) from call_times group by all"
    " union all select 'wall', state, count(*), sum(wall_ns) from wall_time where process is null group by all"
    " union all select 'bytes', type, sum(requests), sum(bytes) from references_by_type group by all"
)


def added_up(store: stores.Store) -> Counter[tuple[str, str, int]]:
    """Return statistics that add up over time: calls and their time, the clock's time by state, requests and bytes."""
    found: Counter[tuple[str, str, int]] = Counter()
    for what, name, number, amount in store.connect().execute(ADDED_UP).fetchall():
        if what != "wall":
            found[what, name, 0] += number
        found[what, name, 1] += round((amount or 0) * (1e9 if what == "calls" else 1))
    return +found


@examples(60)
@given(st.lists(calls, min_size=1, max_size=10), st.integers(0, LENGTH_NS))
def test_statistics_of_complementary_parts_add_up(trace: list[dict[str, Any]], cut_ns: int) -> None:
    with stored(trace) as store:
        halves = (part(store, Selection(None, cut_ns)), part(store, Selection(cut_ns, None)))
        if None not in halves:
            total: Counter[tuple[str, str, int]] = Counter()
            for half in halves:
                assert half is not None
                total.update(added_up(half.store))
            assert total == added_up(store)


@examples(40)
@given(st.lists(calls, min_size=1, max_size=10))
def test_statistics_of_each_program_add_up_to_the_whole(trace: list[dict[str, Any]]) -> None:
    with stored([{**call, "process": call["process"] % 2} for call in trace]) as store:
        whole, total = added_up(store), Counter[tuple[str, str, int]]()
        for program in ("cc1", "sh"):
            if (half := part(store, Selection(programs=(program,)))) is not None:
                total.update(added_up(half.store))
        assert {key: value for key, value in total.items() if key[0] != "wall"} == {
            key: value for key, value in whole.items() if key[0] != "wall"
        }


def test_the_clock_of_a_part_includes_a_call_that_began_before_it() -> None:
    call = {"file": 0, "references": [], "process": 0}
    trace = [{**call, "pause": 0, "duration_ns": 30}, {**call, "pause": 32, "duration_ns": 2}]
    with stored(trace) as store:
        found = part_of(store, Selection(31, None))
        walls = found.store.connect().execute(
            "select state, sum(wall_ns) from wall_time where process is null group by 1"
        )
        assert dict(walls.fetchall()) == {"storage": 2, "not_recorded": 1}
        found = part_of(store, Selection(20, 33))
        walls = found.store.connect().execute(
            "select state, sum(wall_ns) from wall_time where process is null group by 1"
        )
        assert dict(walls.fetchall()) == {"storage": 11, "not_recorded": 2}
        assert "1 call under way at 20 ns began before" in found.sentence


def test_time_without_any_thread_is_in_the_part_that_has_it() -> None:
    call = {"file": 0, "references": [], "duration_ns": 0}
    trace = [{**call, "pause": 0, "process": 0}, {**call, "pause": 4, "process": 2}]
    with stored(trace) as store:
        for chosen, unknown_ns in ((Selection(None, 3), 3), (Selection(3, None), 1)):
            walls = (
                part_of(store, chosen)
                .store.connect()
                .execute("select process, state, wall_ns from wall_time")
            )
            assert walls.fetchall() == [(None, "unknown", unknown_ns)]


def test_a_part_of_the_whole_is_the_whole() -> None:
    call = {
        "file": 1,
        "references": [(1, "read", 5), (5, "read", 1)],
        "process": 1,
        "pause": 3,
        "duration_ns": 1,
    }
    with stored([call] * 4) as store:
        found = part_of(store, Selection(0, None)).store
        assert named(found) == named(store)
        with store.queried() as whole, found.queried() as other:
            names = ["references_by_type", "requests_over_time", "sequentiality", "calls_by_name"]
            for name, result in characterize(whole, names).items():
                assert characterize(other, [name])[name].equals(result)


@pytest.mark.parametrize("where", ["length >", "select 1", "nothing = 1", "1 = 1) or (1 = 1"])
def test_a_condition_that_is_none_is_refused(where: str) -> None:
    call = {"file": 1, "references": [(1, "read", 5)], "process": 1, "pause": 3, "duration_ns": 1}
    with stored([call]) as store, pytest.raises(IotraceError, match="--where"):
        part_of(store, Selection(where=where))
