# SPDX-License-Identifier: Apache-2.0
"""Parameters that a module cannot work with: elaboration fails, and the message says why."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

import pyslang
import pytest
from pyslang import ast, syntax

from bombus.base import paths
from bombus.design import rtl

# Types for modules that work for the width of some data, by name and bits.
TYPES = {f"data_{bits}_t": bits for bits in (32, 192, 1024)}
FIELDS = "logic last; logic [13:0] length; logic [6:0] bytes; logic [9:0] index;"

# Bad values by module: each must be refused, by the module or by what it consists of.
BAD: dict[str, list[dict[str, object]]] = {
    "arp": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"QueueDepth": 12}],
    "arp_cache": [
        {"NumSets": 1},
        {"NumSets": 48},
        {"NumWays": 1},
        {"NumWays": 3},
        {"PortBits": 3},
        {"MaxAgeS": 501},
        {"RenewS": 300},
    ],
    "arp_questions": [
        {"NumSets": 1},
        {"NumSets": 48},
        {"NumWays": 1},
        {"NumWays": 3},
        {"PortBits": 3},
        {"NumBlocks": 32},
        {"MaxPackets": 0},
        {"RetryS": 34},
        {"MaxTries": 0},
    ],
    "arp_receive": [{"NumMacPorts": 0}, {"NumMacPorts": 4}],
    "arp_resolver": [
        {"NumBindings": 32},
        {"NumBindings": 100},
        {"MaxAgeS": 60},
        {"QueueBytes": 8192},
        {"QueueBytes": 20000},
    ],
    "arp_send": [{"NumMacPorts": 0}, {"NumMacPorts": 4}],
    "async_fifo": [{"Depth": 12}, {"Depth": 2}],
    "axi_stream_checker": [{"DataWidth": 0}, {"DataWidth": 12}],
    "block_fifo": [{"Depth": 12}, {"Depth": 1}],
    "bound_hop": [{"NumBound": 0}, {"HopWidth": 0}, {"HopWidth": 9}],
    "by_mac_port": [{"NumMacPorts": 0}, {"NumMacPorts": 4}],
    "completions": [{"NumEnds": 0}],
    "count_crossing": [{"Width": 1}, {"SyncStages": 1}],
    "chacha_block": [{"Rounds": 0}, {"Rounds": 7}],
    "counter_bank": [{"NumStreams": 0}, {"NumEvents": 0}, {"Width": 16}],
    "crc32": [{"DataBytes": 4}, {"DataBytes": 24}],
    "crc_hash": [{"HashWidth": 0}, {"HashWidth": 9}, {"DataWidth": 0}],
    "crosspoint_input": [{"Input": 5}, {"MaxPacket": 0}, {"Depth": 24}],
    "crosspoint_output": [{"NumLanes": 0}, {"MaxPacket": 0}],
    "dispatch": [{"Group": "'0"}],
    "drop_register": [{"NumDrops": 0}, {"NextWidth": 0}],
    "ejection": [{"NumSinks": 0}],
    "engine_checksum": [{"Engine": 16}, {"NumBound": 0}],
    "engine_count": [{"Engine": 16}, {"NumBound": 0}],
    "engine_encrypt": [{"Engine": 16}, {"NumBound": 0}, {"Rounds": 7}],
    "engine_exit": [{"Port": 3}, {"Engine": 3}],
    "engine_forward": [{"Engine": 16}, {"NumBound": 0}, {"NumMacPorts": 0}, {"NumMacPorts": 4}],
    "engine_hash": [{"Engine": 16}, {"NumBound": 0}],
    "engine_output": [{"Engine": 16}, {"NumBound": 0}, {"BoundKeys": 1}],
    "engine_parser": [{"NumBound": 0}],
    "eth_rx": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumBound": 0}],
    "eth_tx": [
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
        {"NumBound": 0},
        {"NumBindings": 100},
        {"MaxAgeS": 60},
        {"QueueBytes": 20000},
    ],
    "flight_gate": [{"Window": 149}, {"FlitBytes": 48}, {"CountWidth": 10}],
    "flight_meter": [{"NumSources": 0}, {"NumReturns": 0}],
    "flight_pool": [{"NumSources": 0}, {"NumReturns": 0}, {"CountWidth": 1}],
    "flight_returns": [{"NumSinks": 0}, {"CountWidth": 1}],
    "flight_window": [{"CountWidth": 1}],
    "frame_buffer": [{"Depth": 12}, {"Depth": 1}],
    "frame_crossing": [
        {"DataWidth": 12},
        {"MaxBytes": 0},
        {"Depth": 128},
        {"Depth": 500},
        {"SyncStages": 1},
    ],
    "frame_sum": [{"DataBytes": 4}, {"DataBytes": 24}, {"DataBytes": 128}],
    "head_fifo": [{"Depth": 12}, {"Depth": 128}],
    "icmp_echo": [{"BurstErrors": 0}, {"RefillShift": 32}],
    "injection": [{"NumSources": 0}],
    "ipv4_rx": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumBound": 0}],
    "ipv4_tx": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumRoutes": 17}],
    "laned_queue": [{"NumLanes": 3}, {"Depth": 96}, {"Depth": 2}],
    "layer_checker": [{"NumInputs": 0}, {"NumOutputs": 0}],
    "least_loaded": [{"NumReplicas": 0}, {"LoadWidth": 1}],
    "least_recent": [{"NumInputs": 0}],
    "link_checker": [{"VirtualChannels": 0}],
    "mac_clock_crossing": [{"DataWidth": 12}, {"MaxBytes": 0}, {"Depth": 500}, {"SyncStages": 1}],
    "mac_route": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumRoutes": 17}],
    "mac_rx": [{"MacPort": 3}, {"DataWidth": 32}, {"DataWidth": 192}, {"DataWidth": 1024}],
    "mac_tx": [
        {"MacPort": 3},
        {"NumMacPorts": 4},
        {"DataWidth": 32},
        {"DataWidth": 192},
        {"DataWidth": 1024},
    ],
    "memory_buffer": [
        {"Slots": 3},
        {"Slots": 1},
        {"BurstBeats": 3},
        {"BurstBeats": 512},
        {"AddrWidth": 19},
        {"BaseAddress": 8192},
        {"BaseAddress": "64'h1_0000_0000"},
        {"BaseAddress": "64'hffff_c000"},
        {"BaseAddress": "64'hffff_ffff_ffff_c000", "AddrWidth": 64},
    ],
    "mesh": [{"Columns": 0}, {"Rows": 257}],
    "network_interface": [{"NumSources": 0}, {"NumSinks": 0}, {"NumHops": 3}, {"NumHops": 0}],
    "ones_compressor": [{"NumTerms": 0}],
    "output_stage": [{"NextWidth": 0}],
    "packet_trimmer": [{"tagged_t": "data_32_t"}, {"tagged_t": "data_192_t"}],
    "prepend": [{"HeaderBytes": 0}],
    "queue_lane": [{"Depth": 12}, {"Depth": 2}],
    "register_table": [{"NumEntries": 0}],
    "replica_choice": [{"NumGroups": 0}, {"NumSlots": 3}, {"NumSlots": 512}],
    "reset_handshake": [{"SyncStages": 1}],
    "round_robin": [{"NumInputs": 1}],
    "route_table": [{"NumEntries": 3}, {"NumEntries": 0}, {"NumReads": 0}],
    "router": [
        {"Turns": "'0", "Fabric": "noc_pkg::FabricCrosspoint"},
        {"MaxPacket": 0},
        {"Routing": "noc_pkg::RoutingAdaptive"},
        {"Lossless": 0},
        {"Depth": 12},
    ],
    "router_crosspoint": [{"Ports": "'0"}, {"Depth": 12}, {"Depth": 16}],
    "router_virtual_channels": [{"Ports": "'0"}, {"VirtualChannels": 3}, {"Depth": 2}],
    "router_wormhole": [{"Ports": "'0"}, {"Depth": 12}],
    "rs_encode": [{"DataShards": 0}, {"Matrix": 3}],
    "rs_parity_row": [{"NumBytes": 0}, {"Depth": 0}],
    "service_order": [{"NumInputs": 0}],
    "stream_checker": [{"NextWidth": 0}, {"NumKinds": 0}, {"NumHops": 0}],
    "stream_merge": [{"NumInputs": 0}],
    "strip": [{"HeaderBytes": 0}],
    "synchroniser": [{"Stages": 1}],
    "tag_inserter": [{"DataWidth": 32}, {"DataWidth": 192}],
    "tag_remover": [{"DataWidth": 32}, {"DataWidth": 192}],
    "tcp_arrival": [{"RingBytes": 512}, {"RingBytes": 3000}, {"OwnMss": 63}, {"OwnMss": 9000}],
    "tcp_congestion": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"MaxWindow": 1000},
    ],
    "tcp_core": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"SendBytes": 512},
        {"SendBytes": 3000},
        {"ReceiveBytes": 512},
        {"ReceiveBytes": 3000},
        {"OwnMss": 63},
        {"OwnMss": 9000},
        {"DelayAckUs": 0},
        {"DelayAckUs": 500000},
        {"TimeWaitUs": 0},
        {"MaxBackoff": 0},
        {"MaxBackoff": 13},
        {"LeastTimeoutUs": 0},
    ],
    "tcp_departure": [{"RingBytes": 512}, {"RingBytes": 3000}, {"OwnScale": 15}],
    "tcp_round_trip": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"LeastUs": 0},
        {"LeastUs": 2000000},
        {"InitialUs": 70000000},
        {"MostUs": 67108864},
    ],
    "tcp_transmit_queue": [{"NumSessions": 1}, {"NumSessions": 48}, {"NumSessions": 32768}],
    "tcp_wishes": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"RingBytes": 512},
        {"RingBytes": 3000},
    ],
    "udp_echo": [{"UdpPort": 0}, {"UdpPort": 65536}],
    "udp_relay": [{"UdpPort": 0}, {"UdpPort": 65536}, {"ToPort": 0}, {"ToPort": 65536}],
    "udp_rx": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumBound": 0}],
    "udp_tx": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumRoutes": 17}],
    "vc_choice": [{"NumLanes": 0}],
    "vc_input": [{"Input": 5}, {"VirtualChannels": 0}],
    "vc_output": [{"NumInputs": 0}, {"NumChannels": 0}],
    "waiting_packets": [{"NumBlocks": 1}, {"NumBlocks": 48}, {"beat_t": "data_1024_t"}],
}

# Modules that work with all values of their parameters, with the reason.
FREE: dict[str, str] = {}


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
    types = (
        f"typedef struct packed {{logic [{bits - 1}:0] data; {FIELDS}}} {name};"
        for name, bits in TYPES.items()
    )
    text = f"module probe; {' '.join(types)} {module} #({given}) u (); endmodule"
    compilation.addSyntaxTree(syntax.SyntaxTree.fromText(text, manager, "probe"))
    engine = pyslang.DiagnosticEngine(manager)
    messages = map(engine.formatMessage, compilation.getAllDiagnostics())
    return [message for message in messages if message.startswith("$error encountered")]


@pytest.mark.parametrize("module", BAD)
def test_bad_values_are_refused(module: str) -> None:
    assert said(module, {}) == []
    for values in BAD[module]:
        assert said(module, values), values


def test_every_module_is_considered() -> None:
    """A module with parameters other than types refuses bad values, or works with all."""
    declared = {
        file.stem
        for file in paths.RTL.rglob("*.sv")
        if re.search(r"^ *parameter +(?!type\b)\w", file.read_text().split("\n);")[0], re.MULTILINE)
        and not file.stem.endswith("_pkg")
    }
    assert declared - BAD.keys() - FREE.keys() == set()
    assert not BAD.keys() & FREE.keys()
