"""A few small traces in every format of the registry, made here or read where IOTRACE_TRACES says real ones are."""

import io
import os
import random
import struct
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from iotrace import formats
from tests.formats import darshan_logs
from tests.formats.key_samples import NAMED as NAMED_KEYS
from tests.formats.key_samples import TEXTS
from tests.formats.perf_logs import FTRACE, OPENSNOOP, SCRIPT, TRACE
from tests.formats.samples import NAMED
from tests.formats.samples import SAMPLES as DISK_SAMPLES
from tests.formats.umd_traces import LAYOUTS, Record, binary, text

HERE = Path(__file__).parent
TESTS = HERE.parent
MANY_REQUESTS = b"op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n" + b"".join(
    b"%d,k%d,2,GET_LEASE,%d,10,0,60,u,s\n" % (second, second % 3, 1 + 37 * second % 500)
    for second in range(40)
)
"""Lines that stand for more requests each than the trace has lines."""
WITHOUT_REFERENCES = (
    b'7 1.000000 openat(AT_FDCWD, "/f", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000010>\n'
    b"7 1.000100 fsync(5) = -1 EBADF (Bad file descriptor) <0.000002>\n"
    b"7 1.000200 +++ exited with 0 +++\n"
)
HEAD_BYTES = 12_000
"""How much is taken of a real trace."""


