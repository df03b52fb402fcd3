"""What the engine reads of parallel traces gives the same tables, skips and counts as slow readers in Python."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from blocks_of_lines import in_blocks
from dftracer_twin import DftracerTwin
from dxt_twin import DxtTwin
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_tests import examples
from recorder_twin import RecorderTwin
from umd_twin import UmdTwin

from iotrace import formats, schemas
from iotrace.errors import IotraceError
from iotrace.formats.parallel_io.run import ParallelRun


def dxt_lines(chance: random.Random, count: int) -> Iterator[str]:
    """Give rows and headers of DXT's text, the header of a file before the first row most often."""
    if chance.random() < 0.8:
        yield from ("# darshan log version: 3.21", f"# start_time: {chance.choice([0, 1500000000])}")
        yield "# DXT, file_id: 7, file_name: /first"
    for _ in range(count):
        kind = chance.random()
        if kind < 0.1:
            name = chance.choice(["/a b", "/c", "(null)", "/\N{GREEK SMALL LETTER ALPHA}"])
            yield f"# DXT, file_id: {chance.randrange(3)}, file_name: {name}"
        elif kind < 0.2:
            yield f"# DXT, rank: {chance.randrange(3)}, hostname: {chance.choice(['n1', 'n2', ''])}"
        elif kind < 0.24:
            yield chance.choice(
                [
                    "",
                    "# DXT, mnt_pt: /, fs_type: x",
                    "# *ERROR: The trace is incomplete",
                    "# end_time: 7",
                    "#",
                    "# start_time: 99999999999999999999",
                    "# start_time: 9223372036",
                    "  ",
                ]
            )
        else:
            start = chance.random() * 100
            end = start + chance.choice([-0.1, 0, 0.5, 1e9])
            targets = chance.choice(["", "", " [1] [22]", "  [  3]"])
            thread = chance.choice(["", "", " 77", " N/A", " x7", " N7"])
            yield (
                f" X_{chance.choice(['POSIX', 'MPIIO', 'STDIO'])} {chance.randrange(4):8d}"
                f"  {chance.choice(['read', 'write'])} 3 {chance.choice([-1, 0, 512, 2**40])}"
                f"\t{chance.choice([0, 100, 2**44])}  {start:.4f} {end:10.4f}{targets}{thread}"
            )


def umd_lines(chance: random.Random, count: int) -> Iterator[str]:
    """Give a header and records of a UMD trace."""
    if chance.random() < 0.9:
        files = chance.randrange(4)
        yield f"{chance.randrange(4)} {chance.choice([files, files + 1])} {count}"
        yield from (f"{len(name)} {name}" for name in [f"/f{number}" for number in range(files)])
    time = 0.0
    for _ in range(count):
        time += chance.random() - 0.1
        words = [*map(str, range(7)), "READ", "write", "listio_header", "list_io", "Seek"]
        weights = [1, 1, 4, 4, 1, 2, 1, 1, 1, 1, 1, 1]
        (operation,) = chance.choices(words, weights)
        yield (
            f"{operation} {chance.choice([0, 1, 2, 5, 10**17])} {chance.randrange(3)} {chance.randrange(4)}"
            f" {max(0, time):f} x {chance.choice([0, 7, 2**62])} {chance.choice([0, 4096, 2**44 + 1])}"
        )


def recorder_lines(chance: random.Random, count: int) -> Iterator[str]:
    """Give lines of Recorder's text."""
    time = 0.0
    for _ in range(count):
        time += chance.random() - 0.1
        path = chance.choice(["/a/b", "/a b", "/a  b", "/\N{GREEK SMALL LETTER ALPHA}", "7", "(x)", "/c"])
        size, items, place = (
            chance.choice([0, 1, 512, 2**45]),
            chance.choice([1, 7, -1]),
            chance.choice([0, 99, -5]),
        )
        name, arguments = chance.choice(
            [
                ("open", f"{path} 577 438"),
                ("open64", f"{path} 1089"),
                ("open", path),
                ("creat", f"{path} 420"),
                ("fopen", f"{path} {chance.choice(['r', 'a+', 'wb'])}"),
                ("fopen", path),
                ("close", path),
                ("fclose", path),
                ("read", f"{path} 0x7ff {size}"),
                ("write", f"{path} %p {size}"),
                ("pread64", f"{path} %p {size} {place}"),
                ("pwrite", f"{path} %p {size} {place}"),
                ("readv", f"{path} {size} 3"),
                ("preadv2", f"{path} {size} 3 {place}"),
                ("fread", f"%p {size} {items} {path}"),
                ("fwrite", f"%p {size} {items} {path}"),
                ("lseek", f"{path} {place} {chance.choice([0, 1, 2, 3, 'x'])}"),
                ("ftruncate", f"{path} {size}"),
                ("fsync", path),
                ("unlink", path),
                ("MPI_Barrier", chance.choice(["", "comm"])),
                ("MPI_File_open", "comm /f 1"),
                ("H5Fopen", "/f"),
                ("read", path),
                ("lseek", ""),
            ]
        )
        kind = chance.choice([0, 0, 0, 1, 2, 3, 4, 5])
        end = time + chance.choice([-1e-4, 0, 1e-5, 1e9])
        yield f"{abs(time):.7f} {abs(end):.6f} {name} {chance.randrange(3)} {kind} ( {arguments} )"


