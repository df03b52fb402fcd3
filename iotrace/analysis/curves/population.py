"""Which references of a store are of a population: as SQL, and for a batch of table reference."""

import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.population import Population
from iotrace.schemas.reference_types import METADATA


def condition(population: Population) -> str:
    """Return which references belong to a population, as a condition in SQL over table reference."""
    looked_up = "reference.type in ('inode', 'directory')"
    whole = (
        "reference.type = 'executable' and reference.\"offset\" = 0 and length is not distinct from file_size"
    )
    match population:
        case Population.ALL:
            return "true"
        case Population.METADATA:
            return f"({looked_up})"
        case Population.DATA:
            mapped = "flags is not distinct from 'mapped'"
            return f"(not ({looked_up}) and not ({mapped}) and not coalesce({whole}, false))"


def members(population: Population, batch: pa.RecordBatch) -> pa.Array:
    """Return for each reference whether it belongs; needs type, flags, operation, offset, length and file_size."""
    kind = batch.column("type").dictionary_decode()
    looked_up = pc.fill_null(pc.is_in(kind, pa.array(METADATA)), False)
    match population:
        case Population.ALL:
            return pa.repeat(True, batch.num_rows)
        case Population.METADATA:
            return looked_up
        case Population.DATA:
            return pc.invert(pc.or_(looked_up, unmoved(batch)))


def unmoved(batch: pa.RecordBatch) -> pa.Array:
    """Return for each reference whether no call moved its bytes: a mapping's read, or that of a whole program."""
    kind = batch.column("type").dictionary_decode()
    mapped = pc.equal(batch.column("flags").dictionary_decode(), "mapped")
    starts = pc.equal(batch.column("offset"), 0)
    length, size = batch.column("length"), batch.column("file_size")
    ends = pc.or_(pc.equal(length, size), pc.and_(pc.is_null(length), pc.is_null(size)))
    whole = pc.and_(pc.equal(kind, "executable"), pc.and_(starts, ends))
    return pc.or_(pc.fill_null(mapped, False), pc.fill_null(whole, False))
