"""Programs recorded by BPF programs and by strace in one run: the same rows, references and files from both.

Both attach to a shell that then becomes the program, so that neither records the other. Some calls are recorded by
one of them alone, which is their nature: strace's flags leave munmap out, and its classes hold kill and epoll_ctl,
which move no data.
"""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "ingest"))

from program import Run
from recorders import PROCESSES, blocks, needs_bpf, needs_strace, rows

from iotrace.ingest import capture, tracing

pytestmark = [needs_bpf, needs_strace]

MOST_SECONDS = 120
BPF_ALONE = {"munmap"}
STRACE_ALONE = {"kill", "tgkill", "epoll_ctl"}
COLUMNS = (
    *("call", "fd", "fd2", "dirfd", "dirfd2", "path", "path2", "offset", "offset2", "count"),
    *("result", "error", "flags", "size", "file_kind"),
)
REFERENCES = ("type", "operation", "flags", "offset", "offset_source", "length", "requested", "file_size")
FILES = ("path", "path_last", "kind", "created", "deleted", "size_first_bytes", "size_last_bytes")

BUILD = r"""
for i in 1 2 3; do printf '#include <stdio.h>\n#include "h.h"\nint f%d(int x) { return x + %d; }\n' $i $i > f$i.c; done
printf 'int f1(int);\n' > h.h
printf '#include "h.h"\nint main(void) { return f1(-1); }\n' > main.c
printf 'O=f1.o f2.o f3.o main.o\nprogram: $(O)\n\tcc -o program $(O)\nlib.a: $(O)\n\tar rcs lib.a $(O)\n' > Makefile
make -j2 program lib.a && ./program
"""
SQLITE = r"""
sqlite3 t.db "pragma journal_mode=wal; create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000)
insert into t select x, hex(randomblob(50)) from c; create index i on t(b);
select count(*) from t where b like 'A%'; delete from t where a % 3 = 0; vacuum;"
"""
GIT = r"""
export HOME=$PWD GIT_CONFIG_NOSYSTEM=1
git init -q r; cd r; for i in 1 2 3 4 5 6 7 8 9; do seq $i $((i * 500)) > f$i; done
git add . && git -c user.name=a -c user.email=a@b.c commit -qm x && git log --stat && git gc -q && git status
"""
RSYNC = r"""
mkdir a; for i in 1 2 3 4 5 6 7 8 9; do seq $i $((i * 500)) > a/f$i; done
rsync -a a/ b/ && touch b/* && rsync -ac a/ b/ && seq 3 >> b/f3 && rsync -a a/ b/
"""
NPM = r"""
export HOME=$PWD npm_config_update_notifier=false
mkdir p; cd p; npm init -y && npm pack && npm ls
"""
POSTGRES = r"""
trap '' HUP
initdb -D db > /dev/null && pg_ctl -w -D db -o "-k $PWD -h ''" -l log start && createdb -h $PWD b
psql -h $PWD b -c 'create table t(a int primary key, b text)' \
    -c "insert into t select x, repeat('x', 100) from generate_series(1, 5000) x" -c 'checkpoint' -c 'vacuum full t'
pg_ctl -w -D db stop
"""
IMPORTS = f"{sys.executable} -c 'import json, sqlite3, http.client, xml.dom.minidom, concurrent.futures'"
PROGRAMS = {
    "build": (BUILD, ("make", "cc", "ar")),
    "sqlite": (SQLITE, ("sqlite3",)),
    "git": (GIT, ("git",)),
    "rsync": (RSYNC, ("rsync",)),
    "npm": (NPM, ("npm",)),
    "postgres": (POSTGRES, ("initdb", "pg_ctl", "psql", "createdb", "setpriv")),
    "imports": (IMPORTS, (sys.executable,)),
}
WAITING = 'read go; cd "$0" && exec >out 2>&1 </dev/null && exec sh -c "$1"'


def wait_for(happens: Callable[[], bool]) -> None:
    until = time.monotonic() + MOST_SECONDS
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.01)


def has_begun(recording: Path) -> bool:
    """Whether the recording holds what its processes had open."""
    return recording.exists() and any(kind == PROCESSES for kind, _ in blocks(recording.read_bytes()))


