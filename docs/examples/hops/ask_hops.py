# SPDX-License-Identifier: Apache-2.0
"""Asks how many hops away the design is, there and back. Raw sockets need root."""

import socket
import sys

PROTOCOL, TOKEN = 253, b"anybody"

address, ttl = sys.argv[1], int(sys.argv[2])
client = socket.socket(socket.AF_INET, socket.SOCK_RAW, PROTOCOL)
client.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
client.settimeout(5)
client.sendto(TOKEN + b"?", (address, 0))
packet, (source, _) = client.recvfrom(65535)  # includes the IP header
body = packet[4 * (packet[0] & 0xF) :]
assert body[:7] == TOKEN and len(body) == 8
print(f"{source}: {ttl - body[7]} hops there, {255 - packet[8]} hops back")
