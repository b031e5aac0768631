# SPDX-License-Identifier: Apache-2.0
"""Health of the backends of a load balancer: probes, and what follows from them."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event

from bombus.applications.functions.balancer import Backend, LoadBalancer, Service
from bombus.base.errors import UserError

Probe = Callable[[Service, Backend], bool]

_WORKERS = 32  # probes at the same time


def connects(service: Service, backend: Backend, *, timeout_s: float = 1.0) -> bool:
    """Whether the backend accepts a TCP connection to the service's port at its own address."""
    try:
        with socket.create_connection((backend.address, service.port), timeout=timeout_s):
            return True
    except OSError:
        return False


def pings(_: Service, backend: Backend, *, timeout_s: int = 1) -> bool:
    """Whether the backend answers ICMP echo, by the program `ping`."""
    command = ["ping", "-n", "-q", "-c", "1", "-W", str(timeout_s), backend.address]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        raise UserError("ping is not installed") from None


@dataclass
class _State:
    weight: int  # while healthy
    failures: int = 0  # in a row
    successes: int = 0  # in a row, after a failure


class Health:
    """Probes backends in rounds, and takes those that fail out of a load balancer.

    After the first failure, a backend drains: it gets no new connections. After `fall` failures in
    a row it is down, and its connections move. After `rise` successes in a row it has its weight
    again. Services and backends are those of `balancer` at the time of a round; a backend that is
    new, or whose weight software has changed, counts as healthy.
    """

    def __init__(
        self, balancer: LoadBalancer, probe: Probe = connects, *, fall: int = 3, rise: int = 2
    ) -> None:
        if fall < 1 or rise < 1:
            raise UserError(f"fall and rise are at least 1, not {fall} and {rise}")
        self._balancer = balancer
        self._probe = probe
        self._fall, self._rise = fall, rise
        self._states: dict[tuple[Service, str], _State] = {}

    def check(self) -> list[Backend]:
        """One round. Returns the backends that were changed."""
        pairs = [
            (service, backend)
            for service, group in self._balancer.services.items()
            for backend in group
        ]
        if not pairs:
            return []
        with ThreadPoolExecutor(min(_WORKERS, len(pairs))) as pool:
            answers = list(pool.map(lambda pair: self._probe(*pair), pairs))
        states: dict[tuple[Service, str], _State] = {}
        changed = []
        for (service, backend), is_healthy in zip(pairs, answers, strict=True):
            key = service, backend.address
            state = self._states.get(key)
            if state is None or backend.weight != (0 if state.failures else state.weight):
                state = _State(backend.weight)
            states[key] = state
            if self._judge(state, backend, is_healthy=is_healthy):
                changed.append(backend)
        self._states = states
        if changed:
            self._balancer.set(self._balancer.services)
        return changed

    def _judge(self, state: _State, backend: Backend, *, is_healthy: bool) -> bool:
        """Counts an answer; returns whether it changes the backend."""
        before = (backend.weight, backend.is_up)
        if not is_healthy:
            state.failures += 1
            state.successes = 0
            backend.weight = 0
            backend.is_up = backend.is_up and state.failures < self._fall
        elif state.failures or not backend.is_up:
            state.successes += 1
            if state.successes >= self._rise:
                state.failures = state.successes = 0
                backend.weight, backend.is_up = state.weight, True
        return (backend.weight, backend.is_up) != before

    def run(self, interval_s: float = 5.0, stop: Event | None = None) -> None:
        """Rounds until `stop` is set; None: without end."""
        stop = stop or Event()
        while not stop.is_set():
            self.check()
            stop.wait(interval_s)
