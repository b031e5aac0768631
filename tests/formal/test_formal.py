"""Proofs of the parts that everything stands on, and proof that they can fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from prove import Proof, holds, reaches, translate
from rtl_files import Mutation

FIFO = Proof("head_fifo_formal", depth=3, induction=2, reach=12, parameters={"Depth": 4})
MERGE = Proof("stream_merge_formal", depth=4, induction=3, reach=6, parameters={"NumInputs": 3})
ROUTER = Proof("router_wormhole_formal", depth=3, induction=2, reach=8, parameters={"Depth": 4})

PROOFS = (
    FIFO,
    Proof("head_fifo_formal", depth=3, induction=2, reach=20, parameters={"Depth": 8}),
    MERGE,
    Proof("stream_merge_formal", depth=4, induction=3, reach=6, parameters={"NumInputs": 2}),
    Proof("stream_merge_formal", depth=4, induction=3, reach=8, parameters={"NumInputs": 5}),
    ROUTER,
)


@pytest.mark.parametrize("proof", PROOFS, ids=str)
def test_proof_holds(proof: Proof, tmp_path: Path) -> None:
    model = tmp_path / "model.smt2"
    translate(proof, model)
    for ask in (holds, reaches):
        good, output = ask(proof, model)
        assert good, output


HEAD_FIFO = "common/head_fifo.sv"
STREAM_MERGE = "common/stream_merge.sv"
ROUND_ROBIN = "common/round_robin.sv"
ROUTER_FILE = "noc/router_wormhole.sv"

BROKEN = (
    (FIFO, Mutation(HEAD_FIFO, "(next_addr(write_q) == read_q)", "(write_q == read_q)")),
    (FIFO, Mutation(HEAD_FIFO, "push | (valid_q & (more | ~pop))", "push | (valid_q & more)")),
    (FIFO, Mutation(HEAD_FIFO, "(valid_q & more) ?", "valid_q ?")),
    (FIFO, Mutation(HEAD_FIFO, "      ready_q     <= 1'b1;\n", "")),
    (MERGE, Mutation(STREAM_MERGE, "locked_q <= ~(out_ready_i & out_o.last)", "locked_q <= 1'b0")),
    (MERGE, Mutation(STREAM_MERGE, "~(out_ready_i & out_o.last)", "~out_o.last")),
    (MERGE, Mutation(ROUND_ROBIN, "k = NumInputs; k > 0; k--", "k = 1; k <= NumInputs; k++")),
    (ROUTER, Mutation(ROUTER_FILE, "out_ready_i[o] & out_o[o].beat.last", "out_ready_i[o]")),
    (ROUTER, Mutation("noc/noc_pkg.sv", "return y_south ? DirSouth : DirNorth", "return DirSouth")),
    (ROUTER, Mutation(ROUTER_FILE, "& (sel == sel_t'(k)) & out_ready_i[o]", "& out_ready_i[o]")),
)


@pytest.mark.parametrize(("proof", "mutation"), BROKEN, ids=str)
def test_proof_of_a_broken_copy_fails(proof: Proof, mutation: Mutation, tmp_path: Path) -> None:
    model = tmp_path / "model.smt2"
    translate(proof, model, mutation.copy(tmp_path))
    good, output = holds(proof, model)
    assert not good
    assert "Assert failed" in output, output
