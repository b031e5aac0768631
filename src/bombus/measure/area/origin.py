# SPDX-License-Identifier: Apache-2.0
"""Where the cells of a mapped netlist come from: instance, module and line of SystemVerilog.

The technology mapper restructures logic and forgets names and lines. They are found again by
simulation: the netlist before and after mapping get the same random values at flip-flops,
memories and ports, a thousand at once, and a LUT whose output has the values of a gate, or their
inverse, comes from the line of that gate. A LUT without such a gate counts to its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import shake_128

from bombus.measure.area.netlist import Bit, Cell, Netlist

# Words of random values with different shares of ones, so that wide ANDs and ORs also toggle.
_WORD_BYTES = 32
_WORDS = (1, -2, 2, -3, 3, -4, 4)  # the OR (-) or the AND of this many random words
_DIGEST = _WORD_BYTES * sum(abs(number) for number in _WORDS)
_BITS = 8 * _WORD_BYTES * len(_WORDS)
_ONES = (1 << _BITS) - 1
# A signal with fewer ones or zeros could match another one by chance.
_QUIET = 8


@dataclass(frozen=True)
class Origin:
    """The origin of a cell; empty where unknown."""

    instance: str  # such as u_udp_rx.u_udp_rx.u_strip, or the tile if no more is known
    module: str
    place: str  # file:line
    signal: str = ""  # name of the signal that it drives, with its instances, if any


class Places:
    """Instances and files of a design, for looking up names and locations."""

    def __init__(
        self,
        instances: Mapping[str, str],
        modules: Mapping[str, Sequence[tuple[int, str]]],
    ) -> None:
        self._instances = instances  # module by path
        self._modules = modules  # by file: first lines and names
        self._paths: dict[str, list[str]] = {}
        for path, module in instances.items():
            self._paths.setdefault(module, []).append(path)

    def of_name(self, name: str) -> str:
        """The instance that a hierarchical name belongs to."""
        while name:
            name = name.rpartition(".")[0]
            if name in self._instances:
                return name
        return ""

    def origin(self, src: str, name: str = "", within: str = "") -> Origin | None:
        """The origin from Yosys's list of locations, with a name or at least the tile if known."""
        instance = self.of_name(name)
        for place in src.split("|"):
            file, _, lines = place.partition(":")
            if file not in self._modules:  # a library of Yosys, or a package
                continue
            line = int(lines.split(".")[0])
            module = ""
            for first, each in self._modules[file]:
                if first <= line:
                    module = each
            if module != self._instances.get(instance):
                instance = self._only(module, within or instance.partition(".")[0])
            return Origin(instance, module, f"{file}:{line}", name)
        if instance:
            return Origin(instance, self._instances[instance], "", name)
        return None

    def _only(self, module: str, within: str) -> str:
        """The instance of a module inside another; the other one if there are several."""
        found = [
            path
            for path in self._paths.get(module, ())
            if path == within or path.startswith(f"{within}." if within else "")
        ]
        return found[0] if len(found) == 1 else within


def origins(gates: Netlist, mapped: Netlist, places: Places) -> list[Origin | None]:
    """The origin of each cell of a mapped netlist."""
    known: dict[int, Origin] = {}
    names = gates.names
    values = _simulate(gates)
    for number in gates.in_order(_logic(gates)):
        cell = gates.cells[number]
        for bits in cell.outputs.values():
            for bit in bits:
                name = names.get(bit)
                found = places.origin(cell.src, name.text if name else "", _tile(cell.name))
                if not found and name:
                    found = places.origin(name.src, name.text)
                value = _either(values.get(bit, 0))
                if found and _QUIET < value.bit_count() < _BITS - _QUIET:
                    known.setdefault(value, found)

    values = _simulate(mapped)
    result: list[Origin | None] = []
    for cell in mapped.cells:
        if cell.is_logic:
            outputs = (bit for bits in cell.outputs.values() for bit in bits)
            matches = (known.get(_either(values[bit])) for bit in outputs if bit in values)
            result.append(next((match for match in matches if match), None))
        else:
            result.append(_of_state(cell, mapped, places))
    _spread(result, mapped)
    return result


def _spread(result: list[Origin | None], netlist: Netlist) -> None:
    """Cells of unknown origin get that of a cell that they drive, or else of one that drives
    them.
    """
    readers: dict[Bit, list[int]] = {}
    for number in range(len(netlist.cells)):
        for bit in netlist.read(number):
            readers.setdefault(bit, []).append(number)
    unknown = [number for number in netlist.in_order(range(len(result))) if not result[number]]
    while unknown:
        for number in reversed(unknown):
            outputs = (bit for bits in netlist.cells[number].outputs.values() for bit in bits)
            after = (result[reader] for bit in outputs for reader in readers.get(bit, ()))
            drivers = (netlist.drivers.get(bit) for bit in netlist.read(number))
            before = (result[driver[0]] for driver in drivers if driver)
            found = next((each for each in (*after, *before) if each), None)
            result[number] = replace(found, signal="") if found else None
        before_this, unknown = unknown, [number for number in unknown if not result[number]]
        if len(unknown) == len(before_this):
            break


def _tile(name: str) -> str:
    """The instance prefix that Yosys gave to a cell's own name when flattening."""
    match = re.match(r"\$flatten\\([^$]*)\.\$", name)
    return match[1] if match else ""


