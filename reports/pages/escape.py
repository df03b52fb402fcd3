"""Names from the trace, made fit to be shown: nothing in them acts, hides or turns the line around."""

from __future__ import annotations


def printable(name: str) -> str:
    """Write what does not print (control and direction marks, broken bytes) as an escape."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in name)


def shortened(name: str, most: int = 40) -> str:
    """Cut a path in the middle so that its end stays."""
    if len(name) <= most:
        return name
    kept = most - 1
    return f"{name[: kept // 3]}…{name[-(kept - kept // 3) :]}"
