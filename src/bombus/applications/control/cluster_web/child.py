# SPDX-License-Identifier: Apache-2.0
"""The live page beside a running cluster: its process, and the socket that connects them."""

from __future__ import annotations

from bombus.applications.control.web import child
from bombus.cluster.live_calls import CALLS


class Page(child.Page):
    """Starts the page's process when it is first called with a cluster, serves it at each call."""

    server = "bombus.applications.control.cluster_web.server"
    calls = CALLS

    def told(self, key: str) -> str:
        return f"page: {child.url(self._listener)}"