@dataclass(frozen=True)
class Sample:
    """A trace of a format, or another kind of input (see `inputs`): its files by name.

    The options are those without which a trace is not read as that format; the commands are those that read other
    inputs.
    """

    format: str
    files: Mapping[str, bytes]
    options: tuple[str, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()

    @property
    def content(self) -> bytes:
        """The first file."""
        return next(iter(self.files.values()))


def one(form: str, content: bytes, *options: str) -> Sample:
    """Return a sample of one file."""
    return Sample(form, {"trace": content}, options)


def samples() -> dict[str, list[Sample]]:
    """Return the samples by format, in the registry's order."""
    found: dict[str, list[Sample]] = {form.name: [] for form in formats.FORMATS}
    for sample in (*_calls(), *_disks(), *_keys(), *_parallel(), *_real()):
        found[sample.format].append(sample)
    return found


def _calls() -> Iterator[Sample]:
    copy = (TESTS / "cli" / "copy.strace").read_bytes()
    yield one("strace", copy)
    yield one("strace", (HERE.parents[1] / "iotrace/engine/core/examples/fuzz/seeds.strace").read_bytes())
    yield Sample("strace", _by_thread(copy))
    yield one("strace", WITHOUT_REFERENCES)
    yield one("perf", TRACE)
    yield one("perf", SCRIPT)
    yield one("ftrace", FTRACE)
    yield one("opensnoop", OPENSNOOP)
    yield one("iorec", _recording())
    yield one("ultrix", (HERE / "samples" / "copy.ultrix").read_bytes())


def _by_thread(log: bytes) -> dict[str, bytes]:
    """Return the files that ``strace -ff`` would have written."""
    files: dict[str, bytes] = {}
    for line in log.splitlines(keepends=True):
        thread, _, rest = line.partition(b" ")
        name = f"trace.{thread.decode()}"
        files[name] = files.get(name, b"") + rest.lstrip()
    return files


def _disks() -> Iterator[Sample]:
    yield one("iorec-block", (HERE / "samples" / "requests.iorec").read_bytes())
    for form, content in DISK_SAMPLES.values():
        if form.startswith("csv:"):
            yield one("csv", content, "--trace-format", form)
            yield one("csv", content, "--trace-format", "csv:offset=4,length=2:4K,time=1:ms,op=3:0/1")
        else:
            named = ("--trace-format", form) if form.startswith(NAMED) else ()
            yield one(form, content, *named)


def _keys() -> Iterator[Sample]:
    for form, (lines, _) in TEXTS.items():
        yield one(form, lines.encode())
    for form, (content, _) in NAMED_KEYS.items():
        yield one(form, content, "--trace-format", form)
    yield one("meta-kv-2024", MANY_REQUESTS)
    records = _oracle_records()
    yield one("oracle-general", records)
    mark = struct.pack("<Q", 0x1234_5678_9ABC_DEF0)
    yield one("lcs", (mark + struct.pack("<Q", 1)).ljust(1016, b"\0") + mark + records)


def _oracle_records() -> bytes:
    """Return oracleGeneral records whose objects are hashes, and none of which says when its object comes again."""
    objects = [0x9E37_79B9_7F4A_7C15 * (place % 7) % (1 << 64) for place in range(40)]
    return b"".join(struct.pack("<IQIq", place, key, 1 + place % 3, -1) for place, key in enumerate(objects))


def _recording() -> bytes:
    """Return a recording of BPF programs: a program that is started, opens a file, reads of it and ends."""
    start = "machine x86_64\nrealtime_ns 1700000000000000000\nmonotonic_ns 1000\ndirectory /d\n" + "".join(
        f"call {number} {name} {shape:x}\n"
        for number, name, shape in (
            (0, "read", 1),
            (3, "close", 1),
            (59, "execve", 0x101),
            (257, "openat", 0x2_0000_0201),
        )
    )
    records = [
        (4097, 0b1001_0100, 10, 0, 0, {0: 7}, (b"/bin/p", b"p\0-x\0")),
        (59, 0b1000_0011, 5, 20, 0, {}, ()),
        (257, 0b1000_0111, 30, 4, 3, {2: 0x80000}, (b"/d/a",)),
        (0, 0b1000_0011, 3, 2, 100, {0: 3, 2: 4096}, ()),
        (3, 0b1000_0011, 3, 2, 0, {0: 3}, ()),
        (4098, 0b1000_0011, 9, 0, 0, {0: 256}, ()),
    ]
    calls = b"".join(_record(*record) for record in records)
    blocks = [(1, start.encode()), (4, b"process 7\n"), (2, calls), (5, b"records 6\nstatus 1\n")]
    return b"\x89IOREC\r\n\x01\0\0\0" + b"".join(_block(*block) for block in blocks)


def _block(kind: int, contents: bytes) -> bytes:
    """Return a block of a recording."""
    head = struct.pack("<9Q", kind, 0, 2000, 0, 0, 0, 0, 0, 0)
    frame = pa.compress(head + contents, codec="zstd", asbytes=True)
    return struct.pack("<B3xI", kind, len(frame)) + frame


def _record(
    number: int,
    bits: int,
    later: int,
    took: int,
    result: int,
    changed: dict[int, int],
    texts: tuple[bytes, ...],
) -> bytes:
    """Return a record: what it shares with the last one and has, its times, and its arguments and names."""
    threads = [7] * (not bits & 1) + [7] * (not bits & 2)
    numbers = [number << 8 | bits, *threads, 2 * later, took, 2 * result]
    mask = sum(1 << place for place in changed)
    parts = b"".join(map(_number, numbers)) + bytes([mask])
    parts += b"".join(_number(2 * changed[place]) for place in sorted(changed))
    return parts + b"".join(_number(len(text)) + text for text in texts)


def _number(value: int) -> bytes:
    """Return a number in groups of seven bits, the lowest first."""
    groups = []
    while value >= 128:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes([*groups, value])


def _parallel() -> Iterator[Sample]:
    for path in sorted((HERE / "samples").iterdir()):
        form = path.name.split(".")[0]
        if any(form == known.name for known in formats.FORMATS):
            yield one(form, path.read_bytes())
    recorder = (HERE / "samples" / "recorder-text.txt").read_bytes()
    yield Sample("recorder-text", {"0.txt": recorder, "1.txt": recorder})
    yield from _recorder_files()
    events = (HERE / "samples" / "dftracer.0.pfw").read_bytes()
    yield Sample("dftracer", {"app-0.pfw": events, "app-1.pfw": events.replace(b'"pid":"5"', b'"pid":"6"')})
    for content in _recorder_tables():
        yield one("recorder-parquet", content)
    yield from _umd()
    for content in _darshan():
        yield one("darshan", content)
        yield one("darshan-jobs", content, "--trace-format", "darshan-jobs")


def _darshan() -> Iterator[bytes]:
    chance = random.Random(1)
    accesses = [(n * 4096, 4096, n / 4, n / 4 + 0.1) for n in range(5)]
    for form, order in (("3.41", "<"), ("3.21", ">"), ("3.00", "<")):
        regions = darshan_logs.one_of_each(order, chance, form)
        regions["DXT_POSIX"] = darshan_logs.dxt(1, order, False, [(1, 0, "n", accesses, accesses)])
        yield from (darshan_logs.log(regions, form, order, compression) for compression in (0, 2))
    yield from (darshan_logs.old_log(form, ">", 2, chance)[0] for form in ("1.24", "2.06"))


def _umd() -> Iterator[Sample]:
    records = [
        Record(op, 1, pid, op % 2, 0.5 * op, 4096 * op, 4096) for pid in (7, 9) for op in (0, 2, 3, 4, 2, 1)
    ]
    lists = [
        Record(5, 2, 7, 0, 1.0, 0, 0),
        Record(2, 1, 7, 0, 1.0, 0, 512),
        Record(2, 1, 7, 0, 1.0, 1024, 512),
    ]
    names = ["/data/a", "/data/b"]
    for words in (False, True):
        yield one("umd-ascii", text(names, records + lists, words).encode())
    for layout in LAYOUTS:
        made = binary(names, records + lists, layout)
        yield one("umd", made)
        yield one(layout, made, "--trace-format", layout)


def _recorder_files() -> Iterator[Sample]:
    for packed in sorted((TESTS / "formats" / "recorder").glob("*.tar.gz")):
        with tarfile.open(packed) as archive:
            files = [member for member in archive if member.isfile() and "_text" not in member.name]
            opened = {Path(member.name).name: archive.extractfile(member) for member in files}
            yield Sample("recorder", {name: file.read() for name, file in opened.items() if file})


def _recorder_tables() -> Iterator[bytes]:
    """Return what recorder2parquet writes, and the table that the analysis tools make of it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    calls = [("open", "/data/x", "66"), ("write", "/data/x", "0x7f", "100"), ("lseek", "/data/x", "10", "0"),
             ("read", "/data/x", "0x7f", "50"), ("close", "/data/x")]  # fmt: skip
    shared = {
        "rank": pa.array([place % 2 for place in range(len(calls))], pa.int32()),
        "tstart": pa.array([float(place) for place in range(len(calls))], pa.float32()),
        "tend": pa.array([place + 0.5 for place in range(len(calls))], pa.float32()),
        "func_id": [call[0] for call in calls],
    }
    arguments = {
        f"args_{place}": [call[place] if place < len(call) else "" for call in calls]
        for place in range(1, 11)
    }
    sizes = {"file_name": ["/data/x"] * len(calls), "size": pa.array([0, 100, 10, 50, 0], pa.int64())}
    for further in (arguments, sizes):
        out = io.BytesIO()
        pq.write_table(pa.table({**shared, **further}), out)
        yield out.getvalue()


REAL = {
    "strace": (
        "strace/samples/options/tt_T_y.log",
        "strace/samples/options/ttt_T_yy.log",
        "strace/samples/options/stderr_pid.log",
        "strace/samples/options/xx_Xraw.log",
        "strace/samples/options/evil_names.log",
        "strace/samples/options/r.log",
        "strace/mail-server-r.strace.zst",
    ),
    "blktrace": ("block/blktrace/takeoverjp/sample.blktrace.0", "block/blktrace/isotopp/keks.blktrace.0"),
    "blkparse": ("block/blktrace/takeoverjp/sample.blkparse.txt",),
    "fio-iolog": ("fio/seqrw4files.iolog.zst", "fio/t0038.iolog"),
    "vscsi": ("block/cloudPhysicsIO.vscsi.zst",),
    "oracle-general": ("block/cloudPhysicsIO.oracleGeneral.bin.zst",),
    "msr-cambridge": ("block/msr-cambridge1-sample.csv",),
    "systor17": ("block/systor17-traces-sample.csv.gz",),
    "tencent": ("block/cloud_storage-sample.bz2",),
    "mqsim": ("block/mqsim-tpcc-small.trace.zst",),
    "disksim": ("disksim/ascii.trace.zst",),
    "disksim-validate": ("disksim/dec_rz26.trace.zst",),
    "hp-srt": ("disksim/ajw.1week.srt.zst",),
    "darshan-dxt": ("parallel/darshan/sample-dxt-simple.dxt.txt.zst",),
    "dftracer": ("parallel/dftracer/python-posix-child.pfw", "parallel/dftracer/test.pfw"),
    "umd-ascii": ("umd/synthetic.asc",),
    "umd": ("umd/synthetic_be32.bin", "umd/synthetic_le64_asc2bin.bin"),
}
"""Real traces, of which the beginnings are taken."""
REAL_WHOLE = {
    "darshan": (
        "parallel/darshan/sample-dxt-simple.darshan",
        "parallel/darshan/mpi-io-test-x86_64-3.5.0.darshan",
    ),
}
REAL_IN_ARCHIVES = {"recorder-parquet": ("parallel/dfanalyzer/recorder-posix-parquet.tar.gz",)}


def _real() -> Iterator[Sample]:
    if not os.environ.get("IOTRACE_TRACES"):
        return
    folder = Path(os.environ["IOTRACE_TRACES"])
    for form, names in REAL.items():
        yield from (one(form, _head(folder / name)) for name in names if (folder / name).is_file())
    for form, names in REAL_WHOLE.items():
        yield from (one(form, (folder / name).read_bytes()) for name in names if (folder / name).is_file())
    for form, names in REAL_IN_ARCHIVES.items():
        yield from (one(form, _first_member(folder / name)) for name in names if (folder / name).is_file())


def _head(path: Path) -> bytes:
    """Return the beginning of a trace, decompressed, to the end of a line where it is text."""
    from iotrace.engine import native

    head = bytes(native.first_bytes(path, 65_536))[:HEAD_BYTES]
    return head[: head.rfind(b"\n") + 1] if b"\0" not in head else head


def _first_member(path: Path) -> bytes:
    with tarfile.open(path) as archive:
        smallest = min(
            (one for one in archive if one.isreg() and one.name.endswith(".parquet")),
            key=lambda one: one.size,
        )
        return archive.extractfile(smallest).read()  # type: ignore[union-attr]
