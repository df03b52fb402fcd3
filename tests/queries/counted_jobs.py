"""Logs of made jobs: counters as machines would leave them.

A machine takes a fixed time for a request and moves bytes at a fixed rate. What a job would save if it were mended
follows from these, and not from anything that a rule computes. Time is in seconds, added up over ranks.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from darshan_logs import COUNTERS, Region, log

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
BINS = (100, KB, 10 * KB, 100 * KB, MB, 4 * MB, 10 * MB, 100 * MB, GB)
BIN_NAMES = (
    "0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS",
)  # fmt: skip
VERSIONS = {"POSIX": 4, "MPI-IO": 3, "STDIO": 2, "H5F": 3, "PNETCDF_FILE": 3}
PREFIXES = {"MPI-IO": "MPIIO"}


@dataclass(frozen=True)
class Machine:
    """What a request takes, and how fast bytes move."""

    request_s: float = 0.001
    bytes_per_s: float = 1e9

    def takes(self, requests: int, size: int) -> float:
        """Return the time of requests of one size."""
        return requests * (self.request_s + size / self.bytes_per_s)


SLOW, USUAL, FAST = Machine(0.01, 300e6), Machine(), Machine(0.0003, 2e9)


@dataclass
class Made:
    """A job: its records, the time that its ranks spend in I/O, and what it would save if it were mended."""

    ranks: int = 64
    hints: str = ""
    records: list[tuple[str, int, int, dict[str, float]]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    stripes: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    io_s: float = 0
    loss_s: float = 0

    def file(self, name: str) -> int:
        """Return the number of a file."""
        number = len(self.names) + 1
        self.names[number] = name
        return number

    def add(self, module: str, file: int, rank: int = -1, **counters: float) -> None:
        """Add a record: names of counters in small letters, without the module."""
        self.records.append((module, file, rank, counters))

    def log(self, run_s: float, others: Mapping[str, Region] | None = None, **job: Any) -> bytes:
        """Return the log of a run of that length; `others` are regions besides those of its records.

        `job` is what else its record says; see `job_record`.
        """
        regions = dict(others or {})
        for module in dict.fromkeys(module for module, *_ in self.records):
            prefix = PREFIXES.get(module, module)
            whole = [name for name, is_real in COUNTERS[module] if not is_real]
            real = [name for name, is_real in COUNTERS[module] if is_real]
            content = []
            for of, file, rank, counters in self.records:
                if of != module:
                    continue
                values = {f"{prefix}_{name.upper()}": value for name, value in counters.items()}
                assert values.keys() <= {*whole, *real}, values.keys() - {*whole, *real}
                content.append(struct.pack("<Qq", file, rank))
                content.append(struct.pack(f"<{len(whole)}q", *(int(values.get(name, 0)) for name in whole)))
                content.append(struct.pack(f"<{len(real)}d", *(values.get(name, 0.0) for name in real)))
            regions[module] = Region(VERSIONS[module], b"".join(content))
        if self.stripes:
            content = [
                struct.pack(f"<Qq5q{count}q", file, -1, targets, 1, -1, size, count, *range(count))
                for file, (size, count, targets) in self.stripes.items()
            ]
            regions["LUSTRE"] = Region(1, b"".join(content))
        return log(
            regions,
            ranks=self.ranks,
            run=max(0, round(run_s - 0.5)),
            names={number: name.encode() for number, name in self.names.items()},
            metadata=f"lib_ver=3.4.4\nh={self.hints}\n",
            **job,
        )


def sizes(kind: str, requests: int, size: int, aggregate: bool = False) -> dict[str, float]:
    """Return the bin of requests of one size, and the most common access."""
    place = next((at for at, bound in enumerate(BINS) if size <= bound), len(BINS))
    agg = "agg_" if aggregate else ""
    return {f"size_{kind}_{agg}{BIN_NAMES[place].lower()}": requests}


def posix(
    kind: str,
    requests: int,
    size: int,
    seconds: float,
    *,
    in_order: float = 1.0,
    unaligned: float = 0.0,
    alignment: int = 4096,
    span: int | None = None,
    meta_s: float = 0.0,
    opens: int = 1,
    slowest_s: float = 0.0,
    slowest_rank: int = 0,
    slowest_bytes: int = 0,
) -> dict[str, float]:
    """Return counters of POSIX of requests of one kind and size."""
    past = {"read": "read", "write": "written"}[kind]
    following = round(in_order * (requests - 1))
    return {
        "opens": opens,
        f"{kind}s": requests,
        f"bytes_{past}": requests * size,
        f"max_byte_{past}": (requests * size if span is None else span) - 1,
        f"seq_{kind}s": following,
        f"consec_{kind}s": following,
        "file_alignment": alignment,
        "file_not_aligned": round(unaligned * requests),
        "mem_alignment": 8,
        **sizes(kind, requests, size),
        "access1_access": size,
        "access1_count": requests,
        f"f_{kind}_time": seconds,
        "f_meta_time": meta_s,
        "slowest_rank": slowest_rank,
        "slowest_rank_bytes": slowest_bytes,
        "f_slowest_rank_time": slowest_s,
    }


def mpiio(
    kind: str,
    requests: int,
    size: int,
    seconds: float,
    *,
    collective: bool = False,
    meta_s: float = 0.0,
    opens: int = 64,
    slowest_s: float = 0.0,
) -> dict[str, float]:
    """Return counters of MPI-IO of calls of one kind and size."""
    past = {"read": "read", "write": "written"}[kind]
    return {
        "coll_opens": opens,
        f"{'coll' if collective else 'indep'}_{kind}s": requests,
        f"bytes_{past}": requests * size,
        **sizes(kind, requests, size, aggregate=True),
        "access1_access": size,
        "access1_count": requests,
        f"f_{kind}_time": seconds,
        "f_meta_time": meta_s,
        "f_slowest_rank_time": slowest_s,
    }


def both(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    """Return the counters of reads and writes of one record."""
    added = ("opens", "coll_opens", "f_meta_time", "file_not_aligned", "f_slowest_rank_time")
    return {
        **first,
        **second,
        **{name: first.get(name, 0) + second.get(name, 0) for name in added if name in first},
    }


def own_files(
    made: Made, kind: str, requests: int, size: int, machine: Machine = USUAL, **counters: float
) -> float:
    """Add a file for each rank; return the time of all."""
    seconds = machine.takes(requests, size)
    for rank in range(made.ranks):
        file = made.file(f"/scratch/{kind}.{rank:04}")
        made.add("POSIX", file, rank, **posix(kind, requests, size, seconds, **counters))  # type: ignore[arg-type]
    made.io_s += made.ranks * seconds
    return made.ranks * seconds


def checkpoint(made: Made) -> None:
    """Add a file of large pieces in order for each rank: nothing to mend."""
    own_files(made, "write", 20, 16 * MB)
