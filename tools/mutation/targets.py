# SPDX-License-Identifier: Apache-2.0
"""Which tests concern a file: those of its own first, then those of what it is a part of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

_ROOT = Path(__file__).resolve().parents[2]
_PARAMETERS = "tests/unit/test_parameters.py"

# Arguments of pytest, for one run each.
_PRIMITIVES = "tests/rtl/test_primitives.py tests/rtl/test_fifos.py tests/rtl/test_merges.py"
_HEADERS = "tests/rtl/test_headers.py"
_LAYERS = "tests/rtl/test_layers.py"
_MAC = "tests/rtl/test_mac_rx.py tests/rtl/test_mac_tx.py"
_ROUTER = "tests/rtl/test_router.py -k router"
_MESH = "tests/rtl/test_router.py -k mesh"
_CHANNELS = "tests/rtl/test_router.py -k 'mesh or virtual'"
_GROUPS = "tests/rtl/test_replica_groups.py"
_INTERFACE = ("tests/rtl/test_network_interface.py", _GROUPS)
_DISPATCH = f"tests/rtl/test_dispatch.py {_GROUPS}"
_REGISTERS = "tests/rtl/test_registers.py"
_CROSSPOINT = "tests/rtl/test_crosspoint.py"
_TRAFFIC = "tests/system/test_traffic.py -k udp_echo_10g"
_BAD_INPUT = "tests/system/test_bad_input.py -k udp_echo_10g"
_REPLICAS = "tests/system/test_replicas.py"
_TWO_PORTS = "tests/system/test_two_ports.py"
_ICMP_ERRORS = "tests/system/test_icmp_errors.py"
_ANY_ORDER = "tests/system/test_any_order.py"


@dataclass(frozen=True)
class Tests:
    """`design`: tests of whole designs; `proofs`: those of tests/formal, by pytest's -k."""

    unit: Sequence[str]
    design: Sequence[str] = (_TRAFFIC,)
    proofs: str = ""


_PROCESSOR = (
    "tests/rtl/test_rpu.py",
    "tests/rtl/test_rpu_hostile.py",
    "tests/rtl/test_rpu_watchdog.py",
)

