"""Generated traces: written as text or as a store, and beside what they were to match."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa

from iotrace import queries
from iotrace.errors import IotraceError, reason
from iotrace.files import placed
from iotrace.files.temporary import temporary_folder
from iotrace.formats import vms_io
from iotrace.generate import vms
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import SUFFIX

DEVICE = "$1$DUA0"
"""An invented name, as VMS names the disks of a cluster."""
ROWS = 1 << 16


@dataclass(frozen=True)
class Generated:
    """A trace that was made, and of what."""

    preset: vms.Preset
    load: vms.Load
    """The preset's, or a part of it."""
    parameters: vms.Parameters
    seed: int
    requests: pa.Table
    """Table disk_io."""

    @classmethod
    def make(cls, preset: vms.Preset, load: vms.Load, parameters: vms.Parameters, seed: int) -> Generated:
        """Generate the trace; raises IotraceError where the load cannot be met with these parameters."""
        return cls(preset, load, parameters, seed, vms.generate(load, parameters, seed))

    @property
    def described(self) -> str:
        """What made it, in a line."""
        ours = [
            f" --set {name}={value!r}"
            for name, value in _values(self.parameters)
            if value != getattr(self.preset.parameters, name)
        ]
        count = self.load.requests
        part = "" if self.load == self.preset.load else f" --requests {count}"
        return f"iotrace generate vms --like {self.preset.name} --seed {self.seed}{part}{''.join(ours)}"


def write(trace: Generated, output: Path, replace: bool = False) -> None:
    """Write a trace as vms-io text (``-`` for standard output), or as a store where the name ends in .iotrace.

    Raises IotraceError where that cannot be, and UsageError for a store that exists and is not to be replaced.
    """
    try:
        if str(output) == "-":
            _write_text(trace, sys.stdout)
        elif output.suffix == SUFFIX:
            _write_store(trace, output, replace)
        else:
            with placed(output) as partial, partial.open("w", encoding="utf-8") as file:
                _write_text(trace, file)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise IotraceError(f"{output}: {reason(error)}") from None


def _write_store(trace: Generated, output: Path, replace: bool) -> None:
    with temporary_folder() as folder:
        text = folder / "generated.vms"
        with text.open("w", encoding="utf-8") as file:
            _write_text(trace, file)
        made: Mapping[str, Any] = {
            "sources": [trace.described],
            "generated": {
                "like": trace.preset.name,
                "seed": trace.seed,
                "invented": dict(_values(trace.parameters)),
            },
        }
        ingest([text], output, format=vms_io.FORMAT.name, replace=replace, described=made)


def _write_text(trace: Generated, file: TextIO) -> None:
    file.write(
        f"{vms_io.MAGIC}\n{vms_io.RELATIVE}\n# generated, not traced: {trace.described}\n{vms_io.COLUMNS}\n"
    )
    unknown = dict.fromkeys(("host", "pid", "path", "latency_ns"))
    columns = trace.requests.select(["time_ns", "operation", "lbn", "blocks"])
    for batch in columns.to_batches(max_chunksize=ROWS):
        file.writelines(
            vms_io.line({**unknown, "device": DEVICE, **request}, zero_ns=0) for request in batch.to_pylist()
        )


def _values(parameters: vms.Parameters) -> Iterator[tuple[str, float]]:
    return ((name, getattr(parameters, name)) for name in vms.Parameters.sentences())


def matched(trace: Generated) -> pa.Table:
    """Return what table 3.1 publishes of the load beside what was made: result generated_load."""
    load, requests = trace.load, trace.requests
    writes = np.asarray(requests["operation"].cast("string")) == "write"
    blocks, lbn = requests["blocks"].to_numpy(), requests["lbn"].to_numpy()
    kbytes = blocks * vms.BLOCK_BYTES / 1024
    last_s = requests["time_ns"][-1].as_py() / 1e9
    rows = [
        ("reads", float(load.reads), float((~writes).sum()), "requests"),
        ("writes", float(load.writes), float(writes.sum()), "requests"),
        ("mean read", load.mean_read_kbytes, float(kbytes[~writes].mean()), "KB"),
        ("mean write", load.mean_write_kbytes, float(kbytes[writes].mean()), "KB"),
        ("duration, last request", load.duration_s / 3600, last_s / 3600, "hours"),
        (
            f"disk ({load.disk.upper()}), last block",
            float(load.disk_blocks),
            float((lbn + blocks).max()),
            "blocks",
        ),
    ]
    return result_table("generated_load", rows)


def invented(trace: Generated) -> pa.Table:
    """Return every parameter of the trace, none of which was published: result generated_parameters."""
    sentences = vms.Parameters.sentences()
    rows = [
        (name, value, getattr(trace.preset.parameters, name), sentences[name])
        for name, value in _values(trace.parameters)
    ]
    return result_table("generated_parameters", rows)


def result_table(name: str, rows: list[tuple[Any, ...]]) -> pa.Table:
    """Return a result of a generated trace."""
    schema = queries.table_schema(name)
    return pa.table([list(column) for column in zip(*rows, strict=True)], schema=schema)
