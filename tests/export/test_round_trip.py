"""A store written as text of calls and read back is the same store, except for the places of the entries."""

import os
import re
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_logs import without_paths
from property_tests import examples

from iotrace.export import named
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

PLACES = {"syscall": ("seq", "seq_return"), "reference": ("seq", "call_seq")}
TABLES = ("syscall", "reference", "file", "process", "use", "mapping")

PATHS = st.sampled_from(["a", "b/c", "../d", "/e", "/e/f", "/", ".", "%FF%0A", '""', "a%20b"])
DESCRIPTORS = st.integers(0, 5).map(str)
BYTES = st.integers(0, 9000).map(str)
CALLS = st.one_of(
    st.builds(
        "open {} {}".format, PATHS, st.sampled_from(["O_RDONLY", "O_RDWR|O_CREAT", "O_WRONLY|O_APPEND"])
    ),
    st.builds("{} {} {}".format, st.sampled_from(["read", "write", "ftruncate", "dup2"]), DESCRIPTORS, BYTES),
    st.builds("{} {}".format, st.sampled_from(["close", "dup", "fsync", "fchdir", "accept"]), DESCRIPTORS),
    st.builds(
        "{} {}".format, st.sampled_from(["chdir", "stat", "unlink", "rmdir", "mkdir", "readlink"]), PATHS
    ),
    st.builds("{} {} {}".format, st.sampled_from(["rename", "link", "symlink"]), PATHS, PATHS),
    st.builds("lseek {} {} SEEK_SET".format, DESCRIPTORS, BYTES),
    st.builds("mmap {} 0 {} PROT_READ|PROT_EXEC|MAP_PRIVATE".format, DESCRIPTORS, BYTES),
    st.builds("execve {} %5B%22x%22%5D".format, PATHS),
    st.builds(
        "sync_file_range {} {} {}{}".format,
        DESCRIPTORS,
        BYTES,
        BYTES,
        st.sampled_from(["", " SYNC_FILE_RANGE_WRITE", " SYNC_FILE_RANGE_WAIT_BEFORE", " 0"]),
    ),
    st.sampled_from(["fork", "clone CLONE_FILES|CLONE_FS", "pipe", "sync", "getcwd", "exit_group"]),
)
RESULTS = st.one_of(
    st.integers(0, 9).map("{} -".format),
    st.sampled_from(["-1 ENOENT", "- -", "4096 - size=5000 type=f", "0 - path2=/e"]),
)


END = ("9999 - 1 C sync", "9999 - 1 R sync 0 -", "9999 - 2 E process_exited 0")
END_OF_STRACE = ("9999 99900 4 C sync", "9999 99900 4 R sync 0 -", "9999 99900 4 E process_exited 0")


@st.composite
def traces(draw: st.DrawFn) -> str:
    """Entries of three threads, in which one thread's call may return among the entries of others."""
    lines, open_calls = ["# iotrace ultrix-calls 2"], dict[int, str]()
    steps = draw(st.lists(st.tuples(st.integers(1, 3), CALLS, RESULTS, st.booleans()), max_size=40))
    for seq, (thread, call, result, at_once) in enumerate(steps):
        if thread in open_calls:
            lines.append(f"{seq} {seq * 100} {thread} R {open_calls.pop(thread)} {result}")
            continue
        name = call.split()[0]
        lines.append(f"{seq} {seq * 100} {thread} C {call}")
        if at_once:
            lines.append(f"{seq} {seq * 100 + 50} {thread} R {name} {result}")
        else:
            open_calls[thread] = name
    return "\n".join([*lines, *END, ""])


def assert_same(first: Store, second: Store) -> None:
    for name in TABLES:
        kept = ", ".join(PLACES.get(name, ()))
        columns = f"* exclude ({kept})" if kept else "*"
        one, other = (f"select {columns} from '{store.table_path(name)}'" for store in (first, second))
        differing = f"(({one}) except all ({other})) union all (({other}) except all ({one}))"
        assert duckdb.sql(differing).limit(3).fetchall() == [], name


def there_and_back(trace: Path, folder: Path, form: str) -> None:
    """Through the text, without paths of descriptors, for which ULTRIX text has no place."""
    plain = folder / "plain"
    with pa.input_stream(str(trace), compression="zstd" if trace.suffix == ".zst" else None) as log:
        plain.write_bytes(without_paths(log.read()))
    first = ingest([plain], folder / "first.iotrace")
    named(form).write(first, folder / "text")
    second = ingest([folder / "text"], folder / "second.iotrace")
    assert second.manifest["counts"]["skipped_lines"] == 0
    assert second.manifest["format"] == form
    assert [warning for warning in second.manifest["warnings"] if "time runs backwards" in warning] == []
    assert_same(first, second)


def as_strace_has_it(trace: str) -> str:
    """All lines have times, a thread in a call does nothing else, what returns has a result, and few calls answers."""
    trace = trace.replace("\n".join(END), "\n".join(END_OF_STRACE))
    trace = re.sub(r"(sync_file_range \d+ \d+ \d+) 0\n", r"\1\n", trace)
    return trace.replace(" size=5000 type=f", "").replace(" path2=/e", "").replace(" - -\n", " 0 -\n")


of_each_form = pytest.mark.parametrize("form", ["ultrix", "strace"])


@of_each_form
@examples(25)
@given(traces())
def test_any_trace_survives(form: str, trace: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "trace"
        text.write_text(as_strace_has_it(trace) if form == "strace" else trace, "ascii")
        there_and_back(text, Path(folder), form)


@of_each_form
def test_the_demo_survives(form: str, tmp_path: Path) -> None:
    with as_file(files("iotrace").joinpath("demo", "demo.strace.zst")) as log:
        there_and_back(log, tmp_path, form)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("cad-chip-build.strace.zst", marks=pytest.mark.nightly),
        pytest.param("mail-server-r.strace.zst", marks=pytest.mark.nightly),
        "samples/options/evil_names.log",
    ],
)
@of_each_form
def test_real_traces_survive(tmp_path: Path, name: str, form: str) -> None:
    traces = os.environ.get("IOTRACE_TRACES")
    if traces is None:
        pytest.skip("IOTRACE_TRACES does not name the folder of traces")
    there_and_back(Path(traces) / "strace" / name, tmp_path, form)
