# SPDX-License-Identifier: Apache-2.0
"""The web server of the live page: a process of its own.

`python -m bombus.applications.control.web.server SOCKET FD [DESIGN]`: the run's control socket
and a listening socket.

Its standard input has one line, the key for changes, and stays open as long as the run: at its end
the process ends, too.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from bombus.applications.control.web import page, serving
from bombus.applications.control.web.hub import Hub
from bombus.applications.control.web.source import RunSource, Source


def serve(source: Source, key: str, listener: socket.socket) -> None:
    """Serves the page on a listening socket until the process is ended."""
    hub = Hub(source, key)
    tasks = (hub.run(), hub.read_latencies())
    serving.serve(source.manifest["name"], lambda: page.build(hub), tasks, listener)


def main() -> None:
    control, number, *designs = sys.argv[1:]
    key = serving.first_line()
    source = RunSource(Path(control), *map(Path, designs))
    serve(source, key, socket.socket(fileno=int(number)))


if __name__ == "__main__":
    main()
