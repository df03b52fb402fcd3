"""Traces of attached processes, as a user meets them: the warning, the path, the runs, and what disagrees."""

import json
from pathlib import Path

from program import Run

APPENDS = "".join(
    f'7 {second}.000000 write(3</var/log/out>, "x"..., 4096) = 4096 <0.000010>\n'
    f"7 {second}.500000 fsync(3</var/log/out>) = 0 <0.000020>\n"
    for second in range(1, 209)
)

# As strace -f -y -p writes it of a program that changed its directory before.
RELATIVE = """\
7 1700000000.000100 openat(AT_FDCWD</home/ann/run>, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3</etc/hosts> <0.00001>
7 1700000000.000200 read(3</etc/hosts>, "127.0.0.1"..., 4096) = 158 <0.00001>
7 1700000000.000300 rename("log", "log.1") = 0 <0.00005>
7 1700000000.000400 mkdir("new", 0777) = 0 <0.00006>
7 1700000000.000500 openat(AT_FDCWD</home/ann/run>, "new/part", O_WRONLY|O_CREAT|O_APPEND, 0666) = 4</home/ann/run/new/part> <0.00004>
7 1700000000.000600 write(4</home/ann/run/new/part>, "abc", 3) = 3 <0.00002>
7 1700000000.000700 chdir("../gone") = 0 <0.00001>
7 1700000000.000800 rmdir("../gone") = 0 <0.00002>
7 1700000000.000900 openat(AT_FDCWD</home/ann/gone (deleted)>, "z", O_RDONLY) = -1 ENOENT (No such file or directory) <0.00001>
"""  # noqa: E501


