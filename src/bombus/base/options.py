# SPDX-License-Identifier: Apache-2.0
"""Options that commands of the platform and of features share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

JsonOption = Annotated[
    Path | None,
    typer.Option(
        "--json",
        metavar="FILE",
        help="Write JSON to this file. `-` prints only JSON, to standard output.",
    ),
]