def _of_state(cell: Cell, netlist: Netlist, places: Places) -> Origin | None:
    """The origin of a flip-flop or memory, by its name or that of the signal it drives."""
    outputs = (bit for bits in cell.outputs.values() for bit in bits)
    name = next((netlist.names[bit] for bit in outputs if bit in netlist.names), None)
    own = places.origin(cell.src, name.text if name else "", _tile(cell.name))
    if own and own.place:
        return own
    return places.origin("", cell.name) or (places.origin(name.src, name.text) if name else own)


def _logic(netlist: Netlist) -> list[int]:
    return [number for number, cell in enumerate(netlist.cells) if cell.is_logic]


def _either(value: int) -> int:
    """A value that is equal for a signal and its inverse."""
    return value if value & 1 else value ^ _ONES


def _random(name: str) -> int:
    digest = shake_128(name.encode()).digest(_DIGEST)
    value, position = 0, 0
    for number in _WORDS:
        word = int.from_bytes(digest[position : position + _WORD_BYTES])
        for _ in range(abs(number) - 1):
            position += _WORD_BYTES
            more = int.from_bytes(digest[position : position + _WORD_BYTES])
            word = word | more if number < 0 else word & more
        position += _WORD_BYTES
        value = value << 8 * _WORD_BYTES | word
    return value


def _simulate(netlist: Netlist) -> dict[Bit, int]:
    """Values of nets; those not driven by logic are random, seeded by the name of their driver."""
    values: dict[Bit, int] = {"0": 0, "1": _ONES, "x": 0, "z": 0}
    for name, port in netlist.ports.items():
        for index, bit in enumerate(port["bits"]):
            if port["direction"] != "output":
                values[bit] = _random(f"{name} {index}")
    for cell in netlist.cells:
        if not cell.is_logic:
            for port, bits in cell.outputs.items():
                for index, bit in enumerate(bits):
                    values[bit] = _random(f"{cell.name} {port} {index}")
    for number in netlist.in_order(_logic(netlist)):
        cell = netlist.cells[number]
        function = _FUNCTIONS.get(cell.kind)
        inputs = {port: [values.get(bit, 0) for bit in bits] for port, bits in cell.inputs.items()}
        found = function(cell, inputs) if function else {}
        for port, bits in cell.outputs.items():
            results = found.get(port) or [_random(f"{cell.name} {port} {i}") for i in bits]
            values.update(zip(bits, results, strict=False))
    return values


_Values = Mapping[str, list[int]]
_Function = Callable[[Cell, _Values], dict[str, list[int]]]


def _gate(function: Callable[..., int], output: str, *ports: str) -> _Function:
    def evaluate(cell: Cell, values: _Values) -> dict[str, list[int]]:
        return {output: [function(*(values[port][0] for port in ports)) & _ONES]}

    return evaluate


def _mux(zero: int, one: int, select: int) -> int:
    return zero ^ ((zero ^ one) & select)


def _lut(cell: Cell, values: _Values) -> dict[str, list[int]]:
    size = int(cell.kind[3:])
    table = cell.params["INIT"].replace("x", "0").rjust(1 << size, "0")[::-1]
    level = [_ONES if entry == "1" else 0 for entry in table[: 1 << size]]
    for number in range(size):
        select = values[f"I{number}"][0]
        level = [_mux(level[i], level[i + 1], select) for i in range(0, len(level), 2)]
    return {"O": level}


def _carry(cell: Cell, values: _Values) -> dict[str, list[int]]:
    carry = values["CI"][0] | values.get("CYINIT", values.get("CI_TOP", [0]))[0]
    sums, carries = [], []
    for data, propagate in zip(values["DI"], values["S"], strict=True):
        sums.append(propagate ^ carry)
        carry = _mux(data, carry, propagate)
        carries.append(carry)
    return {"O": sums, "CO": carries}


_TWO = ("A", "B")
_FUNCTIONS: dict[str, _Function] = {
    "$_BUF_": _gate(lambda a: a, "Y", "A"),
    "$_NOT_": _gate(lambda a: ~a, "Y", "A"),
    "$_AND_": _gate(lambda a, b: a & b, "Y", *_TWO),
    "$_NAND_": _gate(lambda a, b: ~(a & b), "Y", *_TWO),
    "$_OR_": _gate(lambda a, b: a | b, "Y", *_TWO),
    "$_NOR_": _gate(lambda a, b: ~(a | b), "Y", *_TWO),
    "$_XOR_": _gate(lambda a, b: a ^ b, "Y", *_TWO),
    "$_XNOR_": _gate(lambda a, b: ~(a ^ b), "Y", *_TWO),
    "$_ANDNOT_": _gate(lambda a, b: a & ~b, "Y", *_TWO),
    "$_ORNOT_": _gate(lambda a, b: a | ~b, "Y", *_TWO),
    "$_MUX_": _gate(_mux, "Y", "A", "B", "S"),
    "$_NMUX_": _gate(lambda a, b, s: ~_mux(a, b, s), "Y", "A", "B", "S"),
    "INV": _gate(lambda i: ~i, "O", "I"),
    "MUXF7": _gate(_mux, "O", "I0", "I1", "S"),
    "MUXF8": _gate(_mux, "O", "I0", "I1", "S"),
    "MUXF9": _gate(_mux, "O", "I0", "I1", "S"),
    "CARRY4": _carry,
    "CARRY8": _carry,
    **{f"LUT{size}": _lut for size in range(1, 7)},
}
