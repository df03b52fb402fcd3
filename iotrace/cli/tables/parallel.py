"""The tables of ``iotrace parallel`` as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from iotrace import units
from iotrace.cli.output import Output
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.simulate.parallel_fs.settings import Settings
    from iotrace.simulate.parallel_fs.workloads import Workload

SPENT = {
    "computing": "computing_s",
    "overhead": "overhead_s",
    "reads": "waiting_for_reads_s",
    "buffers": "waiting_for_buffers_s",
    "writes": "waiting_for_writes_s",
}


def emit_parallel(
    rows: pa.Table, workload: Workload | None, all_settings: Sequence[Settings], output: Output
) -> None:
    """Write cases: for a terminal the measures of one, a line each, or of several, and what to say of them."""
    if not output.is_table:
        output.emit(rows)
        return
    ran = _ran(workload, all_settings[0])
    shown = _one(rows, ran.writes) if rows.num_rows == 1 else _several(rows)
    output.emit(shown, note=_note(rows, ran, all_settings))


def _ran(workload: Workload | None, settings: Settings) -> Workload:
    """Return what ran: what the traces did, or the first case's pattern."""
    from iotrace.simulate.parallel_fs.workloads import generated_program

    if settings.pattern is not None:
        return generated_program(settings.pattern)
    assert workload is not None
    return workload


def _one(rows: pa.Table, writes: bool) -> pa.Table:
    """Return one case's measures, a line each, in words; without the write policy where nothing `writes`."""
    (row,) = rows.to_pylist()

    def seconds(name: str) -> str:
        return units.duration(1e9 * row[name])

    def counted(name: str) -> str:
        return units.count(row[name])

    spread = "" if row["cv"] is None else f", coefficient of variation {row['cv']:.2g}"
    ideal = f"{seconds('ideal_io_s')} for the disks, {seconds('ideal_compute_s')} for computation"
    busy = "" if row["disk_utilisation"] is None else units.percent(row["disk_utilisation"])
    busiest = "" if row["busiest_disk"] is None else units.percent(row["busiest_disk"])
    lines = [
        ("file system", ", ".join(filter(None, _system_in_words(row, writes).values()))),
        ("execution", f"{seconds('execution_s')}{spread}"),
        ("ideal", f"{seconds('ideal_s')}: {ideal}"),
    ]
    idle = row["idle_processes"]
    life = "a process's life"
    if 0 < idle < row["processes"]:
        active = f"{units.count(row['processes'] - idle)} of {units.count(row['processes'])}"
        lines.append(
            (
                "processes",
                f"{active} make requests; means are over these, {counted('idle_processes')} make none",
            )
        )
        life = "such a process's life"
    for title, name in SPENT.items():
        waits = "" if title in ("computing", "overhead") else "waiting for "
        lines.append((f"{waits}{title}", f"{_share(row, name) or 0:g} % of {life}, {seconds(name)}"))
    lines += [
        ("disk operations", f"{counted('disk_reads')} reads, {counted('disk_writes')} writes"),
        ("disks busy", f"{busy}, the busiest {busiest}, longest queue {counted('longest_queue')}"),
    ]
    if row["buffers"]:
        ratio = "none" if row["hit_ratio"] is None else f"{row['hit_ratio']:.4g}"
        pending = f"{counted('pending_hits')} of them of blocks still being read"
        lines.append(
            ("hit ratio", f"{ratio}: {counted('hits')} of {counted('accesses')} accesses, {pending}")
        )
        lines.append(("mistakes", f"{counted('rereads')} rereads, {counted('rewrites')} rewrites"))
        if row["prefetch"] != "none":
            lines.append(("read ahead", f"{counted('prefetches')} blocks"))
    else:
        lines.append(("mistakes", f"{counted('rereads')} rereads"))
    names, values = zip(*lines, strict=True)
    return pa.table({"measure": pa.array(names), row["workload"]: pa.array(values)})


def _several(rows: pa.Table) -> pa.Table:
    """Return the measures of section 4.2, after what the sweep set."""
    given = rows.to_pylist()
    columns: dict[str, list[Any]] = {
        "case": [row["swept"] for row in given],
        "execution s": [row["execution_s"] for row in given],
        "cv": [row["cv"] for row in given],
        "ideal s": [row["ideal_s"] for row in given],
    }
    for title, name in SPENT.items():
        columns[f"{title} %"] = [_share(row, name) for row in given]
    if any(row["idle_processes"] for row in given):
        columns["idle processes"] = [row["idle_processes"] for row in given]
    columns |= {
        "disk reads": [round(row["disk_reads"]) for row in given],
        "disk writes": [round(row["disk_writes"]) for row in given],
        "hit ratio": [row["hit_ratio"] for row in given],
        "rereads": [round(row["rereads"]) for row in given],
        "rewrites": [None if row["rewrites"] is None else round(row["rewrites"]) for row in given],
        "disks busy %": [row["disk_utilisation"] for row in given],
    }
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def _share(row: dict[str, Any], name: str) -> float | None:
    life = sum(row[part] for part in SPENT.values())
    return round(100 * row[name] / life, 1) if life else None


def _system_in_words(row: dict[str, Any], writes: bool) -> dict[str, str]:
    """Return a file system in words, by what they are about; what is as usual is empty."""

    def unless(name: str, usual: object, words: str) -> str:
        return "" if row[name] is None or row[name] == usual else words

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


def _note(rows: pa.Table, ran: Workload, all_settings: Sequence[Settings]) -> str:
    """Say what ran."""
    first = rows.slice(0, 1).to_pylist()[0]
    settings = all_settings[0]
    said = ran.sentences()
    if any(case.pattern != settings.pattern for case in all_settings):
        said[0] = f"The first case: {said[0][0].lower()}{said[0][1:]}"
    if not ran.writes and settings.buffers != 0:
        said.append("Nothing is written: the write policy has no effect.")
    trials = first["trials"]
    averaged = "one run" if trials == 1 else f"means of {trials} runs"
    said.append(
        f"{averaged[0].upper()}{averaged[1:]}, seeds from {first['seed']}; jitter {settings.jitter_ns / 1000:g} µs;"
        f" {settings.overheads} overheads. Percentages of the lives of the processes that make requests: computing,"
        " overhead, and waiting for reads, buffers, writes. --format json has all measures."
    )
    return "\n".join(said)
