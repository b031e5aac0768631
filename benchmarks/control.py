# SPDX-License-Identifier: Apache-2.0
"""The control plane: latency and rate of register accesses over UDP and TCP, and its LUTs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

from _service_tcp import TcpService
from rich.table import Table

from bombus import Simulation
from bombus.applications.control import messages
from bombus.applications.control.ascon import TAG_BYTES
from bombus.applications.control.messages import HEADER_BYTES, Key, Status
from bombus.base.errors import UserError
from bombus.base.paths import DESIGNS, EXAMPLES
from bombus.measure.bench import report
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, udp_frame
from bombus.registers.model import WORD_BYTES

UDP_DESIGN = DESIGNS / "udp_echo.yaml"
TCP_DESIGN = EXAMPLES / "control" / "control_tcp.yaml"
TRANSPORTS = ("udp", "tcp")
PORT, ECHO_PORT = 9, 7
SECRET = bytes(range(16))
CLIENT = 0x0123456789ABCDEF
UDP_HEADERS = 42  # bytes
BATCH = 1024  # writes
BATCHES = 6
SINGLES = 20
PROBES = 400  # packets after a request that changes a table
LOAD_PER_SECOND = 1_000_000
LOADED = 200  # requests at that rate
LINE_CYCLES = 4  # after the last beat of a frame, in which it is still on the line


@dataclass(frozen=True)
class Row:
    """One figure; docs/benchmarks.md defines them."""

    case: str
    transport: str
    sealed: bool
    latency_cycles: float | None
    per_second: float | None
    luts: int | None  # of the tile with the controller


def design_text(transport: str, *, sealed: bool) -> str:
    """A design file with a controller."""
    key = f"key: 0x{int.from_bytes(SECRET, 'little'):032x}" if sealed else "sealed: false"
    if transport == "tcp":
        text = TCP_DESIGN.read_text()
        before, _, after = text.partition("      - control_tcp\n")
        inner = "control_tcp" if sealed else "control_tcp: {sealed: false}"
        _, _, rest = after.partition("\n")
        return f"{before}      - {inner}\n      - controller: {{{key}, over_tcp: true}}\n{rest}"
    stream = "{udp_stream: {udp_port: 9, max_bytes: 8192}}"
    tile = f"  - {{name: control, layers: [{stream}, {{controller: {{{key}}}}}], at: [3, 1]}}\n"
    return UDP_DESIGN.read_text() + tile


@contextmanager
def design_file(transport: str, *, sealed: bool) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{transport}_control.yaml"
        file.write_text(design_text(transport, sealed=sealed))
        yield file


@dataclass
class Requests:
    """Makes requests and checks their answers."""

    key: Key
    boot: int = 0
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    wrong: int = 0

    def hello(self) -> bytes:
        return messages.request(self.key, 0, b"", boot=0, client=CLIENT)

    def request(self, body: bytes) -> bytes:
        number = next(self.numbers)
        return messages.request(self.key, number, body, boot=self.boot, client=CLIENT)

    def check(self, number: int, request: bytes, reply: bytes) -> None:
        """`number`: of the request in its exchange."""
        found = messages.answer(self.key, reply)
        self.boot = found.boot
        self.wrong += found.status != Status.OK

    def count_wrong(self, number: int | None, what: str) -> None:
        self.wrong += 1

    def reply_bytes(self, request: bytes) -> int:
        """Of a hello, of one read, or of writes alone."""
        tag = TAG_BYTES if self.key.secret is not None else 0
        body = len(request) - HEADER_BYTES - tag
        words = 6 if body == 0 else 1 if body == 2 * WORD_BYTES else 0
        return HEADER_BYTES + WORD_BYTES * words + tag


class Udp:
    """Requests of one station by UDP."""

    def __init__(self, simulation: Simulation, requests: Requests) -> None:
        self.simulation, self.requests = simulation, requests
        self.station = neighbour(simulation.manifest)
        self.host = Host.from_manifest(simulation.manifest)
        introduce(simulation, self.station)

    def frame(self, data: bytes, port: int = PORT) -> bytes:
        return udp_frame(self.station, self.host, data, port=port)

    def run(self, requests: Sequence[bytes], ahead: int) -> tuple[list[int], list[int]]:
        """Latencies, first beat to first beat, and the cycles of the answers' last beats."""
        self.simulation.advance_until_idle()
        frames = [self.frame(each) for each in requests]
        found = self.simulation.exchange(frames, window=ahead, limit_cycles=1_000_000)
        if len(found.received) != len(requests):
            raise UserError(f"{len(requests)} requests have {len(found.received)} answers")
        for number, (request, frame) in enumerate(zip(requests, found.received, strict=True)):
            size = self.requests.reply_bytes(request)
            self.requests.check(number, request, frame.data[UDP_HEADERS : UDP_HEADERS + size])
        ends = zip(found.sent, found.received, strict=True)
        latencies = [got.first_beat_cycle - sent.first_beat_cycle for sent, got in ends]
        return latencies, [frame.last_beat_cycle for frame in found.received]


