"""Which references of a store are of a population: as SQL, and for a batch of table reference."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.curves.texts import Mask, Texts
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


def members(population: Population, batch: pa.RecordBatch) -> Mask:
    """Return for each reference whether it belongs; needs type, flags, operation, offset, length and file_size."""
    kind = Texts.of(batch.column("type"))
    match population:
        case Population.ALL:
            return np.ones(batch.num_rows, bool)
        case Population.METADATA:
            return kind.are(METADATA)
        case Population.DATA:
            return ~(kind.are(METADATA) | _unmoved(batch, kind))


def _unmoved(batch: pa.RecordBatch, kind: Texts) -> Mask:
    """Return for each reference whether no call moved its bytes: a mapping's read, or that of a whole program."""
    mapped = Texts.of(batch.column("flags")).are(("mapped",))
    is_executable = kind.are(("executable",))
    if not is_executable.any():
        return mapped
    length, size = batch.column("length"), batch.column("file_size")
    ends = pc.or_(pc.fill_null(pc.equal(length, size), False), pc.and_(pc.is_null(length), pc.is_null(size)))
    whole = pc.and_(pc.fill_null(pc.equal(batch.column("offset"), 0), False), ends)
    return np.asarray(mapped | (is_executable & whole.to_numpy(zero_copy_only=False)))
