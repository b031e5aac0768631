# SPDX-License-Identifier: Apache-2.0
"""`bombus ctl`: every verb against a model of the controller or of a live run; metrics."""

from __future__ import annotations

import errno
import json
import re
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import bombus
from bombus import cli
from bombus.analysis.check import DeadlockError
from bombus.applications.control import controller as controller_module
from bombus.applications.control import text
from bombus.applications.control.export import metric_of, serve
from bombus.applications.control.rates import Rates
from bombus.applications.control.routes import read_routes
from bombus.applications.control.sockets import reason
from bombus.base.errors import UserError
from bombus.cli import app
from bombus.registers.access import path_of
from bombus.registers.model import Block, Field, Register, RegisterType
from bombus.registers.plain import to_plain
from tests import ROOT
from tests.applications.control.test_control_client import DESIGN, MANIFEST, Memory
from tests.support.serving import served_at

Ctl = Callable[..., str]


class Run(Memory):
    """A simulation, for the control socket."""

    manifest = MANIFEST

    def table_writes(self) -> dict[int, int]:
        return self.words


@pytest.fixture
def run() -> Run:
    return Run()


@pytest.fixture
def ctl(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ctl]:
    """Runs `bombus ctl` beside a live run, with the design file; returns what it prints."""
    monkeypatch.setenv("COLUMNS", "200")
    path = tmp_path / "socket"
    with served_at(path, run):

        def call(*arguments: object, error: str = "") -> str:
            command = ["ctl", "--design", str(DESIGN), f"unix:{path}", *map(str, arguments)]
            result = CliRunner().invoke(app, command)
            if error:
                assert result.exception is not None and re.search(error, str(result.exception))
                return ""
            assert result.exit_code == 0, (result.output, result.exception)
            return str(result.output)

        yield call


def test_the_page(ctl: Ctl) -> None:
    """The commands of the page, and every verb is on it."""
    page = (ROOT / "docs" / "applications" / "control" / "ctl.md").read_text()
    commands = re.findall(r"^bombus ctl udp://\S+ (.+)$", page, re.MULTILINE)
    assert len(commands) >= 9
    ctl("host", "--ip", "10.77.0.2", "--netmask", "255.255.255.0")
    for command in commands:
        ctl(*command.split())
    verbs = get_command(app).commands["ctl"].commands  # type: ignore[attr-defined]
    for verb in verbs:
        assert re.search(rf"`{verb}\b", page), verb


def test_a_tile_without_slots(ctl: Ctl) -> None:
    assert ctl("slots", "echo") == "echo has no slots\n"
    assert ctl("slots", "echo", "udp_tx") == "echo udp_tx has no slots\n"
    ctl("slots", "nothing", error="nothing")


def test_counters_are_no_addresses(ctl: Ctl, run: Run) -> None:
    """Both have 48 bits."""
    assert "counters.mac_out_frames: count=0x0\n" in ctl("get", "eth_tx.counters")
    ctl("host", "--mac", "02:00:00:00:00:01")
    assert "address=02:00:00:00:00:01" in ctl("get", "host[0].mac")


def test_routes(ctl: Ctl, tmp_path: Path) -> None:
    file = tmp_path / "routes.csv"
    assert "mac_port" not in ctl("routes")
    file.write_text("to,via,mac_port\n10.80.0.0/16,10.77.0.1,1\n10.81.0.0/16,,\n")
    assert read_routes(file) == [("10.80.0.0/16", "10.77.0.1", 1), ("10.81.0.0/16", None, 0)]
    ctl("routes", file, error="2 routes: the routing table has 0 entries")
    for rows, complaint in (
        ("via\n10.77.0.1\n", "the columns should be to, via, mac_port"),
        ("to,gateway\n", "the columns should be"),
        ("to,mac_port\n10.80.0.0/16,x\n", "csv:2: mac_port 'x' is not a number"),
        ("to,via\n,10.77.0.1\n", "csv:2: should have to"),
        ("to\n10.80.0.0/16,5\n", "csv:2: should have to"),
    ):
        file.write_text(rows)
        ctl("routes", file, error=complaint)
    ctl("routes", tmp_path / "nothing.csv", error="cannot read")


