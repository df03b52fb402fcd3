"""Records that threads read before their turn: the store that one thread makes."""

import gzip
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from recorders import needs_bpf

from iotrace.errors import IotraceError
from iotrace.formats.reading import bytes_in
from iotrace.ingest import capture, pipeline
from iotrace.workers import WorkerSpec

THREADS = WorkerSpec(threads=3)
DEMO = Path(pipeline.__file__).parents[1] / "demo" / "demo.strace.zst"
DESCRIBED = "csv:time=1,key=2,size=3,op=4"
LINE = st.builds(
    lambda second, key, size, word: f"{second},{key},{size},{word}",
    st.integers(0, 40),
    st.sampled_from(("a", "b", '"c,d"', "12", "x" * 40)),
    st.sampled_from(("", "1", "4096", "-1", "x")),
    st.sampled_from(("get", "set", "", "nonsense", "7")),
)
ODD = st.sampled_from(("", "garbage", '1,"open,2,get', "1,a", "9" * 30 + ",a,1,get"))
FILE = st.tuples(
    st.lists(st.tuples(LINE | ODD, st.sampled_from(("\n", "\r\n", "\n\n"))), max_size=12),
    st.sampled_from(("", "1,a,1,get", "1,a", '1,"a')),
)


def check(folder: Path, paths: Sequence[Path], form: str | None = None) -> None:
    """Ingest both ways: the same files and manifest, or the same refusal."""
    said: list[str] = []
    try:
        pipeline.ingest(paths, folder / "one.iotrace", format=form)
    except IotraceError as error:
        with pytest.raises(IotraceError) as refused:
            pipeline.ingest(paths, folder / "ahead.iotrace", format=form, worker_spec=THREADS)
        assert str(refused.value) == str(error)
        return
    pipeline.ingest(paths, folder / "ahead.iotrace", format=form, worker_spec=THREADS, say=said.append)
    assert said == []
    for file in (folder / "one.iotrace").iterdir():
        if file.name != "views.sql":  # which names its folder
            assert (folder / "ahead.iotrace" / file.name).read_bytes() == file.read_bytes(), file.name


@given(st.lists(FILE, min_size=1, max_size=4))
@examples(100)
def test_any_files_give_the_store_of_one_thread(files: list[tuple[list[tuple[str, str]], str]]) -> None:
    """Lines of all kinds, cut ends, quotes that are open, and codes of operations that nobody named."""
    with TemporaryDirectory() as name:
        paths = [Path(name) / f"{number}.csv" for number in range(len(files))]
        for path, (lines, last) in zip(paths, files, strict=True):
            path.write_text("".join(line + end for line, end in lines) + last, newline="")
        check(Path(name), paths, DESCRIBED)


