"""Programs that can record system calls."""

from enum import StrEnum


class Backend(StrEnum):
    """The kernel's BPF programs, strace, or the first of these that can."""

    AUTO = "auto"
    BPF = "bpf"
    STRACE = "strace"
