# SPDX-License-Identifier: Apache-2.0
"""Wrong options of benchmarks are errors of one line, before anything is built."""

from __future__ import annotations

import pytest

from bombus import cli
from bombus.base.errors import UsageError
from bombus.measure import bench

OPTIONS = [(name, option) for name in bench.available() for option in bench.options(name)]


def of_kind(*kinds: type) -> list[tuple[str, str]]:
    return [(name, option.name) for name, option in OPTIONS if type(option.default) in kinds]


NUMBERS = of_kind(int, float)


def refused(name: str, option: str, text: str | None) -> str:
    with pytest.raises(UsageError) as caught:
        bench.run(name, None, None, **{option: text})
    message = str(caught.value)
    assert message.startswith(f"--{option.replace('_', '-')} ")
    assert "\n" not in message
    return message


def test_there_are_numbers() -> None:
    assert {"packets", "scale", "cpu_seconds", "seed"} <= {option for _, option in NUMBERS}


@pytest.mark.parametrize(
    "text", ["x", "", "-1", "1e999", "nan", "1,2", "99999999999999999999e9999"]
)
@pytest.mark.parametrize(("name", "option"), NUMBERS)
def test_a_number_is_none(name: str, option: str, text: str) -> None:
    assert "should be a" in refused(name, option, text)


@pytest.mark.parametrize(("name", "option"), of_kind(int))
def test_a_whole_number_has_a_fraction(name: str, option: str) -> None:
    assert "should be a whole number" in refused(name, option, "1.5")


@pytest.mark.parametrize(("name", "option"), of_kind(int, float, str))
def test_a_value_is_missing(name: str, option: str) -> None:
    assert "needs a value" in refused(name, option, None)


@pytest.mark.parametrize(("name", "option"), of_kind(bool))
def test_a_switch_has_a_value(name: str, option: str) -> None:
    assert "takes no value" in refused(name, option, "x")


def test_values_are_converted() -> None:
    values = {(name, option.name): option.value("7") for name, option in OPTIONS if option.default}
    assert values["udp-echo", "packets"] == 7
    assert values["noc", "scale"] == 7.0
    assert values["tcp", "payloads"] == "7"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--packets", "x"), "error: --packets x: should be a whole number, 1 or more\n"),
        (("--packet", "3"), "udp-echo has no option --packet; did you mean '--packets'"),
        (("a.yaml", "3"), "unexpected argument '3'"),
        (("--design", "a.yaml", "b.yaml"), "two designs are given: a.yaml and b.yaml"),
    ],
)
def test_the_command_ends_with_2(
    arguments: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["bombus", "bench", "udp-echo", *arguments])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
