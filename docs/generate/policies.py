"""The page of replacement policies, from the words that ``iotrace curve --policy`` takes."""

import elements

from iotrace.cli.options.policies import VARIANTS

INTRODUCTION = """\
What `iotrace curve --policy NAME,...` simulates. Each is checked against a simulation of under 60 lines in the tests,
and against libCacheSim, or Caffeine's simulator, where these have the same variant.
[Curves](../concepts/curves.md#replacement-policies) shows how they are compared."""


def page() -> str:
    """Return the page."""
    rows = [(elements.code(name), variant) for name, variant in VARIANTS.items()]
    return elements.page("Replacement policies", INTRODUCTION, elements.table(("policy", "variant"), rows))
