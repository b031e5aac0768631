# SPDX-License-Identifier: Apache-2.0
"""What waits for what: small designs of own layers, and whether they can deadlock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bombus.analysis.checks import reachability, requests
from bombus.analysis.deadlock import cycles
from bombus.analysis.placement import placer
from bombus.base.errors import DesignError
from bombus.base.text import camel_case
from bombus.design import resolve
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from bombus.generation import generate
from bombus.generation.instances import checked_streams
from tests.support.helpers import DESIGNS

# The design files here have 3 x 2 tiles; `asker` at (1, 0) gets questions from the west.
HEAD = """name: waiting
data_width: 64
line_rate_gbps: 10
fabric: {columns: 3, rows: 2}
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
"""
SOURCE, SINK = (
    "  - {name: source, kind: source, at: [0, 0]}\n",
    "  - {name: sink, kind: sink, at: [2, 1]}\n",
)
TOGETHER = SOURCE + SINK + "  - {name: asker, layers: [asker, store], at: [1, 0]}\n"
APART = (
    SOURCE
    + SINK
    + "  - {name: asker, kind: asker, at: [1, 0]MORE_ASKER}\n"
    + "  - {name: store, kind: store, at: [2, 0]MORE_STORE}\n"
)


def module(
    name: str,
    inputs: Sequence[str],
    outputs: Mapping[str, str],
    declarations: str = "",
    parameters: str = "",
) -> str:
    """A layer without a body. `outputs`: the next hop of each."""
    ports = ["input logic clk_i", "input logic rst_i"]
    if any(promise in declarations for promise in ("Room", "Serves", "Forwards", "OneForEach")):
        ports.append("output logic busy_o")
    for stream in inputs:
        ports += [f"input beat_t {stream}_i", f"input logic {stream}_valid_i"]
        ports += [f"output logic {stream}_ready_o"]
    body = [f'localparam string Entry = "{name if "in" in inputs else ""}";']
    for stream, hop in outputs.items():
        ports += [f"output beat_t {stream}_o", f"output logic {stream}_valid_o"]
        ports += [f"input logic {stream}_ready_i"]
        prefix, enum = ("", "") if stream == "out" else (camel_case(stream), f"{stream}_")
        body.append(f"typedef enum logic {{{prefix}Next{camel_case(hop)}}} {enum}next_e;")
    return (
        f"module {name} #(parameter type beat_t = logic{parameters}) (\n  "
        + ",\n  ".join(ports)
        + ");\n  "
        + "\n  ".join([*body, declarations])
        + "\nendmodule\n"
    )


ASKS = """
  localparam bit InWaitsForAnswer = 1;
  localparam int unsigned QueryCredits = 1;
  localparam string AnswerAnswers = "query";
