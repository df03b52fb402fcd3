"""The page of replacement policies, from the words that ``iotrace curve --policy`` takes."""

from collections.abc import Mapping

import elements

from iotrace.cli.options.policies import FILE_VARIANTS, FURTHER_VARIANTS, SIZED_VARIANTS, VARIANTS

INTRODUCTION = """\
What `iotrace curve --policy NAME,...` simulates. Each is checked against a simulation of under 60 lines in the tests,
and against libCacheSim, or Caffeine's simulator, where these have the same variant.
[Curves](../concepts/curves.md#replacement-policies) shows how they are compared."""

OF_FILES = """\
On traces of system calls, `linux` is the model of [iotrace memory](../concepts/memory.md) as a cache of that size. Its
simulation in the tests is longer, and the [kernel](../groundtruth.md) judges it. `all` leaves it out."""

OF_OBJECTS = f"""\
On traces of keys, `--unit objects` has the policies above except for opt, with objects for blocks, and
{" and ".join(f"`{name}`" for name in FURTHER_VARIANTS)}. With `--unit bytes`, sizes are weights:"""


def page() -> str:
    """Return the page."""
    return elements.page(
        "Replacement policies",
        INTRODUCTION,
        _table(VARIANTS),
        "## The page cache",
        OF_FILES,
        _table(FILE_VARIANTS),
        "## Caches of objects",
        OF_OBJECTS,
        _table(SIZED_VARIANTS),
    )


def _table(variants: Mapping[str, str]) -> str:
    rows = [(elements.code(name), variant) for name, variant in variants.items()]
    return elements.table(("policy", "variant"), rows)
