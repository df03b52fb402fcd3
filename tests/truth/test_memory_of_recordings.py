"""``iotrace memory`` of one workload recorded in two ways: the answers are the same."""

import os
from pathlib import Path

import pytest
from program import Run
from recorders import needs_bpf, needs_strace

MEGABYTE = 1 << 20
LIMITS = ("2M", "4M", "8M", "64M")
WORK = """
dd if=data of=/dev/null bs=64k
dd if=data of=/dev/null bs=4k skip=512 count=300
dd if=data of=copy bs=128k count=20 conv=fsync
dd if=copy of=/dev/null bs=16k
tail -c 3000000 data >/dev/null
dd if=data of=data bs=4k seek=100 skip=900 count=200 conv=notrunc
truncate -s 1M copy
cat copy data >/dev/null
rm copy
"""
"""Scans, a seek, writes, a sync, a truncation and a deletion."""


@needs_bpf
@needs_strace
@pytest.mark.skipif(os.geteuid() != 0, reason="BPF programs need privileges")
def test_a_log_of_strace_and_a_recording_give_the_same_answer(run: Run, tmp_path: Path) -> None:
    answers = {}
    for backend in ("strace", "bpf"):
        folder = tmp_path / backend
        folder.mkdir()
        (folder / "data").write_bytes(os.urandom(6 * MEGABYTE))
        place = tmp_path / f"{backend}.iotrace"
        words = ("record", "--backend", backend, "--as-root", "-o", place, "--", "sh", "-c", WORK)
        done = run(*words, folder=folder)
        assert done.returncode == 0, done.stderr
        said = run("memory", place, "--limits", ",".join(LIMITS), "--format", "csv")
        assert said.returncode == 0, said.stderr
        answers[backend] = said.stdout.decode().splitlines()
    assert len(answers["bpf"]) == 1 + len(LIMITS)
    assert answers["strace"] == answers["bpf"]
