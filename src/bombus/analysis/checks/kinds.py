# SPDX-License-Identifier: Apache-2.0
"""Check that every input takes the kinds of messages that it may receive, and that the kinds have
different identities.
"""

from __future__ import annotations

from collections.abc import Iterator

from bombus.base.errors import Problem
from bombus.base.text import listing
from bombus.design.facts import Facts


def problems(facts: Facts) -> Iterator[Problem]:
    """Kinds with the same identity, and next hops whose messages may be of a kind that their target
    does not take.
    """
    yield from _equal(facts)
    for hop, strange in facts.messages.refused():
        assert hop.target is not None
        source = hop.source.layer
        named = hop.name in source.tile.next
        takes = listing(sorted(facts.messages.taken(hop.target))) or "none"
        target = hop.target.given_name
        yield facts.design.file.problem(
            (*source.tile.loc, "next", hop.name) if named else source.loc,
            f"{source.given_name} may send messages of kind {listing(sorted(strange))} to {target} "
            f"(next hop {hop.name!r}), which takes {takes}",
        )


def _equal(facts: Facts) -> Iterator[Problem]:
    found: dict[int, str] = {}
    for kind in facts.messages.by_number:
        other = found.setdefault(kind.identity, kind.name)
        if other != kind.name:
            yield facts.design.file.problem(
                ("name",),
                f"message kinds {other} and {kind.name} have the same identity "
                f"{kind.identity:#010x}: rename one of them or a field of it",
            )
