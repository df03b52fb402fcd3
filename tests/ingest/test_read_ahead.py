"""Keys whose lines threads read before their turn: the store that one thread makes."""

import random
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.errors import IotraceError
from iotrace.formats.reading import bytes_in
from iotrace.ingest import pipeline
from iotrace.workers import WorkerSpec

THREADS = WorkerSpec(threads=3)
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


def check(folder: Path, paths: Sequence[Path], form: str) -> None:
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


def test_a_reader_that_is_given_up_ends(tmp_path: Path) -> None:
    """Codes of operations end the reading in the middle; the lines before them count for nothing."""
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    paths[0].write_text("1,a,1,get\n" * 10)
    paths[1].write_text("1,a,1,7\n")
    with pytest.raises(IotraceError, match=rf"^{paths[1]}: line 1: what operation 7 does is not known"):
        pipeline.ingest(paths, tmp_path / "x.iotrace", format=DESCRIBED, worker_spec=THREADS)
