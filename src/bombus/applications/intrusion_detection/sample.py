# SPDX-License-Identifier: Apache-2.0
"""Generated rule sets and payloads for tests and measurements, in the shape of published rules and
of web traffic: words that are common to both, names, and binary data. Each rule has a content
without common words.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from bombus.applications.intrusion_detection import compiling
from bombus.applications.intrusion_detection.rule import Rule

_TOKENS = [
    "GET /",
    "POST /",
    "HTTP/1.1",
    "Host: ",
    "User-Agent: ",
    "Mozilla/5.0 (",
    "Windows NT 10.0; Win64",
    "Accept: */*",
    "text/html",
    "application/",
    "x-www-form-urlencoded",
    "Content-Type: ",
    "Content-Length: ",
    "Cookie: ",
    "session=",
    ".php?id=",
    "&cmd=",
    "/admin/",
    "index.html",
    ".exe",
    ".dll",
    "/wp-content/plugins/",
    "gate.php",
    "Connection: keep-alive",
    "gzip, deflate",
    "Referer: http://",
    "www.",
    ".com",
    ".net",
    ".top",
    ".xyz",
    "download",
    "update",
    "login",
    "password=",
    "upload",
    "<script",
    "function(",
    "eval(",
    "powershell -",
    "cmd.exe /c ",
    "/bin/sh",
]
_PORTS = ("any", "any", "any", "80", "$HTTP_PORTS", "[80,443,8080]", "1024:", "!80", "[25,587]")
_BUFFERS = ("http.uri", "http.user_agent", "http.header", "http.request_body", "file.data")
_CONSONANTS, _VOWELS = "bcdfghklmnprstvwxz", "aeiou"


def _name(random: Random) -> str:
    """Two to four syllables, perhaps with a number."""
    syllables = [
        random.choice(_CONSONANTS) + random.choice(_VOWELS) + random.choice(["", "", "n", "r", "s"])
        for _ in range(random.randint(2, 4))
    ]
    name = "".join(syllables)
    return random.choice([name, name, name.title(), f"{name}{random.randrange(1000)}"])


def _text(random: Random, size: int, names: float) -> bytes:
    """At least `size` characters; `names`: their share, the rest are common words."""
    found = ""
    while len(found) < size:
        is_name = random.random() < names
        found += _name(random) + random.choice(" /.=&?-_:") if is_name else random.choice(_TOKENS)
    return found.encode()


def _binary(random: Random, size: int) -> bytes:
    """Numbers with zeros in front, and random bytes."""
    found = b""
    while len(found) < size:
        zeros = bytes(random.choice([0, 0, 2, 3]))
        found += zeros + random.randbytes(random.choice([1, 2, 4, 8, 16]))
    return found[:size]


def _content(random: Random, longest: int, names: float = 1.0) -> str:
    """`names`: their share of a text; short contents are binary."""
    size = random.randint(4, longest)
    if size < 8:
        pattern = random.randbytes(size)
    elif random.random() < 0.2:
        pattern = _binary(random, size)
    else:
        text = _text(random, size + 6, names)
        first = random.randrange(7)
        pattern = text[first : first + size]
    nocase = " nocase;" if random.random() < 0.4 else ""
    return f'content:"|{pattern.hex(" ")}|";{nocase}'


def _exact(random: Random) -> str:
    """One content of the payload, no longer than what is compared in TCP streams."""
    protocol = random.choice(["tcp", "udp"])
    ports = f"any {random.choice(_PORTS)}"
    content = _content(random, 33 if protocol == "tcp" else 40)
    return f"alert {protocol} any any -> {ports} ({content}"


def _prefilter(random: Random) -> str:
    kind = random.choice(["http", "http", "http", "tcp", "tcp", "dns", "tls", "udp"])
    ports = random.choice(_PORTS) if kind in ("tcp", "udp") else "any"
    contents = [_content(random, 40)]
    contents += [_content(random, 40, names=0.5) for _ in range(random.choice([0, 0, 1, 2]))]
    if kind in ("tcp", "udp"):
        options = contents[0] + "".join(f" {each} distance:0;" for each in contents[1:])
        options += ' pcre:"/[a-f0-9]{8}/";'
    else:
        buffers = {"dns": ["dns.query"], "tls": ["tls.sni"], "http": _BUFFERS}[kind]
        options = " ".join(f"{random.choice(buffers)}; {each}" for each in contents)
    return f"alert {kind} any any -> any {ports} (flow:to_server; {options}"


def text(random: Random, count: int, exact: bool = True) -> str:
    """Lines of a rule file with `count` rules; every fifth one is exact, or would be but for
    `flow`.
    """
    flow = "" if exact else " flow:to_server;"
    made = [_prefilter(random) if sid % 5 else _exact(random) + flow for sid in range(1, count + 1)]
    return "\n".join(f"{rule} sid:{sid};)" for sid, rule in enumerate(made, 1))


def rules(random: Random, count: int, folder: Path) -> list[Rule]:
    """The rules of a file that is written into a folder."""
    file = folder / "sample.rules"
    file.write_text(text(random, count), encoding="utf-8")
    return compiling.read([file], {})


def payload(random: Random, size: int) -> bytes:
    """Text, binary data, or text with binary data behind it."""
    share = random.choice([1.0, 1.0, 0.0, 0.3])
    head = _text(random, size, 0.5)[: int(size * share)]
    return head + _binary(random, size - len(head))
