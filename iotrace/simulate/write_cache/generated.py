"""How busy a generated trace keeps its disk, and what the paper prints of the trace that it imitates."""

from dataclasses import replace

import pyarrow as pa

from iotrace import queries
from iotrace.generate.generated import GeneratedTrace
from iotrace.generate.vms.generated import DiskTrace
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate


def with_busy(trace: GeneratedTrace) -> GeneratedTrace:
    """Return a generated trace; one of a disk says how busy it keeps it, after what it was to match."""
    if not isinstance(trace.source, DiskTrace):
        return trace
    matched = {"matched": trace.tables["matched"], "busy": busy(trace.source)}
    return replace(trace, tables=matched | dict(trace.tables))


def busy(trace: DiskTrace) -> pa.Table:
    """Return the disk's busy share: both readings of the paper's, and this trace's simulated: result generated_busy."""
    none = Settings(read_cache_bytes=0, write_cache_bytes=0)
    read_only = Settings(read_cache_bytes=2 << 20, write_cache_bytes=0)
    simulated = simulate(trace.requests, trace.load.disk, [none, read_only])["disk_busy"].to_pylist()
    rows: list[tuple[str, float | None]] = [
        ("printed in table 3.1: from the drive's rated capability", trace.preset.busy_percent_rated),
        (
            "table 3.1's counts by table 4.4's service times without write cache",
            trace.preset.busy_percent_served,
        ),
        (f"made: this trace on the {trace.load.disk.upper()}, no cache (simulated)", simulated[0]),
        (f"made: this trace on the {trace.load.disk.upper()}, read cache of 2 MB (simulated)", simulated[1]),
    ]
    return queries.result_table("generated_busy", [row for row in rows if row[1] is not None])