"""
# Drops messages without credits.
DROPS = ASKS.replace("InWaitsForAnswer = 1", "InWaitsForAnswer = 0")


def asker(declarations: str, parameters: str = "") -> str:
    streams = {"out": "sink", "query": "store"}
    return module("asker", ["in", "answer"], streams, declarations, parameters)


def store(declarations: str = "", parameters: str = "") -> str:
    return module("store", ["in"], {"out": "asker_answer"}, declarations, parameters)


ENDS = module("source", [], {"out": "asker"}) + module("sink", ["in"], {})


def resolved(folder: Path, tiles: str, *layers: str, head: str = HEAD) -> Design:
    (folder / "layers.sv").write_text("".join(layers))
    file = folder / "design.yaml"
    tiles = tiles.replace("MORE_ASKER", "").replace("MORE_STORE", "")
    file.write_text(head + "sources: [layers.sv]\ntiles:\n" + tiles)
    design, problems = resolve.load(file)
    assert not [problem for problem in problems if problem.is_error]
    return design


def deadlocks(folder: Path, tiles: str, *layers: str) -> list[str]:
    """The tiles of each cycle, by name."""
    found = cycles(Facts(resolved(folder, tiles, *layers)))
    return [" ".join(sorted(tile.name for tile in cycle.tiles)) for cycle in found]


# ---- Replicas ----


def test_only_what_was_dispatched_counts_for_the_load_of_a_replica(tmp_path: Path) -> None:
    """An answer that `next` leads to one replica swallows one of what it sends."""
    tiles = APART.replace(", at: [1, 0]MORE_ASKER", ", replicas: 2, dispatch: least_loaded")
    tiles = tiles.replace(", at: [2, 0]MORE_STORE", ", next: {asker_answer: asker_1.asker.answer}")
    texts = generate.texts(Facts(resolved(tmp_path, tiles, ENDS, asker(ASKS), store())))
    for name, entered, others in (
        ("asker_0", "in_message", "1'b0"),
        ("asker_1", "in_message && !sink_valid[1]", "{in_message && sink_valid[1]}"),
    ):
        text = texts[f"tiles/waiting_tile_{name}.sv"]
        assert f".NumOthers({int('{' in others)})" in text
        assert f".entered_i({entered}),\n      .others_i({others})," in text


# ---- A request and its answer ----


def test_in_one_tile(tmp_path: Path) -> None:
    assert deadlocks(tmp_path, TOGETHER, ENDS, asker(ASKS), store()) == []


def test_in_two_tiles_the_answer_waits_behind_questions(tmp_path: Path) -> None:
    (cycle,) = cycles(Facts(resolved(tmp_path, APART, ENDS, asker(ASKS), store())))
    assert {"asker", "store"} <= {tile.name for tile in cycle.tiles}
    # The part that closes the cycle is reported too.
    assert "layer asker: waits for a message on asker.answer, which needs store\n" in str(cycle)


def test_a_store_that_always_takes_is_no_cure(tmp_path: Path) -> None:
    for promise in ("AlwaysTakes", "Room"):
        always = store(f"localparam int unsigned {promise} = 1;")
        assert deadlocks(tmp_path, APART, ENDS, asker(ASKS), always) != []


def test_an_asker_that_always_takes_is(tmp_path: Path) -> None:
    always = asker(DROPS + "localparam bit AlwaysTakes = 1;")
    assert deadlocks(tmp_path, APART, ENDS, always, store()) == []


@pytest.mark.parametrize(("credits", "room"), [(1, 0), (1, 1), (3, 2), (3, 3), (3, 4)])
def test_room_for_all_requests(tmp_path: Path, credits: int, room: int) -> None:
    """Without it the request waits for the answer before, which waits behind questions."""
    asks = asker(DROPS.replace("Credits = 1", f"Credits = {credits}"))
    keeps = store(f"localparam int unsigned Room = {room};")
    found = deadlocks(tmp_path, APART, ENDS, asks, keeps)
    assert bool(found) == (room < credits)


@pytest.mark.parametrize("room", [3, 4])
def test_room_for_the_requests_of_all_senders(tmp_path: Path, room: int) -> None:
    replicas = ", replicas: 2, dispatch: flow_hash"
    tiles = APART.replace(", at: [1, 0]MORE_ASKER", replicas)
    flow = "  localparam noc_pkg::flow_e Flow = noc_pkg::FlowMeta;\n"
    asks = asker(DROPS.replace("Credits = 1", "Credits = 2") + flow)
    keeps = store(f'localparam int unsigned Room = {room}; localparam string Serves = "in";')
    design = resolved(tmp_path, tiles, ENDS, asks, keeps)
    assert bool(cycles(Facts(design))) == (room < 4)
    assert list(requests.problems(Facts(design))) == []


def test_room_needs_senders_with_credits(tmp_path: Path) -> None:
    free = "localparam bit InWaitsForAnswer = 0;"
    keeps = store("localparam int unsigned Room = 1000;")
    assert deadlocks(tmp_path, APART, ENDS, asker(free), keeps) != []


@pytest.mark.parametrize("streams", [1, 2])
def test_room_that_is_not_free_when_the_answer_has_gone(tmp_path: Path, streams: int) -> None:
    """The store may still send a copy, which needs the port where the next request waits."""
    tiles = (
        SOURCE
        + "  - {name: asker, layers: [asker, sink], at: [1, 0]}\n"
        + "  - {name: store, layers: [store, log_end], at: [2, 0]}\n"
        + "  - {name: logger, kind: logger, at: [2, 1]}\n"
    )
    keeps = "localparam int unsigned Room = 1;"
    if streams == 2:
        copies = module("store", ["in"], {"out": "asker_answer", "log": "logger"}, keeps)
    else:
        copies = store(keeps).replace("NextAskerAnswer}", "NextAskerAnswer, NextLogger}")
        copies = copies.replace("out_ready_i", "out_ready_i,\n  output logic out_next_o")
    end = module("logger", ["in"], {"out": "log_end"}) + module("log_end", ["in"], {})
    others = (ENDS, asker(DROPS + "localparam bit AlwaysTakes = 1;"), end)
    assert deadlocks(tmp_path, tiles, *others, copies) == ["asker logger store"]
    # Where it serves, its room is for requests without an answer.
    serves = copies.replace(keeps, keeps + 'localparam string Serves = "in";')
    assert deadlocks(tmp_path, tiles, *others, serves) == []


def test_an_output_that_the_input_does_not_wait_for(tmp_path: Path) -> None:
    tiles = APART.replace(SINK, "").replace("kind: asker", "layers: [asker, sink]")
    assert deadlocks(tmp_path, tiles, ENDS, asker(DROPS), store()) != []
    drops = asker(DROPS + "localparam bit InWaitsForQuery = 0;")
    assert deadlocks(tmp_path, tiles, ENDS, drops, store()) == []
    # Another output is not in the ring.
    other = asker(DROPS + "localparam bit InWaitsForOut = 0;")
    assert deadlocks(tmp_path, tiles, ENDS, other, store()) != []
    # Both outputs over the mesh share the injection port of the router.
    assert deadlocks(tmp_path, APART, ENDS, drops, store()) != []


@pytest.mark.parametrize(("room", "waits"), [(1, "{1'b1}"), (2, "{1'b0}")])
def test_simulation_checks_what_the_analysis_relies_on(
    tmp_path: Path, room: int, waits: str
) -> None:
    asks = asker(DROPS.replace("Credits = 1", "Credits = 2"))
    keeps = store(f"localparam int unsigned Room = {room};")
    design = resolved(tmp_path, APART, ENDS, asks, keeps)
    promises = {
        layer.name: checked_streams(layer, Facts(design)).promises for layer in design.layers()
    }
    assert promises["store"]["WaitsForOutputs"] == waits
    assert promises["store"]["Room"] == f"{{32'd{room}}}"
    # The answer has room, the question waits for both outputs.
    assert promises["asker"]["WaitsForOutputs"] == "{2'b00, 2'b11}"


# ---- Joins ----

SOURCE_AND_SPLIT = SOURCE.replace("kind: source", "layers: [source, split]")

JOIN = """
  localparam bit AWaitsForB = 1;
  localparam bit BWaitsForA = 1;
