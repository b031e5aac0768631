# SPDX-License-Identifier: Apache-2.0
"""Rights that a live run no longer needs once its interfaces are open (capabilities(7))."""

from __future__ import annotations

import ctypes
import os
import pwd
import struct
from collections.abc import Collection

NET_ADMIN, SYS_ADMIN = 12, 21  # linux/capability.h

_VERSION_3 = 0x20080522
_PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _CLEAR_ALL = 8, 38, 47, 4

_libc = ctypes.CDLL(None, use_errno=True)


def drop(keep: Collection[int] = ()) -> None:
    """Gives up all capabilities of this thread but `keep`, for good.

    Under sudo it also becomes the user who called sudo. Programs that it starts get no rights of
    others (setuid). OSError if the kernel refuses.
    """
    caller = os.environ.get("SUDO_UID")
    if os.geteuid() == 0 and caller is not None and caller.isdecimal():
        user = pwd.getpwuid(int(caller))
        _checked(_libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0))
        os.setgroups(os.getgrouplist(user.pw_name, user.pw_gid))
        os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
        os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
    _libc.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)  # old kernels have no such set
    held = _permitted()
    kept = sum(1 << number for number in keep) & held
    header = struct.pack("=Ii", _VERSION_3, 0)
    low, high = kept & 0xFFFF_FFFF, kept >> 32
    _checked(_libc.capset(header, struct.pack("=6I", low, low, 0, high, high, 0)))
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _permitted() -> int:
    data = ctypes.create_string_buffer(24)
    _checked(_libc.capget(struct.pack("=Ii", _VERSION_3, 0), data))
    _, low, _, _, high, _ = struct.unpack("=6I", data.raw)
    return int(low) | int(high) << 32


def _checked(result: int) -> None:
    if result:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
