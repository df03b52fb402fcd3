"""A program whose storage calls are the same in every run, except for numbers of processes."""

# ruff: noqa: PTH104, PTH108, PTH115, PTH211

import contextlib
import ctypes
import mmap
import os
import subprocess
import threading
from pathlib import Path

folder = Path("d")
(folder / "sub").mkdir(parents=True)
for number in range(20):
    with (folder / f"f{number}").open("wb") as file:
        for _ in range(number + 1):
            file.write(b"x" * 3000)
fd = os.open("d/f19", os.O_RDWR)
os.lseek(fd, 5000, 0)
os.read(fd, 1000)
copy = os.dup(fd)
os.read(copy, 1000)
os.pread(fd, 500, 100)
os.pwrite(fd, b"y" * 777, 12345)
os.pwritev(fd, [b"a" * 10, b"b" * 20], 30)
os.pwritev(fd, [b"c"] * 40, 60)
os.lseek(fd, 0, 2)
os.write(fd, b"end")
os.fsync(fd)
os.close(fd)
os.read(copy, 10)
os.close(copy)
os.rename("d/f1", "d/sub/g1")
os.link("d/f2", "d/l2")
os.symlink("f3", "d/s3")
Path("d/s3").read_bytes()
os.readlink("d/s3")
os.unlink("d/f4")
os.truncate("d/f5", 10)
with Path("d/f10").open("rb") as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    assert mapped[5000] == ord("x")
    mapped.close()
for name in ("nope", "d/nope2", ""):
    with contextlib.suppress(OSError):
        os.open(name, os.O_RDONLY)
os.chdir("d")
Path("sub/g1").read_bytes()
os.chdir("..")
appending = os.open("d/f7", os.O_WRONLY | os.O_APPEND)
os.write(appending, b"z" * 100)
os.close(appending)
source, target = os.open("d/f11", os.O_RDONLY), os.open("d/copied", os.O_WRONLY | os.O_CREAT)
os.copy_file_range(source, target, 5000, 100, 50)
os.sendfile(target, source, 7, 1000)
os.close(source)
os.close(target)
child = os.fork()
if child == 0:
    Path("d/f8").read_bytes()
    os._exit(3)
os.waitpid(child, 0)
SCRIPT = """
cat d/f11 d/f12 > d/cat; cp d/f13 d/copy; ls d >/dev/null; wc -c < d/f14; rm d/f15; mv d/f16 d/moved
head -c 10 d/f17; grep -c x d/f18; (cd d && sort cat -o sorted)
"""
subprocess.run(["sh", "-c", SCRIPT], stdout=subprocess.DEVNULL, check=False)


def read() -> None:
    for _ in range(30):
        Path("d/f0").read_bytes()


threads = [threading.Thread(target=read) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
# a name on a page that the program has not touched: a recorder that reads it as the call begins misses it
library = ctypes.CDLL(None)
anonymous = mmap.mmap(-1, 4096)
with Path("name").open("wb") as file:
    file.write(b"d/f9\0".ljust(4096, b"\0"))
with Path("name").open("r+b") as file:
    pages = mmap.mmap(file.fileno(), 4096)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    assert library.open(ctypes.c_void_p(address), os.O_RDONLY) >= 0
