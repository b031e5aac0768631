"""The cache directory: things that are built once, found again by their content."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bombus.errors import UserError


def cache_directory() -> Path:
    """`$BOMBUS_CACHE`, else `$XDG_CACHE_HOME/bombus`, else `~/.cache/bombus`; made if missing."""
    if chosen := os.environ.get("BOMBUS_CACHE"):
        path = Path(chosen)
    else:
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bombus"
    path = path.expanduser().absolute()
    if " " in str(path):
        raise UserError(
            f"the cache directory {path} has a space in its name, which GNU make cannot handle; "
            "set BOMBUS_CACHE to another"
        )
    path.mkdir(parents=True, exist_ok=True)
    return path


def content_key(texts: Iterable[str], files: Iterable[tuple[str, Path]]) -> str:
    """A short name for texts and files (each with the name that matters, and where it is)."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"text {len(text)}\n".encode())
        digest.update(text.encode())
    for name, path in sorted(files):
        content = path.read_bytes()
        digest.update(f"file {name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def cached_directory(name: str, make: Callable[[Path], object]) -> Path:
    """The directory `name` of the cache; `make` fills a new one if it is not there.

    Two processes that want the same at once: one makes it, the other waits. A
    directory that is there is complete, since it is renamed into place.
    """
    target = cache_directory() / name
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # The lock file stays: removing it would let two processes hold different ones.
    with _locked(target.with_name(target.name + ".lock")):
        if target.is_dir():
            return target
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            make(work)
            work.chmod(0o755)
            work.rename(target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return target
