"""The examples that record hour by hour: the script as it runs, the unit as systemd reads it, the DaemonSet's shape."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorders import needs_bpf

from iotrace.store import appended
from iotrace.store.store import read

HOURLY = Path(__file__).parents[2] / "packaging" / "hourly"
UNITS = ("iotrace-hourly.service", "iotrace-calls.service")
"""The units, in the order of the DaemonSet's containers."""


@contextlib.contextmanager
def running(words: list[str | Path], settings: dict[str, str]) -> Iterator[None]:
    """Run a script with these settings for a block, at whose end Ctrl-C comes."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **settings}
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE) as script:
        yield
        script.send_signal(signal.SIGINT)
        assert script.stderr is not None
        told = script.stderr.read().decode()
        assert script.wait() == 0, told


def record_hours(folder: Path) -> None:
    """Run the script with hours of a second for some of them, while something is written."""
    with running([HOURLY / "record-hours", folder], {"IOTRACE_HOUR": "1s"}):
        began, recording, until = time.time(), folder / "disks.partial", None
        while until is None or time.monotonic() < until:
            if until is None and recording.exists() and recording.stat().st_mtime > began:
                until = time.monotonic() + 8
            (folder / "written").write_bytes(os.urandom(1 << 16))
            descriptor = os.open(folder / "written", os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)


@pytest.mark.nightly
@needs_bpf
def test_hours_become_partitions(tmp_path: Path) -> None:
    """A recording that a killed script left is appended by the next."""
    record_hours(tmp_path)
    store = tmp_path / "disks.iotrace"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disks.iotrace", "written"]
    before = len(appended.entries(read(store)))
    assert before >= 2
    program = Path(sys.executable).with_name("iotrace")
    write = ["dd", "if=/dev/zero", f"of={tmp_path / 'written'}", "bs=64k", "count=1", "conv=fsync"]
    words = [program, "record", "--block", "-o", tmp_path / "left.iotrace", "--", *write]
    subprocess.run(words, check=True, capture_output=True)
    shutil.rmtree(tmp_path / "left.iotrace")
    (tmp_path / "left.iorec").rename(tmp_path / "disks.partial")
    record_hours(tmp_path)
    assert len(appended.entries(read(store))) > before + 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disks.iotrace", "written"]


def record_calls(folder: Path) -> None:
    """Run the script of calls with hours of a second, and all files, until there are two stores more."""
    before, until = len(list(folder.glob("calls/*.iotrace"))), time.monotonic() + 60
    settings = {"IOTRACE_HOUR": "1s", "IOTRACE_FILES": "50%"}
    with running(["/bin/sh", HOURLY / "record-calls", folder], settings):
        while len(list(folder.glob("calls/*.iotrace"))) < before + 2 and time.monotonic() < until:
            time.sleep(0.1)
            (folder / "written").write_bytes(b"x")


@pytest.mark.nightly
@needs_bpf
def test_hours_of_calls_become_stores(tmp_path: Path) -> None:
    """A recording that a killed script left becomes a store with the next."""
    record_calls(tmp_path)
    stores = list((tmp_path / "calls").iterdir())
    assert len(stores) >= 2
    assert all(read(store).manifest["seen"]["sampled_files_per_million"] == 500_000 for store in stores)
    program = Path(sys.executable).with_name("iotrace")
    words = [program, "record", "--backend", "bpf", "-o", tmp_path / "left.iotrace", "--", "ls"]
    subprocess.run(words, check=True, capture_output=True)
    shutil.rmtree(tmp_path / "left.iotrace")
    (tmp_path / "left.iorec").rename(tmp_path / "calls" / "calls.partial")
    record_calls(tmp_path)
    assert len(list(tmp_path.glob("calls/*-ended.iotrace"))) == 1
    assert not list(tmp_path.glob("calls/calls.partial*"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", UNITS)
def test_the_unit_is_one_of_systemd(unit: str) -> None:
    words = ["systemd-analyze", "verify", str(HOURLY / unit)]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_daemonset_mounts_and_selects_what_it_has() -> None:
    yaml = pytest.importorskip("yaml")
    described = yaml.safe_load((HOURLY / "daemonset.yaml").read_text())
    assert (described["apiVersion"], described["kind"]) == ("apps/v1", "DaemonSet")
    template = described["spec"]["template"]
    assert described["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
    containers = template["spec"]["containers"]
    assert len(containers) == len(UNITS)
    for container, unit in zip(containers, UNITS, strict=True):
        assert {mount["name"] for mount in container["volumeMounts"]} == {
            volume["name"] for volume in template["spec"]["volumes"]
        }
        text = (HOURLY / unit).read_text()
        assert " ".join(container["command"]) in text
        rights = text.partition("CapabilityBoundingSet=")[2].splitlines()[0].split()
        assert rights == [f"CAP_{right}" for right in container["securityContext"]["capabilities"]["add"]]
