"""The trace compared with the dissertation."""

import csv
import re
from importlib.resources import files
from typing import Any

import pytest
from tiny_store import connect, rows_from_text

from iotrace import queries
from iotrace.papers.data import entries, published
from iotrace.papers.findings.claim import whole
from iotrace.papers.richardson.characterization import FILES, compare_with_paper
from iotrace.papers.richardson.judging import claims, measures

PAPER = files("iotrace.papers.richardson").joinpath("data")

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
    stated: set[str] = set()
    for claim in claims(FILES):
        first, _, last = whole(claim.finding).partition("-")
        of_both = [printed[name] for name in dict.fromkeys([first, f"F{last}" if last else first])]
        stated |= {row["id"] for row in of_both}
        assert claim.section.startswith(of_both[0]["section"])
        numbers = [float(row["value_pct"]) for row in of_both if row["value_pct"]]
        ends = [end for end in claim.interval.ends if end is not None]
        if claim.about is not None:
            # what is 20 % below a number is 80 % of it
            assert (100 - claim.about if claim.finding == "F52" else claim.about) in numbers
        elif numbers and claim.finding not in ("F36", "F49-50"):
            assert sorted(set(ends)) == sorted(numbers)
    assert stated == printed.keys() - {"F47", "F48"}  # those need a curve
    drawn = {one["measure"] for one in entries("richardson", "characterization_tables", "figure", "measure")}
    assert {claim.how["measure"] for claim in claims(FILES)} | drawn == {one["id"] for one in measures(FILES)}


def test_ours_stands_beside_the_papers() -> None:
    tables, _ = compared(reference=TRACE, use=USES, file=[{"file": 4, "size_largest_bytes": 9000}])
    assert len(tables) == 4 + 4 + 2 * 5 * 5 + 2 * 5 * 11 + 6
    inode = tables["table 3.1", "inode", "requests per object"]
    assert (inode["paper"], inode["ours"], inode["ratio"]) == (223.3, 2.0, 2.0 / 223.3)
    assert tables["table 3.3", "inode", "share of requests"]["ours"] == pytest.approx(400 / 9)
    assert tables["table 3.4", "executable", "share of bytes"]["ours"] == pytest.approx(2000000 / 29316)
    assert tables["table 3.6", "16k", "uses of datafiles in the class"]["ours"] == 1
    share = ", share of all classes"
    assert tables["table 3.6", "16k", f"uses of datafiles in the class{share}"]["ours"] == 100
    small = tables["table 3.6", "1k", f"datafiles in the class{share}"]["paper"]
    assert small == pytest.approx(100 * 924.5 / 1574.2)
    assert tables["table 3.3", "total", "reads within the type"]["paper"] is None
    assert tables["figure 3.3", "datafile", "share of static size"]["paper"] == 73


def test_the_papers_column_has_what_the_paper_prints() -> None:
    """All but shares, which are computed from the printed counts."""
    tables, _ = compared(reference=TRACE, use=USES)
    names = sorted({item for item, _, _ in tables if item.startswith("table")})
    for name in names:
        cells = {
            cell
            for row in published("richardson", name.replace(" ", "_").replace(".", "_"))
            for cell in row.values()
        }
        shown = [
            row["paper"]
            for (item, _, words), row in tables.items()
            if item == name and "share of all classes" not in words
        ]
        assert {paper for paper in shown if paper is not None} <= {
            float(cell) for cell in cells if re.fullmatch(r"[\d.]+", cell)
        }
    assert tables["table 3.5", "1k", "executables in the class"]["paper"] == 6.0
    assert tables["table 3.5", "1k", "uses of executables in the class"]["paper"] == 157.9


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
    assert len(judged) == len(claims(FILES))
    inodes = judged["F01-02"]
    assert (inodes["ours"], inodes["verdict"], inodes["kind"]) == (40, "fails", "range")
    assert (inodes["range"], inodes["distance"]) == ("below 51.3 to 86.7", pytest.approx(-11.3))
    assert judged["F11-12"]["range"] == "inside 41 to 73" and judged["F11-12"]["verdict"] == "holds"
    assert judged["F46"]["ours"] == 100 and judged["F46"]["paper"] == 50
    assert judged["F39-40"]["range"] == "above 54 to 85" and judged["F39-40"]["verdict"] == "fails"
    assert judged["F49-50"]["origin"] == "repeated" and judged["F13"]["factor"] == 1.5
    assert {row["judged_on"] for row in judged.values()} == {"trace"}


def test_classes_of_files_by_what_the_trace_does_to_them() -> None:
    _, judged = compared(reference=TRACE, use=USES)
    assert judged["F54"]["verdict"] == "holds" and judged["F51a"]["ours"] == 0.5
    # the only datafile is read and written
    assert (judged["F55a"]["ours"], judged["F55c"]["ours"]) == (0, -100)
    assert judged["F56a"]["ours"] == judged["F56b"]["ours"] == 0


def test_an_empty_trace_is_not_judged() -> None:
    tables, judged = compared()
    assert {row["verdict"] for row in judged.values()} == {"can't be judged"}
    counted = [row["ours"] for row in tables.values() if row["unit"] in ("files", "uses")]
    assert counted == [0] * 44
    assert all(row["ours"] is None for row in tables.values() if row["unit"] not in ("files", "uses"))


def test_every_measure_can_be_pasted_into_a_client() -> None:
    connection = connect(reference=TRACE, use=USES)
    connection.execute(queries.macros_sql())
    for name in queries.ordered(queries.names()):
        connection.execute(f"create view {name} as {queries.definition(queries.query(name))}")
    for measure in measures(FILES):
        ((number,),) = connection.execute(measure["sql"]).fetchall()
        assert number is None or number >= -1000
