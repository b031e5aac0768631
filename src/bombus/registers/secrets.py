# SPDX-License-Identifier: Apache-2.0
"""Secrets of layers: registers named `secret`, which software fills with random words after reset.

Layers use them as keys of hashes over what strangers choose (addresses, ports). They are write
only, so that nothing that reads registers learns them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bombus.registers.items import Port
from bombus.registers.model import SECRET, WORD_BITS, WORD_BYTES, Block
from bombus.registers.plain import from_plain


def secret_words(block: Block, base: int = 0) -> Iterator[int]:
    """Addresses of the words of all secrets in a block that starts at `base`, in order."""
    for member in block.members:
        for number in range(member.count or 1):
            start = base + member.offset + number * member.stride
            if isinstance(member, Block):
                yield from secret_words(member, start)
            elif member.name == SECRET:
                yield from range(start, start + member.type.bytes, WORD_BYTES)


def write_secrets(
    manifest: Mapping[str, Any],
    port: Port,
    word: Callable[[], int] = lambda: secrets.randbits(WORD_BITS),
) -> None:
    """Fills all secrets of a generated design, after its reset and before traffic.

    `word` returns the next random word of 32 bits; without it they are from the system's source.
    """
    for address in secret_words(from_plain(manifest["registers"])):
        port.write_register(address, word())
