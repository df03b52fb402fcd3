"""Work for `iotrace top`: calls of known files, by several processes and threads. It starts at a line of its input."""

# ruff: noqa: PTH102, PTH108, PTH116, PTH208

import contextlib
import os
import subprocess
import sys
import threading

folder = sys.argv[1]
os.chdir(folder)
before = os.open("before", os.O_RDWR | os.O_CREAT)
os.write(before, bytes(10_000))
pair = os.pipe()
print("ready", flush=True)
sys.stdin.readline()

for number in range(3):
    os.fstat(number)  # a store does not know a descriptor from before if its first call is a close
for number in range(200):
    os.pwrite(before, bytes(100), number)
    os.pread(before, 300, number)
    os.lseek(before, 0, os.SEEK_SET)
    os.readv(before, [bytearray(10), bytearray(50)])
    os.writev(before, [bytes(7), bytes(9)])
    os.write(pair[1], bytes(11))
    os.read(pair[0], 11)
os.fsync(before)

for number in range(300):
    name = f"{folder}/many{number}" if number % 2 else f"./many{number}"
    file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    other = os.dup(file)
    os.close(file)
    os.write(other, bytes(number))
    os.close(other)
    os.stat(name)

os.mkdir("inner")
inner = os.open("inner", os.O_DIRECTORY)
made = os.open("made", os.O_WRONLY | os.O_CREAT, dir_fd=inner)
os.lseek(before, 0, os.SEEK_SET)
os.sendfile(made, before, None, 5000)
os.copy_file_range(before, made, 1000, 0, 0)
os.close(made)
os.listdir("inner")
for name in ("none", "inner/none", "none/none"):
    with contextlib.suppress(OSError):
        os.open(name, os.O_RDONLY)

os.dup2(before, 9, inheritable=True)
subprocess.run(
    ["sh", "-c", "head -c 400 <&9 >/dev/null; echo hello > from_shell; cat from_shell many299 > both"],
    close_fds=False,
)
os.close(9)

child = os.fork()
if child == 0:
    os.chdir("inner")
    file = os.open("of_child", os.O_WRONLY | os.O_CREAT)
    os.write(file, bytes(123))
    os.pwrite(before, bytes(17), 0)
    os._exit(0)
os.waitpid(child, 0)


def work(number: int) -> None:
    for turn in range(200):
        file = os.open(f"thread{number}", os.O_RDWR | os.O_CREAT)
        os.pwrite(file, bytes(10 + number), turn)
        os.close(file)


threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
os.unlink("from_shell")
print("done", flush=True)
sys.stdin.readline()
