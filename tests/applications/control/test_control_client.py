# SPDX-License-Identifier: Apache-2.0
"""`bombus.Controller` against a model of the controller, over UDP and TCP of this computer: losses,
resets, other programs, refusals.
"""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

import bombus
from bombus.analysis.check import DeadlockError, check
from bombus.applications.control.ascon import TAG_BYTES, open_sealed, seal
from bombus.applications.control.controller import _Named
from bombus.applications.control.description import parse_key
from bombus.applications.control.messages import HEADER_BYTES, ControlError, Key, Status, words
from bombus.applications.control.session import (
    ItemError,
    OtherBootError,
    UnknownOutcomeError,
    encoded,
)
from bombus.applications.control.web import editing
from bombus.base.errors import UserError
from bombus.generation.manifest import manifest
from bombus.registers.access import RegisterError, pack
from bombus.registers.items import MaskedWrite, Read, Write, access
from bombus.registers.places import name_at
from bombus.registers.plain import from_plain
from bombus.simulator import register_map
from tests import ROOT

DESIGN = ROOT / "docs" / "examples" / "control" / "managed.yaml"
SECRET = bytes(range(16))
KEY = Key(SECRET)
FACTS, _ = check(DESIGN)
MANIFEST = manifest(FACTS)


class Memory:
    """Registers as words."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}

    def read_register(self, address: int) -> int:
        return self.words.get(address, 0)

    def write_register(self, address: int, value: int) -> None:
        self.words[address] = value


def bombus_map(port: Any) -> Any:
    from bombus.registers.access import open_map

    return open_map(MANIFEST, port)


class Model:
    """The controller, by format.md. `loses(number)`: requests and answers that are lost."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.boot, self.last, self.status, self.item = 0xB007, 0, 0, 0
        self.staged = b""
        self.sent = count(1)
        self.lost_requests, self.lost_answers = set[int](), set[int]()
        self.refused: dict[int, Status] = {}
        self.requests = 0
        self.max_body = 2048

    def reset(self) -> None:
        self.boot, self.last, self.staged = self.boot + 1, 0, b""

    def __call__(self, message: bytes) -> bytes | None:
        header = message[:HEADER_BYTES]
        body = open_sealed(SECRET, header[16:32], header, message[HEADER_BYTES:])
        number = int.from_bytes(header[24:32], "little")
        is_hello = number == 0 and not body
        if not is_hello:
            self.requests += 1
            if self.requests in self.lost_requests:
                return None
        status, result = self._carry_out(header, body, number, is_hello)
        answer = b"BC" + bytes((0x81, 255)) + len(result).to_bytes(2, "little")
        answer += bytes((0, status)) + self.boot.to_bytes(8, "little")
        sent = next(self.sent)
        answer += sent.to_bytes(8, "little") + header[24:32]
        nonce = answer[8:16] + (sent | 3 << 62).to_bytes(8, "little")
        if not is_hello and self.requests in self.lost_answers:
            return None
        return answer + seal(SECRET, nonce, answer, result)

    def _carry_out(
        self, header: bytes, body: bytes, number: int, is_hello: bool
    ) -> tuple[int, bytes]:
        if is_hello:
            return 0, words(self.last & 0xFFFFFFFF, self.last >> 32, self.max_body, 4096, 1024, 12)
        if int.from_bytes(header[8:16], "little") != self.boot:
            return Status.OTHER_BOOT, words(0)
        if number <= self.last:
            return Status.REPEATED, words(self.status, self.item)
        self.last, self.item = number, 0
        self.status = self.refused.get(self.requests, Status.OK)
        result, continues = b"", bool(header[6] & 2)
        if continues and not self.staged:
            self.status = Status.CUT
        self.staged = self.staged + body if continues else body
        if self.status == Status.OK and not header[6] & 1:
            result, self.staged = self._apply(self.staged), b""
        if self.status != Status.OK:
            self.item, self.staged = 1, b""
            return self.status, words(1)
        return self.status, result

    def _apply(self, batch: bytes) -> bytes:
        given = [int.from_bytes(batch[n : n + 4], "little") for n in range(0, len(batch), 4)]
        result = list[int]()
        while given:
            address, operation = given[0] & ~3, given[0] & 3
            if operation == 0:
                result += access(self.memory, [Read(address, given[1])])
                used = 2
            elif operation == 1:
                access(self.memory, [Write(address, (given[1],))])
                used = 2
            elif operation == 2:
                access(self.memory, [MaskedWrite(address, given[1], given[2])])
                used = 3
            else:
                used = 2 + given[1]
                access(self.memory, [Write(address, tuple(given[2:used]))])
            del given[:used]
        return words(*result)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture(params=["udp", "tcp"])
