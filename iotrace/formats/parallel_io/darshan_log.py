"""A Darshan log read through PyDarshan, in a separate process, which a damaged log may crash.

Run as ``python -P -m iotrace.formats.parallel_io.darshan_log LOG TABLE``, it writes the segments of the log's DXT
modules as an Arrow file, a JSON object with what the log says of itself in its schema's metadata.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from iotrace.libraries import pa

MODULES = {"DXT_POSIX": "posix", "DXT_MPIIO": "mpiio", "DXT_STDIO": "stdio"}
COUNTED = {
    "POSIX": ("posix", ("POSIX_READS", "POSIX_WRITES"), ("POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN")),
    "STDIO": ("stdio", ("STDIO_READS", "STDIO_WRITES"), ("STDIO_BYTES_READ", "STDIO_BYTES_WRITTEN")),
    "MPI-IO": (
        "mpiio",
        tuple(
            f"MPIIO_{kind}_{does}"
            for kind in ("INDEP", "COLL", "SPLIT", "NB")
            for does in ("READS", "WRITES")
        ),
        ("MPIIO_BYTES_READ", "MPIIO_BYTES_WRITTEN"),
    ),
}
"""Modules with counters: the layer, and the counters of its reads and writes, and of the bytes that they moved."""
MPI_CALLS = {
    f"{manner}_{does}": tuple(f"MPIIO_{kind}_{does.upper()}" for kind in kinds)
    for manner, kinds in (("collective", ("COLL", "SPLIT")), ("other", ("INDEP", "NB")))
    for does in ("reads", "writes")
}
"""Columns of table mpi_file, and the counters that each adds up."""
ABOUT = b"about"
NO_DARSHAN, NO_LOG = 3, 4
"""Exit codes: PyDarshan is not there, or cannot open the log."""
MOST_NAMES = 5


def _backend() -> Any:
    """Return PyDarshan's functions; exits where it is not installed."""
    try:
        from darshan.backend import cffi_backend
    except ImportError:
        sys.exit(NO_DARSHAN)
    return cffi_backend


def segments(path: Path) -> pa.Table:
    """Return every read and write that a log's DXT modules hold, in their order; exits where there is no log."""
    backend = _backend()
    log = backend.log_open(str(path))
    if not log["handle"]:
        sys.exit(NO_LOG)
    modules = backend.log_get_modules(log)
    names = backend.log_get_name_records(log)
    job = backend.log_get_job(log)
    about = {
        "modules": sorted(modules),
        "partial": [name for name in sorted(modules) if modules[name].get("partial_flag")],
        "missing_bytes": max(
            0, sum(int(module.get("len", 0)) for module in modules.values()) - path.stat().st_size
        ),
        "counted": _counted(backend, log, modules),
        "mpi_calls": _mpi_calls(backend, log, modules),
        "start_s": int(job.get("start_time_sec", job.get("start_time", 0))),
        "start_part_ns": int(job.get("start_time_nsec", 0)),
        "files": [str(name) for name in names.values()][:MOST_NAMES],
    }
    columns: dict[str, list[Any]] = {name: [] for name in FIELDS}
    for module, layer in MODULES.items():
        while module in modules and (record := backend.log_get_dxt_record(log, module, dtype="dict")):
            for operation in ("write", "read"):
                for segment in record[f"{operation}_segments"]:
                    columns["layer"].append(layer)
                    columns["rank"].append(record["rank"])
                    columns["host"].append(record["hostname"])
                    columns["file_id"].append(str(record["id"]))
                    columns["file_name"].append(names.get(record["id"]))
                    columns["operation"].append(operation)
                    for name in ("offset", "length", "start_time", "end_time"):
                        columns[name].append(segment[name])
    return pa.table(columns, schema=_schema()).replace_schema_metadata({ABOUT: json.dumps(about)})


def _counted(backend: Any, log: Any, modules: Any) -> dict[str, dict[str, Any]]:
    """Return the reads and writes, and bytes, that the counters of each layer have; is_partial where some lack."""
    layers: dict[str, dict[str, Any]] = {}
    for module, (layer, operations, moved) in COUNTED.items():
        if module not in modules:
            continue
        of_layer = {
            "operations": 0,
            "bytes": 0,
            "is_partial": bool(modules[module].get("partial_flag")),
        }
        while record := backend.log_get_record(log, module, dtype="dict"):
            counters = record["counters"]
            of_layer["operations"] += sum(max(0, int(counters.get(name, 0))) for name in operations)
            of_layer["bytes"] += sum(max(0, int(counters.get(name, 0))) for name in moved)
        layers[layer] = of_layer
    return layers


def _mpi_calls(backend: Any, log: Any, modules: Any) -> dict[str, dict[str, int]]:
    """Return the columns of table mpi_file for each file of module MPI-IO, over all ranks, by its identifier."""
    calls: dict[str, dict[str, int]] = {}
    while "MPI-IO" in modules and (record := backend.log_get_record(log, "MPI-IO", dtype="dict")):
        of_file = calls.setdefault(str(record["id"]), dict.fromkeys(MPI_CALLS, 0))
        for column, counters in MPI_CALLS.items():
            of_file[column] += sum(max(0, int(record["counters"].get(name, 0))) for name in counters)
    return calls


FIELDS = (
    "layer", "rank", "host", "file_id", "file_name", "operation", "offset", "length", "start_time",
    "end_time",
)  # fmt: skip


def _schema() -> pa.Schema:
    kinds = {
        "rank": pa.int64(),
        "offset": pa.int64(),
        "length": pa.int64(),
        "start_time": pa.float64(),
        "end_time": pa.float64(),
    }
    return pa.schema([(name, kinds.get(name, pa.string())) for name in FIELDS])


def job(path: str) -> dict[str, Any] | None:
    """Return the job that wrote a log: id, start_s, processes, program; None if it cannot be opened."""
    backend = _backend()
    log = backend.log_open(path)
    if not log["handle"]:
        return None
    job_ = backend.log_get_job(log)
    return {
        "id": int(job_["jobid"]),
        "start_s": int(job_.get("start_time_sec", job_.get("start_time", 0))),
        "processes": int(job_["nprocs"]),
        "program": str(backend.log_get_exe(log)),
    }


def main() -> None:
    """Read one log and write its table; or, after --jobs, write the jobs of several logs as JSON."""
    if sys.argv[1] == "--jobs":
        Path(sys.argv[2]).write_text(json.dumps([job(path) for path in sys.argv[3:]]))
        return
    table = segments(Path(sys.argv[1]))
    with pa.ipc.new_file(sys.argv[2], table.schema) as writer:
        writer.write_table(table)


if __name__ == "__main__":
    main()
