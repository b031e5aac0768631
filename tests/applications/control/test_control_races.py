# SPDX-License-Identifier: Apache-2.0
"""A controller whose keys, secret and answers meet other things in any cycle."""

from __future__ import annotations

from random import Random

import pytest

from bombus.applications.control.messages import Key, Status, answer, request, write
from tests.applications.control.controller_bench import (
    CONTROL,
    KEY,
    TABLE,
    Driver,
    beats,
    messages,
)
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

OLD, NEW = Key(bytes(range(16, 32)), number=2), Key(bytes(range(32, 48)), number=2)
ERASED = Key(bytes(16), number=2)
ALL = {"last_page": 0xFFFF, "may_read": 1, "may_write": 1}
LONGEST = 400  # cycles of a short request


def entry(key: Key, **rights: int) -> int:
    return CONTROL.pack(key=int.from_bytes(key.secret or b"", "little"), **rights)


def swept(benches: Benches, sealed_with: Key, before: int, after: int) -> list[Status | None]:
    """The status of a write whose key's entry changes n cycles after its first beat; None: no
    answer.
    """
    driver = Driver(benches("controller", Sealed=1))
    boot, found = driver.hello(KEY), list[Status | None]()
    for n in range(LONGEST):
        driver.bench.control(before)
        driver.bench.run(2)
        body = write(TABLE, n + 1)
        message = request(sealed_with, n + 1, body, boot=boot, client=1)
        driver.bench.push(list(beats(message)))
        driver.bench.run(n)
        driver.bench.control(after)
        answers = driver.exchange([], quiet=LONGEST)
        found.append(answer(sealed_with, answers[0]).status if answers else None)
        assert (driver.table[0] == n + 1) == (found[-1] == Status.OK)
    return found


def test_an_entry_that_is_rewritten(benches: Benches) -> None:
    """The old key never has the rights of the new one, whenever the entry changes."""
    found = swept(benches, OLD, entry(OLD, **ALL | {"may_write": 0}), entry(NEW, **ALL))
    assert set(found) == {None, Status.NO_RIGHT}
    assert found == sorted(found, key=lambda each: each is not None)


def test_an_entry_that_is_erased(benches: Benches) -> None:
    """The key 0 is never one, also while its entry is erased."""
    assert set(swept(benches, ERASED, entry(OLD, **ALL), entry(ERASED, **ALL))) == {None}


def test_answers_go_to_their_senders(benches: Benches) -> None:
    """Also while requests of others wait and answers are held up."""
    random = Random(5)
    driver = Driver(benches("controller", Sealed=1))
    boot = driver.hello(KEY)
    driver.bench.pace(stall=0.97)
    ports = [random.getrandbits(16) for _ in range(60)]
    for number, port in enumerate(ports, 1):
        body = write(TABLE, number) * random.choice((1, 1, 9))
        message = request(KEY, number, body, boot=boot, client=1)
        driver.bench.push(list(beats(message, port)))
    driver.bench.drain(quiet=2000)
    found = list(messages(driver.bench.items()))
    assert [port for port, _ in found] == ports
    assert [answer(KEY, data).number for _, data in found] == list(range(1, len(ports) + 1))


def test_a_secret_after_the_first_request(benches: Benches) -> None:
    """Strangers who are first do not fix the identity of the boot: the secret changes it."""
    driver = Driver(benches("controller", Sealed=1))
    assert driver.exchange([b"from a stranger"]) == []
    guessed = driver.hello(KEY)
    driver.bench.control(CONTROL.pack(secret=0xFEDC_BA98_7654_3210))
    (found,) = driver.exchange([request(KEY, 1, write(TABLE, 7), boot=guessed, client=1)])
    assert answer(KEY, found).status == Status.OTHER_BOOT and driver.table[0] == 0
    boot = answer(KEY, found).boot
    assert boot == guessed ^ 0xFEDC_BA98_7654_3210
    (found,) = driver.exchange([request(KEY, 1, write(TABLE, 7), boot=boot, client=1)])
    assert answer(KEY, found).status == Status.OK and driver.table[0] == 7
