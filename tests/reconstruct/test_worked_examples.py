"""Tiny logs and the references that the file table must make of them (Richardson 2.3; DESIGN.md 3)."""

from __future__ import annotations

from pathlib import Path

import pytest

import iotrace

Row = tuple[str, str, str, int | None, int | None]


def references(
    folder: Path, log: str, model: dict[str, str] | None = None, *, data: bool = False
) -> list[Row]:
    """Ingest a log; return (type, operation, path, offset, length) of each reference, an inode by its file's path."""
    place = folder / "tiny.strace"
    place.write_text(log)
    connection = iotrace.open(place, model=model).connect()
    where = "where r.type in ('datafile', 'executable')" if data else ""
    return connection.execute(f"""
        select r.type, r.operation, coalesce(o.path_last, f.path_last), r."offset", r.length
        from reference r join file f on f.file = r.file left join file o on o.file = f.of_file
        {where} order by r.seq""").fetchall()


def short(rows: list[Row]) -> list[str]:
    return [f"{operation} {kind} {path}" for kind, operation, path, _, _ in rows]


def test_the_papers_look_up_reads_two_inodes_and_one_directory(tmp_path: Path) -> None:
    log = '1 chdir("/user/kjr") = 0\n1 stat("thesis/ch1.tex", {st_mode=S_IFREG|0644, st_size=9, ...}) = 0\n'
    rows = short(references(tmp_path, log, {"atime": "none"}))
    assert rows[-3:] == [
        "read inode /user/kjr/thesis",
        "read directory /user/kjr/thesis",
        "read inode /user/kjr/thesis/ch1.tex",
    ]


def test_the_papers_path_of_four_elements_has_four_inodes(tmp_path: Path) -> None:
    log = '1 stat("/user/kjr/thesis/ch1.tex", {st_mode=S_IFREG|0644, st_size=9, ...}) = 0\n'
    rows = short(references(tmp_path, log, {"atime": "none"}))
    assert sum(row.startswith("read inode") for row in rows) == 4
    assert sum(row.startswith("read directory") for row in rows) == 3


def test_a_referenced_start_is_one_directory_more(tmp_path: Path) -> None:
    log = '1 stat("/a", {st_mode=S_IFREG|0644, st_size=9, ...}) = 0\n'
    rows = short(references(tmp_path, log, {"atime": "none", "start-directory": "referenced"}))
    assert rows == ["read directory /", "read inode /a"]


def test_a_strict_access_time_is_written_at_each_directory_read_and_once_per_use(tmp_path: Path) -> None:
    log = '1 open("/d/f", O_RDONLY) = 3\n1 read(3, "", 10) = 10\n1 read(3, "", 10) = 10\n1 close(3) = 0\n'
    rows = short(references(tmp_path, log))
    assert rows == [
        "read inode /d",
        "read directory /d",
        "update inode /d",
        "read inode /d/f",
        "read datafile /d/f",
        "update inode /d/f",
        "read datafile /d/f",
    ]


def test_a_failed_look_up_ends_where_the_name_is_missing(tmp_path: Path) -> None:
    log = (
        '1 stat("/d", {st_mode=S_IFDIR|0755, st_size=4096, ...}) = 0\n'
        '1 open("/d/none", O_RDONLY) = -1 ENOENT (No such file or directory)\n'
    )
    rows = short(references(tmp_path, log, {"atime": "none"}))
    assert rows == ["read inode /d", "read inode /d", "read directory /d"]


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        # the file pointer goes on, is shared by dup, and set by lseek
        (
            '1 read(3, "", 4) = 4\n1 dup(3) = 4\n1 read(4, "", 4) = 4\n1 lseek(3, 100, SEEK_SET) = 100\n'
            '1 read(4, "", 4) = 4\n',
            [(0, 4), (4, 4), (100, 4)],
        ),
        # pread has an offset of its own and leaves the pointer
        ('1 pread64(3, "", 4, 50) = 4\n1 read(3, "", 4) = 4\n', [(50, 4), (0, 4)]),
        # a fork shares the pointer; the child's calls may come before the fork has returned
        (
            '1 fork( <unfinished ...>\n2 read(3, "", 4) = 4\n1 <... fork resumed>) = 2\n1 read(3, "", 4) = 4\n',
            [(0, 4), (4, 4)],
        ),
        # a call that moved nothing is no reference
        ('1 read(3, "", 4) = 4\n1 read(3, "", 4) = 0\n', [(0, 4)]),
        # what moved counts, not what was asked for
        ('1 read(3, "", 4096) = 7\n1 readv(3, [{iov_base="", iov_len=9}], 1) = 9\n', [(0, 7), (7, 9)]),
    ],
)
def test_offsets_follow_the_file_pointer(tmp_path: Path, calls: str, expected: list[tuple[int, int]]) -> None:
    rows = references(tmp_path, '1 open("/f", O_RDONLY) = 3\n' + calls, data=True)
    assert [(offset, length) for *_, offset, length in rows] == expected


