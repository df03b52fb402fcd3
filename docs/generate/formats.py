"""The page of trace formats, from their registry."""

import elements

from iotrace.families import FAMILIES, Family
from iotrace.formats import FORMATS
from iotrace.formats.format import Format

INTRODUCTION = """\
What `iotrace ingest`, and every command that takes a trace, can read. The format is recognised by the first bytes of
the trace, in the order in which `iotrace formats` lists them; `--trace-format NAME` sets it. Every format may be
compressed with gzip, zstd, xz or bzip2. [Notes on the formats](../trace-formats.md) says how each is laid out and where
that is documented."""


def page() -> str:
    """Return the page."""
    return elements.page(
        "Trace formats", INTRODUCTION, *map(_family, FAMILIES.values()), *map(_calls, FORMATS)
    )


def _family(family: Family) -> str:
    sentence = f"Traces of {family.rows}: table `{family.name}`."
    members = [form for form in FORMATS if form.family is family]
    rows = [(elements.code(form.name), form.endings, form.description) for form in members]
    return (
        f"## {family.title}\n\n{sentence}\n\n{elements.table(('format', 'file names', 'description'), rows)}"
    )


def _calls(form: Format) -> str:
    if form.calls is None:
        return ""
    rows = [
        (elements.code(call), arguments, "yes" if classic else "")
        for call, arguments, classic in form.calls()
    ]
    listed = elements.table(("call", "arguments", "classic"), rows)
    sentence = "The calls that this text may hold; the classic ones are those of ULTRIX."
    return f"## Calls of {form.name}\n\n{sentence}\n\n{listed}"
