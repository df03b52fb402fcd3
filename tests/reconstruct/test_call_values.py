"""Times and offsets of calls, and impossible ones."""

from pathlib import Path

import pytest

from iotrace.ingest.pipeline import ingest
from iotrace.ingest.reconstruct import with_model
from iotrace.store.store import Store


def store_of(log: str, folder: Path) -> Store:
    trace = folder / "log.strace"
    trace.write_text(log, "utf-8")
    return ingest([trace], folder / "log.iotrace", format="strace", replace=True)


SUMS = """
    select call, s.duration_ns, sum(r.duration_ns) as referenced_ns, count(r.duration_ns) as holders
    from syscall s join reference r on r.call_seq = s.seq
    group by s.seq, call, s.duration_ns order by s.seq
"""
LOG = """\
7 1.000000 openat(AT_FDCWD, "/d/a", O_RDWR|O_CREAT|O_TRUNC, 0600) = 3 <0.000100>
7 1.001000 write(3, "x"..., 5000) = 5000 <0.000200>
7 1.002000 openat(AT_FDCWD, "/d/b", O_WRONLY) = 4 <0.000300>
7 1.003000 copy_file_range(3, [0], 4, NULL, 4096, 0) = 4096 <0.000400>
7 1.004000 close(4 <unfinished ...>
8 1.004500 stat("/d/a", {st_mode=S_IFREG|0600, st_size=5000, ...}) = 0 <0.000500>
7 1.005000 <... close resumed>) = 0 <0.000600>
7 1.006000 close(3) = 0 <0.000700>
7 1.007000 unlink("/d/a") = 0 <0.000800>
7 1.008000 rename("/d/b", "/d/c") = 0 <0.000900>
"""


def test_the_durations_of_references_sum_to_those_of_their_calls(tmp_path: Path) -> None:
    rows = store_of(LOG, tmp_path).connect(views=[]).sql(SUMS).fetchall()
    assert [row[0] for row in rows] == [
        "openat", "write", "openat", "copy_file_range", "close", "stat", "close", "unlink", "rename"
    ]  # fmt: skip
    for call, duration_ns, referenced_ns, holders in rows:
        assert (duration_ns, holders) == (referenced_ns, 1), call


def test_a_delete_holds_its_duration_once_and_at_the_file(tmp_path: Path) -> None:
    rows = (
        store_of(LOG, tmp_path)
        .connect(views=[])
        .sql("select type, duration_ns from reference where operation = 'delete' order by seq")
        .fetchall()
    )
    assert rows == [("datafile", 800_000), ("inode", None)]


def test_the_package_trace_holds_each_duration_once(tmp_path: Path) -> None:
    from importlib.resources import as_file, files

    with as_file(files("iotrace") / "demo" / "demo.strace.zst") as trace:
        store = ingest([trace], tmp_path / "demo.iotrace")
    rows = store.connect(views=[]).sql(SUMS).fetchall()
    assert len(rows) > 1000
    assert [row for row in rows if row[1] != row[2]] == []


def test_a_close_that_returns_long_after_its_references_has_its_duration(tmp_path: Path) -> None:
    log = tmp_path / "log.strace"
    with log.open("w", encoding="utf-8") as lines:
        lines.write(
            '7 1.0 open("/a", O_WRONLY|O_CREAT|O_TRUNC, 0600) = 3 <0.1>\n8 1.2 open("/b", O_RDONLY) = 3 <0.2>\n'
        )
        lines.write('7 1.3 write(3, "x"..., 10) = 10 <0.3>\n7 1.5 close(3 <unfinished ...>\n')
        lines.writelines('8 2.0 read(3, "x"..., 10) = 10\n' for _ in range(90_000))
        lines.write("7 9.0 <... close resumed>) = 0 <5.0>\n")
    store = ingest([log], tmp_path / "log.iotrace", format="strace")
    for one in (store, with_model(store, {"model": "1994"})):
        rows = one.connect(views=[]).sql(SUMS).fetchall()
        assert [row for row in rows if row[0] != "read"][-1] == ("close", 5_000_000_000, 5_000_000_000, 1)


def test_a_negative_duration_becomes_null_and_is_counted(tmp_path: Path) -> None:
    log = (
        '7 1700000001.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <-0.557000>\n'
        "7 1700000002.000000 read(3 <unfinished ...>\n"
        '7 1700000001.500000 <... read resumed>, "x"..., 10) = 10\n'
        '7 1700000002.500000 read(3, "x"..., 10) = 10 <0.000010>\n'
    )
    store = store_of(log, tmp_path)
    calls = store.connect(views=[]).sql("select call, duration_ns from syscall order by seq").fetchall()
    assert calls == [("openat", None), ("read", None), ("read", 10_000)]
    assert store.manifest["seen"]["negative_durations"] == 2
    assert "2 negative durations count as unknown" in store.manifest["warnings"]


