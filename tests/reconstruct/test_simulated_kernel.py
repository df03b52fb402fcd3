"""The file table against a kernel that is simulated: the tables of the log match the kernel's actions."""

import tempfile
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import given, note
from hypothesis import strategies as st
from kernel import Inode
from property_tests import examples
from session import Session

from iotrace.engine import native
from iotrace.ingest.rebase import Rebase, rebased


def tables(log: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables of a log."""
    with tempfile.NamedTemporaryFile("w") as trace:
        trace.write(log)
        trace.flush()
        run = native.SyscallRun("strace", [trace.name], [], "time", ([], None, ([], [])))
        batches: dict[str, list[pa.RecordBatch]] = {}
        while (step := run.next()) is not None:
            for name, batch in step:
                batches.setdefault(name, []).append(batch)
        report = run.report()
        assert report["skipped"] == {}
        rebases = [Rebase(*one) for one in report["rebases"]]
        batches["reference"] = [rebased(batch, rebases) for batch in batches["reference"]]
        return {name: pa.Table.from_batches(found).to_pylist() for name, found in batches.items()}


@examples(300)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80))
def test_transfers_files_and_sizes_are_the_kernels(seed: int, steps: int) -> None:
    """The number of steps shrinks, the choices of a seed do not, for they would take minutes to."""
    session = Session(Random(seed))
    for _ in range(steps):
        session.step()
    session.read_all()
    log = "".join(session.lines)
    note(log)
    rows = tables(log)
    check_transfers(session, rows["reference"])
    check_files(session, rows["reference"], rows["file"])


def moved(references: list[dict[str, Any]]) -> dict[tuple[int, str], dict[str, Any]]:
    """The references that are reads and writes of data, by time and direction."""
    return {
        (row["time_ns"], row["operation"]): row
        for row in references
        if row["type"] == "datafile" and row["operation"] in ("read", "write")
    }


def check_transfers(session: Session, references: list[dict[str, Any]]) -> None:
    ours, truths = moved(references), session.transfers
    starts: dict[str, int] = {}
    assert ours.keys() == truths.keys()
    for key, truth in truths.items():
        row = ours[key]
        assert row["length"] == truth.length
        start = 0
        if row["offset_source"] == "relative":
            assert not truth.revealed, (key, row)
            start = starts.setdefault(row["file"], truth.offset - row["offset"])
        assert start + row["offset"] == truth.offset, (key, truth.offset, row)
        assert row["file_size"] in (truth.size, None), (key, truth.size, row)


def check_files(session: Session, references: list[dict[str, Any]], files: list[dict[str, Any]]) -> None:
    ours = moved(references)
    inode_of: dict[int, Inode] = {}
    file_of: dict[Inode, int] = {}
    for key, truth in session.transfers.items():
        file = ours[key]["file"]
        assert inode_of.setdefault(file, truth.inode) is truth.inode, (key, files[file])
        if ours[key]["offset_source"] != "relative":
            assert file_of.setdefault(truth.inode, file) == file, (key, files[file])
    names: dict[Inode, set[str]] = {}
    for path, inode in session.kernel.names():
        names.setdefault(inode, set()).add(path)
    for file, inode in inode_of.items():
        row = files[file]
        assert row["size_last_bytes"] == inode.size or (
            row["size_last_bytes"] is None and not inode.revealed
        ), row
        assert inode.created <= row["created"] <= (inode.cut or not inode.old), row
        assert inode.adrift or row["deleted"] == (inode.links == 0 and inode.opens == 0), row
        assert inode not in names or row["path_last"] in names[inode], (names[inode], row)
