# SPDX-License-Identifier: Apache-2.0
"""Asks the service for the capitals of a text: any program with sockets would do."""

import socket
import sys

address, text = sys.argv[1:]
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(5)
client.sendto(text.encode(), (address, 1007))
print(client.recv(65535).decode())
