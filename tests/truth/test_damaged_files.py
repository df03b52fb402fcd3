"""Files that are damaged, or that a stranger made: each is refused in one sentence, whatever byte or value is wrong."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from program import Run, refused, remarks

from iotrace import schemas
from iotrace.analysis.curves import states
from iotrace.errors import IotraceError

SEED = 28
REQUESTS = "".join(
    f"{128166372003061629 + 10_000 * place},web,0,{('Read', 'Write')[place % 3 == 0]},{4096 * (place * 7 % 40)},"
    f"{4096 * (1 + place % 3)},700\n"
    for place in range(300)
)


@pytest.fixture(scope="module")
def state(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("states")
    (folder / "day.csv").write_text(REQUESTS)
    done = run("curve", "day.csv", "--state", "-o", "day.state", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "day.state"


def curves_of_each(files: list[Path]) -> list[str]:
    """Return what each state's curve is: ok, or the sentence of the refusal; in one process, which must not die."""
    program = """
import sys
from pathlib import Path
from iotrace.analysis.curves import states
from iotrace.errors import IotraceError
for name in sys.stdin.read().splitlines():
    try:
        states.read(Path(name)).curves(1.0, 1.0).table()
    except IotraceError as error:
        print(" ".join(str(error).split()))
    else:
        print("ok")
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        input="\n".join(map(str, files)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    said = done.stdout.splitlines()
    assert len(said) == len(files)
    return said


def test_a_state_with_any_changed_byte_is_refused_in_a_sentence(state: Path, tmp_path: Path) -> None:
    whole = state.read_bytes()
    random = np.random.default_rng(SEED)
    # every byte of both ends, where the sizes of Arrow's messages are, and some of those between
    ends = [*range(200), *range(len(whole) - 400, len(whole))]
    places = [*ends, *random.integers(200, len(whole) - 400, 600).tolist()]
    files = []
    for number, place in enumerate(places):
        broken = bytearray(whole)
        broken[place] ^= int(random.integers(1, 256))
        files.append(tmp_path / f"{number}.state")
        files[-1].write_bytes(broken)
    said = curves_of_each([state, *files])
    assert said[0] == "ok"
    # bytes of padding, and of the schema's first copy, are read by nobody: the curve is the same without them
    expected = curve_of(state)
    read = [file for file, words in zip(files, said[1:], strict=True) if words == "ok"]
    assert len(read) < len(files) - 300
    assert all(curve_of(file) == expected for file in read)


def curve_of(file: Path) -> object:
    return states.read(file).curves(1.0, 1.0).table().to_pylist()


def with_cells(state: Path, output: Path, change: Callable[[pa.RecordBatch], pa.RecordBatch]) -> None:
    """Write a state with other cells and the checksum that goes with them, as can be done on purpose."""
    with pa.ipc.open_file(str(state)) as file:
        rows, header = file.get_batch(0), json.loads(file.schema.metadata[b"curve_state"])
    rows = change(rows.replace_schema_metadata(None))
    header.pop("checksum")
    header["checksum"] = states._checksum(header, rows)
    schema = rows.schema.with_metadata({b"curve_state": json.dumps(header).encode()})
    with pa.ipc.new_file(str(output), schema) as written:
        written.write_batch(rows.replace_schema_metadata(schema.metadata))


def test_a_state_with_any_number_in_a_cell_is_read_or_refused(state: Path, tmp_path: Path) -> None:
    random = np.random.default_rng(SEED)
    numbers = [-1, 0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1]
    files = []
    for number in range(400):

        def change(rows: pa.RecordBatch) -> pa.RecordBatch:
            place = int(random.integers(1, rows.num_columns))
            field = rows.schema.field(place)
            values = rows.column(place).to_pylist()
            chosen = numbers[int(random.integers(len(numbers)))]
            if pa.types.is_boolean(field.type):
                new: object = not values[0]
            else:
                new = min(chosen, 2**31 - 1) if field.type == pa.int32() else chosen
            values[int(random.integers(len(values)))] = new
            return rows.set_column(place, field, pa.array(values, field.type))

        files.append(tmp_path / f"{number}.state")
        with_cells(state, files[-1], change)
    said = curves_of_each(files)
    assert sum(words != "ok" for words in said) > 20


def test_the_commands_refuse_a_damaged_state(run: Run, state: Path, tmp_path: Path) -> None:
    broken = bytearray(state.read_bytes())
    broken[len(broken) // 2] ^= 0x40
    (tmp_path / "broken.state").write_bytes(broken)
    (tmp_path / "day.csv").write_text(REQUESTS)
    for words in (["merge-curves", "broken.state"], ["curve", "day.csv", "--resume", "broken.state"]):
        done = run(*words, folder=tmp_path)
        assert done.returncode == 1
        (said,) = [line for line in remarks(done) if "kept as" not in line]
        assert said.startswith("iotrace: broken.state: the state is damaged")


def test_a_trace_without_references_has_no_state(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none.strace").write_text("1 1700000000.000001 getpid() = 1\n")
    run("ingest", "none.strace", "-o", "none.iotrace", folder=tmp_path)
    said = refused(run("curve", "none.iotrace", "--state", "-o", "none.state", folder=tmp_path))
    assert said == "none.iotrace: has no references: there is nothing to make a state of"


def test_a_clock_that_is_set_back_at_the_start_does_not_cost_the_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "back.strace").write_text(
        '1 1700000000.500000 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000010>\n'
        '1 1700000000.400000 read(3, "x", 4096) = 1 <0.000010>\n'
    )
    done = run("report", "back.strace", "-o", "back.html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not [line for line in remarks(done) if "could not be made" in line]
    assert "Not drawn" not in (tmp_path / "back.html").read_text()


def record(**given: object) -> dict[str, object]:
    usual = {"application": 0, "process": 0, "node": 0, "phase": 0, "operation": "read", "file": 0}
    return {**usual, "offset": 0, "length": 4096, "compute_ns": 0, **given}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"length": None}, "row 1: a read has no length"),
        ({"file": None}, "row 1: a read has no file"),
        ({"offset": None, "operation": "sync_write"}, "row 1: a sync_write has no offset"),
        ({"operation": "open", "file": None}, "row 1: a open has no file"),
        ({"operation": "jump"}, "operation 'jump' is none of read, write"),
        ({"offset": -1}, "row 1: offset is -1, below 0"),
        ({"compute_ns": -5}, "row 1: compute_ns is -5, below 0"),
        ({"offset": 2**63 - 1}, "row 1: offset and length end beyond 63 bits"),
    ],
)
def test_a_program_with_a_record_that_makes_no_sense_is_refused(
    run: Run, tmp_path: Path, given: dict[str, object], sentence: str
) -> None:
    rows = [record(), record(**given)]
    pq.write_table(pa.Table.from_pylist(rows, schema=schemas.schema("program")), tmp_path / "bad.parquet")
    assert sentence in refused(run("cluster", "bad.parquet", "--by", "phase", folder=tmp_path))


@pytest.mark.parametrize("number", ["nan", "1.5"])
def test_a_program_with_a_fraction_as_a_file_is_refused(run: Run, tmp_path: Path, number: str) -> None:
    rows = [record(), record()]
    table = pa.Table.from_pylist(rows, schema=schemas.schema("program"))
    place = table.schema.get_field_index("file")
    pq.write_table(
        table.set_column(place, "file", pa.array([0.0, float(number)], pa.float64())),
        tmp_path / "bad.parquet",
    )
    said = refused(run("cluster", "bad.parquet", folder=tmp_path))
    assert said.startswith("bad.parquet: is not a table program")


DRIVE = """name = "x"
surfaces = 2
rpm = 7200
{top}
[seek]
a_ms = 1.0
b_ms = 0.1
[[zones]]
first_cylinder = 0
last_cylinder = 99
sectors_per_track = 64
{zone}
"""


@pytest.mark.parametrize("number", ["inf", "nan", "-inf", "1e308", "-1e300"])
@pytest.mark.parametrize("key", ["head_switch_ms", "zones.cylinder_skew", "zones.first_sector_offset"])
def test_an_infinite_value_in_a_drive_is_refused(run: Run, tmp_path: Path, key: str, number: str) -> None:
    table, _, name = key.rpartition(".")
    filled = {"top": "", "zone": "", "zone" if table else "top": f"{name} = {number}"}
    (tmp_path / "x.toml").write_text(DRIVE.format(**filled))
    (tmp_path / "day.csv").write_text(REQUESTS)
    run("ingest", "day.csv", "-o", "day.iotrace", folder=tmp_path)
    said = refused(run("write-cache", "day.iotrace", "--disk", "x.toml", "--fit", "scale", folder=tmp_path))
    assert said.startswith("x.toml: ") and name in said


def test_text_in_a_store_that_is_no_utf8_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "k.csv").write_text("".join(f"{n},key{n},10\n" for n in range(9)))
    done = run("ingest", "k.csv", "--columns", "time=1,key=2,size=3", "-o", "k.iotrace", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    names = tmp_path / "k.iotrace" / "key_name.parquet"
    table = pq.ParquetFile(names).read()
    bytes_of = pa.array([b"\xff\xfe"] * 9, pa.binary()).buffers()[1:]
    wrong = pa.Array.from_buffers(pa.string(), 9, [None, *bytes_of])
    place = next(place for place, field in enumerate(table.schema) if pa.types.is_string(field.type))
    pq.write_table(table.set_column(place, table.schema.field(place), wrong), names)
    for words in (
        ["sql", "k.iotrace", "select * from key_name"],
        ["export", "k.iotrace", "--to", "csv", "-o", "x"],
    ):
        said = run(*words, folder=tmp_path)
        assert said.returncode == 1 and remarks(said)[-1].startswith("iotrace: ")
        assert b"Traceback" not in said.stderr and b"internal error" not in said.stderr


def test_a_state_is_not_read_at_all_where_it_is_no_arrow(tmp_path: Path) -> None:
    (tmp_path / "x.state").write_bytes(b"ARROW1\0\0" + b"\xff" * 64 + b"ARROW1")
    with pytest.raises(IotraceError, match="cannot be read as a state"):
        states.read(tmp_path / "x.state")
