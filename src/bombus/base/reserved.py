# SPDX-License-Identifier: Apache-2.0
"""Words that generated headers, or attributes in Python, could not have as a name."""

from __future__ import annotations

import keyword

_C = (
    "alignas alignof auto bool break case char const constexpr continue default do double else "
    "enum extern false float for goto if inline int long nullptr register restrict return short "
    "signed sizeof static static_assert struct switch thread_local true typedef typeof "
    "typeof_unqual union unsigned void volatile while"
)
_CPP = (
    "and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return "
    "co_yield compl concept const_cast consteval constinit decltype delete dynamic_cast "
    "explicit export friend mutable namespace new noexcept not not_eq operator or or_eq private "
    "protected public reinterpret_cast requires static_cast template this throw try typeid "
    "typename using virtual wchar_t xor xor_eq"
)
_MACROS = "errno i386 linux unix"  # of C compilers and their headers


def language_of(name: str) -> str | None:
    """The language that reserves a word, if one does."""
    if name in _C.split() or name in _MACROS.split():
        return "C"
    if name in _CPP.split():
        return "C++"
    if keyword.iskeyword(name):
        return "Python"
    return None  # in SystemVerilog, names are parts of longer ones
