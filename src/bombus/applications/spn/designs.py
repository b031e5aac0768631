# SPDX-License-Identifier: Apache-2.0
"""Design files around a compiled layer, one for each transport."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bombus.applications.spn.compiler import Compiled
from bombus.base.output import write
from bombus.base.templates import templates

HOST: Mapping[str, Any] = {"mac": "02:b0:0b:05:00:01", "ip": "10.77.0.2", "prefix": 24}
MAX_TCP_BYTES = 8192  # of a message


def write_design(
    found: Compiled,
    folder: Path,
    *,
    data_width: int = 512,
    clock_mhz: float = 250,
    line_rate_gbps: float = 100,
    host: Mapping[str, Any] = HOST,
) -> Path:
    """Writes NAME_design.yaml, with the layer as the tile `network` on the transport that it has
    been compiled for. `host`: the address in the form of design files.
    """
    environment = templates(Path(__file__).parent / "templates")
    text = environment.get_template(f"{found.transport}.yaml.j2").render(
        name=found.name,
        sources=[os.path.relpath(file, folder) for file in found.files],
        data_width=data_width,
        clock_mhz=clock_mhz,
        line_rate_gbps=line_rate_gbps,
        host=dict(host),
        udp_port=found.udp_port,
        max_bytes=MAX_TCP_BYTES,
    )
    file = folder / f"{found.name}_design.yaml"
    write(file, text)
    return file
