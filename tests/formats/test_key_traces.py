"""Traces whose requests name keys of a cache and not places on a disk: read with one file per key, or refused."""

import json
import random
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from program import Run, refused
from property_tests import examples

from iotrace.ingest.pipeline import ingest

KEYS_HELP = "--trace-format oracle-general takes them for keys"
OF_BLOCKS = ("--trace-format", "oracle-general-blocks")
LARGE = ("--sizes", "1G", "-f", "json")


def oracle_general(requests: Sequence[tuple[int, int]], operation: int | None = None) -> bytes:
    """Return (object, bytes) as records of the format, one a second, with the true places of next requests."""
    following: dict[int, int] = {}
    records = []
    for place, (key, size) in reversed(list(enumerate(requests))):
        later = following.get(key, -1)
        following[key] = place
        middle = b"" if operation is None else struct.pack("<BH", operation, 0)
        records.append(struct.pack("<IQI", place, key, size) + middle + struct.pack("<q", later))
    return b"".join(reversed(records))


def misses(run: Run, path: Path, *arguments: str) -> int:
    """Return how many blocks a cache that holds everything misses: the distinct ones."""
    done = run("curve", path, *LARGE, *arguments)
    assert done.returncode == 0, done.stderr
    table: list[dict[str, Any]] = json.loads(done.stdout)
    return int(table[-1]["block_misses"])


@pytest.mark.parametrize(
    ("requests", "says"),
    [
        ([(8, 4096), (2**63 + 5, 512), (8, 4096)], f"record 2: object {2**63 + 5} is beyond the last block"),
        ([(2**54, 512), (7, 512)], f"record 1: object {2**54} is beyond the last block"),
        ([(8, 4096), (16, 4096), (3, 1)], "record 3: a size of 1 bytes is not a multiple of 512"),
        ([(key, 4096) for key in (*range(40, 80), 45)], "record 1: object 40 has 4,096 bytes"),
    ],
)
@pytest.mark.parametrize("operation", [None, 1])
def test_oracle_general_of_keys_is_refused_with_its_first_record(
    run: Run, tmp_path: Path, requests: list[tuple[int, int]], says: str, operation: int | None
) -> None:
    (tmp_path / "t.bin").write_bytes(oracle_general(requests, operation))
    message = refused(run("ingest", tmp_path / "t.bin", *OF_BLOCKS))
    assert says in message and KEYS_HELP in message
    assert [path.name for path in tmp_path.iterdir()] == ["t.bin"]


def test_oracle_general_of_blocks_is_read_with_a_warning(run: Run, tmp_path: Path) -> None:
    requests = [(lbn, 4096) for lbn in range(0, 4000, 8)] + [(4, 4096), (12, 65536)]
    (tmp_path / "t.bin").write_bytes(oracle_general(requests))
    done = run("ingest", tmp_path / "t.bin", *OF_BLOCKS)
    assert done.returncode == 0 and b"taken for block numbers" in done.stderr


@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 2, 3, 2**40, 2**63, 2**64 - 1]), st.integers(1, 20_000)), min_size=1
    ),
    st.sampled_from([None, 1]),
)
def test_each_key_is_a_file_with_its_name(
    tmp_path_factory: pytest.TempPathFactory, requests: list[tuple[int, int]], operation: int | None
) -> None:
    folder = tmp_path_factory.mktemp("keys")
    (folder / "t.bin").write_bytes(oracle_general(requests, operation))
    store = ingest([folder / "t.bin"], folder / "t.iotrace", format="oracle-general")
    asked = "select path, length from reference join file using (file) order by seq"
    assert store.connect(views=[]).execute(asked).fetchall() == [(str(key), size) for key, size in requests]


@pytest.mark.parametrize("columns", ["file=key,offset=@0,length=size", "time=t,file=2,offset=@0,length=@512"])
def test_a_file_in_columns_keeps_the_keys_apart(run: Run, tmp_path: Path, columns: str) -> None:
    keys = ["a", "b", "18446744073709551615", "disk", "a", "b"]
    (tmp_path / "t.csv").write_text("t,key,size\n" + "".join(f"{i},{key},3\n" for i, key in enumerate(keys)))
    assert misses(run, tmp_path / "t.csv", "--trace-format", f"csv:{columns}") == 4


def test_offsets_are_places_in_the_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("".join(f"{name},{at}\n" for name in "ab" for at in (0, 4096, 0)))
    columns = "csv:file=1,offset=2,length=@4K"
    assert misses(run, tmp_path / "t.csv", "--trace-format", columns) == 4
    assert misses(run, tmp_path / "t.csv", "--trace-format", f"{columns},device=@sda") == 2


def test_a_line_without_its_file_is_skipped_and_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,0\n,0\n")
    done = run("ingest", tmp_path / "t.csv", "--columns", "file=1,offset=2,length=@4K")
    assert b"1 no file" in done.stderr


def test_keys_taken_for_offsets_are_refused(run: Run, tmp_path: Path) -> None:
    random_keys = random.Random(2)
    lines = [f"{place},{random_keys.getrandbits(64)}" for place in range(200)]
    (tmp_path / "t.csv").write_text("t,key\n" + "\n".join(lines) + "\n")
    message = refused(run("ingest", tmp_path / "t.csv", "--columns", "time=t,offset=key:512,length=@512"))
    assert "line 2: the offset is beyond the end of any disk" in message and "give key=key" in message
    columns = "time=t,file=key,offset=@0,length=@512"
    assert misses(run, tmp_path / "t.csv", "--trace-format", f"csv:{columns}") == 200


def test_keys_without_offsets_are_refused_with_what_is_missing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("key\na\n")
    assert "key= takes" in refused(run("ingest", tmp_path / "t.csv", "--columns", "file=key"), code=2)


@pytest.mark.parametrize("count", [9, 60, 300])
def test_one_damaged_offset_is_skipped(tmp_path: Path, count: int) -> None:
    lines = [str(place * 512) for place in range(count)]
    lines[7] = "9" * 30
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    store = ingest([tmp_path / "t.csv"], tmp_path / "t.iotrace", format="csv:offset=1,length=@512")
    assert store.manifest["counts"]["skipped_lines"] == 1


def test_few_keys_taken_for_offsets_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("18446744073709551615\n18446744073709551614\n0\n")
    assert "2 of 3 lines" in refused(run("ingest", tmp_path / "t.csv", "--columns", "offset=1,length=@512"))


def test_what_is_far_is_counted_over_the_whole_trace(tmp_path: Path) -> None:
    far = ["99999999999999999999"] * 30
    source = [str(place * 512) for place in range(900_000)] + far
    (tmp_path / "t.csv").write_text("\n".join(source) + "\n")
    store = ingest([tmp_path / "t.csv"], tmp_path / "t.iotrace", format="csv:offset=1,length=@512")
    assert store.manifest["counts"]["skipped_lines"] == 30
