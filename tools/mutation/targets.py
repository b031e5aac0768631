# SPDX-License-Identifier: Apache-2.0
"""Which tests concern a file: those of its own first, then those of what it is a part of.

Modules, folders and test files are known by their names, wherever they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

_TESTS = Path(__file__).resolve().parents[2] / "tests"
_PARAMETERS = "test_parameters.py"

# Arguments of pytest, for one run each.
_PRIMITIVES = "test_primitives.py test_fifos.py test_merges.py"
_HEADERS = "test_headers.py"
_LAYERS = "test_layers.py"
_MAC = "test_mac_rx.py test_mac_tx.py"
_ROUTER = "test_router.py -k router"
_MESH = "test_router.py -k mesh"
_CHANNELS = "test_router.py -k 'mesh or virtual'"
_GROUPS = "test_replica_groups.py test_replica_tables.py"
_INTERFACE = ("test_network_interface.py", _GROUPS)
_DISPATCH = f"test_dispatch.py {_GROUPS}"
_TCP_STREAM = "test_tcp_stream.py test_tcp_stream_requests.py"
_REGISTERS = "test_registers.py"
_CROSSPOINT = "test_crosspoint.py"
_TRAFFIC = "test_traffic.py -k udp_echo_10g"
_BAD_INPUT = "test_bad_input.py -k udp_echo_10g"
_REPLICAS = "test_replicas.py"
_TWO_PORTS = "test_two_ports.py"
_ICMP_ERRORS = "test_icmp_errors.py"
_ANY_ORDER = "test_any_order.py"


@dataclass(frozen=True)
class Tests:
    """`design`: tests of whole designs; `proofs`: those of formal/, by pytest's -k."""

    unit: Sequence[str]
    design: Sequence[str] = (_TRAFFIC,)
    proofs: str = ""


_PROCESSOR = (
    "test_rpu.py",
    "test_rpu_hostile.py",
    "test_rpu_watchdog.py",
)

