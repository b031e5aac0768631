# SPDX-License-Identifier: Apache-2.0
"""Visits a live page with Chromium: `python -m tests.applications.control.web.visit STEP URL KEY`.

A program of its own, since the page is in a network namespace.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.chromium import Browser, open_page

TEXT = "document.body.innerText"


def click(browser: Browser, selector: str, text: str = "") -> None:
    """Clicks the element with a selector and a text, as soon as it is there."""
    found = (
        f"[...document.querySelectorAll({selector!r})].find(e => e.innerText.includes({text!r}))"
    )
    browser.wait(f"!!{found}")
    browser.run(f"{found}.click()")


def unlock(browser: Browser, key: str) -> None:
    browser.wait("!!document.querySelector('input[type=password]')")
    browser.run("document.querySelector('input[type=password]').focus()")
    browser.type(key)
    browser.wait(f"document.querySelector('input[type=password]').value == {key!r}")
    click(browser, "[role=tab]", "Registers")
    click(browser, "button", "unlock")
    browser.wait(f"!{TEXT}.includes('Changes need the key, at')")


def latency(browser: Browser, key: str) -> None:
    """The histogram fills."""
    click(browser, "[role=tab]", "Latency")
    browser.wait(f"/answers, from mac_rx to mac_tx: .* median/.test({TEXT})")


def rows(browser: Browser, key: str) -> None:
    """A row of the next hops of `echo` is deleted and inserted, and one that deadlocks refused."""
    browser.wait("!!document.querySelector('[data-tile=echo]')")
    event = "new MouseEvent('click', {bubbles: true})"
    browser.run(f"document.querySelector('[data-tile=echo]').dispatchEvent({event})")
    unlock(browser, key)
    click(browser, "[role=combobox], .q-select")
    click(browser, ".q-item", "next_hop")
    click(browser, "[aria-label^='delete [0]']")
    browser.wait(f"{TEXT}.includes('next_hop[0] was deleted')")
    for x, y, shown in ((1, 0, "possible deadlock"), (0, 1, "next_hop was inserted")):
        click(browser, "button", "insert row")
        browser.wait("document.querySelectorAll('.q-dialog input').length > 4")
        values = {"entry": 0, "x,": x, "y,": y}
        for name, value in values.items():
            label = (
                "[...document.querySelectorAll('.q-dialog .q-field')]"
                f".find(e => e.innerText.startsWith({name!r})).querySelector('input')"
            )
            browser.run(f"{label}.focus()")
            browser.type(str(value))
        browser.wait("document.querySelector('.q-dialog input').value == '0'")
        click(browser, ".q-dialog button", "write")
        browser.wait(f"{TEXT}.includes({shown!r})")
        if "inserted" not in shown:
            click(browser, ".q-dialog button", "cancel")
            browser.wait("!document.querySelector('.q-dialog')")


STEPS = {"latency": latency, "rows": rows}


def main() -> None:
    step, url, key = sys.argv[1:]
    with TemporaryDirectory() as folder, open_page(url, Path(folder)) as browser:
        STEPS[step](browser, key)


if __name__ == "__main__":
    main()
