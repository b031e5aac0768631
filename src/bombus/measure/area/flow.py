# SPDX-License-Identifier: Apache-2.0
"""From sources to a mapped netlist, each step cached by content.

A module is synthesised as a whole: `synth_xilinx -family xcup -flatten -noiopad`. A design is
composed: each of its tiles goes through the same passes up to the mapping of LUTs by itself
(Yosys's word-level passes take a time that grows faster than the netlist), several at once; then
the tiles are joined, flattened, cleaned, and mapped to LUTs as one netlist, so that the mapper
sees every path between tiles.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bombus.base.cache import cached_directory, content_key
from bombus.base.extras import require
from bombus.measure.area import synthesis
from bombus.measure.area.sources import Part, Sources, file_list

_FILE_LIST = "area.f"
_PART = "part.il"
GATES = "gates.json"  # the netlist before it is mapped to LUTs; both compressed when kept
NETLIST = "netlist.json"
_COMPRESSION = 3  # to a twentieth
_STATISTICS = "statistics.json"
_DELAY = "delay.json"
# After joining: removes constants across tiles, unread logic, duplicate gates and registers.
_CLEAN = ("opt_expr -mux_undef -noclkinv", "opt_clean", "opt_merge", "opt_dff -simple-dffe")


@dataclass(frozen=True)
class Mapped:
    """A netlist mapped to cells of UltraScale+."""

    folder: Path
    top: str

    @property
    def cells(self) -> dict[str, int]:
        """Number of cells by type."""
        statistics = json.loads((self.folder / _STATISTICS).read_text())
        cells: dict[str, int] = statistics["design"]["num_cells_by_type"]
        return cells

    @property
    def delay_ps(self) -> int | None:
        """The mapper's own estimate of the longest path; None if there is no logic."""
        delay: int | None = json.loads((self.folder / _DELAY).read_text())
        return delay

    def module(self, name: str) -> dict[str, Any]:
        """The top module of a netlist in Yosys's JSON: `GATES` or `NETLIST`."""
        netlist = json.loads(gzip.decompress((self.folder / f"{name}.gz").read_bytes()))
        module: dict[str, Any] = netlist["modules"][self.top]
        return module


def _synth(top: str, steps: str) -> str:
    """The passes of `synth_xilinx` from one label to before another."""
    return f"synth_xilinx -family xcup -flatten -noiopad -top {top} -run {steps}"


def _write_json(top: str, name: str) -> list[str]:
    return [f"select {top}", f"write_json -selected {name}", "select -clear"]


def _write(part: Part, folder: Path) -> None:
    for name, text in {**part.files, _FILE_LIST: file_list(part)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _key(part: Part, passes: Sequence[str]) -> str:
    texts = [version("pyosys"), *passes, file_list(part)]
    return content_key([*texts, *(text for pair in part.files.items() for text in pair)], [])


def _part(part: Part) -> tuple[str, Path]:
    """The key of a part and its netlist of gates and flip-flops, in RTLIL."""
    passes = [
        f"read_slang -F {_FILE_LIST} --top {part.module}",
        _synth(part.module, "begin:map_luts"),
        f"select {part.module}",
        f"write_rtlil -selected {_PART}",
    ]
    key = _key(part, passes)

    def make(folder: Path) -> None:
        _write(part, folder)
        synthesis.run(passes, folder, part.module)

    return key, cached_directory(f"area/part-{key}", make) / _PART


def _in_parallel(parts: Sequence[Part]) -> list[tuple[str, Path]]:
    """`_part` of each, in parallel on all processors."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        try:
            return list(pool.map(_part, parts))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def mapped(sources: Sources) -> Mapped:
    """The mapped netlist, from the cache if possible."""
    require("pyosys", "bombus area", "Yosys", "area")
    parts = _in_parallel(sources.parts)
    modules = [part.module for part in sources.parts]
    top = sources.top
    black_boxes = [f"--blackboxed-module {module}" for module in modules]
    passes = [
        " ".join([f"read_slang -F {_FILE_LIST} --top {top}", *black_boxes]),
        _synth(top, "begin:map_luts"),
    ]
    for module, (_, netlist) in zip(modules, parts, strict=True):
        passes += [f"delete {module}", f"read_rtlil {netlist}"]
    if parts:
        passes += ["flatten", *_CLEAN]
    passes += [
        *_write_json(top, GATES),
        "scratchpad -set abc9.verify 0",  # the mapper's proof of its own correctness
        _synth(top, "map_luts:"),
        f"tee -o {_STATISTICS} stat -json",
        *_write_json(top, NETLIST),
    ]
    reads = {f"read_rtlil {netlist}": f"read_rtlil {key}" for key, netlist in parts}
    key = _key(sources.whole, [reads.get(each, each) for each in passes])

    def make(folder: Path) -> None:
        _write(sources.whole, folder)
        log = synthesis.run(passes, folder, top)
        # ABC reports the delay of each of its mappings; the last one counts. Later passes still
        # move LUTs into enables and resets of flip-flops, which ABC does not know.
        delays = re.findall(r"^ABC:.*Del = *([0-9]+(?:[.][0-9]+)?)", log, re.MULTILINE)
        delay = round(float(delays[-1])) if delays else None
        (folder / _DELAY).write_text(json.dumps(delay), encoding="utf-8")
        for name in (GATES, NETLIST):
            compressed = gzip.compress((folder / name).read_bytes(), _COMPRESSION)
            (folder / f"{name}.gz").write_bytes(compressed)
            (folder / name).unlink()

    return Mapped(cached_directory(f"area/{key}", make), top)
