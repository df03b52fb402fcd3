"""Recordings under sudo are the caller's, and so is the command."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from recorders import SUFFIXES, on_both_backends

import iotrace

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 60
READABLE = """
set -e
mount --make-rprivate /
mount --bind "$1" "$3"
mount -t tmpfs -o mode=755 none "$2"
mkdir -p "$1"
mount --bind "$3" "$1"
shift 3
exec "$@"
"""
"""Makes a folder readable to all, without what else is in the closed folder around it."""
USER = "nobody"


def closed(folder: Path) -> Path | None:
    """The outermost folder around another that only its owner may search."""
    return next((above for above in reversed(folder.parents) if not above.stat().st_mode & 1), None)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in which all may write."""
    if os.geteuid() != 0:
        pytest.skip("sudo's program runs as root")
    made = Path(tempfile.mkdtemp(prefix="iotrace-test-"))
    made.chmod(0o777)
    yield made
    shutil.rmtree(made)


def words_for_all(folder: Path) -> list[str]:
    """The beginning of a command line in which all can read Python."""
    python = Path(sys.base_prefix)
    around = closed(python)
    if closed(Path(iotrace.__file__)) is not None:
        pytest.skip("iotrace is where only root can read it")
    if around is None:
        return []
    (folder / "python").mkdir()
    words = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        READABLE,
        "sh",
        str(python),
        str(around),
        str(folder / "python"),
    ]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("only root can read Python")
    return words


def record(
    folder: Path, *words: str, before: tuple[str, ...] | list[str] = (), user: str = USER, status: int = 0
) -> subprocess.CompletedProcess[bytes]:
    """Record as sudo would let the user."""
    entry = pwd.getpwnam(user)
    sudo = {"SUDO_UID": str(entry.pw_uid), "SUDO_GID": str(entry.pw_gid), "SUDO_USER": user}
    line = [*before, PROGRAM, "record", "-o", str(folder / "it.iotrace"), *words]
    done = subprocess.run(
        line, cwd=folder, env={**os.environ, **sudo}, capture_output=True, check=False, timeout=MOST_SECONDS
    )
    assert done.returncode == status and b"Traceback" not in done.stderr, done.stderr.decode()
    return done


@on_both_backends
def test_command_recording_and_store_are_the_callers(folder: Path, backend: str) -> None:
    nobody = pwd.getpwnam(USER)
    script = (
        "grep -E '^(Uid|Gid|Groups|CapEff|CapPrm):' /proc/self/status; echo $HOME $USER $LOGNAME;"
        " echo $PATH; echo >made; exit 7"
    )
    done = record(
        folder, "--backend", backend, "--", "sh", "-c", script, before=words_for_all(folder), status=7
    )
    user, group = 4 * [str(nobody.pw_uid)], 4 * [str(nobody.pw_gid)]
    groups = sorted(map(str, os.getgrouplist(USER, nobody.pw_gid)))
    lines = [line.split() for line in done.stdout.decode().splitlines()]
    assert lines[:2] == [["Uid:", *user], ["Gid:", *group]]
    assert sorted(lines[2][1:]) == groups
    assert all(int(number, 16) == 0 for _, number in lines[3:5])
    assert lines[5:] == [[nobody.pw_dir, USER, USER], [os.environ["PATH"]]]
    store = folder / "it.iotrace"
    recording = store.with_name(f"it{SUFFIXES[backend]}")
    for path in (folder / "made", recording, store, *store.rglob("*")):
        status = path.stat()
        assert (status.st_uid, status.st_gid) == (nobody.pw_uid, nobody.pw_gid), path
    assert recording.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in folder.iterdir()} - {"python"} == {"made", "it.iotrace", recording.name}


@on_both_backends
def test_a_process_of_another_user_is_recorded_with_the_rights_of_root(folder: Path, backend: str) -> None:
    loop = "while :; do read line </etc/hostname; sleep 0.05; done"
    with subprocess.Popen(["sh", "-c", loop]) as process:
        try:
            before = words_for_all(folder)
            options = ("--backend", backend, "-p", str(process.pid), "--seconds", "1")
            record(folder, *options, before=before)
        finally:
            process.kill()
    assert (folder / "it.iotrace").stat().st_uid == pwd.getpwnam(USER).pw_uid


@on_both_backends
def test_as_root_changes_nothing(folder: Path, backend: str) -> None:
    done = record(folder, "--as-root", "--backend", backend, "--", "sh", "-c", "id -u; echo $HOME")
    assert done.stdout.decode().split() == ["0", os.environ.get("HOME", "")]
    assert (folder / "it.iotrace").stat().st_uid == 0


def test_a_caller_who_cannot_read_iotrace_or_is_not_there_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if closed(Path(sys.base_prefix)) is not None:
        assert b"nobody cannot read iotrace" in record(folder, "--", "true", status=2).stderr
    monkeypatch.setenv("SUDO_UID", "4000000000")
    done = subprocess.run([PROGRAM, "record", "--", "true"], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 2 and b"is no user here" in done.stderr
