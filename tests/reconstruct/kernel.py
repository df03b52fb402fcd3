"""A tiny kernel: inodes, directories, descriptors and file pointers, as plainly as they can be written.

Each method is one system call of one process; it returns what the call returns, or raises ``Errno``. ``transfers``
is the truth that a reconstruction is to find. The kernel also notes what its answers give away (``revealed``): the
size of a file that was there before is nobody's knowledge until a call reveals it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field


class Errno(Exception):
    """A call failed, for the reason that its name says."""


@dataclass(eq=False)
class Inode:
    kind: str = "regular"
    size: int = 0
    links: int = 0
    opens: int = 0
    revealed: bool = True
    """Whether the trace gives the size away."""
    created: bool = True
    """Whether the trace shows that it created the file."""
    old: bool = False
    """Whether it was there before the trace."""
    cut: bool = False
    """Whether it was opened with O_CREAT and O_TRUNC, which may look like its creation."""
    made: bool = False
    """Whether it is a directory that was made in the trace."""
    linkable: bool = False
    """Whether it was made without a name, and may get one."""
    adrift: bool = False
    """Whether a descriptor of it was passed in a message of which the trace does not show what became of it."""
    target: str = ""
    entries: "dict[str, Inode]" = field(default_factory=dict)
    parent: "Inode | None" = None

    def require(self, kind: str, error: str) -> None:
        if self.kind != kind:
            raise Errno(error)


@dataclass(eq=False)
class Description:
    inode: Inode
    mode: str = "rw"
    append: bool = False
    offset: int = 0
    revealed: bool = True
    """Whether the trace gives the offset away."""
    inherited: bool = False
    peer: "Description | None" = None
    """The other one of a pair of sockets."""
    inbox: "list[list[Description]]" = field(default_factory=list)
    """Messages, each with what it passes."""
    owed: int = 0
    """Descriptors that were sent and not received, by what the trace shows."""
    known: bool = True
    """Whether the trace shows which descriptors are received."""


@dataclass(eq=False)
class Place:
    directory: Inode


@dataclass(eq=False)
class Process:
    pid: int
    descriptors: dict[int, Description]
    close_on_exec: set[int]
    place: Place


@dataclass(frozen=True)
class Transfer:
    operation: str
    inode: Inode
    offset: int
    length: int
    revealed: bool
    size: int
    """Of the file, afterwards."""


@dataclass(frozen=True)
class Found:
    directory: Inode
    name: str
    inode: Inode | None

    def existing(self) -> Inode:
        if self.inode is None:
            raise Errno("ENOENT")
        return self.inode


class Kernel:
    def __init__(self) -> None:
        self.root = Inode("directory", links=1)
        self.root.parent = self.root
        self.absent: set[tuple[Inode, str]] = set()
        """Names that the trace shows not to exist. (A failed look-up need not: something above may be missing.)"""
        self.transfers: list[Transfer] = []
        self.processes: dict[int, Process] = {}

    # --- names

    def path_of(self, directory: Inode) -> str:
        return next((path for path, inode in self.names() if inode is directory), "/")

    def walk(self, process: Process, path: str, at: int | None, follow: bool) -> Found:
        start = process.place.directory if at is None else self.description(process, at).inode
        directory = self.root if path.startswith("/") else start
        names, followed = path.split("/"), 0
        found = Found(directory, "", directory)
        while names:
            name = names.pop(0)
            directory.require("directory", "ENOTDIR")
            if name in ("", "."):
                continue
            if name == "..":
                directory = directory.parent or self.root
                found = Found(directory, "", directory)
                continue
            last = not any(name not in ("", ".") for name in names)
            inode = directory.entries.get(name)
            found = Found(directory, name, inode)
            if inode is None:
                if last:
                    return found
                raise Errno("ENOENT")
            if inode.kind == "symlink" and (follow or not last):
                followed += 1
                if followed > 40:
                    raise Errno("ELOOP")
                names = inode.target.split("/") + names
                directory = self.root if inode.target.startswith("/") else directory
                found = Found(directory, "", directory)
            elif not last or inode.kind == "directory":
                inode.require("directory", "ENOTDIR")
                directory = inode
        return found

    def look_up(self, process: Process, path: str, at: int | None, follow: bool = True) -> Inode:
        return self.walk(process, path, at, follow).existing()

    def add_name(self, found: Found, inode: Inode) -> None:
        found.directory.entries[found.name] = inode
        self.absent.discard((found.directory, found.name))
        inode.links += 1
        if inode.kind == "directory":
            inode.parent = found.directory

    def drop_name(self, found: Found) -> None:
        inode = found.directory.entries.pop(found.name)
        self.absent.add((found.directory, found.name))
        inode.links -= 1

    def new_name(self, process: Process, path: str, at: int | None) -> Found:
        found = self.walk(process, path, at, follow=False)
        if found.inode is not None:
            raise Errno("EEXIST")
        return found

    def mkdir(self, process: Process, path: str, at: int | None) -> int:
        self.add_name(self.new_name(process, path, at), Inode("directory", made=True))
        return 0

    def symlink(self, process: Process, target: str, path: str, at: int | None) -> int:
        self.add_name(self.new_name(process, path, at), Inode("symlink", target=target))
        return 0

    def link(self, process: Process, old: str, new: str, follow: bool = False) -> int:
        inode = self.walk(process, old, None, follow).existing()
        found = self.new_name(process, new, None)
        if inode.kind == "directory":
            raise Errno("EPERM")
        self.add_name(found, inode)
        return 0

    def unlink(self, process: Process, path: str, at: int | None, directory: bool = False) -> int:
        found = self.walk(process, path, at, follow=False)
        inode = found.existing()
        if directory:
            inode.require("directory", "ENOTDIR")
            if not found.name or self.is_used(inode):
                raise Errno("EBUSY")
            if inode.entries:
                raise Errno("ENOTEMPTY")
        elif inode.kind == "directory":
            raise Errno("EISDIR")
        self.drop_name(found)
        return 0

    def is_used(self, directory: Inode) -> bool:
        return directory.opens > 0 or any(p.place.directory is directory for p in self.processes.values())

    def rename(self, process: Process, old: str, new: str, exchange: bool = False) -> int:
        source = self.walk(process, old, None, follow=False)
        target = self.walk(process, new, None, follow=False)
        moved, replaced = source.existing(), target.existing() if exchange else target.inode
        if not source.name or not target.name:
            raise Errno("EBUSY")
        if moved in self.above(target.directory) or (exchange and replaced in self.above(source.directory)):
            raise Errno("EINVAL")
        if moved is replaced:
            return 0
        if replaced is not None and not exchange:
            if moved.kind == "directory":
                replaced.require("directory", "ENOTDIR")
            elif replaced.kind == "directory":
                raise Errno("EISDIR")
            if replaced.entries:
                raise Errno("ENOTEMPTY")
            if replaced.kind == "directory" and self.is_used(replaced):
                raise Errno("EBUSY")
        if replaced is not None:
            self.drop_name(target)
        self.drop_name(source)
        self.add_name(target, moved)
        if exchange and replaced is not None:
            self.add_name(source, replaced)
        return 0

    def above(self, directory: Inode) -> list[Inode]:
        """A directory and all that it is in."""
        chain = [directory]
        while chain[-1] is not self.root:
            chain.append(chain[-1].parent or self.root)
        return chain

    def chdir(self, process: Process, path: str) -> int:
        directory = self.look_up(process, path, None)
        directory.require("directory", "ENOTDIR")
        process.place.directory = directory
        return 0

    def fchdir(self, process: Process, fd: int) -> int:
        directory = self.description(process, fd).inode
        directory.require("directory", "ENOTDIR")
        process.place.directory = directory
        return 0

    def stat(self, process: Process, path: str, at: int | None, follow: bool = True) -> Inode:
        inode = self.look_up(process, path, at, follow)
        inode.revealed = True
        return inode

    def fstat(self, process: Process, fd: int) -> Inode:
        inode = self.description(process, fd).inode
        inode.revealed = True
        return inode

    def readlink(self, process: Process, path: str, at: int | None) -> str:
        inode = self.look_up(process, path, at, follow=False)
        inode.require("symlink", "EINVAL")
        return inode.target

    # --- descriptors

    def description(self, process: Process, fd: int) -> Description:
        if fd not in process.descriptors:
            raise Errno("EBADF")
        return process.descriptors[fd]

    def install(self, process: Process, description: Description, flags: set[str], least: int = 0) -> int:
        fd = next(fd for fd in range(least, 1000) if fd not in process.descriptors)
        self.place(process, fd, description, "O_CLOEXEC" in flags)
        return fd

    def place(self, process: Process, fd: int, description: Description, close_on_exec: bool) -> None:
        process.descriptors[fd] = description
        description.inode.opens += 1
        (process.close_on_exec.add if close_on_exec else process.close_on_exec.discard)(fd)

    def open(self, process: Process, path: str, at: int | None, flags: set[str]) -> int:
        exclusive = {"O_CREAT", "O_EXCL"} <= flags
        found = self.walk(process, path, at, follow=not exclusive and "O_NOFOLLOW" not in flags)
        inode = found.inode
        if inode is None:
            if "O_CREAT" not in flags:
                raise Errno("ENOENT")
            if "O_DIRECTORY" in flags:
                raise Errno("EINVAL")
            absent = found.directory.made or (found.directory, found.name) in self.absent
            known = exclusive or "O_TRUNC" in flags or absent
            inode = Inode(revealed=known, created=known)
            self.add_name(found, inode)
        elif exclusive:
            raise Errno("EEXIST")
        elif inode.kind == "symlink":
            raise Errno("ELOOP")
        elif inode.kind == "directory" and (flags & {"O_CREAT", "O_WRONLY", "O_RDWR", "O_TRUNC"}):
            raise Errno("EISDIR")
        elif "O_DIRECTORY" in flags:
            inode.require("directory", "ENOTDIR")
        if "O_TRUNC" in flags:
            inode.size, inode.revealed = 0, True
            inode.cut |= "O_CREAT" in flags
        mode = "w" if "O_WRONLY" in flags else "rw" if "O_RDWR" in flags else "r"
        return self.install(process, Description(inode, mode, "O_APPEND" in flags), flags)

    def open_temporary(self, process: Process, path: str, flags: set[str]) -> int:
        self.look_up(process, path, None).require("directory", "ENOTDIR")
        return self.install(process, Description(Inode(linkable=True)), flags)

    def link_descriptor(self, process: Process, fd: int, path: str) -> int:
        inode = self.description(process, fd).inode
        found = self.new_name(process, path, None)
        if inode.kind == "directory":
            raise Errno("EPERM")
        if inode.kind == "socket":
            raise Errno("EXDEV")
        if inode.links == 0 and not inode.linkable:
            raise Errno("ENOENT")
        inode.linkable = False
        self.add_name(found, inode)
        return 0

    def close(self, process: Process, fd: int) -> int:
        description = process.descriptors.pop(fd, None)
        if description is None:
            raise Errno("EBADF")
        self.release(description)
        return 0

    def release(self, description: Description) -> None:
        description.inode.opens -= 1
        if description.inode.opens == 0:
            for passed in [passed for message in description.inbox for passed in message]:
                self.release(passed)
            description.inbox.clear()

    # --- sockets

    def socketpair(self, process: Process, flags: set[str]) -> tuple[int, int]:
        ours, theirs = Description(Inode("socket")), Description(Inode("socket"))
        ours.peer, theirs.peer = theirs, ours
        return self.install(process, ours, flags), self.install(process, theirs, flags)

    def socket(self, process: Process, fd: int) -> Description:
        description = self.description(process, fd)
        description.inode.require("socket", "ENOTSOCK")
        return description

    def send(self, process: Process, fd: int, fds: list[int]) -> int:
        """Send a byte, and with it descriptors that are no sockets."""
        peer = self.socket(process, fd).peer
        message = [self.description(process, one) for one in fds]
        if peer is None or peer.inode.opens == 0:
            raise Errno("EPIPE")
        for passed in message:
            passed.inode.opens += 1
        peer.inbox.append(message)
        peer.owed += len(message)
        return 1

    def receive(self, process: Process, fd: int, room: int, flags: set[str]) -> list[int]:
        """Receive a byte, and as many descriptors as there is room for."""
        description = self.socket(process, fd)
        if not description.inbox:
            raise Errno("EAGAIN")
        under_way = [passed for message in description.inbox for passed in message]
        message = description.inbox.pop(0)
        received = [self.install(process, passed, flags) for passed in message[:room]]
        for passed in message:
            self.release(passed)
        description.known &= len(received) in (0, description.owed)
        description.owed -= len(received)
        for passed in under_way:
            passed.inode.adrift |= not description.known or len(received) < len(message)
        return received

    def close_range(self, process: Process, first: int, last: int, on_exec: bool) -> int:
        for fd in [fd for fd in process.descriptors if first <= fd <= last]:
            if on_exec:
                process.close_on_exec.add(fd)
            else:
                self.close(process, fd)
        return 0

    def dup(self, process: Process, fd: int, flags: set[str], least: int = 0) -> int:
        return self.install(process, self.description(process, fd), flags, least)

    def dup2(self, process: Process, fd: int, new: int, flags: set[str]) -> int:
        description = self.description(process, fd)
        if fd == new:
            return new
        if new in process.descriptors:
            self.close(process, new)
        self.place(process, new, description, "O_CLOEXEC" in flags)
        return new

    def set_close_on_exec(self, process: Process, fd: int, on: bool) -> int:
        self.description(process, fd)
        (process.close_on_exec.add if on else process.close_on_exec.discard)(fd)
        return 0

    def set_append(self, process: Process, fd: int, on: bool) -> int:
        self.description(process, fd).append = on
        return 0

    # --- data

    def read(self, process: Process, fd: int, asked: int, at: int | None = None) -> int:
        description = self.description(process, fd)
        if "r" not in description.mode:
            raise Errno("EBADF")
        inode = description.inode
        if inode.kind == "directory":
            raise Errno("EISDIR")
        if inode.kind == "socket":
            raise Errno("EAGAIN" if at is None else "ESPIPE")
        offset = description.offset if at is None else at
        moved = max(0, min(asked, inode.size - offset))
        self.note("read", description, offset, moved, at)
        if 0 < moved < asked and (description.revealed or at is not None) and not description.inherited:
            inode.revealed = True
        if at is None:
            description.offset += moved
        return moved

    def write(self, process: Process, fd: int, asked: int, at: int | None = None) -> int:
        description = self.description(process, fd)
        if "w" not in description.mode:
            raise Errno("EBADF")
        inode = description.inode
        if inode.kind == "socket":
            raise Errno("EAGAIN" if at is None else "ESPIPE")
        offset = description.offset if at is None else at
        if asked == 0:
            return 0
        if description.append:
            # Linux appends for pwrite as well
            offset = inode.size
        self.note("write", description, offset, asked, at)
        inode.revealed &= self.transfers[-1].revealed
        if description.append and at is None:
            description.revealed = inode.revealed
        inode.size = max(inode.size, offset + asked)
        if at is None:
            description.offset = offset + asked
        return asked

    def copy(
        self, process: Process, source: int, target: int, at: tuple[int | None, int | None], asked: int
    ) -> int:
        taken, given = self.description(process, source), self.description(process, target)
        if "r" not in taken.mode or "w" not in given.mode or given.append:
            raise Errno("EBADF")
        kinds = {taken.inode.kind, given.inode.kind}
        if kinds != {"regular"} or taken.inode is given.inode:
            raise Errno("EINVAL")
        left = taken.inode.size - (taken.offset if at[0] is None else at[0])
        moved = max(0, min(asked, left))
        self.read(process, source, moved, at[0])
        self.write(process, target, moved, at[1])
        return moved

    def note(self, operation: str, description: Description, offset: int, moved: int, at: int | None) -> None:
        appends = operation == "write" and description.append
        revealed = description.inode.revealed if appends else at is not None or description.revealed
        inode = description.inode
        size = max(inode.size, offset + moved) if operation == "write" else inode.size
        self.transfers.append(Transfer(operation, inode, offset, moved, revealed, size))

    def seek(self, process: Process, fd: int, offset: int, whence: str) -> int:
        description = self.description(process, fd)
        inode = description.inode
        if inode.kind == "socket":
            raise Errno("ESPIPE")
        start = {"SEEK_SET": 0, "SEEK_CUR": description.offset, "SEEK_END": inode.size}[whence]
        if inode.kind == "directory" or start + offset < 0:
            raise Errno("EINVAL")
        if whence == "SEEK_END":
            inode.revealed = True
        description.offset, description.revealed = start + offset, True
        return start + offset

    def truncate(self, inode: Inode, length: int) -> int:
        if inode.kind == "directory":
            raise Errno("EISDIR")
        inode.require("regular", "EINVAL")
        inode.size, inode.revealed = length, True
        return 0

    def ftruncate(self, process: Process, fd: int, length: int) -> int:
        description = self.description(process, fd)
        if "w" not in description.mode:
            raise Errno("EINVAL")
        return self.truncate(description.inode, length)

    def fallocate(self, process: Process, fd: int, keep_size: bool, offset: int, length: int) -> int:
        description = self.description(process, fd)
        if "w" not in description.mode:
            raise Errno("EBADF")
        description.inode.require("regular", "ESPIPE")
        if not keep_size:
            description.inode.size = max(description.inode.size, offset + length)
        return 0

    # --- processes

    def fork(self, process: Process, flags: set[str]) -> Process:
        pid = next(pid for pid in range(process.pid, 100_000) if pid not in self.processes)
        child = Process(pid, process.descriptors, process.close_on_exec, process.place)
        if "CLONE_FILES" not in flags:
            self.own_descriptors(child)
        if "CLONE_FS" not in flags:
            child.place = Place(process.place.directory)
        self.processes[pid] = child
        return child

    def own_descriptors(self, process: Process) -> None:
        process.descriptors = dict(process.descriptors)
        process.close_on_exec = set(process.close_on_exec)
        for description in process.descriptors.values():
            description.inode.opens += 1

    def unshare(self, process: Process, flags: set[str]) -> int:
        if "CLONE_FILES" in flags and self.sharers(process) > 1:
            self.own_descriptors(process)
        if "CLONE_FS" in flags:
            process.place = Place(process.place.directory)
        return 0

    def sharers(self, process: Process) -> int:
        return sum(other.descriptors is process.descriptors for other in self.processes.values())

    def execute(self, process: Process) -> int:
        self.unshare(process, {"CLONE_FILES"})
        for fd in process.close_on_exec & process.descriptors.keys():
            self.close(process, fd)
        return 0

    def exit(self, process: Process) -> None:
        if self.sharers(process) == 1:
            for fd in list(process.descriptors):
                self.close(process, fd)
        del self.processes[process.pid]

    # --- for those who look on

    def names(self, directory: Inode | None = None, path: str = "") -> Iterator[tuple[str, Inode]]:
        """Every name in the file system, as an absolute path."""
        for name, inode in (directory or self.root).entries.items():
            yield f"{path}/{name}", inode
            if inode.kind == "directory":
                yield from self.names(inode, f"{path}/{name}")
