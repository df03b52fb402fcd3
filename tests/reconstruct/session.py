"""Processes that make random calls on a tiny kernel, and the strace log of it (without descriptors' paths).

What no log can reveal is left out: hard links and symbolic links from before the trace (except for one that is read
first); descriptors or directories that another thread replaces while a call that finds them, or a fork that copies
them, has not returned; two names that turn out to be one directory's. Nor are directories removed that are in use.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from kernel import Description, Errno, Inode, Kernel, Place, Process, Transfer

T = TypeVar("T")
Answer = Callable[[Any], str]
FIRST = 7
NAMES = ("a", "b", "c", "d", "e", "l")
EARLY = ("close", "fork", "vfork", "clone", "sendmsg")
"""Calls whose effect others see when they are issued."""


class Session:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.kernel = Kernel()
        self.lines: list[str] = []
        self.transfers: dict[tuple[int, str], Transfer] = {}
        """By the time of their call, in nanoseconds, and direction."""
        self.waiting: Process | None = None
        """The process whose call has not returned."""
        self.forked: list[Process] = []
        """The child that this call has made."""
        self.fill()

    def fill(self) -> None:
        """Files and descriptors from before the trace."""
        root = self.kernel.root
        files = {"a": Inode(size=100), "b": Inode(size=5000), "x": Inode(size=9)}
        below = {"a": Inode(size=300), "e": Inode("directory", entries={"b": Inode()})}
        directory = Inode("directory", entries=below)
        for holder, entries in (
            (root, {**files, "d": directory}),
            (directory, below),
            (below["e"], below["e"].entries),
        ):
            holder.entries.update(entries)
            for inode in entries.values():
                inode.links, inode.revealed, inode.parent = 1, False, holder
                inode.old, inode.created = True, False
        root.entries["l"] = Inode("symlink", target="d", links=1)
        first = Process(FIRST, {}, set(), Place(directory))
        self.kernel.processes[FIRST] = first
        for fd in (0, 1):
            inode = Inode(size=50, links=1, revealed=False, old=True, created=False)
            self.kernel.place(
                first, fd, Description(inode, revealed=False, inherited=True), close_on_exec=False
            )
        self.line(first, 'readlink("/l", "d", 4096) = 1')
        annotated = (f'faccessat(AT_FDCWD</d>, "{path}", F_OK) = 0' for path in ("/d", "/x", "."))
        call = self.pick(('getcwd("/d", 4096) = 3', 'chdir("/d") = 0', *annotated))
        self.annotated = "AT_FDCWD<" in call
        self.line(first, call)

    # --- drawing

    def pick(self, choices: Sequence[T]) -> T:
        return self.random.choice(choices)

    def number(self) -> int:
        return self.pick((0, 1, 10, 100, 4096, 6000))

    def path(self) -> str:
        name = self.pick(NAMES)
        known = [path for path, _ in self.kernel.names() if path != "/x"]
        directories = ["", *(path for path, inode in self.kernel.names() if inode.kind == "directory")]
        forms: dict[str, Callable[[], str]] = {
            "existing": lambda: self.pick(known) if known else "/a",
            "in": lambda: f"{self.pick(directories)}/{name}",
            "here": lambda: name,
            "above": lambda: f"../{name}",
            "below": lambda: f"{self.pick(NAMES)}/./{name}",
            "around": lambda: f"/{self.pick(NAMES)}/{self.pick(NAMES)}/..//{name}",
        }
        return forms[self.pick(("existing", "in", "existing", "here", *forms))]()

    def fd(self, process: Process, least: int = 0) -> int:
        known = sorted(fd for fd in process.descriptors if fd >= least)
        if known and self.pick((True,) * 9 + (False,)):
            return self.pick(known)
        return self.pick(range(2, 9))

    def at(self, process: Process) -> tuple[int | None, str]:
        """A directory to start in, and how the log writes it."""
        open_directories = [
            fd for fd, description in process.descriptors.items() if description.inode.kind == "directory"
        ]
        if open_directories and self.pick((False, True)):
            fd = self.pick(sorted(open_directories))
            return fd, f"{fd}, "
        return None, f"{self.here(process)}, "

    def here(self, process: Process) -> str:
        """How the log writes the working directory."""
        return f"AT_FDCWD<{self.kernel.path_of(process.place.directory)}>" if self.annotated else "AT_FDCWD"

    # --- the log

    def call(
        self, process: Process, name: str, given: str, act: Callable[[], Any], answered: str | Answer = ""
    ) -> Any:
        """Make a call, and write its line, or its two lines with other calls in between.

        ``given`` are the arguments up to the first that the call fills in, ``answered`` the others.
        """

        def rest(value: Any, error: str | None) -> str:
            return f"{answered if isinstance(answered, str) else answered(value)}) = {shown(value, error)}"

        if self.waiting or not self.pick((False,) * 7 + (True,)):
            value, error = self.run(act, len(self.lines))
            self.line(process, f"{name}({given}{rest(value, error)}")
            return value
        at = self.line(process, f"{name}({given} <unfinished ...>")
        early = name in EARLY
        value, error = self.run(act, at) if early else (None, None)
        self.waiting, self.forked = process, [value] if isinstance(value, Process) else []
        for _ in range(self.pick((1, 2, 3))):
            self.step()
        self.waiting, self.forked = None, []
        if not early:
            value, error = self.run(act, at)
        self.line(process, f"<... {name} resumed>{rest(value, error)}")
        return value
        return value

    def line(self, process: Process, text: str) -> int:
        self.lines.append(f"{process.pid} 1700000000.{len(self.lines):06} {text}\n")
        return len(self.lines) - 1

    def run(self, act: Callable[[], Any], at: int) -> tuple[Any, str | None]:
        before = len(self.kernel.transfers)
        try:
            value, error = act(), None
        except Errno as failure:
            value, error = None, str(failure)
        for transfer in self.kernel.transfers[before:]:
            if transfer.length:
                self.transfers[at * 1000, transfer.operation] = transfer
        return value, error

    # --- calls

    def step(self) -> None:
        """Let some process do something."""
        process = self.pick(
            [process for process in self.kernel.processes.values() if self.may_act(process)] or [None]
        )
        if process is not None:
            getattr(self, self.pick(DEEDS))(process)

    def may_act(self, process: Process) -> bool:
        """While a call is in progress, no other call changes the descriptors or the directory that it uses."""
        busy = self.waiting
        if busy is None or process in self.forked:
            return True
        return not (process.descriptors is busy.descriptors or process.place is busy.place)

    def do_open(self, process: Process) -> None:
        path, (at, start) = self.path(), self.at(process)
        flags = {self.pick(("O_RDONLY", "O_RDWR", "O_WRONLY"))}
        flags |= set(self.pick(((), ("O_CREAT",), ("O_CREAT", "O_EXCL"), ("O_CREAT", "O_TRUNC"))))
        flags |= set(self.pick(((), (), ("O_APPEND",), ("O_CLOEXEC",), ("O_NOFOLLOW",), ("O_DIRECTORY",))))
        if "O_TRUNC" in flags and "O_RDONLY" in flags:
            flags = flags - {"O_RDONLY"} | {"O_RDWR"}
        if self.pick((True, False)):
            at, start = None, ""
        name = "openat" if start else "open"
        shown_flags = "|".join(sorted(flags, key=FLAG_ORDER.index))
        mode = ", 0644" if "O_CREAT" in flags else ""
        given = f'{start}"{path}", {shown_flags}{mode}'
        self.call(process, name, given, lambda: self.kernel.open(process, path, at, flags))

    def do_creat(self, process: Process) -> None:
        path, flags = self.path(), {"O_WRONLY", "O_CREAT", "O_TRUNC"}
        self.call(process, "creat", f'"{path}", 0644', lambda: self.kernel.open(process, path, None, flags))

    def do_temporary(self, process: Process) -> None:
        path = self.pick(("/", "/d", "."))
        given = f'"{path}", O_RDWR|O_TMPFILE, 0600'
        self.call(process, "open", given, lambda: self.kernel.open_temporary(process, path, set()))

    def do_list(self, process: Process) -> None:
        path = self.pick(("/", ".", "..", "/d", "/l"))
        given = f'{self.here(process)}, "{path}", O_RDONLY|O_DIRECTORY'
        self.call(process, "openat", given, lambda: self.kernel.open(process, path, None, {"O_DIRECTORY"}))

    def do_read(self, process: Process) -> None:
        fd, count = self.fd(process), self.number()
        self.call(
            process, "read", f"{fd}, ", lambda: self.kernel.read(process, fd, count), f'"x"..., {count}'
        )

    def do_readv(self, process: Process) -> None:
        fd, count = self.fd(process), self.number()
        parts = f'[{{iov_base="x"..., iov_len=3}}, {{iov_base="x"..., iov_len={count}}}], 2'
        self.call(process, "readv", f"{fd}, ", lambda: self.kernel.read(process, fd, count + 3), parts)

    def do_pread(self, process: Process) -> None:
        fd, count, at = self.fd(process), self.number(), self.number()
        act = lambda: self.kernel.read(process, fd, count, at)  # noqa: E731
        self.call(process, "pread64", f"{fd}, ", act, f'"x"..., {count}, {at}')

    def do_write(self, process: Process) -> None:
        fd, count = self.fd(process), self.number()
        self.call(process, "write", f'{fd}, "x"..., {count}', lambda: self.kernel.write(process, fd, count))

    def do_pwrite(self, process: Process) -> None:
        fd, count, at = self.fd(process), self.number(), self.number()
        given = f'{fd}, "x"..., {count}, {at}'
        self.call(process, "pwrite64", given, lambda: self.kernel.write(process, fd, count, at))

    def do_copy(self, process: Process) -> None:
        source, target, count = self.fd(process), self.fd(process), self.number()
        at = (self.pick((None, self.number())), self.pick((None, self.number())))
        begin, to = ("NULL" if offset is None else f"[{offset}]" for offset in at)
        if self.pick((True, False)):
            given = f"{source}, {begin}, {target}, {to}, {count}, 0"
            act = lambda: self.kernel.copy(process, source, target, at, count)  # noqa: E731
            self.call(process, "copy_file_range", given, act)
        else:
            act = lambda: self.kernel.copy(process, source, target, (at[0], None), count)  # noqa: E731
            self.call(process, "sendfile", f"{target}, {source}, {begin}, {count}", act)

    def do_seek(self, process: Process) -> None:
        fd, offset = self.fd(process), self.pick((0, 5, 1000, -1))
        whence = self.pick(("SEEK_SET", "SEEK_CUR", "SEEK_END"))
        given = f"{fd}, {offset}, {whence}"
        self.call(process, "lseek", given, lambda: self.kernel.seek(process, fd, offset, whence))

    def do_close(self, process: Process) -> None:
        fd = self.fd(process)
        self.call(process, "close", f"{fd}", lambda: self.kernel.close(process, fd))

    def do_close_range(self, process: Process) -> None:
        first, last, on_exec = self.fd(process), self.pick((5, 9, 4294967295)), self.pick((False, True))
        if last < first:
            return
        given = f"{first}, {last}, {'CLOSE_RANGE_CLOEXEC' if on_exec else '0'}"
        self.call(
            process, "close_range", given, lambda: self.kernel.close_range(process, first, last, on_exec)
        )

    def do_dup(self, process: Process) -> None:
        fd, new = self.fd(process), self.pick(range(9))
        flags = set(self.pick(((), ("O_CLOEXEC",))))
        name = self.pick(("dup", "dup2", "dup3", "fcntl"))
        if name == "dup":
            self.call(process, name, f"{fd}", lambda: self.kernel.dup(process, fd, set()))
        elif name == "dup2":
            self.call(process, name, f"{fd}, {new}", lambda: self.kernel.dup2(process, fd, new, set()))
        elif name == "dup3" and fd != new:
            given = f"{fd}, {new}, {'O_CLOEXEC' if flags else 0}"
            self.call(process, name, given, lambda: self.kernel.dup2(process, fd, new, flags))
        else:
            given = f"{fd}, F_DUPFD{'_CLOEXEC' if flags else ''}, {new}"
            self.call(process, "fcntl", given, lambda: self.kernel.dup(process, fd, flags, new))

    def do_fcntl(self, process: Process) -> None:
        fd, on = self.fd(process), self.pick((True, False))
        if self.pick((True, False)):
            given = f"{fd}, F_SETFD, {'FD_CLOEXEC' if on else '0'}"
            self.call(process, "fcntl", given, lambda: self.kernel.set_close_on_exec(process, fd, on))
        else:
            given = f"{fd}, F_SETFL, O_RDWR{'|O_APPEND' if on else ''}"
            self.call(process, "fcntl", given, lambda: self.kernel.set_append(process, fd, on))

    def do_stat(self, process: Process) -> None:
        (path, (at, start)), fd = (self.path(), self.at(process)), self.fd(process)
        name = self.pick(("stat", "lstat", "newfstatat", "fstat"))
        if name == "fstat":
            self.call(process, name, f"{fd}, ", lambda: self.kernel.fstat(process, fd), attributes)
        elif name == "newfstatat":
            act = lambda: self.kernel.stat(process, path, at)  # noqa: E731
            self.call(process, name, f'{start}"{path}", ', act, lambda inode: attributes(inode) + ", 0")
        else:
            act = lambda: self.kernel.stat(process, path, None, name == "stat")  # noqa: E731
            self.call(process, name, f'"{path}", ', act, attributes)

    def do_readlink(self, process: Process) -> None:
        path, (at, start) = self.path(), self.at(process)
        act = lambda: self.kernel.readlink(process, path, at)  # noqa: E731
        answered = lambda target: f'"{target}", 4096' if target is not None else "0x7f00, 4096"  # noqa: E731
        self.call(process, "readlinkat", f'{start}"{path}", ', act, answered)

    def do_rename(self, process: Process) -> None:
        old, new, exchange = self.path(), self.path(), self.pick((False, False, True))
        act = lambda: self.kernel.rename(process, old, new, exchange)  # noqa: E731
        if exchange:
            here = self.here(process)
            self.call(process, "renameat2", f'{here}, "{old}", {here}, "{new}", RENAME_EXCHANGE', act)
        else:
            self.call(process, "rename", f'"{old}", "{new}"', act)

    def do_link(self, process: Process) -> None:
        old, new, fd = self.path(), self.path(), self.fd(process)
        form = self.pick(("link", "linkat", "descriptor"))
        if form == "link":
            self.call(process, form, f'"{old}", "{new}"', lambda: self.kernel.link(process, old, new))
        elif form == "linkat":
            given = f'{self.here(process)}, "{old}", AT_FDCWD, "{new}", AT_SYMLINK_FOLLOW'
            self.call(process, form, given, lambda: self.kernel.link(process, old, new, follow=True))
        else:
            self.link_descriptor(process, fd, new)

    def link_descriptor(self, process: Process, fd: int, new: str) -> None:
        if fd not in process.descriptors:
            return
        if self.pick((True, False)):
            given = f'{fd}, "", {self.here(process)}, "{new}", AT_EMPTY_PATH'
        else:
            name = self.pick(("self", "thread-self", str(process.pid)))
            given = f'AT_FDCWD, "/proc/{name}/fd/{fd}", {self.here(process)}, "{new}", AT_SYMLINK_FOLLOW'
        self.call(process, "linkat", given, lambda: self.kernel.link_descriptor(process, fd, new))

    def do_link_temporary(self, process: Process) -> None:
        """Give a name to a file that has none."""
        fds = [fd for fd, description in process.descriptors.items() if description.inode.linkable]
        if fds:
            self.link_descriptor(process, self.pick(sorted(fds)), self.path())

    # --- sockets

    def do_socketpair(self, process: Process) -> None:
        if len(self.kernel.processes) * len(process.descriptors) > 20:
            return
        act = lambda: self.kernel.socketpair(process, set())  # noqa: E731
        self.call(process, "socketpair", "AF_UNIX, SOCK_STREAM, 0, ", act, lambda fds: str(list(fds)))

    def sockets(self, process: Process) -> list[int]:
        return sorted(fd for fd, one in process.descriptors.items() if one.inode.kind == "socket")

    def do_send(self, process: Process) -> None:
        others = sorted(process.descriptors.keys() - set(self.sockets(process)))
        if not self.sockets(process) or not others:
            return
        fd, fds = (
            self.pick(self.sockets(process)),
            [self.pick(others) for _ in range(self.pick((0, 1, 1, 2)))],
        )
        given = f"{fd}, {message(fds)}, 0"
        self.call(process, "sendmsg", given, lambda: self.kernel.send(process, fd, fds))

    def do_receive(self, process: Process) -> None:
        """What is received is closed if the log does not show what it is: it may share a position with any other."""
        if not self.sockets(process):
            return
        fd, room, flags = (
            self.pick(self.sockets(process)),
            self.pick((0, 1, 9, 9)),
            set(self.pick(((), ("O_CLOEXEC",)))),
        )
        given = "MSG_CMSG_CLOEXEC" if flags else "0"
        description = process.descriptors[fd]
        fds = self.call(
            process,
            "recvmsg",
            f"{fd}, ",
            lambda: self.kernel.receive(process, fd, room, flags),
            lambda fds: f"{message(fds or [])}, {given}",
        )
        for received in (fds or []) if not description.known else []:
            self.call(process, "close", f"{received}", lambda fd=received: self.kernel.close(process, fd))

    def do_drop(self, process: Process) -> None:
        """Receive without room for descriptors, in a call that many logs lack."""
        if not self.sockets(process):
            return
        fd, is_shown = self.pick(self.sockets(process)), self.pick((True, False))
        act = lambda: self.kernel.receive(process, fd, 0, set())  # noqa: E731
        if is_shown:
            self.call(process, "recvfrom", f"{fd}, ", act, '"x", 1, 0, NULL, NULL')
        else:
            self.run(act, len(self.lines))

    def do_unlink(self, process: Process) -> None:
        path, (at, start) = self.path(), self.at(process)
        name = self.pick(("unlink", "unlinkat", "rmdir", "unlinkat"))
        directory = name == "rmdir" or (name == "unlinkat" and self.pick((False, True)))
        if name == "unlinkat":
            given = f'{start}"{path}", {"AT_REMOVEDIR" if directory else 0}'
        else:
            at, given = None, f'"{path}"'
        self.call(process, name, given, lambda: self.kernel.unlink(process, path, at, directory))

    def do_mkdir(self, process: Process) -> None:
        path, (at, start) = self.path(), self.at(process)
        self.call(process, "mkdirat", f'{start}"{path}", 0755', lambda: self.kernel.mkdir(process, path, at))

    def do_symlink(self, process: Process) -> None:
        target, path, (at, start) = self.path(), self.path(), self.at(process)
        given = f'"{target}", {start}"{path}"'
        self.call(process, "symlinkat", given, lambda: self.kernel.symlink(process, target, path, at))

    def do_truncate(self, process: Process) -> None:
        path, fd, length = self.path(), self.fd(process), self.number()
        form = self.pick(("truncate", "ftruncate", "fallocate"))
        if form == "truncate":
            act = lambda: self.kernel.truncate(self.kernel.look_up(process, path, None), length)  # noqa: E731
            self.call(process, form, f'"{path}", {length}', act)
        elif form == "ftruncate":
            self.call(process, form, f"{fd}, {length}", lambda: self.kernel.ftruncate(process, fd, length))
        else:
            keep, at = self.pick((False, True)), self.number()
            given = f"{fd}, {'FALLOC_FL_KEEP_SIZE' if keep else '0'}, {at}, {length + 1}"
            act = lambda: self.kernel.fallocate(process, fd, keep, at, length + 1)  # noqa: E731
            self.call(process, form, given, act)

    def do_chdir(self, process: Process) -> None:
        path, fd = self.path(), self.fd(process)
        if self.pick((True, False)):
            self.call(process, "chdir", f'"{path}"', lambda: self.kernel.chdir(process, path))
        else:
            self.call(process, "fchdir", f"{fd}", lambda: self.kernel.fchdir(process, fd))

    def do_fork(self, process: Process) -> None:
        if len(self.kernel.processes) > 4:
            return
        name, flags = self.pick(("fork", "vfork", "clone")), set()
        given = ""
        if name == "clone":
            flags = set(self.pick((("CLONE_FILES",), ("CLONE_FS",), ("CLONE_FILES", "CLONE_FS"))))
            given = f"child_stack=NULL, flags={'|'.join(sorted(flags))}|SIGCHLD"
        self.call(process, name, given, lambda: self.kernel.fork(process, flags))

    def do_unshare(self, process: Process) -> None:
        flags = set(self.pick((("CLONE_FILES",), ("CLONE_FS",))))
        self.call(process, "unshare", "|".join(flags), lambda: self.kernel.unshare(process, flags))

    def do_execute(self, process: Process) -> None:
        self.call(process, "execve", '"/x", ["x"], 0x7f00 /* 0 vars */', lambda: self.kernel.execute(process))

    def do_exit(self, process: Process) -> None:
        if process.pid != FIRST:
            self.line(process, "exit_group(0) = ?")
            self.line(process, "+++ exited with 0 +++")
            self.kernel.exit(process)

    def read_all(self) -> None:
        """Open every file by a name of its, and read a byte."""
        process = self.kernel.processes[FIRST]
        for path, inode in list(self.kernel.names()):
            if inode.kind == "regular":
                fd, _ = self.run(lambda path=path: self.kernel.open(process, path, None, {"O_RDONLY"}), 0)
                self.line(process, f'open("{path}", O_RDONLY) = {fd}')
                moved, _ = self.run(lambda fd=fd: self.kernel.read(process, fd, 1, 0), len(self.lines))
                self.line(process, f'pread64({fd}, "x"..., 1, 0) = {moved}')
                self.kernel.close(process, fd)
                self.line(process, f"close({fd}) = 0")


DEEDS = (
    sorted(name for name in vars(Session) if name.startswith("do_"))
    + ["do_open", "do_read", "do_write"] * 3
    + ["do_temporary", "do_link_temporary", "do_socketpair", "do_send", "do_receive"]
)
FLAG_ORDER = (
    "O_RDONLY",
    "O_WRONLY",
    "O_RDWR",
    "O_CREAT",
    "O_EXCL",
    "O_TRUNC",
    "O_APPEND",
    "O_NOFOLLOW",
    "O_DIRECTORY",
    "O_CLOEXEC",
)


def attributes(inode: Inode | None) -> str:
    if inode is None:
        return "0x7f00"
    kinds = {"regular": "S_IFREG", "directory": "S_IFDIR", "symlink": "S_IFLNK", "socket": "S_IFSOCK"}
    kind = kinds[inode.kind]
    return f"{{st_mode={kind}|0644, st_size={inode.size if inode.kind != 'symlink' else len(inode.target)}, ...}}"


def message(fds: Sequence[int]) -> str:
    """A message that passes descriptors."""
    passed = f"[{{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data={list(fds)}}}]"
    control = f"msg_control={passed}, " if fds else ""
    return f'{{msg_name=NULL, msg_iov=[{{iov_base="x", iov_len=1}}], msg_iovlen=1, {control}msg_flags=0}}'


def shown(value: Any, error: str | None) -> str:
    """A call's result, as the log writes it."""
    if error is not None:
        return f"-1 {error} (no)"
    if isinstance(value, Process):
        return str(value.pid)
    if isinstance(value, Inode | tuple):
        return "0"
    if isinstance(value, list):
        return "1"
    return str(len(value)) if isinstance(value, str) else str(value)
