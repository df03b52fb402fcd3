"""The page of a paper: sections and figures as its ``data/page.toml`` words them, each figure with its table.

page.toml has ``cited``, the page's ``title`` and ``headline``, each section's question and lead, and a
table for each kind of figure: ``title``, ``caption``, ``source`` (else what is cited), ``draw`` (else a table is
written), ``wide`` (else true); what else it has are the drawing's arguments. Texts have places for values in braces.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from iotrace import units
from iotrace.papers import data
from iotrace.papers.findings.claim import findings_of
from iotrace.papers.findings.difference import in_words, is_opposite
from iotrace.papers.findings.tally import IN_ALL, by_kind, causes, whole_verdicts
from iotrace.papers.findings.verdicts import IN_FULL, Verdict, counted, counts
from iotrace.reports.pages import drawings
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.reports.pages.first_screen import Picture, first_screen
from iotrace.reports.pages.schemas import shown, table_of, table_schema

Row = Mapping[str, Any]
BRAND = "iotrace paper"
COLORS = {Verdict.HOLDS: "good", Verdict.FAILS: "bad", Verdict.UNJUDGED: "neutral"}
"""The colours of verdicts in pictures."""
OF_FIGURE = ("title", "caption", "source", "draw", "wide")


class Page:
    """The page of a paper as it grows: its words, and the tables of the figures made so far."""

    def __init__(self, paper: str) -> None:
        self.paper = paper
        self._words = data.described(paper, "page")
        self._tables: dict[str, pa.Table] = {}

    def figure(
        self,
        id: str,
        table: pa.Table,
        text: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        /,
        **values: object,
    ) -> Figure:
        """Return a figure of a table, worded as page.toml has it by `id` or by `text`, with these values in it."""
        raw: dict[str, Any] = self._words["figure"][text or id]
        values["cited"] = self._words["cited"]
        title, caption, source = (
            raw.get(name, default).format_map(values)
            for name, default in (("title", ""), ("caption", ""), ("source", "{cited}"))
        )
        self._tables[id] = table
        return Figure(
            id,
            text or id,
            title,
            caption.strip(),
            raw.get("draw", "table"),
            table=id,
            source=source,
            wide=raw.get("wide", True),
            arguments={
                **{name: value for name, value in raw.items() if name not in OF_FIGURE},
                **(arguments or {}),
            },
        )

    def section(self, id: str, *figures: Figure) -> Section:
        """Return a section of figures."""
        question, lead = self._words["section"][id]
        return Section(id, question, lead, figures)

    def findings(
        self,
        rows: Sequence[Row],
        verdicts: Mapping[str, Mapping[str, str]],
        parts: pa.Table,
        after: Sequence[Figure] = (),
    ) -> Section:
        """Return the verdicts: counts by kind, claims that fail, a row for each finding, then one for each claim.

        `rows` are the judgements; `verdicts` are those on the findings, by trace; `parts` is the table of claims.
        """
        column_of = {name: "verdict" if len(verdicts) == 1 else f"on_{name}" for name in verdicts}
        whole = [
            {
                "finding": finding,
                "said": text,
                **{column_of[name]: verdict_of[finding] for name, verdict_of in verdicts.items()},
            }
            for finding, text in findings_of(self.paper).items()
        ]
        marks = {"marks": "verdict"} if len(verdicts) == 1 else None
        short = self.figure("findings-whole", declared("findings_of_paper", whole), None, marks)
        long = self.figure("findings-parts", parts)
        return self.section("findings", self.counts(rows), self.failing(rows), short, long, *after)

    def counts(self, rows: Sequence[Row]) -> Figure:
        """Return how many claims hold, fail and cannot be judged, by kind."""
        return self.figure("findings-counts", by_kind(rows))

    def failing(self, rows: Sequence[Row]) -> Figure:
        """Return the claims that fail, each with its number and the cause; by trace if there are several."""
        fails = [
            {**row, "number": number_of(row), "bounds": bounds_of(row)}
            for row in rows
            if row["verdict"] == Verdict.FAILS
        ]
        return self.figure("findings-fail", declared("claims_that_fail", fails))

    def write(
        self,
        sections: Iterable[Section],
        facts: Sequence[tuple[str, str]],
        sentences: Sequence[Markup] = (),
        **values: object,
    ) -> str:
        """Return the page as HTML."""
        title, headline = (self._words[name].format_map(values) for name in ("title", "headline"))
        return compose(
            list(sections),
            self._tables,
            brand=BRAND,
            title=title,
            headline=headline,
            facts=facts,
            sentences=sentences,
            opening=self._opening(),
            more="More about this comparison",
        )

    def _opening(self) -> Markup | None:
        """Return the first screen: how many claims that are evidence hold, as a bar; None where none is judged."""
        kinds = self._tables.get("findings-counts")
        if kinds is None:
            return None
        of_traces = [_by_verdict(row) for row in kinds.to_pylist() if row["kind"] == IN_ALL]
        numbers_of = {verdict: sum(row[verdict] for row in of_traces) for verdict in Verdict}
        claims = units.plural(sum(numbers_of.values()), "claim that is evidence", "claims that are evidence")
        said = f"Of {claims}, {counted(numbers_of, IN_FULL)}."
        some = {verdict: number for verdict, number in numbers_of.items() if number}
        drawing = drawings.bar([(COLORS[verdict], number) for verdict, number in some.items()], said)
        numbers = pa.table(
            {"verdict": [str(verdict) for verdict in numbers_of], "claims": list(numbers_of.values())}
        )
        legend = [(COLORS[verdict], f"{number} {IN_FULL[verdict]}") for verdict, number in some.items()]
        return first_screen(said, Picture("first-claims", "Claims by verdict", drawing, numbers, legend))


def bounds_of(row: Row) -> str:
    """Return the bounds of a claim, with their unit where the number is said in the opposite one."""
    number = row[_number_column(row)]
    return f"{row['bounds']} {row['unit']}" if is_opposite(number, row["unit"]) else str(row["bounds"])


def _number_column(row: Row) -> str:
    return "ours" if "ours" in row else "number"


def number_of(row: Row, column: str = "") -> str:
    """Return the number of a claim in words, with its unit: ours unless another column is named."""
    number, unit = in_words(row[column or _number_column(row)], row["unit"])
    return f"{plain(number)} {unit}" if unit != "ratio" else plain(number)


def plain(number: float, digits: int = 4) -> str:
    """Write a number of few digits, and without an exponent where it is large."""
    return units.count(number) if abs(number) >= 1000 else f"{number:,.{digits}g}"


def from_bound(row: Row) -> str:
    """Say how far a claim's number is from its nearest bound, below 0 beyond it."""
    distance = row["distance"]
    return f"{'+' if distance > 0 else ''}{plain(distance, 3)} from its bound"


