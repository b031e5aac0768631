# SPDX-License-Identifier: Apache-2.0
"""The bit-exact model of a pipeline: every result is within the bound that is stated for it."""

from __future__ import annotations

from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bombus.applications import spn
from bombus.applications.spn.bound import printed
from bombus.applications.spn.lower import Add, LogSum, Table, operands
from bombus.applications.spn.number import log_add, log_add_error
from bombus.applications.spn.pipeline import Pipeline, pipeline
from bombus.base.errors import UserError
from bombus.base.paths import EXAMPLES
from tests.applications.spn.networks import RandomNetwork, published

MODEL = EXAMPLES / "spn" / "machine.spn"


def samples(network: spn.Network, seed: int, count: int = 200, missing: int = 255) -> npt.NDArray:
    """Small values, large ones, and missing ones."""
    random = np.random.default_rng(seed)
    shape = count, len(network.variables)
    small = random.integers(0, 13, shape)
    some = np.where(random.random(shape) < 0.1, random.integers(0, missing, shape), small)
    return np.where(random.random(shape) < 0.05, missing, some)


def largest_error(network: spn.Network, found: Pipeline, data: npt.NDArray) -> float:
    """Against the evaluator in double precision, in nats."""
    missing = (1 << found.lowered.value_bits) - 1
    values = np.where(data == missing, np.nan, data)
    exact = spn.log_likelihoods(network, values)
    return float(np.max(np.abs(found.log_likelihoods(data) - exact)))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 3, 5, 10, 40, 200]),
    st.integers(0, 30),
    st.sampled_from([8, 11, 12]),
)
def test_results_are_within_the_bound(seed: int, variables: int, depth: int, fraction: int) -> None:
    network = spn.parse(str(RandomNetwork(Random(seed), variables, depth)))
    found = pipeline(network, fraction=fraction)
    data = samples(network, seed)
    assert largest_error(network, found, data) <= found.bound
    for numbers, width in zip(found.all_numbers(data), found.widths, strict=True):
        assert np.all((numbers >= 0) & (numbers < 1 << width))


def test_the_bound_is_nearly_reached() -> None:
    """It is no excuse: in small networks, the worst samples come close to it."""
    network = spn.parse("(0.3*(Bernoulli(V0|p=0.3)) + 0.7*(Bernoulli(V0|p=0.8)))")
    found = pipeline(network, fraction=10)
    error = largest_error(network, found, np.array([[0], [1], [255]]))
    assert error == pytest.approx(found.bound, rel=1e-6)


def test_bounds_of_few_variables() -> None:
    """Every combination of values counts, so no sample can do better, and one reaches the bound."""
    text = str(RandomNetwork(Random(23), 3, 6, kinds=("Categorical", "Bernoulli")))
    network = spn.parse(text)
    found = pipeline(network, fraction=10)
    assert sum(isinstance(each, LogSum) for each in found.lowered.operations) > 2
    values = (*range(13), 255)
    data = np.array([(a, b, c) for a in values for b in values for c in values])
    assert largest_error(network, found, data) == pytest.approx(found.bound, rel=1e-4)


def test_interpolation() -> None:
    for fraction, entries in ((8, 32), (16, 32), (16, 128), (18, 32)):
        least, greatest = log_add_error(fraction, entries)
        # A linear interpolation of a curve with a second derivative of at most log(2) / 4, of
        # which half is taken off; and the rounding of its result, of the bases and the slopes.
        curve = np.log(2) / 4 / entries**2 / 8 / 2
        rounding = 2.0**-fraction * (0.5 + 1 / 16)
        assert max(-least, greatest) <= curve + rounding
        table = log_add(fraction, entries)
        assert abs(table.log2_1p(0) - (1 << fraction)) <= 1 + curve * 2**fraction
        assert table.log2_1p(1 << 40) == 0


@pytest.mark.parametrize("shared", [False, True])
def test_weights_above_1(shared: bool) -> None:
    """Within the tolerance, they cause no negative constants."""
    text = "(1.00009*((Bernoulli(V0|p=1) * Bernoulli(V1|p=1) * Bernoulli(V2|p=1))))"
    if shared:  # the weights are no part of a table
        text = """
            Root SumNode(0.5*A, 0.5*B){
            A ProductNode(S, V2A)
            B ProductNode(T, V2B)
            S SumNode(1.00009*P)
            T SumNode(1.00008*P)
            P ProductNode(V0A, V1A)
            V0A Bernoulli(V0|p=1)
            V1A Bernoulli(V1|p=1)
            V2A Bernoulli(V2|p=1)
            V2B Bernoulli(V2|p=1)
            }
            # V0;V1;V2
        """
    network = spn.parse(text)
    found = pipeline(network)
    for operation in found.lowered.operations:
        if isinstance(operation, Table):
            assert min(*operation.numbers, operation.missing) >= 0
        elif isinstance(operation, Add):
            assert operation.constant >= 0
    data = np.array([[1, 1, 1], [255, 1, 1], [255, 255, 255]])
    assert 1e-5 < largest_error(network, found, data) <= found.bound


