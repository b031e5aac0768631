# SPDX-License-Identifier: Apache-2.0
"""A design that Linux programs talk to, in a network namespace of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bombus.live.netns import Namespace
from bombus.simulator.build import build
from tests.support.bench import UNCHECKED

INTERFACE = "bombus0"
ADDRESS = "10.77.0.2"
COMMAND_SECONDS = 240.0

# Runs a design on an interface. Arguments: design, options of `live.run` (`software`: Python code
# that defines the function), report.
RUN = """
import json, sys
from pathlib import Path
from bombus.live.run import run
from bombus.simulator.impairment import Impairment
from tests.support import message_sums
message_sums.watch()
options = json.loads(sys.argv[2])
for name in ("impair_rx", "impair_tx"):
    if name in options:
        options[name] = Impairment(**options[name])
if "pcap_out" in options:
    options["pcap_out"] = Path(options["pcap_out"])
if "software" in options:
    code = options["software"]
    exec(code)
    options["software"] = globals()["software"]
run(sys.argv[1], report=Path(sys.argv[3]), **options)
"""


@dataclass
class Live:
    """A design running in a namespace."""

    namespace: Namespace
    runner: subprocess.Popen[Any]
    report: Path
    capture: Path | None

    def run(self, command: Sequence[str], **options: Any) -> str:
        """Runs a program next to the design; returns its output, including errors."""
        result = self.namespace.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            **{"timeout": COMMAND_SECONDS, **options},
        )
        assert result.returncode == 0, f"{' '.join(command)}:\n{result.stdout}"
        return str(result.stdout)

    def python(self, code: str, *arguments: object, seconds: float = COMMAND_SECONDS) -> str:
        return self.namespace.python(code, *map(str, arguments), timeout=seconds).strip()

    def stop(self) -> dict[str, Any]:
        """Ends the design and returns its report. Checks that there were no AXI-Stream
        violations.
        """
        assert self.namespace.stop(self.runner) == 0
        totals: dict[str, Any] = json.loads(self.report.read_text())
        assert not any(totals["errors"].values())
        assert totals["ports"][0]["file_errors"] == 0
        return totals


def new_namespace() -> Namespace:
    """Skips where Linux itself makes none; what else goes wrong fails."""
    flags = ["--net"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        pytest.skip("unshare and nsenter (util-linux) are not installed")
    made = subprocess.run(["unshare", *flags, "true"], stderr=subprocess.PIPE, text=True)
    if made.returncode:
        pytest.skip(f"no network namespaces: {made.stderr.strip()}")
    return Namespace()


@contextmanager
def starter(folder: Path) -> Iterator[Callable[..., Live]]:
    """A function that starts a design with options of `live.run`; its files go to `folder`."""
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    namespace = new_namespace()

    def make(design: Path, *, capture: bool = False, **options: Any) -> Live:
        options.setdefault("assertions", design not in UNCHECKED)  # as other tests build them
        # Built here, since it takes long.
        build(design, assertions=options["assertions"], board=options.get("board"))
        report = folder / "report.json"
        pcap = folder / "capture.pcap" if capture else None
        if pcap is not None:
            options["pcap_out"] = str(pcap)
        command = [sys.executable, "-c", RUN, str(design), json.dumps(options), str(report)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        runner = namespace.popen(command, env=environment, stdout=subprocess.DEVNULL)
        namespace.wait_for_interface(INTERFACE, runner)
        return Live(namespace, runner, report, pcap)

    with namespace:
        yield make


@contextmanager
def two_sides(design: Path, folder: Path, **options: Any) -> Iterator[tuple[Namespace, Namespace]]:
    """Runs a design between two namespaces, on interfaces left0 and right0; its report, in which
    there must be no errors, goes to `folder`."""
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    options.setdefault("assertions", True)
    build(design, assertions=options["assertions"])
    report = folder / "report.json"
    left, right = new_namespace(), new_namespace()
    with left, right:
        paths = [namespace.path for namespace in (left, right)]
        options |= {"netns": paths, "tap": ["left0", "right0"]}
        runner = left.popen(
            [sys.executable, "-c", RUN, str(design), json.dumps(options), str(report)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
        )
        for namespace, name in ((left, "left0"), (right, "right0")):
            namespace.wait_for_interface(name, runner)
        yield left, right
        assert left.stop(runner) == 0
    assert not any(json.loads(report.read_text())["errors"].values())
