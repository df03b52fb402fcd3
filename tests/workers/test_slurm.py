"""The script for Slurm of docs/scale.md, run by Slurm on this machine; skipped where it is not installed."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.curves import Cache
from iotrace.analysis.curves.requests import Requests
from iotrace.ingest import pipeline

pytest.importorskip("distributed")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol")
SCALE = Path(__file__).parents[2] / "docs" / "scale.md"
SCRIPT = re.compile(r"```sh\n(#!/bin/bash\n#SBATCH.*?)```", re.DOTALL)
CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=16000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Start Slurm with one node, and give the variables with which its programs find it."""
    if os.geteuid() or not all(map(shutil.which, PROGRAMS)):
        pytest.skip("needs root and Slurm: apt-get install slurm-wlm munge")
    folder, host = tmp_path / "slurm", socket.gethostname().partition(".")[0]
    for name in ("state", "spool", "munge"):
        (folder / name).mkdir(parents=True, mode=0o700)
    key = folder / "munge" / "key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(host=host, folder=folder, ports=ports))
    environment = os.environ | {
        "SLURM_CONF": str(configuration),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "SCRATCH": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }
    of_munge = {"key-file": key, "socket": folder / "munge.sock", "pid-file": folder / "munged.pid"}
    of_munge |= {"log-file": folder / "munge" / "log", "seed-file": folder / "munge" / "seed"}
    try:
        subprocess.run(
            ["munged", "--force", *(f"--{name}={value}" for name, value in of_munge.items())], check=True
        )
        subprocess.run(["slurmctld"], env=environment, check=True)
        subprocess.run(["slurmd", "-N", host], env=environment, check=True)
        yield environment
    finally:
        for name in ("slurmd", "slurmctld", "munged"):
            with suppress(OSError, ValueError):
                os.kill(int((folder / f"{name}.pid").read_text()), signal.SIGTERM)


@pytest.mark.nightly
def test_the_documented_script_gives_the_curve_of_one_process(slurm: dict[str, str], tmp_path: Path) -> None:
    """On one node, with two workers and less memory, and on the workers whichever way is cheaper."""
    trace = tmp_path / "disk.csv"
    trace.write_text(
        "".join(
            f"{128166372003061629 + 10_000 * place},host,0,Read,{place * 7919 % 500 * 4096},4096,1000\n"
            for place in range(3_000)
        )
    )
    store = pipeline.ingest([trace], tmp_path / "disk.iotrace")
    (script,) = SCRIPT.findall(SCALE.read_text("utf-8"))
    for documented, here in (
        (
            "--nodes=8 --ntasks-per-node=16 --cpus-per-task=1 --mem-per-cpu=8G",
            "--nodes=1 --ntasks-per-node=2",
        ),
        ("--memory-limit 7.5GiB", "--memory-limit 1GiB"),
        ("--wait-for-workers 100", "--wait-for-workers 2 --force-workers"),
    ):
        assert documented in script
        script = script.replace(documented, here)
    job = tmp_path / "job.sh"
    job.write_text(script)
    submitted = subprocess.Popen(["sbatch", "--wait", "--output=job.out", job], cwd=tmp_path, env=slurm)
    host = socket.gethostname().partition(".")[0]
    while submitted.poll() is None:  # a node whose cores are fewer than stated is drained at first
        subprocess.run(
            ["scontrol", "update", f"nodename={host}", "state=resume"],
            env=slurm,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        time.sleep(1)
    assert submitted.returncode == 0, (tmp_path / "job.out").read_text()
    rows = [line.split(",") for line in (tmp_path / "curve.csv").read_text().splitlines()]
    expected = Requests(store, BlockBudget(1 << 20, 4096, "")).curves(Cache()).table([1 << 30])
    misses = rows[0].index("block_misses")
    assert int(rows[2][misses]) == expected["block_misses"][0].as_py()
