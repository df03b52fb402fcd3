"""Which simulations a report leaves out: those of requests that touch more blocks than a simulator may follow."""

from collections.abc import Mapping, Sequence

from iotrace.reports.pages.figures import Figure, Note
from iotrace.reports.report.producers import producer_of

from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.errors import IotraceError
from iotrace.store.store import Store

BLOCK_BYTES = 4096
REFUSED = "Not simulated: "
"""The beginning of a reason."""
COUNTED = ("operation", "offset", "length", "file_size")
"""The columns of reference by which blocks are counted."""
BUDGETS = (Budget.CURVE, Budget.ATTRIBUTE, Budget.NONVOLATILE)
ADVICE = "its figures are left out; iotrace curve, attribute and nonvolatile take larger blocks or --budget"


def refused(store: Store) -> dict[Budget, str]:
    """Return why simulations cannot run, by their budgets; those that can are not there."""
    budgets = {budget: BlockBudget(budget.value, BLOCK_BYTES, ADVICE) for budget in BUDGETS}
    reasons: dict[Budget, str] = {}
    for batch in store.batches("reference", COUNTED):
        for budget in budgets.keys() - reasons.keys():
            try:
                budgets[budget].count(batch)
            except IotraceError as error:
                reasons[budget] = f"{REFUSED}{error}."
    return reasons


def notes(figures: Sequence[Figure], left_out: Mapping[Budget, str]) -> dict[str, Note]:
    """Return the reason for each figure that is left out, by its id."""
    budgets = {figure.id: producer.budget for figure in figures if (producer := producer_of(figure))}
    return {
        id_: Note(left_out[budget], is_not_computed=True)
        for id_, budget in budgets.items()
        if budget and budget in left_out
    }
