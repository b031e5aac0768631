# SPDX-License-Identifier: Apache-2.0
"""The model of the witness on a UDP socket; the argument is its address, such as 127.0.0.1:7001."""

from __future__ import annotations

import socket
import sys
import time

from bombus.applications.vr.model import Address, Sent, Witness

TICK_SECONDS = 0.001


def main() -> None:
    witness = Witness()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        host, _, own_port = sys.argv[1].partition(":")
        connection.bind((host, int(own_port)))
        connection.settimeout(TICK_SECONDS)

        def send(sent: list[Sent]) -> None:
            for each in sent:
                ip = socket.inet_ntoa(each.to.ip.to_bytes(4))
                connection.sendto(each.data, (ip, each.to.port))

        while True:
            send(witness.elapse(time.monotonic_ns() // 1000))
            try:
                data, (ip, port) = connection.recvfrom(1 << 16)
            except TimeoutError:
                continue
            source = Address(int.from_bytes(socket.inet_aton(ip)), port)
            send(witness.handle(data, source))


if __name__ == "__main__":
    main()
