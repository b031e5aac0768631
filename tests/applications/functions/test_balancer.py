# SPDX-License-Identifier: Apache-2.0
"""Software of the load balancer, on a model of its registers."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from typing import Any

from bombus.applications.functions.balancer import Backend, LoadBalancer, Service
from bombus.applications.functions.health import Health

WEB, DNS = Service("10.0.0.1", 80), Service("10.0.0.1", 53, "udp")
ONE, TWO, THREE = "10.0.1.1", "10.0.1.2", "10.0.1.3"
PARAMETERS = {"num_services": 2, "num_backends": 6, "num_slots": 13}
WORDS = 4  # of slots, by service
NONE = 0xFF


class Register:
    def __init__(self, **fields: int) -> None:
        self.fields = fields

    def write(self, **fields: int) -> None:
        assert fields.keys() <= self.fields.keys()
        self.fields.update(fields)

    def read(self) -> dict[str, int]:
        return dict(self.fields)


class Entry:
    def __init__(self) -> None:
        self.service = Register(ip=0, port=0, protocol=0, valid=0)


class Slots(Register):
    @property
    def upper(self) -> int:
        return self.fields["upper"]


class SlotWord(Register):
    """`is_live`: new connections read it."""

    def __init__(self, layer: Layer, number: int) -> None:
        super().__init__(slot0=0, slot1=0, slot2=0, slot3=0)
        self._layer, self._number = layer, number

    def write(self, **fields: int) -> None:
        super().write(**fields)
        half, place = divmod(self._number // WORDS, PARAMETERS["num_services"])
        is_valid = self._layer.services[place].service.fields["valid"]
        assert not (is_valid and half == self._layer.slots.upper), "a slot in use is written"


class Layer:
    """The registers after a reset."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.secret = Register(bits=0)
        self.slots = Slots(upper=0)
        self.services = [Entry() for _ in range(PARAMETERS["num_services"])]
        self.backend = [Register(ip=0, up=0) for _ in range(PARAMETERS["num_backends"])]
        self.slot_word = [SlotWord(self, n) for n in range(2 * 2 * WORDS)]

    def numbers(self, service: Service) -> Iterator[int]:
        """The numbers in the slots of a service, those of backends that are down left out."""
        (place,) = (
            n
            for n, each in enumerate(self.services)
            if each.service.fields["valid"]
            and each.service.fields["ip"] == _ip(service.address)
            and each.service.fields["port"] == service.port
        )
        first = (place + self.slots.upper * PARAMETERS["num_services"]) * WORDS
        for word in self.slot_word[first : first + WORDS]:
            for number in word.fields.values():
                if number != NONE and self.backend[number].fields["up"]:
                    yield number

    def backends(self, service: Service) -> set[str]:
        """Addresses that new connections of a service get."""
        return {str(IPv4Address(self.backend[n].fields["ip"])) for n in self.numbers(service)}


def opened(layer: Any) -> LoadBalancer:
    return LoadBalancer(layer, PARAMETERS, secret=1)


def test_a_server_of_two_services_is_down_for_one() -> None:
    layer = Layer()
    balancer = opened(layer)
    balancer.set({WEB: [Backend(ONE), Backend(TWO)], DNS: [Backend(ONE), Backend(TWO)]})
    of_web, of_dns = set(layer.numbers(WEB)), set(layer.numbers(DNS))
    assert len(of_web | of_dns) == 4
    for sick, other in ((WEB, DNS), (DNS, WEB)):

        def probe(service: Service, backend: Backend, sick: Service = sick) -> bool:
            return (service, backend.address) != (sick, ONE)

        Health(balancer, probe, fall=1).check()
        assert layer.backends(sick) == {TWO}
        assert layer.backends(other) == {ONE, TWO}
        # Connections of the other service keep the backend.
        downs = {n for n in of_web | of_dns if not layer.backend[n].fields["up"]}
        assert len(downs) == 1 and downs < (of_web if sick is WEB else of_dns)
        balancer.set({service: [Backend(ONE), Backend(TWO)] for service in (WEB, DNS)})


def test_another_program_goes_on() -> None:
    """It writes no slot in use, and the backends keep their numbers, those that drain too."""
    layer = Layer()
    group = [Backend(ONE), Backend(TWO)]
    opened(layer).set({WEB: group, DNS: [Backend(THREE)]})
    draining = next(n for n, each in enumerate(layer.backend) if each.fields["ip"] == _ip(TWO))
    before = [each.read() for each in layer.backend]
    for _ in range(3):
        balancer = opened(layer)
        assert layer.backends(WEB) == {each.address for each in group if each.weight}
        group[1].weight = 0
        balancer.set({WEB: group, DNS: [Backend(THREE)]})
        assert layer.backends(WEB) == {ONE}
        assert [each.read() for each in layer.backend] == before
    assert layer.backend[draining].fields["up"]
    opened(layer).set({DNS: [Backend(THREE)]})
    assert layer.backends(DNS) == {THREE}
    assert [each.service.fields["valid"] for each in layer.services].count(1) == 1
    assert [bool(each.fields["ip"]) for each in layer.backend].count(True) == 1


def test_a_reset_between() -> None:
    """All is written again, also if the half of the slots is the same."""
    layer = Layer()
    balancer = opened(layer)
    for times in (1, 2):
        for _ in range(times):
            balancer.set({WEB: [Backend(ONE), Backend(TWO)]})
        layer.reset()
        balancer.set({WEB: [Backend(ONE), Backend(TWO)]})
        assert layer.backends(WEB) == {ONE, TWO}


def _ip(address: str) -> int:
    return int(IPv4Address(address))
