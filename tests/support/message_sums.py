# SPDX-License-Identifier: Apache-2.0
"""The message sum of every tile: what came in has gone out, was dropped, ends there or waits there.

For an idle tile, in messages:

    in + started there = out + dropped + ended there + waiting there

`watch` has every simulation of this process checked when it is closed; `tests/conftest.py` calls
it, and `python -m tests.support.watched PROGRAM` for programs that tests start.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from bombus.simulator.counters import DROP, EVENT, Counters
from bombus.simulator.simulation import Simulation

# Dropped between two tiles: a drop of the mesh, not of the tile whose router counts it.
ROUTER_DROP = ".router."
# Dropped between a tile and a MAC with its own clock: before entering the tile, or after leaving
# it.
CROSSING_DROP = f"{DROP}clock_crossing."

# Effect of an event on a message: it continues and is counted when it leaves, it ends in the layer
# (absorbed), or it starts there (generated).
GOES_ON, ENDS, STARTS = 0, 1, -1
EVENTS: dict[str, dict[str, int]] = {
    "acl": {
        "default": GOES_ON,
        "report": ENDS,
        "flow": GOES_ON,
        "flow_evicted": GOES_ON,
        "flow_expired": GOES_ON,
    },
    "acl_sent": {"reported": STARTS, "unreported": GOES_ON},
    "adder": {"sum": ENDS},
    "log_store": dict.fromkeys(("entry", "lost", "answer", "busy", "malformed"), GOES_ON),
    "drop_log": {"missed": GOES_ON},
    "memory_buffer": {"write_error": GOES_ON, "read_error": GOES_ON},
    "pe": dict.fromkeys(("done", "refused", "stopped"), GOES_ON),
    "pe_dma": dict.fromkeys(("failed", "refused", "mismatch", "unknown"), GOES_ON),
    "pe_memory": dict.fromkeys(("write_error", "read_error", "late"), GOES_ON),
    "arp": {
        "request_in": ENDS,
        "reply_in": ENDS,
        "question_in": ENDS,
        "update_out": STARTS,
        "reply_out": STARTS,
        "request_out": STARTS,
        "announcement_out": STARTS,
        "foreign": GOES_ON,
    },
    "control_tcp": dict.fromkeys(("message", "long", "bad_length", "cut"), GOES_ON),
    "controller": dict.fromkeys(
        (
            *("applied", "refused", "hello"),
            *("ignored_busy", "ignored_too_long", "ignored_malformed", "ignored_address"),
            *("ignored_unknown_key", "ignored_bad_tag"),
        ),
        GOES_ON,
    ),
    "engine_checksum": {"right": GOES_ON, "corrected": GOES_ON, "no_checksum": GOES_ON},
    "engine_encrypt": {"encrypted": GOES_ON, "plain": GOES_ON},
    "engine_forward": {"refused": GOES_ON, "no_entry": GOES_ON},
    "eth_tx": {
        "arp_update": ENDS,
        "packet_queued": GOES_ON,
        "packet_forwarded": GOES_ON,
        "question": STARTS,
        "question_repeated": STARTS,
        "renewal": STARTS,
        "binding_evicted": GOES_ON,
        "binding_refused": GOES_ON,
    },
    "icmp_echo": {
        "echo_reply": GOES_ON,
        "port_unreachable": GOES_ON,
        "protocol_unreachable": GOES_ON,
    },
    "ip_blacklist": {"listed": GOES_ON, "may_hide": GOES_ON, "other": GOES_ON},
    "my_list": {"listed": GOES_ON, "may_hide": GOES_ON, "other": GOES_ON},
    "ip_in_ip_decapsulate": {"marked": GOES_ON},
    "ip_in_ip_encapsulate": dict.fromkeys(("encapsulated", "too_big", "refused"), GOES_ON),
    "napt": dict.fromkeys(("outward", "inward", "error", "session"), GOES_ON),
    "vxlan_decapsulate": {"decapsulated": GOES_ON},
    "vxlan_encapsulate": {
        "encapsulated": GOES_ON,
        "replicated": ENDS,
        "copy": STARTS,
        "unknown": GOES_ON,
        "refused": GOES_ON,
    },
    "tcp_handover": {"carried": GOES_ON},
    "nat": {"translated": GOES_ON, "refused": GOES_ON},
    "ipv4_rx": {"options": GOES_ON, "unknown_protocol": GOES_ON},
    "register_walker": {
        "write": GOES_ON,
        "read": GOES_ON,
        "unused": GOES_ON,
        "wrong": GOES_ON,
    },
    "rpu": {
        "bad_descriptor": GOES_ON,
        "empty_slot": STARTS,
        "exception": GOES_ON,
        "stuck": GOES_ON,
        "message_lost": GOES_ON,
    },
    "rpu_host": {"to_host": ENDS, "from_host": STARTS},
    "rs_encode": {"encoded": GOES_ON},
    "rule_matcher": {
        "unchecked": GOES_ON,
        "hit_lost": GOES_ON,
        "flow_evicted": GOES_ON,
        "bad_checksum": GOES_ON,
    },
    "tcp": {
        "odd_options": GOES_ON,
        "bad_option": GOES_ON,
        "unacceptable": GOES_ON,
        "stale": GOES_ON,
        "out_of_order": GOES_ON,
        "timeout": GOES_ON,
        "repeat": GOES_ON,
        "aborted": GOES_ON,
        "bad_request": GOES_ON,
        "hole": GOES_ON,
        "refused": GOES_ON,
        "resets_busy": GOES_ON,
        "segment_in": ENDS,
        "segment_out": STARTS,
        "request": ENDS,
        "payload": STARTS,
        "told": STARTS,
        # They also count as requests.
        "path_mtu": GOES_ON,
        "unreachable": GOES_ON,
        "unused_error": GOES_ON,
        "evicted": GOES_ON,
        "evicted_idle": GOES_ON,
        "guessed": GOES_ON,
    },
    "tcp_host": {
        "taken": ENDS,
        "data": STARTS,
        "read": STARTS,
        "request": STARTS,
        "unknown_kind": GOES_ON,
    },
    "load_balancer": dict.fromkeys(
        ("balanced", "connected", "moved", "evicted", "unstored"), GOES_ON
    ),
    "tcp_echo": {"told": ENDS, "read": STARTS, "request": STARTS},
    "tcp_echo_bypass": {"told": ENDS, "request": STARTS},
    "tcp_load": {
        "told": ENDS,
        "right": ENDS,
        "wrong": ENDS,
        "read": STARTS,
        "written": STARTS,
        "request": STARTS,
    },
    "tcp_puppet": {
        "told": ENDS,
        "read": STARTS,
        "request": STARTS,
        "ignored": ENDS,
        "command": STARTS,
    },
    "tcp_send_buffer": {"sent": STARTS},
    "tcp_receive_buffer": {"bad_read": GOES_ON, "kept": ENDS},
    "tcp_framer": dict.fromkeys(("message", "long", "bad_length", "cut"), GOES_ON),
    "tcp_stream": {
        "told": ENDS,
        "received": ENDS,
        "sent": STARTS,
        "read": STARTS,
        "request": STARTS,
        "forgotten": GOES_ON,
        "impatient": GOES_ON,
    },
    "udp_stream": {"received": ENDS, "sent": STARTS, "too_long": GOES_ON},
    "udp_rx": {"closed_port": GOES_ON},
    "udp_upper": {"changed": GOES_ON},
    "peer_map": {"mapped": GOES_ON},
    # docs/examples/spn: every request has a reply
    "machine": dict.fromkeys(("batch", "bad_header", "bad_length", "too_many"), GOES_ON),
    "vr_witness": {
        **dict.fromkeys(("acknowledged", "valid", "invalid", "view_change", "recovered"), GOES_ON),
        "memory_error": GOES_ON,
        "handled": ENDS,
        "stored": ENDS,
        "sent": STARTS,
    },
}

# Layers that keep messages while their tile is idle: the counters whose sum is their number.
WAITING: dict[str, dict[str, int]] = {
    "eth_tx": {
        f"{EVENT}{{}}.packet_queued": 1,
        f"{EVENT}{{}}.packet_forwarded": -1,
        f"{DROP}{{}}.no_room": -1,
        f"{DROP}{{}}.unresolved": -1,
    },
}


# Layers that exchange messages with other boards: their tiles do not balance.
BEYOND = frozenset({"cluster_node"})
# Their events.
_CHANNEL = dict.fromkeys(("open", "grant", "return"), GOES_ON)
_LINK = ("packet_in", "packet_out", "beat_in", "crc_error", "retry", "lost", "down")
EVENTS |= {
    "cluster_node": dict.fromkeys(
        ("local_in", "local_out", *(f"link{n}_{event}" for n in range(4) for event in _LINK)),
        GOES_ON,
    ),
    "cluster_ethernet": dict.fromkeys(("frame_in", "frame_out", "gap"), GOES_ON),
    "cluster_send": _CHANNEL,
    "cluster_receive": _CHANNEL,
    "cluster_load": _CHANNEL,
    "cluster_collect": _CHANNEL | dict.fromkeys(("operation", "bad_vector"), GOES_ON),
}


def _ended(tile: Mapping[str, Any], values: Mapping[str, int]) -> int:
    """Messages that ended in a tile, minus those that started there."""
    total = 0
    for layer in tile["layers"]:
        effects = EVENTS.get(layer["kind"], {})
        prefix = f"{EVENT}{layer['name']}."
        for name in (name for name in values if name.startswith(prefix)):
            event = name.removeprefix(prefix)
            if event not in effects:
                raise LookupError(
                    f"event {event} of {layer['kind']}: add to EVENTS in {__file__} "
                    "whether a message GOES_ON, ENDS or STARTS with it"
                )
            total += effects[event] * values[name]
    return total


def _waiting(tile: Mapping[str, Any], values: Mapping[str, int]) -> int:
    """Messages that wait in a tile by the counters of its layers."""
    return sum(
        sign * values[name.format(layer["name"])]
        for layer in tile["layers"]
        for name, sign in WAITING.get(layer["kind"], {}).items()
    )


def _on_meshes(values: Mapping[str, int], way: str) -> int:
    """Messages that a tile received from the meshes of all networks, or sent to them."""
    names = (name for name in values if name.startswith("noc_"))
    return sum(values[name] for name in names if name.endswith(f"_{way}_messages"))


def waiting(manifest: Mapping[str, Any], counters: Counters) -> int:
    return sum(_waiting(tile, counters[tile["name"]]) for tile in manifest["tiles"])


def problems(manifest: Mapping[str, Any], counters: Counters) -> Iterator[str]:
    """The sums of an idle design that do not balance: of its tiles and its mesh."""
    sent = arrived = 0
    for tile in manifest["tiles"]:
        values = counters[tile["name"]]
        from_meshes, to_meshes = (_on_meshes(values, way) for way in ("in", "out"))
        came = from_meshes + values["mac_in_frames"]
        went = to_meshes + values["mac_out_frames"]
        drops = {name: n for name, n in values.items() if name.startswith(DROP)}
        router = sum(n for name, n in drops.items() if ROUTER_DROP in name)
        outside = sum(n for name, n in drops.items() if name.startswith(CROSSING_DROP))
        dropped = sum(drops.values()) - router - outside
        is_beyond = any(layer["kind"] in BEYOND for layer in tile["layers"])
        ended = came - went - dropped if is_beyond else _ended(tile, values)
        waits = _waiting(tile, values)
        if waits < 0 or came != went + dropped + ended + waits:
            yield (
                f"{tile['name']}: {came} in, but {went} out, {dropped} dropped, "
                f"{ended} more ended than started there, {waits} waiting"
            )
        sent += to_meshes
        arrived += from_meshes + router
    if sent != arrived:
        yield f"mesh: {sent} sent by tiles, but {arrived} arrived or dropped by routers"


IDLE_CYCLES = 1_000_000


def check(simulation: Simulation) -> int:
    """Checks every sum of a design that has finished its messages; returns the number still
    waiting.
    """
    # Impaired links may hold frames for longer than the default.
    assert simulation.advance_until_idle(IDLE_CYCLES)
    counters = simulation.counters()
    found = list(problems(simulation.manifest, counters))
    assert not found, "\n".join(found)
    _checked_at[simulation] = simulation.cycle
    return waiting(simulation.manifest, counters)


# By simulation: the cycle after the last check. Nothing has changed if that is still the cycle.
_checked_at: WeakKeyDictionary[Simulation, int] = WeakKeyDictionary()
_not_checked: WeakSet[Simulation] = WeakSet()


def leave_out(simulation: Simulation) -> None:
    """Excludes this simulation: it deadlocks, or its layers lose messages."""
    _not_checked.add(simulation)


def finish(simulation: Simulation) -> None:
    """Drains a design that is about to be closed, and checks its sums."""
    is_mesh = any("noc_in_messages" in tile["counters"] for tile in simulation.manifest["tiles"])
    is_checked = _checked_at.get(simulation) == simulation.cycle
    if not is_mesh or simulation in _not_checked or is_checked:
        return
    for port in range(simulation.mac_ports):
        simulation.pace(port)
        simulation.link(port, up=True)
    check(simulation)


def watch() -> None:
    """From now on, each simulation is checked as it is closed, unless an exception closes it."""
    close = Simulation.close

    def finish_and_close(simulation: Simulation) -> None:
        try:
            if not simulation._native.closed and sys.exc_info()[0] is None:
                finish(simulation)
        finally:
            close(simulation)

    Simulation.close = finish_and_close  # type: ignore[method-assign]
