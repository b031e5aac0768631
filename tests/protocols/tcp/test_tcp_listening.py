# SPDX-License-Identifier: Apache-2.0
"""tcp_listening: the ports that are listened at; tcp_connect: connections that are asked for."""

from __future__ import annotations

from random import Random

import pytest

from tests.protocols.tcp.tcp_world import Struct
from tests.support.harness import PACES, Bench, Benches

pytestmark = pytest.mark.slow

LISTEN, ASKED, ANSWERS = range(3)
QUESTIONS, MISSED = range(2)
HIT, MADE, FULL = 1, 2, 0
REQUEST = Struct("tcp_request_meta_t", "tcp_pkg")
TUPLE = Struct("tuple_t", "tcp_pkg")
TUPLE_BITS = 66
LINES = 1024
CLOSE = 1 << 16


@pytest.fixture
def bench(benches: Benches) -> Bench:
    return benches("tcp_listening")


def is_open(bench: Bench, port: int) -> bool:
    bench.control(port)
    bench.run(1)
    return bool(bench.status & 1)


def listen(bench: Bench, ports: list[int]) -> None:
    bench.push(ports, LISTEN)
    bench.drain(quiet=4)


# ---- Ports ----


def test_ports(bench: Bench) -> None:
    """Those that are listened at, and no others; several of a line one after the other. Some are
    closed again.
    """
    random = Random(1)
    listened: set[int] = set()
    for _ in range(40):
        line = random.randrange(LINES)
        ports = [64 * line + random.randrange(64) for _ in range(5)] + [0, 65535, 63, 64]
        listen(bench, ports)
        listened.update(ports)
        closed = random.sample(sorted(listened), 3)
        listen(bench, [CLOSE | port for port in closed])
        listened.difference_update(closed)
        watched = {*ports, *(port ^ 1 << bit for port in ports for bit in range(16))}
        for port in watched:
            assert is_open(bench, port) == (port in listened), port


def test_no_port_is_open_after_reset(bench: Bench) -> None:
    """Not even before all have been cleared."""
    ports = [0, 77, 40_000, 65_535, 65_472]
    listen(bench, ports)
    assert all(is_open(bench, port) for port in ports)
    bench.reset(1)
    for cycle in range(LINES + 10):
        assert not is_open(bench, ports[cycle % len(ports)])
    listen(bench, [77])
    assert is_open(bench, 77) and not is_open(bench, 0)


def test_requests_wait_until_all_are_cleared(bench: Bench) -> None:
    bench.reset(1)
    listen(bench, [80])
    assert bench.taken(LISTEN)[0] >= LINES
    assert is_open(bench, 80)


# ---- Connections ----


def ask(bench: Bench, random: Random, **fields: int) -> dict[str, int]:
    fields = {
        "argument": random.getrandbits(32),
        "peer_port": random.randrange(1, 1 << 16),
        "port": random.getrandbits(16),
        "mac_port": random.randrange(3),
    } | fields
    bench.push([REQUEST.pack(request=9, **fields)], ASKED)
    return fields


def questions(bench: Bench) -> list[dict[str, int]]:
    return [question_of(item) for item in bench.items(QUESTIONS)]


def question_of(item: int) -> dict[str, int]:
    question = TUPLE.unpack(item & (1 << TUPLE_BITS) - 1)
    return question | {"port": item >> TUPLE_BITS & 0xFFFF}


def test_connections(bench: Bench) -> None:
    """Each asks with port after port until one is free, or no session is. None is lost."""
    random = Random(2)
    for pace in PACES:
        bench.pace(**pace)
        asked, answers, missed = [], [], []
        for _ in range(16):
            asked.append(ask(bench, random))
            tries = random.choice([0, 0, 1, 3, 40])
            end = random.choice([MADE, FULL])
            answers.append([HIT] * tries + [end])
        bench.push([answer for each in answers for answer in each], ANSWERS)
        bench.drain()
        found = questions(bench)
        for fields, tries in zip(asked, answers, strict=True):
            mine, found = found[: len(tries)], found[len(tries) :]
            for question in mine:
                assert question["ip"] == fields["argument"]
                for name in ("peer_port", "port", "mac_port"):
                    assert question[name] == fields[name]
            ports = [question["own_port"] for question in mine]
            assert all(port >= 0xC000 for port in ports)
            first = ports[0]
            assert ports == [0xC000 | first + n & 0x3FFF for n in range(len(ports))]
            if tries[-1] == FULL:
                missed.append(mine[-1])
        assert not found
        assert [question_of(item) for item in bench.items(MISSED)] == missed
        assert not bench.events[0] and not bench.status >> 1
        bench.forget()


