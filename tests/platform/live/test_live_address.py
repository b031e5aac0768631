# SPDX-License-Identifier: Apache-2.0
"""Which addresses `bombus run` gives this machine; test_live.py tests the rest of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bombus.base.errors import UserError
from bombus.design.addresses import checked_address, default_address, host_of
from bombus.live.report import Report, Totals
from bombus.live.run import run
from bombus.live.sides import sides_of
from bombus.simulator.build import Library
from tests.support.helpers import DESIGNS

MAC = "02:b0:0b:05:00:01"
HOST = {"mac": MAC, "ip": "10.77.0.2", "prefix": 24, "gateway": "10.77.0.1"}


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("10.77.0.2/24", r"10\.77\.0\.2 is the address of the design; .*, such as 10\.77\.0\.1/24"),
        ("10.77.0.1", r"with prefix, such as 10\.77\.0\.1/24"),
        ("10.77.0.300/24", r"with prefix, such as 10\.77\.0\.1/24"),
        ("10.77.0.255/24", r"broadcast address of 10\.77\.0\.0/24"),
        ("10.77.0.0/24", r"network address of 10\.77\.0\.0/24"),
        ("127.0.0.1/8", "loopback"),
        ("224.0.0.5/24", "multicast"),
        ("0.0.0.0/0", "this network"),
    ],
)
def test_addresses_that_cannot_work_are_refused(
    tmp_path: Path, address: str, complaint: str
) -> None:
    """Before there is a simulation or an interface."""
    host = {"mac": MAC, "ip": "10.77.0.2", "prefix": 24, "gateway": None}
    (tmp_path / "manifest.json").write_text(json.dumps({"mac_ports": [host]}))
    with pytest.raises(UserError, match=complaint):
        run(Library(tmp_path / "library.so"), address=address)


@pytest.mark.parametrize(
    ("ip", "prefix", "gateway", "address"),
    [
        ("10.77.0.2", 24, None, "10.77.0.1/24"),
        ("10.77.0.1", 24, None, "10.77.0.2/24"),
        ("10.77.0.2", 24, "10.77.0.9", "10.77.0.9/24"),
        ("10.77.0.2", 30, None, "10.77.0.1/30"),
        ("10.77.0.2", 31, None, "10.77.0.3/31"),
        ("10.77.0.3", 31, None, "10.77.0.2/31"),
    ],
)
def test_this_machine_is_a_neighbour(
    ip: str, prefix: int, gateway: str | None, address: str
) -> None:
    host = {"mac": MAC, "ip": ip, "prefix": prefix, "gateway": gateway}
    assert default_address(host_of(host)) == address


def test_a_network_of_one_has_no_neighbour() -> None:
    with pytest.raises(UserError, match=r"10\.77\.0\.2/32 has no address left"):
        default_address(host_of(HOST, ip="10.77.0.2/32"))


def test_addresses_given_for_a_run() -> None:
    """Values not given are the design's; a gateway outside the new network is dropped."""
    assert host_of(HOST).model_dump(mode="json") == HOST
    other = host_of(HOST, ip="192.168.1.5/16", mac="02:00:00:00:00:05")
    assert (str(other.network), other.mac, other.gateway) == ("192.168.0.0/16", other.mac, None)
    assert default_address(other) == "192.168.0.1/16"
    assert str(host_of(HOST, ip="10.77.0.9").gateway) == "10.77.0.1"
    assert host_of(HOST, gateway="0.0.0.0").gateway is None
    assert str(host_of(HOST, ip="10.1.0.2/24", gateway="10.1.0.3").gateway) == "10.1.0.3"
    assert checked_address(other, "192.168.0.1/16") == "192.168.0.1/16"


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"ip": "10.77.0.255"}, r"--ip 10\.77\.0\.255: with prefix 24.*broadcast"),
        ({"ip": "10.77.0.2/33"}, r"--ip 10\.77\.0\.2/33: "),
        ({"ip": "10.77.0.2/x"}, r"--ip 10\.77\.0\.2/x: .*prefix"),
        ({"ip": "home"}, "--ip home: should be an IPv4 address, such as 10.77.0.2$"),
        ({"ip": "10.77.0.300"}, r"--ip 10\.77\.0\.300: should be an IPv4 address"),
        ({"ip": "10.77.0.300/24"}, r"--ip 10\.77\.0\.300/24: should be an IPv4 address"),
        ({"gateway": "10.77.0.300"}, r"--gateway 10\.77\.0\.300: should be an IPv4 address"),
        ({"ip": "127.0.0.1/8"}, "loopback"),
        ({"mac": "02:01"}, "--mac 02:01: should be a MAC address"),
        ({"mac": "03:00:00:00:00:01"}, "group address"),
        ({"gateway": "10.78.0.1"}, r"--gateway 10\.78\.0\.1: .*outside"),
        ({"gateway": "10.77.0.2"}, "own address"),
    ],
    ids=str,
)
def test_addresses_that_no_design_can_have(given: dict[str, str], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        host_of(HOST, **given)


@pytest.mark.parametrize("duration", [float("nan"), float("inf"), -1.0])
def test_durations_that_never_end(tmp_path: Path, duration: float) -> None:
    with pytest.raises(UserError, match="duration"):
        run(Library(tmp_path / "library.so"), duration=duration)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"ip": "10.77.0.300"}, "--ip 10.77.0.300: should be an IPv4 address"),
        ({"report": Path("/absent/report.json")}, "cannot write /absent/report.json: No such file"),
        ({"report": Path("/dev/full")}, "cannot write /dev/full: No space left on device"),
        ({"report": Path("/")}, "cannot write /: this is a directory"),
        ({"pcap_out": Path("-")}, "--pcap-out -: should be a file"),
        ({"pcap_in": Path("/absent.pcap")}, "--pcap-in /absent.pcap: there is no such file"),
        ({"keep_time": True}, "--keep-time is about the capture of --pcap-in"),
        ({"trace": Path("x.txt")}, "--trace x.txt: the file name should end in .fst or .vcd"),
        ({"trace": Path("x")}, "--trace x: the file name should end in .fst or .vcd"),
        ({"tap": "a b"}, "'a b' is not a valid interface name"),
        ({"tap": "a%d"}, "'a%d' is not a valid interface name"),
        ({"mtu": 9001}, "MTU 9001"),
        ({"seed": -1}, "seed -1: should be from 0 to 2**64 - 1"),
        ({"seed": 1 << 64}, "seed 18446744073709551616: should be from 0"),
    ],
    ids=str,
)
def test_options_are_refused_before_the_build(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], complaint: str
) -> None:
    def build(*_: Any, **__: Any) -> None:
        raise AssertionError("built")

    monkeypatch.setattr("bombus.live.run.build", build)
    with pytest.raises(UserError, match=re.escape(complaint)):
        run(DESIGNS / "udp_echo.yaml", **options)


