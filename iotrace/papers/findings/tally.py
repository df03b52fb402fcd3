"""Claims counted by kind: what is evidence, and apart from it what could not have come out otherwise."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers.findings.claim import Basis, Cause, Kind, Origin, whole
from iotrace.papers.findings.difference import OPPOSITES, is_opposite
from iotrace.papers.findings.verdicts import Verdict, counts, with_whole_verdicts
from iotrace.reports.pages.schemas import shown, table_of

Row = Mapping[str, Any]
APART = (str(Kind.STRUCTURAL), str(Basis.PRINTED), *(str(one) for one in Origin if one != Origin.INDEPENDENT))
"""Kinds of claims that are no evidence, in the order in which they are looked for."""
EVIDENCE = tuple(str(kind) for kind in Kind if kind is not Kind.STRUCTURAL)
IN_ALL = "all of these"
NUMBERS = ("number", "ours", "ours_today")
"""The columns with the numbers of findings."""
IN_A_WORD: dict[str, dict[str, str | None]] = {
    "cause": {Cause.PAPER: "paper"},
    "origin": {Origin.INDEPENDENT: None, Origin.MATCHED: "matched"},
}
"""Short words on a terminal for the long values of a column."""
TO_READ_FIRST = (Verdict.FAILS, Verdict.HOLDS, Verdict.UNJUDGED)


def group(row: Row) -> str:
    """Return under what a claim is counted: its kind, or why it is no evidence."""
    marks = {row["kind"], row["judged_on"], row["origin"]}
    return next((mark for mark in APART if mark in marks), str(row["kind"]))


def by_kind(rows: Iterable[Row]) -> pa.Table:
    """Return table findings_by_kind: how many claims hold, fail, and cannot be judged, for each trace if there are."""
    rows = list(rows)
    traces = dict.fromkeys(row.get("trace") for row in rows)
    lines = [line for trace in traces for line in _lines(trace, [r for r in rows if r.get("trace") == trace])]
    return queries.result_table("findings_by_kind", lines)


def causes(rows: Iterable[Row]) -> str:
    """Say how many of the claims that fail, and are evidence, have each cause: ``the model 4, chance 2``."""
    failing = [row["cause"] for row in rows if row["verdict"] == Verdict.FAILS and group(row) in EVIDENCE]
    names = sorted(set(failing), key=lambda name: (-failing.count(name), str(name)))
    return ", ".join(f"{name or 'not known'} {failing.count(name)}" for name in names)


def _lines(trace: str | None, rows: Sequence[Row]) -> list[dict[str, Any]]:
    groups = {name: [row for row in rows if group(row) == name] for name in (*EVIDENCE, *APART)}
    evidence = [row for name in EVIDENCE for row in groups[name]]
    shown = {
        **{name: groups[name] for name in EVIDENCE},
        IN_ALL: evidence,
        **{f"apart: {name}": groups[name] for name in APART},
    }
    return [
        _line(trace, name, rows_of_kind)
        for name, rows_of_kind in shown.items()
        if rows_of_kind or name == IN_ALL
    ]


def _line(trace: str | None, name: str, rows: Sequence[Row]) -> dict[str, Any]:
    numbers = counts(row["verdict"] for row in rows)
    return {
        "trace": trace,
        "kind": name,
        "holds": numbers[Verdict.HOLDS],
        "fails": numbers[Verdict.FAILS],
        "cannot_be_judged": numbers[Verdict.UNJUDGED],
        "claims": len(rows),
    }


def findings_table(result: str, rows: Sequence[Row]) -> pa.Table:
    """Return judgements on claims as a result by its name, each with the verdict on the whole finding."""
    return queries.result_table(result, with_whole_verdicts(rows, whole))


def whole_verdicts(rows: Iterable[Row], findings: Iterable[str]) -> dict[str, str]:
    """Return the verdict on each of these findings by the rows of its claims; one without a claim can't be judged."""
    verdict_of = {whole(row["finding"]): row["whole_verdict"] for row in rows}
    return {finding: verdict_of.get(finding, str(Verdict.UNJUDGED)) for finding in findings}


NO_ROOM = ("section", "paper", "range", "by")
"""The columns of findings for which a terminal has no room."""
WHY = ("trace", "finding", "cause", "note")
"""The columns that a terminal shows of claims that fail, or hold by chance, for which more is known than the cause."""


def for_a_terminal(findings: pa.Table) -> dict[str, pa.Table]:
    """Return what is shown of findings: counts by kind, then claims that fail, hold, and can't be judged.

    Last, which is what a terminal shows first, are those of which there is more to say.
    """
    rows = findings.to_pylist()
    read = _to_read(rows)
    claims = pa.Table.from_pylist(read, findings.schema)
    claims = claims.select([name for name in claims.column_names if name not in NO_ROOM])
    tables = {"Claims by kind": by_kind(rows), "Claims": shown(claims)}
    known = [{name: row[name] for name in WHY if name in row} for row in read if row["note"]]
    return tables | (
        {"Why claims fail, or rest on the seeds": shown(table_of("claims_that_fail", known))} if known else {}
    )


def _to_read(rows: Sequence[Row]) -> list[Row]:
    """Return rows by verdict, the values of `IN_A_WORD` shortened."""
    by_verdict = sorted(rows, key=lambda row: TO_READ_FIRST.index(row["verdict"]))
    short = [
        {name: short_names.get(row[name], row[name]) for name, short_names in IN_A_WORD.items()}
        for row in by_verdict
    ]
    return [_in_direction({**row, **short_names}) for row, short_names in zip(by_verdict, short, strict=True)]


def _in_direction(row: Row) -> Row:
    """Return a row whose number has no sign where its unit can say the direction; the bounds keep theirs."""
    unit = row["unit"]
    number = row["number"] if "number" in row else row["ours"]
    if not is_opposite(number, unit):
        return row
    turned = {name: -row[name] for name in NUMBERS if row.get(name) is not None}
    return {
        **row,
        **turned,
        "unit": OPPOSITES[unit],
        "bounds": f"{row['bounds']} {unit}; it is {OPPOSITES[unit].split()[-1]}",
    }
