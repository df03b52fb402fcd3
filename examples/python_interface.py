"""The Python interface: a trace as Arrow tables, polars frames and DuckDB relations, and its miss-ratio curve.

    python examples/python_interface.py [TRACE]

Without an argument it takes the log that comes with the package.
"""

import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

import iotrace
from iotrace.analysis.curves import curve
from iotrace.ingest import ingest


def main() -> None:
    """Print a few facts about a trace, each from another interface."""
    if len(sys.argv) > 1:
        show(iotrace.open(sys.argv[1]))
        return
    with as_file(files("iotrace") / "demo") as demo, tempfile.TemporaryDirectory() as place:
        known = demo / "demo.known-files.parquet"
        show(ingest([demo / "demo.strace.zst"], Path(place) / "demo.iotrace", known_files=known))


def show(store: iotrace.Store) -> None:
    """Print what the store's tables say."""
    print("Arrow:  ", store.arrow("reference").num_rows, "references")

    import polars as pl

    longest = store.polars("use").filter(pl.col("type") == "datafile").select(pl.col("bytes_read").max())
    print("polars: ", longest.collect().item(), "bytes read in one use of a datafile, at most")

    print("DuckDB:")
    store.relation("references_by_type").project("type, requests, bytes").show()

    sizes = [64 << 10, 1 << 20, 16 << 20]
    table = curve(store.arrow("reference"), block_bytes=4096, sizes_bytes=sizes)
    for row in table.select(["size_bytes", "read_requests", "read_request_misses"]).to_pylist():
        ratio = row["read_request_misses"] / row["read_requests"]
        print(f"LRU of {row['size_bytes'] >> 10:>6} KB: read request miss ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