OTHER_CALLS = (
    "lseek", "fseek", "ftruncate", "fsync", "unlink", "mkdir", "MPI_Barrier", "__lxstat64", "access", "opendir",
    "readdir", "rename", "symlink", "readlink", "fchmod", "fcntl",
)  # fmt: skip


def dftracer_lines(chance: random.Random, count: int) -> Iterator[str]:
    """Give events of DFTracer in one of three dialects."""
    dialect = chance.choice(["text", "hashes", "hexadecimal"])
    call, told = (1, 4) if dialect == "hexadecimal" else ("X", "M")

    def number(value: int) -> Any:
        return str(value) if dialect == "text" or chance.random() < 0.02 else value

    def hashed(value: int) -> Any:
        return f"{value:x}" if dialect == "hexadecimal" else 9509357668201227806 + value

    if chance.random() < 0.8:
        yield "["
    time = chance.choice([100, 1_698_080_323_775_554])
    for serial in range(count):
        time += chance.randrange(-5, 100)
        if chance.random() < 0.15:
            kind, name, value = chance.choice(
                [
                    ("FH", "/a", hashed(1)),
                    ("HH", "n1", hashed(0)),
                    ("CM", "time_metric", "NS"),
                    ("SH", "x", hashed(5)),
                ]
            )
            event = {
                "name": kind,
                "cat": "dftracer",
                "pid": 7,
                "ph": told,
                "args": {"name": name, "value": value},
            }
            yield json.dumps(event, separators=(",", ":"))
            continue
        arguments: dict[str, Any] = {}
        if dialect == "text":
            arguments["hostname"] = chance.choice(["n1", "n2"])
            arguments["fname"] = chance.choice(
                ["/a b", "/c", "/\N{GREEK SMALL LETTER ALPHA}", 'q"', "hash:3"]
            )
        else:
            arguments["hhash"], arguments["fhash"] = hashed(chance.randrange(2)), hashed(chance.randrange(4))
        names = (
            "ret",
            "count",
            "nmemb",
            "size",
            "offset",
            "whence",
            "fd",
            "flags",
            "mode",
            "length",
            "level",
            "x",
        )
        for name in chance.sample(names, chance.randrange(len(names))):
            arguments[name] = chance.choice(
                [number(n) for n in (0, 1, 2, 66, 512, 1089)] + ["r", "ab", number(-1)]
            )
        if chance.random() < 0.05:
            arguments.pop(chance.choice(list(arguments)))
        if chance.random() < 0.05:
            arguments["more"] = chance.choice([1.5, None, True, [1], {"a": 1}])
        event = {
            "id": number(serial),
            "name": chance.choice(
                [
                    "read",
                    "write",
                    "pread",
                    "read",
                    "write",
                    "pwrite64",
                    "open64",
                    "fopen",
                    "close",
                    "fread",
                    "fwrite",
                ]
                if chance.random() < 0.7
                else list(OTHER_CALLS)
            ),
            "cat": chance.choice(["POSIX"] * 6 + ["STDIO"] * 2 + ["APP"]),
            "pid": number(chance.choice([7, 8])),
            "tid": number(chance.choice([7, 9])),
            "ts": number(time + chance.choice([0] * 50 + [10**17])),
            "dur": number(chance.choice([0, 5, -1])),
            "ph": chance.choice([call] * 15 + ["C"]),
            "args": arguments,
        }
        if chance.random() < 0.03:
            event.pop(chance.choice(list(event)))
        spaces = ("," if chance.random() < 0.97 else ", ", ":")
        yield json.dumps(event, separators=spaces, ensure_ascii=chance.random() < 0.5) + chance.choice(
            ["", "", ","]
        )
    if chance.random() < 0.5:
        yield "]"


