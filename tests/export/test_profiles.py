"""Profiles and timelines: each is what its log says, counted again by a plain program."""

import json
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import perfetto_traces
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.analysis.grouping import Weight
from iotrace.errors import IotraceError, UsageError
from iotrace.export import profiles
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

SCHEMA = json.loads((Path(__file__).parent / "speedscope" / "file-format-schema.json").read_text())
PATHS = ["/a/b", "/a/c", "/d", "/a/b c;d/e", "/x/y/z"]
START_US = 1_700_000_000_000_000


class Called(NamedTuple):
    """A call of a thread, with times in µs."""

    thread: int
    start: int
    duration: int | None
    name: str
    path: str
    bytes: int

    @property
    def line(self) -> str:
        time = START_US + self.start
        shown = f"{self.thread} {time // 1_000_000}.{time % 1_000_000:06d}"
        if self.name == "stat":
            call = f'stat("{self.path}", {{st_mode=S_IFREG|0644, st_size=9, ...}}) = 0'
        else:
            call = f'{self.name}({PATHS.index(self.path) + 3}<{self.path}>, ""..., 9000, 10) = {self.bytes}'
        took = "" if self.duration is None else f" <{self.duration / 1e6:.6f}>"
        return f"{shown} {call}{took}\n"

    @property
    def frames(self) -> tuple[str, ...]:
        directory, _, name = self.path.rpartition("/")
        return ("(before the trace)", directory or "/", name, self.name)


@st.composite
def calls(draw: st.DrawFn) -> list[Called]:
    """Calls of two threads in the order of their starts; a call may end after the thread's next one begins."""
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from([7, 8]),
                st.integers(0, 5),
                st.none() | st.integers(0, 9),
                st.sampled_from(["stat", "pread64", "pwrite64"]),
                st.sampled_from(PATHS),
                st.integers(0, 9000),
            ),
            min_size=1,
            max_size=30,
        )
    )
    now, made = 0, []
    for thread, pause, duration, name, path, size in steps:
        now += pause
        made.append(Called(thread, now, duration, name, path, 0 if name == "stat" else size))
    return made


def stored(folder: Path, made: list[Called]) -> Store:
    log = folder / "log"
    log.write_text("".join(one.line for one in made))
    return ingest([log], folder / "log.iotrace")


def weighed(made: list[Called], by: str) -> Counter[tuple[str, ...]]:
    total = Counter[tuple[str, ...]]()
    for one in made:
        total[one.frames] += {"time": (one.duration or 0) * 1000, "bytes": one.bytes, "calls": 1}[by]
    return +total


def cut(made: list[Called]) -> dict[int, list[tuple[int, int, Called]]]:
    """The calls with a duration by thread, in ns, each ended by what begins in it and ends after it."""
    threads: dict[int, list[tuple[int, int, Called]]] = {}
    zero = made[0].start
    for one in made:
        if one.duration is not None:
            start = (one.start - zero) * 1000
            threads.setdefault(one.thread, []).append((start, start + one.duration * 1000, one))
    for kept in threads.values():
        for later, (start, end, _) in enumerate(kept):
            for place, (first, last, one) in enumerate(kept[:later]):
                if last > start and end > last:
                    kept[place] = (first, start, one)
    return threads


def of_lines(text: str) -> Counter[tuple[str, ...]]:
    read = (line.rpartition(" ") for line in text.splitlines())
    return Counter({tuple(frames.split(";")): int(weight) for frames, _, weight in read})


def opened(profile: dict[str, Any], names: list[str]) -> list[tuple[str, str, int, int]]:
    """The calls of an evented profile: file, call, start, end; events nest and never go back."""
    stack: list[tuple[int, int]] = []
    calls: list[list[Any]] = []
    places: list[int] = []
    now = profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= now
        now = event["at"]
        if event["type"] == "O":
            stack.append((event["frame"], event["at"]))
            if len(stack) % 2 == 0:
                places.append(len(calls))
                calls.append([names[stack[-2][0]], names[event["frame"]], now, None])
        else:
            assert stack.pop()[0] == event["frame"]
            if len(stack) % 2:
                calls[places.pop()][3] = now
    assert not stack and now == profile["endValue"]
    return [tuple(one) for one in calls]  # type: ignore[misc]


def samples(profile: dict[str, Any], names: list[str]) -> Counter[tuple[str, ...]]:
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"]
    total = Counter[tuple[str, ...]]()
    for frames, weight in zip(profile["samples"], profile["weights"], strict=True):
        total[tuple(names[frame] for frame in frames)] += weight
    return total


