"""The words of settings of attribute caches, read: schemes, classes, spaces and totals."""

from dataclasses import dataclass

from iotrace import units
from iotrace.errors import UsageError
from iotrace.simulate.attribute.classes import Classes
from iotrace.simulate.attribute.membership import Rule
from iotrace.simulate.attribute.notation import Choice
from iotrace.simulate.attribute.schemes import Scheme, find, schemes, spaces, spaces_of
from iotrace.simulate.attribute.settings import Settings

SMALLEST, LARGEST = 12, 30
"""Totals are powers of two, from 4 KB to 1 GB, unless given."""


@dataclass(frozen=True)
class Plan:
    """Parsed settings."""

    scheme: Scheme
    totals_bytes: tuple[int, ...]
    rule: Rule
    spaces: tuple[tuple[Choice, ...], ...]

    @property
    def baseline(self) -> Scheme:
        """The Unix cache that the scheme is compared with."""
        return schemes()["unix"].with_cut_off(self.scheme.cut_off_bytes)

    @classmethod
    def of(cls, settings: Settings) -> "Plan":
        """Read what settings say.

        Raises UsageError for words that are none, and for a total given at which the scheme has no configuration.
        """
        scheme = find(settings.scheme).with_cut_off(settings.cut_off_bytes)
        classes = Classes.read(settings.classes)
        _refuse_totals(scheme, settings.totals_bytes or ())
        searched = spaces(settings.spaces) if settings.spaces else [*spaces(), *spaces_of(scheme)]
        return cls(
            scheme,
            settings.totals_bytes or _totals(scheme),
            Rule(classes, settings.file_size, settings.reclassify, settings.cut_off_bytes),
            tuple(dict.fromkeys(searched)),
        )


def _refuse_totals(scheme: Scheme, totals_bytes: tuple[int, ...]) -> None:
    for total in totals_bytes:
        if total < scheme.smallest_bytes and len(scheme.rows) > 1:
            raise UsageError(
                f"the {scheme.label} scheme begins at {units.size(scheme.smallest_bytes)}, above {units.size(total)}"
            )
        if scheme.at(total) is None:
            scheme.rows[0].configuration.sized(total)


def _totals(scheme: Scheme) -> tuple[int, ...]:
    """Return powers of two; for a scheme that has one size only, that."""
    if not any(row.configuration.has_rest for row in scheme.rows):
        return (scheme.smallest_bytes,)
    return tuple(2**power for power in range(SMALLEST, LARGEST + 1))
