# SPDX-License-Identifier: Apache-2.0
"""`bombus bench service` of UDP: figures, checkers, losses, and what it says without a service."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.measure import bench
from tests import ROOT

DESIGN = ROOT / "designs" / "udp_echo_1g.yaml"
WORK = """
name: work
data_width: 64
line_rate_gbps: 10
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}
sources: [udp_work.sv]
tiles:
  - {name: receive, layers: [mac_rx, eth_rx, ipv4_rx, icmp_echo, udp_rx]}
  - {name: work, kind: udp_work, udp_port: 99}
  - {name: transmit, layers: [udp_tx, ipv4_tx, eth_tx, mac_tx]}
  - {name: arp, kind: arp}
"""
LINE_BYTES = 42 + 24  # headers, and preamble, FCS and gap

benchmark_module: Any = bench.load("service")
messages_module: Any = bench.load("_service-messages")


def refused(**options: str) -> str:
    with pytest.raises(UserError) as caught:
        bench.run("service", DESIGN, None, **options)
    return str(caught.value)


# ---- Without a simulation ----


def test_it_needs_a_design() -> None:
    with pytest.raises(UserError, match="service needs a design: bombus bench service DESIGN"):
        bench.run("service", None, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protocol": "sctp"}, "--protocol sctp: should be udp or tcp"),
        ({"port": "65536"}, "--port 65536: should be from 1 to 65535"),
        ({"protocol": "tcp"}, "which service? give --port; the design file has UDP port 7"),
        ({"size": "1,x"}, "--size 1,x: should be whole numbers"),
        ({"count": "1"}, "--count at least 2"),
        ({"count": "32001"}, "at most 32,000"),
        ({"payload": "/nowhere/file"}, "--payload /nowhere/file: there is no such file"),
        ({"checker": "ecko"}, "--checker ecko: should be none, echo or a Python file"),
    ],
)
def test_options_are_checked(options: dict[str, str], message: str) -> None:
    assert message in refused(**options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "defines none of the functions request, reply, check"),
        ("reply = 1\n", "reply is not a function"),
        ("import nowhere\n", "ModuleNotFoundError: No module named 'nowhere'"),
        ("def f(:\n", "SyntaxError"),
    ],
)
def test_a_checker_that_is_none(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "checker.py"
    file.write_text(text)
    assert message in refused(checker=str(file))


def messages(tmp_path: Path, text: str) -> Any:
    file = tmp_path / "checker.py"
    file.write_text(text)
    return messages_module.Messages(Random(1), None, str(file))


def test_functions_of_a_checker(tmp_path: Path) -> None:
    text = "def request(number, size): return bytes([number]) * size\n"
    text += "def reply(request): return request[:1]\n"
    made = messages(tmp_path, text)
    assert made.requests(3, 2, 10) == [b"\0\0", b"\1\1", b"\2\2"]
    assert made.reply_bytes(b"\2\2") == 1
    made.check(2, b"\2\2", b"\2")
    assert (made.checked, made.wrong) == (1, 0)
    made.check(2, b"\2\2", b"\3")
    made.check(3, b"\2\2", b"\2\2")
    assert (made.checked, made.wrong) == (3, 2)
    assert made.first_wrong == "request 2: byte 0 is 0x03 instead of 0x02"


def test_a_checker_decides(tmp_path: Path) -> None:
    made = messages(tmp_path, "def check(request, reply): return reply == request[::-1]\n")
    made.check(0, b"ab", b"ba")
    assert made.wrong == 0
    made.check(1, b"ab", b"ab")
    assert made.first_wrong == "request 1: check() refuses 2 bytes (61 62)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def request(number, size): return 'a'\n", r"request\(\) returned str, not bytes"),
        ("def request(number, size): return b''\n", "should have 1 to 10 bytes"),
        ("def request(number, size): return bytes(11)\n", "should have 1 to 10 bytes"),
        ("def request(number): return b'a'\n", r"request\(\) raised TypeError"),
    ],
)
def test_bad_results_of_a_checker(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        messages(tmp_path, text).requests(1, 1, 10)


def test_the_port_is_that_of_the_design() -> None:
    def manifest(**ports: int) -> dict[str, Any]:
        layers = [{"params": {key: port}} for key, port in ports.items()]
        return {"name": "bees", "tiles": [{"layers": layers}]}

    find = benchmark_module.service_port
    assert find(manifest(udp_port=9), "", 0) == ("udp", 9)
    both = manifest(udp_port=9, tcp_port=9)
    assert find(both, "tcp", 0) == ("tcp", 9)
    assert find(both, "udp", 10) == ("udp", 10)  # opened by software
    with pytest.raises(
        UserError, match=r"give --port and --protocol; .* TCP port 9 and UDP port 9"
    ):
        find(both, "", 0)
    with pytest.raises(UserError, match=r"give --protocol; .* no layer with a port"):
        find(manifest(tcp_port=0), "", 7)


def test_percentiles() -> None:
    latency = benchmark_module.Latency.of(list(range(200, 0, -1)))
    assert (latency.min, latency.median, latency.p99, latency.max) == (1, 100.5, 198, 200)
    assert benchmark_module.Latency.of([5]).p99 == 5


# ---- In simulation ----

slow = pytest.mark.slow
checked = pytest.mark.usefixtures("with_assertions")


@slow
@checked
def test_echo(benchmark: Any, tmp_path: Path) -> None:
    found = benchmark("service", DESIGN, size="1,64,1472", count="300", checker="echo")
    assert (found["protocol"], found["port"], found["errors"]) == ("udp", 7, 0)
    assert found["drops"] == {}
    for row, size in zip(found["rows"], (1, 64, 1472), strict=True):
        assert row["request_bytes"] == row["reply_bytes"] == size
        assert row["checked"] == 400 and row["lost"] == row["wrong"] == 0
        # The line is full: it takes bytes at 1 Gbit/s, the clock is 50 MHz.
        line = max(60 + 24, size + LINE_BYTES) * 8 * 0.05
        assert row["cycles_per_message"] == pytest.approx(line, rel=0.01)
        assert row["gbps"] == pytest.approx(row["bound_gbps"], rel=0.01)
        latency, loaded = row["latency"], row["loaded_latency"]
        assert latency["min"] <= latency["median"] <= latency["p99"] <= latency["max"]
        assert loaded["min"] >= latency["min"]
        assert row["latency_ns"] == latency["median"] * 20
    payload = tmp_path / "request"
    payload.write_bytes(b"hello bees")
    options = {"payload": str(payload), "count": "50", "singles": "3", "outstanding": "1"}
    (row,) = benchmark("service", DESIGN, checker="echo", **options)["rows"]
    assert row["request_bytes"] == 10 and row["checked"] == 53
    assert row["cycles_per_message"] > row["latency"]["min"]  # one at a time


@slow
@checked
def test_wrong_replies_are_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "checker.py"
    file.write_text("def reply(request): return request if request[0] else b'zero'\n")
    payload = tmp_path / "payload"
    payload.write_bytes(bytes(8))
    message = refused(checker=str(file), payload=str(payload), count="10", singles="2")
    assert message == (
        "UDP port 7 of udp_echo_1g: 12 of 12 replies are wrong; "
        "the first: request 0: 8 bytes instead of 4"
    )
    assert "UDP port 7 of udp_echo_1g" in capsys.readouterr().out


@slow
@checked
def test_no_service() -> None:
    message = refused(port="9", protocol="udp", singles="3")
    assert message == "udp_echo_1g answers that UDP port 9 is unreachable"


@slow
@checked
def test_a_slow_service_loses_messages(benchmark: Any, tmp_path: Path) -> None:
    """It works 500 cycles on each: messages that find no room are counted, and are no errors."""
    design = tmp_path / "work.yaml"
    design.write_text(WORK)
    shutil.copy(ROOT / "benchmarks" / "udp_work.sv", tmp_path)
    payload = tmp_path / "payload"
    payload.write_bytes((500).to_bytes(2) + bytes(254))
    found = benchmark(
        "service", design, payload=str(payload), checker="echo", count="1000", singles="5"
    )
    (row,) = found["rows"]
    assert row["cycles_per_message"] == pytest.approx(500, abs=40)
    assert row["gbps"] < row["bound_gbps"] / 2
    assert 0 < row["lost"] < 1000
    assert sum(found["drops"].values()) == row["lost"]
    assert row["loaded_latency"]["max"] > 10 * row["latency"]["max"]