class Tcp:
    """Requests on one TCP connection."""

    def __init__(self, simulation: Simulation, requests: Requests) -> None:
        self.requests = requests
        self._service = TcpService(simulation, PORT, requests, 1)  # type: ignore[arg-type]

    def run(self, requests: Sequence[bytes], ahead: int) -> tuple[list[int], list[int]]:
        found = self._service.burst(requests, ahead)
        if len(found.cycles) != len(requests):
            raise UserError(f"{len(requests)} requests have {len(found.cycles)} answers")
        return found.latencies, found.cycles


def rates(
    simulation: Simulation, transport: str, *, sealed: bool, luts: int | None
) -> tuple[list[Row], Requests]:
    """Single reads, and batches of writes."""
    requests = Requests(Key(SECRET if sealed else None))
    peer = (Tcp if transport == "tcp" else Udp)(simulation, requests)
    address = int(simulation.registers.host[0].gateway.where())
    before = simulation.registers.host[0].gateway.address

    def row(case: str, found: tuple[list[int], list[int]], writes: int) -> Row:
        latencies, cycles = found
        spent = (cycles[-1] - cycles[0]) / (len(cycles) - 1) / writes
        rate = simulation.clock_hz / spent
        return Row(case, transport, sealed, median(latencies), round(rate), luts)

    peer.run([requests.hello()], 1)
    reads = [requests.request(messages.read(address)) for _ in range(SINGLES)]
    rows = [row("read", peer.run(reads, 1), 1)]
    items = [messages.write(address, n) for n in range(BATCH - 1)]
    body = b"".join(items) + messages.write(address, before)
    batches = [requests.request(body) for _ in range(BATCHES)]
    ahead = 2 if transport == "tcp" else 1  # over UDP, a request that arrives early is discarded
    rows.append(row(f"{BATCH} writes", peer.run(batches, ahead), BATCH))
    return rows, requests


class Echo(NamedTuple):
    """An echo, and whether it shared a MAC port: it came just after a request to the controller,
    or left just after an answer.
    """

    latency: int
    is_behind: bool


