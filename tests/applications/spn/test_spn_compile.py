# SPDX-License-Identifier: Apache-2.0
"""`bombus spn compile`, messages of the client, and the shipped example."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from bombus.analysis import check
from bombus.applications import spn
from bombus.applications.spn import messages
from bombus.applications.spn.client import per_batch, read
from bombus.applications.spn.systemverilog import TRANSPORTS
from bombus.base.errors import UserError
from bombus.base.paths import EXAMPLES
from bombus.cli import app

MODEL = EXAMPLES / "spn" / "machine.spn"


def test_the_example_is_what_the_compiler_writes(tmp_path: Path) -> None:
    found = spn.compile(spn.read(MODEL), tmp_path)
    for file in found.files:
        assert file.read_text() == (MODEL.parent / file.name).read_text()


def test_the_example_is_sound() -> None:
    _, problems = check.check(MODEL.parent / "readings.yaml")
    assert not problems


def test_the_command(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    arguments = ["spn", "compile", str(MODEL), "-o", str(tmp_path / "out"), "--error", "1e-3"]
    result = CliRunner().invoke(app, [*arguments, "--json", str(report), "--name", "My-Net"])
    assert result.exit_code == 0, result.output
    values = json.loads(report.read_text())
    assert values["name"] == "my_net"
    assert values["bound_nats"] <= 1e-3
    assert values["copies"] == 5
    assert values["fraction_bits"] < 16
    assert (values["dsps"], values["bram36"]) == (9, 4.5)
    assert values["depth"] > 10 and values["luts"] > 1000
    assert [Path(file).name for file in values["files"]] == [
        "my_net_model_pkg.sv",
        "my_net_pipeline.sv",
        "my_net.sv",
    ]
    assert re.search(r"error of a log-likelihood: at most 0\.000\d+ nats", result.output)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name", "1st"], "must begin with a letter"),
        (["--copies", "0"], "1 to 64 copies"),
        (["--clock", "0"], "must be positive"),
        (["--error", "0"], "must be positive"),
        (["--transport", "ip"], "none of udp, ethernet, tcp"),
    ],
)
def test_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["spn", "compile", str(MODEL), "-o", str(tmp_path), *arguments]
    )
    assert result.exit_code != 0
    assert message in f"{result.output}{result.exception}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["module", "Logic", "table"])
def test_keywords_are_no_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{name.lower()} is a keyword of SystemVerilog"):
        spn.compile(spn.read(MODEL), str(tmp_path / "out"), name=name)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("leaf", "warning"),
    [
        ("Gaussian(x|mean=5000;stdev=1)", "x: a leaf has 0 of its probability in the values 0 to"),
        ("Gaussian(x|mean=254.5;stdev=1e-300)", None),
        ("Histogram(x|[-9.,-1.];[0.125])", "x: a leaf has 0 of its probability"),
        ("Histogram(x|[-1.,1.];[0.5])", None),
        (f"Categorical(x|p={[0] * 255 + [1]})", "x: a leaf has 0 of its probability"),
        ("Bernoulli(x|p=0.5)", None),
        (" * ".join(f"Bernoulli(V{n}|p=0.3)" for n in range(600)), "no format bounds the error"),
    ],
)
def test_warnings(leaf: str, warning: str | None, tmp_path: Path) -> None:
    model = tmp_path / "net.spn"
    model.write_text(f"({leaf})")
    result = CliRunner().invoke(app, ["spn", "compile", str(model), "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    warnings = [line for line in result.stderr.splitlines() if "warning" in line]
    assert len(warnings) == (warning is not None)
    assert warning is None or warning in warnings[0]


def test_copies_follow_from_the_line(tmp_path: Path) -> None:
    network = spn.read(MODEL)
    assert spn.compile(network, tmp_path, line_rate_gbps=10, clock_mhz=156.25).copies == 1
    assert spn.compile(network, tmp_path, line_rate_gbps=100, clock_mhz=250).copies == 5
    assert spn.compile(network, tmp_path, value_bits=9).copies == 3


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_designs_around_a_layer_are_sound(transport: str, tmp_path: Path) -> None:
    found = spn.compile(spn.read(MODEL), tmp_path, transport=transport)
    _, problems = check.check(spn.write_design(found, tmp_path))
    assert not problems


def test_designs_in_relative_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["spn", "compile", str(MODEL), "-o", "out", "--transport", "ethernet", "--design"]
    narrow = ["--data-width", "64", "--line-rate", "10", "--clock", "156.25"]
    result = CliRunner().invoke(app, [*arguments, *narrow])
    assert result.exit_code == 0, result.output
    design = Path("out/machine_design.yaml")
    assert str(design) in result.output
    facts, problems = check.check(design)
    assert not problems
    assert [network.data_width for network in facts.design.networks] == [64]


def test_messages() -> None:
    text = messages.request([[1, np.nan], [0, 254]], batch=7)
    assert text == b"SP\x00\x00\x04\x00\x02\x00\x07\x00\x01\xff\x00\xfe"
    assert messages.request([[1, np.nan]], value_bits=9)[10:] == b"\x01\x00\xff\x01"
    got = messages.reply(
        b"SP\x01\x10\x04\x00\x01\x00\x07\x00" + (-3 << 15).to_bytes(4, "little", signed=True)
    )
    assert got.batch == 7
    assert got.log_likelihoods == pytest.approx([-1.5 * np.log(2)])
    floats = messages.reply(b"SP\x01\x00\x04\x00\x01\x00\x00\x00" + np.float32(-1.5).tobytes())
    assert floats.log_likelihoods == pytest.approx([-1.5 * np.log(2)])
    assert per_batch(10, 8) == 146
    assert per_batch(1, 8) == 365


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"SP\x01", "shorter"),
        (b"SP\x03\x00\x00\x00\x00\x00\x05\x00", "batch 5 was refused: partial samples"),
        (b"XX\x01\x00\x00\x00\x00\x00\x05\x00", "no reply"),
        (b"SP\x01\x00\x04\x00\x02\x00\x05\x00\x00\x00\x00\x00", "no reply"),
    ],
)
def test_refused_replies(message: bytes, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        messages.reply(message)


def test_samples_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "samples.csv"
    file.write_text("1,,3\n\n4, 5 ,\n")
    assert read(file) == pytest.approx(np.array([[1, np.nan, 3], [4, 5, np.nan]]), nan_ok=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("heat,load\n1,2\n", r"samples.csv:1: .*'heat'"),
        ("1,2\n3\n", "samples.csv:2: 1 values, not 2"),
        ("\n", "there are no samples"),
        (None, "No such file"),
    ],
)
def test_refused_files_of_samples(text: str | None, message: str, tmp_path: Path) -> None:
    file = tmp_path / "samples.csv"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UserError, match=message):
        read(file)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "70000"], "a port is from 1 to 65535, not 70000"),
        (["--value-bits", "17"], "values have 1 to 16 bits, not 17"),
        (["--port", "9"], "255.255.255.255, UDP port 9"),
        (["--tcp", "--port", "9"], "255.255.255.255, TCP port 9"),
    ],
)
def test_bad_arguments_of_the_client(options: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "samples.csv").write_text("1,2\n")
    program = [sys.executable, "-m", "bombus.applications.spn.client"]
    arguments = [str(tmp_path / "samples.csv"), "255.255.255.255", *options]
    found = subprocess.run([*program, *arguments], capture_output=True, text=True)
    assert found.returncode and message in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("value", [255, -1, 0.5])
def test_refused_samples(value: float) -> None:
    with pytest.raises(UserError, match="integers from 0 to 254"):
        messages.request([[value]])
