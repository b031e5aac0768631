# SPDX-License-Identifier: Apache-2.0
"""Values of module parameters that are refused, and parameters of which all values work."""

from __future__ import annotations

from tests.applications.control import bad_values_control
from tests.applications.functions import bad_values_addresses, bad_values_functions
from tests.applications.logs import bad_values_logs
from tests.applications.pe import bad_values_pe
from tests.applications.processors import bad_values_processors
from tests.applications.spn import bad_values_spn
from tests.applications.vr import bad_values_vr
from tests.cluster import bad_values_cluster
from tests.platform.design import bad_values_stack
from tests.protocols.tcp import bad_values_tcp

# Bad values by module: each must be rejected by the module or its submodules.
PARTS = (
    *(bad_values_stack.BAD, bad_values_tcp.BAD, bad_values_processors.BAD),
    *(bad_values_control.BAD, bad_values_logs.BAD, bad_values_cluster.BAD),
    *(bad_values_functions.BAD, bad_values_addresses.BAD, bad_values_vr.BAD),
    bad_values_pe.BAD,
    bad_values_spn.BAD,
)
BAD = {module: values for part in PARTS for module, values in part.items()}
assert len(BAD) == sum(map(len, PARTS)), "a module is in two of them"

# Parameters of which all values work, in whatever module, with the reason. One that is a bit or
# an enum has no others.
FREE = {
    **dict.fromkeys(
        ("AnnouncedPorts", "Queues", "Turns", "Passes", "Leaves", "Takes", "Sends", "HasPayload"),
        "a mask: each bit stands for itself",
    ),
    **dict.fromkeys(
        ("WaitsForOutputs", "WaitsForInputs", "Serves", "AnsweredBy", "OneForEach"),
        "a mask: each bit stands for itself",
    ),
    "BoundKeys": "any number may be a key",
    "Prefix": "any number may be in front of the keys",
    **dict.fromkeys(("Constant", "WriteOffset"), "any number may be added"),
    **dict.fromkeys(
        ("Init", "TableInit", "SlotInit", "Reset", "Content", "BlockIndex", "BlockWords"),
        "the words of a table: software may write any, and those that lead nowhere make no route",
    ),
    **dict.fromkeys(("Room", "Credits", "MaxBusyCycles"), "any number of messages or cycles"),
    "LutDepth": "any number of entries: a memory that is deeper is block RAM",
    **dict.fromkeys(("ToIp", "Remote"), "any address"),
    "HartId": "any number",
    "AnswersFrom": "names of layers",
    **dict.fromkeys(("NumOthers", "TileIndex", "OwnWindow"), "any number of tiles"),
    **dict.fromkeys(
        ("Identities", "Sources", "Boards", "Destinations", "Routes", "Target", "Channel", "Board"),
        "a table or a number that Bombus or software fills in",
    ),
    **dict.fromkeys(("GrantPeriod", "NumKinds"), "any number of packets or kinds"),
    **dict.fromkeys(
        ("NumObserved", "ObservedCounters", "ObservedStreams", "NumObservedStreams", "NumDrops"),
        "what Bombus finds in the tile",
    ),
    "MaxIdleS": "any time",
    "PipelineCycles": "any number of cycles",
    "Fraction": "a number in a header",
    "BelowWidth": "any number of bits",
    "CustomOps": "a mask: each bit stands for itself",
    "Seed": "any secret",
    **dict.fromkeys(("EtherType", "Prefix"), "any number"),
    "Key": "any secret",
    **dict.fromkeys(
        (
            *("KindArp", "KindArpUpdate", "KindArpQuestion", "KindUnreachable", "KindTcpData"),
            *("KindIcmpError", "KindTcpError", "KindTcpImport", "KindAclFlow"),
            *("KindRoutedPacket", "KindEnginePacket"),
            *("KindTcpSegment", "KindTcpEvent", "KindTcpRead", "KindTcpRequest", "Kind"),
        ),
        "Bombus numbers the kinds, and makes beats wide enough",
    ),
}

# Modules whose values are refused elsewhere: by the module around them or beside them, or by the
# schema of the design file.
INSIDE = {
    "address_change": "the generated top, with its default values",
    **dict.fromkeys(("bridge_pack", "bridge_endpoint"), "cluster_send"),
    "bridge_unpack": "cluster_receive",
    "cluster_load": "cluster_node",
    **dict.fromkeys(("cluster_flow_control", "cluster_receive_buffer"), "cluster_endpoint"),
    "cluster_receive": "bombus.cluster.config",
    **dict.fromkeys(
        (
            *("cluster_link_session", "cluster_link_transmit", "cluster_link_direct_transmit"),
            *("cluster_link_control", "cluster_link_pack", "cluster_link_retry"),
            "cluster_link_ring",
        ),
        "cluster_link",
    ),
    **dict.fromkeys(("cluster_ethernet_receive", "cluster_ethernet_transmit"), "cluster_ethernet"),
    **dict.fromkeys(("collective_receive", "collective_send"), "cluster_collective"),
    **dict.fromkeys(("drop_heads", "drop_log"), "log_store"),
    "map_lookup": "address_map",
    **dict.fromkeys(("napt_choice", "napt_edit", "napt_headers"), "napt"),
    **dict.fromkeys(("load_balancer_choice", "load_balancer_memory"), "load_balancer"),
    "vxlan_replicator": "vxlan_encapsulate",
    "view_queue": "vxlan_decapsulate",
    "token_bucket": "shaper",
    "acl_first": "acl_rules",
    **dict.fromkeys(("vr_control", "vr_entries", "vr_transfer", "vr_join"), "vr_witness"),
    **dict.fromkeys(("vr_log", "vr_log_sender", "vr_reader", "vr_replica"), "vr_witness"),
    **dict.fromkeys(("vr_reply", "vr_log_lines", "vr_vote_queue"), "vr_witness"),
    **dict.fromkeys(("serial_lane_receive", "serial_lane_transmit"), "serial_lane"),
    "serial_crossing": "serial_lane",
    **dict.fromkeys(("spn_ethernet", "spn_tcp", "spn_udp"), "spn_kernel"),
    **dict.fromkeys(
        ("spn_class_table", "spn_delay", "spn_leaf_table", "spn_product", "spn_result", "spn_sum"),
        "bombus.spn",
    ),
}
