# SPDX-License-Identifier: Apache-2.0
"""Install programs and libraries that tests and demo use: `system_programs.py [NAME...]`.

Without names, all of them. As root on Debian or Ubuntu it installs their packages by apt: it asks
on a terminal, and elsewhere says so first, unless the environment has BOMBUS_INSTALL=no. In all
other cases it prints the package of each missing one. Tests that need a missing program are skipped
and say so.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Program and the Debian package that contains it.
PROGRAMS = {
    "g++": "g++",
    "make": "make",
    "perl": "perl",
    "chromium": "chromium",
    "ip": "iproute2",
    "ping": "iputils-ping",
    "arping": "arping",
    "nc": "netcat-openbsd",
    "tshark": "tshark",
    "go": "golang-go",
    "iperf": "iperf",
    "redis-benchmark": "redis-tools",
    "wrk": "wrk",
    "nft": "nftables",
    "linux.uml": "user-mode-linux",
}
# The same for libraries, identified by one of their files.
LIBRARIES = {
    "/usr/include/isa-l.h": "libisal-dev",
}
# Programs whose package is only in Debian's backports.
BACKPORTS = {
    "suricata": "suricata",
}
PACKAGES = PROGRAMS | LIBRARIES | BACKPORTS


def missing(wanted: list[str]) -> list[str]:
    """Programs that are not on the path (system folders included), files that are not there."""
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    known = PROGRAMS | BACKPORTS
    programs = [name for name in known if shutil.which(name, path=path) is None]
    libraries = [name for name in LIBRARIES if not Path(name).exists()]
    return [name for name in programs + libraries if name in wanted]


def install(names: list[str]) -> None:
    """Installs the packages of these by apt; a failure is told, not raised."""
    usual = sorted({PACKAGES[name] for name in names if name not in BACKPORTS})
    others = sorted({PACKAGES[name] for name in names if name in BACKPORTS})
    if usual:
        _apt(usual, [])
    release = platform.freedesktop_os_release()
    if others and release["ID"] == "debian":
        suite = f"{release['VERSION_CODENAME']}-backports"
        with tempfile.TemporaryDirectory() as folder:
            _apt(others, ["-t", suite, *_with_suite(suite, Path(folder))])


def _apt(packages: list[str], options: list[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", *options, "update", "-qq"],
        ["apt-get", *options, "install", "-y", "-qq", "--no-install-recommends", *packages],
    ):
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        if result.returncode:
            print(f"{' '.join(command)} failed:\n{result.stderr.strip()}", file=sys.stderr)
            return


def _with_suite(suite: str, folder: Path) -> list[str]:
    """Options of apt: this suite beside the usual one, in lists of their own."""
    mirror = (
        "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian"
    )
    usual = suite.removesuffix("-backports")
    (folder / "sources.list").write_text(f"deb {mirror} {usual} main\ndeb {mirror} {suite} main\n")
    (folder / "lists" / "partial").mkdir(parents=True)
    places = {
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": folder / "lists",
    }
    return [option for name, place in places.items() for option in ("-o", f"{name}={place}")]


def may_install(names: list[str]) -> bool:
    """Asks on a terminal; elsewhere, says what is about to be installed."""
    packages = ", ".join(sorted({PACKAGES[name] for name in names}))
    if os.environ.get("BOMBUS_INSTALL") == "no":
        return False
    if sys.stdin.isatty() and sys.stdout.isatty():
        answer = input(f"install {packages} by apt, as root? [Y/n] ")
        return answer.strip().lower() in ("", "y", "yes")
    print(f"installing {packages} by apt, as root; BOMBUS_INSTALL=no prevents that", flush=True)
    return True


def main() -> None:
    wanted = sys.argv[1:] or list(PACKAGES)
    if unknown := set(wanted) - set(PACKAGES):
        sys.exit(f"unknown programs: {', '.join(sorted(unknown))}; known: {', '.join(PACKAGES)}")
    lacking = missing(wanted)
    is_able = os.geteuid() == 0 and shutil.which("apt-get") is not None
    if lacking and is_able and may_install(lacking):
        install(lacking)
        lacking = missing(wanted)
    for name in lacking:
        print(f"{name} is missing: install the package {PACKAGES[name]}")


if __name__ == "__main__":
    main()
