"""The ARP cache and the table of questions that are not answered yet."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from harness import SEEDS, Bench, Benches, Layout

CONTROL = Layout(
    *(("tick", 16), ("idle", 1), ("lookup", 1), ("update", 1), ("vlan", 17), ("ip", 32)),
    *(("mac", 48), ("only_refresh", 1), ("ask", 1), ("ask_vlan", 17), ("ask_ip", 32)),
    *(("request_done", 1), ("find_vlan", 17), ("find_ip", 32), ("resolve", 1)),
    *(("keep_trying", 1), ("release_failed", 1)),
)
STATUS = Layout(
    *(("time", 32), ("busy", 1), ("hit", 1), ("mac", 48), ("ask_ok", 1), ("request", 1)),
    *(("request_vlan", 17), ("request_ip", 32), ("find_hit", 1), ("find_failed", 1)),
    *(("failed", 1), ("pending_busy", 1)),
)
SECOND = 1_000_000
MAX_TICK = 0xFFFF
AGE_STEP = 1 << 21  # microseconds
MAX_AGE_S = 300
TAG = 1 << 16  # a VLAN tag is there; below it the tag itself


class Tables:
    """Drives the bench cycle by cycle."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.idle()

    def idle(self, **values: int) -> None:
        self.bench.control(CONTROL.pack(idle=1, **values))

    def cycle(self, **values: int) -> None:
        """One cycle with these inputs; the others are low."""
        self.idle(**values)
        self.bench.run()
        self.idle()

    def get(self, name: str) -> int:
        return STATUS.get(self.bench.status, name)

    def seconds(self, seconds: float, *, tick: int = MAX_TICK) -> None:
        self.idle(tick=tick)
        self.bench.run(int(seconds * SECOND) // tick)
        self.idle()

    # ---- Cache ----

    def wait(self) -> None:
        for _ in range(200):
            if not self.get("busy"):
                return
            self.cycle()
        raise AssertionError("the cache stays busy")

    def lookup(self, ip: int, vlan: int = 0) -> int | None:
        self.wait()
        self.cycle(lookup=1, ip=ip, vlan=vlan)
        return self.get("mac") if self.get("hit") else None

    def update(self, ip: int, mac: int, vlan: int = 0, *, only_refresh: bool = False) -> None:
        self.wait()
        self.cycle(lookup=1, update=1, ip=ip, mac=mac, vlan=vlan, only_refresh=only_refresh)


@pytest.fixture
def tables(benches: Benches) -> Tables:
    return Tables(benches("arp_tables"))


def test_cache_starts_empty_and_remembers(tables: Tables) -> None:
    assert all(tables.lookup(ip) is None for ip in range(64))
    tables.update(0x0A000002, 0x020000000001)
    assert tables.lookup(0x0A000002) == 0x020000000001
    assert tables.lookup(0x0A000003) is None
    tables.update(0x0A000002, 0x020000000002)
    assert tables.lookup(0x0A000002) == 0x020000000002
    tables.bench.reset()
    assert tables.lookup(0x0A000002) is None


def test_cache_tells_vlans_apart(tables: Tables) -> None:
    ip = 0x0A000002
    tables.update(ip, 1)
    tables.update(ip, 3, TAG | 100)
    assert tables.lookup(ip) == 1
    assert tables.lookup(ip, 100) == 1, "without a tag its number means nothing"
    assert tables.lookup(ip, TAG | 100) == 3
    assert tables.lookup(ip, TAG | 5 << 13 | 100) == 3, "priority does not matter"
    assert tables.lookup(ip, TAG | 101) is None
    assert tables.lookup(ip, TAG | 5 << 13) == 1, "VID 0: a priority, no VLAN"
    tables.update(ip, 2, TAG | 0)
    assert tables.lookup(ip) == 2


def test_refresh_adds_nothing(tables: Tables) -> None:
    tables.update(1, 0xA, only_refresh=True)
    assert tables.lookup(1) is None
    tables.update(1, 0xB)
    tables.update(1, 0xC, only_refresh=True)
    assert tables.lookup(1) == 0xC


def same_set(count: int) -> list[int]:
    """Addresses of one set: the set's number is the exclusive or of groups of five bits."""
    return [0x0A000000 ^ n ^ n << 5 for n in range(count)]


def test_two_ways_then_replacement(tables: Tables) -> None:
    first, second, third = same_set(3)
    tables.update(first, 1)
    tables.update(second, 2)
    assert (tables.lookup(first), tables.lookup(second)) == (1, 2)
    tables.update(third, 3)
    found = [tables.lookup(ip) for ip in (first, second, third)]
    assert found[2] == 3
    assert sorted(found[:2], key=str) in ([1, None], [2, None]), "one of the two had to go"
    tables.update(third, 4)
    kept = first if found[0] else second
    assert tables.lookup(kept) is not None, "a binding that is there is changed in its place"


@pytest.mark.parametrize("seed", SEEDS)
def test_cache_never_lies(benches: Benches, seed: int) -> None:
    """Random updates and look-ups: a hit is the last binding, and misses have a reason."""
    random = Random(seed)
    tables = Tables(benches("arp_tables", seed=seed))
    truth: dict[tuple[int, int], int] = {}
    addresses = [random.getrandbits(32) for _ in range(40)]
    vlans = [0, TAG | 7, TAG | 300]
    hits = 0
    for _ in range(1500):
        ip, vlan = random.choice(addresses), random.choice(vlans)
        if random.random() < 0.3:
            mac = random.getrandbits(48)
            tables.update(ip, mac, vlan)
            truth[ip, vlan] = mac
            assert tables.lookup(ip, vlan) == mac
        else:
            found = tables.lookup(ip, vlan)
            assert found is None or found == truth[ip, vlan]
            hits += found is not None
        if random.random() < 0.1:
            tables.seconds(random.random())
    assert hits > 100


def test_old_bindings_go_and_confirmed_ones_stay(tables: Tables) -> None:
    for ip in range(20):
        tables.update(ip, 0x100 + ip)
    waited = 0
    while waited < MAX_AGE_S - 10:
        tables.seconds(20)
        waited += 20
        for ip in range(10):
            tables.update(ip, 0x200 + ip, only_refresh=ip % 2 == 0)
    assert all(tables.lookup(ip) == 0x100 + ip for ip in range(10, 20))
    tables.seconds(30)
    tables.wait()
    assert all(tables.lookup(ip) == 0x200 + ip for ip in range(10))
    assert all(tables.lookup(ip) is None for ip in range(10, 20))
    tables.seconds(MAX_AGE_S + 10)
    assert all(tables.lookup(ip) is None for ip in range(20))


def test_an_answer_stays_while_it_is_waited_for(tables: Tables) -> None:
    tables.update(5, 0x55)
    assert tables.lookup(5) == 0x55
    # Somebody is stalled with the answer; meanwhile a sweep becomes due.
    tables.bench.control(CONTROL.pack(idle=0, tick=MAX_TICK))
    tables.bench.run(2 * AGE_STEP // MAX_TICK)
    assert (tables.get("hit"), tables.get("mac"), tables.get("busy")) == (1, 0x55, 1)
    tables.bench.control(CONTROL.pack(idle=0))
    tables.bench.run(300)
    assert (tables.get("hit"), tables.get("mac"), tables.get("busy")) == (1, 0x55, 1)
    tables.wait()  # now nobody waits: the sweep is made
    assert tables.lookup(5) == 0x55


def test_an_old_binding_goes_after_a_long_stall(tables: Tables) -> None:
    tables.update(5, 0x55)
    assert tables.lookup(5) == 0x55
    tables.bench.control(CONTROL.pack(idle=0, tick=MAX_TICK))
    tables.bench.run((MAX_AGE_S + 20) * SECOND // MAX_TICK)
    assert tables.get("mac") == 0x55
    tables.idle()
    assert tables.lookup(5) is None


# ---- Questions ----

NUM_ENTRIES, MAX_TRIES = 4, 3


def ask(tables: Tables, ip: int, vlan: int = 0, **more: int) -> int:
    """A packet asks for an address; what it is told."""
    tables.idle(ask=1, ask_ip=ip, ask_vlan=vlan, **more)
    good = tables.get("ask_ok")
    tables.cycle(ask=1, ask_ip=ip, ask_vlan=vlan, **more)
    return good


def find(tables: Tables, ip: int, vlan: int = 0) -> tuple[int, int]:
    tables.idle(find_ip=ip, find_vlan=vlan)
    found = tables.get("find_hit"), tables.get("find_failed")
    tables.idle()
    return found


def offered(tables: Tables, **signals: int) -> bool:
    """Whether there is a request: the next one is chosen in a cycle of its own."""
    tables.cycle(**signals)
    return bool(tables.get("request"))


def take_requests(tables: Tables, **signals: int) -> list[int]:
    taken = []
    while offered(tables, **signals):
        taken.append(tables.get("request_ip"))
        tables.cycle(request_done=1)
        assert len(taken) <= NUM_ENTRIES
    return taken


def test_a_question_is_asked_once_for_many_packets(tables: Tables) -> None:
    assert find(tables, 7) == (0, 0)
    for _ in range(5):
        assert ask(tables, 7)
    assert take_requests(tables) == [7]
    assert find(tables, 7) == (1, 0)
    assert tables.get("pending_busy")
    tables.cycle(find_ip=7, resolve=1)
    assert find(tables, 7) == (0, 0)
    assert not tables.get("pending_busy")


def test_the_table_of_questions_can_be_full(tables: Tables) -> None:
    for ip in range(NUM_ENTRIES):
        assert ask(tables, ip)
    assert not ask(tables, 99)
    assert ask(tables, 2), "this one is known"
    assert sorted(take_requests(tables)) == list(range(NUM_ENTRIES))
    tables.cycle(find_ip=1, resolve=1)
    assert ask(tables, 99)
    assert take_requests(tables) == [99]


def test_vlans_are_different_questions(tables: Tables) -> None:
    assert ask(tables, 1) and ask(tables, 1, TAG | 5) and ask(tables, 1, TAG | 1 << 13 | 5)
    tags = set()
    while offered(tables):
        tags.add(tables.get("request_vlan"))
        tables.cycle(request_done=1)
    assert tags == {0, TAG | 5}
    assert find(tables, 1, TAG | 6) == (0, 0)
    tables.cycle(find_ip=1, find_vlan=TAG | 7 << 13 | 5, resolve=1)
    assert find(tables, 1, TAG | 5) == (0, 0)
    assert find(tables, 1) == (1, 0)


def test_a_question_is_repeated_then_given_up(tables: Tables) -> None:
    ask(tables, 9)
    start, times = tables.get("time"), []
    while not tables.get("failed"):
        if tables.get("request"):
            times.append((tables.get("time") - start) / SECOND)
            assert take_requests(tables) == [9]
        tables.cycle(tick=1000)
        assert tables.get("time") - start < 10 * SECOND
    gaps = [after - before for before, after in pairwise(times)]
    assert len(times) == MAX_TRIES
    assert all(1.0 <= gap < 1.6 for gap in gaps), "no more than one a second (RFC 1122, 2.3.2.1)"
    assert 3.0 <= (tables.get("time") - start) / SECOND < 4.8
    assert find(tables, 9) == (0, 1)
    tables.cycle(release_failed=1)
    assert find(tables, 9) == (0, 0)
    assert ask(tables, 9)
    assert take_requests(tables) == [9], "it may be asked for anew"


def give_up(tables: Tables, *ips: int) -> None:
    for ip in ips:
        ask(tables, ip)
    for _ in range(MAX_TRIES + 1):
        take_requests(tables)
        tables.seconds(1.7)


def test_nothing_is_given_up_while_it_must_not(tables: Tables) -> None:
    ask(tables, 3)
    for _ in range(8):
        take_requests(tables, keep_trying=1)
        tables.idle(tick=1000, keep_trying=1)
        tables.bench.run(1700)
        tables.idle(keep_trying=1)
    assert not tables.get("failed")
    tables.seconds(1.7)
    assert tables.get("failed")


def test_a_question_given_up_does_not_serve_new_packets(tables: Tables) -> None:
    give_up(tables, 3)
    assert find(tables, 3) == (0, 1)
    assert ask(tables, 3)
    assert take_requests(tables) == [3]
    assert find(tables, 3) == (1, 1), "the old packets have failed, the new one waits"
    tables.cycle(find_ip=3, resolve=1)
    assert find(tables, 3) == (0, 0), "a late answer serves both"
    assert not tables.get("pending_busy")


def test_a_packet_that_asks_while_its_address_is_resolved_asks_anew(tables: Tables) -> None:
    ask(tables, 3)
    assert take_requests(tables) == [3]
    assert ask(tables, 3, find_ip=3, resolve=1)
    assert find(tables, 3) == (1, 0)
    assert take_requests(tables) == [3]


def test_a_packet_that_asks_while_questions_are_released(tables: Tables) -> None:
    give_up(tables, 3, 4)
    assert ask(tables, 3, release_failed=1)
    assert find(tables, 3) == (1, 0)
    assert find(tables, 4) == (0, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_questions_at_random(benches: Benches, seed: int) -> None:
    """No packet is told that its address is asked for unless it is."""
    random = Random(seed)
    tables = Tables(benches("arp_tables", seed=seed))
    open_: set[int] = set()
    for _ in range(1500):
        ip = random.randrange(8)
        action = random.random()
        if action < 0.4:
            assert ask(tables, ip) == (ip in open_ or len(open_) < NUM_ENTRIES)
            if ip in open_ or len(open_) < NUM_ENTRIES:
                open_.add(ip)
        elif action < 0.6:
            tables.cycle(find_ip=ip, resolve=1)
            open_.discard(ip)
        elif action < 0.9 and tables.get("request"):
            assert tables.get("request_ip") in open_
            tables.cycle(request_done=1)
        for other in range(8):
            assert find(tables, other) == (int(other in open_), 0)
    tables.bench.reset()
    assert all(find(tables, ip) == (0, 0) for ip in range(8))
