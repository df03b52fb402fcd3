"""Lines of requests to a cache of which one may stand for several: so often repeated, or for neighbouring keys."""

from __future__ import annotations

from iotrace.errors import IotraceError
from iotrace.formats.disk_io.delimited import DelimitedSource
from iotrace.libraries import np, pl

MOST_ROWS = 1 << 26
"""The most requests for which the lines of one batch stand."""
MOST_OF_ONE = 1 << 24
"""The most requests for which one line stands; more is taken for damage."""


def _bad_count(count: pl.Expr) -> pl.Expr:
    """Return why a number of requests is none."""
    return (
        pl.when(count > MOST_OF_ONE)
        .then(pl.lit(f"a number of requests above {MOST_OF_ONE:,}"))
        .when(count.is_null() | (count < 1))
        .then(pl.lit("no number of requests that can be read"))
    )


class KeyLines(DelimitedSource):
    """Lines being read. A layout's ``repeats`` is how often a request was made, its ``run`` for how many numbers from
    ``number`` on."""

    def _followed(self, frame: pl.DataFrame) -> pl.DataFrame:
        for name in ("repeats", "run"):
            if name in frame.columns:
                frame = self._expanded(frame, name)
        return frame

    def _expanded(self, frame: pl.DataFrame, name: str) -> pl.DataFrame:
        bad = pl.col(name).is_null() | ~pl.col(name).is_between(1, MOST_OF_ONE)
        frame = frame.with_columns(
            pl.when(~bad).then(name).alias(name),
            reason=pl.coalesce("reason", _bad_count(pl.col(name))),
        )
        counts = frame[name].fill_null(1).to_numpy()
        if float(counts.astype(np.float64).sum()) > MOST_ROWS:
            line = int(frame["record"][int(counts.argmax())])
            raise IotraceError(f"{self.path}: line {line}: stands for {int(counts.max()):,} requests")
        if (counts == 1).all():
            return frame.drop(name)
        places = np.repeat(np.arange(len(frame)), counts)
        expanded = frame.drop(name)[places]
        if name == "run":
            within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
            expanded = expanded.with_columns(number=pl.col("number") + pl.Series(within.astype(np.uint64)))
        return expanded