"""
COPIES = 'localparam string AOneForEach = "in"; localparam string BOneForEach = "in";'
EXACT = 'localparam string OneForEach = "in";'


def parts(declarations: str) -> str:
    return (
        module("join_ab", ["a", "b"], {"out": "sink"}, declarations)
        + module("sink", ["in"], {})
        + module("source_a", [], {"out": "join_ab_a"})
        + module("source_b", [], {"out": "join_ab_b"})
    )


PARTS = parts(JOIN)
PAIRED = parts(JOIN + 'localparam string OneForEach = "a b";')


def test_both_inputs_of_a_join_from_the_mesh(tmp_path: Path) -> None:
    """A message for `b` may be behind one for `a` at the same ejection port."""
    tiles = (
        "  - {name: source_a, kind: source_a, at: [0, 0]}\n"
        "  - {name: source_b, kind: source_b, at: [2, 0]}\n"
        "  - {name: join, kind: join_ab, at: [1, 0]}\n"
    )
    (cycle,) = deadlocks(tmp_path, tiles + SINK, PARTS)
    assert "join" in cycle.split()


def test_one_input_of_a_join_in_the_tile(tmp_path: Path) -> None:
    tiles = (
        "  - {name: source_b, kind: source_b, at: [2, 0]}\n"
        "  - {name: join, layers: [source_a, join_ab], at: [1, 0]}\n"
    )
    assert deadlocks(tmp_path, tiles + SINK, PARTS) == []


def test_what_forks_and_joins_again(tmp_path: Path) -> None:
    """The message that `b` waits for may not leave the fork while its other output is stalled by
    `b`.
    """
    fork = module("fork_ab", ["in"], {"a": "join_ab_a", "b": "join_ab_b"})
    source = module("source", [], {"out": "fork_ab"})
    tiles = SOURCE + SINK + "  - {name: join, layers: [fork_ab, join_ab], at: [1, 0]}\n"
    (cycle,) = deadlocks(tmp_path, tiles, PARTS, fork, source)
    assert "join" in cycle.split()
    # Tiles of their own for the layers would not help.
    assert (
        list(reachability.wired_cycles(Facts(resolved(tmp_path, tiles, PARTS, fork, source)))) == []
    )
    # A copy that `b` holds means that the fork has taken the message; the join takes as many of
    # both.
    copies = module("fork_ab", ["in"], {"a": "join_ab_a", "b": "join_ab_b"}, COPIES)
    assert deadlocks(tmp_path, tiles, PAIRED, copies, source) == []
    assert deadlocks(tmp_path, tiles, PARTS, copies, source) != []
    assert deadlocks(tmp_path, tiles, PAIRED, fork, source) != []
    # Neither input stops for the other one: no waiting.
    apart = parts(JOIN.replace("WaitsForB = 1", "WaitsForB = 0").replace("ForA = 1", "ForA = 0"))
    assert deadlocks(tmp_path, tiles, apart, fork, source) == []


def test_a_fork_whose_copies_do_not_come_alone(tmp_path: Path) -> None:
    """The argument about copies fails where a message may be missing, or have another origin."""
    source = module("source", [], {"out": "fork_ab"})
    fork = module("fork_ab", ["in"], {"a": "join_ab_a", "b": "pass_on"}, COPIES)
    passes = module("pass_on", ["in"], {"out": "join_ab_b"}, EXACT)
    layers = "[fork_ab, pass_on, join_ab]"
    tiles = SOURCE + SINK + f"  - {{name: join, layers: {layers}, at: [1, 0]}}\n"
    assert deadlocks(tmp_path, tiles, source, fork, PAIRED, passes) == []
    # A layer between them that may drop.
    drops = passes.replace(EXACT, "")
    assert deadlocks(tmp_path, tiles, source, fork, PAIRED, drops) != []
    # A second source of one side.
    other = module("other", [], {"out": "pass_on"})
    more = tiles + "  - {name: other, kind: other, at: [2, 0]}\n"
    assert deadlocks(tmp_path, more, source, fork, PAIRED, passes, other) != []
    # A next hop of a copy that leads elsewhere.
    strays = passes.replace("NextJoinAbB}", "NextJoinAbB, NextSink}").replace(
        "input logic out_ready_i", "input logic out_ready_i, output logic out_next_o"
    )
    assert deadlocks(tmp_path, tiles, source, fork, PAIRED, strays) != []


def test_what_no_placement_cures(tmp_path: Path) -> None:
    """A source of both inputs may have to wait for one before it sends to the other."""
    split = module("split", ["in"], {"a": "pass_on", "b": "join_ab_b"})
    layers = split + module("source", [], {"out": "split"})
    layers += module("pass_on", ["in"], {"out": "join_ab_a"})
    tiles = (
        "  - {name: past, kind: pass_on, at: [1, 1]}\n  - {name: join, kind: join_ab, at: [1, 0]}\n"
    )
    design = resolved(tmp_path, SOURCE_AND_SPLIT + SINK + tiles, PARTS, layers)
    (cycle,) = cycles(Facts(design))
    assert "layer join.b: waits for a message on join.a, which needs source.split\n" in str(cycle)
    with pytest.raises(DesignError, match=r"an input waits for .* wait for it \(join\)\."):
        placer.solve(Facts(design), {}, effort=1)


# ---- Streams beside the mesh ----

# `front` passes its input to `kernel`, and that to `back`, all in one tile.
PLAIN = "output logic {0}_tvalid_o, input logic {0}_tready_i"
TAKEN = "input logic {0}_tvalid_i, output logic {0}_tready_o"


def beside(text: str, *ports: str) -> str:
    return text.replace("input logic rst_i", ", ".join(["input logic rst_i", *ports]))


FRONT = beside(module("front", ["in"], {}), PLAIN.format("x"))
KERNEL = beside(module("kernel", [], {}), TAKEN.format("x"), PLAIN.format("y"))
BACK = beside(module("back", [], {"out": "middle"}), TAKEN.format("y"))
BRIDGED = (
    module("source", [], {"out": "front"})
    + module("middle", ["in"], {"out": "sink"})
    + module("sink", ["in"], {})
    + KERNEL
    + BACK
)
BRIDGE = (
    SOURCE
    + "  - {name: middle, kind: middle, at: [1, 0]}\n"
    + "  - {name: bridge, layers: [front, kernel, back], at: [2, 0]}\n"
    + SINK
)


def test_what_a_kernel_hands_to_another_layer(tmp_path: Path) -> None:
    """Messages to `front` hold the link to its tile, which those from `middle` to `sink` need."""
    (cycle,) = cycles(Facts(resolved(tmp_path, BRIDGE, BRIDGED, FRONT)))
    assert {tile.name for tile in cycle.tiles} == {"source", "middle", "bridge", "sink"}
    assert "layer bridge.front: hands messages on to bridge.back, in its tile\n" in str(cycle)
    assert "chain source -> bridge.front -> bridge.back -> middle -> sink\n" in str(cycle)
    # Elsewhere it is harmless, and so it is if the first one drops.
    moved = BRIDGE.replace("at: [1, 0]", "at: [1, 1]")
    assert deadlocks(tmp_path, moved, BRIDGED, FRONT) == []
    drops = FRONT.replace("endmodule", "localparam bit AlwaysTakes = 1;\nendmodule")
    assert deadlocks(tmp_path, BRIDGE, BRIDGED, drops) == []


def test_an_input_that_waits_for_none_of_its_own_outputs_waits_for_no_kernel(
    tmp_path: Path,
) -> None:
    for waits in (0, 1):
        front = beside(
            module("front", ["in"], {"out": "sink"}, f"localparam bit InWaitsForOut = {waits};"),
            PLAIN.format("x"),
        )
        assert bool(deadlocks(tmp_path, BRIDGE, BRIDGED, front)) == bool(waits)


def test_a_join_waits_for_what_comes_through_a_kernel(tmp_path: Path) -> None:
    """The message that `b` waits for starts at the source of the kernel's first layer."""
    layers = (
        PARTS.replace("module source_a", "module unused")
        + beside(module("source_a", [], {"out": "join_ab_a"}), TAKEN.format("x"))
        + beside(module("front", ["in"], {}), PLAIN.format("x"))
        + module("split", [], {"a": "front", "b": "join_ab_b"})
    )
    tiles = (
        "  - {name: split, kind: split, at: [0, 0]}\n"
        "  - {name: bridge, layers: [front, source_a, join_ab], at: [1, 0]}\n"
    )
    assert deadlocks(tmp_path, tiles + SINK, layers) != []


