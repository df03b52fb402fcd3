"""Cgroups by path, and those of containers, for recordings of their processes."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from iotrace.errors import UsageError

MOUNTS = Path("/proc/self/mounts")
ESCAPES = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}
"""How the list of mounts writes these."""
LEAST_DIGITS = 4
"""Of the beginning of a container's ID."""
ENGINES = ("docker", "podman")


@dataclass(frozen=True)
class Cgroup:
    """A cgroup: its folder, and whether it is of version 2, which BPF programs know."""

    folder: Path
    is_v2: bool

    def processes(self) -> tuple[int, ...]:
        """Return the processes that are in it, and in the cgroups within it, now."""
        numbers: list[int] = []
        for folder, _, _ in os.walk(self.folder):
            try:
                lines = (Path(folder) / "cgroup.procs").read_text("ascii").split()
            except OSError:  # removed meanwhile
                continue
            numbers += [number for number in map(int, lines) if number]
        return tuple(numbers)


def mounts(listed: Path = MOUNTS) -> list[Cgroup]:
    """Return the roots of all hierarchies of cgroups, version 2 first."""
    roots = []
    for line in listed.read_text("utf-8", "surrogateescape").splitlines():
        _, path, kind, *_ = line.split(" ")
        if kind in ("cgroup", "cgroup2"):
            for written, letter in ESCAPES.items():
                path = path.replace(written, letter)
            roots.append(Cgroup(Path(path), kind == "cgroup2"))
    return sorted(roots, key=lambda root: not root.is_v2)


def cgroup_of(path: str, roots: list[Cgroup] | None = None) -> Cgroup:
    """Return the cgroup of a path, absolute or below a root; raises UsageError where there is none."""
    roots = mounts() if roots is None else roots
    given = Path(os.path.normpath(path))
    for root in sorted(roots, key=lambda root: -len(root.folder.parts)):
        if given.is_relative_to(root.folder) and _is_cgroup(given):
            return Cgroup(given, root.is_v2)
    for root in roots:
        inner = Path(os.path.normpath(root.folder / path.lstrip("/")))
        if inner.is_relative_to(root.folder) and _is_cgroup(inner):
            return Cgroup(inner, root.is_v2)
    places = ", ".join(str(root.folder) for root in roots) or "a hierarchy of cgroups, as none is mounted"
    raise UsageError(f"there is no cgroup {path} in {places}")


def container_of(name: str, roots: list[Cgroup] | None = None) -> Cgroup:
    """Return the cgroup of a running container, by the beginning of its ID, or by its name.

    Docker, Podman, containerd and CRI-O name a container's cgroup with its ID: `docker-ID.scope`, `libpod-ID.scope`,
    `cri-containerd-ID.scope` and `crio-ID.scope` with systemd, else `docker/ID`, `libpod-ID` and the like. The outer
    one counts, as there may be others below. Raises UsageError where none or several are found.
    """
    roots = mounts() if roots is None else roots
    containers = _containers(name, roots) or _containers(_id_of(name) or "", roots)
    if not containers:
        raise UsageError(
            f"there is no running container {name}: no cgroup holds the ID, and no engine knows the name"
        )
    if len(containers) > 1:
        raise UsageError(
            f"several containers have IDs that begin with {name}: {', '.join(sorted(containers))}"
        )
    return next(iter(containers.values()))


def _containers(beginning: str, roots: list[Cgroup]) -> dict[str, Cgroup]:
    """Return the containers whose IDs begin so, each with its cgroup in the first hierarchy that has it."""
    containers: dict[str, Cgroup] = {}
    if len(beginning) < LEAST_DIGITS or not _is_hexadecimal(beginning):
        return containers
    for root in roots:
        for folder, names, _ in os.walk(root.folder):
            for name in names[:]:
                number = _id_in(name)
                if number is not None:
                    names.remove(name)
                    if number.startswith(beginning):
                        containers.setdefault(number, Cgroup(Path(folder) / name, root.is_v2))
    return containers


ID_DIGITS = 64


def _id_in(name: str) -> str | None:
    """Return the container's ID in the name of a cgroup; None for the monitor that podman and CRI-O keep beside it."""
    if "conmon" in name:
        return None
    number = name.removesuffix(".scope").rpartition("-")[2].rpartition(":")[2]
    return number if len(number) == ID_DIGITS and _is_hexadecimal(number) else None


def _is_hexadecimal(text: str) -> bool:
    return all(letter in "0123456789abcdef" for letter in text)


def _id_of(name: str) -> str | None:
    """Return the ID of a container of this name, if an engine knows it."""
    for engine in _engines():
        command = [engine, "inspect", "--type", "container", "--format", "{{.Id}}", "--", name]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=ENGINE_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0 and done.stdout.strip():
            return done.stdout.strip()
    return None


ENGINE_SECONDS = 10


def _engines() -> Iterator[str]:
    return (path for engine in ENGINES if (path := shutil.which(engine)) is not None)


def _is_cgroup(folder: Path) -> bool:
    return (folder / "cgroup.procs").is_file()