_FOLDERS: Mapping[str, Tests] = {
    "echo": Tests((_LAYERS,)),
    "serial": Tests(("test_serial_lane.py",), ()),
    "pe": Tests(
        ("test_pe.py", "test_pe_memory.py", "test_pe_dma.py"),
        ("test_elements.py", "test_copies.py"),
    ),
    "spn": Tests(("test_spn_kernel.py", "test_spn_pipeline_rtl.py"), ()),
    "vr": Tests(("test_vr_witness.py", "test_vr_log.py"), ("test_vr_design.py",), "vr_witness"),
    "arp": Tests(
        ("test_arp_tables.py", "test_arp_order.py"),
        ("test_arp.py", "test_run_time.py", _TWO_PORTS, _TRAFFIC),
    ),
    "link": Tests(
        ("test_link.py", "test_link_format.py", "test_link_forged.py"),
        ("test_link_rates.py",),
        "cluster_link",
    ),
    "control": Tests(
        ("test_ascon.py", "test_control_races.py", "test_control_mutated.py"),
        ("test_controller.py",),
    ),
    "bridge": Tests(("test_bridge.py",), ("test_boards.py",)),
    "clocks": Tests(("test_clocks.py",), proofs="async_fifo or reset_handshake"),
    **dict.fromkeys(
        (
            "contract",
            "frames",
            "hashes",
            "streams",
        ),
        Tests((_PRIMITIVES, _MAC)),
    ),
    "ethernet": Tests(("test_ethernet.py",), ()),
    "functions": Tests(
        (
            "test_acl.py",
            "test_acl_flows.py",
            "test_shaper.py",
            "test_address_map.py",
            "test_napt.py",
        )
    ),
    "engines": Tests(
        ("test_engines.py", "test_engine_parser.py"),
        ("test_engine_sequences.py",),
    ),
    "load": Tests((), ("test_cluster_load.py",)),
    "collectives": Tests(("test_collectives.py",), ()),
    "router": Tests(("test_cluster_bar.py",), (), "cluster_router"),
    "endpoints": Tests(("test_cluster_bar.py",), (), "cluster_flow_control"),
    "node": Tests((), ("test_cluster_bar.py",)),
    "eth": Tests((_LAYERS,), (_BAD_INPUT, _TRAFFIC)),
    "icmp": Tests((_LAYERS,), (_ICMP_ERRORS, _BAD_INPUT, _TRAFFIC)),
    "ipv4": Tests((f"{_LAYERS} -k ipv4",), (_ICMP_ERRORS, _BAD_INPUT, _TRAFFIC)),
    "firewall": Tests(("test_range_search.py",), ("test_firewall.py",)),
    "intrusion_detection": Tests(
        ("test_rule_matcher.py", "test_rule_matcher_streams.py", "test_rule_matcher_flows.py"),
        ("test_ids.py", "test_ids_streams.py"),
    ),
    "logs": Tests(("test_drop_log.py", "test_logs.py"), ("test_drop_logs.py", "test_tcp_logs.py")),
    "mac": Tests((_MAC,), (_TRAFFIC, _BAD_INPUT)),
    "memories": Tests((), ("test_memory.py",)),
    **dict.fromkeys(
        (
            *("checks", "credits", "interface"),
            *("registers", "replicas", "routers"),
        ),
        Tests((_ROUTER, _CHANNELS, *_INTERFACE)),
    ),
    "processors": Tests(
        (
            "test_rpu_directed.py",
            "test_rpu_core.py",
            "test_rpu_random.py",
        ),
        (),
        "rpu_core",
    ),
    "reed_solomon": Tests(("test_reed_solomon.py",), ("test_rs_libraries.py",)),
    "tcp": Tests(("test_tcp_core.py",), ("test_tcp.py",)),
    "udp": Tests((f"{_LAYERS} -k udp",), (_BAD_INPUT, _TRAFFIC)),
}
_FILES: Mapping[str, Tests] = {
    **dict.fromkeys(
        (
            *(
                "byte_rotate",
                "ring_memory",
                "ring_read",
                "tcp_rings",
            ),
            *("ring_write", "tcp_receive_buffer"),
            "tcp_send_buffer",
        ),
        Tests(("test_tcp_buffers.py",), ()),
    ),
    **dict.fromkeys(("axi_bursts", "axi_share"), Tests(("test_pe_dma.py",), ("test_copies.py",))),
    "ram_fifo": Tests(("test_fifos.py",), ()),
    "register_mesh": Tests(("test_register_mesh.py",), ()),
    "axi_lite_registers": Tests(("test_axi_lite_registers.py",), ()),
    "control_tcp": Tests(("test_control_tcp.py",), ()),
    "frame_loop": Tests(("test_frame_loop.py",), ()),
    "frame_rx": Tests(("test_frame_rx.py",), ("test_middlebox.py",)),
    "rpu_host": Tests(("test_rpu_host.py",), ("test_host_memory.py",)),
    "rpu": Tests(_PROCESSOR, ()),
    "rpu_bus": Tests(_PROCESSOR, ()),
    "broadcast": Tests(("test_broadcast.py",), ()),
    "rpu_mailbox": Tests(("test_broadcast.py",), ()),
    "rpu_share": Tests(("test_rpu_share.py",), ()),
    "rpu_timer": Tests(("test_rpu_interrupts.py -k timer",), ()),
    "rpu_watchdog": Tests(_PROCESSOR, ()),
    "rpu_packets": Tests(_PROCESSOR, ()),
    "tcp_lookup": Tests(("test_tcp_lookup.py",), ("test_tcp.py",)),
    "tcp_peers": Tests(("test_tcp_lookup.py",), ()),
    "tcp_secret": Tests(("test_tcp_lookup.py",), ()),
    "tcp_idle": Tests(("test_tcp_idle.py",), ()),
    "tcp_errors": Tests((), ("test_tcp_path.py",)),
    "tcp_session_match": Tests(("test_tcp_sessions.py -k 16",), ()),
    "tcp_session_table": Tests(("test_tcp_sessions.py -k 64",), (), "tcp_session"),
    "tcp_sessions": Tests(("test_tcp_sessions.py",), ()),
    "tcp_timers": Tests(("test_tcp_timers.py",), ()),
    **{f"tcp_{name}": Tests(("test_tcp_listening.py",), ()) for name in ("connect", "listening")},
    "tcp_echo_bypass": Tests(("test_tcp_echo_bypass.py",), ()),
    **{f"tcp_{name}": Tests(("test_tcp_deliver.py",), ()) for name in ("bypass", "deliver")},
    "tcp_echo": Tests(("test_tcp_echo.py",), ("test_tcp.py",)),
    **{
        f"tcp_{name}": Tests(("test_tcp_echo.py", "test_tcp_echo_bypass.py"), ())
        for name in ("data_output", "session_scan")
    },
    **{
        f"tcp_{name}": Tests(("test_tcp_receive.py",), ())
        for name in ("layout", "options", "payload", "receive")
    },
    **{f"tcp_{name}": Tests(("test_tcp_reassembly.py",), ()) for name in ("ranges", "reassembly")},
    **{f"tcp_{name}": Tests(("test_tcp_congestion.py",), ()) for name in ("congestion", "cubic")},
    "tcp_scoreboard": Tests(("test_tcp_recovery.py", "test_tcp_core.py -k echo"), ()),
    "tcp_pkg": Tests(("test_tcp_package.py", "test_tcp_receive.py"), ()),
    "bombus_pkg": Tests((_LAYERS, _MAC, "test_checksum_start.py"), (_TRAFFIC, _BAD_INPUT)),
    "cluster_pkg": Tests(("test_link_format.py",), ()),
    **{
        f"cluster_link_{name}": Tests(("test_link_direct.py", "test_link_forged.py"), ())
        for name in ("direct_receive", "direct_transmit", "sum")
    },
    "cluster_link_control": Tests(("test_link.py", "test_link_direct.py"), ("test_link_rates.py",)),
    **{
        name: Tests(("test_load_balancer.py",), ())
        for name in ("load_balancer", "load_balancer_choice", "load_balancer_pkg")
    },
    **dict.fromkeys(
        ("load_balancer_memory", "axi_line_pkg"), Tests(("test_load_balancer_memory.py",), ())
    ),
    **{
        f"ip_in_ip_{name}": Tests(("test_ip_in_ip_layers.py",), ())
        for name in ("decapsulate", "encapsulate", "pkg")
    },
    **{
        name: Tests(("test_vxlan_layers.py",), ())
        for name in (
            *("vxlan_decapsulate", "vxlan_encapsulate", "vxlan_pkg"),
            *("vxlan_replicator", "view_queue"),
        )
    },
    "port_fork": Tests((), ("test_vxlan.py",)),
    "nat": Tests(("test_nat_layer.py",), ()),
    "crc_hash": Tests((f"{_DISPATCH} -k 'hash or policy'",), (_REPLICAS,)),
    "message_number": Tests((), ("test_drop_logs.py",)),
    "drop_register": Tests((f"{_PRIMITIVES} -k dropped", _LAYERS)),
    "frame_buffer": Tests((f"{_PRIMITIVES} -k buffer", _MAC)),
    "frame_sum": Tests((f"{_PRIMITIVES} -k sum", _MAC), (_TRAFFIC, _BAD_INPUT)),
    "head_fifo": Tests((f"{_PRIMITIVES} -k fifo", _ROUTER), proofs="head_fifo"),
    **dict.fromkeys(
        (
            "tcp_host",
            "to_axi_stream",
            "from_axi_stream",
            "keep_count",
        ),
        Tests(("test_host_streams.py", "test_tcp_host.py"), ()),
    ),
    **dict.fromkeys(
        ("tcp_stream", "tcp_stream_control", "tcp_stream_pkg", "tcp_stream_transmit"),
        Tests((_TCP_STREAM, "test_tcp_kernel.py"), ()),
    ),
    "tcp_framer": Tests(("test_tcp_framer.py", "test_tcp_messages.py"), ()),
    **{
        f"{name}_checker": Tests((f"test_{name}_checker.py",), ())
        for name in ("axi_stream", "stream", "layer")
    },
    "link_checker": Tests(("test_link_checker.py",), ()),
    "mac_route": Tests(("test_mac_route.py",), (_TWO_PORTS,)),
    "host_sum": Tests(("test_layers.py",), (_TWO_PORTS,)),
    "by_mac_port": Tests(("test_mac_route.py",), (_TWO_PORTS,)),
    "axi_gather": Tests(("test_udp_stream.py", _TCP_STREAM), ()),
    **dict.fromkeys(
        ("udp_stream", "udp_stream_pkg"),
        Tests(("test_udp_stream.py", "test_udp_kernel.py"), ()),
    ),
    "free_list": Tests(("test_tcp_sessions.py",), (), "free_list"),
    "siphash": Tests(("test_siphash.py",), ()),
    "keyed_hash": Tests(("test_tcp_sessions.py",), ()),
    "least_recent": Tests((_CHANNELS, _CROSSPOINT), (), "output_formal"),
    "ones_compressor": Tests((f"{_PRIMITIVES} -k sum", _MAC, _LAYERS)),
    "ones_pkg": Tests((f"{_PRIMITIVES} -k sum", _MAC, _LAYERS)),
    "prepend": Tests((_HEADERS, _LAYERS)),
    "round_robin": Tests((f"{_PRIMITIVES} -k 'arbiter or merge'", _ROUTER)),
    "skid_buffer": Tests((f"{_PRIMITIVES} -k dropped",)),
    "stream_merge": Tests((f"{_PRIMITIVES} -k merge", *_INTERFACE), proofs="stream_merge"),
    "message_register": Tests(("test_tcp_host.py",), ()),
    "stream_register": Tests((_DISPATCH,), (_REPLICAS,)),
    "strip": Tests((_HEADERS, _LAYERS)),
    "timebase": Tests((f"{_REGISTERS} -k time",)),
    "ipv4_options": Tests(("test_ipv4_options.py", f"{_LAYERS} -k ipv4"), (_BAD_INPUT,)),
    "completions": Tests((f"{_DISPATCH} -k completions",), (_REPLICAS,)),
    "counter_bank": Tests((_REGISTERS,)),
    "crosspoint_input": Tests((_CROSSPOINT,), (), "crosspoint_input"),
    "crosspoint_output": Tests((_CROSSPOINT,), (), "crosspoint_output"),
    "dispatch": Tests((_DISPATCH,), (_REPLICAS,)),
    "credit_gate": Tests((), (_ANY_ORDER,)),
    "credit_meter": Tests((), (_ANY_ORDER,)),
    "credit_pool": Tests((), (_ANY_ORDER,), "credit_pool"),
    "credit_returns": Tests((), (_ANY_ORDER,), "credit_returns"),
    "credit_limit": Tests(("test_crosspoint_mesh.py",), (), "credit_limit"),
    "laned_queue": Tests((_CROSSPOINT, _CHANNELS), (), "laned_queue"),
    "register_hub": Tests((), ("test_register_masters.py",), "register_hub"),
    "least_loaded": Tests((_DISPATCH,), (_REPLICAS,)),
    "mesh": Tests((_MESH,), ()),
    "noc_pkg": Tests((_ROUTER, _CROSSPOINT, _INTERFACE[0]), (), "wormhole"),
    "queue_lane": Tests((_CROSSPOINT, _CHANNELS), (), "laned_queue"),
    "router": Tests((_MESH,)),
    "router_crosspoint": Tests((_CROSSPOINT,), (), "router_crosspoint"),
    "router_virtual_channels": Tests((_CHANNELS,), (), "router_virtual"),
    "router_wormhole": Tests((_ROUTER,), proofs="router_wormhole"),
    "scheduler": Tests((), (_REPLICAS,)),
    "register_table": Tests(("test_register_block.py",)),
    "vc_choice": Tests((_CHANNELS,), (), "vc_input"),
    "vc_input": Tests((_CHANNELS,), (), "vc_input"),
    "vc_output": Tests((_CHANNELS,), (), "vc_output"),
}
_INTERFACE_FILES = ("network_interface", "route_table", "replica_choice", "injection", "ejection")

