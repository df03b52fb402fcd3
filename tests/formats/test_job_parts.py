"""Logs of many jobs, read in parts: the same store in every way, and no log read twice after a kill."""

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from darshan_logs import log, one_of_each
from local_cluster import Started, cluster

from iotrace.formats.darshan import DarshanSource
from iotrace.ingest import job_parts
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store
from iotrace.workers import WorkerSpec

LOGS = 7


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Logs of all modules, one cut short, one that is none, one partial; files have the same names in several."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(LOGS):
        chance = random.Random(number)
        names = {1: b"/scratch/a", 2: b"/scratch/%d" % (number % 3), 3: b"/home/%d" % number}
        partial = ["POSIX"] if number == 4 else []
        content = log(one_of_each("<", chance), job_id=number, names=names, partial=partial)
        content = content[:-40] if number == 3 else content[:100] if number == 5 else content
        (folder / f"{number}.darshan").write_bytes(content)
    return folder


def counted(logs: Path, output: Path, workers: Any = None, said: list[str] | None = None) -> Store:
    say = (lambda sentence: None) if said is None else said.append
    return ingest([logs], output, format="darshan-jobs", worker_spec=workers, say=say)


@pytest.fixture
def whole(logs: Path, tmp_path: Path) -> Store:
    """The store of logs that are read as one part."""
    return counted(logs, tmp_path / "whole.iotrace")


def same(found: Store, expected: Store) -> None:
    for name in (*expected.tables,):
        assert found.arrow(name).to_pylist() == expected.arrow(name).to_pylist(), name
    for key in ("warnings", "damage", "counts"):
        assert found.manifest[key] == expected.manifest[key], key


@pytest.mark.parametrize("part_logs", [1, 2, 3])
def test_parts_give_the_store_of_all_logs(
    logs: Path, whole: Store, tmp_path: Path, part_logs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_parts, "PART_LOGS", part_logs)
    output = tmp_path / "parts.iotrace"
    same(counted(logs, output), whole)
    assert not job_parts.parts_place(output).exists()
    threads = tmp_path / "threads.iotrace"
    same(counted(logs, threads, WorkerSpec(threads=2)), whole)


def test_a_part_ends_with_the_log_that_reaches_its_bytes(
    logs: Path, whole: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_parts, "PART_BYTES", 1)
    same(counted(logs, tmp_path / "parts.iotrace"), whole)


def test_after_a_kill_no_log_of_a_kept_part_is_read_again(
    logs: Path, whole: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_parts, "PART_LOGS", 2)
    output = tmp_path / "parts.iotrace"
    read: list[str] = []
    read_next = DarshanSource.read_next

    def counting(source: DarshanSource) -> Any:
        read.extend(path.name for path in source.paths if path.name not in read)
        if "4.darshan" in read and dies:
            raise KeyboardInterrupt
        return read_next(source)

    monkeypatch.setattr(DarshanSource, "read_next", counting)
    dies = True
    with pytest.raises(KeyboardInterrupt):
        counted(logs, output)
    assert not output.exists() and len(read) == 6
    kept = job_parts.parts_place(output)
    assert len([part for part in kept.iterdir() if "-" not in part.name]) == 2
    assert kept.stat().st_mode & 0o077 == 0
    dies = False
    read.clear()
    said: list[str] = []
    same(counted(logs, output, said=said), whole)
    assert read == ["4.darshan", "5.darshan", "6.darshan"]
    assert said == [f"4 of 7 logs were read before, and are in {kept}"]
    assert not kept.exists()


def test_changed_logs_and_damaged_parts_are_read_again(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_parts, "PART_LOGS", 2)
    output = tmp_path / "parts.iotrace"
    kept = job_parts.parts_place(output)
    with monkeypatch.context() as keeping:
        keeping.setattr(shutil, "rmtree", lambda *arguments, **options: None)
        counted(logs, output)
    first, second, *others = sorted(kept.iterdir())
    (first / "darshan_counter").write_bytes((first / "darshan_counter").read_bytes()[:-100])
    (second / job_parts.ABOUT).write_text('{"jobs": [')
    changed = logs / "6.darshan"
    changed.write_bytes(log(one_of_each("<", random.Random(99)), job_id=66))
    os.utime(changed, ns=(0, 0))
    again = ingest([logs], output, format="darshan-jobs", replace=True)
    same(again, counted(logs, tmp_path / "fresh.iotrace"))
    assert 66 in again.arrow("darshan_job")["job_id"].to_pylist() and others


@pytest.mark.nightly
def test_a_dask_cluster_gives_the_same_rows(
    logs: Path, whole: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_parts, "PART_LOGS", 2)
    with cluster(tmp_path / "dask") as client:
        same(counted(logs, tmp_path / "parts.iotrace", Started(client)), whole)
