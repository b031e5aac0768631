# SPDX-License-Identifier: Apache-2.0
"""Opens benches/app_streams.sv on an application layer, and makes items of messages for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from bombus.design.rtl import struct_layout
from tests.support.harness import KIND_BITS, LENGTH_BITS, Bench, Benches, Layout
from tests.support.layer_bench import layer_kind

BEATS_IN, TX = range(2)
BEATS_OUT, RX, READS, REQUESTS = range(4)
USER_BITS = 256


def struct_bits(name: str, package: str) -> int:
    return max(each.offset + each.width for each in struct_layout(name, package).values())


@dataclass(frozen=True)
class Sent:
    """A message: its bytes, and metadata or tuser of its first beat as a number."""

    payload: bytes
    side: int
    kind: int = 0


def axi_ports(rx: str, tx: str, rx_user: int, tx_user: int) -> list[str]:
    """Connections of an instance's AXI-Streams in the bench."""
    return [
        *(f".{rx}_t{name}_o(rx.{name})" for name in ("data", "keep", "last")),
        *(f".{tx}_t{name}_i(tx.{name})" for name in ("data", "keep", "last")),
        f".{rx}_tuser_o(rx.user[{rx_user - 1}:0])",
        f".{tx}_tuser_i(tx.user[{tx_user - 1}:0])",
        *(f".{rx}_tvalid_o(rx_valid)", f".{rx}_tready_i(rx_ready)"),
        *(f".{tx}_tvalid_i(tx_valid)", f".{tx}_tready_o(tx_ready)"),
    ]


class AppBench:
    """A layer with its beats and AXI-Streams at one width."""

    def __init__(
        self,
        benches: Benches,
        layer: str,
        width: int,
        meta: tuple[str, str],
        streams: tuple[str, str] | None,
        users: tuple[int, int] = (1, 1),
        parameters: Mapping[str, int] | None = None,
        seed: int = 1,
    ) -> None:
        """`meta`: struct and package of the metadata; `streams`, `users`: names and bits of tuser
        of the AXI-Streams out of the layer and into it."""
        kind = layer_kind(layer)
        given = {"beat_t": "beat_t"} | ({"DataWidth": "DataWidth"} if streams else {})
        small = [stream for stream in ("read", "request") if stream in kind.outputs]
        given |= {f"{stream}_beat_t": "small_beat_t" for stream in small}
        given |= {name: str(value) for name, value in (parameters or {}).items()}
        arguments = ",".join(f".{name}({value})" for name, value in given.items())
        ports = axi_ports(*streams, *users) if streams else []
        macros: dict[str, str | int] = {
            "LAYER": f"{layer} #({arguments}) u_layer ({','.join(['.*', *ports])});",
            "NUM_EVENTS": kind.ports["event_o"],
            "META_T": f"{meta[1]}::{meta[0]}",
        }
        if kind.drops:
            macros["NUM_DROPS"] = kind.ports["drop_o"]
        for name, given_it in (
            ("AXI", streams),
            *((stream.upper(), True) for stream in small),
            ("TIMER", "timer_o" in kind.ports),
        ):
            if given_it:
                macros[name] = 1
        self.events = [*kind.events, *kind.drops]  # names of what `bench.events` counts
        self.bench: Bench = benches("app_streams", seed=seed, macros=macros, DataWidth=width)
        self.size = width // 8
        self.random = Random(seed)
        self.user_bits = users
        self._meta_bits = struct_bits(*meta)
        fields = ("last", 1), ("kind", KIND_BITS), ("length", LENGTH_BITS)
        self.layouts = [self._layout(size, fields) for size in (width, 64)]
        self.axi = Layout(("data", width), ("keep", self.size), ("last", 1), ("user", USER_BITS))
        self._parts: dict[int, list[dict[str, int]]] = {}

    def _layout(self, width: int, fields: Sequence[tuple[str, int]]) -> Layout:
        last, *rest = fields
        size = ("bytes", (width // 8).bit_length())
        return Layout(("data", width), size, last, *rest, ("meta", self._meta_bits))

    # ---- Input ----

    def beats(self, payload: bytes, meta: int = 0, kind: int = 0) -> None:
        """A message to the layer; don't-care fields are noise."""
        noise = self.random.getrandbits
        items = []
        count = max(1, -(-len(payload) // self.size))
        for index in range(count):
            part = payload[index * self.size : (index + 1) * self.size]
            last = index == count - 1
            items.append(
                self.layouts[0].pack(
                    data=int.from_bytes(part, "little"),
                    bytes=len(part) if last else noise(self.size.bit_length()),
                    last=last,
                    kind=noise(KIND_BITS) if index else kind,
                    length=noise(LENGTH_BITS) if index else len(payload),
                    meta=noise(self._meta_bits) if index else meta,
                )
            )
        self.bench.push(items, BEATS_IN)

    def axi_items(self, parts: Iterable[bytes], user: int) -> list[int]:
        """Beats of an AXI-Stream with these bytes; don't-care fields are noise."""
        noise = self.random.getrandbits
        parts = list(parts)
        items = []
        for index, part in enumerate(parts):
            hidden = self.random.randbytes(self.size - len(part))
            items.append(
                self.axi.pack(
                    data=int.from_bytes(part + hidden, "little"),
                    keep=(1 << len(part)) - 1,
                    last=index == len(parts) - 1,
                    user=noise(self.user_bits[1]) if index else user,
                )
            )
        return items

    def send(self, payload: bytes, user: int) -> None:
        """A message over the AXI-Stream, in full beats."""
        parts = [payload[n : n + self.size] for n in range(0, len(payload), self.size)] or [b""]
        self.bench.push(self.axi_items(parts, user), TX)

    # ---- Output ----

    def take(self) -> dict[int, list[Sent]]:
        """The messages completed since the last call."""
        bench = self.bench
        found = {stream: self._messages(stream, bench.items(stream)) for stream in range(4)}
        bench.forget()
        return found

    def _messages(self, stream: int, items: Iterable[int]) -> list[Sent]:
        found = []
        parts = self._parts.setdefault(stream, [])
        for item in items:
            if stream == RX:
                beat = self.axi.unpack(item)
                count = beat["keep"].bit_length()
                assert beat["keep"] == (1 << count) - 1, "a hole in tkeep"
                beat |= {"bytes": count, "kind": 0, "meta": beat["user"]}
                beat["meta"] &= (1 << self.user_bits[0]) - 1
                size = self.size
            else:
                layout = self.layouts[stream != BEATS_OUT]
                beat = layout.unpack(item)
                size = layout.fields["bytes"][1] + 1 >> 1
            parts.append(beat)
            if not beat["last"]:
                if stream == RX:
                    assert beat["bytes"] == size, "a hole in a message"
                continue
            data = b"".join(each["data"].to_bytes(size, "little") for each in parts)
            end = beat["bytes"]
            assert end <= size
            assert end or len(parts) == 1, "the last beat of several is empty"
            payload, rest = data[: len(data) - size + end], data[len(data) - size + end :]
            assert not any(rest), "bytes behind the end are not zero"
            if stream != RX:
                assert parts[0]["length"] == len(payload), "length is not that of the message"
            found.append(Sent(payload, parts[0]["meta"], parts[0]["kind"]))
            parts.clear()
        return found

    def reset(self, cycles: int = 1) -> None:
        self.bench.reset(cycles)
        self._parts.clear()

    @property
    def busy(self) -> bool:
        return bool(self.bench.status & 1)

    @property
    def timer(self) -> bool:
        return bool(self.bench.status & 2)
