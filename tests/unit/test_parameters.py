# SPDX-License-Identifier: Apache-2.0
"""Parameters that a module cannot work with: elaboration fails, and the message says why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pyslang
import pytest
from pyslang import ast, syntax

from bombus.design import rtl

# Bad values by module: each must be refused, by the module or by what it consists of.
BAD: dict[str, list[dict[str, object]]] = {
    "async_fifo": [{"Depth": 12}, {"Depth": 2}],
    "block_fifo": [{"Depth": 12}, {"Depth": 1}],
    "bound_hop": [{"NumBound": 0}, {"HopWidth": 0}, {"HopWidth": 9}],
    "completions": [{"NumEnds": 0}],
    "count_crossing": [{"Width": 1}, {"SyncStages": 1}],
    "crc_hash": [{"HashWidth": 0}, {"HashWidth": 9}, {"DataWidth": 0}],
    "crosspoint_output": [{"NumLanes": 0}, {"MaxPacket": 0}],
    "dispatch": [{"Group": "'0"}],
    "drop_register": [{"NumDrops": 0}, {"NextWidth": 0}],
    "ejection": [{"NumSinks": 0}],
    "flight_window": [{"CountWidth": 1}],
    "frame_buffer": [{"Depth": 12}, {"Depth": 1}],
    "frame_sum": [{"DataBytes": 2}, {"DataBytes": 24}, {"DataBytes": 128}],
    "head_fifo": [{"Depth": 12}, {"Depth": 128}],
    "icmp_echo": [{"BurstErrors": 0}, {"RefillShift": 32}],
    "injection": [{"NumSources": 0}, {"HopWidth": 0}],
    "laned_queue": [{"NumLanes": 3}, {"Depth": 96}, {"Depth": 2}],
    "least_loaded": [{"NumReplicas": 0}, {"LoadWidth": 1}],
    "least_recent": [{"NumInputs": 0}],
    "memory_buffer": [
        {"Slots": 3},
        {"Slots": 1},
        {"BurstBeats": 3},
        {"BurstBeats": 512},
        {"AddrWidth": 19},
        {"BaseAddress": 8192},
    ],
    "mesh": [{"Columns": 0}, {"Rows": 257}],
    "ones_sum": [{"NumTerms": 3}, {"NumTerms": 0}],
    "output_stage": [{"NextWidth": 0}],
    "prepend": [{"HeaderBytes": 0}],
    "queue_lane": [{"Depth": 12}, {"Depth": 2}],
    "replica_choice": [{"NumGroups": 0}, {"NumSlots": 3}, {"NumSlots": 512}],
    "reset_handshake": [{"SyncStages": 1}],
    "round_robin": [{"NumInputs": 1}],
    "route_table": [{"NumEntries": 3}, {"NumEntries": 0}],
    "router_crosspoint": [{"Ports": "'0"}, {"Depth": 12}, {"Depth": 16}],
    "router_virtual_channels": [{"Ports": "'0"}, {"VirtualChannels": 3}, {"Depth": 2}],
    "router_wormhole": [{"Ports": "'0"}, {"Depth": 12}],
    "rs_encode": [{"DataShards": 0}, {"Matrix": 3}],
    "rs_parity_row": [{"NumBytes": 0}, {"Depth": 0}],
    "stream_merge": [{"NumInputs": 0}],
    "strip": [{"HeaderBytes": 0}],
    "synchroniser": [{"Stages": 1}],
    "udp_echo": [{"UdpPort": 0}, {"UdpPort": 65536}],
    "vc_choice": [{"NumLanes": 0}],
    "vc_input": [{"Input": 5}, {"VirtualChannels": 0}],
    "vc_output": [{"NumInputs": 0}, {"NumChannels": 0}],
}


@cache
def sources() -> tuple[pyslang.SourceManager, list[syntax.SyntaxTree]]:
    """All of rtl/, parsed once."""
    manager = pyslang.SourceManager()
    for folder in rtl.include_dirs():
        manager.addUserDirectories(str(folder))
    files = map(str, rtl.rtl_files())
    return manager, [syntax.SyntaxTree.fromFile(file, manager, pyslang.Bag()) for file in files]


def said(module: str, values: Mapping[str, object]) -> list[str]:
    """What modules say by `$error` when one is elaborated with these values."""
    manager, trees = sources()
    given = ", ".join(f".{name}({value})" for name, value in values.items())
    options = ast.CompilationOptions()
    options.topModules = {"probe"}
    compilation = ast.Compilation(pyslang.Bag([options]))
    for tree in trees:
        compilation.addSyntaxTree(tree)
    text = f"module probe; {module} #({given}) u (); endmodule"
    compilation.addSyntaxTree(syntax.SyntaxTree.fromText(text, manager, "probe"))
    engine = pyslang.DiagnosticEngine(manager)
    messages = map(engine.formatMessage, compilation.getAllDiagnostics())
    return [message for message in messages if message.startswith("$error encountered")]


@pytest.mark.parametrize("module", BAD)
def test_bad_values_are_refused(module: str) -> None:
    assert said(module, {}) == []
    for values in BAD[module]:
        assert said(module, values), values
