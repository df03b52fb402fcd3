"""Bytes read and written per file equal a plain sum over the log's text, on logs that name the file of each descriptor.

The sum knows nothing of descriptors, pointers or processes: each line names its file. The reconstruction never uses
those names, so its files are compared by the names that it gave them, exactly, but that

- a file that was renamed or linked has bytes under each of its names in the log, which are added up;
- a name may lead through a symbolic link that no call reveals: the log's own opens show what the kernel made of it;
- a file that never had a name (O_TMPFILE) is shown by its inode's number in the log, which no call shows; those of
  one directory are added up;
- what no call of the log opened (descriptors from before the trace, sockets where their calls were not recorded) has
  no name in the reconstruction: all of that is added up.
"""

import os
import posixpath
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

TRACES = os.environ.get("IOTRACE_TRACES")
# For each trace, how many names were brought together for each of the reasons above.
EXPECTED = {
    "cad-chip-build.strace.zst": {"renamed": 12, "symbolic_link": 11},
    "document-preparation.strace.zst": {"renamed": 24, "symbolic_link": 101},
    "kernel-build.strace.zst": {"renamed": 29, "symbolic_link": 27},
    "parallel-io-mpi.strace.zst": {"symbolic_link": 60},
    "software-development-ff.tar.zst": {
        "renamed": 7,
        "symbolic_link": 26,
        "without_name": 252,
    },
}

Sums = Counter[tuple[str, str]]
"""Bytes by direction, "read" or "write", and the kernel's path."""

CALLS = r"p?(?:read|write)(?:v2?|64)?|sendfile|copy_file_range|splice|openat|(?:rename|link)(?:at2?)?"
LINE = re.compile(
    rf"^(?:(\d+) +)?[\d.]+ (<\.\.\. )?({CALLS})(?(2) resumed>|\()(.*?)( <unfinished \.\.\.>)?$".encode(), re.M
)
RETURNED = re.compile(rb"\) += \d+(?:<(/[^<>]*)>)?(?: <[\d.]+>)?$")
FD = r"\d+(?:<(/[^<>]*|[A-Z][^<>]*)>|<[^<>]*(?:<[^<>]*>)?>)?(?:\(deleted\))?"
DEVICE = re.compile(rb"/dev/(?!shm/)")
ONE = re.compile(FD.encode())
TWO = re.compile(rf"{FD}, (?:(?:NULL|\[[^\]]*\]), )?{FD}".encode())
AT = r"(?:(?:AT_FDCWD|-?\d+)(?:<([^<>]*)>)?, )?"
NAME = re.compile(rf'{AT}"([^"\\]*)", '.encode())
NAMES = re.compile(rf'{AT}"([^"\\]*)", {AT}"([^"\\]*)"'.encode())


