"""Network interfaces of Linux for a live simulation: TAP, or veth with a packet socket."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import socket
import struct
import subprocess
from contextlib import suppress
from ipaddress import IPv4Interface
from pathlib import Path
from types import TracebackType

from bombus.errors import UserError

MAX_MTU = 9000

_TUN_DEVICE = Path("/dev/net/tun")
# linux/if_tun.h, linux/sockios.h, linux/if.h, linux/ethtool.h, linux/if_packet.h
_TUNSETIFF = 0x400454CA
_IFF_TAP = 0x0002
_IFF_NO_PI = 0x1000
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_SIOCSIFADDR = 0x8916
_SIOCSIFNETMASK = 0x891C
_SIOCSIFMTU = 0x8922
_SIOCETHTOOL = 0x8946
_IFF_UP = 0x1
_ETHTOOL_STXCSUM = 0x17
_ETHTOOL_SGSO = 0x24
_ETH_P_ALL = 0x0003
_SOL_PACKET = 263
_PACKET_IGNORE_OUTGOING = 23
_NAME_LIMIT = 15


class InterfaceError(UserError):
    """An interface could not be made; says what is missing."""


class Interface:
    """A network interface of this machine whose other end is a file descriptor.

    Each `read` and `write` of `file_descriptor` is one frame, without FCS. TAP where
    /dev/net/tun can be opened; otherwise, or if `tap` is false, a veth pair with a packet
    socket on its far end. Gone after `close`.
    """

    def __init__(self, name: str, *, tap: bool = True) -> None:
        if not name or len(name.encode()) > _NAME_LIMIT or "/" in name:
            raise InterfaceError(f"{name!r} is not a name for an interface (1 to 15 characters)")
        self.name = name
        self.kind = "TAP"
        self._socket: socket.socket | None = None
        try:
            if not tap:
                raise OSError(errno.EINVAL, "not wanted")
            self.file_descriptor = _open_tap(name)
        except OSError as error:
            if error.errno == errno.EBUSY:
                raise InterfaceError(f"there is an interface {name} already") from None
            self._open_veth(tap_error=error)

    def bring_up(self, address: str | None, mtu: int) -> None:
        """Sets the MTU and the address (`10.77.0.1/24`; None: none), and brings it up."""
        if not 68 <= mtu <= MAX_MTU:
            raise InterfaceError(f"MTU {mtu}: should be from 68 to {MAX_MTU}")
        # The stack speaks IPv4; without this the kernel's IPv6 chatters into it.
        with suppress(OSError):
            Path(f"/proc/sys/net/ipv6/conf/{self.name}/disable_ipv6").write_text("1")
        try:
            _set_integer(self.name, _SIOCSIFMTU, mtu)
            if address is not None:
                interface = IPv4Interface(address)
                _set_address(self.name, _SIOCSIFADDR, interface.ip.packed)
                _set_address(self.name, _SIOCSIFNETMASK, interface.netmask.packed)
            set_up(self.name)
        except OSError as error:
            raise InterfaceError(f"{self.name} could not be brought up: {error}") from None

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            _run_ip("link", "delete", self.name)
        elif self.file_descriptor >= 0:
            os.close(self.file_descriptor)
        self.file_descriptor = -1

    def __enter__(self) -> Interface:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _open_veth(self, tap_error: OSError) -> None:
        self.kind = "veth"
        far_end = f"{self.name[: _NAME_LIMIT - 4]}-mac"
        reason = f"{_TUN_DEVICE}: {tap_error.strerror}"
        if shutil.which("ip") is None:
            raise InterfaceError(f"{reason}; and for a veth pair the program ip is missing")
        made = _run_ip("link", "add", self.name, "type", "veth", "peer", "name", far_end)
        if made is not None:
            raise InterfaceError(
                f"neither TAP nor veth can be made here. {reason}; veth: {made}. Both need the "
                "capability CAP_NET_ADMIN in the network namespace: run as root, or inside a "
                "namespace of your own (unshare -rn)"
            )
        try:
            # Else the kernel leaves checksums, and cutting into segments, to the hardware.
            for command in (_ETHTOOL_STXCSUM, _ETHTOOL_SGSO):
                _ethtool(self.name, command, 0)
            with suppress(OSError):
                Path(f"/proc/sys/net/ipv6/conf/{far_end}/disable_ipv6").write_text("1")
            _set_integer(far_end, _SIOCSIFMTU, MAX_MTU)
            set_up(far_end)
            self._socket = socket.socket(
                socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL)
            )
            self._socket.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
            self._socket.bind((far_end, _ETH_P_ALL))
            self.file_descriptor = self._socket.fileno()
        except OSError as error:
            _run_ip("link", "delete", self.name)
            raise InterfaceError(f"veth {self.name}: {error}") from None


def set_up(name: str) -> None:
    """Brings an interface up."""
    with _control_socket() as control:
        request = struct.pack("16sH14x", name.encode(), 0)
        (flags,) = struct.unpack_from("H", fcntl.ioctl(control, _SIOCGIFFLAGS, request), 16)
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14x", name.encode(), flags | _IFF_UP))


def _open_tap(name: str) -> int:
    descriptor = os.open(_TUN_DEVICE, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(
            descriptor, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI)
        )
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _control_socket() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def _set_integer(name: str, request: int, value: int) -> None:
    with _control_socket() as control:
        fcntl.ioctl(control, request, struct.pack("16si12x", name.encode(), value))


def _set_address(name: str, request: int, address: bytes) -> None:
    with _control_socket() as control:
        packed = struct.pack("16sHH4s8x", name.encode(), socket.AF_INET, 0, address)
        fcntl.ioctl(control, request, packed)


def _ethtool(name: str, command: int, value: int) -> None:
    data = ctypes.create_string_buffer(struct.pack("II", command, value))
    with _control_socket() as control:
        fcntl.ioctl(
            control, _SIOCETHTOOL, struct.pack("16sP16x", name.encode(), ctypes.addressof(data))
        )


def _run_ip(*arguments: str) -> str | None:
    """Runs `ip`; None, or what it complains of."""
    result = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    return None if result.returncode == 0 else result.stderr.strip() or "failed"