@pytest.mark.parametrize("bound", [8.1814e-5, 8.1800001e-5, 8.18e-5, 1e-12, 0.999999, 123.45, 0.0])
def test_bounds_are_rounded_up(bound: float) -> None:
    assert bound <= float(printed(bound)) <= bound * 1.01


@pytest.mark.parametrize("variables", [1, 20, 200])
def test_floats(variables: int) -> None:
    """Their bound includes the truncation to 24 significant bits."""
    leaves = " * ".join(f"Bernoulli(V{n}|p=0.999)" for n in range(variables))
    network = spn.parse(f"({leaves})")
    found = pipeline(network, fraction=18, value_bits=1)
    data = np.zeros((1, variables), dtype=int)
    size = abs(int(found.results(data)[0]))
    assert size == found.largest
    lost = max(0, size.bit_length() - 24)
    error = abs((size >> lost << lost) * np.log(2) / 2**18 + spn.log_likelihoods(network, data)[0])
    assert error <= found.float_bound
    truncation = (size - (size >> lost << lost)) * np.log(2) / 2**18
    assert truncation <= found.float_bound - found.bound
    assert (found.float_bound > found.bound) == (variables > 1)
    for limit in (1e-2, 1e-3):
        assert pipeline(network, error=limit, value_bits=1, floats=True).float_bound <= limit


def test_the_bound_counts_operations_in_tables() -> None:
    """A subgraph over one variable is one operation of the pipeline, but not of its analysis."""
    text = "Bernoulli(V0|p=0.5)"
    short = pipeline(spn.parse(text), value_bits=1)
    for _ in range(150):
        text = f"(1.0*({text}))"
    long = pipeline(spn.parse(text), value_bits=1)
    assert len(long.lowered.operations) == len(short.lowered.operations) == 1
    assert long.bound >= 100 * short.bound


def test_additions_are_exact() -> None:
    leaves = " * ".join(f"Categorical(V{n}|p=[0.5, 0.25, 0.25])" for n in range(7))
    found = pipeline(spn.parse(f"({leaves})"), fraction=16)
    assert found.results([[0, 1, 2, 0, 1, 2, 255]]).tolist() == [-(2 * 1 + 4 * 2) << 16]
    assert found.bound < 1e-9


def test_a_subgraph_over_one_variable_is_one_table() -> None:
    text = "(0.25*((Bernoulli(V0|p=0.5))) + 0.75*(Bernoulli(V0|p=0.25)))"
    (table,) = pipeline(spn.parse(text)).lowered.operations
    assert isinstance(table, Table)


def test_weights_join_tables() -> None:
    """A weight costs an addition only where its node has other parents."""
    text = """S SumNode(0.25*P, 0.75*Q){
        P ProductNode(A, B){
        A Bernoulli(a|p=0.5)
        B Bernoulli(b|p=0.5)
        }
        Q ProductNode(A, C){
        C Bernoulli(b|p=0.125)
        }
    }"""
    operations = pipeline(spn.parse(text)).lowered.operations
    assert [type(each) for each in operations].count(LogSum) == 1
    assert not any(each.constant for each in operations if isinstance(each, Add))
    assert sum(isinstance(each, Table) for each in operations) == 3  # the shared one stays shared


def test_schedule() -> None:
    network = spn.parse(str(RandomNetwork(Random(7), 12, 12)))
    found = pipeline(network)
    plan = found.schedule
    for number, operation in enumerate(found.lowered.operations):
        for operand in operands(operation):
            wait = plan.start[number] - plan.ready[operand]
            assert 0 <= wait <= plan.delays[operand]
        if isinstance(operation, Table):
            held = plan.start[number] - plan.variable_ready[operation.variable]
            assert 0 <= held <= plan.variable_delays[operation.variable]
    assert plan.ready[-1] == plan.depth


def test_classes() -> None:
    """Values that all tables of a variable treat alike are one class."""
    text = """S SumNode(0.25*P, 0.75*Q){
        P ProductNode(A, B)
        Q ProductNode(C, D)
        A Histogram(a|[0., 10., 20., 50.];[0.05, 0.04, 0.00333])
        B Categorical(b|p=[0.5, 0.5])
        C Histogram(a|[0., 10., 30., 50.];[0.02, 0.03, 0.01])
        D Gaussian(b|mean=100;stdev=30)
    }
    # a;b"""
    found = pipeline(spn.parse(text))
    a, b = found.classes
    # Below 10, 20, 30, 50; those above, and missing ones
    assert a is not None
    assert a.of_values == (*[0] * 10, *[1] * 10, *[2] * 10, *[3] * 20, 4)
    assert (a.missing, a.first, a.bits) == (5, (0, 10, 20, 30, 50, None), 3)
    assert b is None  # too many
    assert pipeline(spn.parse(text), value_bits=6).classes == (None, None)
    table = next(each for each in found.lowered.operations if isinstance(each, Table))
    assert a.numbers(table)[-1] == table.missing


