# SPDX-License-Identifier: Apache-2.0
"""What is said of requests whose answers cannot come, or come from others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bombus.analysis.checks import requests
from bombus.analysis.deadlock import cycles
from bombus.design.facts import Facts
from tests.platform.analysis.test_waiting_model import (
    APART,
    ASKS,
    DROPS,
    ENDS,
    HEAD,
    SINK,
    SOURCE,
    TOGETHER,
    asker,
    module,
    resolved,
    store,
)

WAITS = "localparam bit InWaitsForAnswer = 1;"
FLOW = "  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;\n"
SERVES = 'localparam string Serves = "in";'
ALWAYS = "localparam bit AlwaysTakes = 1;"
SILENT = module("store", ["in"], {"out": "sink"})
STRANGER = module("stranger", [], {"out": "asker_answer"})
STRANGE_TILE = "  - {name: stranger, kind: stranger, at: [0, 1]}\n"


def said(folder: Path, tiles: str, *layers: str) -> list[str]:
    return [
        problem.message for problem in requests.problems(Facts(resolved(folder, tiles, *layers)))
    ]


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
    """An input that is awaited but not for answers, and one that is not awaited."""
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
    problems = said(tmp_path, tiles, ENDS, asker(ASKS + FLOW), store(SERVES))
    text = f"under {policy}, an answer may reach another replica of asker than the one that asked"
    assert len(problems) == (2 if scatters else 0)  # for each replica
    assert all(text in problem for problem in problems)


def test_replicas_that_have_their_server_in_the_tile(tmp_path: Path) -> None:
    tiles = TOGETHER.replace(", at: [1, 0]", ", replicas: 2, dispatch: least_loaded")
    assert said(tmp_path, tiles, ENDS, asker(ASKS + FLOW), store()) == []


def test_a_single_replica_gets_its_answers(tmp_path: Path) -> None:
    tiles = APART.replace(", at: [1, 0]MORE_ASKER", ", replicas: 1, dispatch: round_robin")
    assert said(tmp_path, tiles, ENDS, asker(ASKS + FLOW), store()) == []


# ---- Several clients of one server ----

OTHER = SOURCE.replace(
    "name: source, kind: source, at: [0, 0]", "name: first, kind: first, at: [0, 1]"
)
TWO = APART + OTHER + "  - {name: other, kind: other, at: [1, 1]}\n"
OTHER_ASKER = asker(ASKS).replace("module asker", "module other").replace('"asker"', '"other"')
OTHERS = ENDS + module("first", [], {"out": "other"}) + OTHER_ASKER
TO_BOTH = {"out": "asker_answer", "second": "other_answer"}
BOTH = SERVES + ' localparam string SecondServes = "in";'


def test_a_server_that_answers_whoever_has_asked(tmp_path: Path) -> None:
    server = module("store", ["in"], TO_BOTH, BOTH)
    assert said(tmp_path, TWO, OTHERS, asker(ASKS), server) == []
    # The other's requests come through a layer between.
    between = module("mid", ["in"], {"out": "store"})
    tiles = TWO.replace("kind: other,", "layers: [other, mid],")
    others = OTHERS.replace("QueryNextStore", "QueryNextMid")
    assert said(tmp_path, tiles, others, asker(ASKS), server, between) == []


def test_a_server_of_several_that_does_not_say_whom_it_answers(tmp_path: Path) -> None:
    problems = said(tmp_path, TWO, OTHERS, asker(ASKS), module("store", ["in"], TO_BOTH))
    assert len(problems) == 4
    assert "store, which asker asks, may send to other what should be an answer" in problems[0]
    assert "messages from other can reach input answer of asker" in problems[1]
    assert "messages from asker can reach input answer of other" in problems[3]


def test_a_server_that_answers_only_one_of_those_who_ask(tmp_path: Path) -> None:
    (problem,) = said(tmp_path, TWO, OTHERS, asker(ASKS), store(SERVES))
    assert problem.startswith("other waits for answers on input answer, but none of the layers")


def test_what_comes_to_a_server_from_who_does_not_wait(tmp_path: Path) -> None:
    """`Serves` vouches for requests only: others would get answers as well, or one too many."""
    stranger = module("stranger", [], {"out": "store"})
    tiles = APART + STRANGE_TILE
    (problem,) = said(tmp_path, tiles, ENDS, asker(ASKS), store(SERVES), stranger)
    assert problem.startswith("messages from stranger can reach input answer of asker")
    between = module("mid", ["in"], {"out": "store"})
    stranger = module("stranger", [], {"out": "mid"})
    tiles = APART + STRANGE_TILE.replace("kind: stranger", "layers: [stranger, mid]")
    (problem,) = said(tmp_path, tiles, ENDS, asker(ASKS), store(SERVES), stranger, between)
    assert problem.startswith("messages from stranger.mid can reach input answer of asker")


def test_a_server_that_asks_another_one(tmp_path: Path) -> None:
    """`asker` asks `other`, which asks `store` before it answers."""
    middle = OTHER_ASKER.replace("NextSink", "NextAskerAnswer")
    ends = module("source", [], {"out": "asker"}) + module("sink", ["in"], {})
    asks = asker(ASKS).replace("QueryNextStore", "QueryNextOther")
    server = module("store", ["in"], {"out": "other_answer"})
    tiles = SOURCE + SINK + "  - {name: asker, layers: [asker, other, store], at: [1, 0]}\n"
    assert said(tmp_path, tiles, ends, asks, middle, server) == []


# ---- Two outputs of a layer that ask one server ----

TWICE = (
    ASKS
    + """
  localparam int unsigned MoreCredits = 1;
  localparam string ReplyAnswers = "more";
