"""A process that has loaded iotrace and forks for each command, so that none takes half a second to load it.

A command still has its own process, with its own standard streams, working directory, environment, signals and
exit status. What it does not show is how the interpreter starts and how it is taken down.
"""

import atexit
import contextlib
import importlib
import io
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NoReturn

Done = subprocess.CompletedProcess[bytes]
HARMLESS = frozenset(
    [
        *("COLUMNS", "HOME", "IOTRACE_TRACEBACK", "LINES", "PATH", "TMPDIR", "XDG_CACHE_HOME"),
        "PYTEST_CURRENT_TEST",
        "_RJEM_MALLOC_CONF",  # set by polars as it loads
    ]
)
"""Variables of the environment that matter only once a command runs; others may be read when libraries load."""


class ForkServer:
    """The process that forks, for those who ask it to."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._channel, there = socket.socketpair()
        self._answers = self._channel.makefile("r")
        pipe = subprocess.PIPE  # as the streams of the commands will be
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(there.fileno())],
            pass_fds=[there.fileno()],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
        )
        there.close()
        atexit.register(self._end)

    def _end(self) -> None:
        self._answers.close()
        self._channel.close()
        self._process.communicate()

    def serves(self, environment: dict[str, str]) -> bool:
        """Return whether a command behaves with this environment as if started anew."""
        differing = dict(environment.items() ^ self._environment.items())
        return differing.keys() <= HARMLESS

    def run(
        self, words: list[str], folder: Path, environment: dict[str, str], given: bytes, most_seconds: float
    ) -> Done:
        """Run a command to its end, as `subprocess.run` does."""
        (stdin, feeding), (telling, stdout), (warning, stderr) = (os.pipe() for _ in range(3))
        asked = {"words": words, "folder": str(folder), "environment": environment}
        socket.send_fds(self._channel, [b"!"], [stdin, stdout, stderr])
        self._channel.sendall(json.dumps(asked).encode() + b"\n")
        for descriptor in (stdin, stdout, stderr):
            os.close(descriptor)
        process = int(self._answers.readline())
        late = threading.Timer(most_seconds, os.kill, [process, signal.SIGKILL])
        late.start()
        with ThreadPoolExecutor(3) as threads:
            threads.submit(_give, feeding, given)
            printed, warned = (threads.submit(_taken, descriptor) for descriptor in (telling, warning))
        status = int(self._answers.readline())
        late.cancel()
        assert not late.finished.is_set() or status != -signal.SIGKILL, f"{words} took {most_seconds} s"
        return Done(words, status, printed.result(), warned.result())


def _give(descriptor: int, given: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(descriptor, "wb", buffering=0) as stream:
        stream.write(given)


def _taken(descriptor: int) -> bytes:
    with open(descriptor, "rb") as stream:
        return stream.read()


@cache
def fork_server() -> ForkServer:
    """Return the server that all tests of this process share."""
    return ForkServer()


def _load() -> None:
    import typer

    import iotrace
    from iotrace import cli

    for module in pkgutil.walk_packages(iotrace.__path__, "iotrace."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of what optional libraries are for
                importlib.import_module(module.name)
    command = typer.main.get_command(cli.application())
    cli.application = lambda names=None: command  # type: ignore[assignment, return-value]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        command(["formats"])  # loads what libraries load late


def _serve(channel: socket.socket) -> None:
    requests = channel.makefile("r")
    while True:
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 3)
        if not descriptors:
            return
        asked = json.loads(requests.readline())
        process = os.fork()
        if process == 0:
            channel.detach()
            _become(asked, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        channel.sendall(b"%d\n" % process)
        _, status = os.waitpid(process, 0)
        channel.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(asked: dict, descriptors: list[int]) -> NoReturn:
    """Run the command in this process, and end it as the interpreter would."""
    from iotrace.__main__ import main

    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    sys.argv = asked["words"]
    try:
        main()
    except SystemExit as ending:
        code = ending.code
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    _load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
