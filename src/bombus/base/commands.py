# SPDX-License-Identifier: Apache-2.0
"""Classes of commands and groups of commands for the command line."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


def _without_flag_types(parameters: list[Any]) -> list[Any]:
    """Flags take no value, so the help should not show a type for them."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


class Command(TyperCommand):
    """A subcommand."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_flag_types(super().get_params(ctx))


class Group(TyperGroup):
    """`bombus` itself, or a group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_flag_types(super().get_params(ctx))
