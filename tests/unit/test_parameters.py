# SPDX-License-Identifier: Apache-2.0
"""Parameters that a module cannot work with: elaboration fails, and the message says why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pyslang
import pytest
from pyslang import ast, syntax

from bombus.design import rtl

# Types for modules that work for the width of some data, by name and bits.
TYPES = {f"data_{bits}_t": bits for bits in (32, 192, 1024)}
# Modules that need beats of packets to be elaborated without errors.
PACKETS = ("dispatch", "icmp_echo", "memory_buffer", "ring_write")
FIELDS = "logic last; logic [13:0] length; logic [6:0] bytes; logic [9:0] index;"


def group(replicas: int, first_slot: int = 0, slot_bits: int = 0) -> str:
    """A group of replicas."""
    numbers = f"8'd{replicas}, 8'd{first_slot}, 4'd{slot_bits}"
    return f"noc_pkg::group_t'('{{noc_pkg::RoundRobin, noc_pkg::FlowMeta, {numbers}}})"


# Places past the rim of a mesh, and meshes that are not within 256 x 256.
OUTSIDE: list[dict[str, object]] = [
    {"X": 4, "Columns": 4},
    {"Y": 4, "Rows": 4},
    {"X": 1, "FirstX": 2},
    {"Y": 1, "FirstY": 2},
    {"Columns": 0},
    {"Rows": 0},
    {"Columns": 257},
    {"Rows": 257},
    {"FirstX": 1},
    {"FirstY": 1},
]

# Of the tables and the store of rule_matcher.
ROWS: list[dict[str, object]] = [{"Rows": 128}, {"Rows": 300}, {"Rows": 32768}]
WORDS: list[dict[str, object]] = [{"WordWidth": 3}, {"WordWidth": 17}]

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
        {"ManyBlocks": 256},
    ],
    "arp_receive": [{"NumMacPorts": 0}, {"NumMacPorts": 4}],
    "arp_resolver": [
        {"NumBindings": 32},
        {"NumBindings": 100},
        {"MaxAgeS": 60},
        {"NumQuestions": 2},
        {"NumQuestions": 48},
        {"QueueBytes": 8192},
        {"QueueBytes": 20000},
        {"PortBits": 3},
    ],
    "arp_send": [{"NumMacPorts": 0}, {"NumMacPorts": 4}],
    "async_fifo": [{"Depth": 12}, {"Depth": 2}, {"SyncStages": 1}],
    "axi_stream_checker": [{"DataWidth": 0}, {"DataWidth": 12}],
    "block_fifo": [{"Depth": 12}, {"Depth": 1}],
    "bound_hop": [{"NumBound": 0}, {"HopWidth": 0}, {"HopWidth": 9}, {"BoundHops": "8'd2"}],
    "by_mac_port": [{"NumMacPorts": 0}, {"NumMacPorts": 4}],
    "byte_rotate": [{"NumBytes": 4}, {"NumBytes": 24}, {"NumBytes": 128}],
    "completions": [{"NumEnds": 0}, {"NumOthers": 17}],
    "count_crossing": [{"Width": 1}, {"SyncStages": 1}],
    "chacha_block": [{"Rounds": 0}, {"Rounds": 7}],
    "counter_bank": [{"NumStreams": 0}, {"NumEvents": 0}, {"Width": 16}],
    "crc32": [{"DataBytes": 4}, {"DataBytes": 24}],
    "crc_hash": [{"HashWidth": 0}, {"HashWidth": 9}, {"DataWidth": 0}],
    "crosspoint_input": [{"Input": 5}, {"MaxPacket": 0}, {"Depth": 24}],
    "crosspoint_output": [{"NumLanes": 0}, {"MaxPacket": 0}],
    "dispatch": [
        {"Group": "'0"},
        {"Group": group(1)},
        {"Group": group(3, slot_bits=1)},
        {"Group": group(1, slot_bits=9)},
    ],
    "drop_register": [{"NumDrops": 0}, {"NextWidth": 0}],
    "ejection": [{"NumSinks": 0}, {"NumKinds": 0}],
    "engine_checksum": [
        {"Engine": 16},
        {"NumBound": 0},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "engine_count": [{"Engine": 16}, {"NumBound": 0}, {"NumBoundHops": 512}, {"BoundHops": "8'd2"}],
    "engine_encrypt": [
        {"Engine": 16},
        {"NumBound": 0},
        {"Rounds": 7},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "engine_exit": [{"Port": 3}, {"Engine": 3}],
    "engine_forward": [
        {"Engine": 16},
        {"NumBound": 0},
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "engine_hash": [{"Engine": 16}, {"NumBound": 0}, {"NumBoundHops": 512}, {"BoundHops": "8'd2"}],
    "engine_output": [
        {"Engine": 16},
        {"NumBound": 0},
        {"BoundKeys": 1},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "engine_parser": [{"NumBound": 0}, {"NumBoundHops": 512}, {"BoundHops": "8'd2"}],
    "eth_rx": [
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
        {"NumBound": 0},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "eth_tx": [
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
        {"NumBound": 0},
        {"NumBindings": 100},
        {"MaxAgeS": 60},
        {"NumQuestions": 48},
        {"QueueBytes": 20000},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "flight_gate": [{"Window": 149}, {"FlitBytes": 48}, {"CountWidth": 10}],
    "flight_meter": [{"NumSources": 0}, {"NumReturns": 0}],
    "flight_pool": [{"NumSources": 0}, {"NumReturns": 0}, {"CountWidth": 1}],
    "flight_returns": [
        {"NumSinks": 0},
        {"CountWidth": 1},
        {"PortWidth": 0},
        {"NumSinks": 3, "PortWidth": 1},
    ],
    "flight_window": [{"CountWidth": 1}, {"CountWidth": 4, "Longest": 16}],
    "frame_buffer": [{"Depth": 12}, {"Depth": 1}],
    "frame_crossing": [
        {"DataWidth": 12},
        {"MaxBytes": 0},
        {"Depth": 128},
        {"Depth": 500},
        {"SyncStages": 1},
        {"StartBeats": 513},
    ],
    "frame_sum": [{"DataBytes": 4}, {"DataBytes": 24}, {"DataBytes": 128}],
    "free_list": [{"NumNumbers": 1}, {"NumNumbers": 12}],
    "head_fifo": [{"Depth": 12}, {"Depth": 128}],
    "icmp_echo": [
        {"BurstErrors": 0},
        {"RefillShift": 25},
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
        {"Delay": 17},
    ],
    "injection": [{"NumSources": 0}],
    "ipv4_rx": [
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
        {"NumBound": 0},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "ipv4_tx": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumRoutes": 17}],
    "siphash": [{"DataWidth": 63}, {"DataWidth": 121}],
    "keyed_hash": [{"DataWidth": 0}, {"HashWidth": 0}],
    "laned_queue": [{"NumLanes": 3}, {"Depth": 96}, {"Depth": 2}],
    "layer_checker": [{"NumInputs": 0}, {"NumOutputs": 0}],
    "least_loaded": [{"NumReplicas": 0}, {"LoadWidth": 1}],
    "least_recent": [{"NumInputs": 0}],
    "link_checker": [{"VirtualChannels": 0}, {"Output": 5}],
    "mac_clock_crossing": [
        {"DataWidth": 12},
        {"MaxBytes": 0},
        {"Depth": 500},
        {"SyncStages": 1},
        {"TxStartBeats": 513},
    ],
    "mac_route": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumRoutes": 17}],
    "frame_loop": [{"MacPort": 3}, {"DataWidth": 32}, {"DataWidth": 192}, {"DataWidth": 1024}],
    "frame_rx": [{"MacPort": 3}, {"DataWidth": 32}, {"DataWidth": 192}, {"DataWidth": 1024}],
    "ip_blacklist": [{"Stages": 1}, {"Stages": 17}, {"DataWidth": 256}],
    "frame_store": [{"DataWidth": 32}, {"DataWidth": 192}, {"DataWidth": 1024}],
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
        {"DataWidth": 32},
        {"DataWidth": 192},
        {"DataWidth": 2048},
        {"DataWidth": 0},
    ],
    "mesh": [
        {"Columns": 0},
        {"Rows": 257},
        {"Depth": 12},
        {"Fabric": "noc_pkg::FabricCrosspoint", "MaxPacket": 0},
        {"Fabric": "noc_pkg::FabricVirtualChannels", "VirtualChannels": 0},
    ],
    "network_interface": [
        {"NumSources": 0},
        {"NumSinks": 0},
        {"NumHops": 3},
        {"NumHops": 0},
        {"NumKinds": 0},
        *OUTSIDE,
        {"NumGroups": 1, "NumSlots": 3},
        {"NumGroups": 1, "Groups": "'0"},
        {"NumGroups": 257},
    ],
    "ones_compressor": [{"NumTerms": 0}],
    "output_stage": [{"NextWidth": 0}],
    "packet_trimmer": [{"tagged_t": "data_32_t"}, {"tagged_t": "data_192_t"}],
    "prepend": [{"HeaderBytes": 0}],
    "queue_lane": [{"Depth": 12}, {"Depth": 2}],
    "register_table": [{"NumEntries": 0}],
    "replica_choice": [
        {"NumGroups": 0},
        {"NumSlots": 3},
        {"NumSlots": 512},
        {"NumSlots": 4, "Groups": group(2, first_slot=1, slot_bits=1)},
        {"NumSlots": 4, "Groups": group(2, first_slot=4, slot_bits=1)},
        {"NumSlots": 4, "Groups": group(3, slot_bits=1)},
        *OUTSIDE,
    ],
    "reset_handshake": [{"SyncStages": 1}],
    "ring_memory": [
        {"DataBytes": 24},
        {"DataBytes": 4},
        {"NumSessions": 0},
        {"RingBytes": 128},
        {"RingBytes": 3000},
    ],
    "ring_read": [{"DataBytes": 24}, {"DataBytes": 4}, {"SessionWidth": 0}, {"PositionWidth": 6}],
    "ring_write": [
        {"NumSessions": 0},
        {"NumSessions": 16385},
        {"RingBytes": 128},
        {"RingBytes": 3000},
    ],
    "range_search": [{"Stages": 0}, {"Stages": 18}, {"NumFixed": 0}, {"Stages": 2, "NumFixed": 4}],
    "round_robin": [{"NumInputs": 1}],
    "route_table": [
        {"NumEntries": 3},
        {"NumEntries": 0},
        {"NumReads": 0},
        *OUTSIDE,
        {"NumGroups": 257},
    ],
    "router": [
        {"Turns": "'0", "Fabric": "noc_pkg::FabricCrosspoint"},
        {"MaxPacket": 0},
        {"Routing": "noc_pkg::RoutingAdaptive"},
        {"Lossless": 0},
        {"Depth": 12},
        {"Ports": "'0"},
        {"Fabric": "noc_pkg::FabricVirtualChannels", "VirtualChannels": 0},
    ],
    "router_crosspoint": [{"Ports": "'0"}, {"Depth": 12}, {"Depth": 16}, {"MaxPacket": 0}],
    "router_virtual_channels": [{"Ports": "'0"}, {"VirtualChannels": 3}, {"Depth": 2}],
    "router_wormhole": [{"Ports": "'0"}, {"Depth": 12}],
    "rpu": [
        {"Frames": 1, "NumBound": 0},
        {"Frames": 1, "NumBoundHops": 512},
        {"Frames": 1, "BoundHops": "8'd2"},
        {"Lane": 5},
        {"UdpPort": 0},
        {"UdpPort": 65536},
        {"CodeBytes": 32},
        {"CodeBytes": 65536},
        {"DataBytes": 32},
        {"DataBytes": 5000},
        {"DataBytes": 65536},
        {"NumSlots": 2},
        {"NumSlots": 12},
        {"NumSlots": 128},
        {"SlotBytes": 64},
        {"SlotBytes": 3000},
        {"SlotBytes": 32768},
        {"DataWidth": 32},
        {"DataWidth": 1024},
    ],
    "broadcast": [{"NumMembers": 1}, {"NumMembers": 257}, {"Width": 0}],
    "rpu_bus": [
        {"NumSlots": 2},
        {"NumSlots": 12},
        {"NumSlots": 128},
        {"SlotBytes": 8},
        {"SlotBytes": 3000},
        {"SlotBytes": 32768},
    ],
    "rpu_packets": [
        {"NumSlots": 2},
        {"NumSlots": 12},
        {"NumSlots": 128},
        {"SlotBytes": 64},
        {"SlotBytes": 3000},
        {"SlotBytes": 32768},
        {"DataWidth": 32},
        {"DataWidth": 1024},
    ],
    "ids_bitmap": [{"Words": 2}, {"Words": 300}],
    "ids_check": [
        *ROWS,
        *WORDS,
        {"HitsOfPacket": 1},
        {"HitsOfPacket": 16},
    ],
    "ids_find": ROWS,
    "ids_headers": [{"DataWidth": 256}],
    "ids_scan": [*ROWS, *WORDS],
    "ids_store": [{"DataWidth": 256}, {"Beats": 2}, {"Beats": 12}],
    "rule_matcher": [
        {"DataWidth": 256},
        *ROWS,
        {"NumSlots": 2},
        {"NumSlots": 12},
        {"NumSlots": 128},
        {"SlotBytes": 64},
        {"SlotBytes": 3000},
        {"SlotBytes": 32768},
    ],
    "source_judge": [{"DataWidth": 256}, {"Stages": 18}, {"NumFixed": 0}],
    "rs_encode": [
        {"DataShards": 0},
        {"Matrix": 3},
        {"UdpPort": 0},
        {"UdpPort": 65536},
        {"DataShards": 255},
        {"ParityShards": 0},
        {"ParityShards": 249},
        {"ShardBytes": 0, "beat_t": "data_192_t"},
        {"ShardBytes": 100, "beat_t": "data_192_t"},
        {"ShardBytes": 16384},
    ],
    "rpu_core": [
        {"CodeBytes": 32},
        {"CodeBytes": 5000},
        {"CodeBytes": 131072},
        {"DataBytes": 32},
        {"DataBytes": 5000},
        {"DataBytes": 2097152},
        {"NumTargets": 1},
        {"NumTargets": 17},
    ],
    "rpu_fetch": [
        {"CodeBytes": 32},
        {"CodeBytes": 5000},
        {"CodeBytes": 131072},
        {"NumTargets": 1},
        {"NumTargets": 17},
    ],
    "rs_parity_row": [{"NumBytes": 0}, {"Depth": 0}],
    "service_order": [{"NumInputs": 0}],
    "stream_checker": [{"NextWidth": 0}, {"NumKinds": 0}, {"NumHops": 0}],
    "stream_delay": [{"Cycles": 17}],
    "stream_merge": [{"NumInputs": 0}],
    "strip": [{"HeaderBytes": 0}],
    "synchroniser": [{"Stages": 1}, {"Width": 0}],
    "tag_inserter": [{"DataWidth": 32}, {"DataWidth": 192}],
    "tag_remover": [{"DataWidth": 32}, {"DataWidth": 192}],
    "tcp_arrival": [
        {"RingBytes": 512},
        {"ReceiveBytes": 512},
        {"RingBytes": 3000},
        {"OwnMss": 63},
        {"OwnMss": 9000},
    ],
    "tcp_congestion": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"MaxWindow": 512},
        {"MaxWindow": 3000},
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
        {"NumGaps": 17},
        {"NumSacks": 17},
        {"DelayAckUs": 0},
        {"DelayAckUs": 500000},
        {"TimeWaitUs": 0},
        {"MaxBackoff": 0},
        {"MaxBackoff": 13},
        {"LeastTimeoutUs": 0},
        {"KeepaliveS": 14001},
        {"KeepaliveProbeS": 0},
        {"UserTimeoutS": 4001},
    ],
    "tcp_cubic": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"Width": 17},
        {"Width": 33},
    ],
    "tcp_connect": [{"NumSessions": 1}, {"NumSessions": 48}, {"NumSessions": 32768}],
    "tcp_deadlines": [
        {"DelayAckUs": 0},
        {"DelayAckUs": 500000},
        {"TimeWaitUs": 0},
        {"KeepaliveS": 14001},
        {"KeepaliveProbeS": 0},
        {"KeepaliveProbeS": 2001},
    ],
    "tcp_expiry": [{"MaxBackoff": 0}, {"MaxBackoff": 13}],
    "tcp_departure": [
        {"RingBytes": 512},
        {"ReceiveBytes": 512},
        {"RingBytes": 3000},
        {"OwnScale": 15},
    ],
    "tcp_receive_buffer": [
        {"NumSessions": 0},
        {"NumSessions": 16385},
        {"RingBytes": 128},
        {"RingBytes": 3000},
        {"NumBound": 0},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "tcp_payload": [{"DataBytes": 4}, {"DataBytes": 128}, {"Rows": 16}, {"Rows": 48}],
    "tcp_ranges": [{"NumRanges": 0}, {"NumRanges": 17}, {"Width": 3}, {"Width": 33}],
    "tcp_reassembly": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"NumGaps": 0},
        {"NumGaps": 17},
        {"RingBytes": 512},
        {"RingBytes": 3000},
    ],
    "tcp_scoreboard": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"NumSacks": 0},
        {"NumSacks": 17},
        {"RingBytes": 512},
        {"RingBytes": 3000},
    ],
    "tcp_receive": [{"NumMacPorts": 0}, {"NumMacPorts": 4}],
    "tcp_round_trip": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"LeastUs": 0},
        {"LeastUs": 2000000},
        {"InitialUs": 70000000},
        {"MostUs": 67108864},
        {"LateUs": 61000000},
    ],
    "tcp_send_buffer": [
        {"NumSessions": 0},
        {"NumSessions": 16385},
        {"RingBytes": 128},
        {"RingBytes": 3000},
    ],
    "tcp_timers": [
        {"NumSessions": 2},
        {"NumSessions": 24},
        {"NumSessions": 32768},
        {"NumClasses": 0},
    ],
    "tcp_transmit_queue": [{"NumSessions": 1}, {"NumSessions": 48}, {"NumSessions": 32768}],
    "tcp_wishes": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"RingBytes": 512},
        {"RingBytes": 3000},
    ],
    "tcp_session_match": [
        {"KeyWidth": 0},
        {"NumSessions": 1},
        {"NumSessions": 24},
        {"NumSessions": 128},
    ],
    "tcp_session_table": [
        {"KeyWidth": 0},
        {"NumSessions": 1},
        {"NumSessions": 96},
        {"NumSessions": 32768},
        {"NumLines": 1},
        {"NumLines": 24},
        {"Patience": 24},
    ],
    "tcp_sessions": [
        {"NumSessions": 8},
        {"NumSessions": 24},
        {"NumSessions": 32768},
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
    ],
    "tcp": [
        {"AheadBytes": 63},
        {"AheadBytes": 1048577},
        {"MaxHalfOpen": 0},
        {"NumMacPorts": 0},
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"SendBytes": 512},
        {"SendBytes": 3000},
        {"ReceiveBytes": 512},
        {"ReceiveBytes": 3000},
        {"Mss": 63},
        {"Mss": 9000},
        {"NumGaps": 17},
        {"NumSacks": 17},
        {"DelayAckUs": 0},
        {"DelayAckUs": 500000},
        {"TimeWaitUs": 0},
        {"MaxBackoff": 0},
        {"MaxBackoff": 13},
        {"LeastTimeoutUs": 0},
        {"KeepaliveS": 14001},
        {"KeepaliveProbeS": 0},
        {"UserTimeoutS": 4001},
    ],
    "tcp_echo": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
        {"TcpPort": 0},
        {"TcpPort": 65536},
        {"ChunkBytes": 0},
        {"ChunkBytes": 16384},
    ],
    "to_axi_stream": [{"DataWidth": 0}, {"DataWidth": 12}, {"UserWidth": 0}],
    "keep_count": [{"NumBytes": 0}],
    "tcp_host": [{"TcpPort": 65536}, {"DataWidth": 12}],
    "axi_gather": [
        {"DataWidth": 8},
        {"DataWidth": 20},
        {"UserWidth": 0},
        {"MaxBytes": 64},
        {"MaxBytes": 3000},
    ],
    "tcp_stream": [
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"TcpPort": 65536},
        {"DataWidth": 12},
        {"ChunkBytes": 64},
        {"ChunkBytes": 3000},
        {"ChunkBytes": 16384},
        {"ReadsAhead": 1},
        {"ReadsAhead": 12},
        {"ReadsAhead": 32},
        {"PatienceUs": 2**31},
    ],
    "udp_stream": [
        {"UdpPort": 0},
        {"UdpPort": 65536},
        {"DataWidth": 12},
        {"MaxBytes": 64},
        {"MaxBytes": 3000},
        {"MaxBytes": 16384},
    ],
    "tcp_lookup": [
        {"MaxHalfOpen": 0},
        {"MaxHalfOpen": 17},
        {"NumMacPorts": 0},
        {"NumSessions": 1},
        {"NumSessions": 48},
        {"NumSessions": 32768},
    ],
    "tcp_transmit": [
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
        {"OwnMss": 63},
        {"OwnMss": 9000},
        {"OwnScale": 15},
    ],
    "udp_echo": [{"UdpPort": 0}, {"UdpPort": 65536}],
    "udp_relay": [{"UdpPort": 0}, {"UdpPort": 65536}, {"ToPort": 0}, {"ToPort": 65536}],
    "udp_rx": [
        {"NumMacPorts": 0},
        {"NumMacPorts": 4},
        {"NumBound": 0},
        {"NumBoundHops": 512},
        {"BoundHops": "8'd2"},
    ],
    "udp_tx": [{"NumMacPorts": 0}, {"NumMacPorts": 4}, {"NumRoutes": 17}],
    "vc_choice": [{"NumLanes": 0}],
    "vc_input": [{"Input": 5}, {"VirtualChannels": 0}, {"Input": 1, "Depth": 2}],
    "vc_output": [{"NumInputs": 0}, {"NumChannels": 0}],
    "waiting_packets": [{"NumBlocks": 1}, {"NumBlocks": 48}, {"beat_t": "data_1024_t"}],
}

# Parameters of which all values work, in whatever module, with the reason. One that is a bit or
# an enum has no others.
FREE = {
    **dict.fromkeys(
        ("AnnouncedPorts", "Queues", "Turns", "Passes", "Leaves", "Takes", "Sends"),
        "a mask: each bit stands for itself",
    ),
    **dict.fromkeys(
        ("WaitsForOutputs", "WaitsForInputs", "Serves", "AnsweredBy"),
        "a mask: each bit stands for itself",
    ),
    "BoundKeys": "any number may be a key",
    **dict.fromkeys(
        ("Init", "TableInit", "SlotInit", "Reset", "Table"),
        "the words of a table: software may write any, and those that lead nowhere make no route",
    ),
    **dict.fromkeys(("Room", "Credits", "MaxBusyCycles"), "any number of messages or cycles"),
    "ToIp": "any address",
    "HartId": "any number",
    "CustomOps": "a mask: each bit stands for itself",
    "Seed": "any secret",
    "Key": "any secret",
    **dict.fromkeys(
        (
            *("KindArp", "KindArpUpdate", "KindArpQuestion", "KindUnreachable", "KindTcpData"),
            *("KindRoutedPacket", "KindEnginePacket"),
            *("KindTcpSegment", "KindTcpEvent", "KindTcpRead", "KindTcpRequest", "Kind"),
        ),
        "Bombus numbers the kinds, and makes beats wide enough",
    ),
}


@cache
def sources() -> tuple[pyslang.SourceManager, list[syntax.SyntaxTree]]:
    """All of rtl/, parsed once."""
    manager = pyslang.SourceManager()
    for folder in rtl.include_dirs():
        manager.addUserDirectories(str(folder))
    files = map(str, rtl.rtl_files())
    return manager, [syntax.SyntaxTree.fromFile(file, manager, pyslang.Bag()) for file in files]


def diagnosed(module: str, values: Mapping[str, object]) -> list[str]:
    """What elaboration finds wrong with a module with these values."""
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
    beat = '`include "bombus_types.svh"\nmodule probe; `BOMBUS_BEAT_T(packet_beat_t, 512)'
    text = f"{beat} {' '.join(types)} {module} #({given}) u (); endmodule"
    compilation.addSyntaxTree(syntax.SyntaxTree.fromText(text, manager, "probe"))
    engine = pyslang.DiagnosticEngine(manager)
    return [
        engine.formatMessage(diagnostic)
        for diagnostic in compilation.getAllDiagnostics()
        if diagnostic.isError() or diagnostic.code == pyslang.Diags.RangeOOB
    ]


def said(module: str, values: Mapping[str, object]) -> list[str]:
    """What modules say by `$error` when one is elaborated with these values."""
    return [text for text in diagnosed(module, values) if text.startswith("$error encountered")]


@pytest.mark.parametrize("module", BAD)
def test_bad_values_are_refused(module: str) -> None:
    assert said(module, {}) == []
    for values in BAD[module]:
        assert said(module, values), values


@pytest.mark.parametrize(
    ("module", "values"),
    [
        ("ring_write", {"RingBytes": 256}),
        ("completions", {"NumOthers": 16}),
        ("dispatch", {"Group": group(1, slot_bits=1)}),
        ("icmp_echo", {"RefillShift": 0}),
        ("icmp_echo", {"RefillShift": 24}),
        ("memory_buffer", {"AddrWidth": 20}),
        ("memory_buffer", {"AddrWidth": 15, "Slots": 2}),
        ("memory_buffer", {"AddrWidth": 64}),
    ],
)
def test_values_at_the_limit_are_not(module: str, values: Mapping[str, object]) -> None:
    """Such a module works: no type, width or selection in it is impossible either."""
    with_types = {"beat_t": "packet_beat_t"} if module in PACKETS else {}
    assert diagnosed(module, {**with_types, **values}) == []


def numeric_parameters() -> dict[str, set[str]]:
    """Parameters other than types, enums and single bits, by module."""
    manager, trees = sources()
    names = [
        member.header.name.valueText
        for tree in trees
        for member in tree.root.members
        if member.kind == syntax.SyntaxKind.ModuleDeclaration
    ]
    options = ast.CompilationOptions()
    options.topModules = {"probe"}
    compilation = ast.Compilation(pyslang.Bag([options]))
    for tree in trees:
        compilation.addSyntaxTree(tree)
    text = "".join(f"{name} u_{name} (); " for name in names)
    compilation.addSyntaxTree(
        syntax.SyntaxTree.fromText(f"module probe; {text} endmodule", manager, "probe")
    )
    found = {}
    for instance in compilation.getRoot().topInstances[0].body:
        if isinstance(instance, ast.InstanceSymbol):
            found[instance.definition.name] = {
                parameter.name
                for parameter in instance.body.parameters
                if isinstance(parameter, ast.ParameterSymbol)
                and not parameter.isLocalParam
                and not parameter.type.isEnum
                and str(parameter.type) != "bit"
            }
    assert found.keys() == set(names)
    return found


def test_every_parameter_is_considered() -> None:
    """A numeric parameter has bad values that are refused, or works with all."""
    declared = numeric_parameters()
    tested = {module: {name for values in BAD[module] for name in values} for module in BAD}
    assert {
        f"{module}.{name}"
        for module, names in declared.items()
        for name in names - tested.get(module, set()) - FREE.keys()
    } == set()
    # Nothing here is about what is gone.
    assert tested.keys() - declared.keys() == set()
    everywhere = set().union(*declared.values())
    assert FREE.keys() - everywhere == set()
