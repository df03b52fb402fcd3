"""The examples that record hour by hour: the script as it runs, the unit as systemd reads it, the DaemonSet's shape."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from recorders import needs_bpf

from iotrace.store import appended
from iotrace.store.store import read

HOURLY = Path(__file__).parents[2] / "packaging" / "hourly"


def record_hour(folder: Path) -> None:
    """Run the script for a second, while something is written."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "IOTRACE_SECONDS": "1.5"}
    with subprocess.Popen(
        [HOURLY / "record-hour", folder], env=environment, stderr=subprocess.PIPE
    ) as script:
        while script.poll() is None:
            (folder / "written").write_bytes(os.urandom(1 << 16))
            descriptor = os.open(folder / "written", os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)
        assert script.stderr is not None
        assert script.returncode == 0, script.stderr.read().decode()


@pytest.mark.nightly
@needs_bpf
def test_hours_become_partitions(tmp_path: Path) -> None:
    """A recording that an interrupted script left is appended by the next."""
    record_hour(tmp_path)
    store = tmp_path / "disks.iotrace"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disks.iotrace", "written"]
    words = [
        Path(sys.executable).with_name("iotrace"),
        "record",
        "--block",
        "--seconds",
        "1",
        "-o",
        tmp_path / "left.iotrace",
    ]
    subprocess.run(words, check=True, capture_output=True)
    record_hour(tmp_path)
    listed = appended.entries(read(store))
    assert len(listed) == 3
    assert listed[1][appended.NAME] == "left"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["disks.iotrace", "written"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_the_unit_is_one_of_systemd() -> None:
    words = ["systemd-analyze", "verify", str(HOURLY / "iotrace-hourly.service")]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_daemonset_mounts_and_selects_what_it_has() -> None:
    yaml = pytest.importorskip("yaml")
    described = yaml.safe_load((HOURLY / "daemonset.yaml").read_text())
    assert (described["apiVersion"], described["kind"]) == ("apps/v1", "DaemonSet")
    template = described["spec"]["template"]
    assert described["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
    (container,) = template["spec"]["containers"]
    assert {mount["name"] for mount in container["volumeMounts"]} == {
        volume["name"] for volume in template["spec"]["volumes"]
    }
    unit = (HOURLY / "iotrace-hourly.service").read_text()
    assert " ".join(container["command"]) in unit
