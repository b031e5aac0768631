# SPDX-License-Identifier: Apache-2.0
"""Templates of generated files."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from bombus.base import paths
from bombus.base.systemverilog import bits, element, vector
from bombus.base.text import camel_case


@cache  # an environment compiles each template once
def templates(*folders: Path) -> jinja2.Environment:
    """The templates of generated files, including those in further folders."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, paths.TEMPLATES]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    found.filters["camel_case"] = camel_case
    found.globals |= {"vector": vector, "element": element, "bits_of": bits}
    return found
