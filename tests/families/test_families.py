"""Families are asked and not compared: nothing outside their folder decides by the name of one."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import iotrace.families
from iotrace.errors import IotraceError
from iotrace.families import FAMILIES
from iotrace.families.base import SUBJECTS

ROOT = Path(__file__).parents[2]
OBJECTS = {name for name, value in vars(iotrace.families).items() if value in FAMILIES.values()}
ANSWERS = {
    "syscall": {"accesses", "time", "advice", "patterns", "attribute", "nonvolatile", "programs"},
    "disk_io": {"accesses", "advice", "patterns", "nonvolatile", "programs", "write-cache"},
    "parallel_io": {"accesses", "advice", "patterns", "attribute", "nonvolatile", "programs"},
    "key_io": {"accesses"},
    "darshan_job": {"advice"},
}


def sources() -> list[Path]:
    folders = ("iotrace", "queries", "reports", "schemas", "docs/generate")
    read = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return [path for path in read if (ROOT / "iotrace/families") not in path.parents]


def compared(text: str) -> Iterator[int]:
    """Yield the lines of comparisons, and of cases, with the name of a family, or the object where it is imported."""
    tree = ast.parse(text)
    objects = OBJECTS if "iotrace.families" in text or "import families" in text else set()
    for node in ast.walk(tree):
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        sides += [node.value] if isinstance(node, ast.MatchValue) else []
        for side in sides:
            for part in side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side]:
                words = set(ast.unparse(part).split("."))
                if (isinstance(part, ast.Constant) and part.value in FAMILIES) or words & objects:
                    yield part.lineno


@pytest.mark.parametrize(
    "text",
    [
        'x == "disk_io"',
        '"key_io" not in store.tables',
        'x in ("syscall", "other")',
        "from iotrace.families import CALLS\nstore.family is CALLS",
        "from iotrace import families\nstore.family != families.DISKS",
        "from iotrace.families import KEYS\nname == KEYS.name",
        'match x:\n    case "parallel_io":\n        pass',
    ],
)
def test_a_comparison_is_found(text: str) -> None:
    assert list(compared(text))


@pytest.mark.parametrize(
    "text", ['store.batches("disk_io")', "store.family.has_disks", "x = {CALLS.name: 1}"]
)
def test_nothing_else_is(text: str) -> None:
    assert not list(compared(text))


def test_no_family_is_compared_with() -> None:
    read = sources()
    assert len(read) > 500
    found = [
        f"{path.relative_to(ROOT)}:{line}" for path in read for line in compared(path.read_text("utf-8"))
    ]
    assert found == []


def test_a_family_says_of_each_subject_whether_it_answers() -> None:
    assert {name: set(family.has_answers_to) for name, family in FAMILIES.items()} == ANSWERS
    assert set().union(*ANSWERS.values()) == set(SUBJECTS)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_refusal_says_why_and_what_answers(name: str, subject: str) -> None:
    family = FAMILIES[name]
    if family.answers(subject):
        family.check_answers(subject, "t")
        return
    with pytest.raises(IotraceError) as raised:
        family.check_answers(subject, "t")
    said = str(raised.value)
    assert (
        said == f"t: is made of {family.rows}, and {SUBJECTS[subject]}; {family.instead} are for this trace"
    )
