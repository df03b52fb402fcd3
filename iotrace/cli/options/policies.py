"""``iotrace curve --policy``: other replacement policies at chosen sizes."""

from collections.abc import Collection, Iterable, Mapping

import typer

from iotrace.cli.terminal import print
from iotrace.engine import native
from iotrace.errors import UsageError

VARIANTS = dict(native.policies())
"""Which variant of each policy is simulated in caches of blocks, by name."""
FILE_VARIANTS = dict(native.policies_of_files())
"""The same of what needs files: the page cache of Linux."""
SIZED_VARIANTS = dict(native.object_policies("bytes"))
"""The same of policies in caches of objects, sized in bytes."""
FURTHER_VARIANTS = {name: variant for name, variant in SIZED_VARIANTS.items() if name not in VARIANTS}
"""Those that caches of objects have only."""
ALL = "all"
EXPLAIN = "help"
"""The word that shows which variants there are."""


def variants(names: Iterable[str], of: Mapping[str, str] = VARIANTS | FILE_VARIANTS) -> str:
    """Return a line for each policy that says which variant it is."""
    return "\n".join(f"{name}: {of[name]}" for name in names)


def explained(names: str | None) -> str | None:
    """Print which variant of each policy is simulated, and exit, if that is asked for instead of names."""
    if names is not None and names.strip().lower() == EXPLAIN:
        print(f"In caches of blocks:\n\n{variants(VARIANTS)}\n{variants(FILE_VARIANTS)}\n")
        print(f"In caches of objects sized in bytes:\n\n{variants(SIZED_VARIANTS, SIZED_VARIANTS)}")
        raise typer.Exit
    return names


def named(text: str) -> list[str]:
    """Return the policies named, in lower case; raises UsageError for a name that is none."""
    names = [name.strip().lower() for name in text.split(",")]
    for name in names:
        if name not in (*VARIANTS, *FURTHER_VARIANTS, *FILE_VARIANTS, ALL):
            of_objects = dict(native.object_policies("objects"))
            common = ", ".join(name for name in VARIANTS if name in of_objects)
            further = ", ".join(name for name in VARIANTS if name not in of_objects)
            raise UsageError(
                f"--policy: {name!r} is not one of {common}, or {ALL};"
                f" for caches of blocks {further}, of objects {', '.join(FURTHER_VARIANTS)},"
                f" of system calls {', '.join(FILE_VARIANTS)}"
            )
    return list(dict.fromkeys(names))


def chosen(
    names: Collection[str], of: Iterable[str], caches: str, further: Collection[str] = ()
) -> list[str]:
    """Return the policies named, those `of` for ``all``; raises UsageError for one that there is not for such caches.

    The `further` ones are not among ``all``.
    """
    known = list(of)
    for name in names:
        if name not in (*known, *further, ALL):
            raise UsageError(
                f"--policy: {name!r} is not simulated for {caches}: {', '.join([*known, *further])}, or {ALL}"
            )
    named = [*known, *further] if ALL in names else names
    return [name for name in named if name in known or name in names]
