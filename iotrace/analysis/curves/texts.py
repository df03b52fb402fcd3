"""Columns of few different texts, looked up by their dictionary instead of row by row."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Texts:
    """A column of texts: the different ones, and for each row the place of its text, null for none."""

    different: list[str | None]
    indices: pa.Array

    @classmethod
    def of(cls, column: pa.Array) -> "Texts":
        """Take a column, dictionary or plain."""
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        return cls(encoded.dictionary.to_pylist(), encoded.indices)

    def that(self, is_wanted: Callable[[str], bool]) -> Mask:
        """Return for each row whether its text is wanted; null is not."""
        are_wanted = [text is not None and is_wanted(text) for text in self.different]
        if not any(are_wanted):
            return np.zeros(len(self.indices), bool)
        if all(are_wanted) and not self.indices.null_count:
            return np.ones(len(self.indices), bool)
        places = self.indices.fill_null(len(are_wanted)) if self.indices.null_count else self.indices
        return np.asarray(np.array([*are_wanted, False])[places.to_numpy()])

    def are(self, texts: Collection[str]) -> Mask:
        """Return for each row whether its text is one of these."""
        return self.that(lambda text: text in texts)
