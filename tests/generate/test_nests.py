"""Loop nests: the vectorised generator against an interpreter of loops, its library, and what it refuses."""

import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nests_oracle import Row, ToyArray, ToyLoop, ToyNest, run

from iotrace import schemas
from iotrace.errors import IotraceError, UsageError
from iotrace.generate import loops as nests
from iotrace.generate import program
from iotrace.generate.loops.affine import affine
from iotrace.generate.loops.reading import _nests

COLUMNS = ("process", "phase", "operation", "file", "offset", "length", "compute_ns")
EXTENT = 33
INDICES = ("i", "j", "k")


def plain(table: pa.Table) -> list[Row]:
    return [tuple(row.values()) for row in table.select(COLUMNS).to_pylist()]


@st.composite
def loops(draw: st.DrawFn) -> tuple[ToyLoop, ...]:
    made: list[ToyLoop] = []
    shared = draw(st.sampled_from((*INDICES, None)))
    for index in INDICES[: draw(st.integers(1, 3))]:
        single = [loop.index for loop in made if loop.tile == 1]
        ends = [str(draw(st.integers(1, 3))), str(draw(st.integers(0, 4)))]
        if single and draw(st.booleans()):
            ends[draw(st.integers(0, 1))] = draw(st.sampled_from((f"{single[0]}", f"{single[0]} + 1")))
        tile = draw(st.sampled_from((1, 2, 3, "all")))
        distribute = draw(st.sampled_from(("block", "cyclic"))) if index == shared else None
        made.append(ToyLoop(index, ends[0], ends[1], tile, distribute, draw(st.booleans())))
    return tuple(made)


@st.composite
def subscripts(draw: st.DrawFn, indices: tuple[str, ...], dimensions: int) -> str:
    parts = []
    for _ in range(dimensions):
        terms = [f"{draw(st.integers(-1, 1))} * {index}" for index in indices]
        parts.append(" + ".join([*terms, str(draw(st.integers(16, 17)))]))
    return ", ".join(parts)


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[ToyArray], list[ToyNest]]:
    arrays = [
        ToyArray(
            (EXTENT,) * draw(st.integers(1, 3)),
            draw(st.sampled_from((1, 8))),
            draw(st.sampled_from(("column", "row"))),
            draw(st.booleans()),
        )
        for _ in range(draw(st.integers(1, 2)))
    ]
    made = []
    for _ in range(draw(st.integers(1, 2))):
        around = draw(loops())
        names = tuple(loop.index for loop in around)
        references = []
        for operation in draw(st.lists(st.sampled_from(("read", "write")), min_size=1, max_size=3)):
            array = draw(st.integers(0, len(arrays) - 1))
            dimensions = len(arrays[array].extents)
            at = tuple(draw(st.lists(subscripts(names, dimensions), min_size=1, max_size=2)))
            references.append((array, at, operation))
        made.append(ToyNest(around, tuple(references), draw(st.sampled_from((0, 1500)))))
    return arrays, made


def as_toml(
    arrays: list[ToyArray],
    made: list[ToyNest],
    nodes: int = 1,
    each: int = 1,
    iterations: int = 1,
    largest: int = 64,
) -> str:
    values = {
        "nodes": nodes,
        "processes_per_node": each,
        "iterations": iterations,
        "largest_request_bytes": largest,
    }
    lines = ['description = "toy"']
    for name, value in values.items():
        lines += [
            "[[parameter]]",
            f'name = "{name}"',
            f"value = {value}",
            'description = "toy"',
            'source = "assumed"',
        ]
    for number, array in enumerate(arrays):
        lines += [
            "[[array]]",
            f'name = "a{number}"',
            f"extents = {list(array.extents)}",
            'source = "assumed"',
        ]
        lines += [
            f"element_bytes = {array.element}",
            f'order = "{array.order}"',
            f"whole = {array.whole}".lower(),
        ]
    for nest in made:
        lines += ["[[nest]]", 'name = "toy"', 'source = "assumed"', f"compute_ps = {nest.compute_ps}"]
        for loop in nest.loops:
            lines += [
                "[[nest.loop]]",
                f'index = "{loop.index}"',
                f'from = "{loop.first}"',
                f'to = "{loop.last}"',
            ]
            lines += [f"tile = {loop.tile!r}".replace("'", '"'), f"reverse = {loop.reverse}".lower()]
            lines += [f'distribute = "{loop.distribute}"'] if loop.distribute else []
        for array_number, at, operation in nest.references:
            lines += ["[[nest.reference]]", f'array = "a{array_number}"', f'operation = "{operation}"']
            lines += [f"at = {list(at)}".replace("'", '"')]
    return "\n".join(lines)