def test_every_command_warns_and_the_verdict_says_so(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "attached.strace"
    trace.write_text(APPENDS, "utf-8")
    page = ["-o", tmp_path / "out.html"]
    for verb in (
        ["info"],
        ["characterize"],
        ["curve", "--block", "4K"],
        ["attribute"],
        ["nonvolatile"],
        ["patterns", "--least", "1"],
        ["sql", "select 1"],
        ["report", *page],
        ["export", "--to", "ultrix", "-o", tmp_path / "calls"],
        ["ingest", "-o", tmp_path / "stored.iotrace"],
    ):
        verb, *words = verb
        done = run(verb, trace, *words)
        assert done.returncode == 0, done.stderr
        warning = next(line for line in done.stderr.decode().splitlines() if "unknown offsets" in line)
        assert "warning: 208 reads and writes of 851968 bytes" in warning
        assert warning.endswith("; iotrace info says more") and len(warning) < 200
    assert "a separate row in table file" in " ".join(run("info", trace).stdout.decode().split())
    verdict = run("characterize", trace).stdout.decode()
    assert "100 % of its data is at unknown offsets" in " ".join(verdict.split())


def test_an_attached_appender_is_one_sequential_file(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "attached.strace"
    trace.write_text(APPENDS, "utf-8")
    done = run(
        "sql",
        trace,
        "select path, size_largest_bytes from file where kind <> 'inode'",
        "--format",
        "csv",
    )
    assert done.stdout.decode().splitlines()[1:] == ["/var/log/out,851968"]
    (row,) = json.loads(run("characterize", trace, "sequentiality", "--format", "json").stdout)
    assert (row["requests"], row["sequential"]) == (208, 207)
    curve = json.loads(run("curve", trace, "--block", "4K", "--sizes", "1M", "--format", "json").stdout)
    assert curve[0]["write_block_misses"] == 208


def test_another_model_keeps_the_paths_of_annotations(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "attached.iotrace"
    trace = tmp_path / "attached.strace"
    trace.write_text(APPENDS, "utf-8")
    assert run("ingest", trace, "-o", store).returncode == 0
    query = (
        "select path, \"offset\", offset_source from reference join file using (file) where type = 'datafile'"
    )
    first, second = (
        run("sql", store, query, "--format", "csv", *model).stdout for model in ([], ["--model", "1994"])
    )
    assert first == second
    assert b"/var/log/out,4096,relative" in first


def test_names_start_in_the_directory_that_the_log_names(run: Run, tmp_path: Path) -> None:
    store, trace = tmp_path / "attached.iotrace", tmp_path / "attached.strace"
    trace.write_text(RELATIVE, "utf-8")
    done = run("ingest", trace, "-o", store)
    assert (done.returncode, b"9 files" in done.stdout + done.stderr) == (0, True)
    query = "select path, path_last, created, deleted from file where kind <> 'inode' order by path"
    first, second = (
        run("sql", store, query, "--format", "csv", *model).stdout.decode().splitlines()[1:]
        for model in ([], ["--model", "1994"])
    )
    assert first == second
    assert first == [
        "/,/,False,False",
        "/etc,/etc,False,False",
        "/etc/hosts,/etc/hosts,False,False",
        "/home/ann,/home/ann,False,False",
        "/home/ann/gone,/home/ann/gone,False,True",
        "/home/ann/run,/home/ann/run,False,False",
        "/home/ann/run/log,/home/ann/run/log.1,False,False",
        "/home/ann/run/new,/home/ann/run/new,True,False",
        "/home/ann/run/new/part,/home/ann/run/new/part,True,False",
    ]
    agreement = json.loads(run("info", store, "--format", "json").stdout)["path_agreement"]
    assert (agreement["checked"], agreement["agreed"]) == (2, 2)


def test_disagreements_are_listed(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "paths.strace"
    trace.write_text(
        '1 open("/a", O_RDONLY) = 3</a>\n'
        '1 read(3</a>, "x"..., 10) = 10\n'
        '1 read(3</a>, "x"..., 10) = 10\n'
        '1 read(3</a>, "x"..., 10) = 10\n'
        '1 read(3</b>, "x"..., 10) = 10\n'
        '1 read(3</b>, "x"..., 10) = 10\n'
        "1 pipe([4, 5]) = 0\n"
        '1 read(4</c>, "x"..., 10) = 10\n',
        "utf-8",
    )
    done = run("info", trace, "--disagreements", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        {
            "call_seq": 4,
            "last_call_seq": 5,
            "calls": 2,
            "path_kernel": "/b",
            "path_reconstructed": "/a",
            "reason": "other_path",
        },
        {
            "call_seq": 7,
            "last_call_seq": 7,
            "calls": 1,
            "path_kernel": "/c",
            "path_reconstructed": None,
            "reason": "not_a_file",
        },
    ]


def test_only_so_many_disagreements_are_listed_and_the_others_counted(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "paths.strace"
    with trace.open("w", encoding="utf-8") as lines:
        lines.write(
            '1 open("/a", O_RDONLY) = 3</a>\n1 read(3</a>, "x"..., 10) = 10\n1 read(3</a>, "x"..., 10) = 10\n'
        )
        lines.writelines(f'1 read(3</b{number}>, "x"..., 10) = 10\n' for number in range(100_003))
    store = tmp_path / "paths.iotrace"
    done = run("ingest", trace, "-o", store)
    assert done.returncode == 0, done.stderr
    assert b"lists only the first disagreements; 3 more are not listed" in done.stderr
    manifest = json.loads((store / "manifest.json").read_text("utf-8"))
    assert manifest["tables"]["disagreement"] == 100_000
    assert manifest["seen"]["unlisted_disagreements"] == 3
    assert manifest["path_agreement"]["disagreed"] == {"other_path": 100_003}


def test_a_reconstructed_path_too_long_to_show_is_missing(run: Run, tmp_path: Path) -> None:
    name = "x" * 5000
    trace = tmp_path / "paths.strace"
    trace.write_text(
        f'1 open("/{name}", O_RDONLY) = 3</{name}>\n'
        f'1 read(3</{name}>, "x"..., 10) = 10\n'
        f'1 read(3</{name}>, "x"..., 10) = 10\n'
        '1 read(3</b>, "x"..., 10) = 10\n',
        "utf-8",
    )
    done = run("info", trace, "--disagreements", "--format", "json")
    assert [(row["path_kernel"], row["path_reconstructed"]) for row in json.loads(done.stdout)] == [
        ("/b", None)
    ]


def test_a_log_without_paths_has_nothing_to_disagree_with(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "plain.strace"
    trace.write_text('1 open("/a", O_RDONLY) = 3\n1 read(3, "x"..., 10) = 10\n', "utf-8")
    done = run("info", trace, "--disagreements")
    assert done.returncode == 1
    assert b"its log has no paths of descriptors (strace -y) to compare with" in done.stderr
