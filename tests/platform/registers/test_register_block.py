# SPDX-License-Identifier: Apache-2.0
"""Generated registers against a model: every kind of register, at every address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bombus.base.templates import templates
from bombus.generation import registers
from bombus.registers.model import WORD_BITS, Block, Register
from bombus.registers.rdl import layer_registers
from bombus.registers.systemverilog import SeenBlock, is_held
from tests.support.harness import SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

RDL = Path(__file__).parent / "benches" / "probe.rdl"
ENTRIES = 20
PROBE = layer_registers(RDL, "probe", {"NumEntries": ENTRIES})
BITS = (PROBE.size - 1).bit_length() + 1  # half of the window is empty
INPUTS = (("words_index", 5), ("delay", 3), ("depth", 32), ("count", 48), ("single", 9))
CONTROL = Layout(("valid", 1), ("write", 1), ("addr", BITS), ("wdata", 32), *INPUTS)
WORD = (1 << WORD_BITS) - 1


def instances(block: Block, base: int = 0, path: str = "") -> Iterator[tuple[str, int, Register]]:
    """Every register and every entry, with path and address."""
    for member in block.members:
        for n in range(member.count or 1):
            index = f"[{n}]" if member.count is not None else ""
            at, name = base + member.offset + n * member.stride, f"{path}{member.name}{index}"
            if isinstance(member, Block):
                yield from instances(member, at, f"{name}.")
            else:
                yield name, at, member


def held_fields(block: Block, path: str = "") -> Iterator[tuple[str, int]]:
    """Fields of the struct that the layer reads, the highest first, with their bits."""
    for member in block.members:
        for n in reversed(range(member.count or 1)):
            index = f"[{n}]" if member.count is not None else ""
            if isinstance(member, Block):
                yield from held_fields(member, f"{path}{member.name}{index}.")
            elif not (member.is_table or member.is_external):
                for field in filter(is_held, member.type.fields):
                    yield f"{path}{member.name}{index}.{field.name}", field.width


STATUS = Layout(
    *(("ready", 1), ("rdata", 32), *((f"program[{n}].word", 40) for n in range(3))),
    *(("words.key", 32), ("words.value", 16)),
    *reversed(list(held_fields(PROBE))),
)


class Model:
    """The values expected by software and the layer."""

    def __init__(self) -> None:
        self.words: dict[int, tuple[str, Register, int]] = {}  # by address: path, type, word
        self.fields: dict[str, int] = {}
        for path, base, register in instances(PROBE):
            for n in range(register.type.words):
                self.words[base + 4 * n] = path, register, n
            for field in register.type.fields:
                self.fields[f"{path}.{field.name}"] = field.reset or 0
        self.kept = 0  # words of the last wide register whose first word was read
        self.held: dict[int, int] = {}
        self.next: int | None = None  # word that must come next of one that is being written

    def value(self, path: str, register: Register) -> int:
        return sum(
            self.fields[f"{path}.{field.name}"] << field.low
            for field in register.type.fields
            if field.is_readable
        )

    def read(self, address: int) -> int:
        if address not in self.words:
            return 0
        path, register, word = self.words[address]
        if not register.type.is_readable:
            return 0
        if word == 0:
            value = self.value(path, register)
            if register.type.words > 1:
                self.kept = value
            return value & WORD
        return self.kept >> WORD_BITS * word & WORD

    def write(self, address: int, data: int) -> str | None:
        """The path of the register that is written with it, if one is."""
        if address not in self.words or not self.words[address][1].type.is_writable:
            return None
        path, register, word = self.words[address]
        value = data
        if register.type.words > 1:
            in_order = word == 0 or self.next == address
            self.held[word] = data
            is_last = word == register.type.words - 1
            self.next = address + 4 if in_order and not is_last else None
            if not (in_order and is_last):
                return None
            value = sum(self.held[n] << WORD_BITS * n for n in range(word + 1))
        for field in register.type.fields:
            if field.is_writable and not field.is_pulse:
                part = value >> field.low & (1 << field.width) - 1
                self.fields[f"{path}.{field.name}"] = part
        return path


class Driver:
    """A register port, with everything that the bench drives besides."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.inputs = dict.fromkeys((name for name, _ in INPUTS), 0)
        self.pulses = 0

    def control(self, **request: int) -> None:
        self.bench.control(CONTROL.pack(**request, **self.inputs))

    def run(self) -> None:
        self.bench.run()
        self.pulses += STATUS.get(self.bench.status, "narrow.go")

    def access(self, address: int, data: int | None = None) -> int:
        """To the cycle of the answer, in which the next request may come."""
        request = {"valid": 1, "write": int(data is not None), "addr": address}
        self.control(**request, wdata=data or 0)
        for _ in range(64):
            self.run()
            self.control()
            if STATUS.get(self.bench.status, "ready"):
                return STATUS.get(self.bench.status, "rdata")
            assert not STATUS.get(self.bench.status, "rdata")
        raise AssertionError(f"{address:#x} does not answer")


