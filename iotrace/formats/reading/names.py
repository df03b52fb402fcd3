"""Names as numbers: those that a trace gives, in the order of first sight, and those that are known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iotrace.libraries import pa, pl


class Numbers:
    """Gives each distinct name a number, dense in the order of first sight."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}

    def numbers(self, names: pl.Series) -> pl.Series:
        """Return the numbers of a column of names, null for null."""
        new = names.drop_nulls().unique(maintain_order=True).to_list()
        here = dict(zip(new, self.numbered(new), strict=True))
        return names.replace_strict(here, default=None, return_dtype=pl.Int32)

    def numbered(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of some names."""
        return [self.of.setdefault(name, len(self.of)) for name in names]

    def encoded(self, names: pl.Series) -> pa.Array:
        """Return a column of names as a dictionary of all names so far."""
        numbers = self.numbers(names).to_arrow()
        return pa.DictionaryArray.from_arrays(numbers, pa.array(list(self.of), pa.string()))


def known(names: pl.Series, of: Sequence[str]) -> pa.DictionaryArray:
    """Return a column of names as a dictionary of all that there may be, null for any other."""
    places = {name: index for index, name in enumerate(of)}
    indices = names.replace_strict(places, default=None, return_dtype=pl.Int32)
    return pa.DictionaryArray.from_arrays(indices.to_arrow(), pa.array(of, pa.string()))
