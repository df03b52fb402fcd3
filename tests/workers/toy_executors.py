"""Executors of tests: one that runs at once, one that runs late and in any order, and ones that fail."""

import random
import threading
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any


class Unlucky(Exception):
    """What an executor here fails with."""


class Toy:
    """Runs what was submitted on one thread, in an order drawn by chance, and fails at some steps by chance.

    A failure is a refused submission, a task that raises, or workers that are lost.
    """

    def __init__(self, seed: int, failing: float = 0.0) -> None:
        self.submitted = 0
        self.begun = 0
        self._draw = random.Random(seed)
        self._failing = failing
        self._waiting: list[tuple[Future[Any], Any, tuple[Any, ...]]] = []
        self._lock = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Toy":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._is_closed = True
            self._lock.notify()
        self._thread.join()

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            self.submitted += 1
            if self._draw.random() < self._failing / 3:
                raise Unlucky("refused")
            self._waiting.append((future, function, arguments))
            self._lock.notify()
        return future

    def _run(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._waiting or self._is_closed)
                if not self._waiting:
                    return
                place = self._draw.randrange(len(self._waiting))
                future, function, arguments = self._waiting.pop(place)
                fate = self._draw.random()
            if not future.set_running_or_notify_cancel():
                continue
            self.begun += 1
            try:
                if fate < self._failing / 3:
                    raise Unlucky("the task failed")
                if fate < self._failing * 2 / 3:
                    raise BrokenProcessPool("a process ended")
                result = function(*arguments)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