@pytest.mark.parametrize("form", [DESCRIBED, "twitter"])
def test_many_batches_of_files_with_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(bytes_in, "TEXT_BYTES", 1)
    draw, paths = random.Random(5), [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in paths:
        keys = (f"key-{int(draw.paretovariate(0.7))}" for _ in range(60_000))
        rows = (
            f"{place // 100},{key},{place % 900},get"
            if form == DESCRIBED
            else f"{place // 100},{key},5,{place % 9},1,get,0"
            for place, key in enumerate(keys)
        )
        path.write_text("".join(f"{'?' * (draw.random() < 0.001)}{row}\n" for row in rows) + "1,a")
    check(tmp_path, paths, form)


EVENT = st.builds(
    lambda process, name, time, file: (
        f'{{"name":"{name}","cat":"POSIX","pid":{process},"tid":1,"ts":{time},"dur":5,"ph":"X",'
        f'"args":{{"hhash":{process % 2},"fhash":{file},"ret":8,"fd":3}}}}'
    ),
    st.integers(1, 3),
    st.sampled_from(("read", "write", "open64", "stat", "fsync")),
    st.integers(0, 40) | st.just(1_744_611_912_000_000),
    st.integers(0, 4),
)
TOLD = st.builds(
    lambda kind, name, value: (
        f'{{"name":"{kind}","pid":1,"ph":"M","args":{{"name":"{name}","value":"{value}"}}}}'
    ),
    st.sampled_from(("FH", "HH", "CM")),
    st.sampled_from(("/a", "/b", "time_metric")),
    st.sampled_from(("0", "1", "2", "ns", "ms")),
)
TRACE = st.tuples(
    st.lists(EVENT | TOLD | st.sampled_from(("", "[", "garbage", "{}")), max_size=12),
    st.sampled_from(("", "]", '{"name":"re')),
)


@given(st.lists(TRACE, min_size=1, max_size=5))
@examples(100)
def test_any_files_of_ranks_give_the_store_of_one_thread(files: list[tuple[list[str], str]]) -> None:
    """Names and units of times that later files use, processes in several files, and lines that are none."""
    with TemporaryDirectory() as name:
        paths = [Path(name) / f"{number}.pfw" for number in range(len(files))]
        for path, (lines, last) in zip(paths, files, strict=True):
            path.write_text("".join(f"{line}\n" for line in lines) + last)
        check(Path(name), paths, "dftracer")


def test_a_unit_of_times_holds_for_files_that_were_read_before_it_was_known(tmp_path: Path) -> None:
    (tmp_path / "0.pfw").write_text('{"name":"CM","ph":"M","args":{"name":"time_metric","value":"ms"}}\n')
    call = '{"name":"read","cat":"POSIX","pid":1,"ts":7,"dur":5,"ph":"X","args":{"fname":"/a","ret":8}}\n'
    (tmp_path / "1.pfw").write_text(call)
    store = pipeline.ingest([tmp_path], tmp_path / "it.iotrace", format="dftracer", worker_spec=THREADS)
    assert store.arrow("parallel_io")["duration_ns"].to_pylist() == [5_000_000]


def logs(folder: Path, lines: int) -> tuple[Path, Path]:
    """The first lines of the demo trace: its log, and a folder with the log of each thread."""
    whole, by_thread = folder / "log", folder / "logs"
    by_thread.mkdir()
    with pa.input_stream(str(DEMO), compression="zstd") as text:
        rows = text.read().splitlines(keepends=True)[:lines]
    whole.write_bytes(b"".join(rows))
    threads = defaultdict(list)
    for row in rows:
        thread, _, call = row.partition(b" ")
        threads[int(thread)].append(call.lstrip())
    for thread, calls in threads.items():
        (by_thread / f"log.{thread}").write_bytes(b"".join(calls))
    return whole, by_thread


def test_system_calls_give_the_store_of_one_thread(tmp_path: Path) -> None:
    """Of one log, of the logs of its threads, and of a log whose compressed data end in the middle."""
    whole, by_thread = logs(tmp_path, 20_000)
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(whole.read_bytes())[:-5_000])
    for number, path in enumerate((whole, by_thread, cut)):
        folder = tmp_path / str(number)
        folder.mkdir()
        check(folder, [path])


@pytest.mark.parametrize("lines", [["garbage"] * 3, ["garbage"] * 200_000, ["1 +++ exited with 0 +++"], []])
def test_what_is_no_trace_of_calls_is_refused_with_the_same_words(tmp_path: Path, lines: list[str]) -> None:
    (tmp_path / "log").write_text("".join(f"{line}\n" for line in lines))
    check(tmp_path, [tmp_path / "log"], "strace")


@needs_bpf
def test_recordings_give_the_store_of_one_thread(tmp_path: Path) -> None:
    log = tmp_path / "it.iorec"
    command = ["--kernel", "--off-cpu", "--", sys.executable, "-c", "import asyncio"]
    subprocess.run([str(capture.find()), "-o", log, "--result", tmp_path / "result", *command], check=True)
    check(tmp_path, [log])


def test_a_reader_that_is_given_up_ends(tmp_path: Path) -> None:
    """Codes of operations end the reading in the middle; the lines before them count for nothing."""
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    paths[0].write_text("1,a,1,get\n" * 10)
    paths[1].write_text("1,a,1,7\n")
    with pytest.raises(IotraceError, match=rf"^{paths[1]}: line 1: what operation 7 does is not known"):
        pipeline.ingest(paths, tmp_path / "x.iotrace", format=DESCRIBED, worker_spec=THREADS)
