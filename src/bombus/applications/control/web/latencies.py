# SPDX-License-Identifier: Apache-2.0
"""Latencies for the page, from the packet logs after `mac_rx` and before `mac_tx`.

The logs are read over UDP at the address of the design, a few of the newest entries at a time.
Reading them adds packets, which are not counted. So logs that stop when they are full are not read.
"""

from __future__ import annotations

import time
from collections import Counter
from ipaddress import IPv4Address

from bombus.applications.control.web.source import Source
from bombus.applications.logs.entries import PACKET
from bombus.applications.logs.latency import certain
from bombus.applications.logs.messages import LogError
from bombus.applications.logs.places import LogPlace, logs_of
from bombus.applications.logs.printing import packets
from bombus.applications.logs.reading import Fetched, UdpPort, fetch
from bombus.protocols.frames import ETHERNET_BYTES, PROTOCOL_UDP

_ENTERED, _LEFT = "eth_rx", "mac_tx"  # the layers that the logs precede
_MOST = 64  # entries that are read of each log at once
_TIMEOUT_S = 0.05
_RETRY_S = 10.0  # after a log that did not answer, or that is no ring


class Latencies:
    """Cycles between both logs, of answers to UDP, ping and ARP. `error`: of the last reading."""

    def __init__(self, source: Source) -> None:
        self._source = source
        facts = source.controller.description.facts
        logs = logs_of(facts.design) if facts else []
        self._ports = {each.port for each in logs}
        self._logs = {each.before: each for each in logs if each.kind == PACKET}
        self._next: dict[str, int] = {}
        self._seen = 0  # cycle of the newest answer that was counted
        self._retry = 0.0
        self.error = ""

    def __bool__(self) -> bool:
        return {_ENTERED, _LEFT} <= self._logs.keys()

    def read(self) -> Counter[int]:
        """Latencies that were not returned before, by cycles."""
        if not self or time.monotonic() < self._retry:
            return Counter()
        try:
            host = IPv4Address(self._source.controller.registers.host[0].ip.address)
            entries = {
                name: packets(self._logs[name], self._fetched(str(host), self._logs[name]))
                for name in (_ENTERED, _LEFT)
            }
        except LogError as error:
            self.error, self._retry = str(error), time.monotonic() + _RETRY_S
            return Counter()
        self.error = ""
        found = certain(entries[_ENTERED], entries[_LEFT])
        new = [each for each in found if each.answer.stamp.cycle > self._seen]
        self._seen = max([self._seen, *(each.answer.stamp.cycle for each in new)])
        return Counter(each.cycles for each in new if not self._is_reading(each.request.head))

    def _fetched(self, host: str, place: LogPlace) -> Fetched:
        """A part of a log. After a reset of the design, it begins again."""
        with UdpPort(host, place.port, _TIMEOUT_S) as port:
            if not fetch(port, place, most=0).state.ring:
                raise LogError(
                    f"{place.name} stops when it is full, so the page does not read it: set `ring` "
                    "of its log_store, a parameter and a field of the register `control`"
                )
            found = fetch(port, place, most=_MOST)
        if found.state.next < self._next.get(place.name, 0):
            self._seen = 0
        self._next[place.name] = found.state.next
        return found

    def _is_reading(self, head: bytes) -> bool:
        """Whether a packet asks for an entry of a log."""
        start = ETHERNET_BYTES + 4 * (head[ETHERNET_BYTES] & 15)
        to = int.from_bytes(head[start + 2 : start + 4])
        return head[12:14] == b"\x08\x00" and head[23] == PROTOCOL_UDP and to in self._ports