def test_the_port_of_the_application_is_left_out(bench: Bench) -> None:
    """By which it tells connections that it has asked for from those of peers."""
    random = Random(5)
    peer = {"argument": 7, "peer_port": 80, "mac_port": 0}
    own_port = None
    for answers in ([MADE], [MADE], [HIT, MADE], [MADE]):
        port = 80 if own_port is None else 0xC000 | own_port + len(answers) & 0x3FFF
        ask(bench, random, port=port, **peer)
        bench.push(answers, ANSWERS)
        bench.drain()
        ports = [question["own_port"] for question in questions(bench)]
        assert len(ports) == len(answers) and port not in ports
        own_port = ports[-1]
        if port != 80:
            assert own_port == 0xC000 | port + 1 & 0x3FFF
        bench.forget()


def test_a_port_that_the_request_has_chosen(bench: Bench) -> None:
    """No other is tried; that of the application is in use, too. The next request goes on."""
    random = Random(7)
    ask(bench, random, port=80, own_port=80)
    chosen = [ask(bench, random, own_port=port) for port in (1, 0xC123, 65535)]
    free = ask(bench, random)
    bench.push([HIT, MADE, FULL, MADE], ANSWERS)
    bench.drain()
    found = questions(bench)
    assert [each["own_port"] for each in found[:3]] == [each["own_port"] for each in chosen]
    assert found[3]["own_port"] >= 0xC000 and found[3]["ip"] == free["argument"]
    missed = bench.items(MISSED)
    assert [question_of(item)["own_port"] for item in missed] == [80, 1, 65535]
    assert [item >> TUPLE_BITS + 16 for item in missed] == [1, 1, 0]  # in use


def test_no_port_is_left(bench: Bench) -> None:
    """Each has been tried once; the next request begins with the next port."""
    random = Random(6)
    fields = ask(bench, random, port=80)
    bench.push([HIT] * (1 << 14), ANSWERS)
    bench.drain()
    ports = [question["own_port"] for question in questions(bench)]
    assert len(set(ports)) == len(ports) == 1 << 14
    assert len(bench.items(MISSED)) == 1
    bench.forget()
    ask(bench, random, **fields)
    bench.push([HIT, MADE], ANSWERS)
    bench.drain()
    assert [question["own_port"] for question in questions(bench)] == ports[:2]
    assert not bench.items(MISSED)


def test_too_many_connections(bench: Bench) -> None:
    """As many wait as there are sessions; further ones are counted."""
    random = Random(3)
    bench.stall(QUESTIONS, 1.0)
    for _ in range(20):
        ask(bench, random)
    bench.run(60)
    assert bench.events[0] == 4
    bench.stall(QUESTIONS, 0.0)
    bench.push([MADE] * 16, ANSWERS)
    bench.drain()
    assert len(questions(bench)) == 16


def test_requests_that_name_no_port(bench: Bench) -> None:
    """Neither of the peer nor of a MAC: they are answered, counted, and look nothing up."""
    random = Random(7)
    for fields in ({"peer_port": 0}, {"mac_port": 3}):
        asked = ask(bench, random, **fields)
        following = ask(bench, random)
        bench.push([MADE], ANSWERS)
        bench.drain()
        (question,) = questions(bench)
        assert question["ip"] == following["argument"]
        (missed,) = (question_of(item) for item in bench.items(MISSED))
        assert (missed["ip"], missed["port"]) == (asked["argument"], asked["port"])
        assert bench.events[0] == 1
        bench.forget()


def test_reset_while_connections_wait(bench: Bench) -> None:
    random = Random(4)
    for cycles in range(1, 40):
        for _ in range(4):
            ask(bench, random)
        bench.push([HIT, MADE, FULL], ANSWERS)
        bench.run(cycles)
        bench.reset(1)
        fields = ask(bench, random)
        bench.push([MADE], ANSWERS)
        bench.drain()
        (question,) = questions(bench)
        assert question["ip"] == fields["argument"]
        bench.forget()
