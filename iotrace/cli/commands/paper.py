"""``iotrace paper``: every table and figure of a paper, compared with traces, as one page and CSV files."""

from pathlib import Path

import typer

from iotrace.cli.inputs import RawTrace, names_of, open_trace
from iotrace.cli.options import paper as arguments
from iotrace.cli.options.given import was_given
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.settings import named_fields, takes
from iotrace.cli.output import Format, emit_many, refuse_to_overwrite
from iotrace.cli.page_folder import refuse_place, write_place
from iotrace.cli.progress import doing
from iotrace.cli.report_page import ReportFormat
from iotrace.cli.terminal import print, warn_of
from iotrace.papers.options import Options
from iotrace.papers.registry import PAPERS, refuse_options_of_others
from iotrace.papers.reproduction import PaperRequest

SETTINGS = {"epilog": arguments.EXAMPLES}


@takes(Options, "options")
@grouped
def paper(
    context: typer.Context,
    name: arguments.Paper,
    traces: arguments.Traces = None,
    *,
    answer: arguments.Answer,
    options: Options,
    raw: RawTrace,
) -> None:
    """Reproduce a paper's tables and figures for your traces. Our values stand next to the printed ones.

    Richardson: chapters 3 to 5, by the paper's model of the file system, and by today's. Biswas: every policy of the
    paper simulated on a drive of its time or yours. Kotz: both tables of the paper on parallel file systems and the
    curves of its figures, simulated. Vilayannur: what each level of a cluster's caches costs, and figures 3 to 13
    simulated. What each paper says, its findings, is judged claim by claim.
    """
    answer = answer.with_form(was_given(context, "form"))
    typed = {name for name in ("findings", "model", "trace_format", "columns") if was_given(context, name)}
    refuse_options_of_others(name.value, typed | named_fields(context, Options))
    part, path = answer.part, answer.output or Path(name.value)
    if answer.is_page:
        refuse_place(path, answer.force)
    else:
        refuse_to_overwrite(answer.output, answer.force)
    request = PaperRequest(
        part,
        names_of(traces or []),
        lambda trace, model: open_trace(trace, model, raw.form),
        warn_of,
        raw.model,
        answer.form is ReportFormat.TABLE,
        options,
    )
    work = PAPERS[name.value].reproduce(request)
    with doing() as progress:
        result = work(progress)
    if answer.is_page:
        if written := write_place(result.html, result.tables, path):
            print(written)
    else:
        if result.text and answer.output is None:
            print(result.text)
        emit_many(result.tables, Format(answer.form.value), answer.output, force=answer.force)
