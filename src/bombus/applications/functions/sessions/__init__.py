# SPDX-License-Identifier: Apache-2.0
"""An open connection of the TCP engine as data, taken out of one engine and put into another.

    session = export(registers, manifest, carrier, own_port=7, peer=("10.77.0.9", 40000))
    document = session.to_json()
    ...  # packets of the peer now go to the other stack
    restore(registers, manifest, carrier, Session.from_json(document))

The design has a `tcp_handover` in both directions: while a connection moves, this program, the
carrier, takes the place of its peer. docs/applications/functions/sessions.md has the steps.
`registers` and `manifest`: of a `Controller` or of a `Simulation`.
"""

from bombus.applications.functions.sessions.carrier import Carrier, Port, on_interface
from bombus.applications.functions.sessions.document import Session, SessionError
from bombus.applications.functions.sessions.exporting import export, release
from bombus.applications.functions.sessions.importing import restore

__all__ = [
    "Carrier",
    "Port",
    "Session",
    "SessionError",
    "export",
    "on_interface",
    "release",
    "restore",
]
