# SPDX-License-Identifier: Apache-2.0
"""Every block of commands of tutorials and guides is run, or is named here with the reason."""

from __future__ import annotations

import os
import shutil
from itertools import takewhile
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests import ROOT
from tests.platform.docs.documents import DOCS
from tests.platform.docs.page_commands import (
    Command,
    commands,
    environment,
    folder_of,
    matches,
    run,
)
from tests.platform.docs.test_site import pages_in

# What a page tells to do in words.
BEFORE = {"getting-started.md": "cp docs/examples/first/first.yaml first.yaml"}
ROOT_ONLY = "needs root"
RUNNING = "needs a run in another terminal"
NAMES = "has names that the reader replaces"
# Beginnings of lines of commands by page; `*`: of any page, "": all of the page's.
NOT_RUN = {
    "*": {"make venv": "installs", ". .venv": "activates", "ip netns": ROOT_ONLY},
    "getting-started.md": {"bombus run": ROOT_ONLY, "ping": RUNNING},
    "own-protocol.md": {"python": RUNNING},
    "other-benches.md": {"": "test_other_benches.py runs it"},
    "applications/control/ctl.md": {"": "test_ctl.py runs it"},
    "applications/control/web.md": {"": "test_web.py opens the page"},
    "applications/logs/logs.md": {"bombus logs": RUNNING},
    "applications/logs/replay.md": {"": RUNNING},
    "applications/functions/load_balancer.md": {"": NAMES},
    "applications/functions/nat.md": {"": NAMES},
    "applications/functions/sessions.md": {"": NAMES},
    "applications/functions/ip_in_ip.md": {"": NAMES},
    "applications/functions/vxlan.md": {"": NAMES},
    "applications/processors/middlebox.md": {"bombus processor": RUNNING, "bombus run": ROOT_ONLY},
    "applications/spn/kernel.md": {"bombus spn": ROOT_ONLY},
    "boards.md": {"bombus run": ROOT_ONLY, "bombus generate": "needs Vivado"},
    "place-and-route.md": {"bombus timing": "takes a quarter of an hour of CPU time"},
    "cluster/simulation.md": {"": NAMES},
    "cluster/routes.md": {"": NAMES},
    "cluster/ethernet.md": {"bombus cluster run": "runs until it is stopped"},
    "sweeps.md": {
        "bombus sweep sweeps/fabrics.yaml": "takes long",
        "dask": "needs several machines",
        "export": "needs certificates",
    },
}
# Parts of commands of more than a few seconds of CPU, with the simulators in the cache.
SLOW = (
    *("bombus area", "bombus bench", "bombus bitstream", "bombus timing", "bombus sweep"),
    *("bombus cluster", "bombus firmware", "bombus build", "python ", "unshare"),
)


def pages() -> list[str]:
    """Tutorials and guides."""
    navigation = YAML(typ="safe").load(ROOT / "mkdocs.yml")["nav"]
    parts = {name: part for each in navigation for name, part in each.items()}
    return [page for name in ("Tutorials", "Guides") for page in pages_in(parts[name])]


def begins(command: Command, text: str) -> bool:
    return any(line.startswith(text) for line in command.text.splitlines())


def reason(page: str, command: Command) -> str:
    """Why a command is not run; empty if it is."""
    known = NOT_RUN["*"] | NOT_RUN.get(page, {})
    return next((why for text, why in known.items() if begins(command, text)), "")


def is_quick(command: Command) -> bool:
    return not any(part in command.text for part in SLOW)


def to_run(page: str, *, quick: bool) -> list[Command]:
    """The page's commands in order; `quick`: those before the first slow one."""
    chosen = [each for each in commands(DOCS / page) if not reason(page, each)]
    return list(takewhile(is_quick, chosen)) if quick else chosen


def cases() -> list[object]:
    """The quick commands of each page, and, among the sweeps, all of them."""
    found: list[object] = []
    for page in pages():
        every, quick = (to_run(page, quick=each) for each in (False, True))
        if quick:
            found.append(pytest.param(page, True, id=f"{page}-quick"))
        if every != quick:
            found.append(pytest.param(page, False, id=page, marks=pytest.mark.sweep))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("page", "quick"), cases())
def test_commands(page: str, quick: bool, tmp_path: Path) -> None:
    chosen = to_run(page, quick=quick)
    text = "\n".join(command.text for command in chosen)
    needed = [name for name in ("unshare", "nc", "ping", "curl", "od") if f"{name} " in text]
    if missing := [name for name in needed if shutil.which(name) is None]:
        pytest.skip(f"programs are missing: {', '.join(missing)}")
    if "unshare" in text and not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    folder = folder_of(tmp_path)
    variables = environment(tmp_path)
    if page in BEFORE:
        run(Command(BEFORE[page]), folder, variables)
    for command in chosen:
        run(command, folder, variables)


def test_every_reason_is_of_a_command() -> None:
    shown = {page: list(commands(DOCS / page)) for page in pages()}
    assert NOT_RUN.keys() - {"*"} <= shown.keys()
    for page, known in NOT_RUN.items():
        here = [each for name, found in shown.items() if page in ("*", name) for each in found]
        for text in known:
            assert any(begins(command, text) for command in here), f"{page}: {text}"
    for text in SLOW:
        assert any(text in each.text for found in shown.values() for each in found), text


def test_commands_are_found_and_outputs_compared(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```\n$ a 'b\n  c'\nout\n$ d\n```\n\n```\nno program\n```\n\n```\nbombus e\n```\n"
    )
    assert list(commands(page)) == [
        Command("a 'b\n  c'", ("out",)),
        Command("d"),
        Command("bombus e"),
    ]
    assert matches(("a  b", "c ... e"), "x a\nb c d e f")
    assert matches(("a", "c"), "a\nb\nc") and not matches(("c", "a"), "a\nb\nc")
    assert not matches(("a b", "c"), "a b d")
    run(Command("echo one; echo two", ("one", "...")), tmp_path, environment(tmp_path))
    with pytest.raises(AssertionError):
        run(Command("echo one", ("two",)), tmp_path, environment(tmp_path))
    with pytest.raises(AssertionError):
        run(Command("false; echo one", ("one",)), tmp_path, environment(tmp_path))
