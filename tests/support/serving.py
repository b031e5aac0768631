# SPDX-License-Identifier: Apache-2.0
"""The control socket of a run, served by a thread, as a run does."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bombus.applications.processors.control import Control


@contextmanager
def served_at(path: Path, simulation: Any) -> Iterator[Control]:
    """The socket is there from the start to the end of the block."""
    with Control(path) as control:
        control(simulation)
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                control(simulation)
                time.sleep(0.001)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield control
        finally:
            ended.set()
            thread.join()
