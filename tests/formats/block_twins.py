"""Slow twins of the engine's readers of block traces: the same requests by polars and NumPy."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from iotrace.formats import oracle_general, vscsi
from iotrace.formats.disk_io.delimited import DelimitedSource, Layout, Taken
from iotrace.formats.disk_io.fields import (
    LARGEST,
    UNKNOWN_OPERATION,
    decimal_ns,
    filetime_ns,
    hexadecimal,
    one_of,
    steps_ns,
    text,
    whole,
)
from iotrace.formats.disk_io.records import Records, words
from iotrace.formats.disk_io.run import DiskRun
from iotrace.formats.reading.clock import NS_PER_MS, NS_PER_S, NS_PER_US
from iotrace.formats.reading.durations import stated_ns

REQUIRED = ("time_ns", "operation", "blocks")
READS_AND_WRITES = {"R": "read", "W": "write"}


def lines(fields: str, requests: Callable[[], Mapping[str, pl.Expr]], **others: Any) -> Layout:
    """Return a layout of fields, all of which a line must have unless another number is given."""
    names = fields.split()
    return Layout(
        **{"fields": names, "requests": requests, "required": REQUIRED, "at_least": len(names)} | others
    )


def direction(flags: pl.Expr) -> pl.Expr:
    """Return what bit 0 of DiskSim's flags says, which is set for a read; null if there are none."""
    reads = flags % 2 == 1
    return pl.when(reads).then(pl.lit("read")).when(~reads).then(pl.lit("write"))


def unknown_word(name: str, words: str) -> pl.Expr:
    """Return why a record is skipped whose field is another letter, in any case; null for an empty field."""
    is_known = (pl.col(name) == "") | pl.col(name).str.to_lowercase().is_in(list(words))
    return pl.when(~is_known).then(pl.lit(UNKNOWN_OPERATION))


LAYOUTS = {
    "msr-cambridge": lines(
        "timestamp hostname disk type offset size response_time",
        lambda: {
            "time_ns": filetime_ns("timestamp"),
            "device": text("{}_{}", "hostname", "disk"),
            "operation": one_of("type", {"Read": "read", "Write": "write"}),
            "offset_bytes": whole("offset"),
            "length_bytes": whole("size"),
            "latency_ns": stated_ns("response_time", steps_ns("response_time", 100)),
            "host": text("{}", "hostname"),
        },
        at_least=6,
        base="epoch",
    ),
    "systor17": lines(
        "timestamp response type lun offset size",
        lambda: {
            "time_ns": decimal_ns("timestamp", NS_PER_S),
            "device": text("LUN {}", "lun"),
            "operation": one_of("type", READS_AND_WRITES),
            "reason": unknown_word("type", "rw"),
            "offset_bytes": whole("offset"),
            "length_bytes": whole("size"),
            "latency_ns": stated_ns("response", decimal_ns("response", NS_PER_S)),
        },
        required=("time_ns", "blocks"),
        base="epoch",
    ),
    "alibaba": lines(
        "device_id opcode offset length timestamp",
        lambda: {
            "time_ns": steps_ns("timestamp", NS_PER_US),
            "device": text("{}", "device_id"),
            "operation": one_of("opcode", READS_AND_WRITES),
            "offset_bytes": whole("offset"),
            "length_bytes": whole("length"),
        },
        base="epoch",
    ),
    "tencent": lines(
        "timestamp offset size type volume",
        lambda: {
            "time_ns": steps_ns("timestamp", NS_PER_S),
            "device": text("{}", "volume"),
            "operation": one_of("type", {"0": "read", "1": "write"}),
            "lbn": whole("offset"),
            "blocks": whole("size"),
        },
        base="epoch",
    ),
    "spc": lines(
        "asu lba size opcode timestamp",
        lambda: {
            "time_ns": decimal_ns("timestamp", NS_PER_S),
            "device": text("ASU {}", "asu"),
            "operation": one_of("opcode", READS_AND_WRITES),
            "lbn": whole("lba"),
            "length_bytes": whole("size"),
        },
    ),
    "disksim": lines(
        "time device block blocks flags",
        lambda: {
            "time_ns": decimal_ns("time", NS_PER_MS),
            "device": text("disk {}", "device"),
            "operation": direction(hexadecimal("flags")),
            "lbn": whole("block"),
            "blocks": whole("blocks"),
        },
        separator=" ",
    ),
    "mqsim": lines(
        "time device block blocks flags",
        lambda: {
            "time_ns": whole("time"),
            "device": text("disk {}", "device"),
            "operation": one_of("flags", {"0": "write", "1": "read"}),
            "lbn": whole("block"),
            "blocks": whole("blocks"),
        },
        separator=" ",
    ),
}


class Unspaced(DelimitedSource):
    """Lines in which white space means nothing, but in quotes."""

    def taken(self, lines: list[str], *others: Any) -> Taken:
        taken = super().taken(lines, *others)
        fields = {field.name: getattr(taken, field.name) for field in dataclasses.fields(Taken)}
        return UnspacedLines(**fields)


class UnspacedLines(Taken):
    def _fields(self, text: pl.Series) -> pl.DataFrame:
        return super()._fields(text.str.replace_all(r"\s+", ""))


def run_of_lines(name: str, path: Path) -> DiskRun:
    """Return a run over a text of a format."""
    kind = Unspaced if name == "spc" else DelimitedSource
    return DiskRun(name, [path], kind([path], LAYOUTS[name]))


def _signed(numbers: np.ndarray) -> np.ndarray:
    """Return unsigned numbers of 64 bits as signed ones, those that do not fit as one that fits no range."""
    return np.minimum(numbers, np.uint64(LARGEST)).astype(np.int64)


def _us(numbers: np.ndarray) -> np.ndarray:
    steps: np.ndarray = np.minimum(_signed(numbers), LARGEST // NS_PER_US)
    return steps * NS_PER_US


def _of_vscsi(records: np.ndarray) -> Mapping[str, Any]:
    columns: dict[str, Any] = {
        "time_ns": _us(records["time_us"]),
        "operation": words(records["command"], vscsi.COMMANDS),
        "lbn": _signed(records["lbn"]),
        "length_bytes": records["bytes"].astype("int64"),
    }
    if "response_us" in (records.dtype.names or ()):
        columns["latency_ns"] = _us(records["response_us"])
    return columns


OF_CACHES = {
    **dict.fromkeys((1, 2, 12), "read"),
    **dict.fromkeys((*range(3, 9), 13, 14), "write"),
    9: "discard",
}
"""What libCacheSim's numbers of operations mean for a disk."""


def _of_objects(records: np.ndarray) -> Mapping[str, Any]:
    columns: dict[str, Any] = {
        "time_ns": records["time_s"].astype("int64") * NS_PER_S,
        "lbn": _signed(records["object"]),
        "length_bytes": records["bytes"].astype("int64"),
    }
    if "operation" in (records.dtype.names or ()):
        columns["operation"] = words(records["operation"], OF_CACHES)
    return columns


RECORDS = {
    "vscsi1": Records(vscsi.VERSION_1, _of_vscsi, ("time_ns", "operation")),
    "vscsi2": Records(vscsi.VERSION_2, _of_vscsi, ("time_ns", "operation")),
    "oracle_general": Records(oracle_general.PLAIN, _of_objects),
    "oracle_general_ops": Records(oracle_general.WITH_OPERATION, _of_objects, ("operation",)),
}
"""By the engine's words for them."""