def test_a_negative_size_becomes_null_and_is_counted(tmp_path: Path) -> None:
    log = (
        '7 newfstatat(AT_FDCWD, "/a", {st_mode=S_IFREG|0644, st_size=-4294967295, ...}, 0) = 0\n'
        '7 newfstatat(AT_FDCWD, "/b", {st_mode=S_IFREG|0644, st_size=5, ...}, 0) = 0\n'
    )
    store = store_of(log, tmp_path)
    assert store.connect(views=[]).sql("select size from syscall order by seq").fetchall() == [(None,), (5,)]
    assert store.manifest["seen"]["negative_sizes"] == 1
    assert any("negative size" in warning for warning in store.manifest["warnings"])


def test_a_negative_offset_of_a_call_that_succeeded_becomes_null_and_is_counted(tmp_path: Path) -> None:
    log = (
        '7 openat(AT_FDCWD, "/a", O_RDWR) = 3\n'
        '7 pread64(3, "x"..., 10, -7) = 10\n'
        "7 pread64(3, 0x7f, 10, -7) = -1 EINVAL (Invalid argument)\n"
        '7 preadv2(3, [{iov_base="x"..., iov_len=10}], 1, -1, 0) = 10\n'
        "7 lseek(3, -5, SEEK_CUR) = 5\n"
        "7 ftruncate(3, -1) = 0\n"
    )
    store = store_of(log, tmp_path)
    calls = store.connect(views=[]).sql('select call, "offset" from syscall order by seq').fetchall()
    assert calls[1:] == [
        ("pread64", None), ("pread64", -7), ("preadv2", -1), ("lseek", -5), ("ftruncate", None)
    ]  # fmt: skip
    assert store.manifest["seen"]["negative_offsets"] == 2
    assert store.connect(views=[]).sql('from reference where "offset" < 0').fetchall() == []


def test_another_model_keeps_the_counts_of_impossible_values(tmp_path: Path) -> None:
    log = (
        '7 1.000000 openat(AT_FDCWD, "/a", O_RDWR) = 3 <-0.500000>\n'
        '7 2.000000 pread64(3, "x"..., 10, -7) = 10 <0.000010>\n'
    )
    seen = with_model(store_of(log, tmp_path), {"model": "1994"}).manifest["seen"]
    assert (seen["negative_durations"], seen["negative_offsets"]) == (1, 1)


@pytest.mark.parametrize(
    ("stamps", "backwards", "first"),
    [
        (["1700000005.0", "1700000004.0", "1700000006.0", "1700000005.5"], 2, 2),
        (["1700000005.0", "1700000005.0", "1700000006.0"], 0, 0),
        (["23:59:59", "00:00:01", "00:00:02"], 0, 0),
        (["10:00:05", "10:00:04"], 1, 2),
    ],
)
def test_time_that_runs_backwards_is_counted_with_its_first_line(
    tmp_path: Path, stamps: list[str], backwards: int, first: int
) -> None:
    log = "".join(f'7 {stamp} stat("/a", 0x7f) = -1 ENOENT (No such file or directory)\n' for stamp in stamps)
    found = [warning for warning in store_of(log, tmp_path).manifest["warnings"] if "backwards" in warning]
    assert len(found) == bool(backwards)
    if found:
        assert found[0].startswith(f"time runs backwards at {backwards} lines, first at line {first}:")


@pytest.mark.parametrize("order", ["time", "concatenate"])
def test_time_that_runs_backwards_within_a_file_of_a_set_is_counted(tmp_path: Path, order: str) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for thread, stamps in {6: (1, 2, 3), 7: (2, 6, 4, 5, 3), 8: (9, 1)}.items():
        lines = (
            f'170000000{stamp}.0 stat("/a", 0x7f) = -1 ENOENT (No such file or directory)\n'
            for stamp in stamps
        )
        (folder / f"t.{thread}").write_text("".join(lines))
    store = ingest([folder], tmp_path / "o.iotrace", format="strace", order=order)
    (found,) = [warning for warning in store.manifest["warnings"] if "backwards" in warning]
    assert found.startswith("time runs backwards at 3 lines, first at line 3 of ")
    assert "t.7: the log is not in the order of its time stamps" in found
