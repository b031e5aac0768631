# SPDX-License-Identifier: Apache-2.0
"""Progress messages of long steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from bombus.base.console import new_console

INTERVAL = 30.0  # seconds between two progress lines without a terminal


@contextmanager
def step(console: Console | None, text: str) -> Iterator[None]:
    """Shows progress (default: on standard error): a spinner on a terminal, otherwise one line at
    the start and one every 30 seconds.
    """
    console = console or new_console(stderr=True)
    if console.is_terminal:
        with console.status(text):
            yield
        return
    console.print(text, markup=False)
    done = threading.Event()

    def tell() -> None:
        started = time.monotonic()
        while not done.wait(INTERVAL):
            passed = time.monotonic() - started
            console.print(f"{text}: {passed:.0f} s so far", markup=False)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
