"""Records of keys that the engine reads give the same tables, skips and counts as their slow twin in NumPy."""

import random
import struct
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_tests import examples
from tables_read import everything

from iotrace.formats import oracle_general
from iotrace.formats.disk_io import order, records
from iotrace.formats.disk_io.records import Records, RecordSource
from iotrace.formats.key_io.run import KeyRun
from iotrace.formats.key_records import names_of, operations, unsigned
from iotrace.formats.reading.clock import NS_PER_S


def numpy_requests(rows: np.ndarray) -> Mapping[str, Any]:
    """Return the requests of records; namespaces are names of tenants."""
    columns: dict[str, Any] = {
        "time_ns": rows["time_s"].astype("int64") * NS_PER_S,
        "number": unsigned(rows["object"]),
        "size": rows["bytes"].astype("int64"),
    }
    if "operation" in (rows.dtype.names or ()):
        columns["operation"] = operations(rows["operation"])
        columns["tenant"] = names_of(rows["namespace"])
    return columns


def trace(chance: random.Random, count: int, *, with_operations: bool) -> bytes:
    """Return records, some in no order or decades away, with odd operations, the last perhaps cut short."""
    share = chance.choice([0, 0.05, 0.5])
    made, s = [], 1000
    for _ in range(count):
        s = max(0, s + chance.randrange(-2, 10))
        is_odd = chance.random() < share
        time = chance.choice([s, 2**32 - 1]) if is_odd else s
        key = chance.choice([0, 2**63, 2**64 - 1]) if is_odd else chance.randrange(9)
        size = chance.choice([0, 2**32 - 1]) if is_odd else 1 + chance.randrange(4)
        middle = b""
        if with_operations:
            code, tenant = (0, 2**16 - 1) if is_odd else (chance.choice([1, 3, 9]), chance.randrange(3))
            middle = struct.pack("<BH", chance.choice([code, 17, 255]) if is_odd else code, tenant)
        made.append(struct.pack("<IQI", time, key, size) + middle + struct.pack("<q", -1))
    whole = b"".join(made)
    return whole[: len(whole) - chance.choice([0, 0, 5])]


@pytest.mark.parametrize("kind", ["oracle_general", "oracle_general_ops"])
@examples(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), count=st.integers(1, 60), records_each=st.integers(1, 60))
def test_keys_read_by_the_engine_are_those_that_numpy_reads(
    tmp_path: Path, kind: str, seed: int, count: int, records_each: int
) -> None:
    path = tmp_path / "t"
    has_operations = kind.endswith("ops")
    path.write_bytes(trace(random.Random(seed), count, with_operations=has_operations))
    form = Records(
        oracle_general.WITH_OPERATION if has_operations else oracle_general.PLAIN,
        kind,
        parsed=oracle_general.parsed_keys,
    )

    def run(form: Records) -> KeyRun:
        return KeyRun("oracle-general", [path], RecordSource([path], lambda head: form, "oracle-general"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "BATCH_RECORDS", records_each)
        patch.setattr(order, "HELD_ROWS", 4)
        assert everything(run(form)) == everything(run(replace(form, requests=numpy_requests)))
