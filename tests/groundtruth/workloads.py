"""Workloads on a file system of their own, and the limits of memory at which they run."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
MB = 1 << 20


@dataclass(frozen=True)
class Workload:
    """A command on a folder."""

    name: str
    kind: str
    """What the table of errors groups by: reads, mixed, trees or mapped."""
    prepare: Callable[[Path], None]
    command: Callable[[Path, Path], Sequence[str]]
    """Of the folder and the compiled program `access`."""
    limits_mb: tuple[int, ...]
    needs: tuple[str, ...] = ()
    """Programs that must be here."""
    most_dirty_mb: int | None = None
    """The kernel pauses writers when the device has as many dirty pages; None: its limit for the whole machine."""


def blocks(name: str, megabytes: int) -> Callable[[Path], None]:
    """Return the function that makes a file of random bytes."""

    def make(folder: Path) -> None:
        source = random.Random(megabytes)
        with (folder / name).open("wb") as file:
            for _ in range(megabytes):
                file.write(source.randbytes(MB))

    return make


def lines(folder: Path) -> None:
    source = random.Random(3)
    with (folder / "lines").open("w") as file:
        for _ in range(40):
            file.write("".join(f"{source.getrandbits(256):064x} a line to sort\n" for _ in range(20_000)))


def tree(folder: Path) -> None:
    """Copy the C headers of the machine, some tens of megabytes of small files."""
    shutil.copytree("/usr/include", folder / "include", symlinks=False, ignore_dangling_symlinks=True)


def sources(folder: Path) -> None:
    tree(folder)
    (folder / "src").mkdir()
    for number in range(12):
        includes = ("stdio.h", "stdlib.h", "string.h", "unistd.h", "netdb.h", "pthread.h", "math.h")
        text = "".join(f"#include <{name}>\n" for name in includes[: 3 + number % 5])
        (folder / f"src/part{number}.c").write_text(
            f"{text}int part{number}(int x) {{ return x * {number}; }}\n"
        )


def database(folder: Path) -> None:
    source = random.Random(7)
    with sqlite3.connect(folder / "base.sqlite") as base:
        base.execute("create table t(k integer primary key, a text, b int)")
        base.execute("create index tb on t(b)")
        rows = (
            (key, f"{source.getrandbits(256):064x}" * 5, source.randrange(10**6)) for key in range(120_000)
        )
        base.executemany("insert into t values(?, ?, ?)", rows)
    base.close()


def two_files(folder: Path) -> None:
    blocks("data", 64)(folder)
    blocks("other", 48)(folder)


def nothing(folder: Path) -> None:
    pass


def access(how: str, file: str, rounds: int, size: int) -> Callable[[Path, Path], Sequence[str]]:
    return lambda folder, program: [str(program), how, str(folder / file), str(rounds), str(size)]


def shell(text: str) -> Callable[[Path, Path], Sequence[str]]:
    """Return a command of the shell, in the folder, with $0 the compiled program."""
    return lambda folder, program: ["sh", "-c", f"cd {folder} || exit; {text}", str(program)]


def fio(options: str) -> Callable[[Path, Path], Sequence[str]]:
    """Return a run of fio on the file data, with numbers that are the same each time."""
    fixed = "--name=mix --filename=data --ioengine=psync --randseed=7 --invalidate=0 --minimal --output=log"
    return shell(f"fio {fixed} {options}")


COMPILE = (
    "for f in src/*.c; do gcc -O1 -nostdinc -isystem /usr/lib/gcc/x86_64-linux-gnu/12/include -isystem include"
    " -isystem include/x86_64-linux-gnu -c $f -o ${f%.c}.o; done; ar rc src/all.a src/*.o; true"
)
WORKLOADS = (
    Workload("scan", "reads", blocks("data", 96), access("scan", "data", 5, 65536), (16, 48, 80, 128)),
    Workload("zipf", "reads", blocks("data", 128), access("zipf", "data", 60_000, 4096), (16, 32, 64, 160)),
    Workload("backward", "reads", blocks("data", 64), access("back", "data", 3, 16384), (16, 48, 96)),
    Workload("strided", "reads", blocks("data", 128), access("stride", "data", 4, 4096), (16, 32, 160)),
    Workload(
        "zipf with writes",
        "mixed",
        blocks("data", 96),
        access("zipf-write", "data", 60_000, 4096),
        (16, 48, 112),
    ),
    Workload("log appends", "mixed", nothing, access("append", "log", 16_384, 2000), (16, 48)),
    Workload(
        "sort",
        "mixed",
        lines,
        shell("LC_ALL=C sort -S 8M -T . -o sorted lines"),
        (24, 64, 160, 256),
        ("sort",),
    ),
    Workload(
        "sqlite",
        "mixed",
        database,
        lambda folder, _: [sys.executable, "-I", "-S", str(HERE / "queries.py"), str(folder / "base.sqlite")],
        (32, 48, 96),
    ),
    Workload(
        "grep",
        "trees",
        tree,
        shell("for k in 1 2 3; do grep -r -c zzyzx include > /dev/null; done; true"),
        (16, 32, 64, 192),
        ("grep",),
    ),
    Workload(
        "tar",
        "trees",
        tree,
        shell("tar cf all.tar include; mkdir out; tar xf all.tar -C out"),
        (32, 96, 224),
        ("tar",),
    ),
    Workload("build", "trees", sources, shell(COMPILE), (48, 96), ("gcc", "ar")),
    Workload(
        "several processes",
        "reads",
        blocks("data", 96),
        shell("$0 scan data 3 65536 & $0 zipf data 20000 4096 & $0 back data 2 32768 & wait"),
        (24, 64, 128),
    ),
    Workload("advice", "reads", blocks("data", 96), access("advise", "data", 3, 1 << 20), (16, 48, 128)),
    Workload(
        "fio random",
        "mixed",
        blocks("data", 96),
        fio("--rw=randrw --rwmixread=80 --bs=4k --random_distribution=zipf:0.9 --io_size=160M"),
        (32, 64, 160),
        ("fio",),
    ),
    Workload(
        "fio mix",
        "mixed",
        blocks("data", 96),
        fio(
            "--rw=rw --rwmixread=70 --bsrange=4k-64k --io_size=256M --numjobs=2 --size=48M --offset_increment=48M"
        ),
        (32, 64, 160),
        ("fio",),
    ),
    Workload(
        "copy and compare",
        "mixed",
        blocks("data", 64),
        shell("cp data copy; cmp data copy; md5sum data copy > sums; cat copy data copy | wc -c > size"),
        (32, 96, 160),
        ("cmp", "md5sum"),
    ),
    *(
        Workload(
            name,
            "mixed",
            blocks("data", 96),
            shell("$0 zipf data 40000 4096 & dd if=/dev/zero of=copy bs=64k count=3200 2> /dev/null & wait"),
            (32, 96),
            most_dirty_mb=most_dirty_mb,
        )
        for name, most_dirty_mb in (("writes beside reads", None), ("paused writes beside reads", 4))
    ),
    Workload("mapped scan", "mapped", blocks("data", 96), access("map-scan", "data", 3, 4096), (24, 64, 128)),
    Workload(
        "mapped zipf", "mapped", blocks("data", 96), access("map-zipf", "data", 40_000, 4096), (24, 64, 128)
    ),
)
HELD_OUT = (
    Workload("skipping reads", "reads", blocks("data", 96), access("skip", "data", 8, 8192), (24, 64, 144)),
    Workload(
        "parts of a tree",
        "trees",
        tree,
        shell(
            "find include -type f | sort > all; awk 'NR % 3 == 0' all > third; awk 'NR % 7 == 1' all > seventh;"
            " for k in 1 2 3 4; do xargs cat < third > /dev/null; xargs cat < seventh > /dev/null; done"
        ),
        (16, 32, 96),
        ("xargs", "awk"),
    ),
    Workload(
        "updates and scans",
        "mixed",
        blocks("data", 64),
        shell("for k in 1 2 3; do $0 zipf-write data 12000 4096; $0 scan data 1 65536; done"),
        (24, 48, 112),
    ),
    Workload(
        "random writes beside reads",
        "mixed",
        two_files,
        shell(
            "$0 zipf data 30000 4096 & fio --name=w --filename=other --ioengine=psync --randseed=7 --invalidate=0"
            " --minimal --output=log --rw=randwrite --bs=8k --io_size=48M & wait"
        ),
        (24, 64, 160),
        ("fio",),
    ),
    Workload(
        "appends beside a scan",
        "mixed",
        blocks("data", 64),
        shell("$0 append log 12288 3000 & $0 append other 8192 5000 & $0 scan data 4 32768 & wait"),
        (32, 64, 160),
    ),
    Workload(
        "mapped search", "mapped", blocks("data", 96), access("map-search", "data", 8000, 4096), (24, 64, 128)
    ),
    Workload(
        "mapped hot part", "mapped", blocks("data", 96), access("map-hot", "data", 3, 4096), (32, 64, 128)
    ),
    Workload(
        "mapped beside reads",
        "mapped",
        two_files,
        shell("$0 map-zipf data 30000 4096 & $0 scan other 3 65536 & wait"),
        (48, 80, 160),
    ),
)
"""Nobody ran these before the model and the range were as they are."""
BY_NAME = {workload.name: workload for workload in (*WORKLOADS, *HELD_OUT)}
REAL_DISK = {
    "scan": (48, 128),
    "zipf": (32, 160),
    "sort": (64, 256),
    "sqlite": (32, 96),
    "grep": (64, 192),
    "several processes": (24, 128),
}
"""Limits, in MB, of the workloads that also run on the machine's disk."""
OTHER_READAHEAD = {"scan": (0, 8192), "zipf": (0, 8192), "grep": (0, 8192), "sqlite": (0, 8192)}
"""Further read-ahead windows, in KB, of some workloads at their middle limit."""


def compiled(folder: Path) -> Path:
    """Compile the program `access`; raises FileNotFoundError without a C compiler."""
    if shutil.which("cc") is None:
        raise FileNotFoundError("no C compiler is here")
    program = folder / "access"
    subprocess.run(["cc", "-O2", "-o", program, HERE / "access.c", "-lm"], check=True)
    return program