def address(request: pytest.FixtureRequest, model: Model) -> Iterator[str]:
    """Serves the model by a thread."""
    kind = socket.SOCK_DGRAM if request.param == "udp" else socket.SOCK_STREAM
    server = socket.socket(socket.AF_INET, kind)
    server.bind(("127.0.0.1", 0))
    server.settimeout(0.05)
    if kind == socket.SOCK_STREAM:
        server.listen()
    ended = threading.Event()

    def datagrams() -> None:
        while not ended.is_set():
            try:
                message, peer = server.recvfrom(65_535)
            except TimeoutError:
                continue
            if (answer := model(message)) is not None:
                server.sendto(answer, peer)

    def stream() -> None:
        clients, buffers = list[socket.socket](), dict[socket.socket, bytes]()
        while not ended.is_set():
            server.settimeout(0.01)
            try:
                clients.append(server.accept()[0])
                clients[-1].settimeout(0.01)
                buffers[clients[-1]] = b""
            except TimeoutError:
                pass
            for client in clients:
                try:
                    buffers[client] += client.recv(7)  # cut anywhere
                    buffers[client] += client.recv(100_000)
                except OSError:
                    continue
                while len(buffer := buffers[client]) >= HEADER_BYTES:
                    size = HEADER_BYTES + int.from_bytes(buffer[4:6], "little") + TAG_BYTES
                    if len(buffer) < size:
                        break
                    buffers[client] = buffer[size:]
                    if (answer := model(buffer[:size])) is not None:
                        client.sendall(answer)

    thread = threading.Thread(target=datagrams if request.param == "udp" else stream)
    thread.start()
    yield f"{request.param}://127.0.0.1:{server.getsockname()[1]}"
    ended.set()
    thread.join()
    server.close()


@pytest.fixture
def controller(address: str, model: Model) -> Iterator[bombus.Controller]:
    with bombus.Controller(address, key=SECRET, manifest=DESIGN, timeout=0.15) as found:
        yield found


def test_registers_have_the_names_of_a_simulation(
    controller: bombus.Controller, model: Model
) -> None:
    ip = controller.registers.host[0].ip
    ip.address = 0x0A4D0003
    assert ip.address == 0x0A4D0003 and model.memory.read_register(ip.where()) == 0x0A4D0003
    hop = controller.tile("echo").registers.next_hop[0]
    hop.write(valid=1, is_group=0, port=0, y=1, x=1)
    assert model.memory.read_register(hop.where())
    with pytest.raises(RegisterError, match="bits"):
        ip.address = 1 << 32
    with pytest.raises(RegisterError, match="no register"):
        _ = controller.registers.host[0].adress


def test_a_batch_is_one_request(controller: bombus.Controller, model: Model) -> None:
    sent = model.requests
    with controller.batch() as batch:
        found = batch.read(controller.registers.host[0].ip)
        for n in range(8):
            batch.registers.host[0].ip.write(address=n)
        last = batch.read(controller.registers.host[0].ip)
        with pytest.raises(ControlError, match="no values"):
            _ = found.value
        with pytest.raises(ControlError, match="no values"):
            _ = batch.registers.host[0].ip.address
    assert (found.value, last.value, model.requests) == (0, 7, sent + 1)
    with pytest.raises(RuntimeError), controller.batch() as batch:
        batch.registers.host[0].ip.write(address=9)
        raise RuntimeError
    assert controller.registers.host[0].ip.address == 7


