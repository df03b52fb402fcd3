"""The cgroups of recorded processes, of processes that were put into known ones."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorders import needs_bpf

from iotrace.analysis.characterize import characterize
from iotrace.ingest import cgroups
from iotrace.store.store import read

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 60

pytestmark = needs_bpf


@pytest.fixture
def groups() -> Iterator[list[Path]]:
    """Two new cgroups of version 2, or of the controller of memory."""
    roots = sorted(cgroups.mounts(), key=lambda root: not root.is_v2)
    folders = [root.folder for root in roots if root.is_v2 or root.folder.name == "memory"]
    # a hierarchy of version 2 beside others has no controllers, and processes are in its root
    folders.sort(key=lambda folder: folder.name != "memory")
    if not folders:
        pytest.skip("there are no cgroups here")
    made = [folders[0] / f"iotrace-test-{os.getpid()}-{number}" for number in range(2)]
    try:
        for folder in made:
            folder.mkdir()
    except OSError:
        pytest.skip("no cgroup can be made here")
    yield made
    until = time.monotonic() + MOST_SECONDS
    for folder in made:
        while folder.exists():
            try:
                folder.rmdir()
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.05)


def test_processes_are_in_their_cgroups(tmp_path: Path, groups: list[Path]) -> None:
    # a shell moves itself, and what it starts then is in its cgroup; each lives long enough to be looked at
    script = f"""
    (echo 0 > {groups[0]}/cgroup.procs; sleep 0.5; exec sleep 0.5)
    (echo 0 > {groups[1]}/cgroup.procs; sleep 0.5; true)
    sleep 0.5; true
    """
    words = [PROGRAM, "record", "-o", tmp_path / "it.iotrace", "--", "sh", "-c", script]
    subprocess.run(words, check=True, capture_output=True, timeout=MOST_SECONDS)
    store = read(tmp_path / "it.iotrace")
    with store.queried() as connection:
        seen = connection.execute(
            "select cgroup::varchar from process join process_cgroup using (process) where program like '%/sleep'"
        ).fetchall()
        found = {
            row["cgroup"]: row for row in characterize(connection, ["by_cgroup"])["by_cgroup"].to_pylist()
        }
    named = [f"/{group.name}" for group in groups]
    sleeps = sorted(group for (group,) in seen)
    (own,) = set(sleeps) - set(named)
    assert sleeps == sorted([named[0], named[0], named[1], own])
    assert [found[group]["processes"] for group in named] == [2, 1]
    assert all(found[group]["calls"] > 0 for group in (*named, own))
