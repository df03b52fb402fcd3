"""Programs whose time is known by other means: `storage_program.py WHAT FOLDER`."""

import fcntl
import mmap
import os
import random
import sys
import threading
import time
from pathlib import Path

FILE_BYTES = 64 << 20
PAGE = mmap.PAGESIZE
READS = 500


def places() -> list[int]:
    """Offsets of different pages."""
    return [PAGE * page for page in random.Random(1).sample(range(FILE_BYTES // PAGE), READS)]


def drop(descriptor: int) -> None:
    """Have the page cache forget a file."""
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def prepare(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(FILE_BYTES >> 20):
            file.write(os.urandom(1 << 20))
        file.flush()
        drop(file.fileno())


def direct(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    page = mmap.mmap(-1, PAGE)
    for place in places():
        os.preadv(descriptor, [page], place)


def direct_alone(path: Path) -> None:
    """Read until that is most of the program's time."""
    until = time.monotonic() + 1
    while time.monotonic() < until:
        direct(path)


def cold(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    drop(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    for place in places():
        os.pread(descriptor, PAGE, place)


def in_order(path: Path) -> None:
    """Read all of it, of which the kernel reads ahead."""
    descriptor = os.open(path, os.O_RDWR)
    drop(descriptor)
    while os.read(descriptor, 1 << 16):
        pass


def warm(path: Path) -> None:
    data = path.read_bytes()
    assert len(data) == FILE_BYTES
    descriptor = os.open(path, os.O_RDONLY)
    for place in places():
        os.pread(descriptor, PAGE, place)


def warm_alone(path: Path) -> None:
    """The same from memory."""
    warm(path)
    descriptor = os.open(path, os.O_RDONLY)
    until = time.monotonic() + 1
    while time.monotonic() < until:
        for place in places():
            os.pread(descriptor, PAGE, place)


def opened_before(path: Path) -> None:
    """Read a file from its start that was opened before a line on the standard input."""
    descriptor = os.open(path, os.O_RDWR)
    drop(descriptor)
    print("ready", flush=True)
    sys.stdin.readline()
    while os.read(descriptor, 1 << 16):
        pass
    print("done", flush=True)
    sys.stdin.readline()


def fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    for number in range(100):
        os.pwrite(descriptor, b"x" * PAGE, 4 * PAGE * number)
        os.fsync(descriptor)


def lock(path: Path) -> None:
    """Two threads that write the same file, whose inode only one of them can have."""
    first, second, much = os.open(path, os.O_RDWR), os.open(path, os.O_RDWR), b"y" * (16 << 20)

    def write_much() -> None:
        for _ in range(20):
            os.pwrite(first, much, 0)

    thread = threading.Thread(target=write_much)
    thread.start()
    while thread.is_alive():
        os.pwrite(second, b"z" * PAGE, 0)
    thread.join()


def frozen(path: Path) -> None:
    """Write while nothing can be written to the file system, for half a second."""
    freeze, thaw = 0xC0045877, 0xC0045878  # FIFREEZE and FITHAW of linux/fs.h
    descriptor = os.open(path, os.O_RDWR)
    fcntl.ioctl(descriptor, freeze, 0)
    try:
        thread = threading.Thread(target=os.pwrite, args=(descriptor, b"y" * PAGE, 0))
        thread.start()
        time.sleep(0.5)
    finally:
        fcntl.ioctl(descriptor, thaw, 0)
    thread.join()


def dirty(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    for number in range(FILE_BYTES >> 20):
        os.pwrite(descriptor, b"y" * (1 << 20), number << 20)


def compute(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def compete(path: Path) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    child = os.fork()
    compute(0.5)
    if child:
        os.waitpid(child, 0)


def run_delay_ns() -> int:
    """Return how long this process could run and had no processor, as the kernel counts it."""
    return int(Path("/proc/self/schedstat").read_text().split()[1])


def share(path: Path) -> None:
    """Four processes that write files in memory, on one processor; files delay have how long each waited for it."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    children: list[int] = []
    while len(children) < 3 and (child := os.fork()):
        children.append(child)
    place = path.parent / f"process_{len(children)}"
    place.mkdir()
    descriptor, data = os.open(place / "file", os.O_RDWR | os.O_CREAT), b"x" * (24 << 20)
    before_ns, until = run_delay_ns(), time.thread_time() + 0.5
    while time.thread_time() < until:
        os.pwrite(descriptor, data, 0)
    (place / "delay").write_text(str(run_delay_ns() - before_ns))
    if len(children) == 3:
        for child in children:
            os.waitpid(child, 0)


def mapped(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    drop(descriptor)
    memory = mmap.mmap(descriptor, FILE_BYTES)
    memory.madvise(mmap.MADV_RANDOM)
    assert sum(memory[place] for place in places()) >= 0


if __name__ == "__main__":
    _, what, folder = sys.argv
    {
        function.__name__: function
        for function in (
            prepare,
            direct,
            direct_alone,
            cold,
            in_order,
            warm,
            warm_alone,
            opened_before,
            fsync,
            lock,
            frozen,
            dirty,
            compete,
            share,
            mapped,
        )
    }[what](Path(folder) / "file")
