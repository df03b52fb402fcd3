"""Facts for the first numbers of a trace and its verdict: results of statistics, and what follows from them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from iotrace.families import Family
from iotrace.schemas.reference_types import DATA, METADATA

QUERIES = (
    "totals", "references_by_type", "bytes_by_origin", "static_by_type", "reads_and_writes_by_requests",
    "reads_and_writes_by_bytes", "files_read_and_written", "datafiles_by_size", "requests_by_size",
    "access_patterns", "sequentiality", "runs_by_length", "working_set_by_window", "written_data_lifetimes",
    "unseen_io", "mapped_io", "offsets_by_source",
)  # fmt: skip
"""The statistics from which the numbers and the verdict are made."""
OF_OBJECTS = (
    "totals", "references_by_type", "bytes_by_origin", "static_by_type", "reads_and_writes_by_requests",
    "working_set_by_window", "unseen_io",
)  # fmt: skip
"""Those of them for requests that take objects whole: runs within an object, and its parts, say nothing."""
MAY_LACK = (
    "files_read_and_written", "datafiles_by_size", "requests_by_size", "access_patterns", "sequentiality",
    "runs_by_length", "working_set_by_window", "written_data_lifetimes",
)  # fmt: skip
"""Those of `QUERIES` without which the rest is true: nothing is said of what they show."""

MODELLED = (
    (("mapped programs",), "programs that are mapped"),
    (("whole executables",), "executables read whole"),
    (("directories",), "directories"),
    (("inodes",), "inodes"),
    (("access times",), "access times"),
)
"""Data that the model adds, and mappings may read: parts of ``bytes_by_origin``, and their names in a sentence."""
UNSEEN_SHARE = 0.1
"""Unseen I/O is worth a sentence before all others where it may be this share of what calls moved, or more."""
Rows = list[dict[str, Any]]


def queries_for(family: Family) -> tuple[str, ...]:
    """Return the statistics from which the numbers and the verdict of a family of traces are made."""
    return OF_OBJECTS if family.has_objects else QUERIES


@dataclass(frozen=True)
class Facts:
    """Facts from the results of `QUERIES` that both the numbers and the sentences need."""

    results: Mapping[str, Rows]

    @classmethod
    def of(cls, results: Mapping[str, pa.Table]) -> "Facts":
        """Take the results of `QUERIES`; those that a family does not need have no rows."""
        return cls({name: results[name].to_pylist() if name in results else [] for name in QUERIES})

    @property
    def is_of_disks(self) -> bool:
        """Whether all requests are for disks, as in a block trace."""
        rows = self.results["references_by_type"]
        return bool(rows) and all(row["type"] == "disk" for row in rows)

    @property
    def is_of_keys(self) -> bool:
        """Whether the requests are for keys of a cache or key-value store."""
        return bool(self.totals["key_requests"])

    @property
    def average_request_bytes(self) -> float | None:
        """The average length of the requests whose length is known."""
        rows = self.results["references_by_type"]
        known = total(row["requests"] - row["unknown_lengths"] for row in rows)
        return total(row["bytes"] for row in rows) / known if known else None

    @property
    def totals(self) -> dict[str, Any]:
        """The only row of statistic `totals`."""
        return self.results["totals"][0]

    @property
    def metadata_requests(self) -> float:
        """How many requests are for inodes and directories."""
        return total(row["requests"] for row in self.results["references_by_type"] if row["type"] in METADATA)

    @property
    def data_size_bytes(self) -> float:
        """The total size of the files that hold data."""
        rows = self.results["static_by_type"]
        return total(row["size_bytes"] for row in rows if row["type"] not in METADATA)

    @property
    def is_directed(self) -> bool:
        """Whether the trace states of every request whether it reads or writes."""
        return not self.totals["undirected_requests"]

    @property
    def read_requests_percent(self) -> float | None:
        """The share of the requests that calls make for data that read; None if the trace does not state it."""
        rows = self.results["reads_and_writes_by_requests"]
        writes = total(row["writes"] for row in rows if row["type"] not in (*METADATA, "total"))
        requests = self.totals["data_requests"]
        return 100 * (requests - writes) / requests if requests and self.is_directed else None

    def data(self, column: str) -> float:
        """A column of what calls moved of data, pieces of executables included, in bytes."""
        return total(row[column] for row in self.results["bytes_by_origin"] if row["origin"] == "calls")

    def modelled(self, *parts: str) -> float:
        """The bytes that parts of statistic `bytes_by_origin` add."""
        rows = [row for row in self.results["bytes_by_origin"] if row["part"] in parts]
        return total(row["bytes_read"] + row["bytes_written"] for row in rows)

    @property
    def modelled_bytes(self) -> float:
        """The bytes that the model of the file system adds."""
        return self.modelled(*(part for parts, _ in MODELLED for part in parts))

    @property
    def byte_reuse(self) -> float | None:
        """How many bytes move for each byte of the files that hold data; None of empty files."""
        size = total(row["size_bytes"] for row in self.results["static_by_type"] if row["type"] in DATA)
        rows = [row for row in self.results["bytes_by_origin"] if row["part"] == "data"]
        return total(row["bytes_read"] + row["bytes_written"] for row in rows) / size if size else None

    def straight_percent(self, column: str) -> float | None:
        """The share of the uses, or of their bytes, that are one sequential run."""
        rows = self.results["access_patterns"]
        return total(row[column] for row in rows if row["pattern"] != "random") if rows else None

    @property
    def sequential_percent(self) -> float | None:
        """The share of the requests after the first of a file that start where the last one ended."""
        rows = [row for row in self.results["sequentiality"] if row["type"] != "executable"]
        followers = total(row["requests"] - row["first"] for row in rows)
        return 100 * total(row["sequential"] for row in rows) / followers if followers else None

    def long_run_percent(self, types: Collection[str]) -> float | None:
        """The share of the bytes of some types that move in runs longer than 64 KB."""
        rows = [row for row in self.results["runs_by_length"] if row["type"] in types]
        moved = total(row["bytes"] for row in rows)
        long = total(row["bytes"] for row in rows if row["maximum_length_bytes"] > 65536)
        return 100 * long / moved if moved else None

    @property
    def smallest_window(self) -> dict[str, Any] | None:
        """The working set in the shortest window; None of a trace without duration."""
        rows = self.results["working_set_by_window"]
        return rows[0] if rows else None

    def unseen(self, *kinds: str) -> Rows:
        """The rows of I/O that the trace cannot show, of some kinds."""
        return [row for row in self.results["unseen_io"] if row["kind"] in kinds]

    @property
    def mapped_bytes(self) -> float:
        """The size of the files mapped into memory whose I/O is not measured."""
        return total(row["bytes"] for row in self.unseen(*MAPPED))

    def mapped_io(self, column: str) -> int:
        """The sum of a column of bytes over the mapped files whose requests to disks are recorded."""
        return int(total(row[column] for row in self.results["mapped_io"]))

    @property
    def asynchronous_calls(self) -> float:
        """How many asynchronous calls move data that is not measured."""
        return total(row["calls"] for row in self.unseen("asynchronous"))

    @property
    def unseen_may_matter(self) -> bool:
        """Whether what cannot be seen may be a share of what calls moved that changes the verdict."""
        read, written = self.data("bytes_read"), self.data("bytes_written")
        stored = total(row["bytes"] for row in self.unseen("mapped for writing"))
        return bool(
            self.asynchronous_calls
            or self.mapped_bytes > UNSEEN_SHARE * (read + written)
            or stored > UNSEEN_SHARE * written
        )

    @property
    def unseen_may_decide(self) -> bool:
        """Whether what cannot be seen may decide whether the workload mostly reads or mostly writes."""
        can_write = self.asynchronous_calls or self.unseen("mapped for writing")
        only_adds = self.data("bytes_read") >= self.data("bytes_written") and not can_write
        return self.unseen_may_matter and not only_adds

    def datafile_class_percent(self, size_class: str) -> float:
        """The share of the datafiles that are only read, only written, or both (`read_write`)."""
        rows = self.results["files_read_and_written"]
        return total(
            row["objects_percent_of_type"]
            for row in rows
            if (row["type"], row["class"]) == ("datafile", size_class)
        )

    @property
    def dead_percent(self) -> float | None:
        """The share of the bytes written that are overwritten or deleted before the trace ends."""
        rows = self.results["written_data_lifetimes"]
        return total(row["bytes_percent"] for row in rows if row["fate"] != "survived") if rows else None


MAPPED = ("mapped for writing", "mapped for reading")


def total(values: Iterable[float | None]) -> float:
    """Return the sum of the values that are known."""
    return sum(value or 0 for value in values)
