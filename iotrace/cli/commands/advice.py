"""``iotrace advice``: what to change, most at stake first."""

from iotrace.cli.inputs import OptionalTraceArgument, RawTrace
from iotrace.cli.options.advice import RuleFilter
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.output import Output
from iotrace.cli.tables.advice import emit_advice, emit_rules, emit_sql
from iotrace.errors import UsageError

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace advice strace.log                      what to change, in five lines
 iotrace advice strace.log -v                   with the evidence, what to do and how to check it
 iotrace advice build.iotrace --all             also what has little at stake
 iotrace advice build.iotrace --last 30s --program cc1
 iotrace advice build.iotrace --rule failed_lookups --sql
 iotrace advice build.iotrace --format json     one object for each piece of advice, for scripts
 iotrace advice --list                          all rules
"""
}


@grouped
def advice(
    trace: OptionalTraceArgument = None,
    *,
    rule_filter: RuleFilter,
    part: PartWithWhere,
    output: Output,
    raw: RawTrace,
) -> None:
    """Say what to change, most at stake first: what was found where, what to do, how to check it, how sure it is."""
    from iotrace.analysis.advice import advise
    from iotrace.analysis.advice.ask import asked_of, known_for
    from iotrace.queries.rules import rules
    from iotrace.store.skipped import cautions

    if rule_filter.listing:
        emit_rules(rule_filter.names(rules()), output)
        return
    if trace is None:
        raise UsageError("give a trace: a store or a raw log (or --list)")
    store = part.of(raw.open(trace), output.is_interactive and not rule_filter.sql)
    store.family.check_answers("advice", store.name)
    names = rule_filter.names(known_for(store))
    if rule_filter.sql:
        emit_sql(asked_of(store, names), output)
        return
    has_split = output.is_interactive and not names
    if output.is_interactive:
        for caution in cautions(store.manifest):
            print(caution)
    found = advise(store, names, rule_filter.everything, has_split)
    emit_advice(found, output, rule_filter.cards(len(found.cards)) if output.is_interactive else None)
