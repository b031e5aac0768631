# SPDX-License-Identifier: Apache-2.0
"""The mutations that tools/mutate.py makes: what they are, and that each counts alone."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests import ROOT

sys.path.append(str(ROOT / "tools"))
from mutation import elaboration, python, systemverilog
from mutation.campaign import Campaign, Journal, Result, content_of, current
from mutation.checkout import BadTestsError, Checkout
from mutation.site import Site, shuffled
from mutation.targets import find_tests

MODULE = """module m (
    input logic clk_i,
    input logic [3:0] a_i,
    output logic [3:0] b_o
);
  wire unused = a_i[0] ^ a_i[1];
  logic [3:0] sum;
  assign sum = a_i + 4'd7;
  always_ff @(posedge clk_i) begin
    if (a_i == '0 && sum[1]) b_o <= sum;
    else b_o <= ~b_o;
  end
`ifndef SYNTHESIS
  always_ff @(posedge clk_i) assert (sum != 4'd3);
`endif
endmodule
"""


def changes(text: str, sites: list[Site]) -> set[tuple[str, str]]:
    return {(site.old(text), site.new) for site in sites}


def test_mutations_of_systemverilog() -> None:
    found = list(systemverilog.sites(MODULE))
    made = changes(MODULE, found)
    assert {
        ("a_i + 4'd7", "(a_i) - (4'd7)"),
        ("a_i + 4'd7", "(a_i)"),
        ("4'd7", "4'd8"),
        ("4'd7", "4'd6"),
        ("a_i == '0", "(a_i) != ('0)"),
        ("a_i == '0 && sum[1]", "(sum[1])"),
        ("a_i == '0 && sum[1]", "!(a_i == '0 && sum[1])"),
        ("'0", "'1"),
        ("~b_o", "(b_o)"),
        ("b_o <= sum;", ";"),
        ("sum", "'1"),
    } <= made
    # No statements about unused signals, and nothing invisible to synthesis.
    lines = {site.line(MODULE) for site in found}
    assert lines == {7, 8, 10, 11}


def test_what_macros_and_other_files_say_is_not_mutated() -> None:
    text = "`define LIMIT 3\nmodule m;\n  localparam int A = `LIMIT > 2 ? `LIMIT : 4;\nendmodule\n"
    assert changes(text, list(systemverilog.sites(text))) == {
        *(("2", "3"), ("2", "1"), ("4", "5"), ("4", "3"))
    }


def test_mutations_in_one_file_count_one_at_a_time() -> None:
    sites = dict(enumerate(shuffled(systemverilog.sites(MODULE), Path("m.sv"), 1), start=1))
    sites = {n: site for n, site in sites.items() if site.line(MODULE) > 7}
    text = systemverilog.selectable(MODULE, sites)
    assert not any(f"chosen != {n})" in text and f"chosen == {n} " in text for n in sites)
    for number in sites:
        assert text.count(f"chosen == {number} ") + text.count(f"chosen != {number})") == 1
    for unchanged in (
        "wire unused = a_i[0] ^ a_i[1];",
        "assert (sum != 4'd3);",
        "logic [3:0] sum;",
    ):
        assert unchanged in text
    assert text.count("(") == text.count(")")


def test_more_mutations_keep_the_first_ones() -> None:
    order = shuffled(systemverilog.sites(MODULE), Path("m.sv"), 1)
    assert order == shuffled(systemverilog.sites(MODULE), Path("m.sv"), 1)
    assert order != shuffled(systemverilog.sites(MODULE), Path("m.sv"), 2)
    assert len(order) == len(set(order))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("x = a < 1", {("a < 1", "(a) <= (1)"), ("1", "2"), ("1", "(0)"), ("x = a < 1", "pass")}),
        ("x = a and b", {("a and b", "(a) or (b)"), ("a and b", "(a)"), ("a and b", "(b)")}),
        ("if not a:\n    f()", {("not a", "(a)"), ("not a", "not (not a)"), ("f()", "pass")}),
        (
            "def f():\n    return 'é' + a",
            {("'é' + a", "('é') - (a)"), ("return 'é' + a", "return None")},
        ),
    ],
)
def test_mutations_of_python(text: str, made: set[tuple[str, str]]) -> None:
    found = list(python.sites(text))
    assert made <= changes(text, found)
    for site in found:
        compile(site.applied(text), "changed", "exec")


def test_a_sample_is_of_all_files_and_goes_on_where_it_was(tmp_path: Path) -> None:
    tree, journal = tmp_path / "tree", Journal(tmp_path / "journal.jsonl")
    text = "x = 1\n"
    files = ["src/bombus/fabric/routing.py", "src/bombus/analysis/load.py"]
    for file in files:
        (tree / file).parent.mkdir(parents=True)
        (tree / file).write_text(text)
        for site in python.sites(text):
            where = (site.operator, site.start, site.end, site.old(text), site.new)
            journal.add(Result(file, content_of(text), 1, *where, "caught"))
    campaign = Campaign(Checkout(tree, tmp_path), journal, seed=1)
    # All that are tried are in the journal: no test is run.
    assert len(list(campaign.sample(files, 2))) == 2
    everything = list(campaign.sample(files, 100))
    assert len(everything) == len(journal.results) == 6
    assert {result.file for result in everything} == set(files)
    assert everything[:2] == list(campaign.sample(files, 2))


def test_survivors_are_tried_again_and_the_last_result_counts(tmp_path: Path) -> None:
    tree, file = tmp_path / "tree", "src/bombus/fabric/routing.py"
    (tree / file).parent.mkdir(parents=True)
    text = "x = 1\n"
    (tree / file).write_text(text)
    journal = Journal(tmp_path / "journal.jsonl")
    for site in shuffled(python.sites(text), Path(file), 1):
        where = (site.operator, site.start, site.end, site.old(text), site.new)
        given = Result(file, content_of(text), 1, *where, "survived")
        journal.add(given)
    checkout = Checkout(tree, tmp_path)
    # The copy has no tests: a run of them is the end.
    assert list(Campaign(checkout, journal, seed=1).run(file, 10)) == []
    with pytest.raises(BadTestsError):
        list(Campaign(checkout, journal, seed=1, again=True).run(file, 10))
    journal.add(replace(given, verdict="caught"))
    verdicts = [result.verdict for result in current(journal, tree)]
    assert verdicts == ["survived"] * (len(verdicts) - 1) + ["caught"]
    assert len(verdicts) == len(journal.results) - 1


SOURCES = [*(ROOT / "rtl").rglob("*.sv"), *(ROOT / "src").rglob("*.py")]


@pytest.mark.parametrize("file", sorted(SOURCES), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_file_has_tests(file: Path) -> None:
    tests = find_tests(file.relative_to(ROOT))  # type: ignore[arg-type]
    if file.name == "__init__.py":
        return
    assert tests is not None
    for stage in (*tests.unit, *tests.design):
        names = [word for word in stage.split() if word.endswith(".py")]
        assert names
        for name in names:
            assert (ROOT / name).is_file(), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", ["rtl/protocols/udp/udp_tx.sv", "rtl/platform/routers/vc_input.sv"]
)
def test_the_files_as_they_are_elaborate(file: str) -> None:
    text = (ROOT / file).read_text()
    assert elaboration.elaborates(file, text)
    broken = text.replace("endmodule", "  wire broken = no_such_net;\nendmodule")
    assert not elaboration.elaborates(file, broken)
