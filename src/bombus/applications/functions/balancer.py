# SPDX-License-Identifier: Apache-2.0
"""Software of the layer `load_balancer`: its services, backends and slots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any, TypeVar

from bombus.applications.functions import maglev
from bombus.base.errors import UserError

_NONE = 0xFF  # in a slot
_PROTOCOLS = {"tcp": 6, "udp": 17}
_NAMES = {number: name for name, number in _PROTOCOLS.items()}

T = TypeVar("T")


@dataclass(frozen=True)
class Service:
    """What is balanced. `protocol`: tcp or udp."""

    address: str
    port: int
    protocol: str = "tcp"

    def __post_init__(self) -> None:
        if self.protocol not in _PROTOCOLS:
            raise UserError(f"a service is tcp or udp, not {self.protocol!r}")
        if not 0 < self.port < 1 << 16:
            raise UserError(f"the port of a service is 1 to 65535, not {self.port}")
        _address(self.address)


@dataclass
class Backend:
    """A server. `weight` 0: it drains, that is, keeps its connections and gets no new ones."""

    address: str
    weight: int = 1
    is_up: bool = True


_Numbers = dict[tuple[Service | None, str], int]  # of backends of a service, by address


class LoadBalancer:
    """The tables of a load balancer, written so that no packet sees a mixture of two states.

    `registers`: those of its layer, of a simulation or of a controller. `parameters`: those of the
    layer in the manifest. `secret`: the seed of its hashes, 48 bits; None: as it is. Balancers that
    share clients have the same seed. Methods raise UserError and write nothing if something does
    not fit. Services that the layer has already, as those of another program, stay until the first
    `set`, which keeps the numbers of their backends.
    """

    def __init__(
        self, registers: Any, parameters: Mapping[str, int], *, secret: int | None = None
    ) -> None:
        self._registers = registers
        self._num_services = parameters["num_services"]
        self._num_backends = parameters["num_backends"]
        self._num_slots = parameters["num_slots"]
        self._words = (self._num_slots + 3) // 4
        self.services: dict[Service, list[Backend]] = {}
        self._adopt()
        if secret is not None:
            registers.secret.write(bits=secret)

    def _adopt(self) -> None:
        """Reads what the layer has."""
        self._written: dict[int, int] = {}  # slot words, by their number
        self._upper = bool(self._registers.slots.read()["upper"])
        self._places = self._read_places()  # of services
        # Of backends, by address; those without a slot may be of any service.
        self._numbers: _Numbers = {}
        if not self._places:
            return
        addresses: dict[int, str] = {}
        for number in range(self._num_backends):
            if ip := self._registers.backend[number].read()["ip"]:
                addresses[number] = str(IPv4Address(ip))
        left = dict(addresses)
        for service, place in self._places.items():
            first = self._first_word(place, upper=self._upper)
            for word in range(first, first + self._words):
                for number in self._registers.slot_word[word].read().values():
                    if number in addresses:
                        self._numbers[service, addresses[number]] = number
                        left.pop(number, None)
        self._numbers |= {(None, address): number for number, address in left.items()}

    def _read_places(self) -> dict[Service, int]:
        places = {}
        for place in range(self._num_services):
            fields = self._registers.services[place].service.read()
            protocol = _NAMES.get(fields["protocol"])
            if fields["valid"] and protocol is not None and fields["port"]:
                address = str(IPv4Address(fields["ip"]))
                places[Service(address, fields["port"], protocol)] = place
        return places

    def _first_word(self, place: int, *, upper: bool) -> int:
        return (place + (self._num_services if upper else 0)) * self._words

    def set(self, services: Mapping[Service, Iterable[Backend]]) -> None:
        """Replaces all services and their backends. Connections keep backends that remain."""
        given = {service: list(backends) for service, backends in services.items()}
        if len(given) > self._num_services:
            raise UserError(f"the layer has {self._num_services} services, not {len(given)}")
        if (
            bool(self._registers.slots.read()["upper"]) != self._upper
            or self._read_places() != self._places
        ):
            self._adopt()  # after a reset, or another program has written
        numbers = self._numbered(given)
        places = self._placed(list(given))
        words: dict[int, int] = {}
        upper = not self._upper
        for service, backends in given.items():
            _check(service, backends)
            first = self._first_word(places[service], upper=upper)
            words |= dict(enumerate(self._slot_words(service, backends, numbers), first))
        # Services that end go first: another one may take their slots. Then addresses, slots of the
        # unused half, and the half; new services last.
        for service, place in self._places.items():
            if service not in places:
                self._write_service(place, None)
        for service, backends in given.items():
            for backend in backends:
                self._registers.backend[numbers[service, backend.address]].write(
                    ip=_address(backend.address), up=int(backend.is_up)
                )
        for number, word in words.items():
            if self._written.get(number) != word:
                self._write_word(number, word)
        self._registers.slots.write(upper=int(upper))
        self._upper = upper
        for service, place in places.items():
            if service not in self._places:
                self._write_service(place, service)
        for number in self._numbers.values():
            if number not in numbers.values():
                self._registers.backend[number].write(ip=0, up=0)
        self._numbers, self._places, self.services = numbers, places, given

    def _slot_words(
        self,
        service: Service,
        backends: Iterable[Backend],
        numbers: _Numbers,
    ) -> list[int]:
        weights = {each.address: each.weight for each in backends if each.is_up and each.weight}
        if weights:
            chosen = [numbers[service, name] for name in maglev.slots(weights, self._num_slots)]
        else:
            chosen = [_NONE] * self._num_slots
        chosen += [_NONE] * (-len(chosen) % 4)
        return [
            int.from_bytes(bytes(chosen[n : n + 4]), "little") for n in range(0, len(chosen), 4)
        ]

    def check_health(self, is_healthy: Callable[[Service, Backend], bool]) -> list[Backend]:
        """Asks for the health of every backend, and takes those that changed up or down.

        Returns the changed ones.
        """
        changed = []
        for service, group in self.services.items():
            for backend in group:
                healthy = is_healthy(service, backend)
                if healthy != backend.is_up:
                    backend.is_up = healthy
                    changed.append(backend)
        if changed:
            self.set(self.services)
        return changed

    def _numbered(self, given: Mapping[Service, Iterable[Backend]]) -> _Numbers:
        """A number for each backend of each service, since a server of two can be down for one of
        them only. Those that had a number keep it.
        """
        named = {(service, each.address) for service, group in given.items() for each in group}
        pairs = sorted(named, key=lambda pair: (pair[1], _name(pair[0])))
        wanted: list[tuple[Service | None, str]] = [*pairs]
        if len(wanted) > self._num_backends:
            raise UserError(f"the layer has {self._num_backends} backends, not {len(wanted)}")
        before = dict(self._numbers)
        for pair in wanted:
            if pair not in before and (None, pair[1]) in before:
                before[pair] = before.pop((None, pair[1]))
        return _kept(before, wanted, self._num_backends)

    def _placed(self, services: list[Service]) -> dict[Service, int]:
        return _kept(self._places, services, self._num_services)

    def _write_word(self, number: int, word: int) -> None:
        self._registers.slot_word[number].write(
            **{f"slot{n}": word >> 8 * n & 0xFF for n in range(4)}
        )
        self._written[number] = word

    def _write_service(self, number: int, service: Service | None) -> None:
        register = self._registers.services[number].service
        if service is None:
            register.write(ip=0, port=0, protocol=0, valid=0)
        else:
            register.write(
                ip=_address(service.address),
                port=service.port,
                protocol=_PROTOCOLS[service.protocol],
                valid=1,
            )


def _kept(before: Mapping[Any, int], wanted: Iterable[T], count: int) -> dict[T, int]:
    """Numbers below `count`: those from before, and unused ones. Numbers just given up come last,
    since entries of connections may still have them.
    """
    wanted = list(wanted)
    numbers = {each: before[each] for each in wanted if each in before}
    used = set(before.values())
    free = [n for n in range(count) if n not in used]
    free += sorted(used - set(numbers.values()))
    for each in wanted:
        if each not in numbers:
            numbers[each] = free.pop(0)
    return numbers


def _name(service: Service) -> str:
    return f"{service.address}:{service.port}/{service.protocol}"


def _address(text: str) -> int:
    try:
        return int(IPv4Address(text))
    except ValueError:
        raise UserError(f"{text!r} is not an IPv4 address") from None


def _check(service: Service, backends: Iterable[Backend]) -> None:
    seen = set()
    for backend in backends:
        if backend.address in seen:
            raise UserError(f"{_name(service)}: backend {backend.address} is named twice")
        seen.add(backend.address)
        if _address(backend.address) == _address(service.address):
            raise UserError(f"{_name(service)}: a backend has its own address, for ARP")
        if backend.weight < 0:
            raise UserError(f"{_name(service)}: weight of {backend.address} is below 0")
