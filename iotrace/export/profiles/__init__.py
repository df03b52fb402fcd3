"""Profiles and timelines of a trace, for speedscope, flame graphs and Perfetto: one module each, and their registry."""

from iotrace.analysis.grouping import Weight
from iotrace.errors import IotraceError, UsageError
from iotrace.export.profiles import folded, perfetto, speedscope
from iotrace.files.remote import Place
from iotrace.store.store import Store

FORMS = {"speedscope": speedscope.write, "folded": folded.write}
TIMELINE = "perfetto"
NAMES = (*FORMS, TIMELINE)


def write(
    store: Store,
    output: Place,
    form: str,
    by: Weight = Weight.TIME,
    stacks: bool = False,
    force: bool = False,
) -> tuple[str, ...]:
    """Write a profile by weight, or with `stacks` one of the functions that made calls or waited, or the timeline.

    Returns a sentence for each kind of thing that is not in the file. Raises IotraceError for a trace that has nothing
    to be drawn, UsageError where the file exists unless ``force`` is set.
    """
    if store.family.has_objects or store.family.has_counters:
        raise IotraceError(
            f"{store.name}: is made of {store.family.rows}; {form} is a form of calls and of requests to disks"
        )
    if form != TIMELINE:
        return FORMS[form](store, output, by, stacks, force)
    if by is not Weight.TIME or stacks:
        raise UsageError(f"{TIMELINE} is a timeline: --by and --stacks are for {' and '.join(FORMS)}")
    return perfetto.write(store, output, force)
