# SPDX-License-Identifier: Apache-2.0
"""The witnesses of a simulated design, each beside its model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from bombus.applications.vr.messages import Mode, RecoveryResponse, SetUp
from bombus.applications.vr.model import Address, Limits, Witness
from bombus.base.errors import UserError
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.frames import Exchange, Frame
from bombus.simulator.simulation import Simulation

KIND = "vr_witness"
HEADERS = 42  # Ethernet, IPv4, UDP
FIRST_PORT = 9000  # of replica 0; the others follow
CLIENT_PORT = 40000
Message = tuple[int, bytes]  # port of the shard, datagram


class Witnesses:
    """Drives all witnesses of a design. All replicas have the address of the station."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        manifest = simulation.manifest
        self.host = Host.from_manifest(manifest)
        self.station = neighbour(manifest)
        self.models: dict[int, Witness] = {}
        for tile in manifest["tiles"]:
            for layer in tile["layers"]:
                if layer["kind"] == KIND:
                    self.models[layer["params"]["udp_port"]] = Witness(_limits(layer["params"]))
        if not self.models:
            raise UserError(f"{manifest['name']} has no layer of kind {KIND}")
        self.errors = 0  # datagrams that are wrong, missing or unexpected
        self.checked = 0

    @property
    def ports(self) -> list[int]:
        return list(self.models)

    def join(self, count: int = 3, nonce: int = 1) -> None:
        """All witnesses recover into view 0 of a new group, with empty logs."""
        introduce(self.simulation, self.station)
        ip = int.from_bytes(self.station.ip)
        for port in self.ports:
            messages = [
                SetUp(mode=Mode.ADDRESS, slot=slot, ip=ip, port=FIRST_PORT + slot)
                for slot in range(count)
            ]
            messages.append(SetUp(mode=Mode.RECOVER, index=1, count=count, nonce=nonce))
            self.exchange([(port, message.encode()) for message in messages])
            answers = [RecoveryResponse(1, n, nonce, 0, 0, 0, 0) for n in range(0, count, 2)]
            self.exchange([(port, answer.encode()) for answer in answers])

    def exchange(self, messages: Sequence[Message], window: int = 0) -> Exchange:
        """Sends messages back to back; compares the replies of each witness with its model's."""
        frames = [
            udp_frame(self.station, self.host, data, port=port, source_port=CLIENT_PORT)
            for port, data in messages
        ]
        source = Address(int.from_bytes(self.station.ip), CLIENT_PORT)
        expected: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
        for port, data in messages:
            sent = self.models[port].handle(data, source)
            expected[port] += [(each.to.port, each.data) for each in sent]
        number = sum(map(len, expected.values()))
        result = self.simulation.exchange(frames, window=window, expected=number)
        self._compare(expected, result.received)
        return result

    def _compare(
        self, expected: dict[int, list[tuple[int, bytes]]], received: Iterable[Frame]
    ) -> None:
        found: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
        for frame in received:
            source, to, length = (int.from_bytes(frame.data[n : n + 2]) for n in (34, 36, 38))
            found[source].append((to, frame.data[HEADERS : HEADERS + length - 8]))
        for port in expected.keys() | found.keys():
            got, wanted = found[port], expected[port]
            self.checked += len(wanted)
            self.errors += abs(len(got) - len(wanted))
            self.errors += sum(a != b for a, b in zip(got, wanted, strict=False))


def _limits(params: dict[str, Any]) -> Limits:
    names = (field.name for field in fields(Limits))
    return Limits(**{name: params[name] for name in names if name in params})
