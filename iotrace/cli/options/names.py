"""Refusals of settings, worded for who typed options: a setting's name becomes the option's."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping

from iotrace.errors import UsageError


@contextlib.contextmanager
def named_by_options(options: Mapping[str, str]) -> Iterator[None]:
    """Name the option, where a UsageError begins with the name of a setting (``block_bytes is 0``: ``--block is 0``).

    ``options`` has the option, without its dashes, of each setting's name.
    """
    try:
        yield
    except UsageError as error:
        name, rest = re.fullmatch(r"(\w*)(.*)", str(error), re.DOTALL).groups()  # type: ignore[union-attr]
        if name not in options or not rest.startswith((": ", " is ")):
            raise
        raise UsageError(f"--{options[name]}{rest}") from None