_FOLDERS: Mapping[str, Tests] = {
    "rtl/applications/echo": Tests((_LAYERS,)),
    "rtl/protocols/arp": Tests(
        ("tests/rtl/test_arp_tables.py", "tests/rtl/test_arp_order.py"),
        ("tests/system/test_arp.py", "tests/system/test_run_time.py", _TWO_PORTS, _TRAFFIC),
    ),
    "rtl/platform/clocks": Tests(
        ("tests/rtl/test_clocks.py",), proofs="async_fifo or reset_handshake"
    ),
    **dict.fromkeys(
        (
            "rtl/platform/contract",
            "rtl/platform/frames",
            "rtl/platform/hashes",
            "rtl/platform/streams",
        ),
        Tests((_PRIMITIVES, _MAC)),
    ),
    "rtl/applications/engines": Tests(
        ("tests/rtl/test_engines.py", "tests/rtl/test_engine_parser.py"),
        ("tests/system/test_engine_sequences.py",),
    ),
    "rtl/protocols/eth": Tests((_LAYERS,), (_BAD_INPUT, _TRAFFIC)),
    "rtl/protocols/icmp": Tests((_LAYERS,), (_ICMP_ERRORS, _BAD_INPUT, _TRAFFIC)),
    "rtl/protocols/ipv4": Tests((f"{_LAYERS} -k ipv4",), (_ICMP_ERRORS, _BAD_INPUT, _TRAFFIC)),
    "rtl/applications/firewall": Tests(
        ("tests/rtl/test_range_search.py",), ("tests/system/test_firewall.py",)
    ),
    "rtl/applications/intrusion_detection": Tests(
        ("tests/rtl/test_rule_matcher.py", "tests/rtl/test_rule_matcher_streams.py"),
        ("tests/system/test_ids.py", "tests/system/test_ids_streams.py"),
    ),
    "rtl/protocols/mac": Tests((_MAC,), (_TRAFFIC, _BAD_INPUT)),
    "rtl/platform/memories": Tests((), ("tests/system/test_memory.py",)),
    **dict.fromkeys(
        (
            *("rtl/platform/checks", "rtl/platform/credits", "rtl/platform/interface"),
            *("rtl/platform/registers", "rtl/platform/replicas", "rtl/platform/routers"),
        ),
        Tests((_ROUTER, _CHANNELS, *_INTERFACE)),
    ),
    "rtl/applications/processors": Tests(
        (
            "tests/rtl/test_rpu_directed.py",
            "tests/rtl/test_rpu_core.py",
            "tests/rtl/test_rpu_random.py",
        ),
        (),
        "rpu_core",
    ),
    "rtl/applications/reed_solomon": Tests(
        ("tests/rtl/test_reed_solomon.py",), ("tests/system/test_rs_libraries.py",)
    ),
    "rtl/protocols/tcp": Tests(("tests/rtl/test_tcp_core.py",), ("tests/system/test_tcp.py",)),
    "rtl/protocols/udp": Tests((f"{_LAYERS} -k udp",), (_BAD_INPUT, _TRAFFIC)),
}
_FILES: Mapping[str, Tests] = {
    **dict.fromkeys(
        (
            *(
                "rtl/platform/frames/byte_rotate.sv",
                "rtl/protocols/tcp/ring_memory.sv",
                "rtl/protocols/tcp/ring_read.sv",
            ),
            *("rtl/protocols/tcp/ring_write.sv", "rtl/protocols/tcp/tcp_receive_buffer.sv"),
            "rtl/protocols/tcp/tcp_send_buffer.sv",
        ),
        Tests(("tests/rtl/test_tcp_buffers.py",), ()),
    ),
    "rtl/protocols/mac/frame_loop.sv": Tests(("tests/rtl/test_frame_loop.py",), ()),
    "rtl/protocols/mac/frame_rx.sv": Tests(
        ("tests/rtl/test_frame_rx.py",), ("tests/system/test_middlebox.py",)
    ),
    "rtl/applications/processors/rpu_host.sv": Tests(
        ("tests/rtl/test_rpu_host.py",), ("tests/system/test_host_memory.py",)
    ),
    "rtl/applications/processors/rpu.sv": Tests(_PROCESSOR, ()),
    "rtl/applications/processors/rpu_bus.sv": Tests(_PROCESSOR, ()),
    "rtl/platform/interface/broadcast.sv": Tests(("tests/rtl/test_broadcast.py",), ()),
    "rtl/applications/processors/rpu_mailbox.sv": Tests(("tests/rtl/test_broadcast.py",), ()),
    "rtl/applications/processors/rpu_share.sv": Tests(("tests/rtl/test_rpu_share.py",), ()),
    "rtl/applications/processors/rpu_timer.sv": Tests(
        ("tests/rtl/test_rpu_interrupts.py -k timer",), ()
    ),
    "rtl/applications/processors/rpu_watchdog.sv": Tests(_PROCESSOR, ()),
    "rtl/applications/processors/rpu_packets.sv": Tests(_PROCESSOR, ()),
    "rtl/protocols/tcp/tcp_lookup.sv": Tests(
        ("tests/rtl/test_tcp_lookup.py",), ("tests/system/test_tcp.py",)
    ),
    "rtl/protocols/tcp/tcp_errors.sv": Tests((), ("tests/system/test_tcp_path.py",)),
    "rtl/protocols/tcp/tcp_session_match.sv": Tests(("tests/rtl/test_tcp_sessions.py -k 16",), ()),
    "rtl/protocols/tcp/tcp_session_table.sv": Tests(
        ("tests/rtl/test_tcp_sessions.py -k 64",), (), "tcp_session"
    ),
    "rtl/protocols/tcp/tcp_sessions.sv": Tests(("tests/rtl/test_tcp_sessions.py",), ()),
    "rtl/protocols/tcp/tcp_timers.sv": Tests(("tests/rtl/test_tcp_timers.py",), ()),
    **{
        f"rtl/protocols/tcp/tcp_{name}.sv": Tests(("tests/rtl/test_tcp_listening.py",), ())
        for name in ("connect", "listening")
    },
    "rtl/applications/echo/tcp_echo_bypass.sv": Tests(("tests/rtl/test_tcp_echo_bypass.py",), ()),
    **{
        f"rtl/protocols/tcp/tcp_{name}.sv": Tests(("tests/rtl/test_tcp_deliver.py",), ())
        for name in ("bypass", "deliver")
    },
    "rtl/applications/echo/tcp_echo.sv": Tests(
        ("tests/rtl/test_tcp_echo.py",), ("tests/system/test_tcp.py",)
    ),
    **{
        f"rtl/protocols/tcp/tcp_{name}.sv": Tests(("tests/rtl/test_tcp_receive.py",), ())
        for name in ("layout", "options", "payload", "receive")
    },
    **{
        f"rtl/protocols/tcp/tcp_{name}.sv": Tests(("tests/rtl/test_tcp_reassembly.py",), ())
        for name in ("ranges", "reassembly")
    },
    **{
        f"rtl/protocols/tcp/tcp_{name}.sv": Tests(("tests/rtl/test_tcp_congestion.py",), ())
        for name in ("congestion", "cubic")
    },
    "rtl/protocols/tcp/tcp_scoreboard.sv": Tests(
        ("tests/rtl/test_tcp_recovery.py", "tests/rtl/test_tcp_core.py -k echo"), ()
    ),
    "rtl/protocols/tcp/tcp_pkg.sv": Tests(
        ("tests/unit/test_tcp_package.py", "tests/rtl/test_tcp_receive.py"), ()
    ),
    "rtl/platform/contract/bombus_pkg.sv": Tests(
        (_LAYERS, _MAC, "tests/rtl/test_checksum_start.py"), (_TRAFFIC, _BAD_INPUT)
    ),
    "rtl/platform/hashes/crc_hash.sv": Tests((f"{_DISPATCH} -k 'hash or policy'",), (_REPLICAS,)),
    "rtl/platform/streams/drop_register.sv": Tests((f"{_PRIMITIVES} -k dropped", _LAYERS)),
    "rtl/platform/frames/frame_buffer.sv": Tests((f"{_PRIMITIVES} -k buffer", _MAC)),
    "rtl/platform/frames/frame_sum.sv": Tests(
        (f"{_PRIMITIVES} -k sum", _MAC), (_TRAFFIC, _BAD_INPUT)
    ),
    "rtl/platform/streams/head_fifo.sv": Tests(
        (f"{_PRIMITIVES} -k fifo", _ROUTER), proofs="head_fifo"
    ),
    **dict.fromkeys(
        (
            "rtl/protocols/tcp/tcp_host.sv",
            "rtl/platform/streams/to_axi_stream.sv",
            "rtl/platform/streams/from_axi_stream.sv",
            "rtl/platform/streams/keep_count.sv",
        ),
        Tests(("tests/rtl/test_host_streams.py", "tests/system/test_tcp_host.py"), ()),
    ),
    **dict.fromkeys(
        ("rtl/protocols/tcp/tcp_stream.sv", "rtl/protocols/tcp/tcp_stream_pkg.sv"),
        Tests(("tests/rtl/test_tcp_stream.py", "tests/system/test_tcp_kernel.py"), ()),
    ),
    **{
        f"rtl/platform/checks/{name}_checker.sv": Tests((f"tests/rtl/test_{name}_checker.py",), ())
        for name in ("axi_stream", "stream", "layer")
    },
    "rtl/platform/checks/link_checker.sv": Tests(("tests/rtl/test_link_checker.py",), ()),
    "rtl/protocols/ipv4/mac_route.sv": Tests(("tests/rtl/test_mac_route.py",), (_TWO_PORTS,)),
    "rtl/platform/frames/host_sums.sv": Tests(("tests/rtl/test_layers.py",), (_TWO_PORTS,)),
    "rtl/platform/contract/by_mac_port.sv": Tests(("tests/rtl/test_mac_route.py",), (_TWO_PORTS,)),
    "rtl/platform/streams/axi_gather.sv": Tests(
        ("tests/rtl/test_udp_stream.py", "tests/rtl/test_tcp_stream.py"), ()
    ),
    **dict.fromkeys(
        ("rtl/protocols/udp/udp_stream.sv", "rtl/protocols/udp/udp_stream_pkg.sv"),
        Tests(("tests/rtl/test_udp_stream.py", "tests/system/test_udp_kernel.py"), ()),
    ),
    "rtl/platform/memories/free_list.sv": Tests(
        ("tests/rtl/test_tcp_sessions.py",), (), "free_list"
    ),
    "rtl/platform/hashes/siphash.sv": Tests(("tests/rtl/test_siphash.py",), ()),
    "rtl/platform/hashes/keyed_hash.sv": Tests(("tests/rtl/test_tcp_sessions.py",), ()),
    "rtl/platform/streams/least_recent.sv": Tests((_CHANNELS, _CROSSPOINT), (), "output_formal"),
    "rtl/platform/frames/ones_compressor.sv": Tests((f"{_PRIMITIVES} -k sum", _MAC, _LAYERS)),
    "rtl/platform/frames/ones_pkg.sv": Tests((f"{_PRIMITIVES} -k sum", _MAC, _LAYERS)),
    "rtl/platform/frames/prepend.sv": Tests((_HEADERS, _LAYERS)),
    "rtl/platform/streams/round_robin.sv": Tests((f"{_PRIMITIVES} -k 'arbiter or merge'", _ROUTER)),
    "rtl/platform/streams/skid_buffer.sv": Tests((f"{_PRIMITIVES} -k dropped",)),
    "rtl/platform/streams/stream_merge.sv": Tests(
        (f"{_PRIMITIVES} -k merge", *_INTERFACE), proofs="stream_merge"
    ),
    "rtl/platform/streams/message_register.sv": Tests(("tests/system/test_tcp_host.py",), ()),
    "rtl/platform/streams/stream_register.sv": Tests((_DISPATCH,), (_REPLICAS,)),
    "rtl/platform/frames/strip.sv": Tests((_HEADERS, _LAYERS)),
    "rtl/platform/clocks/timebase.sv": Tests((f"{_REGISTERS} -k time",)),
    "rtl/protocols/ipv4/ipv4_options.sv": Tests(
        ("tests/rtl/test_ipv4_options.py", f"{_LAYERS} -k ipv4"), (_BAD_INPUT,)
    ),
    "rtl/platform/replicas/completions.sv": Tests((f"{_DISPATCH} -k completions",), (_REPLICAS,)),
    "rtl/platform/registers/counter_bank.sv": Tests((_REGISTERS,)),
    "rtl/platform/routers/crosspoint_input.sv": Tests((_CROSSPOINT,), (), "crosspoint_input"),
    "rtl/platform/routers/crosspoint_output.sv": Tests((_CROSSPOINT,), (), "crosspoint_output"),
    "rtl/platform/interface/dispatch.sv": Tests((_DISPATCH,), (_REPLICAS,)),
    "rtl/platform/credits/flight_gate.sv": Tests((), (_ANY_ORDER,)),
    "rtl/platform/credits/flight_meter.sv": Tests((), (_ANY_ORDER,)),
    "rtl/platform/credits/flight_pool.sv": Tests((), (_ANY_ORDER,), "flight_pool"),
    "rtl/platform/credits/flight_returns.sv": Tests((), (_ANY_ORDER,), "flight_returns"),
    "rtl/platform/credits/flight_window.sv": Tests(
        ("tests/rtl/test_crosspoint_mesh.py",), (), "flight_window"
    ),
    "rtl/platform/routers/laned_queue.sv": Tests((_CROSSPOINT, _CHANNELS), (), "laned_queue"),
    "rtl/platform/replicas/least_loaded.sv": Tests((_DISPATCH,), (_REPLICAS,)),
    "rtl/platform/routers/mesh.sv": Tests((_MESH,), ()),
    "rtl/platform/contract/noc_pkg.sv": Tests(
        (_ROUTER, _CROSSPOINT, _INTERFACE[0]), (), "wormhole"
    ),
    "rtl/platform/routers/queue_lane.sv": Tests((_CROSSPOINT, _CHANNELS), (), "laned_queue"),
    "rtl/platform/routers/router.sv": Tests((_MESH,)),
    "rtl/platform/routers/router_crosspoint.sv": Tests((_CROSSPOINT,), (), "router_crosspoint"),
    "rtl/platform/routers/router_virtual_channels.sv": Tests((_CHANNELS,), (), "router_virtual"),
    "rtl/platform/routers/router_wormhole.sv": Tests((_ROUTER,), proofs="router_wormhole"),
    "rtl/platform/replicas/scheduler.sv": Tests((), (_REPLICAS,)),
    "rtl/platform/registers/register_table.sv": Tests(("tests/rtl/test_register_block.py",)),
    "rtl/platform/routers/vc_choice.sv": Tests((_CHANNELS,), (), "vc_input"),
    "rtl/platform/routers/vc_input.sv": Tests((_CHANNELS,), (), "vc_input"),
    "rtl/platform/routers/vc_output.sv": Tests((_CHANNELS,), (), "vc_output"),
}
_INTERFACE_FILES = ("network_interface", "route_table", "replica_choice", "injection", "ejection")

