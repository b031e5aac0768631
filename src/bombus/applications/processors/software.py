# SPDX-License-Identifier: Apache-2.0
"""Software of a live run that loads a program into all packet processors."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from bombus.applications.processors import image
from bombus.applications.processors.image import Image
from bombus.applications.processors.load import check
from bombus.applications.processors.processors import processors
from bombus.base.errors import UserError
from bombus.live.software import Software
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation


def keep_loaded(file: Path) -> Software:
    """Software for a live run: all packet processors run this program, and are reloaded one by one,
    without loss, when the file changes.

    While the file cannot be loaded, for instance because it is being written, the old program
    continues; standard error tells once why.
    """
    loaded = _version(file)
    first: Image | None = image.read(file)  # a bad file is reported before the run starts
    told = ""

    def software(simulation: Simulation) -> None:
        nonlocal loaded, first, told
        if first is not None:
            for processor in processors(simulation):
                check(processor.registers, first)
                processor.put(first)
                processor.boot()
            first = None
        try:
            found = _version(file)
            if found == loaded:
                told = ""
                return
            program = image.read(file)
            for processor in processors(simulation):
                check(processor.registers, program)
        except UserError as error:
            if told != str(error):
                told = str(error)
                sys.stderr.write(f"{error}\nThe old program continues.\n")
            return
        for processor in processors(simulation):
            with suppress(SimulationError):  # for a program that hangs
                processor.reload(program)
        loaded, told = found, ""

    return software


def _version(file: Path) -> tuple[int, ...]:
    """Changes with the file: writes in quick succession may leave the same time."""
    try:
        status = file.stat()
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror or error}") from None
    return status.st_mtime_ns, status.st_size, status.st_ino
