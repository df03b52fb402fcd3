"""Notes on simulated parallel programs: what ran, on which file system."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.simulate.parallel_fs.settings import Settings
from iotrace.simulate.parallel_fs.workloads import Workload, generated_program


def _ran(workload: Workload | None, settings: Settings) -> Workload:
    """Return what ran: what the traces did, or the first case's pattern."""
    if settings.pattern is not None:
        return generated_program(settings.pattern)
    assert workload is not None
    return workload


def _system_in_words(row: dict[str, Any], writes: bool) -> dict[str, str]:
    """Return the settings of a file system that differ from the defaults, in words, by subject; else empty."""

    def unless(name: str, usual: object, text: str) -> str:
        return "" if row[name] is None or row[name] == usual else text

    return {
        "disks": f"{row['disks']} disk" + ("s" if row["disks"] > 1 else ""),
        "service": row["drive"] or f"{units.duration(row['service_ns'])} a block",
        "block": f"blocks of {units.size(row['block_bytes'])}",
        "stripe": unless("stripe_blocks", 1, f"stripes of {row['stripe_blocks']}"),
        "first_disk": unless("first_disk", "zero", f"first disk {row['first_disk']}"),
        "buffers": _cache_in_words(row) if row["buffers"] else "no cache",
        "policy": (row["policy"] or "") if writes else "",
        "replacement": unless("replacement", "toss", f"{row['replacement']}"),
        "prefetch": unless("prefetch", "none", f"prefetch {row['prefetch']}"),
        "claim_order": unless("claim_order", "random", f"claims {row['claim_order']}"),
        "overheads": unless("overheads", "zero", f"overheads {row['overheads']}"),
        "jitter": f"jitter {units.duration(row['jitter_ns'])}",
    }


def _cache_in_words(row: dict[str, Any]) -> str:
    of = {None: "", False: " a file", True: " for all files"}
    return f"{row['buffers']} buffer{'s' * (row['buffers'] > 1)}{of[row['shared_cache']]}"


def notes(rows: pa.Table, workload: Workload | None, all_settings: Sequence[Settings]) -> list[str]:
    """Say what ran."""
    ran = _ran(workload, all_settings[0])
    first = rows.slice(0, 1).to_pylist()[0]
    settings = all_settings[0]
    lines = ran.sentences()
    if rows.num_rows == 1:
        lines.append(f"File system: {', '.join(filter(None, _system_in_words(first, ran.writes).values()))}.")
        if 0 < (idle := first["idle_processes"]) < first["processes"]:
            active, processes, none = map(units.count, (first["processes"] - idle, first["processes"], idle))
            lines.append(
                f"Processes: {active} of {processes} make requests; means are over these, {none} make none."
            )
    if any(case.pattern != settings.pattern for case in all_settings):
        lines[0] = f"The first case: {lines[0][0].lower()}{lines[0][1:]}"
    if not ran.writes and settings.buffers != 0:
        lines.append("Nothing is written: the write policy has no effect.")
    trials = first["trials"]
    averaged = "one run" if trials == 1 else f"means of {trials} runs"
    lines.append(
        f"{averaged[0].upper()}{averaged[1:]}, seeds from {first['seed']}; jitter {settings.jitter_ns / 1000:g} µs;"
        f" {settings.overheads} overheads. Percentages of the lives of the processes that make requests: computing,"
        " overhead, and waiting for reads, buffers, writes. --format json has all measures."
    )
    return lines
