"""Wherever a signal comes while something is written, there is the old or the new afterwards, and nothing else."""

from __future__ import annotations

import contextlib
import gc
import itertools
import json
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from iotrace import placing, store

WATCHED = (placing.__file__, store.__file__, contextlib.__file__, shutil.__file__)
Writing = Callable[[Path], None]


def write_file(output: Path) -> None:
    with placing.placed(output) as partial:
        partial.write_text("new")


def write_store(output: Path) -> None:
    with store.writing(output, replace=True) as folder:
        (folder / "manifest.json").write_text(json.dumps({"name": "new"}))


def old_file(output: Path) -> None:
    output.write_text("old")


def old_store(output: Path) -> None:
    output.mkdir()
    (output / "manifest.json").write_text(json.dumps({"name": "old"}))


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_at(line: int, write: Writing, output: Path) -> bool:
    """Write, with a signal before the line that is so many after the first; tell whether there was one."""
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
