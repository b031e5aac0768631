# SPDX-License-Identifier: Apache-2.0
"""The cache directory: build results, keyed by content."""

from __future__ import annotations

import errno
import functools
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

from bombus.base.comments import without_comments
from bombus.base.errors import UserError
from bombus.base.interrupt import orderly_end
from bombus.base.output import WriteError

_MODE = 0o700
_SIZES = ".sizes"  # in each directory: JSON, the size of each file by its name
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def cache_directory() -> Path:
    """`$BOMBUS_CACHE`, or else the user's cache folder (`~/.cache/bombus`); created if missing.

    Only its owner has access, since libraries in it are loaded.
    """
    path = Path(os.environ.get("BOMBUS_CACHE") or user_cache_path("bombus"))
    path = path.expanduser().absolute()
    if " " in str(path):
        raise UserError(
            f"the cache directory {path} has a space in its name, which GNU make cannot handle; "
            f"set BOMBUS_CACHE to another directory"
        )
    with _writing(path):
        path.mkdir(mode=_MODE, parents=True, exist_ok=True)
        found = path.stat()
        if found.st_uid != os.geteuid():
            raise UserError(
                f"the cache directory {path} belongs to another user, who could have libraries "
                "loaded from it; set BOMBUS_CACHE to a directory of yours"
            )
        if stat.S_IMODE(found.st_mode) != _MODE:
            path.chmod(_MODE)
    return path


@contextmanager
def writing_cache() -> Iterator[Path]:
    """The cache directory, to write to; UserError if there is no room for that."""
    directory = cache_directory()
    with _writing(directory):
        yield directory


@contextmanager
def _writing(directory: Path) -> Iterator[None]:
    try:
        yield
    except WriteError as error:
        if not error.path.is_relative_to(directory.resolve()):
            raise
        raise _no_cache(directory, error.reason) from None
    except OSError as error:
        place = Path(str(error.filename)) if error.filename else None
        is_here = place is not None and place.is_relative_to(directory)
        if not is_here and error.errno not in _NO_ROOM:
            raise
        raise _no_cache(directory, error.strerror or str(error)) from None


def _no_cache(directory: Path, reason: str) -> UserError:
    return UserError(
        f"cannot write to the cache directory {directory}: {reason}; make room, or set "
        "BOMBUS_CACHE to another directory"
    )


@functools.lru_cache(maxsize=1024)
def _code(content: bytes) -> bytes:
    return without_comments(content.decode(errors="replace")).encode()


def content_key(texts: Iterable[str], files: Iterable[tuple[str, Path]]) -> str:
    """A short hash of texts and files (each with its significant name and its path).

    Comments of SystemVerilog do not count.
    """
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"text {len(text)}\n".encode())
        digest.update(text.encode())
    for name, path in sorted(files):
        content = path.read_bytes()
        if path.suffix in (".sv", ".svh"):
            content = _code(content)
        digest.update(f"file {name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def cached_directory(name: str, make: Callable[[Path], object]) -> Path:
    """The directory `name` of the cache; if it is missing, `make` fills a new one.

    If two processes want the same directory at once, one creates it and the other waits. It is
    renamed into place when it is complete and on the disk. Unfinished ones are removed, even after
    SIGTERM or SIGHUP; after SIGKILL, by the next process that wants the same directory. One that
    was damaged later, or that another user has made, is made again.
    """
    target = cache_directory() / name
    if is_whole(target):
        return target
    with writing_cache():
        return _made(target, make)


def is_whole(entry: Path) -> bool:
    """Whether a directory of the cache is the user's own, with all files at their first size."""
    try:
        if entry.stat().st_uid != os.geteuid():
            return False
        sizes = json.loads((entry / _SIZES).read_text())
        return all((entry / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def _finish(entry: Path) -> None:
    """Writes all files of a new directory to the disk, then their sizes."""
    files = [path for path in entry.rglob("*") if path.is_file()]
    sizes = entry / _SIZES
    sizes.write_text(json.dumps({str(f.relative_to(entry)): f.stat().st_size for f in files}))
    for path in (*files, sizes):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _made(target: Path, make: Callable[[Path], object]) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_name(target.name + ".lock")):
        if is_whole(target):
            return target
        shutil.rmtree(target, ignore_errors=True)
        for left in target.parent.glob(f".{target.name}-*"):
            shutil.rmtree(left, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            with orderly_end():
                make(work)
            _finish(work)
            work.rename(target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return target
