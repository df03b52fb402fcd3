"""Names from the trace, made fit to be shown: nothing in them acts, hides or turns the line around."""


def printable(name: str) -> str:
    """Write what does not print (control and direction marks, broken bytes) as an escape."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in name
    )
