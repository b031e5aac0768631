# SPDX-License-Identifier: Apache-2.0
"""A controller at a UDP port: batches, keys, refusals, hostile requests, other masters. Register
accesses go over a mesh of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

import pytest

from bombus.applications.control.messages import (
    MAX_BODY_WORDS,
    MAX_RESULT_WORDS,
    Answer,
    Key,
    Status,
    answer,
    masked_write,
    read,
    request,
    words,
    write,
    write_block,
)
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.simulator.simulation import Simulation
from tests import ROOT

pytestmark = pytest.mark.slow

DESIGN = ROOT / "tests" / "designs" / "control.yaml"
PORT = 9
UDP_HEADERS = 42  # bytes
KEY = Key(bytes(range(16)))  # of the design file
OTHER = Key(bytes(range(16, 32)), number=2)
CLIENT = 0x0123456789ABCDEF
PAGE = 4096


class Control:
    """A client of the controller in a simulation."""

    def __init__(self, simulation: Simulation, port: int = PORT) -> None:
        self.simulation = simulation
        self.port = port
        self.station = neighbour(simulation.manifest)
        self.host = Host.from_manifest(simulation.manifest)
        self.registers = simulation.tile("echo").registers.register_walker
        self.numbers = count(1)
        introduce(simulation, self.station)
        self.boot = 0
        hello = self.ask(request(KEY, 0, b"", boot=0, client=CLIENT))
        assert hello is not None and hello.status == Status.OK
        self.boot = hello.boot

    def send(self, data: bytes) -> None:
        self.simulation.send(udp_frame(self.station, self.host, data, port=self.port))

    def ask(self, data: bytes, key: Key = KEY) -> Answer | None:
        self.send(data)
        frames = self.simulation.receive_all()
        assert len(frames) <= 1
        return answer(key, bytes(frames[0].data)[UDP_HEADERS:]) if frames else None

    def message(
        self, body: bytes, key: Key = KEY, number: int | None = None, **flags: bool
    ) -> bytes:
        number = next(self.numbers) if number is None else number
        return request(key, number, body, boot=self.boot, client=CLIENT, **flags)

    def batch(self, body: bytes, key: Key = KEY, **flags: bool) -> Answer:
        found = self.ask(self.message(body, key, **flags), key)
        assert found is not None
        return found

    def set_key(self, key: Key, first_page: int, last_page: int, *, may_write: bool) -> None:
        assert key.secret is not None
        self.simulation.tile("control").registers.controller.keys[key.number].write(
            key=int.from_bytes(key.secret, "little"),
            first_page=first_page,
            last_page=last_page,
            may_read=1,
            may_write=int(may_write),
        )

    def counted(self, name: str) -> int:
        counters = self.simulation.tile("control").counters()
        return counters[name]

    def values(self) -> list[int]:
        """The table of the test layer."""
        return [entry.value for entry in self.registers.port]

    def table(self, index: int = 0) -> int:
        """Address of an entry."""
        return int(self.registers.port[index].where())


@pytest.fixture
def control() -> Iterator[Control]:
    with Simulation(DESIGN, assertions=True, seed=3) as simulation:
        yield Control(simulation)
        simulation.check()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_batches_are_carried_out_in_order(control: Control, seed: int) -> None:
    random = Random(seed)
    model = control.values()
    for _ in range(60):
        body, expected = b"", list[int]()
        for _ in range(random.randrange(1, 12)):
            first = random.randrange(len(model))
            number = random.randrange(1, len(model) - first + 1)
            kind = random.randrange(4)
            values = [random.getrandbits(32) for _ in range(number)]
            if kind == 0:
                body += read(control.table(first), number)
                expected += model[first : first + number]
            elif kind == 1:
                body += write(control.table(first), values[0])
                model[first] = values[0]
            elif kind == 2:
                mask = random.getrandbits(32)
                body += masked_write(control.table(first), mask, values[0])
                model[first] = model[first] & ~mask | values[0] & mask
            else:
                body += write_block(control.table(first), values)
                model[first : first + number] = values
        found = control.batch(body)
        assert (found.status, found.words) == (Status.OK, expected)
    assert control.values() == model


def test_a_batch_of_1024_writes(control: Control) -> None:
    items = [write(control.table(n % 16), n) for n in range(1024)]
    assert control.batch(b"".join(items)).status == Status.OK
    assert control.values() == list(range(1008, 1024))


def bad_items(control: Control) -> dict[str, tuple[bytes, Status]]:
    table = control.table()
    own = int(control.simulation.tile("control").registers.controller.keys[0].where())
    return {
        "no data": (words(table | 1), Status.MALFORMED),
        "no mask": (words(table | 2, 0), Status.MALFORMED),
        "a read of nothing": (read(table, 0), Status.MALFORMED),
        "a long read": (read(table, MAX_RESULT_WORDS + 1), Status.MALFORMED),
        "a count beyond its field": (words(table, 1 << 11 | 1), Status.MALFORMED),
        "a block cut off": (words(table | 3, 4, 1, 2, 3), Status.MALFORMED),
        "its own registers": (write(own, 0), Status.NO_RIGHT),
        "a block into its own registers": (
            write_block(own - 8, [0, 0, 0]),
            Status.NO_RIGHT,
        ),
        "beyond the pages": (write(1 << 28, 0), Status.NO_RIGHT),
    }


BAD_ITEMS = (
    *("no data", "no mask", "a read of nothing", "a long read", "a count beyond its field"),
    *("a block cut off", "its own registers", "a block into its own registers"),
    "beyond the pages",
)


@pytest.mark.parametrize("name", BAD_ITEMS)
def test_a_batch_with_a_bad_item_changes_nothing(control: Control, name: str) -> None:
    before = control.values()
    item, status = bad_items(control)[name]
    for index in (0, 1, 37):
        good = [write(control.table(n % 16), 1000 + n) for n in range(index)]
        found = control.batch(b"".join(good) + item)
        assert (found.status, found.words) == (status, [index])
        if status == Status.NO_RIGHT:  # an item may follow
            found = control.batch(b"".join(good) + item + write(control.table(), 5))
            assert (found.status, found.words) == (status, [index])
        assert control.values() == before


def test_reads_have_a_limit_together(control: Control) -> None:
    whole = read(control.table(), 16)
    assert len(control.batch(whole * 64).words) == MAX_RESULT_WORDS
    found = control.batch(whole * 64 + read(0))
    assert (found.status, found.words) == (Status.TOO_LONG, [64])


def test_a_request_is_carried_out_once(control: Control) -> None:
    """A repeated request is answered with the status of the first; one out of order is refused."""
    first = control.message(write(control.table(), 1), number=100)
    assert control.ask(first) is not None
    assert control.batch(write(control.table(), 2)).status == Status.REPEATED  # number 1
    control.numbers = count(101)
    assert control.batch(write(control.table(), 2) + words(3)).status == Status.MALFORMED
    for _ in range(3):
        found = control.ask(first)
        assert found is not None and found.status == Status.REPEATED
        assert found.words == [Status.MALFORMED, 1]
    assert control.values()[0] == 1


def test_after_a_reset_old_requests_are_refused(control: Control) -> None:
    old = control.message(write(control.table(), 77))
    control.simulation.reset()
    introduce(control.simulation, control.station)
    found = control.ask(old)
    assert found is not None and found.status == Status.OTHER_BOOT
    assert found.boot != control.boot and 77 not in control.values()
    control.boot = found.boot
    assert control.batch(write(control.table(), 78)).status == Status.OK


def test_keys_have_rights(control: Control) -> None:
    page = control.table() // PAGE
    read_table, write_table = read(control.table()), write(control.table(), 9)
    found = control.ask(control.message(read_table, OTHER), OTHER)
    assert found is None and control.counted("event.controller.ignored_unknown_key") == 1
    control.set_key(OTHER, page, page, may_write=False)
    assert control.batch(read_table, OTHER).status == Status.OK
    assert control.batch(write_table, OTHER).status == Status.NO_RIGHT
    assert control.batch(masked_write(control.table(), 1, 1), OTHER).status == Status.NO_RIGHT
    control.set_key(OTHER, page, page, may_write=True)
    assert control.batch(write_table, OTHER).status == Status.OK
    for address in (page * PAGE - 4, (page + 1) * PAGE):
        assert control.batch(read(address), OTHER).status == Status.NO_RIGHT
    assert control.batch(read((page + 1) * PAGE - 4, 2), OTHER).status == Status.NO_RIGHT
    assert control.values()[0] == 9


def test_a_batch_in_parts(control: Control) -> None:
    before = control.values()
    control.set_key(OTHER, 0, 0xFFFF, may_write=True)
    parts = [write(control.table(n), n + 50) for n in range(16)]
    for n, part in enumerate(parts[:-1]):
        found = control.batch(part, more=True, continues=n > 0)
        assert (found.status, found.words) == (Status.OK, [])
    assert control.values() == before
    assert control.batch(read(0), OTHER).status == Status.BUSY
    assert control.batch(parts[-1], continues=True).status == Status.OK
    assert control.values() == [n + 50 for n in range(16)]
    assert control.batch(read(0), OTHER).status == Status.OK
    # An item may cross from one part to the next.
    item = write_block(control.table(), [1, 2, 3, 4])
    assert control.batch(item[:12], more=True).status == Status.OK
    assert control.batch(item[12:], continues=True).status == Status.OK
    assert control.values()[:5] == [1, 2, 3, 4, 54]
    # An unfinished batch is discarded after a second.
    assert control.batch(parts[0], more=True).status == Status.OK
    control.simulation.elapse(seconds=1.1)
    assert control.batch(read(0), OTHER).status == Status.OK
    assert control.values()[0] == 1
    # What continues it then changes nothing, and neither does a part without a first one.
    for more in (False, True):
        assert control.batch(parts[0], more=more, continues=True).status == Status.CUT
    assert control.values()[0] == 1
    # A request that does not continue a batch discards it.
    for body in (read(control.table()), b""):
        assert control.batch(parts[0], more=True).status == Status.OK
        assert control.batch(body).words == [1] * bool(body)
    assert control.batch(parts[1], continues=True).status == Status.CUT
    # A batch that is too long is discarded.
    part = write_block(control.table(), [7] * 1024)
    for n in range(3):
        assert control.batch(part, more=True, continues=n > 0).status == Status.OK
    assert control.batch(part, more=True, continues=True).status == Status.TOO_LONG
    assert control.batch(read(control.table()), OTHER).words == [1]


def test_changed_requests_change_nothing(control: Control) -> None:
    random = Random(5)
    before = control.values()
    good = control.message(write(control.table(), 66), number=1000)
    tries = 400
    for _ in range(tries):
        data = bytearray(good)
        kind = random.randrange(4)
        if kind == 0:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        elif kind == 1:
            del data[random.randrange(len(data)) :]
        elif kind == 2:
            data += random.randbytes(random.randrange(1, 100))
        else:
            start = random.randrange(len(data))
            data[start:] = random.randbytes(len(data) - start)
        assert control.ask(bytes(data)) is None
    drops = ("malformed", "unknown_key", "bad_tag", "too_long", "busy")
    assert sum(control.counted(f"event.controller.ignored_{name}") for name in drops) == tries
    assert control.values() == before
    found = control.ask(good)
    assert found is not None and found.status == Status.OK and control.values()[0] == 66


@pytest.mark.parametrize("size", [MAX_BODY_WORDS * 4, MAX_BODY_WORDS * 4 + 4])
def test_the_longest_body(control: Control, size: int) -> None:
    body = read(0) * (size // 8) + bytes(size % 8)
    found = control.ask(control.message(body))
    if size > MAX_BODY_WORDS * 4:
        assert found is None and control.counted("event.controller.ignored_malformed") == 1
    else:
        assert found is not None and found.words == control.batch(read(0)).words * MAX_RESULT_WORDS


def test_only_allowed_addresses(control: Control) -> None:
    allowed = control.simulation.tile("control").registers.controller.allowed
    mine = int.from_bytes(control.station.ip, "big")
    allowed[3].write(network=mine ^ 0x100, netmask=0xFFFFFF00, valid=1)
    assert control.ask(control.message(read(0))) is None
    assert control.counted("event.controller.ignored_address") == 1
    allowed[1].write(network=mine, netmask=0xFFFFFFFF, valid=1)
    assert control.batch(read(0)).status == Status.OK


def test_a_flood_leaves_the_data_path_alone(control: Control) -> None:
    """Requests under a wrong key at the rate of the line: no echo is lost or late."""
    simulation, random = control.simulation, Random(7)
    before = control.values()

    def latency() -> int:
        start = simulation.cycle
        simulation.send(udp_frame(control.station, control.host, b"echo", port=7))
        assert simulation.receive() is not None
        return simulation.cycle - start

    idle = latency()
    for _ in range(200):
        control.send(request(KEY, 1, random.randbytes(8), boot=0, client=1)[:-1] + b"?")
    simulation.send(udp_frame(control.station, control.host, b"echo", port=7))
    frames = simulation.receive_all()
    assert len(frames) == 1 and latency() == idle and control.values() == before
    drops = ("bad_tag", "busy")
    assert sum(control.counted(f"event.controller.ignored_{name}") for name in drops) == 200


def test_other_masters_do_not_tear_entries(control: Control) -> None:
    """The register port writes a register of two words while a batch does: one of both remains."""
    register = control.registers.target
    address, simulation = int(register.where()), control.simulation
    table = control.table()
    for n in range(60):
        batch = write_block(address, [0x1111_1110, 0]) + write_block(table, [n] * (n % 5 + 1))
        control.send(control.message(batch * 3))
        for _ in range(n * 7):
            simulation.advance(1)
        register.write(address=0x2222_2220, enable=0)
        simulation.receive_all()
        assert register.read() in (
            {"address": 0x1111_1110, "enable": 0},
            {"address": 0x2222_2220, "enable": 0},
        )


def test_two_controllers_do_not_tear_batches(control: Control) -> None:
    """Both have batches in parts at the same time: each takes effect as a whole, with its last
    part, also on a register of two words.
    """
    random = Random(11)
    both = [control, Control(control.simulation, port=10)]
    register = control.registers.target
    address = int(register.where())
    for turn in range(40):
        before = control.values()
        values = [0x1000 + turn, 0x2000 + turn]
        last_parts = []
        orders = (range(16), range(15, -1, -1))  # so that one would overtake the other
        for each, value, order in zip(both, values, orders, strict=True):
            first, last = (
                write_block(address, [value << 4, 0])
                + b"".join(write(control.table(n), value) for n in half)
                for half in (order[:8], order[8:])
            )
            assert each.batch(first, more=True).status == Status.OK
            last_parts.append((each, each.message(last, continues=True)))
        assert control.values() == before
        for each, message in random.sample(last_parts, 2):
            each.send(message)
            control.simulation.advance(random.randrange(60))
        for _ in range(random.randrange(8)):  # a third master
            assert control.registers.port[15].value in {before[15], *values}
        assert len(control.simulation.receive_all()) == 2
        (found,) = set(control.values())
        assert found in values
        assert register.read() == {"address": found << 4, "enable": 0}
