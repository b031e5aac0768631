# SPDX-License-Identifier: Apache-2.0
"""Deferred Ctrl-C: SIGINT takes effect only at points that wait for it.

A sweep that is stopped must close its workers and its file in order. So an
interrupt counts only while the sweep waits for results; one that comes at another
time counts at the next such wait.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterable, Iterator
from multiprocessing import resource_tracker
from types import FrameType
from typing import TypeVar

Item = TypeVar("Item")


class Interrupts:
    """Holds back Ctrl-C (SIGINT) inside its `with` block.

    In threads other than the main one, which gets no signals, it does nothing.
    """

    def __init__(self) -> None:
        self._came = False
        self._counts = False
        self._in_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Interrupts:
        if self._in_main:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._in_main:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        if self._counts:
            self._counts = False
            raise KeyboardInterrupt

    def until_stopped(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yields the items; raises KeyboardInterrupt if Ctrl-C arrived before or arrives while
        waiting for an item.
        """
        iterator = iter(items)
        while True:
            try:
                self._counts = True
                if self._came:
                    raise KeyboardInterrupt
                item = next(iterator)
            except StopIteration:
                return
            finally:
                self._counts = False
            yield item


@contextlib.contextmanager
def deaf_children() -> Iterator[None]:
    """Processes and threads started inside, and their children, do not see SIGINT."""
    resource_tracker.ensure_running()  # it unblocks the signal when it starts, so start it now
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def orderly_end() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP raise an exception, so that the program can clean up.

    Handlers set by others, and ignored signals, are left alone. In threads other than the main one,
    which gets no signals, it does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    changed = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) == signal.SIG_DFL
    ]
    for number in changed:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
