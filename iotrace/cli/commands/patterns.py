"""``iotrace patterns``: which parallel access pattern each file sees, how sure that is, and the evidence."""

from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import AlignClocksOption, TraceArgument, TraceFormat, open_trace
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.options.patterns import NAMES, Places, Question
from iotrace.cli.output import ForceOption, Output
from iotrace.cli.pages import write_patterns
from iotrace.cli.tables.patterns import emit_patterns
from iotrace.cli.terminal import warn_of_all

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace patterns parallel.strace.zst                    each file's pattern, by phase, with how sure it is
 iotrace patterns run.iotrace -o patterns.html           a page: accesses as points, evidence, interprocess locality
 iotrace patterns run.iotrace -o patterns.csv            all the evidence
 iotrace patterns run.iotrace --locality --block 1K      how soon another process uses a block, as a curve
 iotrace patterns run.iotrace --shared --least 100       only what several processes access, at least 100 times
"""
    + NAMES
}


@grouped
def patterns(
    trace: TraceArgument,
    *,
    places: Places,
    question: Question,
    part: PartWithWhere,
    force: ForceOption = False,
    budget: BudgetOption = Budget.PATTERNS.value,
    align_clocks: AlignClocksOption = False,
    form: TraceFormat,
) -> None:
    """Name the parallel access pattern of each file. Also how sure that is (Kotz and Ellis 1991)."""
    from iotrace.analysis.patterns.study import study, unknowns

    page = places.page_place(question.locality, force)
    output = None if places.is_page else Output(places.form, places.output, force)
    store = part.of(open_trace(trace, form=form.form, align_clocks=align_clocks))
    subjects = study(store, question.options(budget))
    warn_of_all(unknowns(subjects))
    if output is not None:
        emit_patterns(subjects, question.locality, output)
    if page is not None:
        write_patterns(store, subjects, page, is_all=output is None)