def _echoes(simulation: Simulation, peer: Udp, random: Random, *, loaded: bool) -> list[Echo]:
    """Echoes at random times between requests at the rate of the load."""
    period = simulation.clock_hz // LOAD_PER_SECOND
    echoes = []
    simulation.sent()
    for _ in range(LOADED):
        end = simulation.cycle + period
        if loaded:
            body = messages.read(0)
            simulation.send(peer.frame(peer.requests.request(body)))
        simulation.advance(random.randrange(1, period // 2))
        simulation.send(peer.frame(b"echo", ECHO_PORT))
        answers, echo = [], None
        while simulation.cycle < end:
            simulation.advance(1)
            while (frame := simulation.receive(timeout_cycles=0)) is not None:
                if b"echo" in frame.data[UDP_HEADERS : UDP_HEADERS + 4]:
                    echo = frame
                else:
                    answers.append(frame)
        if echo is None:
            raise UserError("an echo was lost")
        *requests, sent = simulation.sent()
        came, went = sent.first_beat_cycle, echo.first_beat_cycle
        is_behind = any(0 < came - each.last_beat_cycle <= LINE_CYCLES for each in requests)
        is_behind |= any(0 < went - each.last_beat_cycle <= LINE_CYCLES for each in answers)
        echoes.append(Echo(went - came, is_behind))
    return echoes


def data_path(
    simulation: Simulation, requests: Requests, *, sealed: bool, seed: int, luts: int | None
) -> list[Row]:
    """Packets beside requests: a changed table, and latency under load."""
    peer = Udp(simulation, requests)
    (udp_rx,) = (tile for tile in simulation.manifest["tiles"] if tile["name"] == "udp_rx")
    hop = udp_rx["next_hops"][f"udp_port_{ECHO_PORT}"]
    table = simulation.registers.tiles["udp_rx"].next_hop[hop]
    request = requests.request(messages.write(int(table.where()), 0))
    simulation.advance_until_idle()
    frames = [peer.frame(request), *[peer.frame(b"probe", ECHO_PORT)] * PROBES]
    found = simulation.exchange(frames, limit_cycles=100_000)
    answered = sum(b"probe" in frame.data for frame in found.received)
    if not 0 < answered < PROBES:
        raise UserError(f"{answered} of {PROBES} packets were answered after the table changed")
    visible = found.sent[1 + answered].first_beat_cycle - found.sent[0].last_beat_cycle
    rows = [Row("table update visible", "udp", sealed, visible, None, luts)]
    simulation.reset()
    requests.numbers = count(1)
    peer = Udp(simulation, requests)
    peer.run([requests.hello()], 1)
    simulation.advance_until_idle()
    idle = _echoes(simulation, peer, Random(seed), loaded=False)
    load = _echoes(simulation, peer, Random(seed), loaded=True)
    latest = max(echo.latency for echo in idle)

    def row(case: str, echoes: Sequence[Echo], per_second: int | None = None) -> Row:
        found = median(echo.latency for echo in echoes)
        return Row(case, "udp", sealed, found, per_second, None)

    def later(case: str, echoes: Sequence[Echo]) -> Row:
        most = max((echo.latency - latest for echo in echoes), default=0)
        extra = sum(echo.latency > latest for echo in echoes)
        return Row(case, "udp", sealed, max(0, most), extra, None)

    return [
        *rows,
        row("echo", idle),
        row("echo, 1 M requests/s", load, LOAD_PER_SECOND),
        later("echoes that are later", load),
        later("the same, MAC port free", [echo for echo in load if not echo.is_behind]),
    ]


def tile_luts(file: Path) -> int:
    from bombus.measure.area import measure  # an extra

    return int(measure(str(file), tile="control").as_dict()["lut_total"])


def main(
    design: Path | None,
    json: Path | None,
    *,
    transport: Annotated[str, "udp or tcp; both: all"] = "both",
    no_area: Annotated[bool, "do not synthesise the controllers: luts is null"] = False,
    seed: Annotated[int, "random seed"] = 1,
) -> None:
    if design is not None:
        raise UserError("control has designs of its own")
    if transport not in (*TRANSPORTS, "both"):
        raise UserError(f"--transport {transport}: should be udp, tcp or both")
    rows: list[Row] = []
    wrong = 0
    for each in TRANSPORTS if transport == "both" else (transport,):
        for sealed in (True, False):
            with design_file(each, sealed=sealed) as file:
                luts = None if no_area else tile_luts(file)
                with Simulation(file, seed=seed) as simulation:
                    some, requests = rates(simulation, each, sealed=sealed, luts=luts)
                    rows += some
                    if each == "udp":
                        rows += data_path(simulation, requests, sealed=sealed, seed=seed, luts=luts)
                    wrong += requests.wrong
    table = Table("case", "transport", "sealed", "latency_cycles", "per_second", "luts")
    for row in rows:
        table.add_row(*("" if value is None else f"{value}" for value in asdict(row).values()))
    report({"rows": [asdict(row) for row in rows], "wrong": wrong}, json, [table])
    if wrong:
        raise UserError(f"{wrong} answers were wrong")
