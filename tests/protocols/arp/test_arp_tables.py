# SPDX-License-Identifier: Apache-2.0
"""The ARP cache."""

from __future__ import annotations

from random import Random

import pytest

from tests.support.harness import SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

CONTROL = Layout(
    *(("tick", 16), ("idle", 1), ("add", 1), ("lookup", 1), ("update", 1)),
    *(("vlan", 17), ("ip", 32), ("mac", 48), ("only_refresh", 1)),
    *(("show", 1), ("show_index", 11)),
)
STATUS = Layout(
    *(("time", 32), ("busy", 1), ("hit", 1), ("renew", 1), ("mac", 48), ("shown", 1)),
    *(("show_mac", 48), ("show_vid", 12), ("show_ip", 32), ("show_valid", 1)),
)
SECOND = 1_000_000
MAX_TICK = 0xFFFF
AGE_STEP = 1 << 23  # microseconds
MAX_AGE_S, RENEW_S = 300, 60
NUM_SETS, NUM_WAYS = 1024, 2
TAG = 1 << 16  # a VLAN tag is present; below it the tag itself


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
        for _ in range(2 * NUM_SETS):
            if not self.get("busy"):
                return
            self.cycle()
        raise AssertionError("the cache stays busy")

    def lookup(self, ip: int, vlan: int = 0) -> int | None:
        self.wait()
        self.cycle(lookup=1, ip=ip, vlan=vlan)
        return self.get("mac") if self.get("hit") else None

    def entry(self) -> dict[str, int]:
        """The register port's output in this cycle."""
        return {name: self.get(f"show_{name}") for name in ("valid", "ip", "vid", "mac")}

    def show(self, index: int) -> dict[str, int]:
        """An entry, as the register port reads it."""
        for _ in range(2 * NUM_SETS):
            self.cycle(show=1, show_index=index)
            if self.get("shown"):
                # The request is held in the cycle of its answer.
                self.idle(show=1, show_index=index)
                found = self.entry()
                self.cycle(show=1, show_index=index)
                return found
        raise AssertionError("the entry is not shown")

    def update(self, ip: int, mac: int, vlan: int = 0, *, only_refresh: bool = False) -> None:
        self.wait()
        self.cycle(lookup=1, update=1, ip=ip, mac=mac, vlan=vlan, only_refresh=only_refresh)
        self.cycle()  # the write


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
    """Addresses of one set: the set's number is the exclusive or of groups of ten bits."""
    return [0x0A000000 ^ n ^ n << 10 for n in range(count)]


def test_a_whole_subnet_fits(tables: Tables) -> None:
    """Consecutive addresses fill all sets alike: two times /22, or one in two VLANs."""
    hosts = [(0x0A4D0400 + n, vlan) for n in range(1024) for vlan in (0, TAG | 5)]
    for number, (ip, vlan) in enumerate(hosts):
        tables.update(ip, number, vlan)
    assert [tables.lookup(ip, vlan) for ip, vlan in hosts] == list(range(len(hosts)))


def test_ways_are_replaced_by_turns(tables: Tables) -> None:
    """The last NUM_WAYS bindings of a set are present, whatever was there before."""
    ips = same_set(9)
    for count, ip in enumerate(ips):
        tables.update(ip, ip)
        kept = ips[: count + 1][-NUM_WAYS:]
        assert [tables.lookup(each) for each in kept] == kept
        # An existing binding is changed in place.
        tables.update(kept[0], 1)
        tables.update(kept[0], kept[0])
        assert [tables.lookup(each) for each in kept] == kept


def test_an_expired_binding_gives_its_place(tables: Tables) -> None:
    old, young, new = same_set(3)
    tables.update(old, 1)
    tables.seconds(MAX_AGE_S - 100)
    tables.update(young, 2)
    tables.seconds(120)
    tables.wait()
    tables.bench.run(3 * NUM_SETS)  # the sweep
    tables.update(new, 3)
    assert [tables.lookup(ip) for ip in (old, young, new)] == [None, 2, 3]


def test_updates_and_lookups_back_to_back(tables: Tables) -> None:
    """The look-up right behind an update sees it; two updates of one neighbour are one binding."""
    tables.wait()
    ips = same_set(3)
    for turn in range(4):
        ip = ips[turn % 3]
        tables.wait()
        tables.cycle(lookup=1, update=1, ip=ip, mac=turn)
        tables.cycle(lookup=1, ip=ip)
        assert (tables.get("hit"), tables.get("mac")) == (1, turn)
    first, second = (ip ^ 3 for ip in same_set(2))
    tables.wait()
    tables.cycle(lookup=1, update=1, ip=first, mac=10)
    tables.cycle(lookup=1, update=1, ip=first, mac=11)
    assert tables.get("busy"), "the second one reads again"
    tables.cycle()
    tables.cycle(lookup=1, ip=first)
    assert (tables.get("hit"), tables.get("mac")) == (1, 11)
    tables.update(second, 12)
    assert [tables.lookup(ip) for ip in (first, second)] == [11, 12], "it took one way only"


def test_a_question_makes_a_refresh_add(tables: Tables) -> None:
    tables.wait()
    tables.cycle(lookup=1, update=1, ip=7, mac=1, only_refresh=1)
    tables.cycle(add=1)
    assert tables.lookup(7) == 1


