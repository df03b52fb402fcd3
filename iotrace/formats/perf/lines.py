"""Lines of ``perf trace`` and ``perf script`` as lines of strace, which the scanner of the engine reads.

perf trace: ``0.042 ( 0.005 ms): cat/1234 openat(dfd: CWD, filename: "/etc/passwd", flags: RDONLY) = 3``; arguments that
are 0 are left out, and the time is that of the call (tools/perf/builtin-trace.c). perf script, of tracepoints:
``cat 1234 [001] 52.902721: raw_syscalls:sys_enter: NR 257 (ffffff9c, 7fc1dbae321c, 80000, 0, 0, 0)``, or
``syscalls:sys_enter_openat: dfd: 0xffffff9c, filename: 0x7fc1dbae321c "/etc/passwd", flags: 0x00080000``; the text of a
path is there with Linux 6.19 and later only.
"""

import errno
import re
from itertools import chain, repeat

from iotrace.formats.perf.arguments import ARGUMENTS, OTHER_NAMES, PREFIXES
from iotrace.formats.perf.x86_64 import CALLS

_TRACE = re.compile(
    rb"^\s*(?:\?|(\d{1,15})\.(\d{3})) \(\s*(?:(\d{1,14}\.\d{1,6}) ms)?\s*\): (?:.{0,40}?/(\d{1,9})\s+)?"
    rb"(?:\.\.\. \[continued\]: (\w+)\(\)\)|(\w+)\((.*?)\))\s*(?:(\.\.\.)|= ?(.*))?$"
)
_SCRIPT = re.compile(
    rb"^\s*(?:\S.{0,40}?\s+)?(?:\d+/)?(\d{1,9})\s+(?:\[\d+\]\s+)?(?:\S{1,8}\s+)?(\d{1,12}\.\d{1,9}):\s+(?:\d+\s+)?"
    rb"(?:(raw_syscalls):sys_(enter|exit): NR (-?\d{1,9})|syscalls:sys_(enter|exit)_(\w+):)\s*(.*)$"
)
_ARGUMENT = re.compile(rb'(\w+): ("(?:[^"]|"(?!, \w+: |$))*"|[^,]*(?:, (?!\w+: )[^,]*)*)(?:, |$)')
_RESULT = re.compile(rb"^(-?\d{1,19}|0x[0-9a-f]{1,16}|\?)(?: (E[A-Z0-9]+))?")
_PATH = re.compile(rb'^0x[0-9a-f]+ ("(?:.*)")$')
_HEX = re.compile(rb"^0x[0-9a-f]{1,16}$")
_NAMED = re.compile(rb"(fd: \d{1,9})<[^>]*>")
_DUPLICATES = (b"dup", b"dup2", b"dup3")
"""Calls whose descriptors keep no path: perf trace shows that of the moment when it prints, which may be later, and the
copy would keep it."""
EPOCH_S = 1_000_000_000
"""Added to times, so that they are taken for moments and not for differences."""
ALL = -1
"""The log of lines that are in the order of time."""
ENDS = (b"exit", b"exit_group")
AFTER_SIGNAL = (b"rt_sigreturn", b"sigreturn")
"""Calls that return to what a signal interrupted, so that their exits are none."""
UNFINISHED = b" <unfinished ...>"
LONGEST_LINE = 1 << 16
"""Bytes of a line that can be a call: paths have at most 4,096."""
_ERRORS = 4095
LONGEST_MS = 2**63 / 10**6
"""Longer times are negative ones: perf counts them in 64 bits without a sign."""
_WHOLE = re.compile(rb"0x[0-9a-f]{1,16}|0|[1-9]\d{0,18}")
AT_EMPTY_PATH = 0x1000
AT_FDCWD = -100
DESCRIPTOR = re.compile("fd|dfd|(old|new|in_|out_)d?fd|fd_(in|out)|fildes")
"""The kernel's names of arguments that are descriptors."""


