"""A raw trace's store is kept, and not used for another content of the trace."""

import contextlib
import errno
import fcntl
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from program import LOG, Run, refused

import iotrace
from iotrace.store import kept, location


def calls(trace: Path) -> int:
    return int(iotrace.open(trace).manifest["counts"]["calls"])


def test_other_content_of_the_same_size_and_time_is_read_anew(tmp_path: Path) -> None:
    trace = tmp_path / "a.strace"
    text = LOG.read_bytes()
    trace.write_bytes(text)
    times = (trace.stat().st_atime_ns, trace.stat().st_mtime_ns)
    whole = calls(trace)
    first = text.index(b"\n")
    trace.write_bytes(b"#" * first + text[first:])
    os.utime(trace, ns=times)
    assert calls(trace) == whole - 1


@pytest.mark.parametrize("place", [0, -1])
def test_the_first_and_last_block_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    trace = tmp_path / "trace"
    content = bytearray(3 * location.FINGERPRINT_BYTES)
    trace.write_bytes(content)
    status = trace.stat()
    monkeypatch.setattr(Path, "stat", lambda *_, **__: status)
    before = location.fingerprint([trace], {})
    assert location.fingerprint([trace], {}) == before
    content[place] = 1
    trace.write_bytes(content)
    assert location.fingerprint([trace], {}) != before


def test_another_file_with_the_same_bytes_is_read_anew(tmp_path: Path) -> None:
    trace = tmp_path / "a.strace"
    shutil.copyfile(LOG, trace)
    before = location.fingerprint([trace], {})
    shutil.copy2(trace, tmp_path / "copy")
    (tmp_path / "copy").replace(trace)
    assert location.fingerprint([trace], {}) != before


@pytest.mark.parametrize("inner", ["_text", "_parquet"])
def test_converted_files_in_a_folder_count(tmp_path: Path, inner: str) -> None:
    trace = tmp_path / "recorder" / inner / "0.txt"
    trace.parent.mkdir(parents=True)
    trace.write_text("0.1 0.2 read")
    (tmp_path / "recorder" / "0.itf").write_text("binary")
    first = location.fingerprint([tmp_path / "recorder"], {})
    trace.write_text("0.1 0.2 writ")
    second = location.fingerprint([tmp_path / "recorder"], {})
    (tmp_path / "recorder" / "0.itf").write_text("BINARY")
    third = location.fingerprint([tmp_path / "recorder"], {})
    assert first != second != third
    assert location.fingerprint([tmp_path / "recorder"], {}) == third


def test_where_no_folder_can_be_written_a_store_lasts_as_long_as_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("info", shutil.copyfile(LOG, tmp_path / "a.strace"), "--model", "1994", "--format", "json")
    usual = json.loads(Run(tmp_path / "cache")(*words).stdout)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    done = Run(Path("/dev/null/cache"))(*words)
    assert done.returncode == 0
    assert b"is removed when the command ends, since /dev/null/cache/iotrace cannot be used" in done.stderr
    assert b"iotrace ingest " in done.stderr
    assert usual.pop("kept_as") and json.loads(done.stdout) == usual
    assert list((tmp_path / "temporary").iterdir()) == []


def entries(run: Run) -> dict[str, Path]:
    """Return the stores in the cache, by the names of their traces."""
    return {place.name.removesuffix(".iotrace"): place for place in run.cache.glob("iotrace/*/*.iotrace")}


@pytest.fixture
def own(tmp_path: Path) -> Run:
    """The program, with a cache that is empty at first."""
    return Run(tmp_path / "cache")


def sized(run: Run, size: str) -> Run:
    """Return the program with a limit to its cache."""

    class Limited(Run):
        @property
        def environment(self) -> dict[str, str]:
            return {**super().environment, "IOTRACE_CACHE_SIZE": size}

    return Limited(run.cache)


def traces(folder: Path, names: str) -> list[Path]:
    return [Path(shutil.copyfile(LOG, folder / name)) for name in names]


def store_bytes(run: Run) -> int:
    return max(
        sum(member.lstat().st_size for member in [*place.parent.rglob("*")])
        for place in entries(run).values()
    )