@examples(40)
@given(calls(), st.sampled_from(list(Weight)))
def test_profiles_add_up_the_calls_of_each_place(made: list[Called], by: Weight) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = stored(Path(name), made)
        folded, scope = Path(name) / "folded", Path(name) / "scope"
        expected = weighed(made, by)
        if not expected:
            for form in profiles.FORMS:
                with pytest.raises(IotraceError, match=r"no call of the trace|the trace has no calls"):
                    profiles.write(store, folded, form, by)
            assert not folded.exists()
            return
        remarks = profiles.write(store, folded, "folded", by)
        without = sum(one.duration is None for one in made)
        assert remarks == (
            (f"{without} calls without a duration were left out",) if without and by == "time" else ()
        )
        plain = Counter[tuple[str, ...]]()
        for frames, weight in expected.items():
            plain[tuple(frame.replace(";", ":") for frame in frames)] += weight
        assert of_lines(folded.read_text()) == plain
        profiles.write(store, scope, "speedscope", by)
        content = json.loads(scope.read_text())
        jsonschema.validate(content, SCHEMA)
        names = [frame["name"] for frame in content["shared"]["frames"]]
        assert samples(content["profiles"][0], names) == expected
        threads = content["profiles"][1:]
        assert bool(threads) == (by is Weight.TIME)
        drawn = {profile["name"]: opened(profile, names) for profile in threads if profile["events"]}
        if by is Weight.TIME:
            assert drawn == {
                f"{thread} (before the trace), thread {thread}": [
                    (one.path, one.name, start, end) for start, end, one in kept
                ]
                for thread, kept in cut(made).items()
            }


@examples(40)
@given(calls())
def test_a_timeline_has_every_call_with_its_arguments(made: list[Called]) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = stored(Path(name), made)
        remarks = profiles.write(store, Path(name) / "trace", "perfetto")
        found = perfetto_traces.slices(Path(name) / "trace")
    zero = made[0].start
    kept = {id(one): (start, end) for rows in cut(made).values() for start, end, one in rows}
    expected = []
    for seq, one in enumerate(made):
        start, end = kept.get(id(one), ((one.start - zero) * 1000, None))
        moved = {"offset": 10, "requested": 9000, "moved": one.bytes, "result": one.bytes}
        of_call = {"result": 0} if one.name == "stat" else moved
        arguments = {"path": one.path, "seq": seq, **of_call}
        expected.append((f"thread {one.thread} {one.thread}", one.name, "storage", start, end, arguments))
    expected.sort(key=lambda row: row[0])
    assert [tuple(one) for one in found] == expected
    marks = sum(one.duration is None for one in made)
    shortened = [
        end_ns - end
        for seq, one in enumerate(made)
        if one.duration is not None
        and (end_ns := (one.start - zero + one.duration) * 1000) > (end := kept[id(one)][1])
    ]
    sentences = [f"{marks} calls without a duration have no length in it"] if marks else []
    if shortened:
        sentences.append(
            f"{len(shortened)} calls end where the next one of their thread begins, by at most"
            f" {max(shortened):,} ns earlier than in the trace"
        )
    assert list(remarks) == sentences


