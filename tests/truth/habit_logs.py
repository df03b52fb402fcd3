"""Logs of system calls as strace writes them, each of a program with one habit, known by construction."""

from collections.abc import Callable

ENOENT = "-1 ENOENT (No such file or directory)"
EBADF = "-1 EBADF (Bad file descriptor)"
EINVAL = "-1 EINVAL (Invalid argument)"
SOME_FILE = "{st_mode=S_IFREG|0644, st_size=10, ...}"
Log = Callable[[], str]


class Lines:
    """A log of one thread, whose calls take 5 us and follow each other after 20 us unless said."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now_us = 1_700_000_000_000_000

    def call(self, text: str, result: object, us: int = 5, pause_us: int = 20) -> None:
        seconds, rest = divmod(self.now_us, 1_000_000)
        self.lines.append(f"4001 {seconds}.{rest:06} {text} = {result} <0.{us:06}>")
        self.now_us += us + pause_us

    def open(self, path: str, flags: str = "O_RDONLY", fd: int = 3) -> None:
        self.call(f'openat(AT_FDCWD, "{path}", {flags})', fd)

    def text(self) -> str:
        return "\n".join([*self.lines, ""])


def _made(steps: Callable[[Lines, int], None], times: int, path: str = "", flags: str = "O_RDONLY") -> Log:
    """Return a log of a step that is done a number of times, after an open."""

    def made() -> str:
        log = Lines()
        if path:
            log.open(path, flags)
        for place in range(times):
            steps(log, place)
        return log.text()

    return made


def _size_asked(log: Lines, place: int) -> None:
    log.call("lseek(3, 0, SEEK_END)", 81920)
    if place % 10 == 9:
        log.call(f'pread64(3, "x"..., 8192, {8192 * (place % 7)})', 8192)


def _sought_again(log: Lines, place: int) -> None:
    log.call(f"lseek(3, {512 * place}, SEEK_SET)", 512 * place)
    log.call('read(3, "x"..., 512)', 512)


def _sought_elsewhere(log: Lines, place: int) -> None:
    start = 4096 * (place * 7919 % 4096)
    log.call(f"lseek(3, {start}, SEEK_SET)", start)
    log.call('read(3, "x"..., 512)', 512)


def _sought_seldom(log: Lines, place: int) -> None:
    if place % 10 == 0:
        log.call(f"lseek(3, {10_000_000 * (1 + place // 10)}, SEEK_SET)", 10_000_000 * (1 + place // 10))
    log.call('read(3, "x"..., 512)', 512)


def _strided(log: Lines, place: int) -> None:
    log.call(f'pwrite64(3, "x"..., 20, {1000 * place})', 20)


def _overwritten(log: Lines, _: int) -> None:
    log.call('pwrite64(3, "x"..., 20, 0)', 20)


def _appended(log: Lines, place: int) -> None:
    log.open("/srv/app.log", "O_WRONLY|O_CREAT|O_APPEND, 0644")
    log.call("lseek(3, 0, SEEK_END)", 20 * place)
    log.call('write(3, "x"..., 20)', 20)
    log.call("close(3)", 0)


def _opened(log: Lines, _: int) -> None:
    log.open("/srv/app.conf")
    log.call('read(3, "x"..., 4096)', 100)
    log.call("close(3)", 0)


def _replaced(log: Lines, _: int) -> None:
    log.open("/srv/state.tmp", "O_WRONLY|O_CREAT|O_TRUNC, 0644")
    log.call('write(3, "x"..., 4096)', 4096)
    log.call("fsync(3)", 0)
    log.call("close(3)", 0)
    log.call('rename("/srv/state.tmp", "/srv/state")', 0)


def _locked(log: Lines, _: int) -> None:
    log.open("/srv/lock", "O_WRONLY|O_CREAT|O_EXCL, 0644")
    log.call("close(3)", 0)
    log.call('unlink("/srv/lock")', 0)


def _listed(names: int) -> Log:
    def made() -> str:
        log = Lines()
        log.open("/srv/q", "O_RDONLY|O_DIRECTORY")
        log.call(f"getdents64(3, 0x55d0 /* {names} entries */, 32768)", 32768)
        log.call("getdents64(3, 0x55d0 /* 0 entries */, 32768)", 0)
        log.call("close(3)", 0)
        for place in range(names):
            log.call(f'newfstatat(AT_FDCWD, "/srv/q/j{place}", {SOME_FILE}, AT_SYMLINK_NOFOLLOW)', 0)
        return log.text()

    return made


def _stats_alone(log: Lines, place: int) -> None:
    log.call(f'stat("/srv/q/j{place}", {SOME_FILE})', 0)


def _closed(log: Lines, place: int) -> None:
    log.call(f"close({3 + place})", EBADF)


def _closed_twice(log: Lines, _: int) -> None:
    log.call("close(7)", EBADF)


def _slept(log: Lines) -> None:
    log.call("clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=5000000}, NULL)", 0, us=5060)


def _polled(log: Lines, _: int) -> None:
    _slept(log)
    log.call('stat("/run/app/ready", 0x7ffd1000)', ENOENT)


def _polled_without_sleeps(log: Lines, _: int) -> None:
    log.call('stat("/run/app/ready", 0x7ffd1000)', ENOENT, pause_us=5080)


def _polled_beside_another(log: Lines, place: int) -> None:
    """Now and then it looks at a second file, too."""
    _polled(log, place)
    if place % 40 == 0:
        log.call('stat("/run/app/stop", 0x7ffd1000)', ENOENT)


def _poll_that_is_answered() -> str:
    """The file is there at the fourth look, and is read; each further look finds it larger."""
    log = Lines()
    for _ in range(3):
        _polled(log, 0)
    for place in range(400):
        _slept(log)
        log.call(f'stat("/run/app/ready", {{st_mode=S_IFREG|0644, st_size={10 + place}, ...}})', 0)
    return log.text()


def _served(log: Lines, _: int) -> None:
    """A server that looks at a file for each request."""
    log.call("epoll_wait(5, [{events=EPOLLIN, data={u32=6, u64=6}}], 64, -1)", 1, us=5000)
    log.call('recvfrom(6, "x"..., 8192, 0, NULL, NULL)', 100)
    log.call(f'stat("/srv/www/index.html", {SOME_FILE})', 0)
    log.call('sendto(6, "x"..., 500, MSG_NOSIGNAL, NULL, 0)', 500)


def _misaligned(log: Lines, place: int) -> None:
    if not place:
        log.open("/srv/vol", fd=4)
    log.call(f"pread64(3, 0x7f10, 5000, {5000 * place})", EINVAL)
    log.call(f'pread64(4, "x"..., 5000, {5000 * place})', 5000, us=30)


def _misaligned_once(log: Lines, place: int) -> None:
    if not place:
        log.open("/srv/vol", fd=4)
        log.call("pread64(3, 0x7f10, 5000, 0)", EINVAL)
    log.call(f'pread64(4, "x"..., 5000, {5000 * place})', 5000, us=30)


FOUND: dict[str, tuple[Log, str]] = {
    "idle_seeks": (_made(_sought_again, 500, "/srv/in"), "499 seeks that change nothing, all in /srv/in: "),
    "small_scattered_writes": (
        _made(_strided, 1500, "/srv/db", "O_RDWR|O_CREAT, 0644"),
        "1,499 small writes, each apart from the one before, all to /srv/db: ",
    ),
    "open_churn": (_made(_opened, 300), "/srv/app.conf is opened or looked up 300 times: "),
    "stats_after_listing": (
        _listed(2000),
        "2,000 names are asked for one by one after their directory was listed, all in /srv/q: ",
    ),
    "unopened_descriptors": (
        _made(_closed, 5000),
        "5,000 calls on descriptors that are not open, all by 4001 (before the trace): ",
    ),
    "polling": (
        _made(_polled, 400),
        "399 look-ups ask again and get the same answer, all of /run/app/ready: what it costs is not in the trace",
    ),
    "polling of a log without sleeps": (
        _made(_polled_without_sleeps, 400),
        "399 look-ups ask again and get the same answer, all of /run/app/ready: what it costs is not in the trace",
    ),
    "polling of two files": (
        _made(_polled_beside_another, 400),
        "399 look-ups ask again and get the same answer, all of /run/app/ready: what it costs is not in the trace",
    ),
    "refused_calls": (
        _made(_misaligned, 800, "/srv/vol", "O_RDONLY|O_DIRECT"),
        "800 calls are refused, all on /srv/vol: at most 4 ms of ",
    ),
    "seek_then_access": (
        _made(_sought_elsewhere, 3000, "/srv/idx"),
        "2,999 seeks before a read or write elsewhere, all in /srv/idx: ",
    ),
}
"""For each rule a log that shows its habit, and the line that says so."""
NOT_FOUND: dict[str, list[tuple[str, Log]]] = {
    "idle_seeks": [
        ("sizes asked", _made(_size_asked, 500, "/srv/pg")),
        ("seeks elsewhere", _made(_sought_elsewhere, 500, "/srv/idx")),
    ],
    "small_scattered_writes": [
        ("appends after a new open", _made(_appended, 1500)),
        ("one place written again", _made(_overwritten, 1500, "/srv/pid", "O_RDWR|O_CREAT, 0644")),
    ],
    "open_churn": [
        ("write, fsync, rename", _made(_replaced, 300)),
        ("lock files", _made(_locked, 300)),
        ("polling", _made(_polled, 400)),
    ],
    "failed_lookups": [("polling", _made(_polled, 400))],
    "stats_after_listing": [("20 names", _listed(20)), ("no listing", _made(_stats_alone, 2000))],
    "unopened_descriptors": [
        ("30 descriptors", _made(_closed, 30)),
        ("one closed again and again", _made(_closed_twice, 500)),
    ],
    "polling": [
        ("answered", _poll_that_is_answered),
        ("served", _made(_served, 400)),
        ("looked up in a loop", _made(_opened, 300)),
    ],
    "refused_calls": [("refused once", _made(_misaligned_once, 800, "/srv/vol", "O_RDONLY|O_DIRECT"))],
    "seek_then_access": [
        ("sequential reads", _made(_sought_again, 500, "/srv/in")),
        ("a seek for ten reads", _made(_sought_seldom, 3000, "/srv/idx")),
        ("sizes asked", _made(_size_asked, 500, "/srv/pg")),
    ],
}
"""For each rule logs that look alike and do not have its habit."""