TWINS = {
    "darshan-dxt": DxtTwin,
    "dftracer": DftracerTwin,
    "recorder-text": RecorderTwin,
    "umd-ascii": UmdTwin,
}
"""The slow readers of formats."""
LINES: dict[str, Callable[[random.Random, int], Iterator[str]]] = {
    "darshan-dxt": dxt_lines,
    "umd-ascii": umd_lines,
    "recorder-text": recorder_lines,
    "dftracer": dftracer_lines,
}


def hurt(chance: random.Random, line: str) -> bytes:
    """Return a line damaged in one of many ways."""
    at = chance.randrange(len(line) + 1)
    fields = line.split(" ")
    field = chance.randrange(len(fields))

    def with_field(text: str) -> str:
        return " ".join([*fields[:field], text, *fields[field + 1 :]])

    ways = (
        lambda: "",
        lambda: line[:at],
        lambda: line[at:],
        lambda: line + " further",
        lambda: line + "\r",
        lambda: f"\t{line} \N{NO-BREAK SPACE}",
        lambda: line[:at] + " " + line[at:],
        lambda: with_field(f"-{fields[field]}"),
        lambda: with_field(f"+{fields[field]}"),
        lambda: with_field(f"{fields[field]}."),
        lambda: with_field(
            chance.choice(["999999999999999999", "9999999999999999999", "9" * 30, "2147483648"])
        ),
        lambda: with_field(
            chance.choice(["1e5", "5.7", ".5", "1.2.3", "0x10", "1_000", "007", "nan", "-0.5"])
        ),
        lambda: with_field("\N{ARABIC-INDIC DIGIT FIVE}"),
        lambda: with_field(fields[field].swapcase()),
        lambda: "#" + line,
        lambda: " ".join([*fields[:field], *fields[field + 1 :]]),
    )
    damaged = chance.choice(ways)().encode()
    if chance.random() < 0.1:
        damaged = damaged[:at] + bytes([chance.choice([0, 11, 28, 128, 255])]) + damaged[at:]
    return damaged.replace(b"\n", b"")


def text(chance: random.Random, name: str, count: int) -> bytes:
    """Return some lines of a trace, some of them damaged."""
    damaged = chance.choice([0, 0.05, 0.5])
    lines = [
        hurt(chance, line) if chance.random() < damaged else line.encode()
        for line in LINES[name](chance, count)
    ]
    return b"\n".join(lines) + chance.choice([b"", b"\n"])


Outcome = tuple[dict[str, list[dict[str, Any]]], dict[str, Any]]


def everything(paths: list[Path], name: str, slowly: bool) -> Outcome:
    """Return the rows of each table of a run, and its report, or its error; with `slowly` Python reads the lines."""
    made: dict[str, list[dict[str, Any]]] = {}
    skipped: dict[str, Any] = {}
    try:
        run = formats.source(paths, name).start(paths, {}, "time", None)
        assert isinstance(run, ParallelRun)
        if slowly:
            twin = TWINS[name](run.source.reading.paths)
            twin.notes.warnings += run.source.notes.warnings
            run.source = twin
        skipped = run.skips.reasons
        while (batches := run.next()) is not None:
            for table, batch in batches:
                batch.validate(full=True)
                assert batch.schema == schemas.schema(table)
                made.setdefault(table, []).extend(pa.Table.from_batches([batch]).to_pylist())
    except IotraceError as error:
        return {}, {"error": str(error), "skipped": skipped}
    report = run.report()
    return made, report | {"order": [list(report[name]) for name in ("remarks", "skipped", "seen")]}


@pytest.mark.parametrize("name", LINES)
@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), lines=st.integers(1, 60), lines_each=st.integers(1, 40))
def test_lines_read_by_the_engine_give_what_python_gives(
    tmp_path: Path, name: str, seed: int, lines: int, lines_each: int
) -> None:
    path = tmp_path / "t"
    path.write_bytes(text(random.Random(seed), name, lines))
    with pytest.MonkeyPatch.context() as patch:
        in_blocks(patch, lines_each)
        fast, slow = (everything([path], name, slowly) for slowly in (False, True))
    assert fast == slow


@pytest.mark.parametrize("name", LINES)
@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), lines=st.integers(1, 30))
def test_several_files_read_by_the_engine_give_what_python_gives(
    tmp_path: Path, name: str, seed: int, lines: int
) -> None:
    chance = random.Random(seed)
    paths = [tmp_path / "1", tmp_path / "2"]
    for path in paths:
        path.write_bytes(text(chance, name, lines))
    assert everything(paths, name, False) == everything(paths, name, True)