_RUNTIME = "test_runtime.py test_misuse.py"
_PYTHON: Mapping[str, str] = {
    "base": "test_output.py test_config.py test_hostile_files.py test_cli.py",
    "base/cache.py": "test_build.py",
    "base/interrupt.py": "test_live_ends.py",
    "base/progress.py": "test_progress.py",
    "base/sources.py": "test_output.py test_rtl.py test_generate.py",
    "generation/board": "test_board.py",
    "cli": "test_cli.py",
    "cluster": "test_split.py test_boards.py",
    "applications/echo": "test_live_steps.py",
    "cli/show.py": "test_cli.py test_show.py",
    "cli/place.py": "test_cli.py test_placer.py",
    "cli/run.py": "test_cli.py test_live.py",
    "cli/sweep.py": "test_sweep.py",
    "cli/timing.py": "test_timing.py",
    "cli/area.py": "test_cli.py test_area.py",
    "cli/bench.py": "test_cli.py test_rs.py",
    "applications/control": "test_control_client.py",
    "applications/control/cluster_web": "test_boards_live.py",
    "applications/control/web": "test_web.py",
    "applications/functions": "test_acl.py test_acl_rules.py test_functions_designs.py",
    "applications/functions/sessions": "test_session_errors.py test_sessions.py",
    "applications/functions/balancer.py": "test_load_balancer.py",
    "applications/functions/health.py": "test_health.py",
    "applications/functions/maglev.py": "test_maglev.py",
    "applications/control/messages.py": "test_controller.py",
    "applications/control/ascon.py": "test_ascon.py",
    "applications/engines/client.py": "test_engine_sequences.py",
    "applications/reed_solomon/client.py": "test_rs_client.py",
    "design": "test_generate.py test_check.py test_reference.py test_register_map.py",
    "design/config": "test_config.py test_check.py test_reference.py",
    "design/config/design.py": "test_config.py test_check.py test_mac_ports.py test_reference.py",
    "design/config/tile.py": "test_config.py test_check.py test_replica_designs.py "
    "test_replica_mistakes.py test_reference.py",
    "design/memories.py": "test_raised_ports.py test_config.py",
    "design/messages.py": "test_message_kinds.py",
    "design/reference.py": "test_reference.py test_pages.py",
    "design/register_reference.py": "test_pages.py",
    "fabric": "test_config.py test_check.py test_routing.py",
    "applications/processors": "test_firmware.py test_middlebox.py",
    "applications/processors/load.py": "test_rpu_echo.py",
    "cluster/advise.py": "test_cluster_advise.py",
    "cluster/commands/advise.py": "test_cluster_advise.py",
    "cluster/commands/routes.py": "test_cluster_advise.py",
    "cluster/law.py": "test_cluster_model.py",
    "cluster/model.py": "test_cluster_model.py",
    "cluster/routing.py": "test_cluster_routes.py",
    "cluster/topology.py": "test_cluster_topology.py",
    "protocols/frames.py": "test_traffic.py",
    "protocols/answers.py": "test_traffic.py",
    "protocols/ports.py": "test_two_ports.py",
    "protocols/routes.py": "test_two_port_routes.py",
    "protocols/stack.py": "test_traffic.py",
    "applications/engines/chacha.py": "test_engines_model.py",
    "protocols/flow_key.py": "test_frame_rx.py",
    "applications/engines/model.py": "test_engines_model.py",
    "protocols/tcp/model.py": "test_tcp_core.py",
    "protocols/tcp/segment.py": "test_tcp_core.py",
    "applications/reed_solomon": "test_reed_solomon_model.py",
    "applications/engines": "test_engines_model.py",
    "protocols": "test_traffic.py",
    "protocols/tcp": "test_tcp_sockets.py",
    "implementation": "test_timing.py",
    "live": "test_live.py",
    "live/run.py": "test_live_address.py test_live.py",
    "measure/area": "test_area.py test_sta.py",
    "measure/sweep": "test_sweep.py",
    "measure": "test_rs.py test_sweep.py",
    "measure/exchanges.py": "test_udp_echo.py",
    "pictures": "test_show.py",
    "pictures/diagrams.py": "test_pages.py",
    "pictures/floorplan.py": "test_timing.py",
    "cli/project.py": "test_new.py",
    "registers": "test_register_map.py test_registers.py",
    "simulator": _RUNTIME,
    "simulator/build.py": "test_build.py",
    "simulator/compiling.py": "test_build.py",
    "simulator/verilating.py": "test_build.py",
    "simulator/verilator.py": "test_build.py",
    "applications/logs/replaying.py": "test_replay.py",
    "applications/logs": "test_logs.py test_drop_logs.py test_tcp_logs.py",
    "applications/pe": "test_elements.py",
    "applications/spn": "test_spn_models.py test_spn_pipelines.py test_spn_compile.py",
    "applications/vr": "test_vr_messages.py test_vr_witness.py",
    "applications/firewall": "test_blacklist.py test_firewall.py",
    "applications/intrusion_detection/streams.py": "test_rule_streams.py test_ids_streams.py",
    "applications/intrusion_detection": "test_rules.py test_rule_tables.py test_ids.py",
    "cluster/commands/counters.py": "test_boards_live.py",
    "cluster/commands/run.py": "test_run.py",
    "cluster/live_run.py": "test_run.py",
    "cluster/run.py": "test_run.py",
    **{
        f"cluster/{name}.py": "test_ranks.py test_run.py"
        for name in (
            *("description", "engine", "mpi", "rank"),
            *("shared", "simulation", "transport", "worker"),
        )
    },
    "generation/beat_links.py": "test_run.py test_generate.py",
    "simulator/beat_links.py": "test_beat_links.py",
    "simulator/balancer.py": "test_middlebox.py",
    "applications/processors/processor.py": "test_middlebox.py",
    "applications/processors/processors.py": "test_middlebox.py",
    "applications/processors/software.py": "test_processors.py",
    "applications/processors/distribution.py": "test_middlebox_lanes.py",
    "protocols/tcp/sockets.py": "test_tcp_sockets.py",
    "simulator/stalls.py": "test_watchdog.py",
    "simulator/impairment.py": "test_impairment.py",
    "base/yaml_file.py": "test_config.py test_hostile_files.py",
    "base/yaml_text.py": "test_config.py test_hostile_files.py",
    "base/output.py": "test_output.py",
    "fabric/router.py": "test_generate.py",
    "fabric/routing.py": "test_routing.py test_deadlock.py",
    "fabric/config.py": "test_config.py test_check.py test_deadlock.py",
    "analysis/run_time.py": "test_control_client.py",
    "analysis/agreement.py": "test_agreement.py",
    "analysis/check.py": "test_check.py test_check_values.py test_replica_designs.py "
    "test_replica_mistakes.py test_mac_ports.py test_networks.py test_deadlock.py",
    "analysis/checks": "test_check.py test_check_values.py test_requests.py test_window.py",
    "analysis/deadlock.py": "test_deadlock.py test_check.py",
    "analysis/load.py": "test_load.py test_placer.py test_placement_snake.py",
    "analysis/requests.py": "test_requests.py test_networks.py",
    "analysis/blocking.py": "test_placer.py",
    "design/flight.py": "test_window.py",
    "design/knots.py": "test_deadlock.py",
    "analysis/flight_problems.py": "test_window.py",
    "design/window.py": "test_window.py",
    "analysis/kinds.py": "test_message_kinds.py",
    "design/dispatch.py": "test_replica_designs.py test_replica_mistakes.py",
    "design/edit.py": "test_hostile_files.py test_placer.py",
    "design/elements.py": "test_generate.py test_check.py",
    "design/hop_networks.py": "test_networks.py",
    "design/network.py": "test_networks.py",
    "design/next_table.py": "test_generate.py",
    "design/parameters.py": "test_parameters.py test_rtl.py",
    "design/raised.py": "test_raised_ports.py test_joined_ports.py",
    "design/rtl": "test_rtl.py test_message_kinds.py",
    "design/rtl/remarks.py": "test_rtl.py test_message_kinds.py test_check_values.py",
    "design/rtl/ports.py": "test_rtl.py test_raised_ports.py",
    "design/rtl/contract.py": "test_rtl.py test_waiting_model.py test_networks.py "
    "test_message_kinds.py",
    "design/rtl/layer_kind.py": "test_rtl.py test_message_kinds.py",
    "design/rtl/layer_reader.py": "test_rtl.py test_waiting_model.py",
    "design/hops.py": "test_check.py test_config.py test_replica_designs.py "
    "test_replica_mistakes.py",
    "design/resolve.py": "test_check.py test_config.py test_generate.py "
    "test_replica_designs.py test_replica_mistakes.py test_rtl.py",
    "design/resources.py": "test_waiting_model.py test_requests.py test_deadlock.py",
    "design/snake.py": "test_placement_snake.py",
    "generation": "test_generate.py test_watchpoints.py test_output_folder.py",
    "generation/folder.py": "test_output_folder.py",
    "design/addresses.py": "test_live_address.py",
    "analysis/placement": "test_placer.py test_placement_snake.py",
}


