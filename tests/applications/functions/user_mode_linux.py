# SPDX-License-Identifier: Apache-2.0
"""Another host: user-mode Linux (Debian's package) behind a router, next to a live design."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.live import Live

# Of the router, in the namespace of the design.
ROUTES = """
set -e
PATH=$PATH:/usr/sbin:/sbin
echo 1 > /proc/sys/net/ipv4/ip_forward
ip tuntap add dev uml0 mode tap
ip addr add 10.78.0.1/24 dev uml0
ip link set uml0 up
"""
# The host's first program, around what a test adds: `modules` are loaded, `setup` are commands of
# ip, and `program` fills the dictionary `found`.
INIT = """#!{python}
import ctypes, glob, json, os, socket, subprocess
def run(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout
os.environ["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
run("mount", "-t", "proc", "proc", "/proc")
(folder,) = glob.glob("/usr/lib/uml/modules/*/kernel")
for name in {modules}:
    file = os.open(folder + "/" + name + ".ko", os.O_RDONLY)
    assert ctypes.CDLL(None).syscall(313, file, b"", 0) == 0, name  # finit_module
for line in {setup!r}.strip().splitlines():
    run("ip", *line.split())
found = {{}}
{program}
print("FOUND", json.dumps(found), flush=True)
open("/proc/sysrq-trigger", "w").write("o")
import time; time.sleep(5)
"""
SETUP = """
link set lo up
link set vec0 up
addr add 10.78.0.2/24 dev vec0
route add default via 10.78.0.1
"""


def run(
    live: Live, folder: Path, modules: tuple[str, ...], setup: str, program: str
) -> dict[str, Any]:
    """Boots the host, at 10.78.0.2, and returns what its program has found."""
    script = folder / "init"
    python = Path(sys.executable).resolve()
    script.write_text(
        INIT.format(python=python, modules=modules, setup=SETUP + setup, program=program)
    )
    script.chmod(0o755)
    live.run(["sh", "-c", ROUTES])
    said = live.run(
        [
            "linux.uml",
            *("mem=128M", "rootfstype=hostfs", "root=/dev/root", "rootflags=/", "ro"),
            *(f"init={script}", "vec0:transport=tap,ifname=uml0"),
            *("con=null", "con0=null,fd:1"),
        ],
        stdin=subprocess.DEVNULL,
    )
    lines = [line for line in said.splitlines() if line.startswith("FOUND")]
    assert len(lines) == 1, said
    found: dict[str, Any] = json.loads(lines[0].removeprefix("FOUND"))
    return found
