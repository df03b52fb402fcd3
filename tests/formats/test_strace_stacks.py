"""Stacks of strace -k: each call has the frames below its line, in one log and in several."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.analysis.grouping import Weight
from iotrace.errors import IotraceError
from iotrace.export import profiles
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

LOG = """\
7 1.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000010>
 > /lib/libc.so.6(open64+0x51) [0xf8011]
 > /x/prog(load(int, char)+0x1c) [0x120e]
 > /x/prog(main+0x21) [0x124a]
7 1.000100 read(3,  <unfinished ...>
8 1.000200 read(5, "", 10) = 4 <0.000020>
 > /x/prog() [0x99]
7 1.000300 <... read resumed>"", 10) = 0 <0.000200>
 > /lib/libc.so.6(read+0xd) [0xf82ad]
 > /x/prog(main+0x30) [0x1260]
7 1.000400 --- SIGCHLD {si_signo=SIGCHLD, si_code=SI_USER, si_pid=7, si_uid=0} ---
 > /x/prog(main+0x30) [0x1260]
7 1.000500 read(3, "", 10) = 0 <0.000005>
 > /lib/libc.so.6(read+0xd) [0xf82ad]
 > /x/prog(main+0x30) [0x1260]
7 1.000600 close(3) = 0 <0.000001>
7 1.000700 read(3, "", 10) = -1 EBADF (Bad file descriptor) <0.000002>
 > backtracing_error
7 1.000800 exit_group(0) = ?
7 1.000900 +++ exited with 0 +++
 > /x/prog(exit+0x1) [0x5]
"""


def stacks(store: Store) -> list[tuple[int, str, list[str]]]:
    """Thread, call and functions of each call with a stack, in the order of the calls."""
    with store.queried() as connection:
        return connection.execute(
            "select thread, call, (select list(coalesce(function, module, '?') order by depth) from stack_frame"
            " where stack_frame.stack = call_stack.stack) from syscall join call_stack on call_seq = seq order by seq"
        ).fetchall()


def test_frames_belong_to_the_call_above_them(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LOG)
    store = ingest([log], tmp_path / "log.iotrace")
    assert store.manifest["counts"]["skipped_lines"] == 0
    assert stacks(store) == [
        (7, "openat", ["open64", "load(int, char)", "main"]),
        (7, "read", ["read", "main"]),
        (8, "read", ["/x/prog"]),
        (7, "read", ["read", "main"]),
        (7, "read", ["?"]),
    ]
    with store.queried() as connection:
        assert connection.execute("select count(distinct stack) from call_stack").fetchall() == [(4,)]
        first = connection.execute("from stack_frame where stack = 0 order by depth limit 1").fetchall()
    assert first == [(0, 0, "open64", "/lib/libc.so.6", 0xF8011)]
    profiles.write(store, tmp_path / "folded", "folded", Weight.CALLS, stacks=True)
    assert (tmp_path / "folded").read_text() == (
        "(before the trace);[prog];read 1\n"
        "(before the trace);[unknown];read 1\n"
        "(before the trace);main;load(int, char);open64;openat 1\n"
        "(before the trace);main;read;read 2\n"
    )
    profiles.write(store, tmp_path / "scope", "speedscope", stacks=True)
    content = json.loads((tmp_path / "scope").read_text())
    assert [profile["endValue"] for profile in content["profiles"]] == [(10 + 200 + 20 + 5 + 2) * 1000]
    profiles.write(store, tmp_path / "bytes", "folded", Weight.BYTES, stacks=True)
    assert (tmp_path / "bytes").read_text() == "(before the trace);[prog];read 4\n"


@examples(30)
@given(st.lists(st.tuples(st.sampled_from([7, 8]), st.integers(0, 3), st.integers(0, 4)), min_size=1))
def test_logs_of_several_threads_keep_frames_with_their_calls(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("set")
    logs: dict[int, list[str]] = {7: [], 8: []}
    expected = []
    for place, (thread, _, depth) in enumerate(steps):
        time = sum(step[1] for step in steps[: place + 1])
        logs[thread].append(f'1.{time:06d} pread64(3, "", 10, {place}) = 0 <0.000002>')
        functions = [f"f{place % 3}_{frame}" for frame in range(depth)]
        logs[thread] += [f" > /x/p({name}+0x1) [0x2]" for name in functions]
        expected += [(thread, place, functions)] if functions else []
    (folder / "set").mkdir()
    for thread, lines in logs.items():
        if lines:
            (folder / "set" / f"log.{thread}").write_text("\n".join([*lines, ""]))
    store = ingest([folder / "set"], folder / "set.iotrace")
    assert ("call_stack" in store.tables) == bool(expected)
    if not expected:
        return
    with store.queried() as connection:
        found = connection.execute(
            'select thread, syscall."offset" as place, list(function order by depth)'
            " from syscall join call_stack on call_seq = seq join stack_frame using (stack)"
            " group by all order by place"
        ).fetchall()
    assert found == expected


def test_a_stack_without_end_is_cut(tmp_path: Path) -> None:
    log = tmp_path / "log"
    frame = " > /x/prog(main+0x21) [0x124a]\n"
    log.write_text("close(3) = 0\n" + 5000 * frame + "close(4) = 0\n")
    store = ingest([log], tmp_path / "log.iotrace")
    assert store.manifest["tables"]["stack_frame"] == 4096
    assert store.manifest["counts"]["skipped_lines"] == 904


def test_a_trace_without_stacks_says_how_to_record_them(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("close(3) = 0\n")
    store = ingest([log], tmp_path / "log.iotrace")
    with pytest.raises(IotraceError, match="iotrace record --stacks and strace -k record them"):
        profiles.write(store, tmp_path / "folded", "folded", stacks=True)


def test_a_log_of_strace_has_the_functions_that_called(tmp_path: Path) -> None:
    version = subprocess.run(["strace", "-V"], capture_output=True, text=True).stdout if _has_tools() else ""
    if "stack-trace=" not in version:
        pytest.skip("needs a C compiler and an strace that is built with stack traces")
    (tmp_path / "k.c").write_text(
        "#include <unistd.h>\n"
        "static char b[9];\n"
        "__attribute__((noinline)) long inner(void) { return pread(0, b, 9, 5) + 1; }\n"
        "__attribute__((noinline)) long outer(void) { return inner() + 2; }\n"
        "int main(void) { return (int) (inner() + outer()) & 0; }\n"
    )
    subprocess.run(["cc", "-O1", "-o", tmp_path / "k", tmp_path / "k.c"], check=True)
    with (tmp_path / "k.c").open() as given:
        subprocess.run(
            ["strace", "-k", "-ttt", "-T", "-o", tmp_path / "log", tmp_path / "k"], stdin=given, check=True
        )
    store = ingest([tmp_path / "log"], tmp_path / "log.iotrace")
    called = [functions for _, call, functions in stacks(store) if call == "pread64" and "main" in functions]
    within = [[name for name in functions if name in ("inner", "outer", "main")] for functions in called]
    assert within == [["inner", "main"], ["inner", "outer", "main"]]


def _has_tools() -> bool:
    return all(shutil.which(name) for name in ("strace", "cc"))