class Translator:
    """Turns lines of a log into those of strace; keeps which calls have not returned."""

    def __init__(self) -> None:
        self.raw_paths = 0
        """Paths of which there are pointers only."""
        self.is_of_perf_trace = False
        """Whether lines of perf trace have been read."""
        self._begun: set[int] = set()
        """Threads of which there were lines."""
        self._open: dict[int, tuple[bytes, int, bytes]] = {}
        """Calls of perf trace that have not returned, by thread: name, start in µs, and text."""
        self._entered: set[int] = set()
        """Threads that are in a call of perf script."""
        self._last: tuple[int, bytes] | None = None
        """The log of the last line, and that line's thread and latest time as strace writes them."""

    def loss(self, records: int) -> tuple[int, bytes] | None:
        """Return, as `line` does, a line that says here that records were lost; None before any call."""
        if self._last is None:
            return None
        number, place = self._last
        return number, b"%brecords_lost() = %d" % (place, records)

    def line(self, line: bytes) -> tuple[int, bytes] | None:
        """Return the thread in whose log a line is, and strace's text of it; None for a line that is not a call.

        Lines of perf script are in the order of time, and all in one log; those of perf trace have a log for each
        thread, and are in order but where a thread moved to another processor. The text of a call that is interrupted
        there by others' comes with its return; until then it is empty.
        """
        if len(line) > LONGEST_LINE:
            return None
        if found := _SCRIPT.match(line):
            return self._scripted(found)
        if found := _TRACE.match(line):
            return self._traced(found)
        return None

    def rest(self) -> list[tuple[int, bytes]]:
        """Return, as `line` does, the calls of perf trace that never returned."""
        return [(thread, text + b" = ?") for thread, (_, _, text) in self._open.items()]

    def _has_begun(self, number: int) -> bool:
        begun = number in self._begun
        self._begun.add(number)
        return begun

    def _traced(self, found: re.Match[bytes]) -> tuple[int, bytes]:
        milliseconds, decimals, took, thread, continued, name, written, is_cut, result = found.groups()
        number = ALL if thread is None else int(thread)
        self.is_of_perf_trace = True
        if name in _DUPLICATES:
            written = _NAMED.sub(rb"\1", written)
        has_begun = self._has_begun(number)
        if milliseconds is None:
            return number, b""  # the return of a call from before the trace
        begun_us = int(milliseconds) * 1000 + int(decimals)
        if took and float(took) >= LONGEST_MS:
            # The return is that of an earlier call; this one has not returned.
            if continued:
                return number, b""
            took, is_cut = None, b"..."
        took_us = round(float(took) * 1000) if took else 0
        duration = b" <%d.%06d>" % divmod(took_us, 10**6) if took else b""
        self._last = number, _stamped(number, begun_us + took_us, b"")
        former = self._open.pop(number, None)
        if continued and former is None and not has_begun:
            return number, b""
        if continued and former is not None and former[:2] == (continued, begun_us):
            text = former[2]
        else:
            if continued:
                call = b"<... %b resumed>)" % continued
            else:
                call = b"%b(%b)" % (name, b", ".join(self._arguments(name.decode(), written)))
            text = _stamped(number, begun_us, call)
            # Another call did not return, as rt_sigreturn, or perf trace has not seen it yet: it reads the buffers of
            # processors one after the other.
            if former is not None:
                text = former[2].removesuffix(b")") + UNFINISHED + b"\n" + text
        if is_cut:
            self._open[number] = (continued or name, begun_us, text)
            return number, b""
        return number, b"%b = %b%b" % (text, _result(result), duration if result else b"")

    def _arguments(self, call: str, written: bytes) -> list[bytes]:
        """Return the arguments of perf trace in the order of the call, those left out as 0."""
        given = {name.decode(): value for name, value in _ARGUMENT.findall(written)}
        known = {OTHER_NAMES.get(name, name): name for name in given}
        if call == "clone":
            return [b"flags=" + _symbols(call, "clone_flags", given.get("clone_flags", b"0"))]
        names = ARGUMENTS.get(call)
        if names is None:
            return list(given.values())
        found = []
        for name in names:
            there = name if name in given else known.get(OTHER_NAMES.get(name, name), name)
            found.append(given.get(there, b"0"))
        values = _with_empty_path(call, found)
        return [self._value(call, name, value) for name, value in zip(names, values, strict=True)]

    def _value(self, call: str, name: str, value: bytes) -> bytes:
        if value[:1] == b'"':
            return _quoted(value)
        if value == b"CWD":
            return b"AT_FDCWD"
        if name.startswith(("filename", "path", "oldname", "newname")) and _HEX.match(value):
            self.raw_paths += 1
        return _symbols(call, name, value)

    def _scripted(self, found: re.Match[bytes]) -> tuple[int, bytes] | None:
        thread, stamp, raw, raw_way, raw_number, way, name, rest = found.groups()
        number = int(thread)
        has_begun = self._has_begun(number)
        seconds, _, decimals = stamp.partition(b".")
        when = b"%d.%b" % (EPOCH_S + int(seconds), decimals)
        self._last = ALL, b"%d %b " % (number, when)
        if raw:
            name = CALLS.get(int(raw_number), f"syscall_{raw_number.decode()}").encode()
        if (raw_way or way) == b"enter":
            if raw:
                values = _raw_values(name.decode(), rest)
            else:
                values = [
                    _scripted_value(parameter.decode(), value) for parameter, value in _ARGUMENT.findall(rest)
                ]
            values = _with_empty_path(name.decode(), values)
            self._note_paths(name.decode(), values)
            if name == b"clone" and values:
                values = [b"flags=" + values[0]]
            text = b"%b(%b" % (name, b", ".join(values))
            if name in ENDS:
                return ALL, b"%d %b %b) = ?" % (number, when, text)
            self._entered.add(number)
            return ALL, b"%d %b %b%b" % (number, when, text, UNFINISHED)
        was_entered = number in self._entered
        self._entered.discard(number)
        if name in AFTER_SIGNAL or int(raw_number or 0) < 0:
            return ALL, b""
        result = rest.removeprefix(b"= ") if raw else rest
        if not re.fullmatch(rb"-?\d{1,19}|0x[0-9a-f]{1,16}", result):
            return None
        if not was_entered and not has_begun:
            return ALL, b""  # a call from before the trace
        return ALL, b"%d %b <... %b resumed>) = %b" % (number, when, name, _returned(int(result, 0)))

    def _note_paths(self, call: str, values: list[bytes]) -> None:
        for name, value in zip(ARGUMENTS.get(call, ()), values, strict=False):
            if name.startswith(("filename", "path", "oldname", "newname")):
                self.raw_paths += value[:1] != b'"'


