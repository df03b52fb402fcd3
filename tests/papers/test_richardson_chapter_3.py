"""The trace compared with the dissertation."""

import csv
from importlib.resources import files
from typing import Any

import pytest
from tiny_store import connect, rows_from_text

from iotrace import queries
from iotrace.papers.data import entries
from iotrace.papers.findings import dissertation
from iotrace.papers.findings.dissertation import Finding, Judgement, Kind
from iotrace.papers.findings.verdicts import Verdict
from iotrace.papers.richardson.characterization import compare_with_paper

PAPER = files("iotrace.papers.richardson").joinpath("data")
STATED = {kind: entries("richardson", "characterization_findings", kind) for kind in ("measure", "finding")}

TRACE = rows_from_text(
    """
use  file  type        operation  offset  length
-    0     inode       read       0       128
-    0     inode       update     0       128
-    1     inode       read       0       128
-    1     inode       write      0       128
-    2     directory   read       0       512
0    3     executable  read       0       20000
1    4     datafile    read       0       4096
1    4     datafile    read       4096    4096
1    4     datafile    write      8192    100
"""
)
USES = rows_from_text("use file type\n0 3 executable\n1 4 datafile")


def compared(**tables: list[dict[str, Any]]) -> tuple[dict[tuple[str, ...], Any], dict[str, Any]]:
    both = compare_with_paper(connect(**tables))
    assert both["paper_tables"].schema.equals(queries.table_schema("paper_comparison"), check_metadata=True)
    assert both["paper_findings"].schema.equals(queries.table_schema("findings"), check_metadata=True)
    rows = both["paper_tables"].to_pylist()
    return (
        {(row["item"], row["row"], row["quantity"]): row for row in rows},
        {row["finding"]: row for row in both["paper_findings"].to_pylist()},
    )


def test_the_findings_are_those_of_the_paper() -> None:
    lines = PAPER.joinpath("fractions.csv").read_text("utf-8").splitlines()
    printed = {row["id"]: row for row in csv.DictReader(line for line in lines if not line.startswith("#"))}
    stated = {one["id"]: one for one in STATED["finding"]}
    assert stated.keys() == printed.keys()
    for name, one in stated.items():
        assert one["section"] == printed[name]["section"]
        assert one["value"] == (float(printed[name]["value_pct"]) if name != "F46" else 50)
    assert {one["measure"] for one in stated.values() if "measure" in one} == {
        m["id"] for m in STATED["measure"]
    }


def test_ours_stands_beside_the_papers() -> None:
    tables, _ = compared(reference=TRACE, use=USES, file=[{"file": 4, "size_largest_bytes": 9000}])
    assert len(tables) == 4 + 4 + 2 * 5 * 5 + 2 * 3 * 11 + 6
    inode = tables["table 3.1", "inode", "requests per object"]
    assert (inode["paper"], inode["ours"], inode["ratio"]) == (223.3, 2.0, 2.0 / 223.3)
    assert tables["table 3.3", "inode", "share of requests"]["ours"] == pytest.approx(400 / 9)
    assert tables["table 3.4", "executable", "share of bytes"]["ours"] == pytest.approx(2000000 / 29316)
    assert tables["table 3.6", "16k", "uses of datafiles in the class"]["ours"] == 100
    assert tables["table 3.6", "1k", "datafiles in the class"]["paper"] == pytest.approx(100 * 924.5 / 1574.2)
    assert tables["table 3.3", "total", "reads within the type"]["paper"] is None
    assert tables["figure 3.3", "datafile", "share of static size"]["paper"] == 73


def test_a_type_that_the_trace_lacks_has_no_share_and_no_ratio_within() -> None:
    tables, judged = compared(reference=[row for row in TRACE if row["type"] != "executable"])
    assert tables["table 3.3", "executable", "share of requests"]["ours"] == 0
    assert tables["table 3.3", "executable", "reads within the type"]["ours"] is None
    assert tables["table 3.1", "executable", "requests per object"]["ours"] is None
    assert judged["F08"]["verdict"] == "can't be judged"
    assert judged["F08"]["reason"] == "the trace has no executables"
    assert judged["F41"]["reason"] == "there is nothing to measure it by"


def test_findings_are_judged_with_numbers() -> None:
    _, judged = compared(reference=TRACE, use=USES)
    assert len(judged) == 50
    assert judged["F01"]["ours"] == 40
    assert (judged["F01"]["verdict"], judged["F02"]["verdict"]) == ("fails", "holds")
    assert judged["F01"]["range"] == judged["F02"]["range"] == "below 51.3 to 86.7"
    assert judged["F12"]["range"] == "inside 41 to 73"
    assert judged["F46"]["ours"] == 100
    assert (judged["F39"]["verdict"], judged["F40"]["verdict"]) == ("holds", "fails")
    assert judged["F47"]["reason"] == "needs a miss-ratio curve: iotrace paper richardson --chapter 4"


def test_an_empty_trace_is_not_judged() -> None:
    tables, judged = compared()
    assert {row["verdict"] for row in judged.values()} == {"can't be judged"}
    assert all(row["ours"] is None for row in tables.values())


def test_every_measure_can_be_pasted_into_a_client() -> None:
    connection = connect(reference=TRACE, use=USES)
    connection.execute(queries.macros_sql())
    for name in queries.ordered(queries.names()):
        connection.execute(f"create view {name} as {queries.definition(queries.query(name))}")
    for measure in STATED["measure"]:
        ((number,),) = connection.execute(measure["sql"]).fetchall()
        assert number >= 0


@pytest.mark.parametrize(
    ("kind", "ours", "holds"),
    [
        ("low", 10, True),
        ("low", 9.9, False),
        ("high", 10, True),
        ("high", 10.1, False),
        ("below", 10, False),
        ("below", 9.9, True),
        ("above", 10, False),
        ("above", 10.1, True),
        ("average", 5, True),
        ("average", 20, True),
        ("average", 4.9, False),
        ("average", 20.1, False),
    ],
)
def test_predicates(kind: str, ours: float, holds: bool) -> None:
    factor = 2.0 if kind == "average" else None
    finding = Finding("X", "A claim.", "1", Kind(kind), 10.0, "measure", factor)
    assert Judgement(finding, "percent", ours).verdict is (Verdict.HOLDS if holds else Verdict.FAILS)
    assert Judgement(finding, "percent", None).verdict is Verdict.UNJUDGED


def test_a_curve_is_not_judged_by_a_number_and_averages_need_a_factor() -> None:
    with pytest.raises(ValueError, match="F47"):
        Finding("F47", "A claim.", "1", Kind.CURVE, 1.0).holds(1.0)
    bare = {"id": "X", "claim": "A claim.", "section": "1", "kind": "average", "value": 1}
    with pytest.raises(ValueError, match="X"):
        dissertation.load([bare])