"""
)


def twice(*, to: str = "store") -> str:
    """Asks by `query` and by `more`; the answers come to `answer` and to `reply`."""
    streams = {"out": "sink", "query": "store", "more": to}
    return module("asker", ["in", "answer", "reply"], streams, TWICE)


@pytest.mark.parametrize("tiles", [TOGETHER, APART])
def test_two_outputs_to_one_input_of_a_server(tmp_path: Path, tiles: str) -> None:
    """`Serves` says which layer an answer goes to, not to which of its inputs."""
    server = module(
        "store",
        ["in"],
        {"out": "asker_answer", "second": "asker_reply"},
        BOTH,
    )
    problems = said(tmp_path, tiles, ENDS, twice(), server)
    for stream in ("answer", "reply"):
        assert any(f"can reach input {stream} of" in problem for problem in problems), problems


def test_two_outputs_to_an_input_each_of_a_server(tmp_path: Path) -> None:
    serves = SERVES + ' localparam string SecondServes = "other";'
    server = module(
        "store", ["in", "other"], {"out": "asker_answer", "second": "asker_reply"}, serves
    )
    assert said(tmp_path, TOGETHER, ENDS, twice(to="store_other"), server) == []
    crossed = module(
        "store", ["in", "other"], {"out": "asker_reply", "second": "asker_answer"}, serves
    )
    assert said(tmp_path, TOGETHER, ENDS, twice(to="store_other"), crossed) != []


def test_an_output_without_credits_to_the_server_of_another(tmp_path: Path) -> None:
    """The server would answer without a request."""
    asks = asker(ASKS).replace("NextSink", "NextStore", 1)
    ends = ENDS.replace("module sink", "module unused")
    (problem,) = said(tmp_path, TOGETHER.replace(SINK, ""), ends, asks, store(SERVES))
    assert "can reach input answer of asker.asker" in problem


# ---- Requests and answers that get lost ----


def lost(folder: Path, tiles: str, *layers: str) -> str:
    (problem,) = said(folder, tiles, *layers)
    assert "asker would wait for the answer on input answer forever" in problem
    return problem


@pytest.mark.slow
@pytest.mark.parametrize("tiles", [TOGETHER, APART])
def test_a_server_that_drops(tmp_path: Path, tiles: str) -> None:
    asks = asker(ASKS.replace("Credits = 1", "Credits = 4"))
    problem = lost(tmp_path, tiles, ENDS, asks, store(ALWAYS))
    assert re.match(
        r"(asker.)?store may drop a request of (asker.)?asker or the answer to it: ", problem
    )
    assert "declare `Room` for 4 requests, or, if it answers every request, `Serves`" in problem
    lost(tmp_path, tiles, ENDS, asks, store(ALWAYS + "localparam int Room = 3;"))
    assert said(tmp_path, tiles, ENDS, asks, store(ALWAYS + "localparam int Room = 4;")) == []
    assert said(tmp_path, tiles, ENDS, asks, store(ALWAYS + SERVES)) == []
    # One that waits may drop for other reasons.
    drops = "typedef enum logic {DropOdd} drop_e;"
    waits = store(drops).replace("logic rst_i", "logic rst_i, output logic drop_o")
    lost(tmp_path, tiles, ENDS, asks, waits)


@pytest.mark.parametrize("declares", ["", SERVES])
def test_a_layer_on_the_way_that_drops(tmp_path: Path, declares: str) -> None:
    tiles = SOURCE + SINK + "  - {name: asker, layers: [asker, mid, store], at: [1, 0]}\n"
    asks = asker(ASKS).replace("QueryNextStore", "QueryNextMid")
    problem = lost(
        tmp_path,
        tiles,
        ENDS,
        asks,
        module("mid", ["in"], {"out": "store"}, ALWAYS),
        store(declares),
    )
    assert problem.startswith("asker.mid may drop a request of asker.asker or the answer")
    back = module("mid", ["in"], {"out": "asker_answer"}, ALWAYS)
    server = module("store", ["in"], {"out": "mid"}, declares)
    problem = lost(tmp_path, tiles, ENDS, asker(ASKS), back, server)
    assert problem.startswith("asker.mid may drop a request of asker.asker or the answer")


def test_an_answer_that_may_go_elsewhere(tmp_path: Path) -> None:
    elsewhere = module("store", ["in"], {"out": "asker_answer", "more": "sink"})
    problem = lost(tmp_path, TOGETHER, ENDS, asker(ASKS), elsewhere)
    assert problem.startswith("asker.store, which asker.asker asks, may send to sink what should")
    declared = module("store", ["in"], {"out": "asker_answer", "more": "sink"}, SERVES)
    assert said(tmp_path, TOGETHER, ENDS, asker(ASKS), declared) == []


def test_a_request_that_may_go_elsewhere(tmp_path: Path) -> None:
    hops = "{QueryNextStore, QueryNextSink} query_next_e"
    asks = asker(ASKS).replace("{QueryNextStore} query_next_e", hops)
    asks = asks.replace("query_ready_i", "query_ready_i, output logic query_next_o", 1)
    problem = lost(tmp_path, TOGETHER, ENDS, asks, store())
    assert problem.startswith("next hop 'sink' of asker.asker.query leads to sink, which does not")


def test_one_that_drops_meanwhile_loses_its_credits(tmp_path: Path) -> None:
    """It never deadlocks, but it may end up dropping everything: a warning."""
    design = resolved(tmp_path, TOGETHER, ENDS, asker(DROPS), store(ALWAYS))
    (problem,) = requests.problems(Facts(design))
    assert not problem.is_error


PEERS = "".join(
    module(
        me,
        ["in", "serve", "answer"],
        {"out": "sink", "query": f"{other}_serve", "reply": f"{other}_answer"},
        """
        localparam bit InWaitsForReply = 0;
        localparam bit InWaitsForAnswer = 1;
        localparam bit ServeWaitsForOut = 0;
        localparam bit ServeWaitsForQuery = 0;
        localparam bit ServeWaitsForAnswer = WAITS;
        localparam int unsigned QueryCredits = 1;
        localparam string AnswerAnswers = "query";
        localparam string ReplyServes = "serve";
        """,
    )
    for me, other in (("ann", "bob"), ("bob", "ann"))
)


@pytest.mark.parametrize("waits", [0, 1])
@pytest.mark.parametrize("networks", [("d", "d"), ("q", "q"), ("q", "r")])
def test_two_layers_that_ask_each_other(
    tmp_path: Path, networks: tuple[str, str], waits: int
) -> None:
    """Requests, answers and the rest need a network each, and a request must not wait for an
    answer to its server.
    """
    asking, answering = networks
    given = ", ".join(f"{name}: {{data_width: 64}}" for name in dict.fromkeys(("d", *networks)))
    uses = f"{{query: {asking}, serve: {asking}, reply: {answering}, answer: {answering}}}"
    tiles = "".join(
        f"  - {{name: {each}_source, kind: {each}_source, at: [{x}, 0]}}\n"
        f"  - {{name: {each}, kind: {each}, networks: {uses}, at: [{x}, 1]}}\n"
        for x, each in enumerate(("ann", "bob"))
    )
    layers = PEERS.replace("WAITS", str(waits)) + module("sink", ["in"], {})
    layers += "".join(module(f"{each}_source", [], {"out": each}) for each in ("ann", "bob"))
    head = HEAD.replace("data_width: 64\n", f"networks: {{{given}}}\n")
    head = head.replace("fabric: {columns: 3, rows: 2}\n", "")
    design = resolved(tmp_path, tiles + SINK, layers, head=head)
    assert list(requests.problems(Facts(design))) == []
    assert bool(cycles(Facts(design))) == (waits == 1 or networks != ("q", "r"))
