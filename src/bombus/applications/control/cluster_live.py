# SPDX-License-Identifier: Apache-2.0
"""The live page beside `bombus cluster run` (`bombus.base.extensions`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bombus.applications.control.web.child import DEFAULT_ADDRESS

if TYPE_CHECKING:
    from bombus.applications.control.cluster_web.child import Page


def page(calls: Mapping[str, Callable[..., Any]], address: str | None = None) -> Page:
    """Serves the page at ADDRESS:PORT while it is open; to be called with the cluster.

    `calls`: of the run's control socket.
    """
    from bombus.applications.control.cluster_web.child import Page

    return Page(address or DEFAULT_ADDRESS, calls)