def find_tests(file: PurePosixPath) -> Tests | None:
    """The tests that concern a file of the repository; None if none are listed.

    Those of a module's parameters come last before the designs.
    """
    found = _find(file)
    if found is None:
        return None
    unit = tuple(map(_located, found.unit))
    if _has_bad_values(file.stem):
        values = f"{_PARAMETERS} -k 'bad_values and [{file.stem}] or limit and {file.stem}'"
        unit = (*unit, _located(values))
    return replace(found, unit=unit, design=tuple(map(_located, found.design)))


def _located(stage: str) -> str:
    """The stage with the path of each test file."""

    def path(name: re.Match[str]) -> str:
        (found,) = _TESTS.rglob(name[0])
        return str(found.relative_to(_TESTS.parent))

    return re.sub(r"\btest_\w+\.py\b", path, stage)


def _has_bad_values(module: str) -> bool:
    return any(f'    "{module}": [' in file.read_text() for file in _TESTS.rglob("bad_values_*.py"))


def _find(file: PurePosixPath) -> Tests | None:
    if file.suffix == ".py":
        parts = file.parts[2:]  # after src/bombus
        names = ["/".join(parts[start:]) for start in range(len(parts))]
        names += ["/".join(parts[start:-1]) for start in range(len(parts) - 1)]
        found = next((_PYTHON[name] for name in names if name in _PYTHON), None)
        return Tests((found,), ()) if found else None
    if file.stem in _INTERFACE_FILES:
        return Tests(_INTERFACE, (_TRAFFIC, _REPLICAS))
    return _FILES.get(file.stem) or _FOLDERS.get(file.parent.name)