# Names without a folder are in tests/unit.
_UNIT = "tests/unit"
_RUNTIME = "tests/sim/test_runtime.py tests/sim/test_misuse.py"
_PYTHON: Mapping[str, str] = {
    "src/bombus/base": "test_output.py test_config.py test_hostile_files.py test_cli.py",
    "src/bombus/base/cache.py": "tests/sim/test_build.py",
    "src/bombus/base/interrupt.py": "tests/sim/test_live_ends.py",
    "src/bombus/base/progress.py": "test_progress.py",
    "src/bombus/base/sources.py": "test_output.py test_rtl.py test_generate.py",
    "src/bombus/board": "tests/board/test_board.py",
    "src/bombus/cli": "test_cli.py",
    "src/bombus/cli/demo.py": "tests/docs/test_examples.py",
    "src/bombus/cli/show.py": "test_cli.py test_show.py",
    "src/bombus/cli/place.py": "test_cli.py test_placer.py",
    "src/bombus/cli/run.py": "test_cli.py tests/sim/test_live.py",
    "src/bombus/cli/sweep.py": "tests/sweep/test_sweep.py",
    "src/bombus/cli/timing.py": "tests/board/test_timing.py",
    "src/bombus/cli/area.py": "test_cli.py test_area.py",
    "src/bombus/cli/bench.py": "test_cli.py tests/bench/test_rs.py",
    "src/bombus/clients/engines.py": "tests/system/test_engine_sequences.py",
    "src/bombus/clients/reed_solomon.py": "tests/system/test_rs_client.py",
    "src/bombus/design": "test_generate.py test_check.py test_reference.py test_register_map.py",
    "src/bombus/design/config": "test_config.py test_check.py test_reference.py",
    "src/bombus/design/config/design.py": "test_config.py test_check.py test_mac_ports.py "
    "test_reference.py",
    "src/bombus/design/config/tile.py": "test_config.py test_check.py test_replica_designs.py "
    "test_replica_mistakes.py test_reference.py",
    "src/bombus/design/memories.py": "test_raised_ports.py test_config.py",
    "src/bombus/design/messages.py": "test_message_kinds.py",
    "src/bombus/design/reference.py": "test_reference.py tests/docs/test_pages.py",
    "src/bombus/design/register_reference.py": "tests/docs/test_pages.py",
    "src/bombus/fabric": "test_config.py test_check.py test_routing.py",
    "src/bombus/firmware": "test_firmware.py",
    "src/bombus/firmware/load.py": "tests/system/test_rpu_echo.py",
    "src/bombus/golden/frames.py": "tests/system/test_traffic.py",
    "src/bombus/golden/answers.py": "tests/system/test_traffic.py",
    "src/bombus/golden/ports.py": "tests/system/test_two_ports.py",
    "src/bombus/golden/routes.py": "tests/system/test_two_port_routes.py",
    "src/bombus/golden/stack.py": "tests/system/test_traffic.py",
    "src/bombus/golden/chacha.py": "test_engines_model.py",
    "src/bombus/golden/flow_key.py": "tests/rtl/test_frame_rx.py",
    "src/bombus/golden/engines.py": "test_engines_model.py",
    "src/bombus/golden/tcp.py": "tests/rtl/test_tcp_core.py",
    "src/bombus/golden/tcp_segment.py": "tests/rtl/test_tcp_core.py",
    "src/bombus/golden": "test_reed_solomon_model.py",
    "src/bombus/implementation": "tests/board/test_timing.py",
    "src/bombus/live": "tests/sim/test_live.py",
    "src/bombus/live/run.py": "test_live_address.py tests/sim/test_live.py",
    "src/bombus/measure/area": "test_area.py test_sta.py",
    "src/bombus/measure/sweep": "tests/sweep/test_sweep.py",
    "src/bombus/measure": "tests/bench/test_rs.py tests/sweep/test_sweep.py",
    "src/bombus/measure/exchanges.py": "tests/bench/test_udp_echo.py",
    "src/bombus/pictures": "test_show.py",
    "src/bombus/pictures/diagrams.py": "tests/docs/test_pages.py",
    "src/bombus/pictures/floorplan.py": "tests/board/test_timing.py",
    "src/bombus/registers": "test_register_map.py tests/rtl/test_registers.py",
    "src/bombus/simulator": _RUNTIME,
    "src/bombus/simulator/build.py": "tests/sim/test_build.py",
    "src/bombus/simulator/compiling.py": "tests/sim/test_build.py",
    "src/bombus/simulator/verilating.py": "tests/sim/test_build.py",
    "src/bombus/simulator/verilator.py": "tests/sim/test_build.py",
    "src/bombus/firewall": "test_blacklist.py tests/system/test_firewall.py",
    "src/bombus/rules/streams.py": "test_rule_streams.py tests/system/test_ids_streams.py",
    "src/bombus/rules": "test_rules.py test_rule_tables.py tests/system/test_ids.py",
    "src/bombus/simulator/balancer.py": "tests/system/test_middlebox.py",
    "src/bombus/simulator/processors.py": "tests/system/test_middlebox.py",
    "src/bombus/simulator/distribution.py": "tests/system/test_middlebox_lanes.py",
    "src/bombus/simulator/tcp.py": "tests/system/test_tcp_sockets.py",
    "src/bombus/simulator/stalls.py": "tests/sim/test_watchdog.py",
    "src/bombus/simulator/impairment.py": "tests/sim/test_impairment.py",
    "src/bombus/base/yaml_file.py": "test_config.py test_hostile_files.py",
    "src/bombus/base/yaml_text.py": "test_config.py test_hostile_files.py",
    "src/bombus/base/output.py": "test_output.py",
    "src/bombus/fabric/router.py": "test_generate.py",
    "src/bombus/fabric/routing.py": "test_routing.py test_deadlock.py",
    "src/bombus/fabric/config.py": "test_config.py test_check.py test_deadlock.py",
    "src/bombus/analysis/agreement.py": "test_agreement.py",
    "src/bombus/analysis/check.py": "test_check.py test_check_values.py test_replica_designs.py "
    "test_replica_mistakes.py test_mac_ports.py test_networks.py test_deadlock.py",
    "src/bombus/analysis/deadlock.py": "test_deadlock.py test_check.py",
    "src/bombus/analysis/load.py": "test_load.py test_placer.py test_placement_snake.py",
    "src/bombus/analysis/requests.py": "test_requests.py test_networks.py",
    "src/bombus/analysis/blocking.py": "test_placer.py",
    "src/bombus/analysis/flight.py": "test_window.py",
    "src/bombus/analysis/flight_problems.py": "test_window.py",
    "src/bombus/analysis/window.py": "test_window.py",
    "src/bombus/analysis/kinds.py": "test_message_kinds.py",
    "src/bombus/design/dispatch.py": "test_replica_designs.py test_replica_mistakes.py",
    "src/bombus/design/edit.py": "test_hostile_files.py test_placer.py",
    "src/bombus/design/elements.py": "test_generate.py test_check.py",
    "src/bombus/design/hop_networks.py": "test_networks.py",
    "src/bombus/design/network.py": "test_networks.py",
    "src/bombus/design/next_table.py": "test_generate.py",
    "src/bombus/design/parameters.py": "test_parameters.py test_rtl.py",
    "src/bombus/design/raised.py": "test_raised_ports.py test_joined_ports.py",
    "src/bombus/design/rtl": "test_rtl.py test_message_kinds.py",
    "src/bombus/design/rtl/remarks.py": "test_rtl.py test_message_kinds.py test_check_values.py",
    "src/bombus/design/rtl/ports.py": "test_rtl.py test_raised_ports.py",
    "src/bombus/design/rtl/contract.py": "test_rtl.py test_waiting_model.py test_networks.py "
    "test_message_kinds.py",
    "src/bombus/design/rtl/layer_kind.py": "test_rtl.py test_message_kinds.py",
    "src/bombus/design/rtl/layer_reader.py": "test_rtl.py test_waiting_model.py",
    "src/bombus/design/hops.py": "test_check.py test_config.py test_replica_designs.py "
    "test_replica_mistakes.py",
    "src/bombus/design/resolve.py": "test_check.py test_config.py test_generate.py "
    "test_replica_designs.py test_replica_mistakes.py test_rtl.py",
    "src/bombus/design/resources.py": "test_waiting_model.py test_requests.py test_deadlock.py",
    "src/bombus/design/snake.py": "test_placement_snake.py",
    "src/bombus/generation": "test_generate.py test_watchpoints.py test_output_folder.py",
    "src/bombus/generation/folder.py": "test_output_folder.py",
    "src/bombus/live/addresses.py": "test_live_address.py",
    "src/bombus/placement": "test_placer.py test_placement_snake.py",
}


def find_tests(file: PurePosixPath) -> Tests | None:
    """The tests that concern a file of the repository; None if none are listed.

    Those of a module's parameters come last before the designs.
    """
    found = _find(file)
    if found is None or not _has_bad_values(file.stem):
        return found
    values = f"{_PARAMETERS} -k 'bad_values and [{file.stem}] or limit and {file.stem}'"
    return replace(found, unit=(*found.unit, values))


def _has_bad_values(module: str) -> bool:
    return f'    "{module}": [' in (_ROOT / _PARAMETERS).read_text()


def _find(file: PurePosixPath) -> Tests | None:
    name, folder = file.as_posix(), file.parent.as_posix()
    if file.stem in _INTERFACE_FILES:
        return Tests(_INTERFACE, (_TRAFFIC, _REPLICAS))
    if names := _PYTHON.get(name) or _PYTHON.get(folder):
        paths = (name if "/" in name else f"{_UNIT}/{name}" for name in names.split())
        return Tests((" ".join(paths),), ())
    return _FILES.get(name) or _FOLDERS.get(folder)
