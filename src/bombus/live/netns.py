# SPDX-License-Identifier: Apache-2.0
"""A private network namespace, which needs no root on most Linux systems.

with Namespace() as namespace:
    namespace.popen(["bombus", "run", "designs/udp_echo.yaml"])
    namespace.run(["ping", "-c", "3", "10.77.0.2"])
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from pyroute2 import netns

from bombus.base.errors import UserError

_STOP_LIMIT_SECONDS = 20.0  # on a busy machine
_NAMED = Path("/run/netns")  # of `ip netns add`


class NamespaceError(UserError):
    """A network namespace could not be created; says what is missing."""


def open_namespace(name: str) -> int:
    """File descriptor of the network namespace `name` (of `ip netns`, or a path)."""
    path = Path(name) if "/" in name else _NAMED / name
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_entered(f"{name} ({path})", error) from None


@contextmanager
def inside(namespace: int) -> Iterator[None]:
    """Inside, this thread uses the network namespace of a file descriptor."""
    try:
        netns.pushns()
        try:
            netns.setns(namespace)
        except OSError:
            netns.dropns()
            raise
    except OSError as error:
        raise _not_entered(str(Path(f"/proc/self/fd/{namespace}").readlink()), error) from None
    try:
        yield
    finally:
        netns.popns()


def _not_entered(name: str, error: OSError) -> NamespaceError:
    missing = error.errno == errno.ENOENT
    reason = " does not exist" if missing else f": {os.strerror(error.errno or 0)}"
    return NamespaceError(f"network namespace {name}{reason}")


class Namespace:
    """A network namespace that lasts as long as this object.

    Created as root if the process is root, otherwise in a user namespace. Programs started in it
    are stopped, by process ID, when it ends.
    """

    def __init__(self) -> None:
        for program in ("unshare", "nsenter"):
            if shutil.which(program) is None:
                raise NamespaceError(
                    f"a network namespace needs the program {program} (util-linux)"
                )
        self._processes: list[subprocess.Popen[Any]] = []
        flags = ["--net"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--net"]
        # The holder ends when its input is closed: with this process, however that ends.
        self._holder = subprocess.Popen(
            ["unshare", *flags, "sh", "-c", "echo ready; exec cat"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._holder.stdout and self._holder.stderr
        if self._holder.stdout.readline() != b"ready\n":
            said = self._holder.stderr.read().decode().strip()
            self._release_holder()
            raise NamespaceError(
                f"cannot create a network namespace: {said}. Without root this needs "
                "unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, and on "
                "Ubuntu kernel.apparmor_restrict_unprivileged_userns=0); as root it needs the "
                "capability CAP_SYS_ADMIN"
            )
        self._enter = ["nsenter", "--target", str(self._holder.pid), "--net"]
        if os.geteuid() != 0:
            self._enter += ["--user", "--preserve-credentials"]
        from_inside = [
            sys.executable,
            "-P",
            "-c",
            "from bombus.live.interface import set_up; set_up('lo')",
        ]
        self.run(from_inside, env=_with_own_modules())

    @property
    def path(self) -> str:
        """Where `inside` and `Interface` find it."""
        return f"/proc/{self._holder.pid}/ns/net"

    def command(self, command: Sequence[str | os.PathLike[str]]) -> list[str]:
        """The command line that runs `command` inside."""
        return [*self._enter, *(os.fspath(word) for word in command)]

    def popen(
        self, command: Sequence[str | os.PathLike[str]], **options: Any
    ) -> subprocess.Popen[Any]:
        """Starts a program inside, which is stopped with the namespace. Options as for Popen."""
        process: subprocess.Popen[Any] = subprocess.Popen(self.command(command), **options)
        self._processes.append(process)
        return process

    def run(
        self, command: Sequence[str | os.PathLike[str]], **options: Any
    ) -> subprocess.CompletedProcess[Any]:
        """Runs a program inside to its end. Options as for `subprocess.run`; `check` is on."""
        return subprocess.run(self.command(command), **{"check": True, **options})

    def python(self, code: str, *arguments: str, **options: Any) -> str:
        """Runs Python code inside, where `bombus` can be imported; returns its output."""
        result = self.run(
            [sys.executable, "-c", code, *arguments],
            env=_with_own_modules(),
            text=True,
            stdout=subprocess.PIPE,
            **options,
        )
        return str(result.stdout)

    def stop(self, process: subprocess.Popen[Any]) -> int:
        """Ends a program with SIGTERM, after a while with SIGKILL; returns its exit code."""
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(_STOP_LIMIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        return process.wait()

    def wait_for_interface(self, name: str, process: subprocess.Popen[Any]) -> None:
        """Waits until the interface is up; raises an error if `process`, which creates it, ends
        first.
        """
        while True:
            shown = self.run(["cat", "/proc/net/route"], capture_output=True, text=True).stdout
            if any(line.split()[0] == name for line in shown.splitlines()[1:]):
                return
            if process.poll() is not None:
                raise NamespaceError(f"interface {name} did not come up: its process has exited")
            time.sleep(0.02)

    def close(self) -> None:
        for process in reversed(self._processes):
            self.stop(process)
        self._processes.clear()
        self._release_holder()

    def _release_holder(self) -> None:
        for stream in (self._holder.stdin, self._holder.stdout, self._holder.stderr):
            if stream is not None:
                stream.close()
        self._holder.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _with_own_modules() -> dict[str, str]:
    """The environment, with this package on Python's path."""
    here = str(Path(__file__).resolve().parents[1])
    path = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{here}{os.pathsep}{path}" if path else here}
