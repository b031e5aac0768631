# SPDX-License-Identifier: Apache-2.0
"""`bombus check` on parameters of layers that work together."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bombus.analysis import check
from tests import ROOT
from tests.support.helpers import DESIGNS, Problems

IDS = ROOT / "docs" / "examples" / "middlebox" / "ids.yaml"
BYPASS = DESIGNS / "tcp_echo_bypass.yaml"
ECHO = DESIGNS / "tcp_echo.yaml"
KERNEL = ROOT / "docs" / "examples" / "tcp_kernel" / "tcp_kernel.yaml"


@pytest.mark.parametrize(
    ("design", "old", "new", "messages"),
    [
        (
            ECHO,
            "kind: tcp,",
            "kind: tcp, num_sessions: 64,",
            [
                f"{layer} has num_sessions 16; it should be at least 64, the num_sessions of tcp"
                for layer in ("receive_buffer", "echo", "send_buffer")
            ],
        ),
        (
            ECHO,
            "kind: tcp_send_buffer,",
            "kind: tcp_send_buffer, ring_bytes: 1024,",
            ["send_buffer has ring_bytes 1024; it should be at least 65536, the send_bytes of tcp"],
        ),
        (
            BYPASS,
            "kind: tcp_echo_bypass,",
            "kind: tcp_echo_bypass, window_bytes: 131072,",
            [
                "echo has window_bytes 131072; it should be 65536, the receive_bytes of tcp.tcp",
                "echo has window_bytes 131072; it should be at most 65536, "
                "the send_bytes of tcp.tcp",
            ],
        ),
        (
            KERNEL,
            "kind: tcp,",
            "kind: tcp, send_bytes: 1024,",
            [
                f"{tile}.tcp_stream has chunk_bytes 2048; it should be at most 1024, "
                "the send_bytes of tcp"
                for tile in ("echo", "count", "client")
            ],
        ),
        (
            IDS,
            "num_slots: 32, slot_bytes: 2048}\n      - rule",
            "num_slots: 64, slot_bytes: 2048}\n      - rule",
            [
                "rpu.rule_matcher has num_slots 32; it should be at least 64, "
                "the num_slots of rpu.rpu"
            ],
        ),
        (
            ECHO,
            "kind: tcp,",
            "kind: tcp, bypass: true,",
            [
                "receive_buffer: set bypass of tcp to false (now true), or replace the layer "
                "tcp_receive_buffer",
                "echo: set bypass of tcp to false (now true), or replace the layer tcp_echo",
            ],
        ),
        (
            ECHO,
            "kind: tcp_echo, tcp_port: 7, at: [2, 1], networks: {read: control, request: control}",
            "kind: tcp_echo_bypass, tcp_port: 7, at: [2, 1], networks: {request: control}",
            ["echo: set bypass of tcp to true (now false), or replace the layer tcp_echo_bypass"],
        ),
        (
            BYPASS,
            "bypass: true",
            "bypass: false",
            [
                "tcp.tcp_bypass: set bypass of tcp.tcp to true (now false), or replace the layer "
                "tcp_bypass",
                "echo: set bypass of tcp.tcp to true (now false), or replace the layer "
                "tcp_echo_bypass",
            ],
        ),
        (
            BYPASS,
            "kind: tcp_echo_bypass, tcp_port: 7, at: [2, 0], networks: {request: control}",
            "kind: tcp_echo, tcp_port: 7, at: [2, 0], networks: {request: control, read: control}, "
            "next: {tcp_receive_buffer_read: drop}",
            ["echo: set bypass of tcp.tcp to false (now true), or replace the layer tcp_echo"],
        ),
    ],
    ids=[
        *("sessions", "bytes", "window", "chunk", "slots", "no bypass", "echo"),
        *("bypass", "echo with buffer"),
    ],
)
def test_values_that_do_not_fit(
    problems: Problems, tmp_path: Path, design: Path, old: str, new: str, messages: list[str]
) -> None:
    text = design.read_text()
    assert text.count(old) == 1
    file = tmp_path / design.name
    file.write_text(text.replace(old, new))
    for source in design.parent.glob("*_kernel.sv"):  # of the design
        shutil.copy(source, tmp_path)
    found = problems(check.check, file)
    assert [said.partition(": ")[2] for said in found] == messages


def test_values_that_fit(tmp_path: Path) -> None:
    """More room than is needed does no harm."""
    text = ECHO.read_text()
    for kind in ("tcp_receive_buffer", "tcp_send_buffer"):
        text = text.replace(
            f"kind: {kind},", f"kind: {kind}, num_sessions: 32, ring_bytes: 131072,"
        )
    file = tmp_path / ECHO.name
    file.write_text(text.replace("kind: tcp,", "kind: tcp, num_sessions: 16,"))
    check.check(file)
