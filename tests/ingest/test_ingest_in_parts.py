"""Many files of a block trace read by workers: the store that one process makes of them, in partitions."""

import gzip
import os
import shutil
import struct
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.errors import IotraceError, UsageError
from iotrace.formats.reading import file_parts
from iotrace.ingest import pipeline
from iotrace.store.partitions import KEY
from iotrace.store.store import Store, read
from iotrace.workers import WorkerSpec

START = 128166372003061629
STEP = 10_000_000
"""A second of Windows' clock."""
THREADS = WorkerSpec(threads=3)

REQUEST = st.builds(
    lambda second, host, disk, word, block, length, response: (
        f"{START + second * STEP},host{host},{disk},{word},{block * 512},{length},{response}"
    ),
    st.integers(0, 40),
    st.integers(0, 1),
    st.integers(0, 2),
    st.sampled_from(("Read", "Write", "read", "Other")),
    st.integers(0, 50),
    st.sampled_from((0, 512, 700, 4096)),
    st.sampled_from((-3, 0, 1000)),
)
ODD = st.sampled_from(
    ("", "garbage", "Timestamp,Hostname,DiskNumber", f"{START},h,0,Read,-512,512,1", "5,h,0,Read,0,512,1")
)
FILES = st.lists(st.lists(REQUEST | ODD, max_size=12), min_size=2, max_size=5)


def same(found: Store, expected: Store) -> None:
    """Every row of every table, and all of the manifest but where it is."""
    assert found.tables == expected.tables
    for table in expected.tables:
        assert found.arrow(table).to_pylist() == expected.arrow(table).to_pylist(), table
    assert {name: value for name, value in found.manifest.items() if name != KEY} == expected.manifest


def both(folder: Path, paths: Sequence[Path], form: str | None) -> Store | None:
    """Ingest by one process and by workers; return the partitioned store, None where both refuse in the same words."""
    try:
        expected = pipeline.ingest(paths, folder / "one.iotrace", format=form)
    except IotraceError as error:
        with pytest.raises(IotraceError) as refused:
            pipeline.ingest(paths, folder / "parts.iotrace", format=form, worker_spec=THREADS)
        assert str(refused.value) == str(error)
        assert not list(folder.glob("*parts.iotrace*"))
        return None
    found = pipeline.ingest(paths, folder / "parts.iotrace", format=form, worker_spec=THREADS)
    same(found, expected)
    return found


