# SPDX-License-Identifier: Apache-2.0
"""What is said of requests whose answers cannot come, or come from others."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_waiting_model import APART, ASKS, ENDS, TOGETHER, asker, module, resolved, store

from bombus.analysis import requests

WAITS = "localparam bit InWaitsForAnswer = 1;"
FLOW = "  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;\n"
SILENT = module("store", ["in"], {"out": "sink"})
STRANGER = module("stranger", [], {"out": "asker_answer"})
STRANGE_TILE = "  - {name: stranger, kind: stranger, at: [0, 1]}\n"


def said(folder: Path, tiles: str, *layers: str) -> list[str]:
    return [problem.message for problem in requests.problems(resolved(folder, tiles, *layers))]


@pytest.mark.parametrize("tiles", [TOGETHER, APART])
def test_answers_of_the_layer_that_was_asked(tmp_path: Path, tiles: str) -> None:
    assert said(tmp_path, tiles, ENDS, asker(ASKS), store()) == []


@pytest.mark.parametrize("tiles", [TOGETHER, APART])
def test_a_layer_that_answers_nobody(tmp_path: Path, tiles: str) -> None:
    (problem,) = said(tmp_path, tiles, ENDS, asker(ASKS), SILENT)
    assert "asker waits for answers on input answer, but none of the layers" in problem
    assert "that its output query reaches can send there" in problem


def test_a_layer_that_was_not_asked(tmp_path: Path) -> None:
    (problem,) = said(tmp_path, APART + STRANGE_TILE, ENDS, STRANGER, asker(ASKS), store())
    assert problem.startswith("messages from stranger can reach input answer of asker")
    assert "accepts only answers to its output query" in problem


def test_only_a_layer_that_was_not_asked(tmp_path: Path) -> None:
    tiles = APART + STRANGE_TILE
    problems = said(tmp_path, tiles, ENDS, STRANGER, asker(ASKS), SILENT)
    assert len(problems) == 2
    assert "none of the layers" in problems[0]
    assert "messages from stranger" in problems[1]


def test_messages_that_nobody_sends(tmp_path: Path) -> None:
    """An input that is awaited without being for answers, and one that nobody waits for."""
    (problem,) = said(tmp_path, APART, ENDS, asker(WAITS), SILENT)
    assert problem == "asker waits for messages on input answer, but none can come"
    assert said(tmp_path, APART, ENDS, asker(WAITS), store()) == []
    assert said(tmp_path, APART, ENDS, asker(""), SILENT) == []


@pytest.mark.parametrize(
    ("policy", "scatters"),
    [("round_robin", True), ("least_loaded", True), ("flow_hash", False), ("dst_port", False)],
)
def test_answers_to_replicas(tmp_path: Path, policy: str, scatters: bool) -> None:
    tiles = APART.replace(", at: [1, 0]MORE_ASKER", f", replicas: 2, dispatch: {policy}")
    problems = said(tmp_path, tiles, ENDS, asker(ASKS + FLOW), store())
    text = f"under {policy}, an answer may reach another replica of asker than the one that asked"
    assert any(text in problem for problem in problems) == scatters


def test_a_single_replica_gets_its_answers(tmp_path: Path) -> None:
    tiles = APART.replace(", at: [1, 0]MORE_ASKER", ", replicas: 1, dispatch: round_robin")
    assert said(tmp_path, tiles, ENDS, asker(ASKS + FLOW), store()) == []
