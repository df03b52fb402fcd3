"""``iotrace curve --policy``: other replacement policies at chosen sizes."""

from collections.abc import Iterable

from iotrace.engine import native
from iotrace.errors import UsageError

VARIANTS = dict(native.policies())
"""Which variant of each policy is simulated, by name."""


def variants(names: Iterable[str]) -> str:
    """Return a line for each policy that says which variant it is."""
    return "\n".join(f"{name}: {VARIANTS[name]}" for name in names)


def chosen(text: str) -> list[str]:
    """Return the policies named, or all for ``all``; raises UsageError for a name that is none."""
    named = list(VARIANTS) if text.strip() == "all" else [name.strip().lower() for name in text.split(",")]
    for name in named:
        if name not in VARIANTS:
            raise UsageError(f"--policy: {name!r} is not one of {', '.join(VARIANTS)}, or all")
    return list(dict.fromkeys(named))