def test_renewal_is_due_before_the_end(tables: Tables) -> None:
    tables.update(7, 1)
    seen = []
    for _ in range(MAX_AGE_S // 4 + 4):
        found = tables.lookup(7)
        seen.append((found, tables.get("renew") if found is not None else None))
        tables.seconds(4)
    young, old, gone = (seen.count(state) * 4 for state in ((1, 0), (1, 1), (None, None)))
    assert seen == sorted(seen, key=lambda state: (state[0] is None, state[1] or 0))
    assert abs(young - (MAX_AGE_S - RENEW_S)) < 15
    assert 45 <= old <= RENEW_S + 10
    assert gone
    tables.update(7, 2)
    assert (tables.lookup(7), tables.get("renew")) == (2, 0)


def test_ages_do_not_wrap(tables: Tables) -> None:
    for ip in range(100):
        tables.update(ip, ip)
    for _ in range(40):
        tables.seconds(50)
        if tables.get("time") / SECOND % 4294 > 350:
            assert all(tables.lookup(ip) is None for ip in range(0, 100, 9))


def test_a_busy_cache_is_swept_too(tables: Tables) -> None:
    """With a look-up wanted in every cycle, busy makes room for the sweep."""
    tables.update(5, 0x55)
    stopped = 0
    for _ in range(200):
        tables.idle(tick=MAX_TICK)
        busy = tables.get("busy")
        stopped += busy
        tables.cycle(tick=MAX_TICK, lookup=int(not busy), ip=5)
    assert 1 <= stopped <= 10


EMPTY = {"valid": 0, "ip": 0, "vid": 0, "mac": 0}


def test_software_reads_what_is_there(tables: Tables) -> None:
    hosts = [(0x0A4D0400 + n, vlan) for n in range(NUM_SETS) for vlan in (0, TAG | 5)]
    for number, (ip, vlan) in enumerate(hosts):
        tables.update(ip, number, vlan)
    entries = [tables.show(index) for index in range(NUM_SETS * NUM_WAYS)]
    found = {(entry["ip"], entry["vid"]): entry["mac"] for entry in entries if entry["valid"]}
    assert found == {(ip, vlan & 0xFFF): number for number, (ip, vlan) in enumerate(hosts)}


def test_a_read_waits_while_the_memory_is_cleared(tables: Tables) -> None:
    for ip in range(16):
        tables.update(ip, ip)
    assert tables.show(10 * NUM_WAYS)["mac"] == 10
    tables.bench.reset()
    assert tables.show(10 * NUM_WAYS) == EMPTY
    assert not tables.get("busy"), "all are"


def test_an_old_binding_goes_from_what_is_shown(tables: Tables) -> None:
    tables.update(0, 0x55)
    assert tables.show(0) == {"valid": 1, "ip": 0, "vid": 0, "mac": 0x55}
    tables.seconds(MAX_AGE_S + 20)
    tables.wait()
    assert tables.show(0) == EMPTY


@pytest.mark.parametrize("seed", SEEDS)
def test_reads_disturb_nothing_and_wait_for_nobody(benches: Benches, seed: int) -> None:
    """A look-up in every cycle, many of them updates: reads end soon, with whole entries."""
    random = Random(seed)
    tables = Tables(benches("arp_tables", seed=seed))
    tables.wait()
    ips = [ip for n in range(4) for ip in (1 << n, 1 << n ^ 0xC03)]  # two of a set
    sets = sorted({(ip ^ ip >> 10) & NUM_SETS - 1 for ip in ips})
    written: dict[int, int] = {}  # the newest binding
    ever: set[tuple[int, int]] = set()
    asked, update, waited, index, reads, writes = 0, False, 0, 0, 0, 0
    for _ in range(3000):
        if asked and not update:
            expected = (1, written[asked]) if asked in written else (0, tables.get("mac"))
            assert (tables.get("hit"), tables.get("mac")) == expected
        # Two updates in a row make it busy: no two here.
        update, asked = not update and random.random() < 0.7, random.choice(ips)
        mac = random.getrandbits(48)
        if update:
            written[asked] = mac
            ever.add((asked, mac))
            writes += 1
        assert not tables.get("busy")
        inputs = {"lookup": 1, "update": int(update), "ip": asked, "mac": mac}
        tables.bench.control(
            CONTROL.pack(idle=0, show=1, show_index=index, **inputs)  # never idle
        )
        tables.bench.run()
        waited += 1
        if tables.get("shown"):
            assert waited <= 4
            entry = tables.entry()
            if entry["valid"]:
                assert (entry["ip"], entry["mac"]) in ever
                assert (entry["ip"] ^ entry["ip"] >> 10) & NUM_SETS - 1 == index // NUM_WAYS
            else:
                assert entry == EMPTY
            reads, waited = reads + entry["valid"], -1
        elif waited == 0:  # the request of the last one has ended
            index = random.choice(sets) * NUM_WAYS + random.randrange(NUM_WAYS)
    assert reads > 300
    assert writes > 1000


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
    # A message with its answer is stalled; meanwhile a sweep becomes due.
    tables.bench.control(CONTROL.pack(idle=0, tick=MAX_TICK))
    tables.bench.run(2 * AGE_STEP // MAX_TICK)
    assert (tables.get("hit"), tables.get("mac"), tables.get("busy")) == (1, 0x55, 1)
    tables.bench.control(CONTROL.pack(idle=0))
    tables.bench.run(300)
    assert (tables.get("hit"), tables.get("mac"), tables.get("busy")) == (1, 0x55, 1)
    tables.wait()  # nothing waits now: the sweep is done
    assert tables.lookup(5) == 0x55


def test_an_old_binding_goes_after_a_long_stall(tables: Tables) -> None:
    tables.update(5, 0x55)
    assert tables.lookup(5) == 0x55
    tables.bench.control(CONTROL.pack(idle=0, tick=MAX_TICK))
    tables.bench.run((MAX_AGE_S + 20) * SECOND // MAX_TICK)
    assert tables.get("mac") == 0x55
    tables.idle()
    assert tables.lookup(5) is None