def test_the_store_of_a_raw_trace_is_in_the_cache_and_private_to_the_user(own: Run, tmp_path: Path) -> None:
    (trace,) = traces(tmp_path, "a")
    own("info", trace)
    place = entries(own)["a"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "cache"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in (place.parent, place.parent.parent)] == [0o700] * 2


def test_a_model_of_a_store_is_in_the_cache_too(own: Run, tmp_path: Path) -> None:
    (trace,) = traces(tmp_path, "a")
    own("ingest", trace)
    before = sorted(tmp_path.rglob("*"))
    assert own("info", tmp_path / "a.iotrace", "--model", "1994").returncode == 0
    assert [path for path in sorted(tmp_path.rglob("*")) if not path.is_relative_to(own.cache)] == before
    assert list(entries(own)) == ["a.iotrace"]


def test_those_used_longest_ago_go_first_and_none_in_use(own: Run, tmp_path: Path) -> None:
    a, b, c, d = traces(tmp_path, "abcd")
    for trace in (a, b, c):
        own("info", trace)
    own("info", a)  # the store that was made first is used last
    limited = sized(own, str(round(store_bytes(own) * 3.5)))
    assert limited("info", d).returncode == 0
    assert sorted(entries(own)) == ["a", "c", "d"]
    with _used(entries(own)["c"].parent):
        limited("info", b)
    assert sorted(entries(own)) == ["b", "c", "d"]


