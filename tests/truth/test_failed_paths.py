"""Absolute names of what calls looked up and did not find (view named_call)."""

from pathlib import Path

import pytest
from program import Run

ENOENT = "-1 ENOENT (No such file or directory)"
QUERY = "select path, absolute_path from named_call where error is not null and path is not null order by seq"


def named(run: Run, folder: Path, lines: list[str]) -> dict[str, str]:
    (folder / "t.strace").write_text("\n".join(lines) + "\n")
    done = run("sql", folder / "t.strace", QUERY, "-f", "csv")
    assert done.returncode == 0, done.stderr
    return dict(line.split(",") for line in done.stdout.decode().splitlines()[1:])


def test_from_the_working_directory_and_from_descriptors(run: Run, tmp_path: Path) -> None:
    lines = [
        '1 openat(AT_FDCWD, "/etc", O_RDONLY|O_DIRECTORY) = 3',
        '1 chdir("/srv/app") = 0',
        f'1 openat(AT_FDCWD, "conf/missing.toml", O_RDONLY) = {ENOENT}',
        f'1 openat(3, "missing.d", O_RDONLY) = {ENOENT}',
        f'1 stat("/usr/none", 0x7ffe) = {ENOENT}',
        f'1 access("../up", R_OK) = {ENOENT}',
        "1 close(3) = 0",
    ]
    assert named(run, tmp_path, lines) == {
        "conf/missing.toml": "/srv/app/conf/missing.toml",
        "missing.d": "/etc/missing.d",
        "/usr/none": "/usr/none",
        "../up": "/srv/app/../up",
    }


def test_children_inherit_the_directory_and_change_their_own(run: Run, tmp_path: Path) -> None:
    lines = [
        '1 chdir("/a") = 0',
        "1 fork() = 2",
        f'2 open("first", O_RDONLY) = {ENOENT}',
        '2 chdir("b") = 0',
        f'2 open("second", O_RDONLY) = {ENOENT}',
        f'1 open("third", O_RDONLY) = {ENOENT}',
        '1 chdir("/") = 0',
        f'1 open("fourth", O_RDONLY) = {ENOENT}',
    ]
    assert named(run, tmp_path, lines) == {
        "first": "/a/first",
        "second": "/a/b/second",
        "third": "/a/third",
        "fourth": "/fourth",
    }


def test_a_directory_from_before_the_trace_is_unknown_until_the_log_shows_it(
    run: Run, tmp_path: Path
) -> None:
    missing = f'1 open("first", O_RDONLY) = {ENOENT}'
    assert named(run, tmp_path, [missing]) == {"first": ""}
    assert named(run, tmp_path, [missing, '1 getcwd("/home/u", 4096) = 8']) == {"first": "/home/u/first"}


@pytest.mark.parametrize("part", [["--process", "2"], ["--since", "0"]])
def test_parts_of_a_trace_keep_the_names(run: Run, tmp_path: Path, part: list[str]) -> None:
    lines = [
        '1 100.0 chdir("/a") = 0',
        "1 100.1 fork() = 2",
        '2 100.2 chdir("b") = 0',
        f'2 100.3 open("second", O_RDONLY) = {ENOENT}',
    ]
    (tmp_path / "t.strace").write_text("\n".join(lines) + "\n")
    done = run("sql", tmp_path / "t.strace", QUERY, "-f", "csv", *part)
    assert done.stdout.decode() == "path,absolute_path\nsecond,/a/b/second\n", done.stderr
