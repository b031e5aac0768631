# SPDX-License-Identifier: Apache-2.0
"""The web server of a cluster's live page: a process of its own.

`python -m bombus.applications.control.cluster_web.server SOCKET FD`: the run's control socket and a
listening socket. Its standard input has one line, a key that this page does not need, and stays
open as long as the run: at its end the process ends, too.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from bombus.applications.control.cluster_web import page
from bombus.applications.control.cluster_web.hub import Hub
from bombus.applications.control.web import serving
from bombus.live.control import request


def main() -> None:
    control, number = sys.argv[1:]
    serving.first_line()
    hub = Hub(lambda call, arguments=(): request(Path(control), call, arguments))
    listener = socket.socket(fileno=int(number))
    serving.serve(hub.overview["name"], lambda: page.build(hub), [hub.run()], listener)


if __name__ == "__main__":
    main()
