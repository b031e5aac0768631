# SPDX-License-Identifier: Apache-2.0
"""The wheel: outside a checkout, with nothing but what it brings and what it depends on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from tests import ROOT

pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert not check or result.returncode == 0, result.stdout + result.stderr
    return result


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment with the wheel; other packages come from this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    build = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    run(*pip, *build, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    environment = folder / "environment"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    (site,) = environment.glob("lib/python*/site-packages")
    # A path in a .pth file is searched, but .pth files there are not processed, so an editable
    # installation of Bombus is not found.
    others = (path for path in sys.path if path.endswith("site-packages"))
    (site / "others.pth").write_text("\n".join(others) + "\n")
    return environment


def bombus(installed: Path, *arguments: str) -> str:
    return run(installed / "bin" / "bombus", *arguments, cwd=installed).stdout


def test_it_knows_its_version(installed: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert bombus(installed, "--version") == f"bombus {project['version']}\n"


def test_verilator_is_on_the_path(installed: Path) -> None:
    said = run(installed / "bin" / "verilator", "--version", cwd=installed).stdout
    assert re.fullmatch(r"Verilator \d+\.\d+\S*\n", said)
    # cocotb runs it by way of Perl.
    assert run("perl", installed / "bin" / "verilator", "--version", cwd=installed).stdout == said


def test_it_is_the_wheel_that_runs(installed: Path) -> None:
    told = "import bombus; print(bombus.__file__)"
    where = run(installed / "bin" / "python", "-c", told, cwd=installed).stdout
    assert Path(where.strip()).is_relative_to(installed)


def test_every_benchmark_and_design_is_in_it(installed: Path) -> None:
    names = {file.stem.replace("_", "-") for file in (ROOT / "benchmarks").glob("[!_]*.py")}
    assert names <= set(re.findall(r"[\w-]+", bombus(installed, "bench")))
    (package,) = installed.glob("lib/python*/site-packages/bombus")
    designs = {file.name for file in (ROOT / "designs").glob("*.yaml")}
    assert {file.name for file in package.glob("designs/*.yaml")} == designs


def test_new_projects_are_made_by_it(installed: Path) -> None:
    bombus(installed, "new", "bees")
    assert "no problems found" in bombus(installed, "check", "bees/bees.yaml")


def test_licences_and_the_pinned_packages_are_in_it(installed: Path) -> None:
    (info,) = installed.glob("lib/python*/site-packages/bombus-*.dist-info")
    assert {file.name for file in (info / "licenses").iterdir()} == {"LICENSE", "NOTICE"}
    components = json.loads((info / "sboms" / "sbom.cdx.json").read_text())["components"]
    listed = {f"{each['name']}=={each['version']}" for each in components}
    pinned = set(re.findall(r"^[^ ;]+==[^ ;]+", (ROOT / "requirements.lock").read_text(), re.M))
    assert listed == pinned


def test_what_benchmarks_need_besides_is_in_it(installed: Path) -> None:
    program = """
from bombus.measure import bench
bench.load("rpu")
files = [bench.load("tcp-transfers").DESIGN]
ends = bench.load("_tcp-ends")
files += [ends.SMOLTCP / name for name in ends.SMOLTCP_FILES]
assert all(file.is_file() for file in files), files
"""
    run(installed / "bin" / "python", "-c", program, cwd=installed)


def test_a_benchmark_runs_with_its_own_design(installed: Path) -> None:
    arguments = ("bench", "udp-echo", "--packets", "20", "--json", "-")
    assert json.loads(bombus(installed, *arguments))


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        (
            "ortools",
            ("place", "x.yaml"),
            "bombus place needs OR-tools: pip install 'bombus[place]'",
        ),
        ("distributed", ("sweep", "x.yaml"), "pip install 'bombus[sweep]'"),
        ("pyarrow", ("sweep", "x.yaml"), "pip install 'bombus[sweep]'"),
        ("pyosys", ("area", "round_robin"), "bombus area needs Yosys: pip install 'bombus[area]'"),
    ],
)
def test_a_missing_extra_is_named(
    installed: Path, module: str, arguments: tuple[str, ...], message: str
) -> None:
    program = (
        f"import sys; sys.modules[{module!r}] = None; sys.argv = {['bombus', *arguments]!r}; "
        "from bombus.cli import main; main()"
    )
    result = run(installed / "bin" / "python", "-c", program, cwd=installed, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and result.stderr.rstrip().endswith(message)


@pytest.mark.parametrize("arguments", [("--help",), ("check", "DESIGN"), ("generate", "DESIGN")])
def test_no_extra_is_needed_by_other_commands(installed: Path, arguments: tuple[str, ...]) -> None:
    (design,) = installed.glob("lib/python*/site-packages/bombus/designs/udp_echo.yaml")
    given = ["bombus", *(str(design) if word == "DESIGN" else word for word in arguments)]
    missing = dict.fromkeys(("ortools", "dask", "distributed", "pyarrow", "pyosys", "scapy"))
    program = (
        f"import sys; sys.modules |= {missing!r}; sys.argv = {given!r}; "
        "from bombus.cli import main; main()"
    )
    run(installed / "bin" / "python", "-c", program, cwd=installed)
