"""Loop nests with conditionals, and what a compiler counts: equal branches, a profile, unknown bounds."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace.errors import IotraceError
from iotrace.generate import loops, program
from iotrace.generate.loops.affine import affine
from iotrace.generate.loops.reading import _nests
from iotrace.generate.loops.symbolic import Polynomial, symbolic_counts

NEEDED = {
    "nodes": 1,
    "processes_per_node": 1,
    "iterations": 2,
    "largest_request_bytes": 4096,
    "n": 40,
    "often": 20,
}
READ = {"array": "a", "operation": "read", "at": ["i, j"], "when": "pivot"}
OTHER = {"array": "b", "operation": "read", "at": ["i, j", "i, j"], "when": "not pivot"}
WRITE = {"array": "a", "operation": "write", "at": ["i, j"]}


def made(*references: dict[str, Any], **given: int) -> loops.Nests:
    values = NEEDED | given
    text = {"description": "s", "source": "assumed"}
    return _nests(
        "toy",
        {
            "description": "s",
            "parameter": [{"name": name, "value": value, **text} for name, value in values.items()],
            "array": [
                {"name": name, "extents": ["n", "n"], "element_bytes": 8, "source": "s"}
                for name in ("a", "b")
            ],
            "nest": [
                {
                    "name": "nest",
                    "source": "s",
                    "compute_ps": 1000,
                    "loop": [
                        {"index": "j", "from": 1, "to": "n", "tile": 1},
                        {"index": "i", "from": 1, "to": "n"},
                    ],
                    "conditional": [{"name": "pivot", "percent": "often", "source": "s"}],
                    "reference": list(references),
                }
            ],
        },
        {},
    )


def by_file(nests: loops.Nests) -> dict[tuple[str, int | None], int]:
    rows = loops.generate(nests).to_pylist()
    kinds = [(row["operation"], row["file"]) for row in rows]
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def test_each_tile_takes_one_branch() -> None:
    nests = made(READ, OTHER, WRITE, n=200)
    found = by_file(nests)
    assert found["read", 0] + found["read", 1] == found["write", 0] == 400
    # 20 of 100, of 400 draws: four standard deviations are 32
    assert abs(found["read", 0] - 80) <= 32
    assert loops.row_count(made(READ, OTHER, WRITE, iterations=1, n=200))[0] == 400


@pytest.mark.parametrize(("often", "expected"), [(0, {1}), (100, {0})])
def test_a_branch_that_is_always_or_never_taken(often: int, expected: set[int]) -> None:
    files = {file for operation, file in by_file(made(READ, OTHER, often=often)) if operation == "read"}
    assert files == expected


def test_computation_is_kept_where_the_last_read_is_not_made() -> None:
    nests = made(READ, WRITE)
    assert sum(row["compute_ns"] for row in loops.generate(nests).to_pylist()) == 2 * 40 * 40


def test_draws_do_not_depend_on_how_many_tiles_are_made_at_a_time() -> None:
    nests = made(READ, OTHER, WRITE)
    few = program.table(list(loops.rows(nests, most_tiles=3, most_rows=5)))
    assert few.combine_chunks() == loops.generate(nests).combine_chunks()


def test_branches_are_equally_likely_unless_a_profile_says_otherwise() -> None:
    nests = made(READ, OTHER, WRITE)
    steps = 2 * 40 * 40
    assert loops.reference_counts(nests).tolist() == [steps // 2 + steps, 2 * steps // 2]
    profiled = loops.reference_counts(nests, profile=True)
    assert profiled.tolist() == [steps // 5 + steps, 2 * steps * 4 // 5]
    assert np.argmax(loops.reference_counts(nests)) == 0 and np.argmax(profiled) == 1


@given(st.integers(4, 60), st.integers(1, 5), st.sampled_from(["tomcatv", "vpenta"]))
def test_symbolic_counts_are_the_counts_of_each_size(n: int, iterations: int, name: str) -> None:
    unknown = symbolic_counts(loops.read(name), frozenset({"n", "iterations"}))
    counts = loops.reference_counts(loops.read(name, {"n": n, "iterations": iterations})).tolist()
    assert [one.at({"n": n, "iterations": iterations}) for one in unknown] == counts


def test_symbolic_counts_by_hand() -> None:
    counts = symbolic_counts(made(READ, OTHER, WRITE), frozenset({"n"}))
    assert [str(one) for one in counts] == ["3 n^2", "2 n^2"]
    profiled = symbolic_counts(made(READ, OTHER, WRITE), frozenset({"n"}), profile=True)
    assert [str(one) for one in profiled] == ["12/5 n^2", "16/5 n^2"]
    assert str(Polynomial.of(affine("n - 2")) * Polynomial.of(affine("1 - n"))) == "-n^2 + 3 n - 2"


def test_the_mean_of_a_triangle_is_exact() -> None:
    """Steps 1 + 2 + ... + n."""
    nests = made(WRITE)
    outer, inner = nests.nests[0].loops
    triangle = loops.Nests(
        **{
            **vars(nests),
            "nests": (
                type(nests.nests[0])(
                    **{
                        **vars(nests.nests[0]),
                        "loops": (outer, type(inner)(**{**vars(inner), "written": (affine(1), affine("j"))})),
                    }
                ),
            ),
        }
    )
    (count, _) = symbolic_counts(triangle, frozenset({"n"}))
    assert count.at({"n": 40}) == 2 * 40 * 41 // 2
    assert count.terms == {("n", "n"): Fraction(1), ("n",): Fraction(1)}


@pytest.mark.parametrize(
    ("reference", "given", "said"),
    [
        (READ | {"when": "other"}, {}, "when is pivot, not pivot"),
        (READ, {"often": 101}, "percent is from 0 to 100, not 101"),
        (READ | {"when": 3}, {}, "when is pivot, not pivot"),
    ],
)
def test_conditionals_that_make_no_sense(reference: dict[str, Any], given: dict[str, int], said: str) -> None:
    with pytest.raises(IotraceError, match=said):
        made(reference, **given)
