"""Small strace logs, each of which shows one habit as often as asked."""

from collections.abc import Callable

MB = 1 << 20
START_US = 1_700_000_000_000_000


def _stamp(us: int) -> str:
    seconds, rest = divmod(us, 1_000_000)
    return f"{seconds}.{rest:06}"


class Log:
    """A log in the making: one process, whose calls take 0.1 ms each unless said."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now_us = START_US
        self.call("execve", '"/bin/program", ["program"], 0x7ffc /* 1 var */', 0)

    def call(self, name: str, arguments: str, result: object, us: int = 100, thread: int = 100) -> None:
        """Add a call that begins 1 ms after the last one began."""
        self.lines.append(f"{thread} {_stamp(self.now_us)} {name}({arguments}) = {result} <0.{us:06}>")
        self.now_us += 1000

    def open(self, path: str, flags: str = "O_RDWR|O_CREAT|O_TRUNC, 0644", fd: int = 3) -> None:
        self.call("openat", f'AT_FDCWD, "{path}", {flags}', fd)

    def read(self, count: int, fd: int = 3) -> None:
        self.call("read", f'{fd}, "..."..., {count}', count)

    def write(self, count: int, fd: int = 3) -> None:
        self.call("write", f'{fd}, "..."..., {count}', count)

    def close(self, fd: int = 3) -> None:
        self.call("close", str(fd), 0)

    def text(self) -> str:
        return "\n".join([*self.lines, f"100 {_stamp(self.now_us)} +++ exited with 0 +++", ""])


def _repeated(
    step: Callable[[Log, int], None], before: Callable[[Log], None] = Log.call
) -> Callable[[int], str]:
    def made(times: int) -> str:
        log = Log()
        if before is not Log.call:
            before(log)
        for place in range(times):
            step(log, place)
        return log.text()

    return made


def _opened(path: str = "/data/file", flags: str = "O_RDWR|O_CREAT|O_TRUNC, 0644") -> Callable[[Log], None]:
    return lambda log: log.open(path, flags)


def _existing(size: int) -> Callable[[Log], None]:
    def before(log: Log) -> None:
        log.open("/data/file", "O_RDONLY")
        log.call("fstat", f"3, {{st_mode=S_IFREG|0644, st_size={size}, ...}}", 0)

    return before


def _journal(log: Log, _: int) -> None:
    log.open("/data/x.db-journal", "O_RDWR|O_CREAT, 0644")
    log.write(512)
    log.close()
    log.call("unlink", '"/data/x.db-journal"', 0)


def _reread(log: Log, _: int) -> None:
    log.call("lseek", "3, 0, SEEK_SET", 0)
    log.read(MB // 4)


def _missing(log: Log, place: int) -> None:
    log.call(
        "openat", f'AT_FDCWD, "/usr/include/d/{place}.h", O_RDONLY', "-1 ENOENT (No such file or directory)"
    )


def _resolved(log: Log, _: int) -> None:
    log.call("readlink", '"/usr/include", 0x7ffe, 1023', "-1 EINVAL (Invalid argument)")


def _listing(log: Log, _: int) -> None:
    log.call("openat", 'AT_FDCWD, "/data", O_RDONLY|O_DIRECTORY', 4)
    log.call("getdents64", "4, 0x55 /* 9 entries */, 32768", 264)
    log.call("getdents64", "4, 0x55 /* 0 entries */, 32768", 0)
    log.close(4)


def _temporary(log: Log, place: int) -> None:
    log.open(f"/tmp/{place}.o", "O_RDWR|O_CREAT|O_EXCL, 0600")
    log.write(64 * 1024)
    log.close()
    log.call("unlink", f'"/tmp/{place}.o"', 0)


def _one_at_a_time(times: int) -> str:
    """Cold reads of 1 ms in the given part (per mille) of 1,000 ms, no call in the rest; seeks to compare with."""
    log = Log()
    log.open("/data/file", "O_RDONLY")
    for _ in range(20):
        log.call("lseek", "3, 0, SEEK_SET", 0)
    for place in range(978):
        if place < times:
            log.call("pread64", f'3, "..."..., 4096, {8192 * place}', 4096, us=999)
        else:
            log.now_us += 1000
    return log.text()


def _short_runs(times: int) -> str:
    log = Log()
    for place in range(times):
        child = 200 + place
        log.call("clone", "child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD", child)
        log.call("execve", '"/bin/true", ["true"], 0x7ffc /* 1 var */', 0, thread=child)
        log.lines.append(f"{child} {_stamp(log.now_us)} +++ exited with 0 +++")
    return log.text()


def _copied(log: Log, _: int) -> None:
    log.read(128 * 1024)
    log.write(128 * 1024, fd=4)


def _both(log: Log) -> None:
    log.open("/data/from", "O_RDONLY")
    log.open("/data/to", fd=4)


def _scattered(log: Log, place: int) -> None:
    log.call("pwrite64", f'3, "..."..., 256, {1024 * place}', 256)


def _lines(log: Log, place: int) -> None:
    log.write(40 + place % 30)


MISSING = "-1 ENOENT (No such file or directory)"


def _polled(times: int) -> str:
    """One more look-up than answers that repeat the one before."""
    log = Log()
    for _ in range(times + 1):
        log.call("stat", '"/run/ready", 0x7ffe', MISSING)
        log.now_us += 9000
    return log.text()


def _listed_and_asked(times: int) -> str:
    log = Log()
    _listing(log, 0)
    for place in range(times):
        log.call("stat", f'"/data/{place}", {{st_mode=S_IFREG|0644, st_size=10, ...}}', 0)
    return log.text()


def _closed(log: Log, place: int) -> None:
    log.call("close", str(3 + place), "-1 EBADF (Bad file descriptor)")


def _misfit(log: Log, place: int) -> None:
    log.call("pread64", f"3, 0x7f10, 5000, {5000 * place}", "-1 EINVAL (Invalid argument)")


def _sought(log: Log, place: int) -> None:
    start = 8192 * (place + 1)
    log.call("lseek", f"3, {start}, SEEK_SET", start)
    log.read(512)


CASES: dict[str, tuple[Callable[[int], str], int]] = {
    "sync_storm": (_repeated(lambda log, _: log.call("fsync", "3", 0), _opened()), 20),
    "journal_cycle": (_repeated(_journal), 10),
    "small_sequential_reads": (_repeated(lambda log, _: log.read(1), _existing(5000)), 1000),
    "small_sequential_writes": (_repeated(lambda log, _: log.write(16), _opened()), 1000),
    "small_scattered_writes": (_repeated(_scattered, _opened()), 1000),
    "line_writes": (_repeated(_lines, _opened(flags="O_WRONLY|O_CREAT|O_APPEND|O_TRUNC, 0644")), 500),
    "rereads": (_repeated(_reread, _existing(MB // 4)), 5),
    "failed_lookups": (_repeated(_missing), 100),
    "open_churn": (_repeated(lambda log, _: (log.open("/data/file", "O_RDONLY"), log.close())[0]), 100),
    "repeated_readlinks": (_repeated(_resolved, lambda log: _resolved(log, 0)), 100),
    "directory_listings": (_repeated(_listing), 50),
    "random_reads": (
        _repeated(
            lambda log, place: log.call("pread64", f'3, "..."..., 4096, {(place * 7919 % 4096) * 4096}', 4096),
            _existing(64 * MB),
        ),
        200,
    ),
    "temporary_files": (_repeated(_temporary), 16),
    "synchronous_writes": (_repeated(lambda log, _: log.write(4096), _opened(flags="O_RDWR|O_CREAT|O_SYNC, 0644")), 20),
    "one_at_a_time": (_one_at_a_time, 101),
    "short_processes": (_short_runs, 50),
    "idle_seeks": (_repeated(lambda log, _: log.call("lseek", "3, 0, SEEK_CUR", 0), _existing(100)), 100),
    "user_space_copy": (_repeated(_copied, _both), 16),
    "polling": (_polled, 100),
    "stats_after_listing": (_listed_and_asked, 200),
    "unopened_descriptors": (_repeated(_closed), 100),
    "refused_calls": (_repeated(_misfit, _opened(flags="O_RDONLY|O_DIRECT")), 100),
    "seek_then_access": (_repeated(_sought, _existing(64 * MB)), 200),
}  # fmt: skip
"""For each rule a log that shows its habit as often as asked, and the least number from which on the rule speaks."""
