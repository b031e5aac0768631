# SPDX-License-Identifier: Apache-2.0
"""Health of backends: draining, falling, rising, and the probes themselves."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterable, Mapping
from threading import Event
from typing import cast

import pytest

from bombus.applications.functions.balancer import Backend, LoadBalancer, Service
from bombus.applications.functions.health import Health, connects, pings
from bombus.base.errors import UserError

WEB, DNS = Service("10.0.0.1", 80), Service("10.0.0.1", 53, "udp")


class Balancer:
    """Keeps what is set."""

    def __init__(self, services: Mapping[Service, list[Backend]]) -> None:
        self.services = dict(services)
        self.writes = 0

    def set(self, services: Mapping[Service, Iterable[Backend]]) -> None:
        self.services = {service: list(group) for service, group in services.items()}
        self.writes += 1


def test_a_backend_drains_falls_and_rises() -> None:
    one, two, other = Backend("10.0.1.1", 3), Backend("10.0.1.2"), Backend("10.0.1.1")
    balancer = Balancer({WEB: [one, two], DNS: [other]})
    sick: set[tuple[Service, str]] = {(WEB, one.address)}
    health = Health(
        cast("LoadBalancer", balancer),
        lambda service, backend: (service, backend.address) not in sick,
        fall=3,
        rise=2,
    )
    states = []
    for _ in range(4):
        health.check()
        states.append((one.weight, one.is_up))
    assert states == [(0, True), (0, True), (0, False), (0, False)]
    assert balancer.writes == 2
    # One success between failures is not enough.
    for answers in ((True, False), (True, True)):
        for healthy in answers:
            sick = set() if healthy else {(WEB, one.address)}
            health.check()
    assert (one.weight, one.is_up) == (3, True)
    assert balancer.writes == 3
    assert not health.check()
    assert (two.weight, two.is_up, other.weight, other.is_up) == (1, True, 1, True)


def test_backends_that_come_and_drain() -> None:
    """Software that drains a backend, or gives it another weight, has the last word."""
    one = Backend("10.0.1.1", 2)
    balancer = Balancer({WEB: [one]})
    sick = False
    health = Health(cast("LoadBalancer", balancer), lambda *_: not sick, fall=2, rise=1)
    health.check()
    one.weight = 0
    assert not health.check() and one.weight == 0
    for failing in (True, True, False):
        sick = failing
        health.check()
        assert one.weight == 0
    assert one.is_up
    one.weight = 5
    sick = True
    assert health.check() == [one] and one.weight == 0 and one.is_up
    assert health.check() == [one] and not one.is_up
    sick = False
    assert health.check() == [one] and one.weight == 5 and one.is_up
    balancer.set({})
    assert health.check() == []
    with pytest.raises(UserError, match="at least 1"):
        Health(cast("LoadBalancer", balancer), fall=0)


def test_rounds_until_stopped() -> None:
    stop, rounds = Event(), 0

    def probe(*_: object) -> bool:
        nonlocal rounds
        rounds += 1
        if rounds == 3:
            stop.set()
        return True

    health = Health(cast("LoadBalancer", Balancer({WEB: [Backend("10.0.1.1")]})), probe)
    health.run(0.001, stop)
    assert rounds == 3


def test_probes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        service = Service("10.0.0.1", server.getsockname()[1])
        assert connects(service, Backend("127.0.0.1"))
    assert not connects(service, Backend("127.0.0.1"))
    if shutil.which("ping") is None:
        pytest.skip("ping is not installed")
    assert pings(service, Backend("127.0.0.1"))
    assert not pings(service, Backend("0.0.0.1"))
