# SPDX-License-Identifier: Apache-2.0
"""What a caller may not do is refused with a reason, and nothing hangs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from bombus.registers.access import open_map
from bombus.simulator import register_map
from bombus.simulator.build import Library
from bombus.simulator.impairment import Impairment
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

pytestmark = pytest.mark.slow

NAN = float("nan")
FRAME = bytes(60)
FOREVER = 1 << 50

# By name; each gets an open simulation.
REFUSED: dict[str, tuple[Callable[[Simulation], Any], str]] = {
    "port": (lambda s: s.send(FRAME, port=9), "no MAC port 9"),
    "port, 32 bits": (
        lambda s: s.send(FRAME, port=1 << 32),
        "port: must be at most 4294967295, not 4294967296",
    ),
    "negative port": (lambda s: s.send(FRAME, port=-1), "port: must be 0 or more, not -1"),
    "empty frame": (lambda s: s.send(b""), "from 1 to 262144 bytes, not 0"),
    "giant frame": (lambda s: s.send(bytes(262145)), "not 262145"),
    "port of receive": (lambda s: s.receive(7), "no MAC port 7"),
    "port of sent": (lambda s: s.sent(2), "no MAC port 2"),
    "negative timeout": (
        lambda s: s.receive(timeout_cycles=-1),
        "limit_cycles: must be 0 or more, not -1",
    ),
    "port of exchange": (lambda s: s.exchange([FRAME], ports=[2]), "from 0 to 1"),
    "huge port of exchange": (lambda s: s.exchange([FRAME], ports=[1 << 32]), "from 0 to 1"),
    "empty frame of exchange": (lambda s: s.exchange([FRAME, b""]), "frame 1: .* not 0"),
    "negative window": (
        lambda s: s.exchange([FRAME], window=-1),
        "window: must be 0 or more, not -1",
    ),
    "huge gap": (lambda s: s.exchange([FRAME] * 2, gap_cycles=1 << 60), "106 days"),
    "negative cycles": (lambda s: s.advance(-1), "cycles: must be 0 or more, not -1"),
    "too many cycles": (lambda s: s.advance(1 << 62), "106 days"),
    "negative time": (lambda s: s.elapse(us=-1), "us: must be 0 or more, not -1"),
    "negative seconds": (lambda s: s.elapse(seconds=-0.5), "seconds: must be 0 or more, not -0.5"),
    "no time": (lambda s: s.elapse(seconds=NAN), "nan"),
    "endless time": (lambda s: s.elapse(seconds=float("inf")), "inf is not"),
    "too long a time": (lambda s: s.elapse(us=1 << 62), "106 days"),
    "register address": (lambda s: s.read_register(1 << 20), "below 1048576"),
    "odd register": (lambda s: s.write_register(2, 0), "multiple of 4"),
    "time beyond C": (lambda s: s.elapse(us=1 << 70), "microseconds: must be at most 1844"),
    "register value": (lambda s: s.write_register(0, 1 << 32), "value: must be at most 4294967295"),
    "bubbles": (lambda s: s.pace(rx_bubble=2.0), "rx_bubble is a probability"),
    "stalls": (lambda s: s.pace(tx_stall=NAN), "tx_stall is a probability"),
    "line rate": (lambda s: s.line_rate(-1), "line rate"),
    "endless line rate": (lambda s: s.line_rate(float("inf")), "line rate"),
    "no directions": (lambda s: s.pcap_out("x", rx=False, tx=False), "directions"),
    "file descriptor": (lambda s: s.attach(999), "file descriptor 999"),
    "negative descriptor": (lambda s: s.attach(-2), "file descriptor -2"),
    "real time": (lambda s: s.run_live(-1), "not -1"),
    "no real time": (lambda s: s.run_live(NAN), "nan"),
    "MAC address": (lambda s: s.set_host(mac="02:01"), "mac '02:01'"),
    "group MAC address": (lambda s: s.set_host(mac="03:00:00:00:00:01"), "mac"),
    "zero MAC address": (lambda s: s.set_host(mac="00:00:00:00:00:00"), "mac"),
    "IP address": (lambda s: s.set_host(ip="10.0.0.256"), "ip '10.0.0.256'"),
    "multicast address": (lambda s: s.set_host(ip="224.0.0.1"), "ip 224.0.0.1: .* multicast"),
    "netmask": (lambda s: s.set_host(netmask="255.0.255.0"), "ones, then zeros"),
    "gateway": (lambda s: s.set_host(gateway="home"), "gateway 'home'"),
    "port of addresses": (lambda s: s.set_host(-1, ip="10.0.0.9"), "MAC port -1: .*0 to 1"),
    "port 2 of addresses": (lambda s: s.set_host(2, ip="10.0.0.9"), "MAC port 2: .*0 to 1"),
    "watch": (lambda s: s.watch(-1), "cycles: must be 0 or more, not -1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_reason(loopback: Library, name: str) -> None:
    call, reason = REFUSED[name]
    with Simulation(loopback) as simulation:
        with pytest.raises(SimulationError, match=reason):
            call(simulation)
        # It had no effect.
        assert simulation.exchange([FRAME]).received[0].data == FRAME


@pytest.mark.parametrize(
    "options",
    [
        {"rx_bubble": 2.0},
        {"tx_stall": -0.1},
        {"rx_bubble": NAN},
        {"timer_step_us": 0},
        {"timer_step_us": 40_000},
        {"timer_step_us": -1},
        {"queue_limit": 1 << 32},
        {"seed": -1},
        {"seed": 1 << 64},
    ],
    ids=str,
)
def test_options_are_checked(loopback: Library, options: dict[str, Any]) -> None:
    with pytest.raises(SimulationError, match=next(iter(options))):
        Simulation(loopback, **options)


@pytest.mark.parametrize("frame", [5, "text", [1, 2], None])
def test_what_is_no_frame(loopback: Library, frame: Any) -> None:
    with Simulation(loopback) as simulation:
        with pytest.raises(TypeError, match="a frame is bytes"):
            simulation.send(frame)
        with pytest.raises(TypeError, match="a frame is bytes"):
            simulation.exchange([frame])


def test_what_is_no_impairment(loopback: Library) -> None:
    text: Any = "loss=1%"
    with (
        Simulation(loopback) as simulation,
        pytest.raises(TypeError, match=r"by Impairment\.parse"),
    ):
        simulation.impair(text)


def test_closed(loopback: Library) -> None:
    """Every method reports it; closing again has no effect."""
    simulation = Simulation(loopback)
    simulation.close()
    simulation.close()
    calls: dict[str, Callable[[], Any]] = {
        "send": lambda: simulation.send(FRAME),
        "receive": lambda: simulation.receive(),
        "receive_all": lambda: simulation.receive_all(),
        "sent": lambda: simulation.sent(),
        "exchange": lambda: simulation.exchange([FRAME]),
        "cycle": lambda: simulation.cycle,
        "evaluated_cycles": lambda: simulation.evaluated_cycles,
        "time_us": lambda: simulation.time_us,
        "time_ns": lambda: simulation.time_ns,
        "busy": lambda: simulation.busy,
        "in_flight": lambda: simulation.in_flight,
        "advance": lambda: simulation.advance(1),
        "advance_until_idle": lambda: simulation.advance_until_idle(),
        "elapse": lambda: simulation.elapse(us=1),
        "reset": lambda: simulation.reset(),
        "read_register": lambda: simulation.read_register(0),
        "write_register": lambda: simulation.write_register(0, 0),
        "counters": lambda: simulation.counters(),
        "tile_counters": lambda: simulation.tile_counters("loop"),
        "watch": lambda: simulation.watch(),
        "stalls": lambda: simulation.stalls(),
        "set_host": lambda: simulation.set_host(ip="10.0.0.9"),
        "set_next_hop": lambda: simulation.set_next_hop("loop", 0, None),
        "set_slot": lambda: simulation.set_slot("loop", 0, 0, None),
        "reset_port": lambda: simulation.reset_port(),
        "read_pin": lambda: simulation.read_pin("lamp_o"),
        "advance_until_pin": lambda: simulation.advance_until_pin("lamp_o"),
        "write_pin": lambda: simulation.write_pin("key_i", 1),
        "link": lambda: simulation.link(up=False),
        "pace": lambda: simulation.pace(),
        "line_rate": lambda: simulation.line_rate(10),
        "impair": lambda: simulation.impair(Impairment(loss=0.5)),
        "pcap_in": lambda: simulation.pcap_in("x"),
        "pcap_out": lambda: simulation.pcap_out("x"),
        "wave_start": lambda: simulation.wave_start("x"),
        "wave_stop": lambda: simulation.wave_stop(),
        "errors": lambda: simulation.errors(),
        "check": lambda: simulation.check(),
        "statistics": lambda: simulation.statistics(),
        "attach": lambda: simulation.attach(0),
        "run_live": lambda: simulation.run_live(0.1),
        "registers": lambda: simulation.registers,
        "registers_of": lambda: simulation.registers_of("loopback"),
        "tile": lambda: simulation.tile("loop").counters(),
        "reset_core": lambda: simulation.reset_core(),
        "set_route": lambda: simulation.set_route(0, None),
        "set_routes": lambda: simulation.set_routes([]),
        "streams": lambda: simulation.streams["echo_in"].send(b"x"),
        "run_beats": lambda: simulation.run_beats(1),
    }
    # What the library and the manifest say; what their items do is among the above.
    others = {"close", "clock_hz", "data_bytes", "wave_format", "mac_ports"}
    others |= {"balancers", "extension", "serve", "serve_every", "at_reset", "table_writes"}
    others |= {"beat_links", "native"}
    assert {name for name in dir(Simulation) if name[0] != "_"} - others == set(calls)
    for name, call in calls.items():
        with pytest.raises(SimulationError, match="closed"):
            call()
            pytest.fail(name)


MANIFEST: dict[str, Any] = {
    "name": "pair",
    "tables": "writable",
    "tiles": [
        {
            "name": "a",
            "index": 1,
            "x": 1,
            "y": 0,
            "entries": {"data": ["one", "two"]},
            "next_hops": {"c": 7, "d": 8},
            "hop_networks": [
                {"network": "data", "first_hop": 0},
                {"network": "control", "first_hop": 8},
            ],
        },
        {
            "name": "b",
            "index": 2,
            "x": 2,
            "y": 0,
            "entries": {"data": [], "control": ["three"]},
            "next_hops": {"udp_rx": 7},
            "hop_networks": [{"network": "data", "first_hop": 0}],
        },
    ],
    "dispatch": [],
    "registers": {
        "name": "two",
        "offset": 0,
        "size": 0x4000,
        "types": {
            "next_hop": {
                "bits": 32,
                "fields": [
                    {"name": name, "low": low, "width": width, "access": "w"}
                    for name, low, width in (
                        *(("x", 0, 8), ("y", 8, 8), ("port", 16, 8)),
                        *(("is_group", 30, 1), ("valid", 31, 1)),
                    )
                ],
            }
        },
        "members": [
            {
                "name": "tiles",
                "offset": 0x1000,
                "size": 0x3000,
                "members": [
                    {
                        "name": name,
                        "offset": offset,
                        "size": 0x1000,
                        "members": [
                            {
                                "name": "next_hop",
                                "offset": 0x800,
                                "type": "next_hop",
                                "count": 9,
                                "stride": 4,
                            }
                        ],
                    }
                    for name, offset in (("a", 0x1000), ("b", 0x2000))
                ],
            }
        ],
    },
}


class Recorder:
    """A register port that remembers what was written."""

    def __init__(self) -> None:
        self.written: list[tuple[int, int]] = []

    def read_register(self, address: int) -> int:
        raise AssertionError(f"{address:#x} is write only")

    def write_register(self, address: int, value: int) -> None:
        self.written.append((address, value))


def test_next_hops_are_those_of_the_design() -> None:
    port = Recorder()
    registers = open_map(MANIFEST, port)
    register_map.set_next_hop(registers, MANIFEST, "b", "udp_rx", "a", 1)
    register_map.set_next_hop(registers, MANIFEST, "b", 7, None, 0)
    register_map.set_next_hop(registers, MANIFEST, "a", "d", "b", 0)
    assert port.written == [
        (0x381C, 1 << 31 | 1 << 16 | 1),
        (0x381C, 0),
        (0x2820, 1 << 31 | 2),
    ]
    for arguments, reason in (
        (("b", 77, "a", 0), "no next hop 77"),
        (("b", "home", "a", 0), "no next hop 'home'"),
        (("b", 7, "a", 9), r"no entry 9; it has 0 \(one\), 1 \(two\)"),
        (("b", 7, "a", -1), "no entry -1"),
        (("a", 7, "b", 0), "tile b has no entry 0; it has none"),
        (("c", 7, "a", 0), "no tile 'c'"),
        (("b", 7, "c", 0), "no tile 'c'"),
    ):
        with pytest.raises(SimulationError, match=reason):
            register_map.set_next_hop(registers, MANIFEST, *arguments)
    with pytest.raises(SimulationError, match="no replicas"):
        register_map.set_slot(registers, MANIFEST, "b", 7, 0, "a", 0)
    fixed = {**MANIFEST, "tables": "fixed"}
    with pytest.raises(SimulationError, match="the next hops of pair are fixed"):
        register_map.set_next_hop(registers, fixed, "b", 7, None, 0)
    with pytest.raises(SimulationError, match="the next hops of pair are fixed"):
        register_map.set_slot(registers, fixed, "b", 7, 0, "a", 0)
    assert len(port.written) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.advance(FOREVER),
        lambda s: s.elapse(us=FOREVER // 1000),
        lambda s: s.receive(timeout_cycles=FOREVER),
        lambda s: s.exchange([FRAME] * 3, gap_cycles=FOREVER),
        lambda s: s.run_live(1e5),
    ],
    ids=["advance", "elapse", "receive", "exchange", "live"],
)
def test_ctrl_c_ends_what_takes_long(loopback: Library, call: Any) -> None:
    with Simulation(loopback) as simulation:
        simulation.write_register(0x804, 1 << 31)  # a timer keeps it awake
        interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        started = time.monotonic()
        interrupt.start()
        with pytest.raises(KeyboardInterrupt):
            call(simulation)
        assert time.monotonic() - started < 5
        interrupt.join()
        simulation.reset()
        assert simulation.exchange([FRAME]).received[0].data == FRAME


HOST_MANIFEST: dict[str, Any] = {
    "mac_ports": [{}],
    "registers": {
        "name": "host",
        "offset": 0,
        "size": 0x1000,
        "types": {
            kind: {
                "bits": bits,
                "fields": [{"name": field, "low": 0, "width": bits, "access": "rw"}],
            }
            for kind, field, bits in (
                ("mac", "address", 64),
                ("ip", "address", 32),
                ("mask", "mask", 32),
                ("addresses", "staged", 1),
            )
        },
        "members": [
            {
                "name": "host",
                "offset": 0,
                "count": 1,
                "stride": 32,
                "size": 32,
                "members": [
                    {"name": name, "offset": offset, "type": kind}
                    for name, offset, kind in (
                        *(("mac", 0, "mac"), ("ip", 8, "ip")),
                        *(("netmask", 12, "mask"), ("gateway", 16, "ip")),
                    )
                ],
            },
            {"name": "addresses", "offset": 0x100, "type": "addresses"},
        ],
    },
}
START = {0: 0, 4: 0, 8: 0x0A4D0002, 12: 0xFFFFFF00, 16: 0x0A4D0001, 0x100: 0}


class Memory:
    """A register port with 10.77.0.2/24 and a gateway behind it."""

    def __init__(self) -> None:
        self.words = dict(START)

    def read_register(self, address: int) -> int:
        return self.words[address]

    def write_register(self, address: int, value: int) -> None:
        self.words[address] = value


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"ip": "10.77.0.255"}, "ip 10.77.0.255: .*broadcast address of 10.77.0.0/24"),
        ({"ip": "10.77.0.0"}, "ip 10.77.0.0: .*network address of 10.77.0.0/24"),
        ({"ip": "0.0.0.0"}, "ip 0.0.0.0: .*this network"),
        ({"ip": "127.0.0.1"}, "ip 127.0.0.1: .*loopback"),
        ({"ip": "224.0.0.1"}, "ip 224.0.0.1: .*multicast"),
        ({"ip": "240.0.0.1"}, "ip 240.0.0.1: .*reserved"),
        ({"ip": "255.255.255.255"}, "ip 255.255.255.255: .*broadcast"),
        ({"ip": "10.78.0.2"}, "gateway 10.77.0.1 is outside .*; give `gateway` too"),
        ({"ip": "10.77.0.1"}, "gateway 10.77.0.1 is the host's own address.*; give `gateway` too"),
        ({"gateway": "10.77.0.2"}, "gateway 10.77.0.2: .*own address"),
        ({"gateway": "10.78.0.1"}, "gateway 10.78.0.1: .*outside the network"),
        ({"gateway": "10.77.0.255"}, "gateway 10.77.0.255: .*broadcast"),
        ({"netmask": "0.0.0.0"}, "netmask 0.0.0.0: should have 1 to 32 ones"),
        ({"netmask": "255.255.0.255"}, "netmask '255.255.0.255': should be ones, then zeros"),
        ({"netmask": "255.255.255.254"}, "gateway 10.77.0.1 is outside"),
        ({"gateway": "0.0.0.0", "ip": "10.78.0.0"}, "ip 10.78.0.0: .*network address"),
    ],
    ids=str,
)
def test_addresses_that_no_design_file_may_have(given: dict[str, str], reason: str) -> None:
    port = Memory()
    with pytest.raises(SimulationError, match=reason):
        register_map.set_host(open_map(HOST_MANIFEST, port), HOST_MANIFEST, **given)
    assert port.words == START


def test_addresses_that_a_design_file_may_have() -> None:
    port = Memory()
    registers = open_map(HOST_MANIFEST, port)
    register_map.set_host(registers, HOST_MANIFEST, ip="10.77.0.6")
    register_map.set_host(registers, HOST_MANIFEST, netmask="255.255.255.248")
    assert port.words == {**START, 8: 0x0A4D0006, 12: 0xFFFFFFF8}
    everything = {"ip": "10.78.0.2", "netmask": "255.255.0.0", "gateway": "10.78.9.9"}
    register_map.set_host(registers, HOST_MANIFEST, **everything, mac="02:00:00:00:00:05")
    register_map.set_host(registers, HOST_MANIFEST, gateway="0.0.0.0")
    register_map.set_host(registers, HOST_MANIFEST, ip="10.99.0.1")
    assert port.words == {0: 5, 4: 0x200, 8: 0x0A630001, 12: 0xFFFF0000, 16: 0, 0x100: 0}
