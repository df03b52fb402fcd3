"""A generated trace of a VMS disk: its text, what it was to match, and what was invented for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TextIO

import numpy as np
import pyarrow as pa

from iotrace import queries
from iotrace.formats import vms_io
from iotrace.generate.generated import GeneratedTrace
from iotrace.generate.settings import Amount, NamedValues, Seed
from iotrace.generate.vms.load import BLOCK_BYTES, Load, together
from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.presets import Preset, preset
from iotrace.generate.vms.requests import generate_all
from iotrace.option import options, with_texts

DEVICE = "$1$DUA{}"
"""Invented names, as VMS names the disks of a cluster."""
ROWS = 1 << 16


@dataclass(frozen=True)
class DiskTrace:
    """Requests to a disk, or to several, that were made, and of what."""

    preset: Preset
    load: Load
    """The preset's, or a part of it."""
    parameters: Parameters
    seed: int
    requests: pa.Table
    """Table disk_io."""

    @classmethod
    def make(cls, preset: Preset, load: Load, parameters: Parameters, seed: int) -> "DiskTrace":
        """Generate the trace; raises IotraceError where the load cannot be met with these parameters."""
        part = load.requests / preset.load.requests
        disks = [load] if len(preset.disks) == 1 else [disk.scaled(part) for disk in preset.disks]
        return cls(preset, together(disks), parameters, seed, generate_all(disks, parameters, seed))

    @property
    def described(self) -> str:
        """The generator and its settings, in a line."""
        ours = [
            f" --set {name}={value!r}"
            for name, value in _values(self.parameters)
            if value != getattr(self.preset.parameters, name)
        ]
        count = self.load.requests
        part = "" if self.load == self.preset.load else f" --requests {count}"
        return f"iotrace generate vms --like {self.preset.name} --seed {self.seed}{part}{''.join(ours)}"


def generated(amount: Amount, seed: Seed, given: NamedValues, *, command: str) -> GeneratedTrace:
    """Return a trace with the published counts, sizes and duration; it names the command that makes it itself."""
    like = preset(amount.like)
    parameters = with_texts(like.parameters, given.texts, "--set")
    return written(DiskTrace.make(like, _load(like.load, amount), parameters, seed.seed))


def _load(load: Load, amount: Amount) -> Load:
    if amount.requests is not None:
        return load.with_requests(amount.requests)
    return load if amount.scale is None else load.scaled(amount.scale)


def written(trace: DiskTrace) -> GeneratedTrace:
    """Return the trace as one that is written."""
    return GeneratedTrace(
        trace.described,
        vms_io.FORMAT.name,
        partial(_write_text, trace),
        {"like": trace.preset.name, "seed": trace.seed, "invented": dict(_values(trace.parameters))},
        {"matched": matched(trace), "invented": invented(trace)},
        sentence=lambda count: f"{count:,} requests",
        source=trace,
    )


def _write_text(trace: DiskTrace, file: TextIO) -> int:
    file.write(
        f"{vms_io.MAGIC}\n{vms_io.RELATIVE}\n# generated, not traced: {trace.described}\n{vms_io.COLUMNS}\n"
    )
    unknown = dict.fromkeys(("host", "pid", "path", "latency_ns"))
    columns = trace.requests.select(["time_ns", "device", "operation", "lbn", "blocks"])
    for batch in columns.to_batches(max_chunksize=ROWS):
        file.writelines(
            vms_io.line({**unknown, **request, "device": DEVICE.format(request["device"])}, zero_ns=0)
            for request in batch.to_pylist()
        )
    return int(columns.num_rows)


def _values(parameters: Parameters) -> Iterator[tuple[str, float]]:
    return ((option.field, getattr(parameters, option.field)) for option in options(type(parameters)))


def matched(trace: DiskTrace) -> pa.Table:
    """Return the published values of the load and those of the generated trace: result generated_load."""
    load, requests = trace.load, trace.requests
    writes = np.asarray(requests["operation"].cast("string")) == "write"
    blocks, lbn = requests["blocks"].to_numpy(), requests["lbn"].to_numpy()
    kbytes = blocks * BLOCK_BYTES / 1024
    last_s = requests["time_ns"][-1].as_py() / 1e9
    rows = [
        ("reads", float(load.reads), float((~writes).sum()), "requests"),
        ("writes", float(load.writes), float(writes.sum()), "requests"),
        (
            _label(trace, "mean read", "mean_read_kbytes"),
            load.mean_read_kbytes,
            float(kbytes[~writes].mean()),
            "KB",
        ),
        (
            _label(trace, "mean write", "mean_write_kbytes"),
            load.mean_write_kbytes,
            float(kbytes[writes].mean()),
            "KB",
        ),
        ("duration, last request", load.duration_s / 3600, last_s / 3600, "hours"),
        (
            f"disk ({load.disk.upper()}), last block",
            float(load.disk_blocks),
            float((lbn + blocks).max()),
            "blocks",
        ),
    ]
    return queries.result_table("generated_load", rows)


def _label(trace: DiskTrace, label: str, field: str) -> str:
    return f"{label}, assumed" if field in trace.preset.assumed else label


def invented(trace: DiskTrace) -> pa.Table:
    """Return every parameter of the trace, none of which was published: result generated_parameters."""
    rows = [
        (
            option.field,
            getattr(trace.parameters, option.field),
            getattr(trace.preset.parameters, option.field),
            option.help,
        )
        for option in options(type(trace.parameters))
    ]
    return queries.result_table("generated_parameters", rows)
