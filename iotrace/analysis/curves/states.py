"""States of slices: what a pass over some records leaves, from which the curves of their union merge exactly.

What a state holds, and why merging is exact, is in `iotrace/engine/core/src/cache/stack_distance/state/mod.rs`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.curves import Curves
from iotrace.analysis.curves.passes import references_read, settings_read
from iotrace.analysis.curves.records import Records, joined
from iotrace.analysis.curves.stream import Components, prepare
from iotrace.engine.native import StackEngine, StackState
from iotrace.errors import IotraceError, reason
from iotrace.files import atomic_write
from iotrace.files.outputs import failures_named
from iotrace.files.remote import Place
from iotrace.schemas import schema

VERSION = 2
"""Raised whenever a state gains or changes a part."""
_HEADER = b"curve_state"
_DISTINCT = "distinct_blocks"
"""A count that is not the sum of those of slices."""


@dataclass(frozen=True)
class Settings:
    """Settings that two states must have in common."""

    block_bytes: int
    deletes: str
    syncs: str
    population: str | None
    where: str | None
    model: str | None
    largest_blocks: int | None
    """The size of the largest cache that the state is exact for; None for all sizes."""

    def differences(self, other: Settings) -> list[str]:
        """Return how they differ, setting by setting."""
        mine, theirs = asdict(self), asdict(other)
        named = ((name.replace("_", " "), mine[name], theirs[name]) for name in mine)
        return [f"{name} {a} and {b}" for name, a, b in named if a != b]


@dataclass(frozen=True)
class State:
    """The state of some records; merging uses it up."""

    settings: Settings
    records: tuple[Records, ...]
    counts: dict[str, int]
    """Rows and requests of the stream, and what was guessed or left out."""
    devices: list[str] | None
    """The names of a block trace's devices by file number, by which states of several traces meet; else None."""
    slice: StackState

    def merge(self, right: State) -> State:
        """Return the state of both, `right` having the records that follow; neither can be used any more.

        Raises IotraceError where the settings differ, records overlap or are missing, or what the right state's
        requests touch depends on the left one.
        """
        if differences := self.settings.differences(right.settings):
            raise IotraceError(f"states of different settings do not merge: {'; '.join(differences)}")
        records = joined(self.records, right.records)
        further, devices = right._numbered_after(self)
        with references_read():
            self.slice.merge(further, largest_blocks=self.settings.largest_blocks)
        counts = {name: count + right.counts[name] for name, count in self.counts.items()}
        return replace(self, records=records, counts=counts, devices=devices)

    def _numbered_after(self, left: State) -> tuple[StackState, list[str] | None]:
        """Return the slice with the file numbers of the left one, and the names of all devices."""
        if left.records[-1].is_of(self.records[0]) and len(left.records) == len(self.records) == 1:
            return self.slice, max(left.devices or [], self.devices or [], key=len) or None
        if left.devices is None or self.devices is None:
            raise IotraceError(
                f"files of {left.records[-1].trace} and {self.records[0].trace} cannot be matched: only states of"
                " block traces merge across traces"
            )
        numbers = {name: number for number, name in enumerate(left.devices)}
        mine = [numbers.setdefault(name, len(numbers)) for name in self.devices]
        marks = {"is_short": self.slice.is_short, "looks_back": self.slice.looks_back}
        rows = pa.table(self.slice.rows())
        files = pa.array(mine, pa.int32()).take(rows["file"])
        rows = rows.set_column(rows.schema.get_field_index("file"), "file", files)
        return StackState.read(rows, **marks), list(numbers)

    def curves(self, overhead_ms: float, transfer_ms_per_kb: float) -> Curves:
        """Return the curves of the records, from a cold cache; the state cannot be used any more."""
        cache = Cache(
            block_bytes=self.settings.block_bytes,
            deletes="ignore" if self.settings.deletes == "ignore" else "honour",
            syncs="ignore" if self.settings.syncs == "ignore" else "honour",
            overhead_ms=overhead_ms,
            transfer_ms_per_kb=transfer_ms_per_kb,
        )
        return curves_of(self.slice, self.counts, cache, self.settings.largest_blocks)

    def write(self, output: Place) -> None:
        """Write it as an Arrow file, which is in its place whole or not at all; it cannot be used any more."""
        header = {
            "version": VERSION,
            "settings": asdict(self.settings),
            "records": [asdict(records) for records in self.records],
            "counts": self.counts,
            "devices": self.devices,
            "is_short": self.slice.is_short,
            "looks_back": self.slice.looks_back,
        }
        described = schema("curve_state")
        (rows,) = pa.table(self.slice.rows()).cast(described).combine_chunks().to_batches()
        header["checksum"] = _checksum(header, rows)
        metadata = {**(described.metadata or {}), _HEADER: json.dumps(header).encode()}
        rows = rows.replace_schema_metadata(metadata)
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        with (
            failures_named(output),
            atomic_write(output) as partial,
            pa.ipc.new_file(str(partial), rows.schema, options=options) as file,
        ):
            file.write_batch(rows)


def _checksum(header: dict[str, Any], rows: pa.RecordBatch) -> str:
    """Return a digest of all that a state holds but itself."""
    part = rows["part"]
    digest = hashlib.blake2b(json.dumps([header, part.dictionary.to_pylist()]).encode(), digest_size=16)
    plain = rows.set_column(0, "part", part.indices)
    digest.update(memoryview(plain.replace_schema_metadata(None).serialize()))
    return digest.hexdigest()


