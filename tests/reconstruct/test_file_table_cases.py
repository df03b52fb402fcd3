"""Each case in cases/ is a tiny log, and the rows that the file table must make of it.

The rules are Richardson's (1994, 2.3) and docs/design.md 3.

``references``, ``uses``, ``files``, ``processes``, ``mappings`` and ``call_files`` are tables as text, of which the
first line names the columns that are compared; ``-`` is null. All rows are compared, but that ``references`` are only
those of the types in ``types``. ``seen`` are counts of the manifest.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tiny_log import Rows, switches, tables

from iotrace import schemas
from iotrace.analysis.characterize import characterize
from iotrace.ingest.pipeline import ingest

WRITTEN = {
    "references": "reference",
    "uses": "use",
    "files": "file",
    "processes": "process",
    "mappings": "mapping",
    "call_files": "call_file",
}
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['what']}")
    for path in sorted((Path(__file__).parent / "cases").glob("*.toml"))
    for case in tomllib.loads(path.read_text("utf-8"))["case"]
]


@pytest.mark.parametrize("case", CASES)
def test_case(case: dict[str, Any]) -> None:
    assert set(case) <= {"what", "log", "model", "types", "seen", "agreement", *WRITTEN}
    assert set(case) & {"seen", "agreement", *WRITTEN}
    result, manifest = tables(case["log"], switches(case))
    assert manifest["skipped"] == {}
    if "types" in case:
        result["reference"] = [row for row in result["reference"] if row["type"] in case["types"]]
    for written, name in WRITTEN.items():
        if written in case:
            expected = [line.split() for line in case[written].strip().splitlines()]
            assert as_text(result[name], expected[0]) == expected
    assert {name: manifest["seen"][name] for name in case.get("seen", {})} == case.get("seen", {})
    if "agreement" in case:
        agreement = {name: count for name, count in manifest["path_agreement"].items() if count != {}}
        assert agreement == case["agreement"]


def as_text(rows: Rows, columns: list[str]) -> list[list[str]]:
    """Write rows as a case does: its columns, blanks as underscores."""
    return [columns, *([_word(row[column]) for column in columns] for row in rows)]


def _word(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace(" ", "_") or '""'


@pytest.mark.parametrize("case", CASES)
def test_the_manifest_counts_what_the_statistics_count(case: dict[str, Any], tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(case["log"], "utf-8")
    store = ingest([log], tmp_path / "log.iotrace", format="strace", model=switches(case))
    (totals,) = characterize(store.connect(views=[]), ["totals"])["totals"].to_pylist()
    counts = store.manifest["counts"]
    shared = counts.keys() & totals.keys()
    assert {"calls", "duration_ns", "files", "processes", "references"} <= shared
    assert {name: counts[name] for name in shared} == {name: totals[name] for name in shared}


def test_every_kind_of_file_is_documented() -> None:
    (described,) = [column.description for column in schemas.table("file").columns if column.name == "kind"]
    result, _ = tables(
        '7 lstat("/a", {st_mode=S_IFLNK|0777, st_size=3, ...}) = 0\n7 lstat("/b", {st_mode=S_IFIFO|0644, ...}) = 0\n'
        '7 openat(AT_FDCWD, "/c", O_RDONLY) = 3\n'
    )
    kinds = {row["kind"] for row in result["file"]}
    assert kinds == {"directory", "regular", "symlink", "device"}
    assert kinds <= set(described.rstrip(".").replace(",", "").split())
