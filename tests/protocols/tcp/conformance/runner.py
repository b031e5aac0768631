# SPDX-License-Identifier: Apache-2.0
"""Runs a conformance script against a simulated engine; the script's actions are the peer's."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import PROTOCOL_ICMP, Host, icmp, ip_frame, ipv4
from bombus.simulator.build import Library
from bombus.simulator.simulation import Simulation
from tests.protocols.tcp.conformance.script import Line, Script
from tests.protocols.tcp.tcp_wire import (
    MSS,
    SACK,
    SACK_PERMITTED,
    SCALE,
    TIMESTAMPS,
    WORD,
    Options,
    Wire,
    decode,
    filled,
    parse,
    resolution,
)

PORT = 7
PEER_PORT = 40_000
CONTROL_PORT = 39_999  # of the connection on which the peer commands the application
OPEN = b"#o"
CANCEL = b"#del"
PROTOCOL_TCP = 6
UNREACHABLE = 3  # type of ICMP
EXPIRY_CYCLES = 16  # from the end of a scan of timers, with margin
FEW_SESSIONS = 16  # with which the tolerances of scripts hold, by their `step`
CLOCK_START = 100_000  # of the peer's timestamps, in ms


class MismatchError(AssertionError):
    """The engine's output differs from what a script expects."""


def pattern(place: int, count: int) -> bytes:
    """The peer's data from a position of its stream on."""
    return bytes((7 * n + (n >> 8)) % 251 for n in range(place, place + count))


def _blocks(line: Line) -> list[tuple[int, int]]:
    """The SACK blocks that a line names."""
    texts = [text for text in line.texts.get("blocks", b"").decode().split(",") if text]
    return [(int(left), int(right)) for left, _, right in (t.partition("-") for t in texts)]


