"""The page of rules of advice, from the headers of their SQL files."""

import elements
from iotrace.queries.rules import Rule, rules

from iotrace.families import FAMILIES

INTRODUCTION = """\
`iotrace advice TRACE` asks all rules for the trace's kind and shows what they find, most at stake first. Each rule is
one SQL file in `queries/advice/`; `iotrace advice --rule NAME --sql` prints it with its thresholds, and `iotrace sql`
runs it. What is less than 1 % of the trace's time, and of its bytes, is left out without `--all`. Time at stake is that
of the calls concerned, added up over processes, so it can be more than the clock's; the same call can count in several
pieces of advice. Where a recording shows when threads have no processor (`record --off-cpu`), their waits for one are
not at stake."""


def page() -> str:
    """Return the page of rules."""
    return elements.page("Rules of advice", INTRODUCTION, *map(_family, filter(rules, FAMILIES)))


def _family(family: str) -> str:
    return "\n\n".join([f"## {FAMILIES[family].title}", *map(_rule, rules(family).values())])


def _rule(rule: Rule) -> str:
    thresholds = [
        (elements.code(threshold.name), threshold.number, threshold.description)
        for threshold in rule.thresholds
    ]
    return "\n\n".join(
        [
            f"### {rule.name}",
            rule.description,
            f"**Do.** {rule.do}",
            f"**Check.** {rule.check}",
            f"**Confidence.** {rule.sure}",
            *(f"**{library}.** {elements.code(snippet)}" for library, snippet in rule.snippets),
            f"Source: {rule.source}",
            elements.table(("threshold", "value", "meaning"), thresholds),
        ]
    )
