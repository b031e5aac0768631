# SPDX-License-Identifier: Apache-2.0
"""Files that nobody writes by hand: `check` answers each at once and clearly."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.console import Console

from bombus.analysis import check
from bombus.base.errors import DesignError, UserError
from bombus.base.yaml_text import BOM
from bombus.design import config, edit
from tests.support.helpers import DESIGNS, Edited, Problems

TEXT = (DESIGNS / "udp_echo.yaml").read_text()
LINES = TEXT.count("\n")
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (f"{TEXT}x: {'[' * 500}{']' * 500}\n", LINES + 1, "nested in more than 32 levels"),
        (f"{TEXT}x: {'9' * 5000}\n", LINES + 1, "has 5,000 characters"),
        (TEXT.replace("512", "9" * 900), 4, "data_width: should be a smaller number"),
        (BOMB + TEXT, 5, "more than 50,000 values up to here, aliases unfolded"),
        (f"{TEXT}x: &a [*a]\n", LINES + 1, "alias *a contains itself"),
        (TEXT.replace("10.77.0.2", "2024-99-99"), 7, "found '2024-99-99', which YAML takes for"),
        (f"{TEXT}<<: {{depth: 1}}\n", 3, "depth: unknown key"),
        (f"{TEXT}x: !!python/object:os.system {{}}\n", LINES + 1, "YAML tags are not supported: "),
        (TEXT.replace("name: udp_echo", 'name: "\\ud800"', 1), 3, "cannot be printed"),
        (f'{TEXT}"\\e[2J": 1\n', LINES + 1, "cannot be printed"),
        (TEXT.replace("udp_tx", "udp\0tx"), 1, "unacceptable character #x0000"),
        (TEXT.replace("clock_mhz: 250", "clock_mhz: 1e300"), 5, "at most 10000"),
        (TEXT.replace("clock_mhz: 250", "clock_mhz: 0.001"), 5, "at least 1"),
    ],
    ids=lambda value: None if isinstance(value, str) and len(value) > 60 else str(value),
)
def test_excess_is_refused_at_once_in_its_line(
    tmp_path: Path, problems: Problems, text: str, line: int, message: str
) -> None:
    file = tmp_path / "design.yaml"
    file.write_text(text)
    started = time.monotonic()
    found = problems(check.check, file)
    assert time.monotonic() - started < 5
    assert any(each.startswith(f"{line}: ") and message in each for each in found), found


def test_text_in_another_encoding_is_named(tmp_path: Path, problems: Problems) -> None:
    file = tmp_path / "design.yaml"
    file.write_bytes(TEXT.replace("udp_tx", "ü", 1).encode("latin-1"))
    (found,) = problems(config.load, file)
    assert "not UTF-8" in found


@pytest.mark.parametrize("path", ["/dev/zero", "/", "/absent", "a\0b"])
def test_what_is_no_design_file_is_named(path: str) -> None:
    with pytest.raises(UserError, match="cannot read the design file"):
        check.check(Path(path))


@pytest.mark.parametrize(("start", "end"), [(BOM, "\n"), ("", "\r\n"), (BOM, "\r\n")])
def test_files_of_other_editors_are_read_and_keep_their_form(
    tmp_path: Path, start: str, end: str
) -> None:
    file = tmp_path / "design.yaml"
    file.write_text(start + TEXT.replace("\n", end), newline="", encoding="utf-8")
    check.check(file)
    loaded = config.load(file)
    positions = {each.name: each.at for each in loaded.config.instances if each.at}
    assert edit.with_positions(loaded, positions) == start + TEXT.replace("\n", end)
    moved = edit.with_positions(loaded, positions | {"arp": (5, 5)})
    assert moved == start + TEXT.replace("[2, 2]", "[5, 5]").replace("\n", end)


def test_a_tile_may_share_values_by_an_alias(edited: Edited) -> None:
    """Aliases are YAML, too: only their excess is refused."""
    file = edited(("kind: udp_rx,", "kind: udp_rx, next: {icmp: &there icmp},"))
    assert config.load(file).config.tiles


ODD = st.sampled_from(
    [
        *("~", "null", "true", "-1", "0", "1e999", ".nan", "9" * 400, "0x7fffffffffffffff", "''"),
        *("[]", "{}", "[[]]", "{a: b}", "- a", "? a", "&a b", "*a", "<<", "!!set {a}", "|\n  a"),
        *('"', "'", ": ", "#", "\t", "\n", "\r", "\0", "\x85", "\u2028", "é", "name", "drop"),
        *("2024-13-01", "12:30:45", "0o9", "0b1", "1_000", "=", "%YAML 1.1\n---\n", "---\n", "..."),
        *("[0, 0]", "[255, 0]", "[3, 3]", "udp_rx", "echo", "mac_rx", "replicas: 9", "1.5"),
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """The text of a design with a few pieces replaced, removed or put in."""
    text = TEXT
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 12))
        text = text[:start] + draw(ODD | st.text(max_size=3)) + text[end:]
    return text.encode("utf-8", "surrogatepass")


@pytest.mark.slow
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=damaged() | st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
@example(content=TEXT.encode())
@example(content=TEXT.replace("[2, 2]", "[90, 2]").replace("at: [1, 2]", "at: [0, 90]").encode())
def test_check_never_fails_otherwise_than_clearly(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "damaged.yaml"
    file.write_bytes(content)
    try:
        check.check(file)
    except DesignError as error:
        assert error.problems
        last = content.count(b"\n") + content.count(b"\r") + 2
        for problem in error.problems:
            assert problem.message and 1 <= (problem.line or 0) <= last
            Console(file=io.TextIOWrapper(io.BytesIO(), "utf-8")).print(str(problem))
    except UserError as error:
        assert str(error)