def test_processes_and_their_programs_are_named(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(
        '7 1.000000 execve("/x/sh", ["sh"], 0x0 /* 9 vars */) = 0 <0.000100>\n'
        "7 1.000200 clone(child_stack=NULL, flags=SIGCHLD) = 8 <0.000100>\n"
        '8 1.000400 openat(AT_FDCWD, "/a", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000050>\n'
        '8 1.000500 openat(AT_FDCWD, "/a", O_RDONLY) = -1 EACCES (Permission denied) <0.000050>\n'
    )
    store = ingest([log], tmp_path / "log.iotrace")
    profiles.write(store, tmp_path / "trace", "perfetto")
    described = [
        perfetto_traces._named(packet.track_descriptor)
        for packet in perfetto_traces.packets(tmp_path / "trace")
        if packet.HasField("track_descriptor")
    ]
    assert described == ["process 7 /x/sh", "thread 7 7", "process 8 /x/sh", "thread 8 8"]
    failed = perfetto_traces.slices(tmp_path / "trace")[-2:]
    assert [(one.arguments["error"], one.arguments["result"]) for one in failed] == [
        ("ENOENT", -1),
        ("EACCES", -1),
    ]
    profiles.write(store, tmp_path / "folded", "folded", Weight.CALLS)
    assert (tmp_path / "folded").read_text() == (
        "(before the trace);/x;sh;execve 1\n"
        "/x/sh;(no file);clone 1\n"
        "/x/sh;(not found);openat 1\n"
        "/x/sh;/;a;openat 1\n"
    )


def test_requests_to_a_disk_that_overlap_have_tracks_beside_each_other(tmp_path: Path) -> None:
    csv = tmp_path / "disk.csv"
    csv.write_text(
        "ts,lba,sectors,op,disk,lat\n0,0,8,R,sda,50\n10,8,8,W,sda,20\n30,16,16,R,sda,5\n90,0,8,R,sdb,7\n"
    )
    columns = "csv:time=ts:us,offset=lba:512,length=sectors:512,op=op,device=disk,latency=lat:us"
    store = ingest([csv], tmp_path / "disk.iotrace", format=columns)
    profiles.write(store, tmp_path / "trace", "perfetto")
    assert [(one[:2], one[3:]) for one in perfetto_traces.slices(tmp_path / "trace")] == [
        (("sda 0", "read"), (0, 50000, {"seq": 0, "lbn": 0, "blocks": 8})),
        (("sda 1", "write"), (10000, 30000, {"seq": 1, "lbn": 8, "blocks": 8})),
        (("sda 1", "read"), (30000, 35000, {"seq": 2, "lbn": 16, "blocks": 16})),
        (("sdb 0", "read"), (90000, 97000, {"seq": 3, "lbn": 0, "blocks": 8})),
    ]
    profiles.write(store, tmp_path / "folded", "folded", Weight.BYTES)
    assert (tmp_path / "folded").read_text() == "sda;read 12288\nsda;write 4096\nsdb;read 4096\n"


def test_calls_of_a_rank_nest_by_layer(tmp_path: Path) -> None:
    log = tmp_path / "trace.dxt.txt"
    log.write_text(
        "# darshan log version: 3.21\n# start_time: 1000\n\n"
        "# DXT, file_id: 77, file_name: /out/file\n"
        "# DXT, rank: 3, hostname: n1\n"
        "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)\n"
        " X_MPIIO       3  write        0               0        96      0.1000      0.4000\n"
        " X_POSIX       3  write        0               0        64      0.1000      0.2000\n"
        " X_POSIX       3  write        1              64        32      0.2500      0.3000\n"
    )
    store = ingest([log], tmp_path / "trace.iotrace")
    assert profiles.write(store, tmp_path / "trace", "perfetto") == ()
    found = perfetto_traces.slices(tmp_path / "trace")
    ms = 1_000_000
    assert [(one.track, one.category, one.start_ns, one.end_ns) for one in found] == [
        ("process 3 0", "mpiio", 0, 300 * ms),
        ("process 3 0", "posix", 0, 100 * ms),
        ("process 3 0", "posix", 150 * ms, 200 * ms),
    ]
    assert [one.arguments["moved"] for one in found] == [96, 64, 32]
    profiles.write(store, tmp_path / "folded", "folded", Weight.BYTES)
    assert (tmp_path / "folded").read_text() == "process 3;/out;file;write 96\n"
    profiles.write(store, tmp_path / "scope", "speedscope")
    content = json.loads((tmp_path / "scope").read_text())
    jsonschema.validate(content, SCHEMA)
    assert [len(profile["events"]) for profile in content["profiles"][1:]] == [12]


def test_what_has_no_profile_says_so(tmp_path: Path) -> None:
    keys = tmp_path / "keys.csv"
    keys.write_text("t,k,s\n1,a,10\n2,b,20\n")
    store = ingest([keys], tmp_path / "keys.iotrace", format="csv:time=t,key=k,size=s")
    for form in profiles.NAMES:
        with pytest.raises(IotraceError, match=f"{form} is a form of calls and of requests to disks"):
            profiles.write(store, tmp_path / "out", form)
    timeless = tmp_path / "timeless"
    timeless.write_text('openat(AT_FDCWD, "/a", O_RDONLY) = 3\nread(3, "", 10) = 10\n')
    store = ingest([timeless], tmp_path / "timeless.iotrace")
    with pytest.raises(IotraceError, match="has no times, which a timeline needs"):
        profiles.write(store, tmp_path / "out", "perfetto")
    with pytest.raises(IotraceError, match="no call of the trace has a duration; --by calls and --by bytes"):
        profiles.write(store, tmp_path / "out", "folded")
    with pytest.raises(IotraceError, match="the trace has no stacks"):
        profiles.write(store, tmp_path / "out", "folded", stacks=True)
    with pytest.raises(UsageError, match="perfetto is a timeline: --by and --stacks are for"):
        profiles.write(store, tmp_path / "out", "perfetto", Weight.BYTES)
    profiles.write(store, tmp_path / "out", "speedscope", Weight.BYTES)
    assert len(json.loads((tmp_path / "out").read_text())["profiles"]) == 1
    with pytest.raises(UsageError, match="exists"):
        profiles.write(store, tmp_path / "out", "speedscope", Weight.BYTES)


def test_the_trace_processor_counts_the_slices(tmp_path: Path) -> None:
    program = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
    if program is None:
        pytest.skip("Perfetto's trace processor is not installed")
    made = [Called(7 + place % 2, 10 * place, 4, "pread64", "/a/b", 5) for place in range(100)]
    profiles.write(stored(tmp_path, made), tmp_path / "trace", "perfetto")
    query = tmp_path / "query.sql"
    query.write_text("select count(*) as slices from slice;\n")
    done = subprocess.run(
        [program, "-q", query, tmp_path / "trace"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == "100"
