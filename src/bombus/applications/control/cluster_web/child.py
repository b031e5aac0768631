# SPDX-License-Identifier: Apache-2.0
"""The live page beside a running cluster: its process, and the socket that connects them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bombus.applications.control.web import child


class Page(child.Page):
    """Starts the page's process when it is first called with a cluster, serves it at each call.

    `calls`: of the run's control socket.
    """

    server = "bombus.applications.control.cluster_web.server"

    def __init__(self, address: str, calls: Mapping[str, Callable[..., Any]]) -> None:
        super().__init__(address)
        self.calls = calls

    def told(self, key: str) -> str:
        return f"page: {child.url(self._listener)}, in some seconds"