def short_number(row: Row, column: str, digits: int = 4) -> str:
    """Return the number of a claim without its unit, which is in another column, unless it goes the other way."""
    number, unit = in_words(row[column], row["unit"])
    return plain(number, digits) + (f" {unit}" if is_opposite(row[column], row["unit"]) else "")


def unique(rows: Iterable[Row], column: str) -> list[Any]:
    """Return a column's values, each once, in order."""
    return list(dict.fromkeys(row[column] for row in rows))


def across(rows: Iterable[Row], by: str, column: str, written: Callable[[Row], str]) -> list[dict[str, Any]]:
    """Return each claim's first row, with a column ``column_NAME`` for each trace (or what else `by` names)."""
    claims: dict[str, dict[str, Any]] = {}
    for row in rows:
        claims.setdefault(row["finding"], dict(row))[f"{column}_{printable(row[by])}"] = written(row)
    return list(claims.values())


def points(rows: Iterable[tuple[str, bool, float, float]]) -> pa.Table:
    """Return points of lines along a setting: the line, whether it is printed, where, and how much."""
    return _shaped("printed_point", rows)


def bars(rows: Iterable[tuple[str, str, float]]) -> pa.Table:
    """Return bars of policies in groups: the group, the policy, and how much."""
    return _shaped("printed_bar", rows)


def declared(table: str, rows: Sequence[Row]) -> pa.Table:
    """Return what is shown of rows, by the declaration of their table in tables.toml."""
    return shown(table_of(table, rows))


def _shaped(shape: str, rows: Iterable[tuple[Any, ...]]) -> pa.Table:
    schema = table_schema(shape)
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


def split(table: pa.Table, column: str, named: Callable[[Any], str] = str) -> dict[str, pa.Table]:
    """Return the rows of each value of a column, by names made of the values."""
    values = dict.fromkeys(table[column].to_pylist())
    return {named(value): table.filter(pc.equal(table[column], value)) for value in values}


def together(names: Sequence[str]) -> str:
    """Say what traces a page is about."""
    return f"{len(names)} traces" if len(names) > 1 else printable(names[0])


def verdicts_of(paper: str, rows: Sequence[Row]) -> dict[str, str]:
    """Return the verdict on each finding of a paper, by the rows of its claims; without a claim it can't be judged."""
    return whole_verdicts(rows, findings_of(paper))


def tally(verdicts: Mapping[str, str], rows: Sequence[Row], where: str = "") -> Markup:
    """Say how many of a paper's findings have each verdict, and of their claims, which are the rows.

    `where` they were judged is text or markup.
    """
    whole = Markup("Of the paper's {} findings, <b>{}</b>{}. ").format(
        len(verdicts), counted(counts(verdicts.values()), IN_FULL), where
    )
    return whole + claims_tally(rows, "their")


def claims_tally(rows: Sequence[Row], whose: str, where: str = "") -> Markup:
    """Say how many of the claims of one trace, or of none, have each verdict: those that are evidence."""
    evidence = next(line for line in by_kind(rows).to_pylist() if line["kind"] == IN_ALL)
    sentence = Markup("Of {} {} claims{}, {} are evidence: <b>{}</b>. ").format(
        whose, len(rows), where, evidence["claims"], counted(_by_verdict(evidence), IN_FULL)
    )
    why = causes(rows)
    sentence += Markup("Causes of those that do not hold: {}. ").format(why) if why else ""
    apart = len(rows) - evidence["claims"]
    return sentence + (f"The {apart} others are no evidence: the claims by kind say why." if apart else "")


def _by_verdict(line: Row) -> dict[Verdict, int]:
    """Return the numbers of a line of findings_by_kind."""
    columns = {Verdict.HOLDS: "holds", Verdict.FAILS: "fails", Verdict.UNJUDGED: "cannot_be_judged"}
    return {verdict: line[column] for verdict, column in columns.items()}