def test_close_on_exec_takes_effect_and_a_new_open_is_another_file(tmp_path: Path) -> None:
    log = (
        '1 open("/a", O_RDONLY|O_CLOEXEC) = 3\n1 execve("/bin/x", ["x"], 0x1 /* 1 var */) = 0\n'
        '1 open("/b", O_RDONLY) = 3\n1 read(3, "", 5) = 5\n'
    )
    assert references(tmp_path, log, data=True)[-1] == ("datafile", "read", "/b", 0, 5)


def test_a_renamed_file_stays_itself_and_a_replaced_one_is_deleted(tmp_path: Path) -> None:
    log = (
        '1 open("/new", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3\n1 write(3, "", 8) = 8\n1 close(3) = 0\n'
        '1 stat("/old", {st_mode=S_IFREG|0644, st_size=1, ...}) = 0\n1 rename("/new", "/old") = 0\n'
        '1 open("/old", O_RDONLY) = 3\n1 read(3, "", 8) = 8\n'
    )
    rows = references(tmp_path, log, data=True)
    assert [(operation, path) for _, operation, path, *_ in rows] == [
        ("write", "/old"),
        ("delete", "/old"),
        ("read", "/old"),
    ]


def test_a_library_is_read_whole_once_and_its_header_reads_are_the_loaders(tmp_path: Path) -> None:
    log = (
        '1 open("/usr/lib/c.so", O_RDONLY) = 3\n1 read(3, "", 832) = 832\n'
        "1 fstat(3, {st_mode=S_IFREG|0755, st_size=5000, ...}) = 0\n"
        "1 mmap(NULL, 4096, PROT_READ|PROT_EXEC, MAP_PRIVATE|MAP_DENYWRITE, 3, 0) = 0x7f0000000000\n"
        "1 mmap(NULL, 4096, PROT_READ|PROT_EXEC, MAP_PRIVATE|MAP_DENYWRITE, 3, 0) = 0x7f0000010000\n"
    )
    rows = references(tmp_path, log, data=True)
    assert [(kind, length) for kind, _, _, _, length in rows] == [("executable", 832), ("executable", 5000)]
    old = references(tmp_path, log, {"model": "1994"}, data=True)
    assert [(kind, length) for kind, _, _, _, length in old] == [("datafile", 832)]


def test_an_exec_reads_the_whole_file_where_its_size_is_known(tmp_path: Path) -> None:
    log = (
        '1 stat("/bin2/x", {st_mode=S_IFREG|0755, st_size=777, ...}) = 0\n'
        '1 execve("/bin2/x", ["x"], 0x1 /* 1 var */) = 0\n1 execve("/bin2/y", ["y"], 0x1 /* 1 var */) = 0\n'
    )
    rows = references(tmp_path, log, data=True)
    assert rows == [("executable", "read", "/bin2/x", 0, 777), ("executable", "read", "/bin2/y", 0, None)]


def test_children_of_one_start_share_its_directory_though_its_path_comes_late(tmp_path: Path) -> None:
    log = (
        '10 fork() = 11\n11 openat(AT_FDCWD, "f", O_RDWR) = 3\n11 read(3, "", 100) = 50\n'
        '10 fork() = 12\n12 openat(AT_FDCWD, "f", O_RDWR) = 3\n12 read(3, "", 100) = 50\n'
        '10 getcwd("/home/x", 4096) = 8\n10 openat(AT_FDCWD, "/home/x/f", O_RDONLY) = 3\n10 read(3, "", 9) = 9\n'
    )
    assert {path for _, _, path, *_ in references(tmp_path, log, data=True)} == {"/home/x/f"}
