# SPDX-License-Identifier: Apache-2.0
"""The model of the engines: ChaCha against the test vectors of RFC 8439, frames by hand."""

from __future__ import annotations

from bombus.applications.engines import chacha
from bombus.applications.engines.model import Engines, NextHop, Packet, Rule, hashed, with_checksum
from bombus.protocols.frames import Host, Station, padded, udp_frame

STATION = Station.of("02:00:00:00:00:99", "10.77.0.1")
HOST = Host(bytes(6), bytes((10, 77, 0, 2)), bytes(4))
MACS = [bytes((2, 0, 0, 0, 0, n)) for n in range(2)]
KINDS = {1: "engine_checksum", 2: "engine_encrypt", 4: "engine_count", 5: "engine_forward"}


def test_block_function() -> None:
    """RFC 8439, 2.3.2."""
    stream = chacha.key_stream(
        bytes(range(32)), bytes.fromhex("000000090000004a00000000"), chacha.BLOCK_BYTES
    )
    assert stream.hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


def test_encryption() -> None:
    """RFC 8439, 2.4.2: two blocks, the second one not whole."""
    text = (
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the "
        b"future, sunscreen would be it."
    )
    nonce = bytes.fromhex("000000000000004a00000000")
    made = chacha.encrypt(bytes(range(32)), nonce, text)
    assert made.hex().startswith("6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b")
    assert made.hex().endswith("5af90bbf74a35be6b40b8eedf2785e42874d")
    assert chacha.encrypt(bytes(range(32)), nonce, made) == text


def test_eight_rounds() -> None:
    """ChaCha8 with a key of zeros: draft-strombergson-chacha-test-vectors, TC1 (block 0)."""
    stream = chacha.key_stream(bytes(32), bytes(12), 16, first=0, rounds=8)
    assert stream.hex() == "3e00ef2f895f40d67f5bb8e81f09a5a1"


def test_checksum_is_that_of_the_frames() -> None:
    right = udp_frame(STATION, HOST, b"bees" * 9)
    wrong = udp_frame(STATION, HOST, b"bees" * 9, udp_checksum=0)
    assert with_checksum(Packet(right, 0)).frame == right
    assert with_checksum(Packet(wrong, 0)).frame == right


def test_hash_check_value() -> None:
    """CRC-32 of the digits from 1 to 9."""
    assert hashed(Packet(bytes(14) + b"123456789", 0)).hash == 0xCBF43926


def test_order_of_engines_counts() -> None:
    """Encrypted, then summed: the checksum is right; the other way round it is not."""
    frame = udp_frame(STATION, HOST, bytes(50))
    model = Engines(KINDS, MACS)
    model.rules = {0: Rule((2, 1)), 1: Rule((1,))}
    leaves = model.process(frame)
    assert leaves and with_checksum(Packet(leaves[1], 0)).frame == leaves[1]
    model.rules[0] = Rule((1, 2))
    leaves = model.process(frame)
    assert leaves and with_checksum(Packet(leaves[1], 0)).frame != leaves[1]


def test_ports_are_read_only_where_they_are() -> None:
    frame = udp_frame(STATION, HOST, b"")
    assert Packet(frame, 0).protocol == 17
    for cut in (1, 8):  # a UDP header in part, and none
        assert Packet(frame[:-cut], 0).protocol is None
    tcp = frame[:23] + bytes([6]) + frame[24:34] + bytes(20)
    assert Packet(tcp, 0).protocol == 6
    assert Packet(tcp[:-1], 0).protocol is None
    for at, value in ((23, 1), (14, 0x46), (20, 0x20), (21, 1), (12, 0x86)):
        changed = frame[:at] + bytes([value]) + frame[at + 1 :]
        assert Packet(changed, 0).protocol is None, at


def test_what_is_dropped() -> None:
    frame = padded(udp_frame(STATION, HOST, b"bee", port=9))
    model = Engines(KINDS, MACS)
    assert model.process(frame) is None
    model.rules = {3: Rule((4, 5), flow=3, port=9, to_mac_port=1), 4: Rule((4, 7))}
    assert model.process(frame) is None
    model.next_hops[5, 3] = NextHop(bytes(6), mac_port=1)
    assert model.process(frame) == (1, bytes(6) + MACS[1] + frame[12:])
    model.next_hops[5, 3] = NextHop(bytes(6), refuse=True)
    assert model.process(frame) is None
    assert model.process(udp_frame(STATION, HOST, b"bee", port=10)) is None
    assert model.process(frame[:16]) is None
    assert model.drops == {"no_rule": 1, "refused": 2, "no_next": 1, "too_short": 1}
    assert model.flows[4, 3].packets == 3
