# SPDX-License-Identifier: Apache-2.0
"""The registers of a running design, over its network.

    controller = bombus.Controller("udp://10.77.0.2:9", key=key, manifest="build/managed")
    controller.tile("eth_tx").registers.next_hop[0].valid
    with controller.batch() as batch:
        batch.tile("echo").registers.next_hop[0].write(valid=0)

The names are those of `Simulation.tile(...).registers`. Over every transport a batch is carried out
whole or not at all, and no other access comes between its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from bombus.applications.control.description import Description, describe, parse_key
from bombus.applications.control.messages import ControlError, Key, Status
from bombus.applications.control.session import REASONS, ItemError, Session
from bombus.applications.control.tables import changes
from bombus.applications.control.tcp_sessions import engines
from bombus.applications.control.transports import DEFAULT_PORT, SimulatedUdp, Tcp, Transport, Udp
from bombus.base.errors import UserError
from bombus.registers.access import BlockAccess, RegisterAccess, open_map
from bombus.registers.items import (
    Item,
    Port,
    Read,
    Write,
    access,
    value_of,
    written_words,
)
from bombus.registers.model import WORD_BYTES
from bombus.registers.places import hop_entries, name_at
from bombus.registers.plain import from_plain
from bombus.simulator import register_map
from bombus.simulator.simulation import Simulation

_COUNTER_WORDS = 2
_OWN_TILE = "a controller does not access the registers of its own tile"


class UnknownDesignError(UserError):
    """The design has to be given. `for_command`: the message of `bombus ctl`."""

    def __init__(self, message: str, for_command: str) -> None:
        super().__init__(message)
        self.for_command = for_command


class _Named:
    """A port whose errors name the register instead of the number of the item. `check`: raises if
    accesses must not be carried out.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Item]], list[int]],
        manifest: Mapping[str, Any],
        check: Callable[[Sequence[Item]], None],
    ) -> None:
        self._run, self._check = run, check
        self._block = from_plain(manifest["registers"])
        own = [
            tile["name"]
            for tile in manifest["tiles"]
            if any(layer["kind"] == "controller" for layer in tile["layers"])
        ]
        self._own = f"tiles.{own[0]}." if len(own) == 1 else ""  # of the controller that answers
        self.written: dict[int, int] = {}  # words by address

    def access(self, items: Sequence[Item], *, force: bool = False) -> list[int]:
        if not force:
            self._check(items)
        try:
            found = self._run(items)
            self.written |= written_words(items)
            return found
        except ItemError as error:
            if error.item >= len(items):
                raise
            name = name_at(self._block, items[error.item].address)
            item = f" (item {error.item})" if len(items) > 1 else ""
            reason = REASONS.get(error.status, error.status.name)
            if error.status == Status.NO_RIGHT and self._own and name.startswith(self._own):
                reason = _OWN_TILE
            named = ItemError(error.status, error.item)
            named.args = (f"{name}{item}: {reason}",)
            raise named from None

    def read_register(self, address: int) -> int:
        return self.access([Read(address)])[0]

    def write_register(self, address: int, value: int) -> None:
        self.access([Write(address, (value,))])


class _Tile:
    """A tile: its registers by name."""

    def __init__(self, registers: BlockAccess, name: str) -> None:
        self.name = name
        self.registers: BlockAccess = registers.tiles[name]


def _registers_of(
    registers: BlockAccess, manifest: Mapping[str, Any], kind: str
) -> list[tuple[str, BlockAccess]]:
    return [
        (tile["name"], registers.tiles[tile["name"]][layer["name"]])
        for tile in manifest["tiles"]
        for layer in tile["layers"]
        if layer["kind"] == kind
    ]


class Result:
    """A register that a batch reads; it has its value when the batch has ended."""

    def __init__(self, register: RegisterAccess) -> None:
        self._register = register
        self._value: int | None = None

    @property
    def value(self) -> int:
        if self._value is None:
            raise ControlError("a batch has no values before it has ended")
        return self._value


