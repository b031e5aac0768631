# SPDX-License-Identifier: Apache-2.0
"""Proofs of the parts that everything stands on, and proof that they can fail."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import ROOT
from tests.platform.formal.broken_copies import BROKEN
from tests.platform.formal.proofs import (
    ARRIVAL,
    CROSSPOINT,
    LINK_RETRY,
    PAYLOAD,
    PROOFS,
    TCP_CORE,
    VC_ROUTER,
)
from tests.platform.formal.prove import Proof, answers, holds
from tests.support.rtl_files import Mutation, sampled

pytestmark = pytest.mark.slow

# A broken copy takes these 10 to 60 CPU seconds, so all of theirs are left to `make test-all`.
COSTLY = (ARRIVAL, TCP_CORE, CROSSPOINT, LINK_RETRY, PAYLOAD, VC_ROUTER)


def marks(index: int, proof: Proof) -> tuple[pytest.MarkDecorator, ...]:
    """Marks of a broken copy by its index in the list."""
    return (pytest.mark.sweep,) if proof in COSTLY else sampled(index)


@pytest.mark.parametrize("proof", PROOFS, ids=str)
def test_proof_holds(proof: Proof) -> None:
    for good, output in answers(proof):
        assert good, output


@pytest.mark.parametrize(
    ("proof", "mutation"),
    [pytest.param(*broken, marks=marks(n, broken[0])) for n, broken in enumerate(BROKEN)],
    ids=str,
)
def test_proof_of_a_broken_copy_fails(proof: Proof, mutation: Mutation, tmp_path: Path) -> None:
    ((good, output),) = answers(proof, mutation.copy(tmp_path), [holds])
    assert not good
    assert "Assert failed" in output, output


def test_every_broken_copy_can_be_made() -> None:
    for _, mutation in BROKEN:
        assert mutation.text()


def test_every_proof_that_a_comment_names_is_run() -> None:
    proofs = [each if isinstance(each, Proof) else each.values[0] for each in PROOFS]
    run = {proof.name for proof in proofs}
    for folder in ("rtl", "formal"):
        for file in (ROOT / folder).rglob("*.sv"):
            for line in file.read_text().splitlines():
                comment = line.partition("//")[2]
                assert set(re.findall(r"\b\w+_formal\b", comment)) <= run, f"{file}: {line}"
