"""Bypass bits that a user gives: table cluster_bits, from CSV or Parquet."""

from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from iotrace import units
from iotrace.errors import IotraceError, UsageError
from iotrace.files.names import local_name
from iotrace.files.parquet import read_table


def read(path: Path, files: tuple[str, ...]) -> pa.Table:
    """Return the bits of a file, in which files may be named as ``files`` has them.

    Raises IotraceError for one that cannot be read, UsageError for the name of an unknown file. Another table is
    refused where it is used.
    """
    empty_is_null = csv.ConvertOptions(strings_can_be_null=True)
    try:
        if path.suffix == ".parquet":
            return _numbered(read_table(path), files)
        return _numbered(csv.read_csv(local_name(path), convert_options=empty_is_null), files)
    except FileNotFoundError:
        raise IotraceError(f"{path}: no such file") from None
    except (pa.ArrowException, OSError) as error:
        raise IotraceError(f"{path}: {str(error).splitlines()[0]}") from None


def _numbered(bits: pa.Table, files: tuple[str, ...]) -> pa.Table:
    if "file" not in bits.column_names or not pa.types.is_string(bits["file"].type):
        return bits
    number_of = {name: number for number, name in enumerate(files)}
    numbers = []
    for row, word in enumerate(bits["file"].to_pylist()):
        number = number_of.get(word, int(word) if word and units.is_whole(word) else None)
        if number is None:
            raise UsageError(
                f"row {row} of the bypass bits: {word!r} is neither a file's number nor its name"
            )
        numbers.append(number)
    return bits.set_column(bits.column_names.index("file"), "file", pa.array(numbers, pa.int64()))


def names_phases(bits: pa.Table) -> bool:
    """Return whether any row is for one phase."""
    return "phase" in bits.column_names and bits["phase"].null_count < bits.num_rows


def unknown(bits: pa.Table, records: pa.Table) -> list[str]:
    """Say which files and phases bits name that the program lacks."""
    return [*_unknown(bits, records, "file"), *_unknown(bits, records, "phase")]


def _unknown(bits: pa.Table, records: pa.Table, column: Literal["file", "phase"]) -> list[str]:
    if column not in bits.column_names or not pa.types.is_integer(bits[column].type):
        return []
    known = set(pc.unique(records[column]).to_pylist()) | {None}
    lacking = [str(number) for number in sorted(set(bits[column].to_pylist()) - known)]
    if not lacking:
        return []
    listed = ", ".join(lacking[:5]) + (f" and {len(lacking) - 5} more" if len(lacking) > 5 else "")
    return [f"warning: the bypass bits name {column}s that the program lacks: {listed}"]
