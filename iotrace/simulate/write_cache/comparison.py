"""The policies that the paper compares."""

from __future__ import annotations

from dataclasses import replace

from iotrace.simulate.write_cache.settings import Settings


def comparison(settings: Settings) -> list[Settings]:
    """Return the policies that the paper compares, with the caches and thresholds given.

    No write cache; 125 KB written as soon as possible; one threshold; two; and two with free and full piggybacking
    (tables 4.1, 4.4 and A3).
    """
    plain = replace(settings, purge="two-thresholds", piggyback="none")
    return [
        replace(plain, write_cache_bytes=0),
        replace(plain, write_cache_bytes=125 * 1024, purge="asap"),
        replace(plain, purge="one-threshold"),
        plain,
        replace(plain, piggyback="free"),
        replace(plain, piggyback="full"),
    ]
