"""Workers whose iotrace has the same version and other code are refused, when the work begins and when they join."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from iotrace.errors import IotraceError
from iotrace.ingest import pipeline
from iotrace.workers.build import NOT_INSTALLED, SameBuild, package_hash

distributed = pytest.importorskip("distributed")
ANSWER_S = 60


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of iotrace."""
    package = tmp_path / "copy" / "iotrace"
    ignored = shutil.ignore_patterns(*NOT_INSTALLED, "*.lib")
    shutil.copytree(Path(str(files("iotrace"))), package, ignore=ignored)
    for name in ("queries", "schemas", "reports"):
        shutil.copytree(
            Path(str(files(f"iotrace.{name}"))), package / name, ignore=ignored, dirs_exist_ok=True
        )
    return package.parent


@pytest.fixture
def scheduler(copy: Path, is_altered: bool, tmp_path: Path) -> Iterator[Path]:
    """The file of a scheduler with one worker, which has the copy."""
    if is_altered:
        with (copy / "iotrace" / "units.py").open("a") as code:
            code.write("\n\nALTERED = True\n")
    place = tmp_path / "scheduler.json"
    words = ["--scheduler-file", str(place), "--no-dashboard"]
    with (tmp_path / "log").open("w") as log:
        running = [
            subprocess.Popen([*_script("scheduler"), *words, "--port", "0"], stdout=log, stderr=log),
            subprocess.Popen(
                [*_script("worker"), *words, "--nthreads", "1", "--no-nanny"],
                stdout=log,
                stderr=log,
                env={**os.environ, "PYTHONPATH": str(copy)},
                cwd=tmp_path,
            ),
        ]
    until = time.monotonic() + ANSWER_S
    while not place.exists() and time.monotonic() < until:
        time.sleep(0.1)
    yield place
    for one in running:
        one.terminate()
        one.wait()


def _script(name: str) -> list[str]:
    return [sys.executable, "-P", "-c", f"from distributed.cli.dask_{name} import main; main()"]


@pytest.mark.parametrize("is_altered", [False, True])
def test_a_worker_with_other_code_is_refused(scheduler: Path, is_altered: bool, tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{128166372003061629 + n},host,0,Read,{n * 4096},4096,1\n" for n in range(9)))
    pipeline.ingest([trace], tmp_path / "t.iotrace")
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "iotrace",
            "curve",
            "t.iotrace",
            "--sizes",
            "1M",
            "--workers",
            scheduler,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=ANSWER_S * 2,
        check=False,
    )
    if not is_altered:
        assert done.returncode == 0 and done.stdout, done.stderr
        return
    assert (done.returncode, done.stdout) == (1, "")
    assert "has another build of iotrace" in done.stderr and "install the same wheel" in done.stderr


def test_a_worker_that_joins_later_is_refused() -> None:
    assert SameBuild(max, package_hash())(3, 5) == 5
    with pytest.raises(IotraceError, match="has another build of iotrace"):
        SameBuild(max, "another")(3, 5)
