# SPDX-License-Identifier: Apache-2.0
"""Reading networks: SPFlow's texts and objects, refused models, and the evaluator."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import bombus
from bombus.applications import spn
from bombus.applications.spn.graph import Product, Sum
from bombus.base.errors import DesignError, UserError
from tests.applications.spn.networks import RandomNetwork, published

MIXTURE = """SumNode_0 SumNode(0.25*ProductNode_1, 0.75*ProductNode_2){
\tProductNode_1 ProductNode(HistogramNode_3, GaussianNode_4){
\t\tHistogramNode_3 Histogram(count|[ 0., 1.,
\t\t 4.];[0.4, 0.2])
\t\tGaussianNode_4 Gaussian(size|mean=2;stdev=0.5)
\t\t}
\tProductNode_2 ProductNode(CategoricalNode_5, GaussianNode_4){
\t\tCategoricalNode_5 Categorical(count|p=[0.5, np.float64(0.5)])
\t\tGaussianNode_4 Gaussian(size|mean=2;stdev=0.5)
\t\t}
\t}

# size;count
"""
EQUATION = (
    "(0.25*((Histogram(V1|[0.,1.,4.];[0.4,0.2];[0.5,2.5]) * Gaussian(V0|mean=2;stdev=0.5)))"
    " + 0.75*((Categorical(V1|p=[0.5, 0.5]) * Gaussian(V0|mean=2;stdev=0.5))))"
)


def expected(size: float, count: int) -> float:
    """The likelihood of the mixture, by the definitions of its distributions."""
    gauss = math.exp(-(((size - 2) / 0.5) ** 2) / 2) / (0.5 * math.sqrt(2 * math.pi))
    histogram = {0: 0.4, 1: 0.2, 2: 0.2, 3: 0.2}.get(count, 2.0**-52)
    categorical = {0: 0.5, 1: 0.5}.get(count, 2.0**-52)
    return gauss * (0.25 * histogram + 0.75 * categorical)


@pytest.mark.parametrize("text", [MIXTURE, EQUATION])
def test_both_text_forms(text: str) -> None:
    network = spn.parse(text)
    samples = [(size, count) for size in (0, 2, 2.5, 9) for count in (-1, 0, 1, 3, 4)]
    found = np.exp(spn.log_likelihoods(network, samples))
    assert found == pytest.approx([expected(*sample) for sample in samples], rel=1e-12)


def test_missing_values_are_summed_out() -> None:
    found = spn.log_likelihoods(spn.parse(MIXTURE), [(np.nan, 0), (np.nan, np.nan)])
    assert found == pytest.approx([math.log(0.25 * 0.4 + 0.75 * 0.5), 0], abs=1e-12)


def test_shared_nodes_stay_shared() -> None:
    assert spn.parse(MIXTURE).variables == ("size", "count")
    assert len(spn.parse(MIXTURE).nodes) == 6
    assert len(spn.parse(EQUATION).nodes) == 7  # an expression has no names


def test_public_name() -> None:
    assert bombus.spn is spn


LEAF = "Bernoulli(a|p=0.5)"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file has no nodes"),
        ("S SumNode(1*A){\nA SumNode(1*S)\n}", 2, "cyclic: A has S as a child"),
        ("S SumNode(1*S)", 1, "cyclic"),
        (f"S SumNode(1*A){{\nA {LEAF}\nB {LEAF}\n}}", 3, "disconnected: B is not reached"),
        (f"S SumNode(1*A){{\nA {LEAF}\n}}\nB {LEAF}", 4, "a second root"),
        (f"S SumNode(1*A){{\nB {LEAF}\n}}", 1, "a child A, which is not defined"),
        (f"S SumNode(0.5*A, 0.4*A){{\nA {LEAF}\n}}", 1, "sum to 0.9, not 1"),
        (f"S SumNode(-1*A, 2*A){{\nA {LEAF}\n}}", 1, "has the weight -1"),
        (f"S SumNode(nan*A){{\nA {LEAF}\n}}", 1, "nan is not a finite number"),
        (f"\nS ProductNode(A, B){{\nA {LEAF}\nB {LEAF}\n}}", 2, "overlapping scopes: a"),
        (
            f"S SumNode(0.5*A, 0.5*B){{\nA {LEAF}\nB Bernoulli(b|p=0.5)\n}}",
            1,
            "different scopes: they differ in a, b",
        ),
        ("S SumNode(){\n}", 1, "S has no children"),
        (f"P ProductNode(A){{\nA {LEAF}\nA Bernoulli(a|p=0.4)\n}}", 3, "have the name A"),
        (f"P ProductNode(A){{\nA {LEAF}\n}}\n# b;c", 4, "the list of variables lacks a"),
        (f"P ProductNode(A){{\nA {LEAF}\n}}\n# a;a", 4, "two variables have the name a"),
        ("H Histogram(a|[0.,1.,3.];[1.0])", 1, "1 densities needs 2 breaks, not 3"),
        ("H Histogram(a|[0.,1.,1.];[0.5,0.5])", 1, "must increase: 1 follows 1"),
        ("H Histogram(a|[0.,1.,2.];[0.5,0.2])", 1, "has gaps"),
        ("H Histogram(a|[0.,1.,2.];[1.5,-0.5])", 1, "negative"),
        ("H Histogram(a|[0.,\nnan];[1.0])", 1, "not finite"),
        ("H Histogram(a|[0., ..., 9.];[1.0])", 1, "shortened by '...'"),
        ("H Histogram(a|[0., x];[1.0])", 1, "a number is expected"),
        ("C Categorical(a|p=[0.5, 0.6])", 1, "sum to 1.1, not 1"),
        ("C Categorical(a|q=[0.5, 0.5])", 1, "the argument q is unknown"),
        ("G Gaussian(a|mean=0)", 1, "the argument stdev is missing"),
        ("G Gaussian(a|mean=0;stdev=0)", 1, "stdev of a Gaussian must be positive"),
        ("G Gaussian(a|mean=[0.];stdev=1)", 1, "mean must be a number"),
        ("B Bernoulli(a|p=1.5)", 1, "from 0 to 1"),
        ("P Poisson(a|mean=3)", 1, "leaves of kind Poisson are not supported"),
        (f"P ProductNode(A){{\nA {LEAF}", 2, "'}' is expected, not the end of the file"),
        (f"A {LEAF}\n}}", 2, "'}' without '{'"),
        ("(" * 1000, 1, "nested more than"),
        (f"({LEAF}) )", 1, "after the end of the expression"),
    ],
)
def test_refused(text: str, line: int | None, message: str) -> None:
    with pytest.raises(DesignError) as error:
        spn.parse(text, Path("bad.spn"))
    (problem,) = error.value.problems
    assert message in problem.message
    assert (problem.file, problem.line) == (Path("bad.spn"), line)


def test_refused_files(tmp_path: Path) -> None:
    big = tmp_path / "big.spn"
    with big.open("wb") as file:
        file.truncate(100 << 20)
    with pytest.raises(UserError, match="more than 16 MiB"):
        spn.read(big)
    (tmp_path / "binary.spn").write_bytes(b"ok\n\xff\xfe")
    with pytest.raises(DesignError, match=r"binary.spn:2: .* UTF-8"):
        spn.read(tmp_path / "binary.spn")
    with pytest.raises(UserError, match="cannot read"):
        spn.read(tmp_path / "none.spn")


# ---- Objects with SPFlow's attributes ----


@dataclass
class Node:
    scope: list[int] = field(default_factory=list)
    children: list[Any] = field(default_factory=list)


@dataclass
class SumNode(Node):
    weights: list[float] = field(default_factory=list)


class Gaussian:
    def __init__(self, column: int, mean: float, stdev: float) -> None:
        self.scope, self.mean, self.stdev = [column], mean, stdev


class Bernoulli:
    def __init__(self, column: int, p: float) -> None:
        self.scope, self.p = [column], p


class Poisson:
    scope = (0,)


def test_objects() -> None:
    shared = Gaussian(4, 1.5, 2.0)
    root = SumNode(
        children=[
            Node(children=[Bernoulli(1, 0.2), shared]),
            Node(children=[Bernoulli(1, 0.9), shared]),
        ],
        weights=[0.5, 0.5],
    )
    network = spn.from_spflow(root, ["a", "b", "c", "d", "e"])
    assert network.variables == ("b", "e")
    assert sum(isinstance(node, Sum | Product) for node in network.nodes) == 3
    assert len(network.nodes) == 6
    assert spn.log_likelihoods(network, [(1, np.nan)]) == pytest.approx([math.log(0.55)])


def test_refused_objects() -> None:
    with pytest.raises(UserError, match="Poisson are not supported"):
        spn.from_spflow(Poisson())
    root = SumNode(children=[Bernoulli(0, 0.2)], weights=[])
    with pytest.raises(UserError, match="1 children and 0 weights"):
        spn.from_spflow(root)
    root = SumNode(weights=[1.0])
    root.children.append(root)
    with pytest.raises(DesignError, match="cyclic"):
        spn.from_spflow(root)
    with pytest.raises(UserError, match="the column 3; there are 1 names"):
        spn.from_spflow(Bernoulli(3, 0.5), ["a"])


def test_random_networks_are_distributions() -> None:
    for seed in range(20):
        network = spn.parse(str(RandomNetwork(Random(seed), 1 + seed % 7, seed % 9)))
        nothing = np.full((1, len(network.variables)), np.nan)
        assert spn.log_likelihoods(network, nothing) == pytest.approx([0], abs=1e-9)


def test_published_pairs() -> None:
    network = spn.read(published("NIPS5.spn"))
    samples = np.loadtxt(published("NIPS5_input.txt"), delimiter=";")
    known = np.loadtxt(published("NIPS5_log_likelihood.txt"))
    assert np.max(np.abs(spn.log_likelihoods(network, samples) - known)) < 1e-9
    assert len(known) == 5000
