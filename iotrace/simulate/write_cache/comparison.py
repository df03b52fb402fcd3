"""The controllers that are compared: write caches of many sizes, the policies of the paper, or those of a sweep."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from iotrace.errors import UsageError
from iotrace.simulate.sweep import cases, changed, in_words
from iotrace.simulate.write_cache.settings import Settings

POLICY = {"purge", "piggyback", "victim", "single_cache_bytes"}
"""If any of these fields is set, one controller is simulated; otherwise sizes or policies are compared."""
SIZES_BYTES = tuple(16 << 20 << 2 * step for step in range(5))
"""Write caches of today: 16 MB to the 4 GB of a RAID controller (flash-backed, HPE Smart Array P816i-a)."""


def controllers(
    settings: Settings, sweeps: Sequence[str], named: Collection[str], is_searched: bool
) -> tuple[list[Settings], list[str]]:
    """Return the controllers asked for, `named` by their fields, and a message on each combination that is left out.

    Raises UsageError for a sweep of which no combination makes sense.
    """
    if sweeps or is_searched or not POLICY.isdisjoint(named):
        return _sensible(settings, sweeps)
    if "write_cache_bytes" not in named:
        return [replace(settings, write_cache_bytes=size) for size in (0, *SIZES_BYTES)], []
    return (comparison(settings) if settings.has_write_cache else [settings]), []


def comparison(settings: Settings) -> list[Settings]:
    """Return the policies that the paper compares, with the caches and thresholds given.

    No write cache; written as soon as possible; one threshold; two; and two with free and full piggybacking
    (tables 4.1, 4.4 and A3).
    """
    plain = replace(settings, purge="two-thresholds", piggyback="none")
    return [
        replace(plain, write_cache_bytes=0),
        replace(plain, purge="asap"),
        replace(plain, purge="one-threshold"),
        plain,
        replace(plain, piggyback="free"),
        replace(plain, piggyback="full"),
    ]


def _sensible(settings: Settings, sweeps: Sequence[str]) -> tuple[list[Settings], list[str]]:
    """Return the settings of a sweep, and a sentence for each invalid combination, which is left out.

    Raises UsageError if none makes sense.
    """
    sensible, errors = [], []
    for values in cases(settings, sweeps):
        try:
            sensible.append(changed(settings, values))
        except UsageError as error:
            errors.append((in_words(values), error))
    if not sensible:
        raise errors[0][1]
    return sensible, [f"left out of the sweep: {left_out}: {reason}" for left_out, reason in errors]
