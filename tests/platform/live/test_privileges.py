# SPDX-License-Identifier: Apache-2.0
"""Rights of `bombus run` after it has opened its interfaces."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from bombus.live.privileges import NET_ADMIN
from tests.support.helpers import DESIGNS
from tests.support.live import new_namespace

pytestmark = pytest.mark.slow

USER = 65534
# As `bombus run` does, which has no option for a veth pair.
RUN = """
import sys
from pathlib import Path
from bombus.live.run import run
run(sys.argv[1], report=Path(sys.argv[2]), veth=VETH, drops_privileges=True)
"""


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


@pytest.mark.parametrize("veth", [False, True], ids=["tap", "veth"])
@pytest.mark.parametrize("sudo", [False, True], ids=["root", "sudo"])
def test_a_live_run_keeps_only_what_it_needs(tmp_path: Path, veth: bool, sudo: bool) -> None:
    if os.geteuid() != 0 and sudo:
        pytest.skip("only root can become another user")
    if not veth and not Path("/dev/net/tun").exists():
        pytest.skip("there is no /dev/net/tun")
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents[:3]:
        folder.chmod(folder.stat().st_mode | 0o011)
    report = tmp_path / "report.json"
    command = [
        sys.executable,
        "-c",
        RUN.replace("VETH", str(veth)),
        str(DESIGNS / "udp_echo_1g.yaml"),
        str(report),
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    if sudo:
        environment["SUDO_UID"] = str(USER)
    with new_namespace() as namespace:
        process = namespace.popen(command, env=environment)
        namespace.wait_for_interface("bombus0", process)
        end = time.monotonic() + 60
        while status(process.pid).get("NoNewPrivs") != "1":
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        found = status(process.pid)
        kept = 1 << NET_ADMIN if veth else 0
        assert int(found["CapEff"], 16) == int(found["CapPrm"], 16) == kept
        assert found["Uid"].split() == [str(USER if sudo else os.geteuid())] * 4
        end = time.monotonic() + 60
        while not report.exists() or not json.loads(report.read_text())["cycles"]:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        routes = namespace.run(["ip", "link"], capture_output=True, text=True).stdout
        assert "bombus0" not in routes
