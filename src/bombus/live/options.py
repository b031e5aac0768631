# SPDX-License-Identifier: Apache-2.0
"""Options of `bombus run` that an application adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bombus.design.resolved import Design
    from bombus.live.software import Software


@dataclass(frozen=True)
class RunOptions:
    """Options with the software that they add to a live run.

    `options`: their annotations by name; all are None by default. `software`: called before the
    build if one of them is given, with the design, the values by name, and a stack that ends with
    the run; returns software for the run, UserError if the options do not suit the design. `bombus
    check` calls it with each file that the design file names.
    `written`: those that name a file that the run makes.
    """

    options: Mapping[str, Any]
    software: Callable[[Design, Mapping[str, Any], ExitStack], Sequence[Software]]
    written: tuple[str, ...] = ()