def test_sums_are_not_negative() -> None:
    """A sum whose result may be below 0 by its error makes the numbers of a variable larger."""
    products = (
        " * ".join(f"Categorical(V{n}|p=[{1 - p}, {p}])" for n in range(8)) for p in (1e-6, 2e-6)
    )
    text = "(0.5*(({})) + 0.5*(({})))".format(*products)
    found = pipeline(spn.parse(text), fraction=8)
    assert found.lowered.offset == -1
    data = np.array([[0] * 8, [0] * 7 + [1], [255] * 8])
    assert np.all(found.numbers(data) >= 0)
    assert largest_error(spn.parse(text), found, data) <= found.bound


def test_the_format_follows_from_the_bound() -> None:
    network = spn.parse(str(RandomNetwork(Random(5), 4, 6, kinds=("Categorical",))))
    data = samples(network, 1)
    widths = []
    for error in (1e-2, 1e-3, 1e-4, 2e-5):
        found = pipeline(network, error=error)
        assert largest_error(network, found, data) <= found.bound <= error
        widths.append(found.fraction)
    assert widths == sorted(set(widths))


def test_the_default_format() -> None:
    """It keeps a bound of 2e-4, with as few block RAMs as possible."""
    network = spn.read(MODEL)
    found = pipeline(network)
    assert (found.fraction, found.table.blocks) == (15, 1)
    assert found.bound <= 2e-4 < pipeline(network, fraction=14).bound
    assert found.bound == pipeline(network, error=2e-4).bound


def test_wide_tables_replace_bits() -> None:
    """Where more fraction bits do not fit, the table for sums has more segments."""
    products = (
        " * ".join(f"Gaussian(V{n}|mean=0;stdev={deviation})" for n in range(5))
        for deviation in (1, 2)
    )
    network = spn.parse("(0.5*(({})) + 0.5*(({})))".format(*products))
    limit = pipeline(network, fraction=18).bound * 0.99
    found = pipeline(network, error=limit)
    with pytest.raises(UserError, match="at most 31 are supported"):
        pipeline(network, fraction=19)
    assert found.bound <= limit and found.fraction <= 18 and found.table.entries > 32


def test_the_default_of_large_networks() -> None:
    """Where no format has the default bound, there are 16 fraction bits."""
    leaves = " * ".join(f"Bernoulli(V{n}|p={1 / (n + 3)})" for n in range(200))
    found = pipeline(spn.parse(f"({leaves})"))
    assert (found.fraction, found.table.entries) == (16, 32)
    assert found.bound > 2e-4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"error": 1e-3, "fraction": 16}, "exclude each other"),
        ({"error": 1e-12}, "the smallest bound is"),
        ({"error": -1.0}, "must be positive"),
        ({"error": float("nan")}, "must be positive"),
        ({"fraction": 7}, "8 to 20 fraction bits"),
        ({"value_bits": 17}, "1 to 16 bits"),
    ],
)
def test_refused(arguments: dict[str, float], message: str) -> None:
    network = spn.parse("(0.3*((Bernoulli(V0|p=0.3) * Bernoulli(V1|p=0.3)))"
                        " + 0.7*((Bernoulli(V0|p=0.8) * Bernoulli(V1|p=0.3))))")  # fmt: skip
    with pytest.raises(UserError, match=message):
        pipeline(network, **arguments)  # type: ignore[arg-type]


def test_too_wide() -> None:
    leaves = " * ".join(f"Gaussian(V{n}|mean=0;stdev=0.001)" for n in range(80))
    with pytest.raises(UserError, match="at most 31 are supported"):
        pipeline(spn.parse(f"({leaves})"), fraction=20)


def test_wide_values() -> None:
    network = spn.parse("(Gaussian(V0|mean=900;stdev=200) * Bernoulli(V1|p=0.3))")
    found = pipeline(network, value_bits=12)
    data = samples(network, 3, missing=4095)
    assert largest_error(network, found, data) <= found.bound


@pytest.mark.parametrize(
    "name",
    [
        *("NIPS5", "NIPS10", "NIPS30", "NIPS50", "NIPS80"),
        *("ACCIDENTS_4000", "MSNBC_200", "NLTCS_200", "PLANTS_4000"),
    ],
)
def test_published_models(name: str) -> None:
    network = spn.read(published(f"{name}.spn"))
    found = pipeline(network)
    error = largest_error(network, found, samples(network, 2, 2000))
    assert error <= found.bound <= 2e-4
