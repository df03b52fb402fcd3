"""Bytes and calls of a recorded program are those that the kernel counted for it in /proc/PID/io."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "ingest"))

from program import PROGRAM
from recorders import on_both_backends, rows

COUNTING = """
import json, os, sys
def counted():
    with open("/proc/self/io") as file:
        return dict(line.split(": ") for line in file.read().splitlines())
fd = os.open("data", os.O_RDWR | os.O_CREAT)
before = counted()
for place in range(300):
    os.pwrite(fd, b"x" * (place + 1), place * 1000)
os.writev(fd, [b"a" * 100, b"b" * 11])
for place in range(200):
    os.pread(fd, 777, place * 500)
os.preadv(fd, [bytearray(10) for _ in range(100)], 0)
os.lseek(fd, 0, 0)
while os.read(fd, 4096):
    pass
target = os.open("copy", os.O_RDWR | os.O_CREAT)
os.lseek(fd, 0, 0)
os.sendfile(target, fd, 0, 50000)
os.copy_file_range(fd, target, 30000, 0, 60000)
after = counted()
print(json.dumps({key: int(after[key]) - int(before[key]) for key in ("rchar", "wchar", "syscr", "syscw")}))
"""
READS = {"read", "pread64", "preadv", "preadv2", "readv"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
COPIES = {"sendfile", "copy_file_range"}


@on_both_backends
def test_bytes_and_calls_are_those_that_the_kernel_counted(backend: str, tmp_path: Path) -> None:
    words = [
        PROGRAM,
        "record",
        "--backend",
        backend,
        "-o",
        "it.iotrace",
        "--",
        sys.executable,
        "-c",
        COUNTING,
    ]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=True)
    counted = json.loads(done.stdout)
    calls = rows(tmp_path / "it.iotrace", "syscall", "call", "path", "result")
    looks = [place for place, (_, path, _) in enumerate(calls) if path == "/proc/self/io"]
    assert len(looks) == 2
    # a look counts its own reads once they are done: those of the first are counted, and those of the second are not
    moved = [(call, int(str(size))) for call, _, size in calls[looks[0] : looks[1]] if size is not None]
    both = sum(size for call, size in moved if call in COPIES)
    copies = sum(call in COPIES for call, _ in moved)
    assert counted == {
        "rchar": sum(size for call, size in moved if call in READS) + both,
        "wchar": sum(size for call, size in moved if call in WRITES) + both,
        "syscr": sum(call in READS for call, _ in moved) + copies,
        "syscw": sum(call in WRITES for call, _ in moved) + copies,
    }
    assert counted["rchar"] > 200 * 777
