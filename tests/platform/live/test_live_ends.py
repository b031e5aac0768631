# SPDX-License-Identifier: Apache-2.0
"""How live runs end, and what they refuse, on the loopback design in a network namespace."""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scapy.all import Ether, Raw, rdpcap, wrpcap

from bombus.base.errors import UserError
from bombus.live import run
from bombus.live.netns import Namespace
from bombus.simulator.build import Library
from bombus.simulator.verilating import wave_format
from tests import ROOT
from tests.platform.live.test_live import ECHO, RUN, namespace

pytestmark = pytest.mark.slow

__all__ = ["namespace"]

DESIGN = ROOT / "designs" / "udp_echo.yaml"

# Sends frames on an interface as fast as possible. Arguments: interface, number of frames.
FLOOD = """
import socket, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind((sys.argv[1], 0))
for number in range(int(sys.argv[2])):
    try:
        link.send(bytes(12) + b"\\x88\\xb5" + bytes(1400))
    except OSError:
        pass
"""


TEXT: dict[str, Any] = {"capture_output": True, "text": True}


class Runner:
    """A run of the loopback design in a namespace."""

    def __init__(
        self,
        namespace: Namespace,
        library: Library,
        report: Path | str,
        wait_for: str | None = "bombus0",
        **options: Any,
    ) -> None:
        self.process = namespace.popen(
            [sys.executable, "-c", RUN, library.path, json.dumps(options), report],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if wait_for is not None:
            namespace.wait_for_interface(wait_for, self.process)

    def end(self, number: int | None = None) -> tuple[int, str, str]:
        """Sends a signal, if any; returns exit code, output and error output."""
        if number is not None:
            self.process.send_signal(number)
        out, complaint = self.process.communicate(timeout=30)
        return self.process.returncode, out, complaint


def ip(namespace: Namespace, *words: str) -> None:
    namespace.run(["ip", *words])


def frames_in(report: Path) -> int:
    return int(json.loads(report.read_text())["ports"][0]["rx_frames"])


@pytest.mark.parametrize("veth", [False, True], ids=["tap", "veth"])
def test_an_interface_that_is_deleted_ends_the_run(
    namespace: Namespace, loopback: Library, tmp_path: Path, veth: bool
) -> None:
    report = tmp_path / "report.json"
    runner = Runner(namespace, loopback, report, veth=veth, address="10.9.8.7/24")
    assert namespace.python(ECHO, "bombus0", "20").strip() == "20"
    ip(namespace, "link", "delete", "bombus0")
    code, _, complaint = runner.end()
    assert code == 1
    assert "interface bombus0 of MAC port 0 was deleted" in complaint
    assert frames_in(report) >= 20


def test_an_interface_that_is_down_may_come_back(
    namespace: Namespace, loopback: Library, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    runner = Runner(namespace, loopback, report, veth=True, address="10.9.8.7/24")
    for end in ("bombus0", "bombus0-mac"):
        ip(namespace, "link", "set", end, "down")
        time.sleep(0.3)
        ip(namespace, "link", "set", end, "up")
        time.sleep(0.3)
    assert namespace.python(ECHO, "bombus0", "20").strip() == "20"
    assert runner.end(signal.SIGTERM)[0] == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_keep_capture_and_report(
    namespace: Namespace, loopback: Library, tmp_path: Path, number: int
) -> None:
    report, capture = tmp_path / "report.json", tmp_path / "capture.pcap"
    runner = Runner(namespace, loopback, report, pcap_out=str(capture), interval=100)
    assert namespace.python(ECHO, "bombus0", "20").strip() == "20"
    assert runner.end(number)[0] == 0
    assert frames_in(report) >= 20
    assert len(rdpcap(str(capture))) >= 40


def refused(namespace: Namespace, library: Library, tmp_path: Path, **options: Any) -> str:
    runner = Runner(namespace, library, tmp_path / "report.json", wait_for=None, **options)
    code, _, complaint = runner.end()
    assert code == 1
    assert "Traceback" not in complaint
    assert "run as root" not in complaint
    return complaint


def test_interfaces_that_are_there_already(
    namespace: Namespace, loopback: Library, tmp_path: Path
) -> None:
    """The reason is reported, without suggesting root, and the interfaces are left unchanged."""
    ip(namespace, "link", "add", "left", "type", "veth", "peer", "name", "left-mac")
    ip(namespace, "link", "add", "bombus0-mac", "type", "bridge")
    for options, reason in (
        ({"tap": "lo"}, "interface lo already exists (loopback): choose another name\n"),
        ({"tap": "left"}, "interface left already exists (veth)"),
        ({"tap": "left", "veth": True}, "interface left already exists (veth)"),
        ({"veth": True}, "interface bombus0-mac already exists (bridge)"),
        ({"bridge": "left"}, "bridge left does not exist"),
        ({"bridge": "none"}, "bridge none does not exist"),
        ({"netns": "none"}, "network namespace none (/run/netns/none) does not exist"),
        ({"mtu": 9001}, "MTU 9001"),
    ):
        assert reason in refused(namespace, loopback, tmp_path, **options)
    shown = namespace.run(["ip", "-brief", "link"], capture_output=True, text=True).stdout
    assert {line.split("@")[0].split()[0] for line in shown.splitlines()} == {
        "lo",
        "left",
        "left-mac",
        "bombus0-mac",
    }


def test_they_are_refused_before_the_design_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "build", None)
    for options, reason in (
        ({"tap": "lo"}, "interface lo already exists"),
        ({"bridge": "none"}, "bridge none does not exist"),
        ({"netns": "none"}, "network namespace none"),
    ):
        with pytest.raises(UserError, match=reason):
            run.run(DESIGN, **options)


def test_two_runs_want_one_interface(
    namespace: Namespace, loopback: Library, tmp_path: Path
) -> None:
    runner = Runner(namespace, loopback, tmp_path / "report.json")
    assert "interface bombus0 is in use by another program" in refused(
        namespace, loopback, tmp_path
    )
    assert runner.end(signal.SIGTERM)[0] == 0


@pytest.mark.parametrize("veth", [False, True], ids=["tap", "veth"])
def test_frames_that_the_kernel_drops_are_shown(
    namespace: Namespace, loopback: Library, tmp_path: Path, veth: bool
) -> None:
    report = tmp_path / "report.json"
    runner = Runner(namespace, loopback, report, veth=veth, address="10.9.8.7/24", interval=0.1)
    count = 3000
    runner.process.send_signal(signal.SIGSTOP)  # it reads nothing
    namespace.python(FLOOD, "bombus0", str(count))
    runner.process.send_signal(signal.SIGCONT)
    for _ in range(200):  # a busy machine takes long to read waiting frames
        if report.exists():
            port = json.loads(report.read_text())["ports"][0]
            if port["rx_frames"] + port["kernel_dropped"] > count - 30:
                break
        time.sleep(0.1)
    code, out, _ = runner.end(signal.SIGTERM)
    assert code == 0
    port = json.loads(report.read_text())["ports"][0]
    assert port["kernel_dropped"] > 0
    assert port["rx_frames"] + port["kernel_dropped"] == pytest.approx(count, abs=30)
    assert "dropped by the kernel" in " ".join(out.split())


def test_existing_bridge(namespace: Namespace, loopback: Library, tmp_path: Path) -> None:
    ip(namespace, "link", "add", "br0", "type", "bridge")
    ip(namespace, "address", "add", "10.9.8.7/24", "dev", "br0")
    ip(namespace, "link", "set", "br0", "up")
    runner = Runner(namespace, loopback, tmp_path / "report.json", wait_for=None, bridge="br0")
    for _ in range(200):
        shown = namespace.run(["ip", "-brief", "link", "show", "master", "br0"], **TEXT).stdout
        if "bombus0" in shown and "UP" in shown:
            break
        time.sleep(0.05)
    assert shown.startswith("bombus0")
    addresses = namespace.run(["ip", "-4", "address", "show", "bombus0"], **TEXT).stdout
    assert "inet" not in addresses
    assert runner.end(signal.SIGTERM)[0] == 0


def test_existing_namespace(namespace: Namespace, loopback: Library, tmp_path: Path) -> None:
    """The run is in one namespace, its interface in another."""
    with Namespace() as other:
        path = other.path
        runner = Runner(namespace, loopback, tmp_path / "report.json", wait_for=None, netns=path)
        other.wait_for_interface("bombus0", runner.process)
        assert other.python(ECHO, "bombus0", "20").strip() == "20"
        assert "bombus" not in namespace.run(["ip", "link"], **TEXT).stdout
        assert runner.end(signal.SIGTERM)[0] == 0


def test_a_capture_keeps_its_time(namespace: Namespace, loopback: Library, tmp_path: Path) -> None:
    packets = [Ether(type=0x88B5) / Raw(bytes([n]) * 100) for n in range(4)]
    for number, packet in enumerate(packets):
        packet.time = 1_700_000_000 + number * 0.4
    wrpcap(str(tmp_path / "in.pcap"), packets)
    files = {"pcap_in": str(tmp_path / "in.pcap"), "pcap_out": str(tmp_path / "out.pcap")}
    report = tmp_path / "report.json"
    started, wall_clock = time.monotonic(), time.time()
    runner = Runner(namespace, loopback, report, None, keep_time=True, duration=2, **files)
    assert runner.end()[0] == 0
    assert time.monotonic() - started > 1.2
    times = {bytes(p): float(p.time) for p in rdpcap(files["pcap_out"]) if p.type == 0x88B5}
    kept = [times[bytes(packet)] for packet in packets]
    gaps = [after - before for before, after in itertools.pairwise(kept)]
    assert gaps == pytest.approx([0.4] * 3, abs=0.1)
    assert wall_clock - 0.1 < kept[0] < kept[-1] < time.time() + 0.1


def run_shortly(
    namespace: Namespace, library: Library, report: Path | str, **options: Any
) -> tuple[int, str, str]:
    return Runner(namespace, library, report, None, duration=0.2, interval=0.05, **options).end()


def test_waveform_and_assertions(
    namespace: Namespace, loopback_with_everything: Library, tmp_path: Path
) -> None:
    wave = tmp_path / f"wave.{wave_format()}"
    code, _, complaint = run_shortly(
        namespace, loopback_with_everything, tmp_path / "report.json", trace=str(wave)
    )
    assert code == 0, complaint
    assert wave.stat().st_size > 500


def test_a_failed_assertion_ends_in_an_error(
    namespace: Namespace, loopback_with_everything: Library, tmp_path: Path
) -> None:
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from bombus.base.errors import UserError\n"
        "from bombus.live.run import run\n"
        "from bombus.simulator.build import Library\n"
        "try:\n"
        "    software = lambda simulation: simulation.write_register(0xFFC, 1)\n"
        "    run(Library(Path(sys.argv[1])), duration=2, software=software)\n"
        "except UserError as error:\n"
        "    sys.exit(f'error: {error}')\n"
    )
    command = [sys.executable, "-c", program, str(loopback_with_everything.path)]
    result = namespace.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    assert "the register that no one may write" in result.stdout + result.stderr
    assert "error: loopback: assertions_failed" in result.stderr


