# SPDX-License-Identifier: Apache-2.0
"""The peer in `tests/peers/smoltcp`, compiled at first use."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bombus.base.cache import cached_directory, content_key

SOURCES = Path(__file__).parents[1] / "peers" / "smoltcp"
FILES = ("Cargo.toml", "Cargo.lock", "src/main.rs")


def program() -> Path:
    """Its path; the test is skipped without cargo or without access to its packages."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("the program cargo is missing")

    def make(folder: Path) -> None:
        command = [cargo, "build", "--release", "--locked", "--quiet"]
        environment = {**os.environ, "CARGO_TARGET_DIR": str(folder)}
        result = subprocess.run(
            command, cwd=SOURCES, env=environment, capture_output=True, text=True, check=False
        )
        if result.returncode:
            pytest.skip(f"cargo does not build the smoltcp peer: {result.stderr.strip()[-300:]}")

    key = content_key([], [(name, SOURCES / name) for name in FILES])
    return cached_directory(f"peers/smoltcp-{key}", make) / "release" / "smoltcp-peer"
