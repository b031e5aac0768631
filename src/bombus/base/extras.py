# SPDX-License-Identifier: Apache-2.0
"""Optional dependencies: one message for a missing extra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from bombus.base.errors import UserError


@contextmanager
def extra(command: str, library: str, name: str) -> Iterator[None]:
    """For imports: raises a UserError that names the extra to install if the library is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] == "bombus":
            raise
        raise UserError(f"{command} needs {library}: pip install 'bombus[{name}]'") from None


def require(module: str, command: str, library: str, name: str) -> None:
    """The same for a module that another process imports."""
    with extra(command, library, name):
        if find_spec(module) is None:
            raise ModuleNotFoundError(name=module)
