"""Small programs whose waits for storage are known: ``lone_reads.py NAME FOLDER`` runs one.

Those of `DEVICE` wait for each read, in one thread, and those of `SYNC` for each sync, where FOLDER is a fresh mount of
slow_device.py. Those of `MEMORY` read and write what the page cache has, and look up names.
"""

import mmap
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

PAGE = 4096
READS = 300
FILE_PAGES = 16384


def _places(count: int = READS) -> list[int]:
    return [PAGE * page for page in random.Random(1).sample(range(FILE_PAGES), count)]


def _compute(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def _cold(folder: str, compute_s: float = 0, flags: int = 0) -> None:
    fd = os.open(f"{folder}/f0", os.O_RDONLY | flags)
    page = mmap.mmap(-1, PAGE)
    for place in _places():
        os.preadv(fd, [page], place)
        _compute(compute_s)


def _seek_and_read(folder: str) -> None:
    fd = os.open(f"{folder}/f0", os.O_RDONLY)
    for place in _places():
        os.lseek(fd, place, os.SEEK_SET)
        os.read(fd, PAGE)


def _several_files(folder: str) -> None:
    fds = [os.open(f"{folder}/f{number}", os.O_RDONLY) for number in range(4)]
    for count, place in enumerate(_places()):
        os.pread(fds[count % 4], PAGE, place)


def _opened_each_time(folder: str) -> None:
    for place in _places():
        fd = os.open(f"{folder}/f0", os.O_RDONLY)
        os.pread(fd, PAGE, place)
        os.close(fd)


def _with_warm_rereads(folder: str) -> None:
    fd = os.open(f"{folder}/f0", os.O_RDONLY)
    for place in _places():
        os.pread(fd, PAGE, place)
        for _ in range(3):
            os.pread(fd, PAGE, place)


def _beside_a_sleeper(folder: str) -> None:
    done = threading.Event()
    sleeper = threading.Thread(target=done.wait)
    sleeper.start()
    _cold(folder)
    done.set()
    sleeper.join()


def _in_a_child(folder: str) -> None:
    child = os.fork()
    if not child:
        _cold(folder)
        os._exit(0)
    os.waitpid(child, 0)


def _small_parts(folder: str) -> None:
    fd = os.open(f"{folder}/f0", os.O_RDONLY)
    for place in _places():
        os.pread(fd, 100, place)


DEVICE: dict[str, Callable[[str], None]] = {
    "cold": _cold,
    "direct": lambda folder: _cold(folder, flags=os.O_DIRECT),
    "computing": lambda folder: _cold(folder, compute_s=0.001),
    "direct_computing": lambda folder: _cold(folder, compute_s=0.001, flags=os.O_DIRECT),
    "seek_and_read": _seek_and_read,
    "several_files": _several_files,
    "opened_each_time": _opened_each_time,
    "with_warm_rereads": _with_warm_rereads,
    "beside_a_sleeper": _beside_a_sleeper,
    "in_a_child": _in_a_child,
    "small_parts": _small_parts,
}


def _synced(folder: str, sync: Callable[[int], None], flags: int = 0) -> None:
    fd = os.open(f"{folder}/f0", os.O_RDWR | flags)
    for _ in range(READS):
        os.write(fd, b"x" * 100)
        sync(fd)


SYNC: dict[str, Callable[[str], None]] = {
    "fsync": lambda folder: _synced(folder, os.fsync),
    "fdatasync": lambda folder: _synced(folder, os.fdatasync),
    "synchronous": lambda folder: _synced(folder, lambda fd: None, os.O_DSYNC),
}


def _tiny_writes(folder: str) -> None:
    fd = os.open(f"{folder}/out", os.O_WRONLY | os.O_CREAT, 0o644)
    for _ in range(5000):
        os.write(fd, b"ten bytes\n")


def _bytes(folder: str) -> None:
    fd = os.open(folder + "/warm", os.O_RDONLY)
    while os.read(fd, 1):
        pass


def _stats(folder: str) -> None:
    for number in range(5000):
        Path(folder, "names", str(number % 500)).stat()


def _listings(folder: str) -> None:
    for _ in range(200):
        list(Path(folder, "names").iterdir())


def _rereads(folder: str) -> None:
    fd = os.open(folder + "/warm", os.O_RDONLY)
    for _ in range(2000):
        os.pread(fd, 4096, 0)


def _configuration(folder: str) -> None:
    for _ in range(1000):
        Path(folder, "warm").read_bytes()


def _misses(folder: str) -> None:
    for number in range(5000):
        Path(folder, f"bin{number % 10}", "program").exists()


def _sequential(folder: str) -> None:
    fd = os.open(folder + "/warm", os.O_RDONLY)
    while os.read(fd, PAGE):
        pass


def _random(folder: str) -> None:
    fd = os.open(folder + "/warm", os.O_RDONLY)
    for place in random.Random(1).sample(range(2000), 2000):
        os.pread(fd, PAGE, PAGE * place)


def _large(folder: str) -> None:
    fd = os.open(folder + "/warm", os.O_RDONLY)
    while os.read(fd, 1 << 20):
        pass


MEMORY: dict[str, tuple[int, Callable[[str], None]]] = {
    "tiny_writes": (0, _tiny_writes),
    "bytes": (5000, _bytes),
    "stats": (0, _stats),
    "listings": (0, _listings),
    "rereads": (4096, _rereads),
    "configuration": (4000, _configuration),
    "misses": (0, _misses),
    "sequential": (8 << 20, _sequential),
    "random": (8 << 20, _random),
    "large": (256 << 20, _large),
}
"""By name the size in bytes of the file that it reads, which `prepare` writes, and the program."""


def prepare(name: str, folder: str) -> None:
    """Write what a program of `MEMORY` reads."""
    names = Path(folder, "names")
    names.mkdir()
    for number in range(500):
        (names / str(number)).touch()
    Path(folder, "warm").write_bytes(b"x" * MEMORY[name][0])


if __name__ == "__main__":
    {**DEVICE, **SYNC, **{name: made for name, (_, made) in MEMORY.items()}}[sys.argv[1]](sys.argv[2])
