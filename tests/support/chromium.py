# SPDX-License-Identifier: Apache-2.0
"""A page in headless Chromium, by its debugging protocol."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

SECONDS = 30.0


class Browser:
    """An open page."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection, self._number = connection, 0
        self.requested: list[str] = []  # URLs

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        self._number += 1
        self._connection.send(json.dumps({"id": self._number, "method": method, "params": given}))
        while True:
            message = json.loads(self._connection.recv(timeout=SECONDS))
            if message.get("method") == "Network.requestWillBeSent":
                self.requested.append(message["params"]["request"]["url"])
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    def run(self, code: str) -> Any:
        """The value of an expression in JavaScript."""
        found = self.call("Runtime.evaluate", expression=code, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, code: str) -> Any:
        """Until an expression is true; its value."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if value := self.run(f"document.body && ({code})"):
                return value
            time.sleep(0.1)
        text = self.run("document.body.innerText")
        raise AssertionError(f"{code} stays false; the page shows:\n{text}")

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextmanager
def open_page(url: str, folder: Path, size: str = "1500,900") -> Iterator[Browser]:
    """Opens a page; skips without Chromium."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed")
    command = [
        program,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        f"--window-size={size}",
        "about:blank",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = next(each for each in process.stderr if "DevTools listening" in each)
            found = re.search(r"ws://\S+", line)
            assert found is not None
            with connect(found[0], max_size=None) as connection:
                root = Browser(connection)
                target = root.call("Target.createTarget", url="about:blank")["targetId"]
                host = found[0].partition("/devtools/")[0]
                with connect(f"{host}/devtools/page/{target}", max_size=None) as own:
                    page = Browser(own)
                    page.call("Network.enable")
                    page.call("Page.enable")
                    page.call("Page.navigate", url=url)
                    yield page
        finally:
            process.kill()