def test_report_on_standard_output(namespace: Namespace, loopback: Library, tmp_path: Path) -> None:
    code, out, complaint = run_shortly(namespace, loopback, "-")
    assert code == 0
    assert "loop" in json.loads(out)["counters"]
    assert "loopback on" in complaint
    assert not Path("-").exists()


def test_special_files_are_not_replaced(
    namespace: Namespace, loopback: Library, tmp_path: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root makes device nodes")
    null, link, real = tmp_path / "null", tmp_path / "link", tmp_path / "real"
    os.mknod(null, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    real.write_text("before")
    real.chmod(0o640)
    link.symlink_to(real)
    (tmp_path / "link.new").write_text("precious")
    assert run_shortly(namespace, loopback, null)[0] == 0
    assert null.is_char_device()
    assert run_shortly(namespace, loopback, link)[0] == 0
    assert link.is_symlink()
    assert json.loads(real.read_text())["seconds"] > 0
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert (tmp_path / "link.new").read_text() == "precious"
    code, _, complaint = run_shortly(namespace, loopback, "/dev/full")
    assert code == 1
    assert "/dev/full: No space left on device" in complaint
    assert Path("/dev/full").is_char_device()
    code, _, complaint = run_shortly(namespace, loopback, tmp_path)
    assert (code, "directory" in complaint) == (1, True)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"null", "link", "real", "link.new"}


def test_a_capture_on_a_full_disk_is_an_error(
    namespace: Namespace, loopback: Library, tmp_path: Path
) -> None:
    wrpcap(
        str(tmp_path / "in.pcap"),
        [Ether(dst="ff:ff:ff:ff:ff:ff") / Raw(bytes(1400)) for _ in range(100)],
    )
    capture = tmp_path / "out.pcap"

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    options = {"pcap_in": str(tmp_path / "in.pcap"), "pcap_out": str(capture), "duration": 0.5}
    command: Sequence[Any] = [
        *(sys.executable, "-c", RUN, loopback.path, json.dumps(options), tmp_path / "report.json")
    ]
    result = namespace.run(command, check=False, preexec_fn=small_files, **TEXT)
    assert result.returncode == 1
    assert "out.pcap: File too large" in result.stderr
    assert json.loads((tmp_path / "report.json").read_text())["ports"][0]["capture_lost"] > 0
    assert len(rdpcap(str(capture))) > 10
