"""Requests to the Docker registries of IBM (Anwar et al., FAST '18) as JSON, the objects of a list or one to a line.

An object is a layer or manifest, known by its place in the registry (``http.request.uri``). What was written is its
size where the request got, or put, the whole of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from iotrace.formats.disk_io.fields import decimal_ns
from iotrace.formats.key_io.format import key_format
from iotrace.formats.key_io.requests import name_of, operation, size
from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.formats.reading.bytes_in import TEXT_BYTES, Reading
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.formats.reading.durations import stated_ns
from iotrace.libraries import pl

FIELDS = {
    "timestamp": "time", "http.request.uri": "uri", "http.request.method": "method",
    "http.response.written": "written", "http.response.status": "status", "http.request.remoteaddr": "client",
    "http.request.duration": "duration",
}  # fmt: skip
WHOLE = (("GET", "200"), ("PUT", "201"))
"""Methods and answers after which what was written is the object."""
_BETWEEN = re.compile(rb"(?:(?<=\})\s*,?\s*|\s*\n\s*)(?=\{)")
"""The separator of two objects. They hold no others."""
LONGEST = 1 << 20
"""The most bytes of an object; more is taken for damage."""


class RegistrySource:
    """Objects of JSON being read."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.notes = SourceNotes(base="epoch", ordered=False)
        self.reading = Reading(paths, self.notes)
        self._rest = b""

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.reading.progress()

    def next(self) -> Batch | None:
        """Return the requests of the next objects."""
        objects = self._next_objects()
        if objects is None:
            return None
        first = self.notes.records + 1
        self.notes.records += len(objects)
        schema = dict.fromkeys((*FIELDS.values(), "reason"), pl.String)
        frame = pl.DataFrame([_fields(text) for text in objects], schema=schema, orient="row").with_columns(
            record=pl.int_range(first, first + len(objects), dtype=pl.Int64)
        )
        return Batch(
            _requests(frame), ("key", "time_ns", "operation"), lambda record: objects[record - first]
        )

    def _next_objects(self) -> list[str] | None:
        """Return the next objects as text; None at the end."""
        block, is_first = self.reading.read(TEXT_BYTES)
        rest, self._rest = self._rest, b""
        if not block and not rest:
            return None
        pieces = _BETWEEN.split(rest + (b"\n" if is_first else b"") + block)
        if block and len(pieces[-1]) <= LONGEST:
            self._rest = pieces.pop()
        texts = (piece.decode("utf-8", "backslashreplace").strip().strip("[],").strip() for piece in pieces)
        return list(filter(None, texts))


def _fields(text: str) -> list[str | None]:
    """Return the fields of an object as text, and why it is skipped."""
    try:
        record: Any = json.loads(text)
    except (ValueError, RecursionError):
        return [*[None] * len(FIELDS), "no JSON"]
    if not isinstance(record, dict) or "http.request.uri" not in record:
        return [*[None] * len(FIELDS), "no request to a registry"]
    values = (record.get(name) for name in FIELDS)
    return [*(None if value is None else str(value) for value in values), None]


def _requests(frame: pl.DataFrame) -> pl.DataFrame:
    time = (
        pl.col("time")
        .str.strip_suffix("Z")
        .str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    )
    is_whole = pl.any_horizontal(
        (pl.col("method") == method) & (pl.col("status") == status) for method, status in WHOLE
    )
    written = size("written")
    return frame.select(
        "record",
        "reason",
        time_ns=time.dt.timestamp("us") * 1000,
        key=name_of("uri"),
        operation=operation("method"),
        size=pl.when(is_whole & (written != 0)).then(written),
        tenant=name_of("client"),
        duration_ns=stated_ns("duration", decimal_ns("duration", NS_PER_S)),
    )


def recognises(head: bytes) -> bool:
    """Return whether a file begins with a JSON object, or a list of them, with a registry's requests."""
    return head.lstrip()[:1] in (b"[", b"{") and b'"http.request.uri"' in head


FORMAT = key_format(
    name="docker-registry",
    description="IBM's Docker registries (FAST '18): JSON with timestamp, http.request.uri, http.request.method, ...",
    endings=".json",
    recognises=recognises,
    source=RegistrySource,
)