# ---- Declarations ----


def test_promises_hold_at_the_values_of_the_instance(tmp_path: Path) -> None:
    drops = asker(
        DROPS + "localparam bit AlwaysTakes = Drops;", ", parameter bit Drops = 0"
    ).replace("InWaitsForAnswer = 0", "InWaitsForAnswer = ~Drops")
    assert deadlocks(tmp_path, APART, ENDS, drops, store()) != []
    tiles = APART.replace("MORE_ASKER", ", drops: true")
    assert deadlocks(tmp_path, tiles, ENDS, drops, store()) == []


@pytest.mark.parametrize(("window", "depth", "sound"), [(4, 4, True), (5, 4, False), (4, 3, False)])
def test_credits_and_room_as_parameters(
    tmp_path: Path, window: int, depth: int, sound: bool
) -> None:
    asks = asker(DROPS.replace("Credits = 1", "Credits = Window"), ", parameter int Window = 1")
    keeps = store("localparam int unsigned Room = Depth;", ", parameter int Depth = 1")
    tiles = APART.replace("MORE_ASKER", f", window: {window}")
    tiles = tiles.replace("MORE_STORE", f", depth: {depth}")
    assert (deadlocks(tmp_path, tiles, ENDS, asks, keeps) == []) == sound


@pytest.mark.parametrize(
    ("declarations", "words"),
    [
        (
            "localparam bit AlwaysTakes = 1; localparam bit InWaitsForOut = 1;",
            "in .* waits for out",
        ),
        ("localparam bit AlwaysTakes = 1; localparam bit InWaitsForAnswer = 1;", "for answer"),
        (ASKS + "localparam bit AnswerWaitsForOut = 1;", "answer always takes, but also waits"),
        (ASKS.replace('"query"', '"quest"'), "answers 'quest', which is not an output"),
        (ASKS.replace("= 1;\n  localparam string", "= 0;\n  localparam string"), "no credits"),
        (ASKS + 'localparam string Serves = "inn";', "out serves 'inn', which is not an input"),
        (ASKS + 'localparam string OneForEach = "on";', "for each of 'on', which is not an input"),
        (ASKS + 'localparam string AnswerServes = "in";', "about a stream that the layer does not"),
    ],
)
def test_promises_that_contradict_each_other(tmp_path: Path, declarations: str, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        deadlocks(tmp_path, APART, ENDS, asker(declarations), store())


@pytest.mark.parametrize(
    "promise",
    [
        *("int unsigned Room = 1", 'string Serves = "in"', "bit Forwards = 1"),
        'string OneForEach = "in"',
    ],
)
def test_promises_that_need_busy(tmp_path: Path, promise: str) -> None:
    """Without it the checkers would not know when a layer is through with its messages."""
    never = store(f"localparam {promise};").replace("output logic busy_o,", "")
    with pytest.raises(
        DesignError,
        match=r"(Room of stream in|(Serves|OneForEach) of stream out|Forwards) needs a port busy_o",
    ):
        deadlocks(tmp_path, APART, ENDS, asker(ASKS), never)


@pytest.mark.parametrize(
    "promise",
    [
        *("bit AlwaysTakes = 1", "int unsigned Room = 1", "bit InWaitsForOut = 0"),
        'int unsigned Credits = 1; localparam string Answers = "out"',
    ],
)
def test_promises_that_any_number_of_busy_cycles_would_keep(tmp_path: Path, promise: str) -> None:
    """No simulation could find them broken."""
    anyhow = store(f"localparam {promise}; localparam int unsigned MaxBusyCycles = 0;")
    with pytest.raises(DesignError, match="MaxBusyCycles is 0, any number, but stream in promises"):
        deadlocks(tmp_path, APART, ENDS, asker(ASKS), anyhow)


def test_a_layer_that_waits_for_all_may_wait_as_long_as_it_likes(tmp_path: Path) -> None:
    anyhow = store("localparam int unsigned MaxBusyCycles = 0;")
    deadlocks(tmp_path, TOGETHER, ENDS, asker(ASKS), anyhow)


def test_clearing_a_large_table_keeps_no_promise_from_being_kept(tmp_path: Path) -> None:
    """After reset `eth_tx` takes nothing until its cache is cleared, two bindings in a cycle."""
    file = tmp_path / "design.yaml"
    text = (DESIGNS / "udp_echo.yaml").read_text()
    assert "eth_tx, mac_tx" in text
    for bindings in (64, 4096, 16384):
        given = f"eth_tx: {{num_bindings: {bindings}}}, mac_tx"
        file.write_text(text.replace("eth_tx, mac_tx", given))
        design, _ = resolve.load(file)
        (layer,) = (each for each in design.layers() if each.kind.name == "eth_tx")
        limit = checked_streams(layer, Facts(design)).promises["MaxBusyCycles"]
        assert limit >= max(4096, bindings // 2 + 1024)
