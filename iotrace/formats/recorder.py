"""Recorder's own files, versions 2.3 to 2.5: a folder with VERSION, recorder.mt and the files of each rank.

``recorder.mt`` has the number of ranks, the unit of times and the names of functions. ``RANK.cst`` has the distinct
calls (thread, function, level, arguments), ``RANK.cfg`` a grammar whose rule -1 expands to the numbers of the
rank's calls in their order, ``RANK.ts`` start and end of each call since the start of the call before. Where
processes were compressed together, all share ``0.cst``, and ``ug.mt`` has the number of each rank's grammar. The
calls are read as the lines that recorder2text writes of them (`recorder_text`). Versions 3 have other files.
"""

from __future__ import annotations

import math
import re
import struct
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.families import PARALLEL
from iotrace.files.of_trace import FIRST as METADATA
from iotrace.files.of_trace import files_of
from iotrace.formats.format import Format, Run
from iotrace.formats.parallel_io.run import ParallelRun
from iotrace.formats.recorder_text import RecorderSource

FUNCTIONS = b"creat\ncreat64\nopen\nopen64\nclose\n"
"""The first names in recorder.mt."""
VERSIONS = ("2.3", "2.4", "2.5")
USER_FUNCTION = 255
POSIX, MPIIO, MPI, HDF5, USER = range(5)
START_RULE = -1
LINES = 1 << 16
"""How many calls are turned into lines at a time."""
MOST_RANKS = 1 << 24
ELSEWHERE = "recorder2text of its version writes text that iotrace reads"

Rules = Mapping[int, Sequence[tuple[int, int]]]


class Damaged(ValueError):
    """Files that contradict each other, or end too early."""


