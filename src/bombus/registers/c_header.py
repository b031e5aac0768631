# SPDX-License-Identifier: Apache-2.0
"""The register map as a C header, by PeakRDL-cheader."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from peakrdl_cheader.exporter import CHeaderExporter

from bombus.registers.model import Block
from bombus.registers.rdl import compile_text
from bombus.registers.secrets import secret_words


def c_header(files: Iterable[Path], text: str, name: str, root: Block) -> str:
    """A struct of the map `name`, and masks of all fields; for C11 and C++11. `root`: the same map.

    If layers have secrets, also a function that fills them.
    """
    with tempfile.TemporaryDirectory() as folder:
        header = Path(folder) / f"{name}_registers.h"
        CHeaderExporter().export(compile_text(files, text, name), str(header))
        exported = header.read_text()
    words = list(secret_words(root))
    before, end, after = exported.rpartition("#ifdef __cplusplus")
    return before + (_secrets(name, words) if words else "") + end + after


def _secrets(name: str, words: Sequence[int]) -> str:
    addresses = ", ".join(f"{address:#x}" for address in words)
    return f"""// Fills the secrets of the layers, after reset and before traffic.
// random_word: returns 32 bits of a cryptographic source.
static inline void {name}_write_secrets(volatile {name}_t *registers,
                                        uint32_t (*random_word)(void)) {{
  static const uint32_t offsets[] = {{{addresses}}};
  for (uint32_t n = 0; n < {len(words)}; ++n)
    ((volatile uint32_t *)registers)[offsets[n] / 4] = random_word();
}}

"""
