"""The share of the files of which a recording has the calls, as it is typed and as ``iotrace-capture`` takes it."""

from iotrace.errors import UsageError
from iotrace.store.sampled_files import MILLION

OPTION = "--sample-files"


def words(typed: str) -> tuple[str, str]:
    """Return the option of ``iotrace-capture`` for a share such as ``0.01`` or ``1%``; raises UsageError for others."""
    text = typed.strip()
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        per_million = round(share * MILLION)
    except (ValueError, OverflowError):
        per_million = 0
    if not 1 <= per_million <= MILLION:
        raise UsageError(f"{OPTION} {typed}: give a share of the files from 0.0001% to 100%, as 1% or 0.01")
    return OPTION, str(per_million)