@contextlib.contextmanager
def _used(entry: Path) -> Iterator[None]:
    """Use a store, as a process does that has it open."""
    descriptor = os.open(entry, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    yield
    os.close(descriptor)


def test_a_process_holds_the_stores_that_it_opened(own: Run, tmp_path: Path) -> None:
    a, b = traces(tmp_path, "ab")
    code = "import sys, iotrace; frame = iotrace.open(sys.argv[1]).polars('file'); print(flush=True);"
    code += "sys.stdin.readline(); print(frame.collect().height)"
    words = [sys.executable, "-P", "-c", code, str(a)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=own.environment, stdin=pipe, stdout=pipe) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        assert sized(own, "1K")("info", b).returncode == 0
        assert sorted(entries(own)) == ["a"]
        assert reader.communicate(b"\n")[0].strip().isdigit()
    sized(own, "1K")("info", b)
    assert not entries(own)


def test_a_store_larger_than_the_cache_is_used_and_not_kept(own: Run, tmp_path: Path) -> None:
    (trace,) = traces(tmp_path, "a")
    for size, why in (("1K", b"more than the cache may have"), ("0", b"since IOTRACE_CACHE_SIZE is 0")):
        done = sized(own, size)("info", trace)
        assert done.returncode == 0 and why in done.stderr and not entries(own)


def test_a_limit_that_is_no_size_is_refused(own: Run, tmp_path: Path) -> None:
    (trace,) = traces(tmp_path, "a")
    assert "IOTRACE_CACHE_SIZE: 'much' is not a size" in refused(sized(own, "much")("info", trace), code=2)


def test_a_tenth_of_the_space_that_is_free_without_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("IOTRACE_CACHE_SIZE", raising=False)
    free = SimpleNamespace(f_bavail=90, f_frsize=1000)
    monkeypatch.setattr(os, "statvfs", lambda _: free)
    assert kept.limit_bytes(tmp_path, 10_000) == 10_000
    free.f_bavail = 10**9
    assert kept.limit_bytes(tmp_path, 0) == 10 * 10**9


def test_the_store_of_a_trace_as_it_was_is_removed(own: Run, tmp_path: Path) -> None:
    (trace,) = traces(tmp_path, "a")
    own("info", trace)
    before = entries(own)["a"]
    trace.write_bytes(LOG.read_bytes() + b"#\n")
    own("info", trace)
    assert entries(own)["a"] != before and not before.exists()


def test_what_is_not_the_caches_own_survives_in_its_folder(own: Run, tmp_path: Path) -> None:
    a, b = traces(tmp_path, "ab")
    own("info", a)
    (entries(own)["a"] / "notes.txt").write_text("mine")
    home = own.cache / "iotrace"
    theirs = [home / "0123456789abcdef-0123456789abcdef" / name for name in (".git/HEAD", "file")]
    theirs += [home / "a.iotrace" / "manifest.json", home / "notes", home / ".0123456789abcdef.partial-x"]
    for place in theirs:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text('{"store_version": 1}')
    assert sized(own, "1K")("info", b).returncode == 0
    assert all(place.exists() for place in theirs) and (entries(own)["a"] / "notes.txt").exists()


def test_of_eight_commands_at_once_one_reads_the_trace(own: Run, tmp_path: Path) -> None:
    trace = tmp_path / "a.strace"
    trace.write_bytes(LOG.read_bytes() * 2000)
    running = [own.start("info", trace, "-f", "json") for _ in range(8)]
    done = [process.communicate() for process in running]
    assert all(process.returncode == 0 for process in running)
    assert len({stdout for stdout, _ in done}) == 1
    assert sum(b"kept as" in stderr for _, stderr in done) == 1
    assert [path.name for path in own.cache.glob("iotrace/*/*")] == ["a.strace.iotrace"]


def test_one_that_waits_says_so(own: Run, tmp_path: Path) -> None:
    (trace,) = traces(tmp_path, "a")
    own("info", trace)
    entry = entries(own)["a"].parent
    descriptor = os.open(entry, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    waiting = own.start("info", trace, "-f", "json")
    assert waiting.stderr is not None
    said = waiting.stderr.readline().decode()
    os.close(descriptor)
    assert said == f"iotrace: waiting for another command, which reads {trace}\n"
    assert json.loads(waiting.communicate()[0])["calls"]


def test_a_killed_writer_blocks_nobody_and_what_it_left_is_removed(own: Run, tmp_path: Path) -> None:
    trace = tmp_path / "a.strace"
    trace.write_bytes(LOG.read_bytes() * 20_000)
    running = own.start("info", trace)
    until_s = time.monotonic() + 60
    while not list(own.cache.glob("iotrace/*/.a.strace.iotrace.partial-*/*.parquet")):
        assert time.monotonic() < until_s and running.poll() is None
    running.kill()
    running.communicate()
    (left,) = own.cache.glob("iotrace/*")
    assert left.is_dir() and not entries(own)
    (other,) = traces(tmp_path, "b")
    assert own("info", other).returncode == 0
    assert list(own.cache.glob("iotrace/*/*")) == [entries(own)["b"]]
    assert own("info", trace).returncode == 0


def test_a_trace_that_cannot_be_read_leaves_nothing(own: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no trace\n")
    assert own("info", tmp_path / "a.txt").returncode == 1
    assert not list(own.cache.glob("iotrace/*"))


def test_without_locks_each_reads_the_trace_itself(
    own: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setenv("XDG_CACHE_HOME", str(own.cache))
    monkeypatch.setenv("IOTRACE_CACHE_SIZE", "1K")
    for trace in traces(tmp_path, "ab"):
        assert calls(trace) == calls(trace)
    assert sorted(entries(own)) == ["a", "b"]


@pytest.mark.parametrize("remains", [b"", b"{", None])
def test_a_store_without_a_whole_manifest_is_made_again(
    own: Run, tmp_path: Path, remains: bytes | None
) -> None:
    (trace,) = traces(tmp_path, "a")
    assert own("info", trace).returncode == 0
    (manifest,) = own.cache.glob("iotrace/*/*/manifest.json")
    if remains is None:
        manifest.unlink()
    else:
        manifest.write_bytes(remains)
    done = own("info", trace)
    assert done.returncode == 0 and b"kept as" in done.stderr
    assert b"kept as" not in own("info", trace).stderr


@pytest.mark.parametrize("home", ["/proc/x", "/proc/self/x", "/sys/kernel", "here"])
def test_a_cache_folder_that_takes_none_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    """Nor is one whose path is relative, which the XDG specification tells to ignore."""
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (trace,) = traces(tmp_path, "a")
    assert calls(trace)
    assert not (tmp_path / "here").exists() and not Path(home, "iotrace").exists()