def test_get_and_set(ctl: Ctl, run: Run) -> None:
    written = "host[0].ip: address=10.77.0.9 (0x0a4d0009)\n"
    assert ctl("set", "host[0].ip", "10.77.0.9") == written
    assert ctl("get", "host[0].ip.address") == "host[0].ip.address = 10.77.0.9 (0x0a4d0009)\n"
    ctl("set", "host[0].mac.address", "02:b0:0b:05:00:09")
    assert ctl("get", "host[0].mac.address") == "host[0].mac.address = 02:b0:0b:05:00:09\n"
    assert json.loads(ctl("get", "host[0]", "--json"))["host[0].mac"] == {"address": 0x02B00B050009}
    ctl("set", "echo.next_hop[0]", "valid=1", "is_group=0", "port=0", "x=1", "y=1")
    ctl("get", "host[0].adress", error="no register 'adress'")
    ctl("set", "host[0].ip.address", str(1 << 32), error="bits")
    ctl("set", "host[0].ip.address", "10.77.0", error="not a number")
    ctl("set", "echo.next_hop[0]", "5", error="FIELD=VALUE")
    ctl("get", "echo.next_hop", error="nothing there can be read")
    ctl("set", "nosuch.thing", "1", error="no tile or layer 'nosuch'; tiles: eth_rx, ")
    ctl("table", "list", "eth_tx", error=r"eth_tx is not a table; .*eth_tx\.")


def test_entries_that_are_zero_are_counted(ctl: Ctl, run: Run) -> None:
    cache = bombus.Controller(run, manifest=MANIFEST).registers.tiles.arp.eth_tx.cache  # type: ignore[arg-type]
    table = path_of(cache)
    assert ctl("get", f"{table}[0]").startswith(f"{table}[0]: ")  # zero, but asked for
    run.words[cache[1].where()] = 1
    shown = ctl("get", "arp").splitlines()
    (entry,) = (each for each in shown if each.startswith(f"{table}["))
    assert entry.startswith(f"{table}[1]: ")
    assert f"{table}: {len(cache) - 1} entries are zero" in shown


def test_host(ctl: Ctl) -> None:
    written = ctl("host", "--ip", "10.77.0.9", "--netmask", "255.255.255.0")
    assert written == "host[0].ip = 10.77.0.9\nhost[0].netmask = 255.255.255.0\n"
    assert "host[0].ip: address=10.77.0.9 (0x0a4d0009)" in ctl("host")
    ctl("host", "--ip", "224.0.0.1", error="ip 224")


def test_counters_and_rates(ctl: Ctl, run: Run) -> None:
    echo = bombus.Controller(run, manifest=MANIFEST).registers.tiles.echo  # type: ignore[arg-type]
    run.words |= {echo.counters.where(): 1234567}
    assert "1,234,567" in ctl("counters") and "noc_in_messages" in ctl("counters", "echo")
    assert json.loads(ctl("counters", "--json"))["echo"]["noc_in_messages"] == 1234567
    watched = ctl("watch", "--interval", "0.05", "--times", "2")
    assert "1,234,567" in watched and watched.endswith("\n")
    rates = Rates()
    rates.table({"echo": {"a": 5, "b": (1 << 48) - 1}}, 10.0)
    shown = rates.table({"echo": {"a": 105, "b": 1}}, 12.0)
    assert list(shown.columns[3].cells) == ["50", "1"]  # one counter wrapped


def test_next_hops_are_analysed(ctl: Ctl, run: Run) -> None:
    assert "udp_tx" in ctl("next-hop", "echo")
    ctl("next-hop", "udp_tx", "ipv4_tx", "echo", error="possible deadlock")
    assert not run.words
    changed = ctl("next-hop", "udp_tx", "ipv4_tx", "echo", "--force")
    assert changed == "udp_tx.ipv4_tx: ipv4_tx -> echo\n"
    assert run.words
    ctl("next-hop", "arp", "0", "none", error="possible deadlock")  # of what was forced
    assert ctl("next-hop", "udp_tx", "0", "ipv4_tx") == "udp_tx.ipv4_tx: echo -> ipv4_tx\n"
    assert ctl("next-hop", "echo", "0", "none") == "echo.udp_tx: udp_tx -> none\n"
    ctl("next-hop", "udp_tx", "0", error="say where")
    ctl("slots", "echo", "0", "0", "udp_tx", error="no replicas")
    assert ctl("sessions") == "managed has no TCP engine\n"