def recorded_by_both(script: str, folder: Path, as_user: str | None) -> int:
    """Record a script into both.iorec and both.strace of a folder; returns the number of its first process."""
    work = folder / "work"
    work.mkdir()
    rights = []
    if as_user is not None:
        for place in (work, *work.parents[:-2]):
            place.chmod(0o755)
        user = pwd.getpwnam(as_user)
        os.chown(work, user.pw_uid, user.pw_gid)
        rights = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    waiting = [*rights, "sh", "-c", WAITING, str(work), script]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as program:
        wait_for(lambda: Path(f"/proc/{program.pid}/comm").read_text() == "sh\n")
        words = [capture.find(), "-o", folder / "both.iorec", "--pid", str(program.pid)]
        flags = [*tracing.flags(()), "-o", folder / "both.strace", "-p", str(program.pid)]
        with subprocess.Popen(words) as bpf, subprocess.Popen(["strace", *flags]) as strace:
            status = Path(f"/proc/{program.pid}/status")
            wait_for(lambda: f"TracerPid:\t{strace.pid}\n" in status.read_text())
            wait_for(lambda: has_begun(folder / "both.iorec"))
            assert program.stdin is not None
            program.stdin.write(b"go\n")
            program.stdin.close()
            assert program.wait(MOST_SECONDS) == 0, (work / "out").read_text()
            for recorder in (bpf, strace):
                try:
                    assert recorder.wait(5) == 0
                except subprocess.TimeoutExpired:  # something that the script started runs on
                    recorder.send_signal(signal.SIGINT)
                    recorder.wait(5)
        return program.pid


def own_calls(store: Path) -> dict[int, list[tuple[object, ...]]]:
    """The calls of each thread in their order, without those that one recorder alone has."""
    found: dict[int, list[tuple[object, ...]]] = defaultdict(list)
    for thread, *call in rows(store, "syscall", "thread", *COLUMNS):
        if call[0] not in BPF_ALONE | STRACE_ALONE:
            found[int(str(thread))].append(tuple(call))
    return found


def from_the_folder_on(calls: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """The calls after the one that left the shell's first folder: one recorder may have attached before the other."""
    return calls[next(place for place, call in enumerate(calls) if call[0] == "chdir") :]


def as_in_log(call: tuple[object, ...], other: tuple[object, ...]) -> tuple[object, ...]:
    """A call as the log has it in which its thread was killed: it shows no reason why the call did not return."""
    result, error = COLUMNS.index("result"), COLUMNS.index("error")
    is_cut = call[result] is None and other[error] is None
    return (*call[:error], None, *call[error + 1 :]) if is_cut else call


def references(store: Path) -> Counter[tuple[object, ...]]:
    """How often each process referenced what.

    A file's inode is updated by the last process that closes it. Of two that end at the same time, that may be another
    one in each recording, so updates are counted for all processes together.
    """
    pids = dict(rows(store, "process", "process", "pid"))
    paths = dict(rows(store, "file", "file", "path"))
    found = rows(store, "reference", "process", "file", *REFERENCES)
    return Counter(
        (None if rest[1] == "update" else pids[process], paths.get(file), *rest)
        for process, file, *rest in found
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_have_the_same(name: str, run: Run, tmp_path: Path) -> None:
    script, needed = PROGRAMS[name]
    if missing := [program for program in needed if shutil.which(program) is None]:
        pytest.skip(f"not here: {', '.join(missing)}")
    is_refused = name == "postgres" and os.getuid() == 0  # it does not run as root
    first = recorded_by_both(script, tmp_path, "nobody" if is_refused else None)
    stores = {}
    for recorder in ("iorec", "strace"):
        stores[recorder] = tmp_path / f"{recorder}.iotrace"
        run("ingest", tmp_path / f"both.{recorder}", "-o", stores[recorder])
    bpf, strace = (own_calls(store) for store in stores.values())
    assert bpf.keys() == strace.keys()
    for thread, calls in bpf.items():
        others = strace[thread]
        if thread == first:
            calls, others = from_the_folder_on(calls), from_the_folder_on(others)
        assert [as_in_log(call, other) for call, other in zip(calls, others, strict=True)] == others
    assert references(stores["iorec"]) == references(stores["strace"])
    files = [Counter(rows(store, "file", *FILES)) for store in stores.values()]
    assert files[0] == files[1]