def curves_of(
    state: StackState, counts: dict[str, int], cache: Cache, largest_blocks: int | None = None
) -> Curves:
    """Return the curves of a state and of what its stream contained; the state cannot be used any more."""
    counts = with_distinct_blocks(counts, state)
    finished = state.finish(block_bytes=cache.block_bytes, **cache.pricing())
    return Curves(cache, None, counts, Components().values(), [(finished, 0)], largest_blocks)


def with_distinct_blocks(counts: dict[str, int], state: StackState) -> dict[str, int]:
    """Return counts with that of the blocks of a state, where it is known."""
    is_known = state.is_short or _DISTINCT in counts
    return counts if is_known else counts | {_DISTINCT: state.distinct_blocks}


def record_slice(
    references: Iterable[pa.RecordBatch], cache: Cache, largest_blocks: int | None
) -> tuple[StackState, dict[str, int]]:
    """Run the references of a slice through caches of every size; return their state and what was counted.

    Raises UsageError for a cache whose states do not merge, IotraceError for references that depend on earlier slices.
    """
    with settings_read():
        engine = StackEngine(cache.for_engine(), is_slice=True)
    components = Components()
    with references_read():
        for batch in references:
            synchronous = cache.syncs == "honour"
            engine.push(prepare(batch, None, components, inodes=False, synchronous=synchronous))
    counts = {name: count for name, count in engine.tally().items() if name != _DISTINCT}
    state = engine.finish_slice()
    if largest_blocks is not None:
        state.cut(largest_blocks)
    return state, counts


def read(path: Path) -> State:
    """Read a state; raises IotraceError for a file that is none, damaged, or of another version."""
    if path.is_dir():
        raise IotraceError(
            f"{path}: is a folder, not a state; iotrace curve TRACE --state -o FILE writes one"
        )
    try:
        opened = pa.ipc.open_file(str(path))
    except (pa.ArrowException, OSError) as error:
        raise IotraceError(f"{path}: cannot be read as a state of iotrace curve: {reason(error)}") from None
    try:
        with opened as file:
            metadata = file.schema.metadata or {}
            if _HEADER not in metadata:
                raise IotraceError(f"{path}: is not a state; iotrace curve TRACE --state -o FILE writes one")
            header = json.loads(metadata[_HEADER])
            _check_version(path, header)
            if file.num_record_batches != 1:
                raise ValueError(f"it has {file.num_record_batches} batches of rows, not one")
            rows = file.get_batch(0)
        rows.validate(full=True)
        return _state(header, rows)
    except pa.ArrowMemoryError:
        raise IotraceError(
            f"{path}: the state is damaged: it names a size for which there is no memory"
        ) from None
    except (
        pa.ArrowException,
        AttributeError,
        KeyError,
        OSError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise IotraceError(f"{path}: the state is damaged: {reason(error)}") from None


def _check_version(path: Path, header: dict[str, Any]) -> None:
    if (version := header["version"]) != VERSION:
        raise IotraceError(
            f"{path}: is a state of version {version}, this iotrace reads {VERSION}: make it again"
        )


def _state(header: dict[str, Any], rows: pa.RecordBatch) -> State:
    """Return the state of a file's header and rows, which are checked before the engine has them."""
    if not rows.schema.equals(schema("curve_state")):
        raise ValueError("it has not the columns of a state")
    if header.pop("checksum") != _checksum(header, rows):
        raise ValueError("its checksum is another one")
    records = tuple(Records(**each) for each in header["records"])
    if not records:
        raise ValueError("it has no records")
    counts = {name: int(header["counts"][name]) for name in Cache().engine().tally() if name != _DISTINCT}
    marks = {"is_short": bool(header["is_short"]), "looks_back": bool(header["looks_back"])}
    state = StackState.read(rows, **marks)
    return State(Settings(**header["settings"]), records, counts, header["devices"], state)


def merged(paths: Iterable[Path]) -> State:
    """Return the state of all records of states, each following the one before; raises IotraceError, naming the two."""
    waiting: list[tuple[int, str, State]] = []
    for path in paths:
        waiting.append((1, str(path), read(path)))
        while len(waiting) > 1 and waiting[-2][0] == waiting[-1][0]:
            _merge_last(waiting)
    while len(waiting) > 1:
        _merge_last(waiting)
    return waiting[0][2]


def _merge_last(waiting: list[tuple[int, str, State]]) -> None:
    """Merge the last two states; a state's number is how many files it has, so that few meet many rarely."""
    number, right_name, right = waiting.pop()
    others, left_name, left = waiting.pop()
    try:
        state = left.merge(right)
    except IotraceError as error:
        raise IotraceError(f"{left_name}, {right_name}: {error}") from None
    waiting.append((number + others, f"{left_name} to {right_name}", state))


def largest_blocks(text: str | None, block_bytes: int) -> int | None:
    """Return how many blocks the largest cache has, None for all sizes; raises UsageError as `Cache.sizes_blocks`."""
    if text is None:
        return None
    return Cache(block_bytes=block_bytes).sizes_blocks([units.size_bytes(text)])[0]