def calls(text: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The name, and arguments with the result, of each call, those that were interrupted in the log included."""
    begun: dict[bytes, bytes] = {}
    for pid, resumed, name, half, unfinished in LINE.findall(text):
        whole = begun.pop(pid, b"") + half if resumed else half
        if unfinished:
            begun[pid] = whole
        else:
            yield name, whole


class Log:
    """Facts of a log's text: bytes moved by path, what names resolved to, and renames."""

    def __init__(self) -> None:
        self.moved: Sums = Counter()
        self.led_to: dict[str, set[str]] = defaultdict(set)
        self.became: set[tuple[str, str]] = set()

    def read(self, text: bytes) -> None:
        for name, call in calls(text):
            if returned := RETURNED.search(call):
                if name == b"openat":
                    self.opened(call, returned[1])
                elif name.startswith((b"rename", b"link")):
                    self.renamed(call)
                else:
                    self.add(name, call, int(returned[0].split()[2]))

    def add(self, name: bytes, call: bytes, moved: int) -> None:
        copies = name in (b"sendfile", b"copy_file_range", b"splice")
        if not (words := (TWO if copies else ONE).match(call)):
            return
        source, target = words[1], words[2 if copies else 1]
        if name == b"sendfile":
            source, target = target, source
        for operation, path in (("read", source), ("write", target)):
            if path and not DEVICE.match(path) and (copies or operation in name.decode()):
                self.moved[operation, path.decode()] += moved

    def opened(self, call: bytes, path: bytes | None) -> None:
        if path and (words := NAME.match(call)):
            directory, name = (word.decode() for word in words.groups(b""))
            self.led_to[posixpath.normpath(posixpath.join(directory, name))].add(path.decode())

    def renamed(self, call: bytes) -> None:
        if words := NAMES.match(call):
            self.became.add((posixpath.normpath(words[2].decode()), posixpath.normpath(words[4].decode())))


def texts(path: Path) -> Iterator[bytes]:
    """The logs of a trace, one for each thread where it was recorded so."""
    with pa.input_stream(str(path), compression="zstd") as stream:
        if ".tar" not in path.suffixes:
            yield stream.read()
            return
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                if file := archive.extractfile(member):
                    yield file.read()


# What read and write calls moved of each file: the whole reads of programs and libraries are no such calls.
BY_FILE = """
with whole_reads as (select distinct time_ns from syscall where call in ('execve', 'execveat', 'mmap'))
select operation, file.path, sum(length)::bigint
from reference join file using (file)
where operation in ('read', 'write') and type in ('datafile', 'executable')
and flags is distinct from 'mapped'
and not (type = 'executable' and offset_source = 'explicit' and "offset" = 0
         and exists (from whole_reads where whole_reads.time_ns = reference.time_ns))
group by all
"""


class Same:
    """Which names stand for one file in all that is compared."""

    def __init__(self) -> None:
        self.above: dict[str, str] = {}

    def name(self, name: str) -> str:
        while name in self.above:
            name = self.above[name]
        return name

    def join(self, name: str, other: str) -> None:
        if self.name(name) != self.name(other):
            self.above[self.name(name)] = self.name(other)


def compare(store: Store, log: Log) -> dict[str, int]:
    """Compare the sums of all files; return how many names were brought together, by cause."""
    rows = store.connect(views=[]).execute(BY_FILE).fetchall()
    kernels = {path for _, path in log.moved}
    causes: dict[str, set[str]] = defaultdict(set)
    same = Same()
    for old, new in log.became:
        for path in [path for path in kernels if path == old or path.endswith("/" + old)]:
            other = posixpath.join(path.removesuffix(old), new)
            if other in kernels:
                causes["renamed"].add(path)
                same.join(path, other)

    def kernels_name(name: str) -> str:
        if re.search(r"/#\d+$", name):
            causes["without_name"].add(name)
            return posixpath.dirname(name) + "/#"
        if name not in kernels:
            # where /lib is taken for a link to usr/lib, the log's opens have the name before that
            for end in log.led_to.get(name, ()) or log.led_to.get(name.removeprefix("/usr"), ()):
                causes["symbolic_link"].add(name)
                return same.name(end)
        return same.name(name)

    ours: Sums = Counter()
    for operation, path, moved in rows:
        name = kernels_name(path)
        if path.startswith("fd:"):
            causes["not_opened"].add(path)
            name = "not opened"
        ours[operation, name] += moved
    known = {name for _, name in ours}
    theirs: Sums = Counter()
    for (operation, path), moved in log.moved.items():
        name = kernels_name(path)
        is_on_disk = name.startswith("/") and not name.startswith("/dev/")
        if name in known or is_on_disk:  # sockets and terminals from before the trace are not files on a disk
            theirs[operation, name if name in known else "not opened"] += moved
    assert +ours == +theirs
    return {cause: len(names) for cause, names in causes.items()}


@pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of large traces")
@pytest.mark.parametrize("name", EXPECTED)
def test_bytes_of_each_file_equal_a_sum_over_the_log(tmp_path: Path, name: str) -> None:
    trace = Path(str(TRACES)) / "strace" / name
    log = Log()
    for text in texts(trace):
        log.read(text)
    assert compare(ingest([trace], tmp_path / "x.iotrace"), log) == EXPECTED[name]