# From the cycle of the request to that of the answer
READ_CYCLES = 2
WRITE_CYCLES = 1


@pytest.fixture(scope="module")
def bench_of(tmp_path_factory: pytest.TempPathFactory) -> Benches:
    folder = tmp_path_factory.mktemp("registers")
    render = {"name": "probe", "source": RDL.name}
    block = templates().get_template("registers.sv.j2")
    package = templates().get_template("registers_package.sv.j2")
    builder = registers.BlockBuilder(BITS)
    probe = SeenBlock.of(PROBE)
    builder.layer(probe, "probe", "probe")
    types = {f"probe_{name}": text for name, text in probe.types.items()}
    (folder / "probe_registers.sv").write_text(
        block.render(
            render,
            module="probe_registers",
            of="a bench",
            **builder.block().variables(),
        )
    )
    (folder / "probe_registers_pkg.sv").write_text(
        package.render(
            render,
            address_bits=BITS,
            window_bits=BITS,
            register_types=registers.typedefs(types),
        )
    )
    return Benches(generated=folder)


def compare(bench: Bench, model: Model) -> None:
    """What the layer sees."""
    programs = [f"program[{n}].word" for n in range(3)]
    for name in (*(name for name, _ in held_fields(PROBE)), *programs):
        if name != "narrow.go":
            assert STATUS.get(bench.status, name) == model.fields[name], name


def some_address(random: Random, model: Model, last: int) -> int:
    chance = random.random()
    if chance < 0.5:
        return (last + 4) % (1 << BITS)  # on in order: the words of an entry
    if chance < 0.9:
        return random.choice(list(model.words))
    return random.randrange(1 << BITS - 2) * 4


@pytest.mark.parametrize("seed", SEEDS)
def test_every_access_does_what_the_model_says(bench_of: Benches, seed: int) -> None:
    random = Random(seed)
    bench = bench_of("register_block", seed=seed)
    model, driver = Model(), Driver(bench)
    bench.run(2 * ENTRIES)
    for address in range(0, 1 << BITS, 4):  # all, as they are after reset
        assert driver.access(address) == model.read(address), hex(address)
    compare(bench, model)
    last, written, pulses = 0, set(), 0
    for _ in range(3000):
        for name, path in (("depth",) * 2, ("count",) * 2, ("single", "tag")):
            bits = dict(INPUTS)[name]
            driver.inputs[name] = random.getrandbits(bits)
            model.fields[f"{name}.{path}"] = driver.inputs[name]
        driver.inputs["delay"] = random.choice((0, 0, 1, 5))
        last = some_address(random, model, last)
        if random.random() < 0.6:
            data = random.getrandbits(32)
            driver.access(last, data)
            path = model.write(last, data)
            written |= {path}
            pulses += path == "narrow" and data >> 8 & 1
        else:
            assert driver.access(last) == model.read(last), hex(last)
        if random.random() < 0.4:  # otherwise the next request follows in the same cycle
            for _ in range(random.choice((1, 1, 2, 5))):
                driver.run()
                assert not STATUS.get(bench.status, "ready")
            compare(bench, model)
            assert driver.pulses == pulses
    assert len(written) > 25, "too few registers were written as a whole"
    bench.reset()
    bench.run(2 * ENTRIES)
    compare(bench, Model())
    assert driver.access(PROBE.find("words").offset) == 7  # type: ignore[union-attr]


