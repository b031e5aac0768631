# SPDX-License-Identifier: Apache-2.0
"""Rule files: syntax, ports, contents, what becomes of each rule and why."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from bombus.applications.intrusion_detection import (
    compiling,
    content,
    keywords,
    load,
    lookup,
    model,
    ports,
)
from bombus.applications.intrusion_detection.compiling import Verdict
from bombus.applications.intrusion_detection.lookup import Hit
from bombus.applications.intrusion_detection.rule import LAST_BYTE
from bombus.applications.intrusion_detection.tables import Entry
from bombus.base.errors import UserError
from bombus.cli import app

ANY = "alert tcp any any -> any any"


def written(tmp_path: Path, *rules: str) -> Path:
    file = tmp_path / "my.rules"
    file.write_text("\n".join(rules))
    return file


def judged(tmp_path: Path, *rules: str, **variables: str) -> Sequence[Verdict]:
    file = written(tmp_path, *rules, f'{ANY} (content:"some more"; sid:999999;)')
    return compiling.compile_rules(compiling.read([file], variables)).verdicts


def entry(verdict: Verdict) -> Entry:
    assert verdict.entry
    return verdict.entry


def kind_of(tmp_path: Path, options: str, head: str = ANY) -> tuple[str, str]:
    first, _ = judged(tmp_path, f"{head} ({options} sid:1;)")
    return first.kind, first.reason


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("any", [(0, 65535)]),
        ("80", [(80, 80)]),
        ("1024:", [(1024, 65535)]),
        (":1023", [(0, 1023)]),
        ("!80", [(0, 79), (81, 65535)]),
        ("[80,81,8000:8010]", [(80, 81), (8000, 8010)]),
        ("[80:90,!85]", [(80, 84), (86, 90)]),
        ("[!80,!443]", [(0, 79), (81, 442), (444, 65535)]),
        ("![80,[443,8443]]", [(0, 79), (81, 442), (444, 8442), (8444, 65535)]),
        ("$FILE_DATA_PORTS", [(80, 80), (110, 110), (143, 143)]),
        ("!any", []),
    ],
)
def test_ports(text: str, ranges: list[tuple[int, int]]) -> None:
    assert list(ports.parse(text, ports.VARIABLES)) == ranges


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ('"abc"', b"abc"),
        ('"a|0d 0A|b"', b"a\r\nb"),
        ('"|00||01|"', b"\0\1"),
        (r'"a\"\;\\\:b"', b'a";\\:b'),
        ('!"abc"', b"abc"),
        ('"\xe9"', b"\xe9"),
    ],
)
def test_contents(text: str, pattern: bytes) -> None:
    found, modifiers = content.parse(text)
    assert found.pattern == pattern and found.negated == text.startswith("!") and not modifiers


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ('content:"evil stuff";', ""),
        ('content:"evil stuff",nocase,offset 3,depth 20; dsize:>1;', ""),
        ('content:"evil stuff"; offset:3;', "places in TCP streams"),
        ('content:"evil"; content:"stuff"; distance:1; within:5;', ""),
        ('content:"stuffing"; content:"evil"; distance:-6; within:4;', ""),
        ('content:"stuff"; content:"evil"; distance:-9; within:4;', "not fixed"),
        ('content:"evil stuff"; distance:-1; within:20; dsize:>1;', ""),
        ('content:"evil stuff"; service:http;', "keyword service"),
        ('content:"evil stuff"; dsize:1<=>20;', ""),
        ('content:"evil stuff"; dsize:=>5;', ""),
        ('content:"evil stuff"; dsize:=<50;', ""),
        ('content:"evil stuff"; pcre:"/a"b/";', "keyword pcre"),
        ('pcre:"/a"b/"; content:"evil stuff"; pcre:"/c"d/";', "keyword pcre"),
        ('msg:"say "hi" to"; content:"evil stuff"; http_uri;', "buffer http.uri"),
        ('dsize:>100; content:"evil stuff"; startswith; metadata:a b; flow:stateless;', ""),
        ('content:"evil stuff"; flow:established,to_server;', "keyword flow"),
        ('content:"evil stuff"; pcre:"/a\\;b/";', "keyword pcre"),
        ('content:"evil stuff"; not_known:7;', "keyword not_known"),
        ('content:"evil stuff"; content:!"good";', "content that must not be there"),
        ('content:"evil stuff"; byte_extract:1,0,n; content:"x"; distance:n;', "byte_extract"),
        ('content:"evil stuff"; http_uri;', "buffer http.uri"),
        ('http.user_agent; content:"evil stuff";', "buffer http.user_agent"),
        ('content:"evil"; content:"stuff"; distance:0;', "not fixed"),
        ('content:"evil"; content:"stuff"; distance:0; within:6;', "not fixed"),
        ('content:"evil"; content:"stuff";', "not fixed"),
        (f'content:"{"ABCDEFGH" * 15}"; dsize:<999;', ""),
        (f'content:"{"ABCDEFGH" * 15}I"; dsize:<999;', "more than 15 steps"),
        (f'content:"{"01234567" * 4}8";', ""),
        (f'content:"{"01234567" * 4}89";', "more than 33 bytes in TCP streams"),
    ],
)
def test_exact_or_prefilter(tmp_path: Path, options: str, reason: str) -> None:
    kind, why = kind_of(tmp_path, options)
    assert kind == ("prefilter" if reason else "exact")
    assert reason in why


@pytest.mark.parametrize(
    ("options", "head", "reason"),
    [
        ("", ANY, "no content"),
        ('content:"abc";', ANY, "no content of 4 bytes or more"),
        ('content:!"evil stuff";', ANY, "no content that must be there"),
        ('ja3.hash; content:"0123456789abcdef";', ANY, "contents only in ja3.hash"),
        ('http.uri; to_md5; content:"0123456789abcdef";', ANY, "contents only in http.uri"),
        ('content:"evil stuff"; depth:4;', ANY, "longer than its depth"),
        ('content:"evil stuff"; content:"abcdef"; within:4;', ANY, "longer than its within"),
        ('content:"evil stuff"; offset:20000;', ANY, "no place where"),
        ('content:"evil stuff";', ANY.replace("tcp", "foo"), "protocol foo"),
        ('content:"evil stuff";', ANY.replace("alert", "pass"), "action pass"),
        ('content:"evil stuff";', "alert tcp any $MINE -> any any", "variable $MINE"),
        ('content:"evil stuff";', "alert tcp $HOMENET any -> any any", "variable $HOMENET"),
        ('content:"evil stuff";', "alert tcp any any -> [!$A,10.0.0.1] any", "variable $A"),
        ('content:"evil stuff";', "alert icmp any any -> any 80", "ICMP has no ports"),
        ('content:"evil stuff"; dsize:<0;', ANY, "dsize: no payload has a size of <0"),
        ('content:"evil stuff"; dsize:0<>0;', ANY, "dsize: no payload has a size of 0<>0"),
        ('content:"evil stuff"; dsize:20<=>10;', ANY, "dsize: no payload has a size of 20<=>10"),
        ('content:"evil stuff"; dsize:>16383;', ANY, "dsize: no payload has a size of >16383"),
        ('content:"evil stuff"; dsize:1-5;', ANY, "dsize: '1-5' is not a number"),
        ('content:"evil stuff"; depth:1x;', ANY, "depth: '1x' is not a number"),
        ('content:"evil stuff"; offset:-1;', ANY, "offset: -1 is not from 0"),
        ('content:"evil stuff",depth 1x;', ANY, "content: '1x' is not a number"),
        ('content:"evil stuff"; dsize:<10;', ANY, "longer than dsize"),
    ],
)
def test_not_compiled(tmp_path: Path, options: str, head: str, reason: str) -> None:
    kind, why = kind_of(tmp_path, options, head)
    assert kind == "not_compiled" and reason in why


def test_addresses_and_protocols_above(tmp_path: Path) -> None:
    rules = [
        f'alert {head} (content:"evil stuff"; sid:{sid};)'
        for sid, head in enumerate(
            [
                "tcp $HOME_NET any -> $EXTERNAL_NET any",
                "tcp 10.0.0.0/8 any -> any any",
                "http any any -> any any",
                "udp [10.0.0.1, 10.0.0.2] any -> any any",
            ],
            1,
        )
    ]
    reasons = [each.reason for each in judged(tmp_path, *rules)]
    assert reasons == ["", "addresses", "protocol http", "addresses", ""]
    assert judged(tmp_path, *rules, HOME_NET="10.0.0.0/8")[0].reason == "addresses"


def test_pairs_of_port_ranges(tmp_path: Path) -> None:
    first, second, third, _ = judged(
        tmp_path,
        'alert tcp any [1,3] -> any [5,7,9] (content:"evil stuff"; sid:1;)',
        'alert udp any 53 <> any any (content:"evil stuff"; sid:2;)',
        "alert udp any [1,3,5,7,9,11,13,15] -> any [1,3,5,7,9,11,13,15] "
        '(content:"evil stuff"; sid:3;)',
    )
    assert len(entry(first).ports) == 6 and len(entry(second).ports) == 2
    assert third.kind == "prefilter" and "63 pairs" in third.reason
    assert entry(third).ports == (((1, 15), (1, 15)),)


def test_fragments_are_rare_ones(tmp_path: Path) -> None:
    first, second, third, fourth, _ = judged(
        tmp_path,
        'alert tcp any any -> any any (content:"    |00 00 00 00|    QZ#xj|ff|7k    "; sid:1;)',
        'alert udp any any -> any any (content:"ab"; content:"wxyzw"; sid:2;)',
        'alert dns any any -> any any (dns.query; content:"longlabels.example.com"; sid:3;)',
        'alert tls any any -> any any (tls.sni; dotprefix; content:".bad.name"; sid:4;)',
    )
    assert entry(first).anchor.key == b"qz#xj\xff7k"
    assert len(entry(second).anchor.key) == 4
    assert entry(third).anchor.key in b"longlabels"
    assert entry(fourth).anchor.key == b"bad.name"


@pytest.mark.parametrize(
    ("options", "buffers"),
    [
        ('content:"abcd"; http_uri; content:"efgh"; nocase; http_header;', "uri header"),
        ('http_uri; content:"abcd"; http_header; content:"efgh", depth 4;', "uri header"),
        ('http.uri; content:"abcd"; content:"efgh"; http.header; pkt_data;', "uri uri"),
        ('http_user_agent; content:"abcd"; pkt_data; content:"efgh";', "user_agent "),
    ],
)
def test_buffers(tmp_path: Path, options: str, buffers: str) -> None:
    """As modifiers of the content before, or standing before their contents."""
    first, _ = judged(tmp_path, f"{ANY} ({options} sid:1;)")
    names = [each.buffer.removeprefix("http.") for each in first.rule.contents]
    assert names == buffers.split(" ") and first.kind == "prefilter"


def test_lines_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "my.rules"
    file.write_bytes(
        b"# alert nothing\n\n"
        b'alert tcp any any -> any any (msg:"caf\xc3\xa9\\; (x)"; \\\n'
        b'   content:"evil stuff"; sid:7; rev:3;)\r\n'
        b'  alert udp any any -> any any (content:"more stuff"; sid:8;)\n'
    )
    first, second = compiling.read([file], {})
    assert (first.sid, first.rev, first.msg, first.statement.line) == (7, 3, "café; (x)", 3)
    assert (second.sid, second.statement.line) == (8, 5)


BAD = (
    ("alert tcp any any -> any any", "parentheses"),
    (f"{ANY} (sid:1;", "not closed"),
    (f"{ANY} (sid:1)", "does not end with ;"),
    (f'{ANY} (content:"abc; sid:1;)', "the quotation of content is not closed"),
    (f'{ANY} (content:"abc; sid:1)', "the quotation of content is not closed"),
    (f'{ANY} (content:"a;bc"; sid:1;)', "a ; in it needs a backslash"),
    (f'{ANY} (content:"abcd"; sid:1;){ANY} (content:"abcd"; sid:2;)', "is not a keyword"),
    (f'{ANY} (content:"abcd"; rev:x; sid:1;)', "'x' is not a number"),
    (f'{ANY} (content:"{"abcd" * 3000}"; sid:1;)', "more than 8191 bytes"),
    (f"alert tcp {'[' * 4000}any{']' * 4000} any -> any any (sid:1;)", "too deep"),
    ("alert tcp any any -> 1.2.3.400 any (sid:1;)", "'1.2.3.400' is not an address"),
    ("alert tcp any !any -> any any (sid:1;)", "'!any' leaves no port"),
    (f'{ANY} (content:"|0x|"; sid:1;)', "not valid hexadecimal"),
    (f'{ANY} (content:"|00"; sid:1;)', "not closed"),
    (f"{ANY} (content:abc; sid:1;)", "not in quotes"),
    (f'{ANY} (content:""; sid:1;)', "empty"),
    (f'{ANY} (content:"abc",foo; sid:1;)', "not a modifier"),
    (f"{ANY} (nocase; sid:1;)", "before any content"),
    (f'{ANY} (content:"ab"cd"; sid:1;)', "backslash"),
    (f'{ANY} (content:"abcd"; sid:99999999999;)', "99999999999 is not from 1"),
    (f'{ANY} (content:"abcd";)', "no sid"),
    (f"{ANY} (; sid:1;)", "no name"),
    ("alert tcp any any any any (sid:1;)", "begins with"),
    ("alert tcp any any <- any any (sid:1;)", "not a direction"),
    ("allow tcp any any -> any any (sid:1;)", "not an action"),
    ("alert tcp any 70000 -> any any (sid:1;)", "65535"),
    ("alert tcp any 9:8 -> any any (sid:1;)", "ends before"),
    ("alert tcp any [80 -> any any (sid:1;)", "bracket"),
    ("alert tcp any 80] -> any any (sid:1;)", "bracket"),
)


@pytest.mark.parametrize(("rule", "message"), BAD)
def test_syntax_errors_have_their_line(tmp_path: Path, rule: str, message: str) -> None:
    good = f'{ANY} (content:"evil stuff"; sid:5;)'
    (tmp_path / "my.rules").write_text(f"{good}\n{rule}\n")
    arguments = ["rules", "compile", f"{tmp_path}/my.rules", "-o", f"{tmp_path}/out"]
    error = CliRunner().invoke(app, arguments).exception
    assert isinstance(error, UserError)
    assert str(error).startswith(f"{tmp_path}/my.rules:2: ") and message in str(error)
    assert not (tmp_path / "out").exists()


def test_errors_of_all_kinds_are_reported_together(tmp_path: Path) -> None:
    bad = ['(content:"ab" sid:1;)', '(content:"ab";)', "(content; sid:1;)", '(content:"ab', ""]
    (tmp_path / "my.rules").write_text("\n".join(f"{ANY} {each}" for each in bad))
    with pytest.raises(UserError) as raised:
        compiling.read([tmp_path / "my.rules"], {})
    lines = [line.split(": ")[0] for line in str(raised.value).splitlines()]
    assert lines == [f"{tmp_path}/my.rules:{number}" for number in range(1, 6)]


def test_unknown_keywords_are_told(tmp_path: Path) -> None:
    (tmp_path / "my.rules").write_text(
        f'{ANY} (content:"evil stuff"; offse:4; sid:1;)\n'
        f'{ANY} (http.usr_agent; content:"evil stuff"; sid:2;)\n'
        f'{ANY} (content:"evil stuff"; offse:4; tls.cert_subject; content:"x"; sid:3;)\n'
    )
    arguments = ["rules", "compile", f"{tmp_path}/my.rules", "-o", f"{tmp_path}/out"]
    result = CliRunner().invoke(app, arguments)
    place = f"{tmp_path}/my.rules"
    assert result.stderr.splitlines() == [
        f"{place}:1: warning: unknown keyword offse (in 2 rules); the host must check it",
        f"{place}:2: warning: unknown keyword http.usr_agent (in 1 rule); the host must check it",
    ]


def test_a_rule_that_is_not_read_leaves_the_others(tmp_path: Path) -> None:
    """It is listed with its line and the reason."""
    (tmp_path / "my.rules").write_text(
        f'{ANY} (content:"evil stuff"; sid:1;)\n{ANY} (content:"more stuff"; dsize:<0; sid:2;)\n'
    )
    arguments = ["rules", "compile", f"{tmp_path}/my.rules", "-o", f"{tmp_path}/out"]
    result = CliRunner().invoke(app, arguments)
    reason = "dsize: no payload has a size of <0"
    assert f"{tmp_path}/my.rules:2: sid 2 is not compiled: {reason}\n" in result.output
    assert "2 rules: 1 exact, 0 prefilter, 1 not compiled" in result.output


def test_other_protocols_are_prefilters(tmp_path: Path) -> None:
    """ICMP timestamps, SCTP and ESP have longer headers than the matcher takes them to have."""
    place = 'content:"evil stuff"; offset:2; depth:10; dsize:<30;'
    rules = [
        f"alert {head} any {port} -> any any ({place} sid:{sid};)"
        for sid, (head, port) in enumerate(
            [("icmp", "any"), ("ip", "any"), ("ip", "80"), ("ipv4", "!80"), ("udp", "80")], 1
        )
    ]
    *others, udp, _ = judged(tmp_path, *rules)
    reasons = ["protocol icmp", "protocol ip", "protocol ip", "protocol ipv4"]
    assert [each.reason for each in others] == reasons and udp.kind == "exact"
    protocols = [entry(each).protocols for each in (*others, udp)]
    tcp, icmp, other = keywords.TCP, keywords.ICMP, keywords.OTHER
    ported = tcp | keywords.UDP | other  # SCTP has ports
    assert protocols == [icmp, keywords.ALL, ported, ported, keywords.UDP]
    for each in others:
        assert entry(each).anchor.high == LAST_BYTE and entry(each).size == (0, LAST_BYTE)
    assert entry(udp).anchor.high < 10 and entry(udp).size == (0, 29)


@pytest.mark.parametrize(
    ("payload", "options"),
    [
        ("evil stuff", 'content:"stuff"; content:"evil"; distance:-20; within:4;'),
        ("stuff evil", 'content:"stuff"; content:"evil"; distance:-11; within:4;'),
        ("evil stuff", 'content:"stuff"; offset:5; content:"evil"; distance:-20; within:4;'),
        ("evil stuff", 'content:"stuff"; offset:5; depth:5; content:"evil"; distance:-11;'),
        ("stuff evil", 'content:"evil"; distance:-20; within:4; content:"stuff";'),
    ],
)
def test_distances_to_before_the_payload(tmp_path: Path, payload: str, options: str) -> None:
    """Suricata alerts on these payloads: a place before the payload becomes any place."""
    file = tmp_path / "my.rules"
    file.write_text(f"alert udp any any -> any any ({options} sid:1;)")
    compiled = compiling.compile_rules(compiling.read([file], {}))
    assert compiled.verdicts[0].kind == "prefilter"
    packet = model.Packet(keywords.UDP, 1, 2, payload.encode())
    assert [hit.sid for hit in lookup.hits(compiled.tables, packet)] == [1]


@pytest.mark.parametrize(
    ("options", "may_be_hidden"),
    [
        ('http.request_body; content:"evil stuff";', True),
        ('http.cookie; content:"evil stuff";', True),
        ('http.user_agent; content:"evil stuff";', True),
        ('content:"evil stuff"; http_host;', True),
        ('http.request_line; content:"evil stuff";', False),
        ('http.uri.raw; content:"evil stuff";', False),
        ('tls.sni; content:"evil stuff";', False),
        ('content:"evil stuff"; pcre:"/x/";', False),
    ],
)
def test_what_may_be_hidden(tmp_path: Path, options: str, may_be_hidden: bool) -> None:
    """Values of HTTP headers may be folded, and bodies come in chunks."""
    verdict, _ = judged(tmp_path, f"{ANY} ({options} sid:1;)")
    assert verdict.kind == "prefilter" and verdict.may_be_hidden == may_be_hidden


@pytest.mark.parametrize("protocol", ["enip", "nfs", "ldap"])
def test_protocols_over_tcp_and_udp(tmp_path: Path, protocol: str) -> None:
    rule = f'alert {protocol} any any -> any any (content:"evil stuff"; sid:1;)'
    verdict, _ = judged(tmp_path, rule)
    assert entry(verdict).protocols == keywords.TCP | keywords.UDP


def test_address_variables(tmp_path: Path) -> None:
    """Those of the usual configurations are `any`; others must be given."""
    rule = 'alert tcp $DNS_SERVERS any -> $MINE any (content:"evil stuff"; sid:1;)'
    for variables, kind, reason in (
        ({}, "not_compiled", "variable $MINE is not known"),
        ({"MINE": "any"}, "exact", ""),
        ({"MINE": "$HOME_NET"}, "exact", ""),
        ({"MINE": "10.0.0.0/8"}, "prefilter", "addresses"),
        ({"MINE": "[$YOURS,10.0.0.0/8]"}, "not_compiled", "variable $YOURS is not known"),
    ):
        first, _ = judged(tmp_path, rule, **variables)
        assert (first.kind, first.reason) == (kind, reason)
    with pytest.raises(UserError, match=r"my.rules:1: variables of addresses are too deep"):
        judged(tmp_path, rule, MINE="$MINE")


@pytest.mark.parametrize("part", ["1024:,!1030", "10.0.0.0/8", ""])
def test_variables_that_double(tmp_path: Path, part: str) -> None:
    """Each has the next one eight times: their values are bounded, and so is the time."""
    variables = {f"V{n}": ",".join([f"$V{n + 1}"] * 8) for n in range(9)}
    variables = {name: f"[{value}]" for name, value in variables.items()} | {"V9": f"[{part}]"}
    content = '(content:"evil stuff"; sid:1;)'
    start = process_time()
    if ":" in part:
        verdict, _ = judged(tmp_path, f"alert tcp any $V0 -> any any {content}", **variables)
        assert entry(verdict).ports == (((1024, 1029), (0, 65535)), ((1031, 65535), (0, 65535)))
        variables["V9"] = f"[{','.join(map(str, range(1, 20001, 2)))}]"
        with pytest.raises(UserError, match=r"my.rules:1: a list has more than 65,536 ranges"):
            judged(tmp_path, f"alert tcp any $V0 -> any any {content}", **variables)
    else:
        problem = (
            r"my.rules:1: with the values of its variables, '\[\$V\d,\$V.*' has more than 262,144"
        )
        with pytest.raises(UserError, match=problem):
            judged(tmp_path, f"alert tcp $V0 any -> any any {content}", **variables)
    assert process_time() - start < 10


def test_rules_of_other_generators(tmp_path: Path) -> None:
    """Equal sids with another gid are other rules."""
    rules = [f'{ANY} (content:"evil stuff"; gid:{gid}; sid:5;)' for gid in (1, 3)]
    compiled = compiling.compile_rules(compiling.read([written(tmp_path, *rules)], {}))
    found = compiling.manifest(compiled)["rules"]
    assert [(each["gid"], each["sid"]) for each in found] == [(1, 5), (3, 5)]
    assert len(compiling.read([written(tmp_path, *rules, rules[1])], {})) == 2


def test_hits_before_and_after_lost_ones_are_kept(tmp_path: Path) -> None:
    rule = f'{ANY} (content:"evil stuff"; sid:5;)'
    tables = compiling.compile_rules(compiling.read([written(tmp_path, rule)], {})).tables
    hit = {"valid": 1, "unchecked": 0, "row": 0, "exact": 1}
    queue = [{**hit, "lost": n == 1} for n in range(3)]
    register = SimpleNamespace(read=lambda: queue.pop(0) if queue else {"valid": 0, "lost": 0})
    with pytest.raises(load.MissingHitsError, match="hits were lost") as raised:
        load.hits(SimpleNamespace(hit=register), tables)
    assert raised.value.hits == [Hit(0, 5, True)] * 3 and not queue


@pytest.mark.parametrize(("revs", "line"), [((1, 1), 1), ((1, 2), 2), ((2, 1), 1)])
def test_a_sid_that_comes_twice(tmp_path: Path, revs: tuple[int, int], line: int) -> None:
    """As in Suricata, the highest rev counts, and of equal ones the first."""
    file = written(tmp_path, *(f'{ANY} (content:"evil stuff"; sid:5; rev:{n};)' for n in revs))
    arguments = ["rules", "compile", str(file), "-o", f"{tmp_path}/out"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0 and "1 rule: 1 exact" in result.stdout
    expected = f"{file}:2: warning: sid 5 is also at {file}:1; the one at {file}:{line} counts\n"
    assert result.stderr == expected
    assert [rule.rev for rule in compiling.read([file], {})] == [max(revs)]


def test_problems_are_bounded(tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        compiling.read([written(tmp_path, *["alert"] * 200_000)], {})
    lines = str(raised.value).splitlines()
    assert len(lines) == compiling.MOST_PROBLEMS + 1 and "has not been read" in lines[-1]
    good = f'{ANY} (content:"ab"; sid:'
    rules = compiling.read([written(tmp_path, *(f"{good}{n};)" for n in range(1, 202)))], {})
    with pytest.raises(UserError, match=r"and 101 rules more$"):
        compiling.compile_rules(rules)


def test_long_rules_end(tmp_path: Path) -> None:
    """A content or brackets of 1 MB."""
    million = 1_000_000
    lines = [
        f'{ANY} (content:"{"a" * million}"; sid:1;)',
        f"alert tcp any {'[' * million}80{']' * million} -> any any (sid:2;)",
        f'{ANY} (msg:"{" " * million}"; sid:3;)',
        (f"{ANY} \\\n") * 20_000,
    ]
    with pytest.raises(UserError) as raised:
        compiling.read([written(tmp_path, *lines)], {})
    assert all(len(line) < 300 for line in str(raised.value).splitlines())


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "my.rules"
    file.write_text(f'{ANY} (content:"evil stuff"; sid:5;)\n', encoding="utf-8-sig")
    assert [rule.sid for rule in compiling.read([file], {})] == [5]


def test_cases_of_letters(tmp_path: Path) -> None:
    (verdict, _) = judged(
        tmp_path, 'Alert TCP ANY ANY -> Any any (Content:"evil stuff"; NOCASE; Sid:5;)'
    )
    assert verdict.kind == "exact" and verdict.rule.contents[0].nocase


def test_command(tmp_path: Path) -> None:
    (tmp_path / "my.rules").write_text(
        f'{ANY} (msg:"one"; content:"evil stuff"; sid:1; rev:2;)\n'
        f'{ANY} (content:"other stuff"; pcre:"/x/"; sid:2;)\n'
        f"{ANY} (flags:S; sid:3;)\n"
    )
    arguments = ["rules", "compile", f"{tmp_path}/my.rules", "-o", f"{tmp_path}/out"]
    result = CliRunner().invoke(app, [*arguments, "--var", "HTTP_PORTS=[80,8080]"])
    assert result.exit_code == 0
    assert "my.rules:3: sid 3 is not compiled: no content" in result.output
    assert "3 rules: 1 exact, 1 prefilter, 1 not compiled; 256 rows" in result.output
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["counts"]["exact"] == 1 and manifest["rows"] == 256
    first = manifest["rules"][0]
    assert (first["sid"], first["rev"], first["msg"], first["class"]) == (1, 2, "one", "exact")
    assert not first["may_be_hidden"]
    assert (tmp_path / "out" / "tables.bin").stat().st_size == 256 * 32 * 4
    result = CliRunner().invoke(app, [*arguments, "--exact-only"])
    assert "sid 2 is not compiled: it would be a prefilter: keyword pcre" in result.output
    assert "3 rules: 1 exact, 0 prefilter, 2 not compiled; 256 rows" in result.output
    used = f'{ANY.replace("any ->", "$PORTS ->")} (content:"evil stuff"; sid:1;)\n'
    (tmp_path / "my.rules").write_text(used)
    given = ("PORTS=$HTTP_PORTS", "HTTP_PORTS=80", "PORT=1", "X=2")
    result = CliRunner().invoke(app, [*arguments, *(f"--var={each}" for each in given)])
    assert result.output.splitlines()[:2] == [
        "warning: --var PORT: no rule uses this variable; did you mean PORTS?",
        "warning: --var X: no rule uses this variable",
    ]
    for more in (["--rows", "300"], ["--var", "X"]):
        assert CliRunner().invoke(app, [*arguments, *more]).exit_code == 1


def test_a_file_that_is_no_text_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "my.elf").write_bytes(b"\x7fELF\0\n(\n(\n")
    with pytest.raises(UserError, match=r"my.elf is not a text file$"):
        compiling.read([tmp_path / "my.elf"], {})
