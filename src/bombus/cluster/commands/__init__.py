# SPDX-License-Identifier: Apache-2.0
"""`bombus cluster`, one module per subcommand."""

from __future__ import annotations

import typer

from bombus.base.commands import Command, Group
from bombus.cluster.commands.advise import advise
from bombus.cluster.commands.counters import counters
from bombus.cluster.commands.routes import routes
from bombus.cluster.commands.run import run

cluster = typer.Typer(cls=Group, help="Work on many boards as one.", no_args_is_help=True)
for command in (run, counters, advise, routes):
    cluster.command(cls=Command)(command)

COMMANDS = {"cluster": cluster}
