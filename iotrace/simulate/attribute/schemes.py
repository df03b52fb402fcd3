"""Schemes: which configuration an attribute cache has at each total size (Richardson 1994, 5.2 to 5.5)."""

import csv
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from iotrace.errors import UsageError
from iotrace.simulate.attribute.notation import Choice, Configuration, parse, parse_space
from iotrace.simulate.attribute.settings import CUT_OFF_BYTES

REGIONS = ("small", "medium", "large")
KB, MB = 2**10, 2**20
_BOUNDS = {"small": (0, 128 * KB), "medium": (256 * KB, 4 * MB), "large": (8 * MB, 2**63)}
"""The regions as 5.1.4 bounds them."""


@dataclass(frozen=True)
class SchemeRow:
    """A configuration that applies from a total on, and the totals that table 5.1 prints for it."""

    configuration: Configuration
    from_bytes: int
    region: str | None = None
    printed_bytes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Scheme:
    """A configuration for each total; between printed rows the last whose minimum is not above the total applies."""

    id: str
    label: str
    source: str
    rows: tuple[SchemeRow, ...]
    cut_off_bytes: int = CUT_OFF_BYTES

    def at(self, total_bytes: int) -> Configuration | None:
        """Return the configuration, with all sizes, at a total; None below the smallest."""
        fitting = [row for row in self.rows if row.from_bytes <= total_bytes]
        if not fitting or not (fitting[-1].configuration.has_rest or total_bytes == fitting[-1].from_bytes):
            return None
        return fitting[-1].configuration.sized(total_bytes)

    def without_block(self, total_bytes: int) -> tuple[str, ...]:
        """Return the classes that have a subcache without a block at a total."""
        configuration = self.at(total_bytes)
        return () if configuration is None else configuration.without_block

    @property
    def smallest_bytes(self) -> int:
        """The smallest total that it has a configuration for."""
        return self.rows[0].from_bytes

    @property
    def printed_bytes(self) -> tuple[int, ...]:
        """The totals that table 5.1 prints, the part of the rest doubling in each of its ranges."""
        return tuple(total for row in self.rows for total in row.printed_bytes)

    def with_cut_off(self, cut_off_bytes: int) -> "Scheme":
        """Return the scheme with another cut-off between Temporal and Sequential."""
        return replace(self, cut_off_bytes=cut_off_bytes)


def region_as_printed(total_bytes: int) -> str | None:
    """Return the region under which table 5.1 prints a total; None for a total that it does not print."""
    rows = (row for row in variable().rows if total_bytes in row.printed_bytes)
    return next((row.region for row in rows), None)


def region_by_bounds(total_bytes: int) -> str | None:
    """Return the region by the bounds of 5.1.4; None between them."""
    return next((name for name, (low, high) in _BOUNDS.items() if low <= total_bytes <= high), None)


@cache
def variable() -> Scheme:
    """Return the variable attribute cache scheme, table 5.1."""
    rows = []
    for raw in _variable_scheme():
        parts = {name: int(value) for name, value in raw.items() if value.isdecimal()}
        printed, middle = [], parts["middle_min_kb"]
        while middle <= parts["middle_max_kb"]:
            printed.append((parts["id_kb"] + middle + parts.get("sequential_kb", 0)) * KB)
            middle *= 2
        rows.append(
            SchemeRow(parse(raw["notation"]), parts["total_min_kb"] * KB, raw["region"], tuple(printed))
        )
    return Scheme("variable", "variable attribute cache", "table 5.1", tuple(rows))


@cache
def schemes() -> dict[str, Scheme]:
    """Return the schemes of the dissertation by their identifiers, the variable one first."""
    known = {"variable": variable()}
    for name, raw in _toml()["scheme"].items():
        label = raw.get("label", raw["notation"].replace("Temporal", "temp").replace("Sequential", "seq"))
        known[name] = of_configuration(parse(raw["notation"]), name, label, raw["source"])
    return known


def of_configuration(
    configuration: Configuration, id_: str = "", label: str = "", source: str = "given"
) -> Scheme:
    """Return the scheme that has one configuration at every total."""
    smallest = max(
        configuration.fixed_bytes, configuration.rest_block_bytes if not configuration.fixed_bytes else 0
    )
    name = id_ or str(configuration)
    return Scheme(name, label or str(configuration), source, (SchemeRow(configuration, smallest),))


def find(spec: str) -> Scheme:
    """Return a scheme by its identifier or by its notation; raises UsageError for neither."""
    known = {name.lower(): scheme for name, scheme in schemes().items()}
    name = spec.strip().lower()
    if name not in known and re.fullmatch(r"[a-z][a-z0-9_-]*", name):
        raise UsageError(f"there is no scheme {spec.strip()}; there are {', '.join(schemes())}, or write one")
    return known.get(name) or of_configuration(parse(spec))


def spaces(texts: Iterable[str] = ()) -> list[tuple[Choice, ...]]:
    """Return spaces of configurations, from which the best is taken; those of the dissertation's schemes by default."""
    return [parse_space(text) for text in (list(texts) or _toml()["best"]["spaces"])]


def spaces_of(scheme: Scheme) -> list[tuple[Choice, ...]]:
    """Return the spaces of a scheme's own classes and block sizes, any sizes."""
    choices = (
        tuple(Choice(subcache.category, (subcache.block_bytes,)) for subcache in row.configuration.subcaches)
        for row in scheme.rows
    )
    return list(dict.fromkeys(choices))


def _toml() -> dict[str, Any]:
    return tomllib.loads(_text("schemes.toml"))


def _variable_scheme() -> list[dict[str, str]]:
    """Return the rows of the dissertation's table 5.1."""
    lines = _text("variable_scheme.csv").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def _text(name: str) -> str:
    return files("iotrace.simulate.attribute").joinpath(name).read_text("utf-8")
