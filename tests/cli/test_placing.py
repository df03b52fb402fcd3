"""Wherever a signal comes while something is written, there is the old or the new afterwards, and nothing else."""

import contextlib
import errno
import fcntl
import gc
import itertools
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from iotrace import files
from iotrace.errors import UsageError
from iotrace.files import locks, renaming
from iotrace.store import store, writer

WATCHED = (
    locks.__file__,
    files.__file__,
    renaming.__file__,
    store.__file__,
    contextlib.__file__,
    shutil.__file__,
)
Writing = Callable[[Path], None]


def write_file(output: Path) -> None:
    with files.atomic_write(output) as partial:
        partial.write_text("new")


def write_store(output: Path) -> None:
    with writer.writing(output, replace=True) as folder:
        (folder / "manifest.json").write_text(json.dumps({"store_version": 1, "name": "new"}))


def old_file(output: Path) -> None:
    output.write_text("old")


def old_store(output: Path) -> None:
    output.mkdir()
    (output / "manifest.json").write_text(json.dumps({"store_version": 1, "name": "old"}))


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def _collects_only_what_is_new() -> Iterator[None]:
    """Keep the collector of garbage from what was there before the test, which takes it a tenth of a second."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_at(line: int, write: Writing, output: Path) -> bool:
    """Write, with SIGINT before executed line number `line`; return whether the signal was sent."""
    lines = itertools.count()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in WATCHED:
            return None
        if event == "line" and next(lines) == line:
            signal.raise_signal(signal.SIGINT)
        return trace

    try:
        sys.settrace(trace)
        write(output)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
    return False


@pytest.mark.usefixtures("_collects_only_what_is_new")
@pytest.mark.parametrize("before", ["nothing", "old"])
@pytest.mark.parametrize(("write", "make_old"), [(write_file, old_file), (write_store, old_store)])
def test_a_signal_at_any_line_leaves_the_old_or_the_new(
    tmp_path: Path, write: Writing, make_old: Writing, before: str
) -> None:
    for made in ("first", "then"):
        (tmp_path / made).mkdir()
    if before == "old":
        make_old(tmp_path / "first" / "output")
    first = contents(tmp_path / "first")
    write(tmp_path / "then" / "output")
    then = contents(tmp_path / "then")
    seen = []
    for line in itertools.count():
        folder = tmp_path / str(line)
        shutil.copytree(tmp_path / "first", folder)
        was_interrupted = interrupted_at(line, write, folder / "output")
        gc.collect()
        left = contents(folder)
        assert left in (first, then), line
        assert [path.name for path in folder.iterdir()] in ([], ["output"]), line
        seen.append(left == then)
        if not was_interrupted:
            break
    assert seen[-1] and not seen[0] and len(seen) > 20


def test_what_exists_is_replaced_only_when_asked(tmp_path: Path) -> None:
    output = tmp_path / "output"
    with pytest.raises(FileExistsError), files.atomic_write(output, replace=False) as partial:
        partial.write_text("new")
        output.write_text("of another process")
    assert contents(tmp_path) == {"output": "of another process"}


def test_one_of_two_stores_that_are_written_at_once_is_refused(tmp_path: Path) -> None:
    output = tmp_path / "output"
    with pytest.raises(UsageError, match="written by another process"), writer.writing(output) as folder:
        (folder / "manifest.json").write_text("first")
        with writer.writing(output) as other:
            (other / "manifest.json").write_text("other")
    assert contents(tmp_path) == {"output/manifest.json": "other"}


@pytest.mark.parametrize(("write", "make_old"), [(write_file, old_file), (write_store, old_store)])
@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK])
def test_without_locks_files_are_written_and_what_ended_processes_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Writing, make_old: Writing, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, "no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with subprocess.Popen(["true"]) as process:
        ended = locks.owner().replace(str(os.getpid()), str(process.pid), 1)
    output = tmp_path / "output"
    make_old(output)
    left = [tmp_path / f".output.partial-{ended}abc", tmp_path / f".output.partial-{locks.owner()}abc"]
    elsewhere = [tmp_path / f".output.partial-1.elsewhere.0123456789ab-{name}" for name in ("new", "old")]
    for path in (*left, *elsewhere):
        path.mkdir()
        (path / "inside").touch()
    for path in (elsewhere[1], elsewhere[1] / "inside"):
        os.utime(path, (0, 0))
    write(output)
    assert "new" in "".join(contents(tmp_path).values())
    assert {path.name for path in tmp_path.iterdir()} == {"output", left[1].name, elsewhere[0].name}


def no_locks(*_: object) -> None:
    raise OSError(errno.ENOSYS, "no locks here")


def locks_of_one_host(*_: object) -> None:
    """Grant what another host has locked, as ``-o localflock`` does."""


@pytest.mark.parametrize("flock", [no_locks, locks_of_one_host])
def test_what_a_host_with_a_like_name_writes_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flock: Callable[..., None]
) -> None:
    monkeypatch.setattr(fcntl, "flock", flock)
    with subprocess.Popen(["true"]) as process:
        pass  # nothing on this host has its number then
    name = f"gke-prod-cluster-default-pool-node-{'A' * 24}"
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    theirs = tmp_path / f".output.partial-{locks.owner().replace(str(os.getpid()), str(process.pid), 1)}abc"
    theirs.mkdir()
    (theirs / "inside").touch()
    monkeypatch.setattr(socket, "gethostname", lambda: f"{name[:-1]}B")
    write_file(tmp_path / "output")
    assert contents(tmp_path) == {"output": "new", f"{theirs.name}/inside": ""}
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    write_file(tmp_path / "output")
    assert contents(tmp_path) == {"output": "new"}


@pytest.mark.parametrize("is_supported", [True, False])
def test_names_are_exchanged_or_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_supported: bool
) -> None:
    if not is_supported:
        monkeypatch.setattr(renaming, "_renameat2", lambda *_: False)
    output = tmp_path / "output"
    write_store(output)
    write_store(output)
    assert list(contents(tmp_path)) == ["output/manifest.json"]
    # a process that is killed between the two renames of a file system without an exchange
    output.rename(tmp_path / ".output.replaced-1.elsewhere.0123456789ab-abc")
    with pytest.raises(UsageError, match="exists"), writer.writing(output):
        pass
    assert list(contents(tmp_path)) == ["output/manifest.json"]


def test_links_that_lead_to_files_stay_and_others_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    write_file(tmp_path / "link")
    write_file(tmp_path / "dangling")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~files.umask()
    assert not (tmp_path / "dangling").is_symlink()
    assert contents(tmp_path) == dict.fromkeys(("file", "link", "dangling"), "new")


def test_what_a_killed_writer_left_is_removed_by_the_next_and_no_other(tmp_path: Path) -> None:
    code = "import sys, pathlib, os; from iotrace import files; from iotrace.files import temporary\n"
    code += "with temporary.temporary_folder(), files.atomic_write(pathlib.Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    words = [sys.executable, "-P", "-c", code, str(tmp_path / "output")]
    subprocess.run(words, env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    assert len(list(tmp_path.iterdir())) == 2
    theirs = ["iotrace-of-the-user", ".output.partial-of-the-user", f"{files.TEMPORARY_PREFIX}of-the-user"]
    for name in theirs:
        (tmp_path / name).mkdir()
    with files.atomic_write(tmp_path / "output") as partial:
        write_file(tmp_path / "output")
        assert partial.exists()
    with files.partial_folder(tmp_path, files.TEMPORARY_PREFIX):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*theirs, "output"])
