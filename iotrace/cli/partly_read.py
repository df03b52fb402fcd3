"""Raw traces that were not read to their ends: the command does its work on the rest, and ends with status 1."""

from typing import Any

from iotrace.files.remote import Place

_traces: list[Place] = []


def note(trace: Place, manifest: dict[str, Any]) -> None:
    """Remember a raw trace whose store says that it was not read to its end."""
    if manifest.get("damage") and trace not in _traces:
        _traces.append(trace)


def sentence() -> str | None:
    """Return the message on such traces for the end of the command; None where there are none."""
    if not _traces:
        return None
    named = ", ".join(map(str, _traces))
    return f"{named}: could not be read to the end: the results are about the part that was read"