def test_a_long_batch_has_parts(address: str, model: Model) -> None:
    model.max_body = 100
    with (
        bombus.Controller(address, key=SECRET, manifest=MANIFEST) as controller,
        controller.batch() as batch,
    ):
        for n in range(1024):
            batch.registers.host[0].ip.write(address=n)
    assert model.memory.words[controller.registers.host[0].ip.where()] == 1023
    assert model.requests == -(-2048 // 100)


@pytest.mark.parametrize("lost", ["lost_requests", "lost_answers"])
def test_parts_are_repeated(address: str, model: Model, lost: str) -> None:
    """A part that is lost is sent again, and a batch whose parts were discarded from its start."""
    model.max_body = 100
    getattr(model, lost).update({3, 9})
    model.refused[14] = Status.CUT
    with bombus.Controller(address, key=SECRET, manifest=MANIFEST, timeout=0.05) as controller:
        with controller.batch() as batch:
            for n in range(1024):
                batch.registers.host[0].ip.write(address=n)
        assert model.memory.words[controller.registers.host[0].ip.where()] == 1023
    assert model.requests > 2048 // 100 + 10


@pytest.mark.parametrize("lost", ["lost_requests", "lost_answers"])
def test_losses_are_repaired(controller: bombus.Controller, model: Model, lost: str) -> None:
    ip = controller.registers.host[0].ip
    getattr(model, lost).update({model.requests + 1, model.requests + 2})
    ip.address = 5
    assert model.last > 0 and model.memory.read_register(ip.where()) == 5
    getattr(model, lost).update({model.requests + 1})
    assert ip.address == 5


def test_results_that_are_lost_are_told(controller: bombus.Controller, model: Model) -> None:
    model.lost_answers.add(model.requests + 1)
    with pytest.raises(UnknownOutcomeError, match="results"), controller.batch() as batch:
        batch.read(controller.registers.host[0].ip)
        batch.registers.host[0].ip.write(address=6)
    assert controller.registers.host[0].ip.address == 6


def test_a_reset_of_the_design(controller: bombus.Controller, model: Model) -> None:
    ip = controller.registers.host[0].ip
    ip.address = 1
    model.reset()
    assert ip.address == 1  # a read is sent again
    model.reset()
    with pytest.raises(OtherBootError, match="reset"):
        ip.address = 2
    ip.address = 3
    assert ip.address == 3


def test_a_refused_item_has_its_name(controller: bombus.Controller, model: Model) -> None:
    model.refused[model.requests + 1] = Status.NO_RIGHT
    with (
        pytest.raises(ItemError, match=r"^tiles\.echo\.next_hop\[0\] \(item 1\): the key"),
        controller.batch() as batch,
    ):
        batch.registers.host[0].ip.write(address=1)
        batch.tile("echo").registers.next_hop[0].write(valid=0, is_group=0, port=0, y=0, x=0)
    model.refused[model.requests + 1] = Status.BUSY  # and then no longer
    controller.registers.host[0].ip.address = 9
    assert controller.registers.host[0].ip.address == 9


def test_a_controller_does_not_access_its_own_tile() -> None:
    def refuse(_: object) -> list[int]:
        raise ItemError(Status.NO_RIGHT, 0)

    tiles = bombus_map(_Named(refuse, MANIFEST, lambda _: None)).tiles
    for tile, error in (
        ("control", "a controller does not access the registers of its own tile"),
        ("echo", "the key may not access it"),
    ):
        with pytest.raises(ItemError, match=rf"^tiles\.{tile}\.counters\.\w+: {error}$"):
            tiles[tile].counters.noc_in_messages.read()


def test_another_program_with_the_same_key(controller: bombus.Controller, model: Model) -> None:
    model.last += 50
    assert controller.registers.host[0].ip.address == 0
    model.last += 50
    with pytest.raises(UnknownOutcomeError, match="same key"):
        controller.registers.host[0].ip.address = 1
    controller.registers.host[0].ip.address = 2


def test_counters(controller: bombus.Controller, model: Model) -> None:
    start = controller.registers.tiles.echo.counters.where()
    model.memory.words |= {start: 7, start + 4: 1}
    names = next(tile for tile in MANIFEST["tiles"] if tile["name"] == "echo")["counters"]
    assert controller.counters()["echo"][names[0]] == (1 << 32) + 7


def test_no_answer() -> None:
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    silent.bind(("127.0.0.1", 0))
    where = f"udp://127.0.0.1:{silent.getsockname()[1]}"
    text = (
        "has not answered 2 requests. A wrong key or an address that is not allowed has no answer"
    )
    with silent:
        with pytest.raises(ControlError, match=f"{text} either; a key as in the design"):
            bombus.Controller(where, key=SECRET, manifest=MANIFEST, timeout=0.01, tries=2)
        with pytest.raises(ControlError, match=f"{text} either; no key was given"):
            bombus.Controller(where, manifest=MANIFEST, timeout=0.01, tries=2)
    for bad in ("10.77.0.2", "udp://", "ftp://a:1", "udp://a:b"):
        with pytest.raises(UserError, match=r"should be udp://"):
            bombus.Controller(bad, key=SECRET, manifest=MANIFEST)


def test_a_design_without_tcp(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ICMP error is named."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOPROTOOPT, "Protocol not available")

    monkeypatch.setattr(socket, "create_connection", refuse)
    with pytest.raises(ControlError, match="the design has no TCP"):
        bombus.Controller("tcp://10.77.0.2:9", key=KEY, manifest=MANIFEST)


def test_keys() -> None:
    assert parse_key(SECRET.hex(), "x") == KEY
    assert parse_key(f"0x{int.from_bytes(SECRET, 'little'):x}", "x") == KEY
    assert parse_key(f"2:{SECRET.hex()}\n", "x") == Key(SECRET, 2)
    for bad in ("", "00" * 16, "ab", "a:" + SECRET.hex(), SECRET.hex() + "00", "-1"):
        with pytest.raises(UserError, match="32 hexadecimal digits"):
            parse_key(bad, "x")


def test_a_next_hop_that_could_deadlock_is_refused(
    controller: bombus.Controller, model: Model
) -> None:
    hop = controller.tile("udp_tx").registers.next_hop[0]
    # Datagrams would go from udp_tx back to the tile that sends them.
    with pytest.raises(DeadlockError, match="possible deadlock") as refused:
        controller.set_next_hop("udp_tx", 0, "echo")
    assert "udp_tx" in str(refused.value) and hop.where() not in model.memory.words
    controller.set_next_hop("udp_tx", 0, "echo", force=True)
    assert hop.where() in model.memory.words
    # Also what was forced is known to a later analysis.
    with pytest.raises(DeadlockError):
        controller.set_next_hop("arp", 0, None)
    controller.set_next_hop("udp_tx", 0, "ipv4_tx")


def test_registers_of_next_hops_are_analysed_too(
    controller: bombus.Controller, model: Model
) -> None:
    """However they are written: by name, in a batch, by address, or a part of the bits."""
    hop = controller.tile("udp_tx").registers.next_hop[0]
    tile = register_map.find_tile(MANIFEST, "echo")
    to_echo = {"valid": 1, "is_group": 0, "port": 0, "x": tile["x"], "y": tile["y"]}
    value = pack(hop._type, to_echo)
    with pytest.raises(DeadlockError, match="possible deadlock"):
        hop.write(**to_echo)
    with pytest.raises(DeadlockError), controller.batch() as batch:
        batch.registers.host[0].ip.write(address=1)
        batch.tile("udp_tx").registers.next_hop[0].write(**to_echo)
    for item in (
        Write(hop.where(), (value,)),
        Write(hop.where() - 4, (0, value)),
        MaskedWrite(hop.where(), 0xFFFF_FFFF, value),
        MaskedWrite(hop.where(), value, 0xFFFF_FFFF),
    ):
        with pytest.raises(DeadlockError):
            controller.access([Read(0), item])
    assert not model.memory.words
    with controller.batch(force=True) as batch:
        batch.tile("udp_tx").registers.next_hop[0].write(**to_echo)
    assert model.memory.words == {hop.where(): value}


def test_a_page_does_not_make_the_design_deadlock(
    controller: bombus.Controller, model: Model
) -> None:
    tile = register_map.find_tile(MANIFEST, "echo")
    to = {
        "valid": "1",
        "is_group": "0",
        "port": "0",
        **dict(zip("xy", (str(tile["x"]), str(tile["y"])), strict=True)),
    }
    (place,) = (
        each for each in editing.of_tile(MANIFEST, "udp_tx") if each.path.endswith("next_hop")
    )
    with pytest.raises(DeadlockError, match="possible deadlock"):
        editing.write(controller, place, 0, to)
    assert place.at(0) not in model.memory.words
    editing.write(controller, place, 0, {**to, "valid": "0"})
    assert place.at(0) in model.memory.words


def test_the_analysis_needs_the_design_file(address: str) -> None:
    with (
        bombus.Controller(address, key=SECRET, manifest=MANIFEST) as controller,
        pytest.raises(UserError, match="needs the design file"),
    ):
        controller.set_next_hop("udp_tx", 0, None)
    with (
        bombus.Controller(address, key=SECRET, manifest=MANIFEST) as controller,
        pytest.raises(UserError, match="needs the design file"),
    ):
        controller.access([Write(controller.registers.tiles.udp_tx.next_hop[0].where(), (0,))])


def test_names_of_addresses() -> None:
    block = from_plain(MANIFEST["registers"])
    registers = bombus_map(Memory())
    assert name_at(block, registers.tiles.arp.next_hop[0].where()) == "tiles.arp.next_hop[0]"
    assert name_at(block, 1 << 30) == f"{1 << 30:#x}"
    assert encoded([Read(8, 2), Write(12, (1,)), Write(0, (1, 2)), MaskedWrite(4, 1, 1)]) == words(
        *(8, 2, 13, 1, 3, 2, 1, 2, 6, 1, 1)
    )
