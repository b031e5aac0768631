# SPDX-License-Identifier: Apache-2.0
"""Metrics of a running design for Prometheus: names and units by its conventions.

Every scrape reads the design. `bombus_up` is 0 if it does not answer then.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from bombus.applications.control.controller import Controller
from bombus.applications.control.sockets import reason
from bombus.applications.control.tcp_sessions import engines, state_name
from bombus.base.errors import UserError
from bombus.base.extras import extra

with extra("bombus ctl export", "prometheus_client", "control"):
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
    from prometheus_client.registry import Collector

_UNITS = {"messages": "Messages", "frames": "Frames", "bytes": "Bytes"}


class DesignCollector(Collector):
    """Metrics of a design. `further`: called at each scrape, such as for the latencies of a log."""

    def __init__(
        self, controller: Controller, further: Callable[[], Iterable[Metric]] = lambda: ()
    ) -> None:
        self._controller, self._further = controller, further
        self._lock = threading.Lock()  # scrapes come from several threads

    def describe(self) -> Iterable[Metric]:
        """Nothing: the design is not read before the first scrape."""
        return ()

    def collect(self) -> Iterator[Metric]:
        labels = {"design": str(self._controller.manifest["name"])}
        up = GaugeMetricFamily("bombus_up", "Whether the design answers.", labels=list(labels))
        with self._lock:
            try:
                metrics = [*self._counters(), *self._sessions(), *self._further()]
            except UserError:
                metrics = []
                up.add_metric(list(labels.values()), 0)
            else:
                up.add_metric(list(labels.values()), 1)
        yield up
        yield from metrics

    def _counters(self) -> Iterator[Metric]:
        families: dict[str, CounterMetricFamily] = {}
        for tile, values in self._controller.counters().items():
            for counter, value in values.items():
                name, text, labels = metric_of(counter)
                found = families.get(name)
                if found is None:
                    found = CounterMetricFamily(name, text, labels=["tile", *labels])
                    families[name] = found
                found.add_metric([tile, *labels.values()], value)
        yield from families.values()

    def _sessions(self) -> Iterator[Metric]:
        if not engines(self._controller):
            return
        counts: dict[tuple[str, str], int] = {}
        for tile, _, fields in self._controller.sessions():
            state = state_name(fields["state"]).lower().replace("-", "_")
            counts[tile, state] = counts.get((tile, state), 0) + 1
        found = GaugeMetricFamily(
            "bombus_tcp_sessions", "Sessions of the TCP engine.", labels=["tile", "state"]
        )
        for (tile, state), count in counts.items():
            found.add_metric([tile, state], count)
        yield found


def metric_of(counter: str) -> tuple[str, str, dict[str, str]]:
    """Name, description and labels of a counter's metric; the library adds `_total`."""
    kind, _, rest = counter.partition(".")
    if kind in ("drop", "event"):
        layer, _, reason = rest.rpartition(".")
        what = "reason" if kind == "drop" else "event"
        text = "Messages dropped." if kind == "drop" else "Events of layers."
        return f"bombus_{kind}s", text, {"layer": layer, what: reason}
    *side, way, unit = counter.split("_")
    network = "_".join(side[1:])
    direction = "received" if way == "in" else "transmitted"
    where = f"at the {'MAC port' if side[0] == 'mac' else 'mesh'}"
    name = f"bombus_{side[0]}_{direction}_{unit}"
    return (
        name,
        f"{_UNITS[unit]} {direction} {where}.",
        {"network": network} if side[0] == "noc" else {},
    )


@contextmanager
def serve(
    controller: Controller,
    address: str = "127.0.0.1",
    port: int = 9464,
    further: Callable[[], Iterable[Metric]] = lambda: (),
) -> Iterator[str]:
    """Serves /metrics meanwhile; yields address and port."""
    registry = CollectorRegistry()
    registry.register(DesignCollector(controller, further))
    try:
        server, thread = start_http_server(port, address, registry)
    except OSError as error:
        raise UserError(f"{address}:{port}: {reason(error, address)}") from None
    try:
        yield f"{address}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
