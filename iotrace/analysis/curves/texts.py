"""Columns of few different texts, looked up by their dictionary instead of row by row."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Texts:
    """A column of texts, null included: the different ones, the last of which is null, and the place of each row's."""

    different: list[str | None]
    places: npt.NDArray[np.int64]

    @classmethod
    def of(cls, column: pa.Array) -> "Texts":
        """Take a column, dictionary or plain."""
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        different = encoded.dictionary.to_pylist()
        places = encoded.indices.fill_null(len(different)).to_numpy()
        return cls([*different, None], np.asarray(places, np.int64))

    def that(self, is_wanted: Callable[[str], bool]) -> Mask:
        """Return for each row whether its text is wanted; null is not."""
        are_wanted = [text is not None and is_wanted(text) for text in self.different]
        if len(set(are_wanted)) == 1:
            return np.full(len(self.places), are_wanted[0])
        return np.array(are_wanted, bool)[self.places]

    def are(self, texts: Collection[str]) -> Mask:
        """Return for each row whether its text is one of these."""
        return self.that(lambda text: text in texts)
