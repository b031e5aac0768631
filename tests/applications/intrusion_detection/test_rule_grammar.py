# SPDX-License-Identifier: Apache-2.0
"""The grammar of rules, compared with Suricata's form by form.

rule_forms.jsonl has the verdicts of Suricata 7.0.10 and ours on each form; each `@` in a form is a
sid. They differ only for a reason: `snort`: a form of Snort's; `host`: a value that only the host's
check uses; `unknown`: a keyword that a later version may have, which is a warning; `later`: a
protocol of a later version; `strict`: a form that Suricata accepts, but means something else;
`lenient`: a harmless form. A rule that is not compiled is listed with the reason.
"""

from __future__ import annotations

import json
import re
import subprocess
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bombus.applications.intrusion_detection import compiling, keywords
from bombus.base.errors import UserError
from tests.applications.intrusion_detection import suricata

FILE = Path(__file__).parent / "rule_forms.jsonl"
FORMS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text().splitlines()]
CONFIGURATION = Path("/etc/suricata/suricata.yaml")
DIFFERENCES = {
    **dict.fromkeys(("snort", "host", "unknown", "later", "lenient"), ("refused", "accepted")),
    "strict": ("accepted", "refused"),
}


def numbered(forms: list[str]) -> list[str]:
    sids = count(101)
    return [re.sub("@", lambda _: str(next(sids)), form) for form in forms]


def verdict(file: Path) -> str:
    try:
        (rule,) = compiling.read([file], {}) or [None]
    except UserError as error:
        assert str(error).startswith(f"{file}:1: ") and "\n" not in str(error)
        return "refused"
    return "not compiled" if rule and rule.obstacle else "accepted"


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_our_verdict(number: int, tmp_path: Path) -> None:
    each = FORMS[number]
    file = tmp_path / "my.rules"
    file.write_text(numbered([each["form"]])[0])
    assert verdict(file) == each["bombus"], each


def test_verdicts_differ_for_a_reason() -> None:
    for each in FORMS:
        found = each["suricata"], each["bombus"]
        if "why" in each:
            assert found == DIFFERENCES[each["why"]], each
        else:
            assert each["bombus"] in (each["suricata"], "not compiled"), each


@pytest.mark.slow
def test_verdicts_of_suricata(tmp_path: Path) -> None:
    program = suricata.program()
    if not CONFIGURATION.exists():
        pytest.skip(f"there is no {CONFIGURATION}")
    file = tmp_path / "my.rules"
    file.write_text("".join(f"{rule}\n" for rule in numbered([each["form"] for each in FORMS])))
    command = [program, "-T", "-S", str(file), "-l", str(tmp_path), "-c", str(CONFIGURATION)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    lines = re.findall(
        r"error parsing signature .* at line (\d+)$", done.stdout + done.stderr, re.M
    )
    refused = {int(line) for line in lines}
    assert len(refused) > 100, done.stderr[-4000:]
    for number, each in enumerate(FORMS, 1):
        assert (each["suricata"] == "refused") == (number in refused), each


@pytest.mark.slow
def test_all_keywords_of_suricata_are_known() -> None:
    command = [suricata.program(), "--list-keywords"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    found = set(re.findall(r"^- (\S+)$", done.stdout, re.M))
    assert len(found) > 200
    assert found <= keywords.KNOWN