class Batch:
    """Writes, and reads of whole registers, that are sent together when the batch ends."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        self.manifest = manifest
        self.items: list[Item] = []
        self._results: list[tuple[Result, int]] = []
        self.registers = open_map(manifest, self)

    def tile(self, name: str) -> _Tile:
        register_map.find_tile(self.manifest, name)
        return _Tile(self.registers, name)

    def registers_of(self, kind: str) -> list[tuple[str, BlockAccess]]:
        """As that of the controller."""
        return _registers_of(self.registers, self.manifest, kind)

    def read(self, register: RegisterAccess) -> Result:
        """Reads a register of the controller or the batch, at this place in the batch."""
        words = register._type.words
        self.items.append(Read(register.where(), words))
        result = Result(register)
        self._results.append((result, words))
        return result

    def access(self, items: Sequence[Item]) -> list[int]:
        if any(isinstance(item, Read) for item in items):
            raise ControlError(
                "a batch has no values before it has ended: use `batch.read(register)`"
            )
        self.items += items
        return []

    def read_register(self, address: int) -> int:
        return self.access([Read(address)])[0]

    def write_register(self, address: int, value: int) -> None:
        self.access([Write(address, (value,))])

    def finish(self, words: Sequence[int]) -> None:
        start = 0
        for result, count in self._results:
            result._value = value_of(words[start : start + count])
            start += count


class Controller:
    """The registers of a running design.

    `address`: `udp://HOST[:PORT]` or `tcp://HOST[:PORT]` of its controller, the control socket of a
    live run (`unix:PATH`), a `Simulation`, whose controller gets frames, a transport, or anything
    with `read_register` and `write_register`, such as the register port of a board.

    `key`: of the controller, as `Key`, 16 bytes, or text (`parse_key`); None: not sealed.
    `manifest`: the design file, the generated folder, or its manifest; a simulation and a live run
    know theirs. With the design file, changes of next hops and slots are analysed before they are
    made. `port`: of a controller in a simulation.
    """

    def __init__(
        self,
        address: str | Simulation | Transport | Port,
        *,
        key: Key | bytes | str | None = None,
        manifest: Path | str | Mapping[str, Any] | None = None,
        timeout: float = 0.5,
        tries: int = 6,
        port: int = DEFAULT_PORT,
    ) -> None:
        known = describe(manifest) if manifest is not None else None
        if isinstance(key, bytes):
            key = Key(key)
        elif isinstance(key, str):
            key = parse_key(key, "key")
        key = key or Key(None)
        self._close: Callable[[], None] = lambda: None
        self._most_words = 1 << 30  # that one access may read
        self._written: Callable[[], dict[int, int]]
        live = None
        run: Callable[[Sequence[Item]], list[int]]
        if isinstance(address, str) and _is_socket(address):
            from bombus.applications.control.live_socket import LiveSocket

            live = LiveSocket(Path(address.removeprefix("unix:")))
            own = live.manifest()
            known = Description(own, known.facts if known else None)
            run = live.access
        elif isinstance(address, str) or hasattr(address, "send"):
            transport = self._transport(address, key, port)
            if isinstance(address, Simulation):
                known = Description(address.manifest, known.facts if known else None)
            try:
                session = Session(transport, key, timeout=timeout, tries=tries)
            except BaseException:
                transport.close()
                raise
            run, self._close = session.run, session.close
            self._most_words = session.max_result_words
        else:
            plain: Port = address
            run = lambda items: access(plain, items)  # noqa: E731
        if known is None:
            raise UnknownDesignError(
                "the names of the registers are not known: give `manifest`, the design file or the "
                "generated folder",
                "the names of the registers are not known: give --design or BOMBUS_DESIGN",
            )
        self.description = known
        self.manifest = known.manifest
        self._hops = hop_entries(self.manifest)
        self._port = _Named(run, self.manifest, self._check_items)
        self.knows_table_writes = isinstance(address, Simulation) or live is not None
        if isinstance(address, Simulation):
            self._written = address.table_writes
        elif live is not None:
            self._written = live.table_writes
        else:
            self._written = lambda: self._port.written
        self.registers = open_map(self.manifest, self._port)

    @staticmethod
    def _transport(address: Any, key: Key, port: int) -> Transport:
        if isinstance(address, Simulation):
            return SimulatedUdp(address, port)
        if not isinstance(address, str):
            found: Transport = address
            return found
        try:
            parts = urlsplit(address)
            host, number = parts.hostname, parts.port or DEFAULT_PORT
        except ValueError:
            host = None
        if not host or parts.scheme not in ("udp", "tcp"):
            raise UserError(
                f"{address!r}: should be udp://HOST:PORT, tcp://HOST:PORT, or unix:FILE, the "
                "control socket of a run"
            )
        if parts.scheme == "udp":
            return Udp(host, number)
        return Tcp(host, number, sealed=key.secret is not None)

    def close(self) -> None:
        """Closes the transport; the design goes on."""
        self._close()

    def access(self, items: Sequence[Item], *, force: bool = False) -> list[int]:
        """Reads and writes in order; the words read. Writes of next hops and slots are analysed as
        by `set_next_hop` unless `force`.
        """
        return self._port.access(items, force=force)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- Registers ----

    def tile(self, name: str) -> _Tile:
        """A tile, with its registers by name."""
        register_map.find_tile(self.manifest, name)
        return _Tile(self.registers, name)

    @contextmanager
    def batch(self, *, force: bool = False) -> Iterator[Batch]:
        """A batch, sent at the end of the block unless that raises. `force`: as of `access`."""
        batch = Batch(self.manifest)
        yield batch
        if batch.items:
            batch.finish(self._port.access(batch.items, force=force))

    def counters(self) -> dict[str, dict[str, int]]:
        """All counters that the key may read, by tile and name. A controller never reads those of
        its own tile.
        """
        found: dict[str, dict[str, int]] = {}
        for tile in self.manifest["tiles"]:
            try:
                found[tile["name"]] = self.tile_counters(tile["name"])
            except ItemError as error:
                if error.status != Status.NO_RIGHT:
                    raise
        return found

    def tile_counters(self, tile: str) -> dict[str, int]:
        """The counters of one tile, by name."""
        names = register_map.find_tile(self.manifest, tile)["counters"]
        start = self.registers.tiles[tile].counters.where()
        words: list[int] = []
        most = self._most_words // _COUNTER_WORDS * _COUNTER_WORDS
        while (left := _COUNTER_WORDS * len(names) - len(words)) > 0:
            words += self._port.access([Read(start + WORD_BYTES * len(words), min(left, most))])
        values = (value_of(words[n : n + 2]) for n in range(0, len(words), _COUNTER_WORDS))
        return dict(zip(names, values, strict=True))

    def registers_of(self, kind: str) -> list[tuple[str, BlockAccess]]:
        """The registers of every layer of a kind, each with the name of its tile."""
        return _registers_of(self.registers, self.manifest, kind)

    @property
    def max_read_words(self) -> int:
        """The words that one access can read."""
        return self._most_words

    def sessions(self) -> Iterator[tuple[str, int, dict[str, int]]]:
        """The TCP sessions that are not closed: name of the engine's tile, number, and the fields
        of `state`.
        """
        for engine in engines(self):
            for number, fields in engine.read(range(engine.num_sessions)):
                if fields["state"]:
                    yield engine.tile, number, fields

    # ---- Addresses, next hops, slots ----

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

        Without `mac` and `ip`, through which the controller may be reached, it waits until the
        change is in effect.
        """
        given = {"mac": mac, "ip": ip, "netmask": netmask, "gateway": gateway}
        register_map.set_host(self.registers, self.manifest, port, **given)
        if mac is None and ip is None:
            register_map.await_change(self.registers)

    def set_routes(self, routes: Sequence[tuple[str, str | None, int]]) -> None:
        """Replaces the routing table as a whole; a route is (to, via, MAC port): the network `to`
        is behind the gateway `via`, or on the link if that is None.
        """
        register_map.set_routes(self.registers, self.manifest, routes)
        register_map.await_change(self.registers)

    def set_next_hop(
        self,
        tile: str,
        next_hop: int | str,
        to_tile: str | None,
        *,
        port: int = 0,
        force: bool = False,
    ) -> None:
        """Points a next hop of a tile to another tile's entry `port`; None: to nowhere.

        Raises DeadlockError, before anything is written, if the design could deadlock then;
        `force`: writes without the analysis, which needs the design file.
        """
        given = (tile, next_hop, to_tile, port)
        self._change(register_map.set_next_hop, given, force=force)

    def set_slot(
        self,
        tile: str,
        next_hop: int | str,
        slot: int,
        to_tile: str | None,
        *,
        port: int = 0,
        force: bool = False,
    ) -> None:
        """Points a slot of a group of replicas to a tile's entry `port`; None: to nowhere. Analysed
        as `set_next_hop`.
        """
        given = (tile, next_hop, slot, to_tile, port)
        self._change(register_map.set_slot, given, force=force)

    def _change(self, change: Callable[..., None], given: tuple[Any, ...], *, force: bool) -> None:
        with self.batch(force=force) as batch:
            change(batch.registers, self.manifest, *given)

    def _check_items(self, items: Sequence[Item]) -> None:
        """As `check_tables`, of accesses that write next hops or slots."""
        if not self._hops.keys().isdisjoint(written_words(items)):
            self.check_tables(items)

    def check_tables(self, items: Sequence[Item] = ()) -> None:
        """Raises DeadlockError if the design could deadlock after these writes; UserError if the
        design file is not known.

        The tables cannot be read: over a network, changes by other programs are not known.
        """
        from bombus.analysis.check import DeadlockError
        from bombus.analysis.run_time import check_tables

        if self.description.facts is None:
            raise UnknownDesignError(
                "the deadlock analysis needs the design file: give it as `manifest`, or force the "
                "change",
                "the deadlock analysis needs the design file: give --design or BOMBUS_DESIGN, or "
                "--force",
            )
        new = written_words(items)
        try:
            check_tables(self.description.facts, self.manifest, self.table_writes() | new)
        except DeadlockError as error:
            error.changes = tuple(changes(self.registers, self.manifest, new))
            raise

    def table_writes(self) -> dict[int, int]:
        """The words written to the tables of next hops and slots, by address, perhaps among others.
        Only those of this object unless `knows_table_writes`.
        """
        return dict(self._written())


def _is_socket(address: str) -> bool:
    return address.startswith("unix:") or ("://" not in address and Path(address).is_socket())