@pytest.mark.parametrize(("made", "reason"), [("vcd", "zlib.h and lz4.h"), ("fst", "as FST here")])
def test_a_waveform_has_the_format_of_its_name(
    monkeypatch: pytest.MonkeyPatch, made: str, reason: str
) -> None:
    monkeypatch.setattr("bombus.live.run.wave_format", lambda: made)
    other = {"vcd": "fst", "fst": "vcd"}[made]
    with pytest.raises(UserError, match=rf"{reason}.*; name the file x\.{made}"):
        run(DESIGNS / "udp_echo.yaml", trace=Path(f"x.{other}"))


def test_a_file_called_minus_is_no_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard output, also where a folder has that name."""
    monkeypatch.chdir(tmp_path)
    Path("-").mkdir()
    Report(Path("-")).finish(Totals(1.0, 2, {}, [], {}))
    assert json.loads(capsys.readouterr().out)["cycles"] == 2


@pytest.mark.parametrize(
    ("options", "doubt"),
    [
        ({"ip": "10.78.0.5"}, "gateway 10.77.0.1 is outside 10.78.0.0/24, so there is none"),
        ({"ip": "10.78.0.5", "gateway": "0.0.0.0"}, ""),
        ({"ip": "10.77.0.5"}, ""),
        ({"address": "10.99.0.1/24"}, "address 10.77.0.2 is not in the network 10.99.0.0/24"),
        ({"address": "10.77.0.1/32"}, "address 10.77.0.2 is not in the network 10.77.0.1/32"),
        ({"address": "10.77.1.1/16"}, "this is outside 10.77.0.0/24"),
        ({"address": "10.77.0.9/24"}, ""),
    ],
    ids=str,
)
def test_addresses_that_may_not_reach_each_other(options: dict[str, str], doubt: str) -> None:
    given = dict.fromkeys(("tap", "address", "netns", "bridge", "ip", "mac", "gateway")) | options
    (side,) = sides_of([HOST], given)
    assert [text for text in side.doubts if doubt not in text or not doubt] == []
    assert len(side.doubts) == bool(doubt)


def test_no_file_is_two_things(tmp_path: Path) -> None:
    """A capture to read would be emptied before it is read, a design lost."""
    frames = tmp_path / "frames.pcap"
    frames.write_text("precious")
    design = tmp_path / "design.yaml"
    design.write_text("precious")
    (tmp_path / "link").symlink_to(frames)
    (tmp_path / "hard").hardlink_to(frames)
    for uses in (
        {"pcap_in": frames, "pcap_out": frames},
        {"pcap_in": frames, "pcap_out": tmp_path / "link"},
        {"pcap_in": frames, "pcap_out": tmp_path / "hard"},
        {"pcap_out": tmp_path / "x", "report": tmp_path / "x"},
        {"trace": tmp_path / "new.fst", "pcap_out": tmp_path / "a" / ".." / "new.fst"},
        {"report": design},
    ):
        with pytest.raises(UserError, match="given twice"):
            run(design, **uses)
    assert frames.read_text() == design.read_text() == "precious"
