# SPDX-License-Identifier: Apache-2.0
"""Rule files of acl: what they say, and what is refused, by line."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path
from random import Random

import pytest

from bombus.applications.functions.acl import HAS_PORTS, IS_FRAGMENT, Rule, covered, parse, read
from bombus.base.errors import UserError
from tests.applications.functions import acl_rule_sets as sets

TEXT = """
# a comment
deny  tcp from 10.0.0.0/8 port 1024-65535 to any port 22-23 flags syn !ack
allow udp from any port 53 to 10.77.0.2  # DNS
allow 47  from any to any mark 3

deny  ip  from any to any fragment
allow tcp from any to any established
default allow
"""


def test_what_a_file_says() -> None:
    found = parse(TEXT, "my.acl")
    ten = IPv4Network("10.0.0.0/8")
    here = IPv4Network("10.77.0.2/32")
    state, mask = HAS_PORTS | 2, HAS_PORTS | 0x12
    flagged = Rule(False, ten, protocol=6, state=state, state_mask=mask, line=3)
    ports = {"source_ports": (1024, 65535), "destination_ports": (22, 23)}
    assert list(found.rules) == [
        Rule(**{**flagged.__dict__, **ports}),
        Rule(True, destination=here, source_ports=(53, 53), protocol=17, state=HAS_PORTS,
             state_mask=HAS_PORTS, line=4),
        Rule(True, protocol=47, mark=3, line=5),
        Rule(False, state=IS_FRAGMENT, state_mask=IS_FRAGMENT, line=7),
        Rule(True, protocol=6, state=HAS_PORTS, state_mask=HAS_PORTS, line=8, established=True),
    ]  # fmt: skip
    assert found.default_allow and not found.warnings
    assert not parse("", "none").default_allow


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("pass ip from any to any", "expected `allow` or `deny`, not 'pass'"),
        ("deny", "a protocol is missing"),
        ("deny xyz from any to any", "unknown protocol 'xyz'"),
        ("deny 256 from any to any", "'256' is not a protocol: expected 0 to 255"),
        ("deny ip any to any", "expected `from`, not 'any'"),
        ("deny ip from any any", "expected `to`, not 'any'"),
        ("deny ip from any", "expected `to`"),
        ("deny ip from any to", "a prefix is missing"),
        ("deny ip from 10.0.0.1/8 to any", "did you mean 10.0.0.0/8?"),
        ("deny ip from 10.0.0.0/33 to any", "'10.0.0.0/33' is not an IPv4 prefix"),
        ("deny ip from 10.0.0 to any", "'10.0.0' is not an IPv4 prefix"),
        ("deny ip from ::/0 to any", "'::/0' is not an IPv4 prefix"),
        ("deny ip from any port 7 to any", "only tcp and udp have ports"),
        ("deny udp from any port to any", "'to' is not a port"),
        ("deny udp from any port 65536 to any", "'65536' is not a port: expected 0 to 65535"),
        ("deny udp from any port 9-7 to any", "the last port is below the first"),
        ("deny udp from any port -7 to any", "'' is not a port"),
        ("deny udp from any to any flags syn", "only tcp has flags"),
        ("deny tcp from any to any flags", "a flag is missing"),
        ("deny tcp from any to any flags xyz", "a flag is missing"),
        ("deny tcp from any to any flags syn !syn", "flag syn is given twice"),
        ("deny tcp from any to any flags syn fragment", "has no ports and no flags"),
        ("deny ip from any to any mark 8", "'8' is not a mark: expected 0 to 7"),
        ("deny ip from any to any mark", "a mark is missing"),
        ("deny ip from any to any log", "unexpected 'log'"),
        ("allow icmp from any to any established", "only tcp and udp have established flows"),
        ("allow ip from any to any fragment established", "so it is of no flow"),
        ("default", "expected `default allow` or `default deny`"),
        ("default no", "expected `allow` or `deny`, not 'no'"),
    ],
)
def test_bad_lines(line: str, reason: str) -> None:
    with pytest.raises(UserError) as error:
        parse(f"allow udp from any to any\n{line}\n", "my.acl")
    assert str(error.value).startswith("my.acl:2: ") and reason in str(error.value)


def test_all_bad_lines_are_named(tmp_path: Path) -> None:
    file = tmp_path / "my.acl"
    file.write_text(
        "default deny\nx\ndeny ip from any to any\nallow ip from any to any\ndefault deny"
    )
    with pytest.raises(UserError) as error:
        read(file)
    assert [text.partition(": ")[0] for text in str(error.value).splitlines()] == [
        f"{file}:{n}" for n in (2, 4, 5)
    ]
    with pytest.raises(UserError, match="cannot read"):
        read(tmp_path / "none")
    file.write_bytes(b"\xff")
    with pytest.raises(UserError, match="not UTF-8"):
        read(file)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("deny ip from any to any\nallow udp from any to any", "2: never matches: line 1 before"),
        (
            "deny udp from any to any port 0-99\ndeny udp from any to any port 100-65535\n"
            "allow udp from any to any port 50-150",
            "3: never matches: lines 1, 2 before decide otherwise",
        ),
        (
            "deny ip from 10.0.0.0/9 to any\nallow ip from 10.128.0.0/9 to any\n"
            "deny tcp from 10.0.0.0/8 to any",
            "3: never matches: lines 1, 2 before decide otherwise",
        ),
        (
            "deny tcp from any to any flags syn\ndeny tcp from any to any flags !syn\n"
            "allow tcp from any to any port 80",
            "3: never matches: lines 1, 2 before decide otherwise",
        ),
    ],
)
def test_contradictions(text: str, problem: str) -> None:
    with pytest.raises(UserError) as error:
        parse(text, "my.acl")
    assert f"my.acl:{problem}" in str(error.value)


def test_established_rules_cover_less() -> None:
    both = "allow udp from any to any established\ndeny udp from any to any port 7"
    assert len(parse(both, "my.acl").rules) == 2
    with pytest.raises(UserError, match="2: never matches: line 1 before decides otherwise"):
        parse("deny udp from any to any\nallow udp from any to any established", "my.acl")


def test_superfluous_rules_are_warnings() -> None:
    found = parse("deny ip from 10.0.0.0/8 to any\ndeny tcp from 10.1.0.0/16 to any", "my.acl")
    (warning,) = found.warnings
    assert warning == "my.acl:2: never matches: line 1 before decides the same"


def test_covered_rules_decide_nothing() -> None:
    """No packet near a rule that is called covered is decided by it; a rule that decides is not."""
    random = Random(5)
    seen = 0
    for _ in range(30):
        found = sets.rule_set(random, 60)
        names = {id(rule) for rule, _ in covered(found.rules)}
        seen += len(names)
        for _ in range(300):
            reason = sets.verdict(sets.packet(random, found.rules, 0), found).reason
            assert isinstance(reason, str) or id(found.rules[reason]) not in names
    assert seen > 20
