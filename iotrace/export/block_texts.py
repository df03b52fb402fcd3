"""A block trace as text that other programs read: MSR Cambridge's CSV, fio's I/O log, DiskSim's ASCII.

Each form is what a line says, as an expression over the frames of `iotrace.export.requests`. What each reads back as is
in docs/trace-formats.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TextIO

from iotrace.export.form import FROM_1970, Form, left_out, text_file
from iotrace.export.requests import DiskRequests
from iotrace.families import DISKS
from iotrace.files.remote import Place
from iotrace.formats.disk_io.fields import FILETIME_OF_1970
from iotrace.formats.disk_io.requests import BLOCK_BYTES
from iotrace.formats.reading.clock import NS_PER_MS, NS_PER_US
from iotrace.libraries import pl
from iotrace.store.store import Store

READS_AND_WRITES = ("read", "write")
TICK_NS = 100
FIO_ACTIONS = {"read": "read", "write": "write", "discard": "trim", "flush": "datasync"}
WITHOUT_TIMES = "the trace has no times: version 2 of fio's log is written, which needs none"


@dataclass(frozen=True)
class BlockText:
    """The lines of a form, and what stands around them."""

    operations: Sequence[str]
    needs: tuple[str, ...]
    line: Callable[[DiskRequests], pl.Expr]
    before: Callable[[DiskRequests], str] = lambda requests: ""
    after: Callable[[DiskRequests], str] = lambda requests: ""
    remarks: Callable[[Store], Sequence[str]] = lambda store: ()


def plain(names: Sequence[str]) -> list[str]:
    """Return names without white space and commas, each still different from the others."""
    plain_names: dict[str, None] = {}
    for name in names:
        bare = re.sub(r"[\s,]+", "_", name) or "disk"
        others = (f"{bare}.{number}" for number in range(1, len(names) + 1))
        plain_names[
            bare if bare not in plain_names else next(other for other in others if other not in plain_names)
        ] = None
    return list(plain_names)


def _written(text: BlockText) -> Callable[[Store, Place, bool], tuple[str, ...]]:
    def write(store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
        """Write a block trace (see `Form`)."""
        requests = DiskRequests(store, text.operations)
        with text_file(output, force) as file:
            _write(requests, text, file)
        return (*text.remarks(store), *left_out(requests.remarks()))

    return write


def _write(requests: DiskRequests, text: BlockText, file: TextIO) -> None:
    file.write(text.before(requests))
    line = text.line(requests)
    for frame in requests.frames():
        if len(frame):
            file.write("\n".join(frame.select(line.alias("line"))["line"]) + "\n")
    file.write(text.after(requests))


def _named(requests: DiskRequests, names: Sequence[str]) -> pl.Expr:
    return pl.col("device_number").replace_strict(dict(enumerate(names)), return_dtype=pl.String)


def _msr_line(requests: DiskRequests) -> pl.Expr:
    times = requests.store.manifest["times"]
    zero_ns = times["first_ns"] if times["base"] == "epoch" else 0
    ticks = (pl.col("time_ns") + zero_ns) // TICK_NS + FILETIME_OF_1970
    devices = plain(requests.devices())
    named = [re.sub(r"(?<=\D)_(?=\d+$)", ",", name) for name in devices]
    named = [name if "," in name else f"{name},0" for name in named]
    return pl.concat_str(
        ticks,
        _named(requests, named),
        pl.col("operation").str.to_titlecase(),
        pl.col("lbn") * BLOCK_BYTES,
        pl.col("blocks") * BLOCK_BYTES,
        (pl.col("latency_ns") // TICK_NS).cast(pl.String).fill_null(""),
        separator=",",
    )


def _fio_line(requests: DiskRequests) -> pl.Expr:
    time = [pl.col("time_ns") // NS_PER_US] if requests.store.has_times else []
    moves = pl.col("operation") != "flush"
    return pl.concat_str(
        *time,
        _named(requests, plain(requests.devices())),
        pl.col("operation").replace_strict(FIO_ACTIONS, return_dtype=pl.String),
        pl.when(moves).then(pl.col("lbn") * BLOCK_BYTES).otherwise(0),
        pl.when(moves).then(pl.col("blocks") * BLOCK_BYTES).otherwise(0),
        separator=" ",
    )


def _fio_files(requests: DiskRequests, *actions: str) -> str:
    """Return lines for all disks: when they are opened no request has been given, when they are closed all have."""
    time = f"{requests.last_ns // NS_PER_US} " if requests.store.has_times else ""
    return "".join(f"{time}{name} {action}\n" for name in plain(requests.devices()) for action in actions)


def _fio_before(requests: DiskRequests) -> str:
    version = 3 if requests.store.has_times else 2
    return f"fio version {version} iolog\n" + _fio_files(requests, "add", "open")


def _disksim_line(requests: DiskRequests) -> pl.Expr:
    within = (pl.col("time_ns") % NS_PER_MS).cast(pl.String).str.zfill(6)
    return pl.concat_str(
        pl.concat_str(pl.col("time_ns") // NS_PER_MS, within, separator="."),
        "device_number",
        "lbn",
        "blocks",
        (pl.col("operation") == "read").cast(pl.Int8),
        separator=" ",
    )


TEXTS = {
    "msr-cambridge": BlockText(
        READS_AND_WRITES,
        ("time_ns", "operation", "blocks"),
        _msr_line,
        remarks=lambda store: () if store.manifest["times"]["base"] == "epoch" else (FROM_1970,),
    ),
    "fio-iolog": BlockText(
        tuple(FIO_ACTIONS),
        ("operation", "blocks"),
        _fio_line,
        _fio_before,
        lambda requests: _fio_files(requests, "close"),
        lambda store: () if store.has_times else (WITHOUT_TIMES,),
    ),
    "disksim": BlockText(READS_AND_WRITES, ("time_ns", "operation", "blocks"), _disksim_line),
}
DESCRIPTIONS = {
    "msr-cambridge": "MSR Cambridge's CSV of requests to disks",
    "fio-iolog": "fio's I/O log (read_iolog), version 3",
    "disksim": "DiskSim's ASCII of requests to disks",
}
FORMS = tuple(
    Form(name, DESCRIPTIONS[name], _written(text), (DISKS,), text.needs) for name, text in TEXTS.items()
)
