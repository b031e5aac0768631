# SPDX-License-Identifier: Apache-2.0
"""What a client has to know about a design: its manifest, and for the analysis its design file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bombus.applications.control.messages import Key
from bombus.base.errors import UserError
from bombus.design.facts import Facts

KEY_VARIABLE, KEY_FILE_VARIABLE = "BOMBUS_KEY", "BOMBUS_KEY_FILE"
_KEY_BYTES = 16


@dataclass(frozen=True)
class Description:
    """A design. `facts`: those of the design file; None: only the manifest is known."""

    manifest: Mapping[str, Any]
    facts: Facts | None = None


def describe(given: Path | str | Mapping[str, Any]) -> Description:
    """A design by its design file, its generated folder or manifest."""
    if isinstance(given, Mapping):
        return Description(given)
    path = Path(given)
    if path.suffix in (".yaml", ".yml"):
        from bombus.analysis.check import check
        from bombus.generation.manifest import manifest

        facts, _ = check(path, allow_deadlock=True)
        return Description(manifest(facts), facts)
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    for file in files:
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise UserError(f"{file}: {error.strerror}") from None
        except ValueError:
            continue
        if isinstance(found, dict) and "registers" in found and "tiles" in found:
            return Description(found)
    raise UserError(f"{path}: is neither a design file nor a generated folder or its manifest")


def parse_key(text: str, source: str) -> Key:
    """A key: 32 hexadecimal digits, the first byte first, or a number as in the design file
    (`0x...`, the first byte lowest); `2:` before it is the number of a key in the registers.
    """
    number, colon, digits = text.strip().rpartition(":")
    try:
        if digits.lower().startswith("0x"):
            secret = int(digits, 16).to_bytes(_KEY_BYTES, "little")
        else:
            secret = bytes.fromhex(digits)
        if len(secret) != _KEY_BYTES or not any(secret):
            raise ValueError
        return Key(secret, int(number)) if colon else Key(secret)
    except (ValueError, OverflowError):
        raise UserError(
            f"{source}: should be a key of 32 hexadecimal digits, perhaps after its number and a "
            "colon"
        ) from None


def find_key(file: Path | None) -> Key:
    """The key in a file, or else of the environment; none: requests are not sealed."""
    if file is None and (text := os.environ.get(KEY_VARIABLE)):
        return parse_key(text, KEY_VARIABLE)
    if file is None and (name := os.environ.get(KEY_FILE_VARIABLE)):
        file = Path(name)
    if file is None:
        return Key(None)
    try:
        return parse_key(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
