"""A named pipe whose text becomes a zstd-compressed log without the contents of buffers."""

import contextlib
import fcntl
import os
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from iotrace.engine.native import ContentsFilter
from iotrace.files.outputs import failures_named

PIPE_BYTES = 1 << 20
FLUSH_EACH_S = 1.0
"""The most of a run that the log lacks when this program is killed."""


class Compressor:
    """Filters and compresses what is written to a named pipe, in a thread: contents never reach the disk.

    strace opens the pipe by its name, so that the traced processes do not inherit it. Where the log cannot be
    written, the rest is read and dropped, since a full pipe would stop the command.
    """

    def __init__(self, log: Path, pipe: Path, kept: ContentsFilter) -> None:
        self.pipe = pipe
        self._kept = kept
        self.size_bytes = 0
        self.failure: OSError | None = None
        with failures_named(log):
            self._log = pa.CompressedOutputStream(pa.OSFile(str(log), "wb"), "zstd")
        os.mkfifo(pipe)
        # Opening one end alone would wait for the other. The pipe lasts until the end held here closes.
        self._source = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self._own_end = os.open(pipe, os.O_WRONLY)
        os.set_blocking(self._source, True)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._source, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._flushed_s = time.monotonic()
        self._thread = threading.Thread(target=self._compress)

    def __enter__(self) -> "Compressor":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._own_end)
        self._thread.join()
        os.close(self._source)
        try:
            self._log.close()
        except OSError as error:
            self.failure = self.failure or error

    def _compress(self) -> None:
        is_flushed = True
        while True:
            left_s = max(0.0, self._flushed_s + FLUSH_EACH_S - time.monotonic())
            if not is_flushed and (not left_s or not select.select([self._source], [], [], left_s)[0]):
                self._try(self._log.flush)
                self._flushed_s, is_flushed = time.monotonic(), True
            if not (block := os.read(self._source, PIPE_BYTES)):
                self._write(self._kept.finish())
                return
            self._write(self._kept.feed(block))
            is_flushed = False

    def _write(self, text: bytes) -> None:
        self.size_bytes += len(text)
        self._try(self._log.write, text)

    def _try(self, step: Callable[..., object], *arguments: object) -> None:
        """Take a step in writing the log, unless one has failed before."""
        if self.failure is None:
            try:
                step(*arguments)
            except OSError as error:
                self.failure = error
