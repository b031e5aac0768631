# SPDX-License-Identifier: Apache-2.0
"""The slots of a load balancer: Maglev hashing.

Source: Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI 2016,
section 3.4. Backends take turns; each takes the next free slot of its own permutation of all slots.
So their shares differ by at most one slot (times weight), and few slots change when a backend
comes or goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

from bombus.base.errors import UserError

SLOTS = 65537


def slots(backends: Mapping[str, int], num_slots: int = SLOTS) -> list[str]:
    """The backend of each slot, by name.

    `backends`: weights of the backends, at least 1; a backend of weight 2 gets twice the slots of
    one of weight 1. The result depends on names and weights only, not on their order. Raises
    UserError if there are no backends, more than slots, or `num_slots` is not a prime.
    """
    if not backends:
        raise UserError("no backend has slots: there is none")
    if not _is_prime(num_slots):
        raise UserError(f"the number of slots must be a prime, not {num_slots}")
    for name, weight in backends.items():
        if weight < 1:
            raise UserError(f"the weight of backend {name} must be at least 1, not {weight}")
    if sum(backends.values()) > num_slots:
        raise UserError(f"{num_slots} slots are too few for these backends and weights")
    names = sorted(backends)
    # The permutation of a backend is offset + n * skip, modulo the number of slots.
    offsets = {name: _hash(name, b"offset") % num_slots for name in names}
    skips = {name: _hash(name, b"skip") % (num_slots - 1) + 1 for name in names}
    turns = [name for name in names for _ in range(backends[name])]
    found: list[str | None] = [None] * num_slots
    free = num_slots
    while free:
        for name in turns:
            slot, skip = offsets[name], skips[name]
            while found[slot] is not None:
                slot = (slot + skip) % num_slots
            found[slot] = name
            offsets[name] = (slot + skip) % num_slots
            free -= 1
            if not free:
                break
    return [name for name in found if name is not None]


def _hash(name: str, purpose: bytes) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8, person=purpose).digest(), "big")


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % n for n in range(2, int(number**0.5) + 1))
