# SPDX-License-Identifier: Apache-2.0
"""Comments of SystemVerilog sources."""

from __future__ import annotations

import re

# Strings and escaped identifiers first, since they may contain what looks like a comment.
_TOKEN = re.compile(
    r'''
    (?P<kept> """(?:\\.|[^\\])*?""" | "(?:\\.|[^"\\])*" | \\\S+ |
              //\s*(?:verilator|synthesis)\b[^\n]* |
              /\*\s*(?:verilator|synthesis)\b.*?\*/ )
    | //[^\n]* | /\*.*?\*/
    ''',
    re.VERBOSE | re.DOTALL,
)
_END_OF_LINE = re.compile(r"[ \t]+$", re.MULTILINE)


def without_comments(text: str) -> str:
    """SystemVerilog without comments, except those that tools obey. Lines keep their numbers."""
    code = _TOKEN.sub(lambda match: match["kept"] or "\n" * match[0].count("\n") or " ", text)
    return _END_OF_LINE.sub("", code)