@given(programs(), st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.sampled_from((8, 64, 10**6)))
def test_same_rows_as_an_interpreter(
    toy: tuple[list[ToyArray], list[ToyNest]], nodes: int, each: int, iterations: int, largest: int
) -> None:
    arrays, made = toy
    found = _nests("toy", tomllib.loads(as_toml(arrays, made, nodes, each, iterations, largest)), {})
    table = nests.generate(found)
    assert table.schema.equals(schemas.schema("program"))
    assert plain(table) == run(arrays, made, nodes * each, iterations, largest)
    assert table["node"].to_pylist() == [process // each for process in table["process"].to_pylist()]


@given(programs(), st.integers(1, 4), st.integers(1, 9), st.integers(1, 9))
def test_batches_change_nothing(
    toy: tuple[list[ToyArray], list[ToyNest]], nodes: int, most_tiles: int, most_rows: int
) -> None:
    found = _nests("toy", tomllib.loads(as_toml(*toy, nodes=nodes)), {})
    parts = list(nests.rows(found, most_tiles, most_rows))
    assert all(len(part) <= most_rows for part in parts)
    assert program.table(parts).equals(nests.generate(found))


@given(programs())
def test_reference_counts_are_the_steps_times_the_references(
    toy: tuple[list[ToyArray], list[ToyNest]],
) -> None:
    arrays, made = toy
    counts = [0] * len(arrays)
    for nest in made:
        alone = ToyNest(nest.loops, ((0, ("1",), "read"),), 1000)
        steps = sum(row[6] for row in run([ToyArray((1,), 1, "row", False)], [alone], 1, 1, 1))
        for array, at, _ in nest.references:
            counts[array] += steps * len(at)
    assert nests.reference_counts(_nests("toy", tomllib.loads(as_toml(arrays, made)), {})).tolist() == counts


@pytest.mark.parametrize("name", nests.library())
@pytest.mark.parametrize("n", [500, 1000])
def test_library_reads_and_writes_every_array_whole(name: str, n: int) -> None:
    found = nests.read(name, {"n": n, "iterations": 1})
    table = nests.generate(found)
    ends = np.asarray(table["offset"]) + np.asarray(table["length"])
    for file, size in enumerate(found.file_bytes):
        assert ends[np.asarray(table["file"]) == file].max() <= size
    assert np.asarray(table["length"]).min() >= n * 8
    assert set(np.asarray(table["process"])) == set(range(found.value("nodes")))
    assert all(one.source for one in (*found.parameters, *found.arrays, *found.nests))


def test_tomcatv_has_the_arrays_and_traffic_of_the_code() -> None:
    found = nests.read("tomcatv", {"n": 512, "iterations": 1})
    assert [array.name for array in found.arrays] == ["x", "y", "rx", "ry", "aa", "dd", "d"]
    assert found.file_bytes == (512 * 512 * 8,) * 7
    vpenta = nests.generate(nests.read("vpenta", {"n": 512, "iterations": 1}))
    assert sum(vpenta["length"].to_pylist()) < sum(nests.generate(found)["length"].to_pylist())


TOY = as_toml(
    [ToyArray((40,), 8, "row", False)],
    [ToyNest((ToyLoop("i", "1", "7", 2, None, False),), ((0, ("i + 1",), "read"),), 0)],
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"i + 1"', '"i * i"', "is not affine"),
        ('"i + 1"', '"i + q"', "'q' in 'i + q' is neither a parameter nor an index"),
        ('"i + 1"', '"i, 1"', "the array has 1 subscripts"),
        ('"i + 1"', '"40 * i"', "subscript 1 of a0 reaches 280, not within 1 to 40"),
        ('"i + 1"', '"i - 1"', "subscript 1 of a0 reaches 0, not within 1 to 40"),
        ('"i + 1"', '"__import__(1)"', "is not affine"),
        ('to = "7"', 'to = "i"', "nor an index defined at that place"),
        ('array = "a0"', 'array = "b"', "there is no such array"),
        ('operation = "read"', 'operation = "update"', "operation is read or write"),
        ("tile = 2", "tile = 0", "tile is at least 1, or all"),
        ("tile = 2", "step = 2", "'step' is not one of"),
        ("extents = [40]", "extents = [0]", "extents and element bytes are at least 1"),
        ("extents = [40]", "extents = [1000000000000000]", "too many"),
        ('order = "row"', 'order = "diagonal"', "'diagonal' is not one of column, row"),
        ('name = "nodes"', 'name = "knots"', "there is no parameter nodes"),
        ("value = 1\n", "value = 0\n", "parameter nodes is 0, not from 1 to 65536"),
        ('source = "assumed"', "", "source is missing, or no text"),
        ('description = "toy"', "description = ", "Invalid value"),
        ("[[nest]]", "[[nests]]", "'nests' is not one of"),
    ],
)
def test_refusals(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "toy.toml"
    path.write_text(TOY.replace(old, new, 1))
    with pytest.raises(IotraceError) as refused:
        nests.generate(nests.read(str(path)))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_neither_a_file_nor_in_the_library_is_refused() -> None:
    with pytest.raises(UsageError, match="neither a file nor one of lu, tomcatv, vpenta"):
        nests.read("swim")
    with pytest.raises(UsageError, match="'m' is not one of"):
        nests.read("vpenta", {"m": 3})


def test_too_many_requests_for_memory_are_refused_and_come_in_batches() -> None:
    found = nests.read("tomcatv", {"n": 100_000, "tile_columns": 1, "largest_request_bytes": 4096})
    with pytest.raises(IotraceError, match=r"more than 20,000,000 records"):
        nests.generate(found)
    assert len(next(nests.rows(found))) <= 1 << 18


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-9, 9))
def test_affine_expressions(one: int, other: int, constant: int) -> None:
    found = affine(f"{one} * i - (j * {other} - {constant})")
    assert found.at({"i": np.array([5]), "j": np.array([7])}, 1).tolist() == [one * 5 - 7 * other + constant]
