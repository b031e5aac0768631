# SPDX-License-Identifier: Apache-2.0
"""The proofs: module of `formal/`, depths, parameters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.platform.formal.prove import Proof

FIFO = Proof("head_fifo_formal", depth=3, induction=2, reach=12, parameters={"Depth": 4})
FREE_LIST = Proof("free_list_formal", depth=4, induction=2, reach=16)
MERGE = Proof("stream_merge_formal", depth=4, induction=3, reach=6, parameters={"NumInputs": 3})
HUB = Proof("register_hub_formal", depth=3, induction=1, reach=9, parameters={"NumMasters": 3})
ROUTER = Proof("router_wormhole_formal", depth=3, induction=2, reach=8, parameters={"Depth": 4})
ROUTER_IN_CORNER = replace(ROUTER, parameters={"Depth": 4, "Ports": 0b11001})  # no north, no east
QUEUE = Proof("laned_queue_formal", depth=3, induction=2, reach=14, parameters={"Depth": 4})
LANES = replace(QUEUE, reach=26, parameters={"Depth": 8, "NumLanes": 2})
OUTPUT = Proof("crosspoint_output_formal", depth=3, induction=2, reach=8)
LOCAL_OUTPUT = replace(OUTPUT, parameters={"IsLocal": 1})
WINDOW = Proof("credit_limit_formal", depth=3, induction=2, reach=8)
EARLY = replace(WINDOW, parameters={"Longest": 4})
OCCUPANCY = Proof("occupancy_formal", depth=3, induction=2, reach=24)
RETURNS = Proof("credit_returns_formal", depth=3, induction=2, reach=14)
POOL = Proof("credit_pool_formal", depth=3, induction=2, reach=14)
VC_INPUT = Proof("vc_input_formal", depth=3, induction=2, reach=30, parameters={"Depth": 4})
VC_OUTPUT = Proof("vc_output_formal", depth=3, induction=2, reach=10)
# It also holds with all five ports, but takes twice the time.
VC_ROUTER = Proof("router_virtual_channels_formal", 2, 1, 7, {"Ports": 0b11101})  # no north
VC_ONE = replace(VC_ROUTER, parameters={"Ports": 0b10111, "NumLanes": 1})  # no south
CROSSPOINT = Proof("router_crosspoint_formal", 2, 1, 7, {"Ports": 0b11101})  # no north
ASYNC = Proof("async_fifo_formal", 14, 1, 30, {"Depth": 4}, clocks=2)
RESETS = Proof("reset_handshake_formal", 14, 1, 40, clocks=2)
FEW_SESSIONS = Proof("tcp_session_match_formal", depth=3, induction=1, reach=16)
SESSIONS = Proof("tcp_session_table_formal", depth=9, induction=6, reach=18)
TCP_PARTS = (
    "tcp_arrival",
    "tcp_congestion",
    "tcp_deadlines",
    "tcp_departure",
    "tcp_reassembly",
    "tcp_round_trip",
    "tcp_scoreboard",
    "tcp_transmit_queue",
    "tcp_session_requests",
)
TCP_CORE = Proof("tcp_core_formal", depth=3, induction=1, reach=9, free=TCP_PARTS)
ANY_FIFO = {"head_fifo": "any_fifo"}
DELIVER = Proof("tcp_deliver_formal", depth=6, induction=1, reach=8, stand_ins=ANY_FIFO)
BYPASS = Proof("tcp_bypass_formal", depth=4, induction=1, reach=8)
PAYLOAD = Proof("tcp_payload_formal", depth=3, induction=1, reach=12, apart=True)
WIDE_PAYLOAD = replace(PAYLOAD, parameters={"DataBytes": 32})  # rotates words in two stages
# A pipeline without other state: as many cycles as it has stages suffice.
RANGES = Proof("tcp_ranges_formal", depth=3, induction=None, reach=3)
SORTED = replace(RANGES, parameters={"Sorted": 1})
RING = Proof("ring_write_formal", depth=4, induction=2, reach=6)
ARRIVAL = Proof("tcp_arrival_formal", depth=3, induction=None, reach=3, apart=True)
ARRIVAL_WHOLE = replace(ARRIVAL, parameters={"Whole": 1})
DEPARTURE = Proof("tcp_departure_formal", depth=3, induction=None, reach=3, apart=True)
DEPARTURE_ANYWHERE = replace(DEPARTURE, parameters={"SendBytes": 1024, "Anywhere": 1})
EXPIRY = Proof("tcp_expiry_formal", depth=2, induction=None, reach=2, apart=True)
SESSION_REQUESTS = Proof("tcp_session_requests_formal", depth=3, induction=1, reach=6)
VR_PARTS = ("vr_entries", "vr_log_sender")
VR_ANY = {"sized_memory": "any_memory", "vr_window": "any_vr_window"}
WITNESS = Proof("vr_witness_formal", 3, 1, 7, free=VR_PARTS, stand_ins=VR_ANY)
STAND_INS = {"rpu_multiply": "multiply_stand_in", "rpu_divide": "divide_stand_in"}
CORE = Proof("rpu_core_formal", depth=8, induction=None, reach=12, stand_ins=STAND_INS)
MULDIV = replace(CORE, depth=10, parameters={"OnlyMuldiv": 1})
PROGRAM = Proof("rpu_program_formal", depth=10, induction=1, reach=21, stand_ins=STAND_INS)
# A pipeline without other state.
MULTIPLY = Proof("rpu_multiply_formal", 4, None, 4, {"Width": 6})
DIVIDE = Proof("rpu_divide_formal", 9, 8, 20, {"Width": 4})
CSRS = Proof("rpu_csr_formal", depth=8, induction=None, reach=9)
FRAMES = Proof("frame_crossing_formal", 8, 1, 20, {"StartBeats": 0}, clocks=2)
FRAMES_FROM_MAC = replace(FRAMES, parameters={"StartBeats": 1, "Drops": 1})
FRAMES_TO_MAC = replace(FRAMES, parameters={"StartBeats": 4})

# Kinds of stage_formal.
REGISTER, SKID, MESSAGE, STAGE = range(4)


def stage(kind: int, reach: int = 6, induction: int = 2, **parameters: int) -> Proof:
    return Proof("stage_formal", 3, induction, reach, {"Kind": kind, **parameters})


STREAM_REGISTER = stage(REGISTER)
SKID_BUFFER = stage(SKID)
MESSAGE_REGISTER = stage(MESSAGE)
STAGE_REGISTER = stage(STAGE)
STAGE_SKID = stage(STAGE, CutsReady=1)
STAGE_FIFO = stage(STAGE, reach=19, CutsReady=1, DataBits=256)
CLUSTER_ROUTER = Proof("cluster_router_formal", depth=8, induction=2, reach=14)
ANY_QUEUE = {"stream_queue": "any_queue"}
FLOW_CONTROL = Proof("cluster_flow_control_formal", 4, 1, 12, stand_ins=ANY_QUEUE)
FLOW_CONTROL_PERIOD = replace(FLOW_CONTROL, parameters={"GrantPeriod": 2, "InitBudget": 2})
LINK_RING = Proof("cluster_link_ring_formal", 4, 1, 24, free=("crc_words",), apart=True)
FREE_CRC = {"cluster_crc_pkg": "free_crc_pkg", "crc_words": "free_crc_words"}
# Bounded: three beats of packets are on the wire after 12 cycles.
LINK_CREDIT = Proof(
    "cluster_link_credit_formal", 16, None, 16, stand_ins=FREE_CRC, maps_memories=True
)
LONGER_CREDIT = replace(LINK_CREDIT, depth=20, at_once=4)
# Bounded: a loss, its Nak, the Mark and the repetition take 42 cycles from reset.
LINK_RETRY = Proof(
    "cluster_link_retry_formal",
    44,
    None,
    44,
    {"Changes": 0},
    stand_ins=FREE_CRC,
    maps_memories=True,
    at_once=4,
    reach_from=40,
)
LINK_CHANGES = replace(LINK_RETRY, at_once=10, parameters={"Changes": 1})
OUTPUT_STAGE = Proof("output_stage_formal", depth=3, induction=2, reach=6)

# Numbers of noc_pkg.
LOCAL, NORTH, WEST = 0, 1, 4
XY, O1TURN, ADAPTIVE = 0, 1, 2


def crosspoint_input(came_by: int, routing: int, *, lossless: bool = True) -> Proof:
    parameters = {"Input": came_by, "Routing": routing, "Lossless": int(lossless)}
    return Proof("crosspoint_input_formal", 3, 2, 14, parameters)


def crosspoint_link(routing: int, depth: int) -> Proof:
    parameters = {"Routing": routing, "Depth": depth}
    return Proof("crosspoint_link_formal", 3, 2, 16, parameters)


CRC_WORDS = Proof("crc_words_formal", depth=1, induction=None, reach=1)

ENTRY = crosspoint_input(LOCAL, O1TURN)
CHOICE = crosspoint_input(LOCAL, ADAPTIVE)
TWO_LANES = crosspoint_input(NORTH, ADAPTIVE)
DROPPING = crosspoint_input(WEST, ADAPTIVE, lossless=False)
LINK = crosspoint_link(ADAPTIVE, 8)

PROOFS = (
    CRC_WORDS,
    FIFO,
    FREE_LIST,
    HUB,
    replace(HUB, parameters={"NumMasters": 2}),
    OCCUPANCY,
    CLUSTER_ROUTER,
    LINK_RING,
    LINK_CREDIT,
    pytest.param(LINK_RETRY, marks=pytest.mark.sweep, id=str(LINK_RETRY)),
    pytest.param(LINK_CHANGES, marks=pytest.mark.sweep, id=str(LINK_CHANGES)),
    pytest.param(LONGER_CREDIT, marks=pytest.mark.sweep, id="cluster_link_credit_formal-longer"),
    FLOW_CONTROL,
    pytest.param(FLOW_CONTROL_PERIOD, marks=pytest.mark.sweep, id=str(FLOW_CONTROL_PERIOD)),
    Proof("head_fifo_formal", depth=3, induction=2, reach=20, parameters={"Depth": 8}),
    MERGE,
    Proof("stream_merge_formal", depth=4, induction=3, reach=6, parameters={"NumInputs": 2}),
    Proof("stream_merge_formal", depth=4, induction=3, reach=8, parameters={"NumInputs": 5}),
    pytest.param(ROUTER, marks=pytest.mark.sweep, id=str(ROUTER)),
    ROUTER_IN_CORNER,
    QUEUE,
    LANES,
    OUTPUT,
    LOCAL_OUTPUT,
    ENTRY,
    CHOICE,
    crosspoint_input(WEST, XY),
    crosspoint_input(WEST, O1TURN),
    TWO_LANES,
    crosspoint_input(LOCAL, XY, lossless=False),
    DROPPING,
    crosspoint_link(XY, 4),
    crosspoint_link(O1TURN, 8),
    LINK,
    WINDOW,
    EARLY,
    RETURNS,
    POOL,
    replace(POOL, parameters={"NumSources": 1}),
    pytest.param(CROSSPOINT, marks=pytest.mark.sweep, id=str(CROSSPOINT)),
    VC_INPUT,
    VC_OUTPUT,
    pytest.param(VC_ROUTER, marks=pytest.mark.sweep, id=str(VC_ROUTER)),
    VC_ONE,
    replace(VC_OUTPUT, parameters={"NumInputs": 2, "NumChannels": 4}),
    ASYNC,
    RESETS,
    SESSIONS,
    FEW_SESSIONS,
    pytest.param(RANGES, marks=pytest.mark.sweep, id=str(RANGES)),
    SORTED,
    ARRIVAL,
    pytest.param(ARRIVAL_WHOLE, marks=pytest.mark.sweep, id=str(ARRIVAL_WHOLE)),
    DEPARTURE,
    pytest.param(DEPARTURE_ANYWHERE, marks=pytest.mark.sweep, id=str(DEPARTURE_ANYWHERE)),
    EXPIRY,
    SESSION_REQUESTS,
    pytest.param(TCP_CORE, marks=pytest.mark.sweep, id=str(TCP_CORE)),
    DELIVER,
    BYPASS,
    PAYLOAD,
    pytest.param(WIDE_PAYLOAD, marks=pytest.mark.sweep, id=str(WIDE_PAYLOAD)),
    RING,
    WITNESS,
    CORE,
    pytest.param(replace(CORE, depth=9), marks=pytest.mark.sweep, id="rpu_core_formal-longer"),
    pytest.param(MULDIV, marks=pytest.mark.sweep, id=str(MULDIV)),
    PROGRAM,
    MULTIPLY,
    pytest.param(
        replace(MULTIPLY, parameters={"Width": 8}), marks=pytest.mark.sweep, id="rpu_multiply-8"
    ),
    DIVIDE,
    pytest.param(
        Proof("rpu_divide_formal", 13, 12, 28), marks=pytest.mark.sweep, id="rpu_divide-8"
    ),
    CSRS,
    pytest.param(FRAMES, marks=pytest.mark.sweep, id=str(FRAMES)),
    FRAMES_FROM_MAC,
    pytest.param(FRAMES_TO_MAC, marks=pytest.mark.sweep, id=str(FRAMES_TO_MAC)),
    STREAM_REGISTER,
    SKID_BUFFER,
    MESSAGE_REGISTER,
    STAGE_REGISTER,
    STAGE_SKID,
    STAGE_FIFO,
    OUTPUT_STAGE,
    replace(OUTPUT_STAGE, parameters={"CutsReady": 1}),
)
