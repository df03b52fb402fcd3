"""Three workloads in a memory cgroup: what the kernel reads is what is predicted, within the targets."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

from judge import Disk, NotHereError, judged, run
from page import inserts_error, page
from recorders import needs_bpf
from workloads import BY_NAME, compiled

from iotrace.store.store import read

pytestmark = [needs_bpf, pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system, makes a cgroup")]
WORST_PERCENT = 5
"""Of insertions given the peak of the page cache: a target of the project, for workloads without mapped files."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where that is a file system of its own."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    import tempfile

    with tempfile.TemporaryDirectory(dir=memory) as place:
        yield Path(place)


@pytest.mark.parametrize(("name", "limit_mb"), [("scan", 48), ("strided", 32), ("log appends", 48)])
def test_the_kernel_reads_what_is_predicted(name: str, limit_mb: int, folder: Path) -> None:
    workload = BY_NAME[name]
    try:
        disk, program = Disk(folder), compiled(folder)
        disk.prepare(workload, program)
        done = run(disk, workload, program, limit_mb, 128, folder / "run.iotrace")
        verdict = judged(read(folder / done.recording), done, workload)
    except (NotHereError, FileNotFoundError) as error:
        pytest.skip(str(error))
    if verdict.lost:
        pytest.skip(f"the recorder lost {verdict.lost} events")
    assert verdict.kernel_insertions > 0
    assert abs(inserts_error(verdict)) <= WORST_PERCENT, verdict
    assert verdict.optimum <= verdict.linux
    assert name in page([verdict], 1)