def write(folder: Path, texts: Sequence[str]) -> list[Path]:
    paths = [folder / f"{number}.csv" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


@given(FILES)
@examples(40)
def test_any_files_give_the_store_of_one_process(files: list[list[str]]) -> None:
    """Files that overlap, are out of order, empty or damaged; times that tie; devices first seen in any of them."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        paths = write(folder, ["".join(f"{line}\n" for line in lines) for lines in files])
        both(folder, paths, "msr-cambridge")


QUOTED = st.sampled_from(
    (f'{START},"h,0",0,Read,0,512,1', f'{START},"h\n0",0,Read,0,512,1', f'{START},h"0,0,Read,0,512,1')
)
"""Fields in quotes: with a separator, with the end of a line, and with a quote that is none."""
ENDS = st.sampled_from(("\n", "\n", "\r\n", "\n\n"))
TEXT = st.tuples(
    st.sampled_from(("", "\ufeff")),
    st.lists(st.tuples(REQUEST | ODD | st.just("\ufeff1"), ENDS), max_size=40),
    st.just("") | st.just("") | REQUEST | st.just(f"{START},host0,0,Re"),
)
HEADER = "Timestamp,Hostname,DiskNumber"


def text_of(mark: str, lines: Sequence[tuple[str, str]], last: str) -> str:
    return mark + "".join(line + end for line, end in lines) + last


@pytest.mark.parametrize(
    "form", ["msr-cambridge", "csv:time=1:filetime,device=3,op=4,offset=5,length=6,host=2,epoch=1970"]
)
@given(text=TEXT, quoted=st.none() | st.tuples(st.integers(0, 40), QUOTED), part_bytes=st.integers(130, 700))
@examples(120)
def test_parts_of_a_file_give_the_store_of_one_process(
    form: str, text: tuple[str, list[tuple[str, str]], str], quoted: tuple[int, str] | None, part_bytes: int
) -> None:
    """Any text, cut anywhere: ends of lines of both kinds, blank lines, quotes, and a last line without an end."""
    mark, found, last = text
    assume(not all(line == HEADER for line, _ in found[:5]) or len(found) < 5)
    if quoted is not None:
        found = [*found[: quoted[0]], (quoted[1], "\n"), *found[quoted[0] :]]
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_parts, "PART_BYTES", part_bytes)
        path = Path(name) / "0.csv"
        path.write_text(text_of(mark, found, last), newline="")
        both(Path(name), [path], form)


def test_a_large_file_is_a_partition_for_each_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_parts, "PART_BYTES", 1000)
    text = lines(0, 60) + "garbage\n" + lines(60, 60, disk=1)
    found = both(tmp_path, write(tmp_path, [text]), None)
    assert found is not None
    rows = found.manifest[KEY]["disk_io"]
    assert len(rows) > 5 and sum(rows) == 120
    assert [skipped["first_line"] for skipped in found.manifest["skipped"].values()] == [61]


@pytest.mark.parametrize("made", ["gzip", "no last end", "quotes"])
def test_what_is_read_as_a_whole_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str) -> None:
    monkeypatch.setattr(file_parts, "PART_BYTES", 1000)
    text = lines(0, 90).encode()
    content = {
        "gzip": gzip.compress(text),
        "no last end": text[:-1],
        "quotes": text.replace(b",h,", b',"h",'),
    }[made]
    path = tmp_path / "0.csv"
    path.write_bytes(content)
    said: list[str] = []
    pipeline.ingest([path], tmp_path / "0.iotrace", worker_spec=THREADS, say=said.append)
    assert len(said) == 1 and ("in quotes" in said[0]) == (made == "quotes")


def test_far_offsets_are_judged_over_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of which most offsets are beyond any disk would be taken for keys."""
    monkeypatch.setattr(file_parts, "PART_BYTES", 1000)
    texts = [
        "".join(f"{line},{line * 512}\n" for line in range(4000)),
        "".join(f"1,{2**62}\n" for _ in range(25)),
    ]
    found = both(tmp_path, write(tmp_path, ["".join(texts)]), "csv:time=1,offset=2")
    assert found is not None
    assert found.manifest["counts"]["skipped_lines"] == 25


def test_a_file_with_quotes_does_not_keep_others_from_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_parts, "PART_BYTES", 1000)
    found = both(tmp_path, write(tmp_path, [lines(0, 60), lines(60, 60).replace(",h,", ',"h",')]), None)
    assert found is not None and found.manifest[KEY] == {"disk_io": [60, 60]}


RECORD = st.tuples(
    st.integers(0, 40), st.integers(0, 50), st.sampled_from((512, 700, 4096)), st.integers(0, 3)
)
RECORD_FORMS = {
    "vscsi": lambda second, block, length, kind: struct.pack(
        "<IIIHHQQ", 7, length, 3, (0x28, 0x2A, 0x28, 0)[kind], 1 << 8, block, second * 1_000_000
    ),
    "oracle-general-blocks": lambda second, block, length, kind: struct.pack(
        "<IQIq", second, block, length // 512 * 512, -1
    ),
}