def test_a_refused_change_is_named(
    ctl: Ctl, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`bombus check` would find no problem in the design file."""
    with pytest.raises(DeadlockError) as refused:
        bombus.Controller(Run(), manifest=DESIGN).set_next_hop("udp_tx", 0, "echo")  # type: ignore[arg-type]
    assert refused.value.changes == ("udp_tx.ipv4_tx -> echo",)

    def refuse() -> None:
        raise refused.value

    monkeypatch.setattr(cli, "app", refuse)
    with pytest.raises(SystemExit):
        cli.main()
    shown = " ".join("".join(capsys.readouterr()).split())
    assert "with udp_tx.ipv4_tx -> echo; `--force` writes it anyway" in shown
    assert "bombus check" not in shown


def test_no_verb_writes_a_next_hop_without_analysis(ctl: Ctl, run: Run, tmp_path: Path) -> None:
    """A table of next hops is a table like others."""
    to_echo = ["valid=1", "is_group=0", "port=0", "x=2", "y=1"]
    file = tmp_path / "hops.csv"
    file.write_text("valid,is_group,port,x,y\n1,0,0,2,1\n")
    for verb in (
        ["set", "udp_tx.next_hop[0]", *to_echo],
        ["table", "insert", "udp_tx.next_hop", *to_echo, "--at", "0"],
        ["table", "load", "udp_tx.next_hop", str(file)],
    ):
        ctl(*verb, error="possible deadlock")
        assert not run.words
        ctl(*verb, "--force")
        assert run.words
        run.words.clear()
    ctl("set", "udp_tx.next_hop[0]", *to_echo, "--force")
    ctl("table", "delete", "arp.next_hop", "0", error="possible deadlock")  # of what was forced
    ctl("table", "delete", "arp.next_hop", "0", "--force")


def test_arp(ctl: Ctl, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    registers = bombus.Controller(run, manifest=MANIFEST).registers.tiles.eth_tx.eth_tx  # type: ignore[arg-type]
    entry = {"ip": 0x0A4D0001, "mac": 0x02B00B050001, "vid": 5, "valid": 1, "used": 1}
    names = {field.name: field.low for field in registers.cache[3]._type.fields}
    value = sum(entry[name] << names[name] for name in entry)
    run.words |= {
        registers.cache[3].where() + 4 * n: value >> 32 * n & 0xFFFF_FFFF for n in range(4)
    }
    (found,) = json.loads(ctl("arp", "list", "--json"))
    assert found == {
        "tile": "eth_tx",
        "ip": "10.77.0.1",
        "mac": "02:b0:0b:05:00:01",
        "vlan": 5,
        "port": 0,
        "permanent": False,
        "used": True,
    }
    assert "02:b0:0b:05:00:01" in ctl("arp", "list")
    insert = ("arp", "insert", "10.77.0.9", "02:00:00:00:00:09")
    assert ctl(*insert) == "eth_tx: 10.77.0.9 at 02:00:00:00:00:09, permanent\n"
    wanted = {"ip": 0x0A4D0009, "mac": 0x020000000009, "vid": 0, "mac_port": 0, "valid": 1}
    wanted |= {"refused": 0, "stalled": 0}
    assert registers.permanent.read() == wanted
    assert ctl("arp", "delete", "10.77.0.9", "--vlan", "7") == "eth_tx: 10.77.0.9 removed\n"
    assert registers.permanent.read() == {
        **wanted,
        "mac": 0,
        "vid": 7,
        "valid": 0,
        "refused": 0,
        "stalled": 0,
    }
    words = dict(run.words)
    for arguments, error in (
        (("10.77.0", "02:00:00:00:00:09"), "'10.77.0' is not an IPv4 address"),
        (("224.0.0.1", "02:00:00:00:00:09"), "not the address of a neighbour"),
        (("10.77.0.9", "03:00:00:00:00:09"), "group address"),
        (("10.77.0.9", "02:00:00:00:00"), "should be a MAC address"),
        (("10.77.0.9", "02:00:00:00:00:09", "--port", "1"), "ports are from 0 to 0"),
        (("10.77.0.9", "02:00:00:00:00:09", "--vlan", "4095"), "VLAN 4095: should be from 1"),
    ):
        ctl("arp", "insert", *arguments, error=error)
        assert run.words == words
    last = registers.permanent.where() + 12
    monkeypatch.setattr(run, "read_register", lambda at: 1 if at == last else run.words.get(at, 0))
    ctl(*insert, error="eth_tx: no place for 10.77.0.9: permanent bindings have all places")
    monkeypatch.setattr(run, "read_register", lambda at: 2 if at == last else run.words.get(at, 0))
    ctl(*insert, error="eth_tx: the output is stalled")


def invoke(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["ctl", *arguments], env={"COLUMNS": "200"})


def test_usage() -> None:
    assert "ctl ADDRESS counters [OPTIONS] [TILE]" in invoke("a", "counters", "--help").output
    found = invoke("a", "counters", "--design", "x")
    assert "No such option: --design; options of `ctl` stand before ADDRESS" in found.output
    assert "stand before" not in invoke("a", "counters", "--nothing").output


def test_the_design_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOMBUS_DESIGN", raising=False)
    monkeypatch.setattr(controller_module, "Session", Mock())
    found = invoke("udp://127.0.0.1:9", "counters")
    assert str(found.exception).endswith("give --design or BOMBUS_DESIGN")


def test_an_address_that_cannot_be_served() -> None:
    missing = OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
    hint = "Cannot assign requested address; is lo up? `ip link set lo up`"
    assert reason(missing, "127.0.0.1") == hint
    assert "lo up" not in reason(missing, "192.0.2.1")
    assert reason(OSError(errno.EADDRINUSE, "in use"), "::1") == "in use"


def test_batch(ctl: Ctl, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "batch"
    file.write_text(
        "# comment\nset host[0].ip address=5\nget host[0].ip\n\nnext-hop echo 0 udp_tx # same\n"
    )
    assert ctl("batch", file) == "host[0].ip: address=0.0.0.5 (0x00000005)\n"
    words = dict(run.words)
    for line, error in (
        ("set host[0].ip", "line 2: 'set host"),
        ("jump", "line 2: 'jump' is not a command"),
        ("set host[0].ip address=x", "line 2: 'x' is not"),
        ("next-hop udp_tx 0 echo", "possible deadlock"),
    ):
        file.write_text(f"set host[0].ip address=6\n{line}\n")
        ctl("batch", file, error=error)
        assert run.words == words


def table_manifest() -> dict[str, Any]:
    fields = (
        Field("network", 0, 32, True, True),
        Field("valid", 32, 1, True, True),
    )
    table = Register("rules", 0, RegisterType("rule", 64, fields), 4, 8)
    tiles = Block("tiles", 0x1000, (Block("gate", 0, (table,), 0x1000),), 0x1000)
    tile = {"name": "gate", "counters": [], "layers": [], "next_hops": {}}
    return {
        "name": "gate",
        "tiles": [tile],
        "hop_tables": [],
        "registers": to_plain(Block("", 0, (tiles,), 0x2000)),
    }


def test_tables(tmp_path: Path) -> None:
    memory: Any = SimpleNamespace(words={})
    memory.read_register = lambda address: memory.words.get(address, 0)
    memory.write_register = memory.words.__setitem__
    controller = bombus.Controller(memory, manifest=table_manifest())
    path = "gate.rules"
    assert text.insert(controller, path, {"network": 7}, None) == 0
    assert text.insert(controller, path, {"network": 8}, 2) == 2
    assert text.insert(controller, path, {"network": 9}, None) == 1
    assert text.entries(controller, path)[2] == {"network": 8, "valid": 1}
    assert text.delete(controller, path, ["network=9"]) == [1]
    assert text.delete(controller, path, ["0"]) == [0] and list(text.entries(controller, path)) == [
        2
    ]
    with pytest.raises(UserError, match="no entry has network=1"):
        text.delete(controller, path, ["network=1"])
    file = tmp_path / "rules.csv"
    file.write_text("network\n10.0.0.1\n10.0.0.2\n")
    assert text.load(controller, path, file, keep=True) == 2
    assert [each["network"] for each in text.entries(controller, path).values()] == [
        0x0A000001,
        0x0A000002,
        8,
    ]
    assert text.load(controller, path, file, keep=False) == 2
    assert len(text.entries(controller, path)) == 2
    words = dict(memory.words)
    for rows, error in (
        ("network\n1\nx\n", "row 2: 'x' is not"),
        ("network,valid\n1\n", "row 1: should have a value"),
        ("netwrk\n1\n", "row 1: .*no field 'netwrk'"),
        ("network\n" + "1\n" * 5, "5 rows, but"),
    ):
        file.write_text(rows)
        with pytest.raises(UserError, match=error):
            text.load(controller, path, file, keep=False)
        assert memory.words == words
    for n in range(2):
        text.insert(controller, path, {"network": n}, None)
    with pytest.raises(UserError, match="all 4 entries are in use"):
        text.insert(controller, path, {"network": 5}, None)
    with pytest.raises(UserError, match=r"^gate is not a table; tables: gate\.rules$"):
        text.entries(controller, "gate")


def test_metrics(run: Run) -> None:
    controller = bombus.Controller(run, manifest=MANIFEST)  # type: ignore[arg-type]
    run.words |= {controller.registers.tiles.echo.counters.where(): 7}
    with serve(controller, port=0) as where:
        page = urllib.request.urlopen(f"http://{where}/metrics", timeout=10).read().decode()
        assert 'bombus_up{design="managed"} 1.0' in page
        line = 'bombus_noc_received_messages_total{network="",tile="echo"} 7.0'
        assert line in page, page
        assert 'bombus_drops_total{layer="udp_echo",reason="service_port",tile="echo"} 0.0' in page
        run.read_register = failing  # type: ignore[method-assign]
        page = urllib.request.urlopen(f"http://{where}/metrics", timeout=10).read().decode()
        assert 'bombus_up{design="managed"} 0.0' in page and "echo" not in page
    board = (ROOT / "docs" / "examples" / "control" / "grafana.json").read_text()
    names = {
        f"{metric_of(each)[0]}_total" for tile in MANIFEST["tiles"] for each in tile["counters"]
    }
    known = names | {"bombus_up", "bombus_tcp_sessions"}
    for panel in json.loads(board)["panels"]:
        used = set(re.findall(r"bombus_\w+", panel["targets"][0]["expr"]))
        assert used and used <= known


def failing(address: int) -> int:
    raise UserError("no answer")
