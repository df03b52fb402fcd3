"""strace logs as they would be without descriptors' paths."""

import re

STRING = rb'"(?:[^"\\\n]|\\.)*"'
ANNOTATED = rb"(?<=[ (\[=,])(-?\d+|AT_FDCWD)<(?:->|[^<>\n]|<[^<>\n]*>)*>(?:\(deleted\))?"


def without_paths(log: bytes) -> bytes:
    """A log as it would be without -y: strings stay as they are, descriptors lose what follows them in brackets."""
    return re.sub(STRING + b"|" + ANNOTATED, lambda found: found[1] or found[0], log)
