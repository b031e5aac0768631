# SPDX-License-Identifier: Apache-2.0
"""The stack of a design with several MAC ports."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bombus.protocols.frames import ECHO_PORT, NO_IP, PROTOCOL_UDP, Host, ipv4, udp
from bombus.protocols.routes import Route, longest
from bombus.protocols.stack import Outcome, Stack


class Ports:
    """The stack of a design with several MAC ports.

    Each port has its own addresses and neighbours, and answers leave by the port on which the
    request arrived (strong host model, RFC 1122 3.3.4.2). ICMP errors are limited for all ports
    together, or, without `share_errors`, for each port, if each has its own stack.
    """

    def __init__(
        self,
        hosts: Sequence[Host],
        udp_ports: Collection[int] = (ECHO_PORT,),
        *,
        share_errors: bool = True,
    ) -> None:
        self.stacks = [Stack(host, udp_ports) for host in hosts]
        self.share_errors = share_errors
        self.routes: Sequence[Route] = ()

    def process(self, frame: bytes, port: int, *, bad: bool = False) -> Outcome:
        """A frame arrives on a port; the replies leave by the same one."""
        stack = self.stacks[port]
        outcome = stack.process(frame, bad=bad)
        if self.share_errors:
            for other in self.stacks:
                other.error_tokens = stack.error_tokens
        return outcome

    def set_routes(self, routes: Sequence[Route]) -> None:
        """The routing table, in the order of its entries."""
        self.routes = routes
        for number, stack in enumerate(self.stacks):
            stack.routes = [route for route in routes if route.port == number]

    def route(self, ip: bytes) -> int:
        """The port for a message that starts in the design (RFC 1122, 3.3.1.1)."""
        hosts = [stack.host for stack in self.stacks]
        if (found := longest(ip, hosts, self.routes)) is None:
            return next((n for n, host in enumerate(hosts) if host.gateway != NO_IP), 0)
        return found[0]

    def send(self, source_port: int, ip: bytes, port: int, payload: bytes) -> tuple[int, Outcome]:
        """Sends a datagram that starts in the design: its MAC port, and the outcome."""
        number = self.route(ip)
        stack = self.stacks[number]
        datagram = udp(stack.host.ip, ip, source_port, port, payload)
        return number, stack.send(ipv4(stack.host.ip, ip, PROTOCOL_UDP, datagram))
