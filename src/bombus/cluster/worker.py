# SPDX-License-Identifier: Apache-2.0
"""A rank on this machine: `python -m bombus.cluster.worker CONNECTION MEMORY`, two file
descriptors.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from multiprocessing.connection import Connection

from bombus.base.errors import UserError
from bombus.cluster.rank import serve
from bombus.cluster.shared import SharedOther
from bombus.cluster.transport import RankError


def main() -> None:
    """Serves rank 0 until it ends."""
    connection, memory = (int(argument) for argument in sys.argv[1:])
    transport = SharedOther(Connection(connection), memory)
    with suppress(RankError, BrokenPipeError, KeyboardInterrupt):
        try:
            serve(transport, transport.setup)
        except UserError as error:
            transport.send(0, ("error", error, 0))
            raise
    transport.close()


if __name__ == "__main__":
    main()
