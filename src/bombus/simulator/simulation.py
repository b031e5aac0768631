# SPDX-License-Identifier: Apache-2.0
"""A design in virtual time, from Python.

    with bombus.Simulation("designs/udp_echo.yaml") as simulation:
        simulation.send(frame)
        reply = simulation.receive()

Cycles are clock cycles of the design; virtual time follows from the clock
frequency of the design file and moves only inside calls of this class. "Sent"
is what goes into the design (rx of its MAC), "received" what comes out (tx).
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

from bombus.base.text import near_matches
from bombus.registers.access import BlockAccess, open_map
from bombus.simulator import register_map
from bombus.simulator.balancer import Balancer, balancers
from bombus.simulator.beat_links import Beat, BeatLink, run_beats
from bombus.simulator.build import Library, build
from bombus.simulator.frames import Frame
from bombus.simulator.mac_ports import DEFAULT_TIMEOUT_CYCLES, MacPorts
from bombus.simulator.native import Native, SimulationError
from bombus.simulator.stalls import Stall, stalls, watched
from bombus.simulator.streams import Stream

Extension = TypeVar("Extension")

_COUNTER_BYTES = 8  # from one counter to the next
STALL_CYCLES = 10_000  # cycles without movement: longer than the longest frame on a slow MAC


@dataclass(frozen=True)
class Tile:
    """A tile of a running design."""

    simulation: Simulation
    name: str

    @property
    def registers(self) -> BlockAccess:
        """Its registers by name, including those of its layers: `registers.next_hop[2]`."""
        found: BlockAccess = self.simulation.registers.tiles[self.name]
        return found

    def counters(self) -> dict[str, int]:
        """Its counters by name."""
        return self.simulation.tile_counters(self.name)


class Simulation(MacPorts):
    """A running design.

    `design`: a design file, which is built if necessary, or a `Library` from
    `bombus.simulator.build`. `seed`: of the initial state of registers that have no reset, and of
    all random choices here. `rx_bubble`, `tx_stall`: probability of an idle cycle before each beat
    into the design, and of `tready` low at its output. `queue_limit`: maximum number of frames
    waiting at one port; 0: no limit. `timer_step_us`: longest jump of `elapse` while a timer is
    armed. `trace`, `assertions`: see `bombus.simulator.build.build`.

    The same seed and the same calls give the same bytes.
    """

    def __init__(
        self,
        design: Path | str | Library,
        *,
        seed: int = 0,
        rx_bubble: float = 0.0,
        tx_stall: float = 0.0,
        queue_limit: int = 0,
        timer_step_us: int = 100,
        trace: bool = False,
        assertions: bool = False,
    ) -> None:
        self.library = (
            design
            if isinstance(design, Library)
            else build(design, trace=trace, assertions=assertions)
        )
        native = Native(
            self.library.path,
            {
                "seed": seed,
                "queue_limit": queue_limit,
                "timer_step_us": timer_step_us,
                "rx_bubble": rx_bubble,
                "tx_stall": tx_stall,
            },
        )
        super().__init__(native, self.library.manifest)
        self._registers: BlockAccess | None = None
        self._extensions: dict[object, Any] = {}
        self._servers: list[Callable[[], object]] = []
        self._step_cycles: int | None = None  # between two calls of the servers
        self._at_reset: list[Callable[[], object]] = []
        self.watch()

    def close(self) -> None:
        """Ends the simulation and completes capture and waveform files.

        Raises SimulationError if a capture file could not be written.
        """
        if self._native.closed:
            return
        try:
            for port in range(self.mac_ports):
                self.pcap_out(None, port)
        finally:
            self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_native"):
            self._native.close()

    # ---- Time ----

    @property
    def clock_hz(self) -> int:
        """Clock frequency that virtual time assumes."""
        return int(self._native.describe().clock_hz)

    @property
    def cycle(self) -> int:
        """Clock cycles since the simulation was opened."""
        return self._native.call("cycle")

    @property
    def evaluated_cycles(self) -> int:
        """Cycles that were actually computed; idle ones are skipped."""
        return self._native.call("evaluated_cycles")

    @property
    def time_us(self) -> int:
        """Virtual time in microseconds."""
        return self._native.call("time_us")

    @property
    def time_ns(self) -> int:
        """Virtual time in nanoseconds."""
        return self._native.call("time_ns")

    @property
    def busy(self) -> bool:
        """Whether something is in flight or waiting, or a timer is armed."""
        return bool(self._native.call("busy"))

    @property
    def in_flight(self) -> bool:
        """Whether something is in flight or waiting."""
        return bool(self._native.call("in_flight"))

    def advance(self, cycles: int) -> None:
        """Advances by a number of clock cycles, and serves extensions meanwhile (`serve_every`)."""
        if self._step_cycles is None:
            self._native.call("advance_cycles", cycles)
            return
        end = self.cycle + cycles
        self.serve()
        while (left := end - self.cycle) > 0:
            self._native.call("advance_cycles", min(left, self._step_cycles))
            self.serve()

    def advance_until_idle(self, limit_cycles: int = DEFAULT_TIMEOUT_CYCLES) -> bool:
        """Advances until nothing is in flight and counters are up to date.

        Returns False if that has not happened after `limit_cycles`. Timers may stay armed.
        """
        limit = errno.ETIMEDOUT
        return self._native.call("advance_until_idle", limit_cycles, allowed=limit) == 0

    def receive_all(
        self, port: int = 0, timeout_cycles: int = DEFAULT_TIMEOUT_CYCLES
    ) -> list[Frame]:
        """Every frame received until nothing is in flight."""
        self.advance_until_idle(timeout_cycles)
        frames = []
        while (frame := self.receive(port, timeout_cycles=0)) is not None:
            frames.append(frame)
        return frames

    def elapse(self, *, us: int = 0, seconds: float = 0) -> None:
        """Lets virtual time pass in few cycles, by large steps of `tick_us_i`.

        Timers fire, and their messages are sent: up to `timer_step_us` late, and those of a TCP
        engine with many sessions later (docs/simulator.md).
        """
        if not math.isfinite(seconds):
            raise SimulationError(f"elapse: {seconds} is not a number of seconds")
        for name, given in (("us", us), ("seconds", seconds)):
            if given < 0:
                raise SimulationError(f"{name}: must be 0 or more, not {given}")
        self._native.call("elapse_us", us + round(seconds * 1_000_000))

    def reset(self) -> None:
        """Resets the design; frames waiting or inside are lost. Time continues."""
        self._native.call("reset")
        self._forget()

    def reset_core(self) -> None:
        """Resets the design, but not MACs with their own clocks, which continue."""
        self._native.call("reset_core")
        self._forget()

    def _forget(self) -> None:
        for forget in self._at_reset:
            forget()

    def reset_port(self, port: int = 0) -> None:
        """Resets the MAC's side of a port with its own clock; frames waiting there are lost."""
        self._native.call("reset_port", port)

    # ---- Registers ----

    def read_register(self, address: int) -> int:
        """Reads a 32-bit register; takes some cycles."""
        value = self._native.new("uint32_t *")
        self._native.call("read_register", address, value)
        return int(value[0])

    def write_register(self, address: int, value: int) -> None:
        """Writes a 32-bit register; takes effect some cycles later, before any later access."""
        self._native.call("write_register", address, value)

    @property
    def registers(self) -> BlockAccess:
        """The design's registers by name: `registers.host[0].ip.address`."""
        self._native.check_open()
        if self._registers is None:
            self._registers = open_map(self.manifest, self)
        return self._registers

    def tile(self, name: str) -> Tile:
        """A tile, with its registers by name and its counters."""
        register_map.find_tile(self.manifest, name)
        return Tile(self, name)

    def counters(self) -> dict[str, dict[str, int]]:
        """All counters, by tile and name. May lag events by 64 cycles."""
        return {tile["name"]: self.tile_counters(tile["name"]) for tile in self.manifest["tiles"]}

    def tile_counters(self, tile: str, names: Collection[str] | None = None) -> dict[str, int]:
        """The counters of one tile, by name; `names`: only these, which takes less time."""
        known = register_map.find_tile(self.manifest, tile)["counters"]
        if names is not None:
            return {
                name: self._counters_at(tile, place, 1)[0]
                for place, name in enumerate(known)
                if name in names
            }
        return dict(zip(known, self._counters_at(tile, 0, len(known)), strict=True))

    def _counters_at(self, tile: str, first: int, count: int) -> list[int]:
        values = self._native.new("uint64_t[]", count)
        address = self.registers.tiles[tile].counters.where() + _COUNTER_BYTES * first
        self._native.call("read_counters", address, count, values)
        return list(values)

    def watch(self, cycles: int = STALL_CYCLES) -> None:
        """Watches for messages that wait for this many cycles; 0: stop watching."""
        self._native.call("watch", cycles)

    def stalls(self) -> list[Stall]:
        """Stalled links, queues and layers, oldest first, and what each waits for under the
        present next hops.

        `watch` sets the number of cycles. `bombus.simulator.stalls.explain` describes them.
        """
        size = len(self.manifest.get("watch", ()))
        found = self._native.new("bombus_stall[]", size)
        count = self._native.call("get_stalls", found, size)
        if count == 0:
            return []
        points = watched(self.manifest, self.table_writes())
        return stalls(points, {stall.point: stall.since_cycle for stall in found[0:count]})

    def table_writes(self) -> dict[int, int]:
        """Words written to the tables of next hops and slots since the reset, by address, for
        `bombus.analysis.run_time.check_tables`.
        """
        size = sum(table["count"] for table in self.manifest.get("hop_tables", ()))
        words = self._native.new("bombus_table_write[]", size)
        size = self._native.call("get_table_writes", words, size)
        return {int(each.address): int(each.word) for each in words[0:size]}

    def set_next_hop(
        self, tile: str, next_hop: int | str, to_tile: str | None, *, port: int = 0
    ) -> None:
        """Points a next hop of a tile to another tile's entry `port`; None: to nowhere.

        `next_hop`: number, or name as in the manifest (`udp_rx`).
        """
        register_map.set_next_hop(self.registers, self.manifest, tile, next_hop, to_tile, port)

    def set_slot(
        self, tile: str, next_hop: int | str, slot: int, to_tile: str | None, *, port: int = 0
    ) -> None:
        """Points a slot of a group of replicas to a tile's entry `port`; None: to nowhere.

        `tile` distributes the messages with that next hop. The meaning of the slots depends on the
        policy: see `bombus.design.dispatch` and the manifest's `dispatch`.
        """
        register_map.set_slot(self.registers, self.manifest, tile, next_hop, slot, to_tile, port)

    def set_host(
        self,
        port: int = 0,
        *,
        mac: str | None = None,
        ip: str | None = None,
        netmask: str | None = None,
        gateway: str | None = None,
    ) -> None:
        """Changes addresses of a MAC port; others are unchanged. Gateway "0.0.0.0": none.

        They take effect together, between packets: docs/architecture.md, "MAC ports".
        """
        given = {"mac": mac, "ip": ip, "netmask": netmask, "gateway": gateway}
        register_map.set_host(self.registers, self.manifest, port, **given)
        register_map.await_change(self.registers)

    def set_route(
        self, entry: int, to: str | None, *, via: str | None = None, port: int = 0
    ) -> None:
        """Writes an entry of the routing table: network `to`, such as "10.80.0.0/16", is behind
        gateway `via` of a MAC port, or on its link; None: clears the entry.
        """
        register_map.set_route(self.registers, self.manifest, entry, to, via, port)
        register_map.await_change(self.registers)

    def set_routes(self, routes: Sequence[tuple[str, str | None, int]]) -> None:
        """Replaces the routing table as a whole; a route is (to, via, MAC port), as in
        `set_route`.
        """
        register_map.set_routes(self.registers, self.manifest, routes)
        register_map.await_change(self.registers)

    def registers_of(self, kind: str) -> list[BlockAccess]:
        """The registers of every layer of a kind, such as `ip_blacklist`; a tile may have several
        of them.
        """
        tiles = self.registers.tiles
        return [
            tiles[tile["name"]][layer["name"]]
            for tile in self.manifest["tiles"]
            for layer in tile["layers"]
            if layer["kind"] == kind
        ]

    @cached_property
    def balancers(self) -> list[Balancer]:
        """The distribution of each group of replicas."""
        return balancers(self.registers, self.manifest)

    # ---- Extensions ----

    def extension(self, kind: Callable[[Simulation], Extension]) -> Extension:
        """The object of a class outside this package that belongs to this simulation.

        `kind`: the class; it is called with the simulation when it is first used.
        """
        if kind not in self._extensions:
            self._extensions[kind] = kind(self)
        found: Extension = self._extensions[kind]
        return found

    def serve_every(self, cycles: int, serve: Callable[[], object]) -> None:
        """From now on `advance` calls `serve` at its start and after at most this many cycles.

        It exchanges messages with the design and answers requests that the design has sent.
        """
        self._servers.append(serve)
        self._step_cycles = min(cycles, self._step_cycles or cycles)

    def serve(self) -> None:
        """Calls what `serve_every` has added; a live run does so while its time passes."""
        for serve in self._servers:
            serve()

    def at_reset(self, forget: Callable[[], object]) -> None:
        """Calls `forget` after each reset of the design."""
        self._at_reset.append(forget)

    # ---- Raised ports ----

    def read_pin(self, name: str) -> int:
        """The value of a raised port of the top (`debug_o`) after the last computed cycle."""
        data = self._native.new("uint8_t[]", self._pin_bytes(name))
        self._native.call("read_pin", name.encode(), data, len(data))
        return int.from_bytes(bytes(data), "little")

    def advance_until_pin(
        self, *names: str, limit_cycles: int = DEFAULT_TIMEOUT_CYCLES
    ) -> str | None:
        """Advances until one of these raised ports is not 0; returns the first of those, or None
        if all are 0 for `limit_cycles`. Serves extensions meanwhile, as `advance`.
        """
        for name in names:
            self._pin_bytes(name)
        kept = [self._native.new("char[]", name.encode()) for name in names]
        given = self._native.new("char *[]", kept)
        end = self.cycle + limit_cycles
        while True:
            self.serve()
            step = min(max(0, end - self.cycle), self._step_cycles or limit_cycles)
            late = errno.ETIMEDOUT
            found = self._native.call("advance_until_pin", given, len(names), step, allowed=late)
            if found >= 0:
                return names[found]
            if self.cycle >= end:
                return None

    def write_pin(self, name: str, value: int) -> None:
        """Sets a raised input of the top (`enable_i`) from the next cycle on; 0 at the start."""
        size = self._pin_bytes(name)
        if not 0 <= value < 1 << 8 * size:
            raise SimulationError(f"{value} does not fit into {name}")
        self._native.call("write_pin", name.encode(), value.to_bytes(size, "little"), size)

    def _pin_bytes(self, name: str) -> int:
        bits = {pin["name"]: pin["bits"] for pin in self.manifest["pins"]}
        if name not in bits:
            raise SimulationError(
                f"the design file raises no port {name!r}; {near_matches(name, bits)}"
            )
        return -(-int(bits[name]) // 8)

    # ---- Streams ----

    @cached_property
    def streams(self) -> dict[str, Stream]:
        """AXI-Streams among the raised ports, by name."""
        return {
            each["name"]: Stream(self._native, each) for each in self.manifest.get("streams", ())
        }

    # ---- Links of beats ----

    @property
    def native(self) -> Native:
        """The library's simulator, for native code that runs several of them."""
        return self._native

    @cached_property
    def beat_links(self) -> dict[str, BeatLink]:
        """Links of beats among the raised ports, by name."""
        return {
            each["name"]: BeatLink(self._native, number, each)
            for number, each in enumerate(self.manifest.get("beat_links", ()))
        }

    def run_beats(
        self, cycles: int, given: Mapping[str, Iterable[Beat]] | None = None
    ) -> dict[str, list[Beat]]:
        """Advances with these beats for the design, by the name of their links.

        They may arrive later, too. Returns the beats that the design has sent since the last call.
        """
        return run_beats(self._native, self.beat_links, cycles, given or {})

    # ---- Waveforms ----

    @property
    def wave_format(self) -> str:
        """`fst` or `vcd`, or nothing if built without waveforms."""
        return self._native.text(self._native.describe().wave_format)

    def wave_start(self, path: Path | str) -> None:
        """Starts to write a waveform file; needs `trace=True`. Slow, since no cycles are
        skipped.
        """
        self._native.call("wave_start", os.fsencode(path))

    def wave_stop(self) -> None:
        """Ends the waveform file."""
        self._native.call("wave_stop")

    # ---- Observation ----

    def errors(self) -> dict[str, int]:
        """Protocol violations seen at the ports so far, by name; all must be 0."""
        errors = self._native.new("bombus_errors *")
        self._native.call("get_errors", errors)
        return self._native.as_dict(errors[0])

    def check(self) -> None:
        """Raises `SimulationError` if there was a violation."""
        if broken := {name: count for name, count in self.errors().items() if count}:
            raise SimulationError(
                f"{self.manifest['name']}: "
                + ", ".join(f"{name} {count}" for name, count in broken.items())
            )

    # ---- Live ----

    def run_live(self, seconds: float) -> None:
        """Runs in real time for this long, or until a signal arrives; see `bombus.live.run`."""
        if not 0 <= seconds < math.inf:
            raise SimulationError(f"run_live: should be 0 seconds or more, not {seconds}")
        self._native.call("run_live", max(1, round(seconds * 1000)))
