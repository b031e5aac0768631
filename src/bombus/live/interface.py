# SPDX-License-Identifier: Apache-2.0
"""Network interfaces of Linux for a live simulation: TAP, or veth with a packet socket."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any, Self

from pyroute2 import Ethtool, IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from bombus.base.errors import UserError
from bombus.live.netns import inside, open_namespace

MIN_MTU = 68
MAX_MTU = 9000

_TUN_DEVICE = Path("/dev/net/tun")
# linux/if_tun.h, linux/if.h, linux/if_packet.h, linux/if_ether.h
_TUNSETIFF = 0x400454CA
_IFF_TAP = 0x0002
_IFF_NO_PI = 0x1000
_IFF_UP = 0x1
_IFF_LOOPBACK = 0x8
_SOL_PACKET = 263
_PACKET_STATISTICS = 6
_PACKET_IGNORE_OUTGOING = 23
_ETH_P_ALL = 0x0003
_NAME_LIMIT = 15
_NO_SOFTWARE = ("loopback", "hardware")  # never suggest to delete these
_NO_RIGHT = (errno.EPERM, errno.EACCES)


class InterfaceError(UserError):
    """An interface could not be created; says what is missing."""


class Interface:
    """A network interface of this machine whose other end is a file descriptor.

    Each `read` and `write` of `file_descriptor` is one frame, without FCS. TAP where /dev/net/tun
    can be opened; otherwise, or if `tap` is false, a veth pair with a packet socket on its far end.
    An existing TAP is used if no other program uses it. `close` removes the interface, unless it
    existed before. `netns`: its network namespace, by name or path; None: this one. It is opened
    once, so that later calls need neither the path nor the right to open it.
    """

    def __init__(self, name: str, *, tap: bool = True, netns: str | None = None) -> None:
        self.name = checked_name(name)
        self.kind = "TAP"
        self.netns = netns
        self._socket: socket.socket | None = None
        self._dropped = 0
        self._socket_dropped = 0
        self._namespace = None if netns is None else open_namespace(netns)
        try:
            with self._inside():
                self._open(name, tap=tap)
        except BaseException:
            self._leave_namespace()
            raise

    def _inside(self) -> AbstractContextManager[None]:
        return nullcontext() if self._namespace is None else inside(self._namespace)

    def _leave_namespace(self) -> None:
        if self._namespace is not None:
            os.close(self._namespace)
            self._namespace = None

    def _open(self, name: str, *, tap: bool) -> None:
        _check_free(name, tap=tap)
        try:
            if not tap:
                raise OSError(errno.EINVAL, "not wanted")
            self.file_descriptor = _open_tap(name)
        except OSError as error:
            if error.errno == errno.EBUSY:
                raise InterfaceError(f"interface {name} is in use by another program") from None
            self._open_veth(tap_error=error)

    def bring_up(self, address: str | None, mtu: int, bridge: str | None = None) -> None:
        """Sets MTU and address (`10.77.0.1/24`; None: none), joins a bridge, and brings it up."""
        check_mtu(mtu)
        with self._inside():
            self._bring_up(address, mtu, bridge)

    def _bring_up(self, address: str | None, mtu: int, bridge: str | None) -> None:
        _disable_ipv6(self.name)
        with _explained(f"{self.name} could not be brought up"), IPRoute() as route:
            index = _index(route, self.name)
            route.link("set", index=index, mtu=mtu)
            if bridge is not None:
                _check_bridge(bridge)
                route.link("set", index=index, master=_index(route, bridge))
            if address is not None:
                given = IPv4Interface(address)
                route.addr(
                    "replace",
                    index=index,
                    address=str(given.ip),
                    prefixlen=given.network.prefixlen,
                    broadcast=str(given.network.broadcast_address),
                )
            route.link("set", index=index, state="up")

    def dropped(self) -> int:
        """Frames to the design that the kernel dropped because they were not read in time."""
        with (
            suppress(NetlinkError, InterfaceError, OSError),
            self._inside(),
            IPRoute() as route,
        ):
            (link,) = route.link("get", index=_index(route, self.name))
            dropped = link.get_attr("IFLA_STATS64")["tx_dropped"]
            if self._socket is not None:
                counts = self._socket.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8)
                # Reading resets the counters.
                self._socket_dropped += struct.unpack("II", counts)[1]
                dropped += self._socket_dropped
            self._dropped = max(self._dropped, dropped)
        return self._dropped

    def is_up(self) -> bool:
        """Whether it is up; also true if that cannot be determined."""
        with (
            suppress(NetlinkError, InterfaceError, OSError),
            self._inside(),
            IPRoute() as route,
        ):
            (link,) = route.link("get", index=_index(route, self.name))
            return bool(link["flags"] & _IFF_UP)
        return True

    def is_there(self) -> bool:
        """Whether it still exists; also true if that cannot be determined."""
        with suppress(NetlinkError, UserError, OSError), self._inside():
            return _kind_of(self.name) is not None
        return True

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            with suppress(UserError), self._inside():
                _delete(self.name)
        elif self.file_descriptor >= 0:
            os.close(self.file_descriptor)
        self.file_descriptor = -1
        self._leave_namespace()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_veth(self, tap_error: OSError) -> None:
        self.kind = "veth"
        far_end = f"{self.name[: _NAME_LIMIT - 4]}-mac"
        if (there := _kind_of(far_end)) is not None:
            raise InterfaceError(
                f"interface {far_end} already exists ({there}), but is needed as the far end of "
                f"{self.name}: remove it by ip link delete {far_end}"
            )
        try:
            with IPRoute() as route:
                route.link("add", ifname=self.name, kind="veth", peer={"ifname": far_end})
        except (NetlinkError, OSError) as error:
            raise InterfaceError(_no_interface(tap_error, error)) from None
        try:
            with _explained(f"veth {self.name}"):
                self._socket = _far_socket(self.name, far_end)
                self.file_descriptor = self._socket.fileno()
        except InterfaceError:
            _delete(self.name)
            raise


def checked_name(name: str) -> str:
    """The name, if valid for an interface: `%d` would stand for a number."""
    is_long = len(name.encode()) > _NAME_LIMIT
    if not name.isprintable() or is_long or not re.fullmatch(r"(?!\.\.?$)[^\s/:%]+", name):
        raise InterfaceError(
            f"{name!r} is not a valid interface name: 1 to {_NAME_LIMIT} characters, without "
            "spaces, `/`, `:` and `%`"
        )
    return name


def check_interface(name: str, *, tap: bool, netns: str | None, bridge: str | None) -> None:
    """Raises the errors that creating an interface would raise, as far as known in advance."""
    with ExitStack() as stack:
        if netns is not None:
            namespace = open_namespace(netns)
            stack.callback(os.close, namespace)
            stack.enter_context(inside(namespace))
        _check_free(name, tap=tap)
        if bridge is not None:
            _check_bridge(bridge)


def _check_free(name: str, *, tap: bool) -> None:
    there = _kind_of(name)
    if there is not None and (there != "tun" or not tap):
        removal = "" if there in _NO_SOFTWARE else f", or remove it by ip link delete {name}"
        raise InterfaceError(
            f"interface {name} already exists ({there}): choose another name{removal}"
        )


def _check_bridge(name: str) -> None:
    if _kind_of(name) != "bridge":
        raise InterfaceError(f"bridge {name} does not exist")


def check_mtu(mtu: int) -> None:
    """Raises InterfaceError if an interface of a design cannot have this MTU."""
    if not MIN_MTU <= mtu <= MAX_MTU:
        raise InterfaceError(f"MTU {mtu}: should be from {MIN_MTU} to {MAX_MTU}")


def set_up(name: str) -> None:
    """Brings an interface up."""
    with _explained(f"{name} could not be brought up"), IPRoute() as route:
        route.link("set", index=_index(route, name), state="up")


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Turns kernel errors into InterfaceError."""
    try:
        yield
    except (NetlinkError, OSError) as error:
        raise InterfaceError(f"{what}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    code = error.code if isinstance(error, NetlinkError) else getattr(error, "errno", None)
    return os.strerror(code) if code else str(error)


def _no_interface(tap_error: OSError, veth_error: Exception) -> str:
    """Why neither TAP nor veth is available, and what helps."""
    text = (
        f"cannot create a TAP or veth interface. {_TUN_DEVICE}: {tap_error.strerror}; "
        f"veth: {_reason(veth_error)}"
    )
    code = veth_error.code if isinstance(veth_error, NetlinkError) else None
    if code in _NO_RIGHT:
        text += (
            ". Both need the capability CAP_NET_ADMIN in the network namespace: run as root, or "
            "in your own network namespace (unshare -rn)"
        )
    return text


def _open_tap(name: str) -> int:
    descriptor = os.open(_TUN_DEVICE, os.O_RDWR | os.O_CLOEXEC)
    try:
        # netlink cannot do this: it creates a TAP, but returns no descriptor.
        fcntl.ioctl(
            descriptor, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI)
        )
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _far_socket(name: str, far_end: str) -> socket.socket:
    """Sets up the far end of a veth pair; returns the socket for its frames."""
    with Ethtool() as ethtool:
        # Otherwise the kernel leaves checksums and segmentation to the hardware.
        for flag in ("tx-checksumming", "generic-segmentation-offload"):
            ethtool.set_offload_flag(name, flag, 0)
    _disable_ipv6(far_end)
    with IPRoute() as route:
        route.link("set", index=_index(route, far_end), mtu=MAX_MTU, state="up")
    far = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
    try:
        far.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
        far.bind((far_end, _ETH_P_ALL))
    except OSError:
        far.close()
        raise
    return far


def _disable_ipv6(name: str) -> None:
    """The stack only supports IPv4; otherwise the kernel would send it IPv6 frames."""
    with suppress(OSError):
        Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")


def _kind_of(name: str) -> str | None:
    """Type of an interface (`veth`, `tun`, `bridge`, `loopback`, otherwise `hardware`); None if it
    does not exist.
    """
    with IPRoute() as route:
        indices = route.link_lookup(ifname=name)
        if not indices:
            return None
        (link,) = route.link("get", index=indices[0])
        kind = link.get_nested("IFLA_LINKINFO", "IFLA_INFO_KIND")
        return str(kind or ("loopback" if link["flags"] & _IFF_LOOPBACK else "hardware"))


def _index(route: Any, name: str) -> int:
    indices = route.link_lookup(ifname=name)
    if not indices:
        raise InterfaceError(f"interface {name} does not exist")
    return int(indices[0])


def _delete(name: str) -> None:
    with suppress(NetlinkError, InterfaceError, OSError), IPRoute() as route:
        route.link("del", index=_index(route, name))