class Runner:
    """One script on one simulation."""

    def __init__(self, library: Library, script: Script) -> None:
        self._script = script
        layers = (layer for tile in library.manifest["tiles"] for layer in tile["layers"])
        self._sessions = next(
            layer["params"]["num_sessions"] for layer in layers if layer["kind"] == "tcp"
        )
        # Timers are late in proportion to the sessions (docs/simulator.md).
        step = script.settings.get("step", 1000) * FEW_SESSIONS // self._sessions
        self.simulation = Simulation(library, timer_step_us=step)
        self._host = Host.from_manifest(self.simulation.manifest)
        self._station = neighbour(self.simulation.manifest)
        introduce(self.simulation, self._station)
        self._isn = script.settings.get("isn", 1000)
        self._window = script.settings.get("window", 65535)
        self._engine_isn = 0
        self._known = False  # the engine's first number
        self._to = PORT  # of the engine
        self._is_requested = False  # the engine has sent the first SYN
        self._has_answered = False  # the peer has sent a SYN after that
        self._control: deque[Wire] = deque()  # segments of the other connection
        self._commanded: Wire | None = None  # the last one to it
        self._next = self._isn  # the peer's next sequence number
        self._expected = 0  # the next sequence number expected
        self._stamps = False
        self._offered = False
        self._recent = 0  # the engine's last timestamp
        self._sent: dict[int, int] = {}  # bytes by position
        self._waiting: deque[tuple[float, Wire]] = deque()
        self._began_ms = self._now_ms()
        self.log: list[str] = []

    # ---- Time ----

    def _now_ms(self) -> float:
        return self.simulation.time_ns / 1e6

    def _gather(self) -> None:
        while (frame := self.simulation.receive(timeout_cycles=0)) is not None:
            segment = decode(frame.data)
            if segment is None:
                if answer := resolution(frame.data, self._station, self._host):
                    self.simulation.send(answer)
                continue
            if segment.destination == CONTROL_PORT:
                self._control.append(segment)
                continue
            time = frame.time_ns / 1e6
            self.log.append(f"{time - self._began_ms:10.3f} < {self._say(segment)}")
            self._waiting.append((time, segment))

    def _pass(self, ms: float) -> None:
        self.simulation.advance_until_idle()
        if ms > 0:
            self.simulation.elapse(us=max(1, round(ms * 1000)))
        # What is due now is found by a scan of all sessions.
        self.simulation.advance(self._sessions + EXPIRY_CYCLES)
        self.simulation.advance_until_idle()
        self._gather()

    # ---- Actions ----

    def run(self) -> None:
        """Runs the whole script; MismatchError if the engine deviates."""
        try:
            self._at_ms = self._now_ms()
            for line in self._script.lines:
                try:
                    for _ in range(line.words.get("times", 1)):
                        getattr(self, f"_do_{line.action}")(line)
                except AssertionError as error:
                    raise MismatchError(
                        f"{self._script.name}, line {line.number}: {line.text}\n  {error}\n"
                        + "\n".join(self.log[-12:])
                    ) from None
            self._pass(0)
            if self._waiting:
                raise MismatchError(
                    f"{self._script.name}: at the end comes {self._say(self._waiting[0][1])}\n"
                    + "\n".join(self.log[-12:])
                )
            self.simulation.check()
        finally:
            self.simulation.close()

    def _do_open(self, line: Line) -> None:
        words = {k: v for k, v in line.words.items() if k != "window"}
        syn = Line(
            *(line.number, line.text, line.delay_ms, 0, "send", (frozenset({"SYN"}),)),
            words,
            line.texts,
        )
        self._do_send(syn)
        # The final window applies from the SYN on.
        self._window = line.words.get("window", self._window)
        answer = Line(line.number, line.text, 0, 3, "expect", (frozenset({"SYN", "ACK"}),))
        self._do_expect(answer)
        stamp = {k: v for k, v in words.items() if k == "stamp"}
        self._do_send(Line(line.number, line.text, 0, 0, "send", (frozenset({"ACK"}),), stamp))

    def _do_connect(self, line: Line) -> None:
        self._pass(line.delay_ms)
        peer = int.from_bytes(self._station.ip)
        command = struct.pack("<2sIH", OPEN, peer, PEER_PORT)
        syn = self._command(Wire(CONTROL_PORT, PORT, 0, flags=frozenset({"SYN"})))
        data = Wire(CONTROL_PORT, PORT, 1, syn.end, frozenset({"ACK"}), payload=command)
        self._take_echo(data)

    def _take_echo(self, data: Wire) -> None:
        echo = self._command(data)
        self._commanded = data.but(seq=data.end, ack=echo.end, payload=b"")
        self._command(self._commanded, answered=False)
        self._at_ms = self._now_ms()

    def _do_cancel(self, line: Line) -> None:
        self._pass(line.delay_ms)
        assert self._commanded is not None, "no connection was requested"
        self._take_echo(self._commanded.but(payload=CANCEL))

    def _command(self, segment: Wire, *, answered: bool = True) -> Wire:
        """Sends a segment on the other connection; returns the last one that comes there."""
        self._control.clear()
        self.simulation.send(segment.frame(self._station, self._host))
        self._pass(0)
        assert bool(self._control) == answered, "the application's answer to a command"
        return self._control[-1] if answered else segment

    def _do_report(self, line: Line) -> None:
        self._pass(line.delay_ms)
        words = line.words
        seq = (words["seq"] + self._engine_isn) % WORD
        ports = struct.pack("!HH", words.get("to", PORT), words.get("port", PEER_PORT))
        quoted = ipv4(
            *(self._host.ip, self._station.ip, PROTOCOL_TCP, ports + struct.pack("!I", seq)),
            total_length=1500,
        )
        message = icmp(words.get("type", UNREACHABLE), words["code"], words.get("mtu", 0), quoted)
        self.log.append(f"{self._now_ms() - self._began_ms:10.3f} > {line.text}")
        self.simulation.send(ip_frame(self._station, self._host, PROTOCOL_ICMP, message))
        self._at_ms = self._now_ms()
        self._pass(0)

    def _do_send(self, line: Line) -> None:
        self._pass(line.delay_ms)
        (flags,) = line.flags
        words = line.words
        seq = (words["seq"] + self._isn) % WORD if "seq" in words else self._next
        payload = line.texts.get("text", b"")
        place = (seq - self._isn) % WORD
        if "bytes" in words:
            payload = pattern(place, words["bytes"])
        ack = self._expected
        if "ack" in words:
            ack = (words["ack"] + self._engine_isn) % WORD
        elif "ACK" not in flags:
            ack = 0
        segment = Wire(
            source=words.get("port", PEER_PORT),
            destination=words.get("to", self._to),
            seq=seq,
            ack=ack,
            flags=flags,
            window=words.get("window", self._window),
            payload=payload,
            options=self._options(line, flags),
            urgent=words.get("urgent", 0),
            offset=words.get("offset"),
            checksum=words.get("checksum"),
            tos=words.get("tos", 0),
        )
        if "SYN" in flags and "ACK" not in flags and not self._known:
            self._offered = "ts" in words or "stamp" in words
        if "SYN" in flags and self._is_requested and not self._has_answered:
            self._has_answered = True
            self._stamps = "ts" in words
        for index, byte in enumerate(payload):
            self._sent.setdefault((place + index) % WORD, byte)
        ahead = (segment.end - self._next) % WORD
        if seq == self._next or ("seq" not in words and ahead < WORD // 2):
            self._next = segment.end
        self.log.append(f"{self._now_ms() - self._began_ms:10.3f} > {self._say(segment, True)}")
        self.simulation.send(segment.frame(self._station, self._host))
        self._at_ms = self._now_ms()
        self._pass(0)

    def _options(self, line: Line, flags: frozenset[str]) -> bytes:
        words = line.words
        if "raw" in line.texts:
            return line.texts["raw"]
        options = b""
        if "mss" in words:
            options += struct.pack("!BBH", MSS, 4, words["mss"])
        if "scale" in words:
            options += struct.pack("!BBB", SCALE, 3, words["scale"])
        if "sack" in words:
            options += bytes((SACK_PERMITTED, 2))
        stamped = self._stamps and "nostamp" not in words
        stamps = b""
        if "ts" in words or "stamp" in words or stamped:
            clock = round(self._now_ms() - self._began_ms)
            value = (CLOCK_START + words.get("stamp", clock)) % WORD
            stamps = struct.pack("!BBII", TIMESTAMPS, 10, value, self._recent)
        sacks = b""
        if blocks := _blocks(line):
            sacks = bytes((SACK, 2 + 8 * len(blocks)))
            for edges in blocks:
                sacks += struct.pack("!II", *((self._engine_isn + e) % WORD for e in edges))
        if layout := line.texts.get("layout", b"").decode():
            items = {"n": b"\1", "t": stamps, "s": sacks}
            return filled(options + b"".join(items[item] for item in layout.split(",")))
        for option in (stamps, sacks):
            if option:
                options = filled(options) + b"\1\1" + option
        return filled(options)

    def _first(self, line: Line) -> tuple[float, Wire] | None:
        """The first segment within the line's time."""
        begin = self._at_ms
        self._pass(0)
        end = begin + line.delay_ms + line.tolerance_ms
        early = begin + line.delay_ms - line.tolerance_ms - self._now_ms()
        if not self._waiting and early > 0:
            self._pass(early)
        while not self._waiting and self._now_ms() < end:
            self._pass(min(1.0, max(0.01, end - self._now_ms())))
        return self._waiting.popleft() if self._waiting else None

    def _do_expect(self, line: Line) -> None:
        came = self._first(line)
        assert came is not None, "nothing came"
        time, segment = came
        after = time - self._at_ms
        self._match(line, segment)
        late = after - line.delay_ms
        assert abs(late) <= line.tolerance_ms, f"it came after {after:.3f} ms"
        self._at_ms = max(self._at_ms, time)

    def _do_maybe(self, line: Line) -> None:
        end = self._at_ms + line.delay_ms
        self._pass(max(0.0, end - self._now_ms()))
        if self._waiting:
            self._match(line, self._waiting.popleft()[1])
        self._do_silence(Line(line.number, line.text, 0, 0, "silence"))

    def _do_silence(self, line: Line) -> None:
        end = self._at_ms + line.delay_ms
        self._pass(max(0.0, end - self._now_ms()))
        assert not self._waiting, f"there came {self._say(self._waiting[0][1])}"
        self._at_ms = self._now_ms()

    def _do_forget(self, line: Line) -> None:
        end = self._at_ms + line.delay_ms
        self._pass(max(0.0, end - self._now_ms()))
        for _, segment in self._waiting:
            self._learn(segment)
        self._waiting.clear()
        self._at_ms = self._now_ms()

    def _do_collect(self, line: Line) -> None:
        left = line.words["bytes"]
        end = self._now_ms() + line.delay_ms + line.tolerance_ms
        while left > 0:
            while not self._waiting:
                assert self._now_ms() < end, f"{left} bytes have not come"
                self._pass(1.0)
            _, segment = self._waiting.popleft()
            if not segment.payload:
                self._learn(segment)
                continue
            assert segment.seq == self._expected, self._say(segment)
            self._match_payload(segment)
            left -= len(segment.payload)
            self._learn(segment)
            self._do_send(Line(line.number, line.text, 0, 0, "send", (frozenset({"ACK"}),)))
        assert left == 0, f"{-left} bytes too many"
        self._at_ms = self._now_ms()

    def _do_end(self, line: Line) -> None:
        left = line.words.get("bytes", 0)
        while True:
            came = self._first(line)
            assert came is not None, "no FIN came"
            time, segment = came
            assert segment.seq == self._expected, self._say(segment)
            assert segment.flags - {"PSH", "FIN"} == {"ACK"}, self._say(segment)
            self._match_payload(segment)
            left -= len(segment.payload)
            self._learn(segment)
            if "FIN" in segment.flags:
                break
        assert left == 0, f"{left} bytes have not come"
        assert segment.ack == self._next, f"ack: {self._say(segment)}"
        self._at_ms = max(self._at_ms, time)

    # ---- Received segments ----

    def _match(self, line: Line, segment: Wire) -> None:
        came = self._say(segment)
        words = line.words
        flags = segment.flags - {"PSH"}
        # With PSH or without, unless the script states it.
        assert segment.flags in line.flags or flags in line.flags, f"there came {came}"
        if "SYN" in flags and not self._known:
            self._known = True
            self._engine_isn = self._expected = segment.seq
            self._is_requested = "ACK" not in flags
            self._to = segment.source
            self._stamps = self._offered and parse(segment.options).timestamps is not None
        seq = self._engine_isn if "SYN" in flags else self._expected
        if "seq" in words:
            seq = (words["seq"] + self._engine_isn) % WORD
        assert segment.seq == seq, f"seq: {came}"
        if "ACK" in flags:
            ack = (words["ack"] + self._isn) % WORD if "ack" in words else self._next
            assert segment.ack == ack, f"ack: {came}"
        count = len(line.texts["text"]) if "text" in line.texts else words.get("bytes", 0)
        assert len(segment.payload) == count, f"bytes: {came}"
        self._match_payload(segment)
        if "window" in words:
            assert segment.window == words["window"], f"window: {came}"
        if "tos" in words:
            assert segment.tos == words["tos"], f"tos {segment.tos}: {came}"
        options = parse(segment.options)
        self._match_options(line, options, flags, came)
        self._learn(segment)

    def _match_options(
        self, line: Line, options: Options, flags: frozenset[str], came: str
    ) -> None:
        words = line.words
        if "mss" in words:
            assert options.mss == words["mss"], f"mss: {came}"
        if "scale" in words:
            scale = -1 if options.scale is None else options.scale
            assert scale == words["scale"], f"scale: {came}"
        if "echo" in words and options.timestamps:
            echo = (CLOCK_START + words["echo"]) % WORD
            assert options.timestamps[1] == echo, f"echo: {came}"
        if "sack" in words:
            assert options.sack_permitted, f"SACK is not permitted: {came}"
        if "blocks" in line.texts:
            found = [tuple((edge - self._isn) % WORD for edge in each) for each in options.sacks]
            assert found == _blocks(line), f"blocks: {found}"
        if "RST" in flags:
            return
        # RFC 7323, 3.2: in every segment, or in none.
        has = options.timestamps is not None
        expected = self._stamps if "SYN" not in flags or "ts" not in words else True
        assert has == expected, f"timestamps: {came}"

    def _match_payload(self, segment: Wire) -> None:
        place = (segment.seq - self._engine_isn) % WORD
        for index, byte in enumerate(segment.payload):
            right = self._sent.get((place + index) % WORD)
            assert byte == right, f"byte {place + index} is {byte}, not {right}"

    def _learn(self, segment: Wire) -> None:
        if (segment.end - self._expected) % WORD < WORD // 2 and "RST" not in segment.flags:
            self._expected = segment.end
        if stamps := parse(segment.options).timestamps:
            self._recent = stamps[0]

    def _say(self, segment: Wire, own: bool = False) -> str:
        mine, other = (self._isn, self._engine_isn) if own else (self._engine_isn, self._isn)
        flags = ",".join(sorted(segment.flags)) or "none"
        text = f"{flags} seq {(segment.seq - mine) % WORD}"
        if "ACK" in segment.flags:
            text += f" ack {(segment.ack - other) % WORD}"
        if segment.payload:
            text += f" bytes {len(segment.payload)}"
        text += f" window {segment.window}"
        if not own and segment.options:
            text += f" {parse(segment.options)}"
        return text


@dataclass(frozen=True)
class Result:
    script: Script
    problem: str  # empty if it passed


def run_scripts(library: Library, scripts: list[Script]) -> Iterator[Result]:
    """Runs each script on its own simulation."""
    for script in scripts:
        try:
            Runner(library, script).run()
            yield Result(script, "")
        except MismatchError as error:
            yield Result(script, str(error))