def _with_empty_path(call: str, values: list[bytes]) -> list[bytes]:
    """Return arguments with an empty path in place of a pointer where a descriptor itself is asked about.

    That is how the C library's fstat calls newfstatat: with AT_EMPTY_PATH, and a path that is empty.
    """
    names = ARGUMENTS.get(call, ())
    if call not in ("newfstatat", "statx") or len(values) < len(names):
        return values
    place, flags = names.index("filename"), values[names.index("flag" if "flag" in names else "flags")]
    is_own = b"EMPTY_PATH" in flags or bool(_WHOLE.fullmatch(flags) and int(flags, 0) & AT_EMPTY_PATH)
    if not is_own or values[place][:1] == b'"':
        return values
    return [*values[:place], b'""', *values[place + 1 :]]


def _raw_values(call: str, text: bytes) -> list[bytes]:
    """Return the six arguments of a raw tracepoint: registers in hexadecimal digits."""
    words = text.strip().removeprefix(b"(").removesuffix(b")").split(b",")
    return [
        _register(name, int(word, 16)) if re.fullmatch(rb"\s*[0-9a-f]{1,16}\s*", word) else b"0"
        for word, name in zip(words, chain(ARGUMENTS.get(call, ()), repeat("")), strict=False)
    ]


def _scripted_value(name: str, value: bytes) -> bytes:
    if found := _PATH.match(value):
        return _quoted(found[1])
    return _register(name, int(value, 16)) if _HEX.match(value) else value


def _register(name: str, value: int) -> bytes:
    """Return an argument. A descriptor is the lower half of its register, and may be negative."""
    if DESCRIPTOR.fullmatch(name) and value >> 32 in (0, 0xFFFFFFFF):
        descriptor = ((value & 0xFFFFFFFF) ^ 2**31) - 2**31
        return b"AT_FDCWD" if descriptor == AT_FDCWD else b"%d" % descriptor
    if value == 2**64 - 1:
        return b"-1"
    return b"%#x" % value if value > 2**40 else b"%d" % value


def _returned(value: int) -> bytes:
    value = value - 2**64 if value >= 2**63 else value
    if -_ERRORS <= value < 0:
        name = errno.errorcode.get(-value, f"ERRNO_{-value}")
        return b"-1 %b (error)" % name.encode()
    return b"%#x" % value if value > 2**40 else b"%d" % value


def _result(text: bytes | None) -> bytes:
    found = _RESULT.match(text or b"?")
    if found is None:
        return b"?"
    return b"-1 %b (error)" % found[2] if found[2] else found[1]


def _symbols(call: str, name: str, value: bytes) -> bytes:
    """Return flags and the like with the symbols that strace writes."""
    prefix = PREFIXES.get((call, name), "").encode()
    words = value.split(b"|")
    return b"|".join(
        prefix + word if word[:1].isalpha() and not word.startswith(prefix or b"?") else word
        for word in words
    )


def _quoted(text: bytes) -> bytes:
    return b'"%b"' % text[1:-1].replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def _stamped(number: int, time_us: int, text: bytes) -> bytes:
    seconds, microseconds = divmod(time_us, 10**6)
    return (b"%d " % number if number >= 0 else b"") + b"%d.%06d %b" % (EPOCH_S + seconds, microseconds, text)
