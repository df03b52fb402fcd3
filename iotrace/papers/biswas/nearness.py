"""How near a trace comes to the printed cells, in words: for the head of the page, and for a table's caption."""

from markupsafe import Markup

from iotrace.papers.biswas.agreement import MET_PERCENT, errors, once
from iotrace.papers.biswas.labels import labels
from iotrace.papers.biswas.likeness import is_generated
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import Table
from iotrace.reports.pages.escape import printable

NEAR_PERCENT = 10
"""An error that is still called near."""


def not_met(table: Table, memo: PaperMemo) -> str:
    """Name the fitted cells of a table that a made trace does not meet."""
    if not is_generated(memo.subject.store):
        return ""
    of_table = [error for error in errors(memo) if error.table == table.id and error.is_fitted]
    missed = [
        f"{error.policy.replace('_', ' ')}, {labels()[error.metric]} ({error.percent:.0f} % off)"
        for error in of_table
        if not error.is_met
    ]
    met = f"{len(of_table) - len(missed)} of its {len(of_table)} fitted cells"
    sentence = f"{printable(memo.subject.name)} meets {met} here within {MET_PERCENT:g} %"
    return f"{sentence}; not met: {'; '.join(missed)}." if missed else f"{sentence}."


def nearness(memo: PaperMemo, several: bool) -> list[Markup]:
    """Say how many of the printed cells a trace comes near to; nothing of a trace that is like no disk."""
    cells = once(errors(memo))
    if not cells:
        return []
    held = [error.percent for error in cells if not (error.is_fitted and is_generated(memo.subject.store))]
    fitted_on = [error for error in cells if error.is_fitted and is_generated(memo.subject.store)]
    sentence = Markup("{}<b>{} of {}</b> printed cells{} are within {} %, and {} within {:g} %.").format(
        f"{printable(memo.subject.name)}: " if several else "",
        sum(percent <= NEAR_PERCENT for percent in held),
        len(held),
        " that were held out of the fit" if fitted_on else "",
        NEAR_PERCENT,
        sum(percent <= MET_PERCENT for percent in held),
        MET_PERCENT,
    )
    if fitted_on:
        sentence += Markup(
            " Of the {} cells that the trace was fitted to, {} are met (within {:g} %)."
        ).format(len(fitted_on), sum(error.is_met for error in fitted_on), MET_PERCENT)
    return [sentence]
