# SPDX-License-Identifier: Apache-2.0
"""Captures are read whole, or refused with the reason. The files are written byte by byte."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest
from scapy.all import Ether, Raw, rdpcap, wrpcap, wrpcapng

from bombus.simulator.build import Library
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

pytestmark = pytest.mark.slow

FRAMES = [bytes([number]) * (60 + number) for number in range(1, 6)]
FCS = b"\xde\xad\xbe\xef"
MICROSECONDS, NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
ORDERS = ("<", ">")


def pcap(
    frames: list[bytes],
    order: str = "<",
    magic: int = MICROSECONDS,
    link: int = 1,
    more: int = 0,
    version: tuple[int, int] = (2, 4),
) -> bytes:
    """Classic pcap; `more` bytes of each frame were not captured. Frames are 7 units apart."""
    text = struct.pack(order + "IHHIIII", magic, *version, 0, 0, 65535, link)
    for number, frame in enumerate(frames):
        lengths = len(frame), len(frame) + more
        text += struct.pack(order + "IIII", 5, 7 * number, *lengths) + frame
    return text


def option(order: str, code: int, value: bytes) -> bytes:
    return struct.pack(order + "HH", code, len(value)) + padded(value)


def padded(value: bytes) -> bytes:
    return value + bytes(-len(value) % 4)


def block(order: str, kind: int, body: bytes) -> bytes:
    length = struct.pack(order + "I", 12 + len(body))
    return struct.pack(order + "I", kind) + length + body + length


def section(order: str = "<", major: int = 1) -> bytes:
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, major, 0, -1))


def interface(order: str = "<", link: int = 1, snap: int = 0, options: bytes = b"") -> bytes:
    return block(order, 1, struct.pack(order + "HHI", link, 0, snap) + options)


def enhanced(
    frame: bytes, order: str = "<", more: int = 0, index: int = 0, ticks: int = 0, flags: int = 0
) -> bytes:
    head = struct.pack(order + "IIIII", index, 0, ticks, len(frame), len(frame) + more)
    options = option(order, 2, struct.pack(order + "I", flags)) if flags else b""
    return block(order, 6, head + padded(frame) + options)


def obsolete(frame: bytes, order: str = "<", more: int = 0, flags: int = 0) -> bytes:
    head = struct.pack(order + "HHIIII", 0, 0xFFFF, 0, 0, len(frame), len(frame) + more)
    options = option(order, 2, struct.pack(order + "I", flags)) if flags else b""
    return block(order, 2, head + padded(frame) + options)


def simple(frame: bytes, order: str = "<", more: int = 0) -> bytes:
    return block(order, 3, struct.pack(order + "I", len(frame) + more) + padded(frame))


def blocks(order: str, *parts: bytes) -> bytes:
    return section(order) + interface(order, snap=65535) + b"".join(parts)


def read(loopback: Library, path: Path, text: bytes) -> list[bytes]:
    path.write_bytes(text)
    with Simulation(loopback) as simulation:
        number = simulation.pcap_in(path)
        received = [frame.data for frame in simulation.receive_all()]
    assert number == len(received)
    return received


def with_fcs(frames: list[bytes]) -> list[bytes]:
    return [frame + FCS for frame in frames]


WHOLE = {
    **{
        f"{name} {order}": text
        for order in ORDERS
        for name, text in {
            "microseconds": pcap(FRAMES, order),
            "nanoseconds": pcap(FRAMES, order, NANOSECONDS),
            "version 2.5": pcap(FRAMES, order, version=(2, 5)),
            "FCS": pcap(with_fcs(FRAMES), order, link=0x24000001),
            "FCS of no bytes": pcap(FRAMES, order, link=0x04000001),
            "length without the bit": pcap(FRAMES, order, link=0x20000001),
            "enhanced": blocks(order, *(enhanced(frame, order) for frame in FRAMES)),
            "obsolete": blocks(order, *(obsolete(frame, order) for frame in FRAMES)),
            "simple": blocks(order, *(simple(frame, order) for frame in FRAMES)),
            "FCS of each packet": blocks(
                order, *(enhanced(frame + FCS, order, flags=4 << 5 | 1) for frame in FRAMES)
            ),
            "FCS of each obsolete packet": blocks(
                order, *(obsolete(frame + FCS, order, flags=4 << 5) for frame in FRAMES)
            ),
            "unknown blocks": blocks(
                order,
                *(
                    block(order, kind, bytes(8)) + enhanced(frame, order)
                    for kind, frame in zip((4, 5, 0xA, 0xBAD, 0x80000001), FRAMES, strict=True)
                ),
            ),
            "interface of another kind without packets": section(order)
            + interface(order)
            + interface(order, link=113)
            + b"".join(enhanced(frame, order) for frame in FRAMES),
        }.items()
    },
    **{
        f"if_fcslen {value} {kind.__name__}": section()
        + interface(options=option("<", 13, bytes([value])))
        + b"".join(kind(frame + FCS) for frame in FRAMES)
        for value in (4, 32)
        for kind in (enhanced, obsolete, simple)
    },
    "sections of both orders": blocks("<", *(enhanced(frame) for frame in FRAMES[:2]))
    + blocks(">", *(enhanced(frame, ">") for frame in FRAMES[2:])),
}

LONG = bytes(range(100))
REFUSED = {
    "pcap cut": (pcap(FRAMES, more=9), "frame 1 was cut when it was captured: 61 of 70 bytes"),
    "enhanced cut": (
        blocks("<", enhanced(LONG), enhanced(LONG, more=1)),
        "frame 2 was cut when it was captured: 100 of 101 bytes",
    ),
    "obsolete cut": (blocks("<", obsolete(LONG, more=1)), "frame 1 was cut .*100 of 101"),
    "simple cut": (
        section() + interface(snap=100) + simple(LONG, more=1),
        "frame 1 was cut .*100 of 101",
    ),
    "lengths contradict": (pcap([LONG], more=-1), "frame 1 is damaged: 100 bytes, of 99"),
    "no bytes": (pcap([LONG, b""]), "frame 2 is empty"),
    "only an FCS": (pcap([FCS], link=0x24000001), "frame 1 is empty"),
    "FCS of six bytes": (pcap([LONG], link=0x34000001), "frame 1 has an FCS of 6 bytes"),
    "FCS of two bytes": (
        blocks("<", enhanced(LONG, flags=2 << 5)),
        "frame 1 has an FCS of 2 bytes",
    ),
    "too long": (pcap([bytes(262145)]), "frame 1 has 262145 bytes; 262144 is the most"),
    "link type": (pcap(FRAMES, link=113), "link type 113 .Linux cooked.* is not Ethernet"),
    "unnamed link type": (pcap(FRAMES, link=147), "link type 147 is not Ethernet"),
    "link type of a packet": (
        section() + interface(link=101) + enhanced(LONG),
        "link type 101 .raw IP. is not Ethernet",
    ),
    "no interface": (section() + enhanced(LONG), "frame 1 is of interface 0, which is not"),
    "no interface of a simple packet": (section() + simple(LONG), "frame 1 is of interface 0"),
    "interface of the section before": (
        section() + interface() + section() + enhanced(LONG),
        "frame 1 is of interface 0",
    ),
    "pcap ends in a header": (pcap(FRAMES) + bytes(7), "the file ends .* after 5 frames"),
    "pcap ends after a header": (pcap(FRAMES)[:-65], "the file ends .* after 4 frames"),
    "pcap ends in its head": (pcap([])[:20], "the file ends .* after 0 frames"),
    "pcapng ends in a block": (blocks("<", enhanced(LONG))[:-6], "the file ends within"),
    "pcapng ends after a type": (blocks("<", enhanced(LONG)) + b"\6\0\0\0", "the file ends"),
    "byte order": (block("<", 0x0A0D0D0A, bytes(16)), "unknown byte order"),
    "pcapng version": (section(major=2), "version 2 of pcapng; 1 is read"),
    "pcap version": (pcap(FRAMES, version=(2, 3)), "version 2.3 of pcap; 2.4 is read"),
    "lengths of a block": (
        blocks("<", block("<", 4, bytes(8))[:-4] + bytes(4)),
        "damaged block",
    ),
    "packet longer than its block": (
        blocks("<", block("<", 6, struct.pack("<IIIII", 0, 0, 0, 90, 90) + bytes(8))),
        "damaged block",
    ),
    "gzip": (gzip.compress(pcap(FRAMES)), "compressed with gzip"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(9), "compressed with zstd"),
    "snoop": (b"snoop\0\0\0" + bytes(8), "a file of snoop"),
    "modified pcap": (pcap(FRAMES, magic=0xA1B2CD34), "modified pcap format"),
    "empty": (b"", "empty"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_read_whole(name: str, loopback: Library, tmp_path: Path) -> None:
    assert read(loopback, tmp_path / "in", WHOLE[name]) == FRAMES


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_reason(name: str, loopback: Library, tmp_path: Path) -> None:
    text, reason = REFUSED[name]
    (tmp_path / "in").write_bytes(text)
    with Simulation(loopback) as simulation:
        with pytest.raises(SimulationError, match=f"{tmp_path / 'in'}: .*{reason}"):
            simulation.pcap_in(tmp_path / "in")
        assert not simulation.receive_all()  # not one frame of it


@pytest.mark.parametrize("write", [wrpcap, wrpcapng])
def test_frames_that_scapy_cuts(write: object, loopback: Library, tmp_path: Path) -> None:
    packets = [Ether() / Raw(bytes(100)), Ether() / Raw(bytes(100))]
    packets[1].wirelen = 1514
    assert callable(write)
    write(str(tmp_path / "in"), packets)
    assert rdpcap(str(tmp_path / "in"))[1].wirelen == 1514
    refusal = pytest.raises(SimulationError, match=r"frame 2 was cut .*114 of 1514 bytes")
    with Simulation(loopback) as simulation, refusal:
        simulation.pcap_in(tmp_path / "in")


def test_scapy_reads_the_files_alike(tmp_path: Path) -> None:
    """The test's own writers are right: what scapy reads is what they were given."""
    for name, text in WHOLE.items():
        if any(part in name for part in ("FCS", "fcs", "another", "sections", "version", "bit")):
            continue  # scapy keeps an FCS, and knows one interface or section less
        (tmp_path / "in").write_bytes(text)
        assert [bytes(packet) for packet in rdpcap(str(tmp_path / "in"))] == FRAMES, name


@pytest.mark.parametrize("order", ORDERS)
def test_units_of_time(order: str, loopback: Library, tmp_path: Path) -> None:
    """Gaps of 7 us or 7 ms, in each form; also with time offsets of two interfaces."""
    resolution = option(order, 9, b"\3")
    files = {
        7_000: pcap(FRAMES, order),
        7: pcap(FRAMES, order, NANOSECONDS),
        7_000_000: section(order)
        + interface(order, options=resolution)
        + b"".join(enhanced(f, order, ticks=7 * n) for n, f in enumerate(FRAMES)),
        1_000_000_000: section(order)
        + interface(order)
        + interface(order, options=option(order, 14, struct.pack(order + "q", 1)))
        + enhanced(FRAMES[0], order)
        + enhanced(FRAMES[1], order, index=1),
    }
    for gap, text in files.items():
        (tmp_path / "in").write_bytes(text)
        with Simulation(loopback) as simulation:
            count = simulation.pcap_in(tmp_path / "in", keep_time=True)
            times = [f.time_ns for f in simulation.receive_all(timeout_cycles=1_000_000_000)]
        assert len(times) == count
        assert abs((times[-1] - times[0]) - gap * (count - 1)) < 2000
