"""Of the kernel's paths only those of descriptors from before the trace are taken."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from plain_logs import without_paths
from test_byte_sums import texts

from iotrace.engine import native
from iotrace.ingest.pipeline import ingest
from iotrace.ingest.reconstruct import entries
from iotrace.store.store import Store

TRACES = os.environ.get("IOTRACE_TRACES")
needs_traces = pytest.mark.skipif(
    not TRACES, reason="IOTRACE_TRACES does not name the folder of large traces"
)

JUDGED = ("syscall", "disagreement", "inherited_descriptor")
"""The tables that are not derived: calls, and the kernel's own paths."""


def tables(run: native.SyscallRun) -> dict[str, pa.Table]:
    """All tables of a run."""
    batches: dict[str, list[pa.RecordBatch]] = {}
    while (step := run.next()) is not None:
        for name, batch in step:
            batches.setdefault(name, []).append(batch)
    return {name: pa.Table.from_batches(found) for name, found in batches.items()}


def test_what_is_taken_away() -> None:
    log = (
        b'7 openat(AT_FDCWD</a b>, "3</x>", O_RDONLY) = 3</y>(deleted) <0.1>\n'
        b'7 write(1</dev/null<char 1:3>>, "a\\"b<c> 4</d>", 5) = 5 <0.1>\n'
        b"7 close(4<TCP:[127.0.0.1:1->127.0.0.1:2]> <unfinished ...>\n"
        b"7 <... close resumed>) = 0\n"
        b"7 pipe([3<pipe:[1]>, 4<pipe:[1]>]) = 0\n"
    )
    assert without_paths(log) == (
        b'7 openat(AT_FDCWD, "3</x>", O_RDONLY) = 3 <0.1>\n'
        b'7 write(1, "a\\"b<c> 4</d>", 5) = 5 <0.1>\n'
        b"7 close(4 <unfinished ...>\n"
        b"7 <... close resumed>) = 0\n"
        b"7 pipe([3, 4]) = 0\n"
    )


@needs_traces
@pytest.mark.parametrize("name", ["cad-chip-build", "document-preparation", "parallel-io-mpi"])
def test_the_same_log_without_paths_gives_the_same_tables(tmp_path: Path, name: str) -> None:
    [log] = texts(Path(str(TRACES)) / "strace" / f"{name}.strace.zst")
    plain = without_paths(log)
    assert len(plain) < 0.9 * len(log)
    (tmp_path / "log").write_bytes(log)
    (tmp_path / "plain").write_bytes(plain)
    known = tables(native.SyscallRun("strace", [tmp_path / "log"], [], "time", ([], None, ([], []))))
    # the paths of descriptors from before the trace are all that is taken
    inherited = [tuple(row.values()) for row in known["inherited_descriptor"].to_pylist()]
    store = ingest([tmp_path / "plain"], tmp_path / "plain.iotrace", format="strace")
    unknown = tables(native.SyscallRun.of_entries(entries(store), [], ([], None, ([], [])), inherited))  # type: ignore[arg-type]
    files = [
        set(map(tuple, (row.values() for row in run.pop("call_file").to_pylist())))
        for run in (unknown, known)
    ]
    assert files[0] <= files[1]  # a descriptor that nothing opened is known by its path alone
    assert unknown == {name: table for name, table in known.items() if name not in JUDGED}


def twins(folder: Path, name: str, other: str) -> tuple[Store, Store]:
    """Two runs of one script, of which the second was recorded without paths."""
    of = Path(str(TRACES)) / "strace"
    first, second = (
        ingest([of / f"{it}.strace.zst"], folder / f"{it}.iotrace", order="time") for it in (name, other)
    )
    return first, second


def rows(store: Store, query: str) -> Counter[tuple[Any, ...]]:
    return Counter(store.connect(views=[]).execute(query).fetchall())


@needs_traces
def test_another_run_without_paths_moves_the_same_bytes_at_the_same_offsets(tmp_path: Path) -> None:
    requests = """
        select path, type, operation, "offset", offset_source, length, requested
        from reference join file using (file)
        where type in ('executable', 'datafile') and operation in ('read', 'write') and path not like '/proc/%'
    """
    first, second = (rows(store, requests) for store in twins(tmp_path, "parallel-io", "parallel-io-plain"))
    assert first.total() > 240_000
    assert first == second


@needs_traces
def test_another_run_without_paths_has_the_same_files_and_programs(tmp_path: Path) -> None:
    # Names made of a process's number, or at random, differ from run to run, and so does how often TeX reads again.
    # Only the first log names descriptors from before the trace.
    # The second log was cut by -s to 32 characters, so that it shows fewer targets of symbolic links.
    files = r"""
        select regexp_replace(regexp_replace(path, '\d\d\d\d+', 'N'), '/(sed|groff)\w{6}$', '/\1X'),
            replace(kind, 'symlink', 'regular'), created, deleted
        from file where kind <> 'inode' and path not like 'fd:%'
            and path not in (select path from inherited_descriptor where fd >= 0)
    """
    programs = "select program, count(*) from process group by program"
    first, second = twins(tmp_path, "document-preparation", "document-preparation-t")
    assert rows(first, programs) == rows(second, programs)
    assert rows(first, files) == rows(second, files)