def test_the_layer_never_sees_a_part_of_an_entry(bench_of: Benches) -> None:
    """It reads in every cycle, also between the words of an entry."""
    random = Random(7)
    bench = bench_of("register_block", seed=7)
    driver, model = Driver(bench), Model()
    table = PROBE.find("words")
    assert isinstance(table, Register)
    bench.run(2 * ENTRIES)
    changed = 0
    for _ in range(300):
        index = random.randrange(ENTRIES)
        driver.inputs["words_index"] = index
        base = table.offset + index * table.stride
        seen = {(model.fields[f"words[{index}].key"], model.fields[f"words[{index}].value"])}
        order = [(base, random.getrandbits(32)), (base + 4, random.getrandbits(32))]
        other = table.offset + random.randrange(ENTRIES) * table.stride
        if random.random() < 0.3:  # another entry's first word comes between
            order.insert(1, (other, random.getrandbits(32)))
        for address, data in order:
            driver.control(valid=1, write=1, addr=address, wdata=data)
            ready = False
            while not ready:
                bench.run()
                driver.control()
                ready = bool(STATUS.get(bench.status, "ready"))
                entry = tuple(STATUS.get(bench.status, f"words.{n}") for n in ("key", "value"))
                if ready:
                    changed += model.write(address, data) is not None
                    now = model.fields
                    seen |= {(now[f"words[{index}].key"], now[f"words[{index}].value"])}
                assert bench.cycle < 10 or entry in seen
            bench.run(random.randrange(3))
    assert 150 < changed < 300


def test_a_plain_register_answers_at_once(bench_of: Benches) -> None:
    """Also behind another access, in the first cycle that it can come."""
    bench = bench_of("register_block")
    driver = Driver(bench)
    bench.run(2 * ENTRIES)
    plain = PROBE.find("narrow")
    assert isinstance(plain, Register)
    for data in (None, 5, None, 9, 8, 7, None):
        before = bench.cycle
        driver.access(plain.offset, data)
        assert bench.cycle - before == (READ_CYCLES if data is None else WRITE_CYCLES)


def test_memories_take_a_word_in_every_cycle(bench_of: Benches) -> None:
    """Prompt ones, also of several words; a read behind a write sees it."""
    random = Random(9)
    bench = bench_of("register_block")
    driver = Driver(bench)
    for _ in range(20):
        words, before, writes = {}, bench.cycle, 0
        for name in random.sample(("memory", "program"), 2):
            table = PROBE.find(name)
            assert isinstance(table, Register)
            for n in range(table.count or 0):
                for word in range(table.type.words):
                    value = random.getrandbits(32)
                    driver.access(table.offset + n * table.stride + 4 * word, value)
                    words[name, n, word] = value
                    writes += 1
        assert bench.cycle - before == writes * WRITE_CYCLES
        memory = PROBE.find("memory")
        assert isinstance(memory, Register)
        for n in range(memory.count or 0):
            assert driver.access(memory.offset + 4 * n) == words["memory", n, 0]
        for n in range(3):
            value = words["program", n, 0] | (words["program", n, 1] & 0xFF) << 32
            assert STATUS.get(bench.status, f"program[{n}].word") == value


def test_what_one_writer_began_another_cannot_end(bench_of: Benches) -> None:
    bench = bench_of("register_block")
    driver = Driver(bench)
    table = PROBE.find("words")
    assert isinstance(table, Register)
    bench.run(2 * ENTRIES)
    one, two = table.offset, table.offset + table.stride
    for address, data in ((one, 1), (two, 2), (two + 4, 3 << 16), (one + 4, 4 << 16)):
        driver.access(address, data)
    assert [driver.access(one), driver.access(one + 4)] == [7, 0], "the first one stays as it was"
    assert [driver.access(two), driver.access(two + 4)] == [2, 3 << 16]


def test_a_table_is_filled_after_reset(bench_of: Benches) -> None:
    """Meanwhile the layer reads the reset values of entries, and a write waits."""
    bench = bench_of("register_block")
    driver = Driver(bench)
    table = PROBE.find("words")
    assert isinstance(table, Register)
    last = table.offset + (ENTRIES - 1) * table.stride
    driver.inputs["words_index"] = ENTRIES - 1
    for _ in range(2):  # the second time it has other contents
        bench.reset()
        driver.control()
        bench.run(2)
        entry = [STATUS.get(bench.status, f"words.{field}") for field in ("key", "value")]
        assert entry == [7, 0]
        driver.access(last, 1)
        driver.access(last + 4, 2 << 16)
        bench.run(2 * ENTRIES)
        entry = [STATUS.get(bench.status, f"words.{field}") for field in ("key", "value")]
        assert entry == [1, 2]