@pytest.mark.parametrize("form", RECORD_FORMS)
@given(st.lists(st.lists(RECORD, max_size=12), min_size=2, max_size=4), st.integers(0, 20))
@examples(25)
def test_any_records_give_the_store_of_one_process(
    form: str, files: list[list[tuple[int, int, int, int]]], cut: int
) -> None:
    """Files of records overlap in time, are empty, or end within one."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / f"{number}.bin" for number in range(len(files))]
        for path, records in zip(paths, files, strict=True):
            path.write_bytes(b"".join(RECORD_FORMS[form](*record) for record in records)[: -cut or None])
        both(folder, paths, form)


def lines(first: int, count: int, disk: int = 0) -> str:
    return "".join(
        f"{START + second * STEP},h,{disk},Read,{second * 512},4096,1000\n"
        for second in range(first, first + count)
    )


def test_files_after_each_other_are_a_partition_each(tmp_path: Path) -> None:
    found = both(tmp_path, write(tmp_path, [lines(0, 5), lines(5, 7, disk=1), lines(12, 3)]), None)
    assert found is not None
    assert found.manifest[KEY] == {"disk_io": [5, 7, 3]}
    assert found.row_group_ends("disk_io") == [5, 12, 15]
    rows = found.arrow("disk_io").to_pylist()
    for records in (range(4, 13), range(5, 12), range(14, 15), range(15)):
        batches = found.batches("disk_io", ["seq", "device"], 2, records)
        there = [row for batch in batches for row in batch.to_pylist()]
        assert there == [{name: rows[place][name] for name in ("seq", "device")} for place in records]


def test_overlapping_files_are_cut_by_time(tmp_path: Path) -> None:
    found = both(
        tmp_path, write(tmp_path, [lines(0, 90), lines(10, 90, disk=1), lines(20, 90, disk=2)]), None
    )
    assert found is not None
    assert len(found.manifest[KEY]["disk_io"]) == 3
    assert max(found.manifest[KEY]["disk_io"]) < 120


def test_columns_are_named_by_the_first_file(tmp_path: Path) -> None:
    """The rest of a CSV that was split has no header."""
    texts = ["t,o,n\n1,0,512\n2,512,512\n", "3,1024,512\n4,0,512\n", "t,o,n\n5,0,512\n"]
    found = both(tmp_path, write(tmp_path, texts), "csv:time=t,offset=o,length=n")
    assert found is not None
    assert found.manifest["counts"]["skipped_lines"] == 0


def test_times_that_are_not_there(tmp_path: Path) -> None:
    texts = ["0,512\n512,512\n", "1024,512\n"]
    assert both(tmp_path, write(tmp_path, texts), "csv:offset=1,length=2") is not None


def test_damage_is_that_of_one_process(tmp_path: Path) -> None:
    paths = write(tmp_path, [lines(0, 50), "", lines(50, 5)])
    paths[1].write_bytes(gzip.compress(lines(20, 500).encode())[:-9])
    found = both(tmp_path, paths, "msr-cambridge")
    assert found is not None
    assert found.manifest["damage"]


def test_a_folder_is_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "week"
    folder.mkdir()
    write(folder, [lines(0, 5), lines(5, 5)])
    (folder / "README").write_text("about it\n")
    found = both(tmp_path, [folder], None)
    assert found is not None
    assert any("README" in warning for warning in found.manifest["warnings"])


def test_what_is_not_split_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    (one,) = write(tmp_path, [lines(0, 5)])
    pipeline.ingest([one], tmp_path / "one.iotrace", worker_spec=THREADS, say=said.append)
    log = Path(__file__).parents[1] / "cli" / "copy.strace"
    pipeline.ingest([log], tmp_path / "log.iotrace", worker_spec=THREADS, say=said.append)
    (tmp_path / "0.txt").write_text("0.000001 0.000002 pwrite 0 1 ( /a 0x1 512 0 )\n")
    found = pipeline.ingest(
        [tmp_path / "0.txt"], tmp_path / "ranks.iotrace", worker_spec=THREADS, say=said.append
    )
    assert [sentence.rpartition(": ")[2] for sentence in said] == [
        "there is one, and in parts is read plain text of over 64 MB whose last line has an end",
        "where a call reads depends on its process's calls before, which may be in other files",
    ]
    assert KEY not in found.manifest


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """Its beginning would be lost to whoever reads it again."""
    paths, said = write(tmp_path, [lines(0, 5), lines(5, 5)]), list[str]()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(lines(10, 5),))
    writer.start()
    found = pipeline.ingest(
        [*paths, pipe], tmp_path / "all.iotrace", format="msr-cambridge", worker_spec=THREADS, say=said.append
    )
    writer.join()
    assert found.manifest["counts"]["requests"] == 15
    assert [sentence.rpartition(": ")[2] for sentence in said] == ["a pipe can be read only once"]


def test_what_a_block_trace_has_no_use_for_is_refused(tmp_path: Path) -> None:
    paths = write(tmp_path, [lines(0, 5), lines(5, 5)])
    with pytest.raises(UsageError, match="neither --model nor --known-files applies"):
        pipeline.ingest(paths, tmp_path / "all.iotrace", model={"model": "1994"}, worker_spec=THREADS)
    assert sorted(tmp_path.iterdir()) == paths


def test_a_file_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    paths = write(tmp_path, [lines(0, 5), lines(5, 5)])
    with pytest.raises(IotraceError, match=r"2\.csv: "):
        pipeline.ingest(
            [*paths, tmp_path / "2.csv"],
            tmp_path / "all.iotrace",
            format="msr-cambridge",
            worker_spec=THREADS,
        )
    assert sorted(tmp_path.iterdir()) == paths


@pytest.fixture
def store(tmp_path: Path) -> Path:
    texts = [lines(0, 5), lines(5, 5), lines(10, 5)]
    return pipeline.ingest(write(tmp_path, texts), tmp_path / "all.iotrace", worker_spec=THREADS).path


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda store: (store / "disk_io.1.parquet").unlink(), r"disk_io\.1\.parquet is missing"),
        (
            lambda store: shutil.copy(store / "disk_io.1.parquet", store / "disk_io.2.parquet"),
            r"disk_io\.2\.parquet begins with row 5, where row 10 belongs: it is another partition, there twice",
        ),
        (
            lambda store: shutil.copy(store / "disk_io.1.parquet", store / "disk_io.3.parquet"),
            r"disk_io\.3\.parquet is not a partition that manifest\.json lists",
        ),
        (
            lambda store: shutil.copy(store / "disk_io.1.parquet", store / "disk_io.parquet"),
            r"disk_io\.parquet is not a partition that manifest\.json lists",
        ),
        (
            lambda store: shutil.copy(store / "use.parquet", store / "disk_io.1.parquet"),
            r"disk_io\.1\.parquet does not have the columns of table disk_io",
        ),
        (
            lambda store: (store / "disk_io.0.parquet").write_bytes(b"PAR1"),
            r"disk_io\.0\.parquet is damaged",
        ),
    ],
)
def test_partitions_that_are_not_those_of_the_store(store: Path, change: object, sentence: str) -> None:
    assert callable(change)
    change(store)
    with pytest.raises(IotraceError, match=sentence):
        read(store)


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ("[5, 5]", r"partitions\.disk_io has 10 rows, and table disk_io has 15"),
        ("[]", r"partitions\.disk_io has 0 rows"),
        ("[5, 5, -5, 10]", r"partitions\.disk_io\[2\] is not a whole number"),
        ("5", r"partitions\.disk_io is not a list"),
    ],
)
def test_manifests_whose_partitions_make_no_sense(store: Path, listed: str, sentence: str) -> None:
    import re

    place = store / "manifest.json"
    text = place.read_text()
    changed = re.sub(r'("partitions": \{\s*"disk_io": )\[[^]]*\]', rf"\g<1>{listed}", text)
    assert changed != text
    place.write_text(changed)
    with pytest.raises(IotraceError, match=sentence):
        read(store)