class RecorderFiles(RecorderSource):
    """The calls of a folder, rank after rank."""

    unit = "call"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.version = _version(folder)
        try:
            self._read_metadata((folder / METADATA).read_bytes())
        except (struct.error, Damaged) as error:
            raise IotraceError(f"{folder / METADATA}: is damaged: {error}") from None
        super().__init__([folder / f"{rank}.ts" for rank in range(self.ranks)])
        self._blocks = self.blocks()

    def _read_metadata(self, content: bytes) -> None:
        self.ranks, self.resolution_s = struct.unpack_from("<i12xd", content)
        start = content.find(FUNCTIONS)
        if start < 0 or not 0 < self.ranks <= MOST_RANKS or not 0 < self.resolution_s < 1:
            raise Damaged("it has no functions, ranks or unit of times")
        self.decimals = max(0, int(math.log10(1 / self.resolution_s)))
        is_merged = self.version != "2.3" and struct.unpack_from("<i", content, 32)[0] != 0
        self.functions = content[start:].decode("utf-8", "replace").split("\n")[:-1]
        self.grammars = list(range(self.ranks))
        self.is_merged = is_merged
        if is_merged:
            self.grammars = list(struct.unpack_from(f"<{self.ranks}i", (self.folder / "ug.mt").read_bytes()))

    def next(self) -> Any:
        """Return the next calls of a rank."""
        ranked = next(self._blocks, None)
        if ranked is None:
            return None
        self.rank, block = ranked
        return self.read(block)

    def progress(self) -> tuple[int, int | None]:
        """Return nothing read, of an unknown number of bytes: the files are compressed."""
        return 0, None

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines of calls, many at a time, each with its rank."""
        shared: list[str] | None = None
        for rank in range(self.ranks):
            try:
                if not self.is_merged or shared is None:
                    shared = self._calls((self.folder / f"{0 if self.is_merged else rank}.cst").read_bytes())
                rules = _rules((self.folder / f"{self.grammars[rank]}.cfg").read_bytes())
                times = array("I", _whole((self.folder / f"{rank}.ts").read_bytes(), 8))
                yield from ((rank, block) for block in self._lines(shared, rules, times))
            except FileNotFoundError as error:
                self.notes.damage.append(
                    f"{error.filename}: is missing: the calls of rank {rank} are left out"
                )
            except (struct.error, Damaged, MemoryError) as error:
                self.notes.damage.append(f"{self.folder}: the files of rank {rank} are damaged: {error}")

    def _calls(self, content: bytes) -> list[str]:
        """Return the different calls by their number, as the end of a line."""
        (count,) = struct.unpack_from("<i", content)
        at, form = 4, "<ii" if self.version == "2.3" else "<i4xi4x"
        calls: dict[int, str] = {}
        for _ in range(count):
            number, length = struct.unpack_from(form, content, at)
            at += struct.calcsize(form)
            if length < 15 or at + length > len(content):
                raise Damaged("a call is cut short")
            calls[number] = self._call(content[at : at + length])
            at += length
        if sorted(calls) != list(range(count)):
            raise Damaged("its calls are not numbered from 0")
        return [calls[number] for number in range(count)]

    def _call(self, content: bytes) -> str:
        function, level, arguments, length = struct.unpack_from("<8xBBBi", content)
        given = (
            content[15 : 15 + max(0, length)].decode("utf-8", "replace").replace("\n", "?").split(" ")[:-1]
        )
        if len(given) != arguments:
            raise Damaged("a call has another number of arguments than it says")
        if function == USER_FUNCTION:
            name, kind, given = given[1] if len(given) > 1 else "?", USER, []
        elif function < len(self.functions):
            name, kind = self.functions[function], self._kind(function)
        else:
            raise Damaged(f"a call is of function {function}, which has no name")
        return f" {name} {level} {kind} ({''.join(f' {text}' for text in given)} )\n"

    def _kind(self, function: int) -> int:
        """Return the library of a function: those of MPI follow those of POSIX, and those of HDF5 come last."""
        before = self.functions[: function + 1]
        if any("H5" in name for name in before):
            return HDF5
        if not any("MPI" in name for name in before):
            return POSIX
        return MPIIO if before[-1].startswith("MPI_File") else MPI

    def _lines(self, calls: Sequence[str], rules: Rules, times: Sequence[int]) -> Iterator[bytes]:
        lines: list[str] = []
        start_s, unit_s, decimals = 0.0, self.resolution_s, self.decimals
        at = 0
        for call in _expanded(rules, len(calls)):
            if at + 1 >= len(times):
                yield "".join(lines).encode()
                raise Damaged(f"it has times of {at // 2:,} calls, and more calls")
            before_s = start_s
            start_s = times[at] * unit_s + before_s
            lines.append(
                f"{start_s:.{decimals}f} {times[at + 1] * unit_s + before_s:.{decimals}f}{calls[call]}"
            )
            at += 2
            if len(lines) == LINES:
                yield "".join(lines).encode()
                lines = []
        if lines:
            yield "".join(lines).encode()
        if at < len(times):
            raise Damaged(f"it has times of {len(times) // 2:,} calls, and {at // 2:,} calls")


def _version(folder: Path) -> str:
    """Return the version of a folder; raises IotraceError for one that is not read."""
    try:
        text = (folder / "VERSION").read_text("utf-8", "replace")[:40]
    except OSError:
        raise IotraceError(
            f"{folder}: has no file VERSION, which Recorder writes beside {METADATA}"
        ) from None
    match = re.match(r"\d+\.\d+", text)
    if match is None or match[0] not in VERSIONS:
        shown = match[0] if match else "no version"
        raise IotraceError(
            f"{folder}: is of Recorder {shown}, whose files iotrace does not read (2.3 to 2.5 are read): {ELSEWHERE}"
        )
    return match[0]


def _whole(content: bytes, size: int) -> bytes:
    """Return the records of a size that are there whole."""
    return content[: len(content) // size * size]


def _rules(content: bytes) -> Rules:
    """Return the rules of a grammar: of each its symbols and how often each is repeated."""
    (count,) = struct.unpack_from("<i", content)
    at, rules = 4, {}
    for _ in range(count):
        number, symbols = struct.unpack_from("<ii", content, at)
        if not 0 <= symbols <= (len(content) - at) // 8:
            raise Damaged("its grammar is cut short")
        body = struct.unpack_from(f"<{2 * symbols}i", content, at + 8)
        rules[number] = list(zip(body[::2], body[1::2], strict=True))
        at += 8 + 8 * symbols
    if START_RULE not in rules:
        raise Damaged("its grammar has no first rule")
    return rules


def _expanded(rules: Rules, calls: int) -> Iterator[int]:
    """Yield the calls to which a grammar expands; rules of nothing, and those in a circle, are refused first."""
    _check(rules, calls)
    waiting = [(iter(rules[START_RULE]), 0, 0)]
    while waiting:
        symbols, rule, left = waiting.pop()
        if left:
            waiting.append((symbols, rule, left - 1))
            waiting.append((iter(rules[rule]), 0, 0))
            continue
        for symbol, repeats in symbols:
            if symbol < 0:
                waiting.append((symbols, symbol, repeats))
                break
            for _ in range(repeats):
                yield symbol


def _check(rules: Rules, calls: int) -> None:
    """Raise Damaged for a grammar that names unknown rules or calls, repeats nothing, or never ends."""
    below: dict[int, set[int]] = {}
    for number, body in rules.items():
        if not body and number != START_RULE:
            raise Damaged("its grammar has a rule of nothing")
        for symbol, repeats in body:
            if repeats < 1 or symbol >= calls or (symbol < 0 and symbol not in rules):
                raise Damaged("its grammar names what is not there")
        below[number] = {symbol for symbol, _ in body if symbol < 0}
    while done := [number for number, needs in below.items() if not needs]:
        for number in done:
            del below[number]
        for needs in below.values():
            needs.difference_update(done)
    if below:
        raise Damaged("its grammar goes in a circle")


def _recognises(head: bytes) -> bool:
    return FUNCTIONS in head[: 64 + len(FUNCTIONS)]


def _start(paths: Sequence[Path], model: Mapping[str, str], order: str, known_files: Path | None) -> Run:
    folders = sorted({path.parent for path in files_of(paths) if path.name == METADATA})
    if len(folders) != 1:
        raise IotraceError(
            f"{', '.join(map(str, paths))}: name one folder of Recorder's files, with {METADATA} in it; unpack an"
            " archive first"
        )
    return ParallelRun(FORMAT.name, paths, RecorderFiles(folders[0]))


FORMAT = Format(
    "recorder",
    PARALLEL,
    "Recorder's own files, versions 2.3 to 2.5: a folder with VERSION, recorder.mt and files of each rank.",
    ".mt",
    _recognises,
    _start,
)
