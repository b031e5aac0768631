# SPDX-License-Identifier: Apache-2.0
"""The ARP cache."""

from __future__ import annotations

from itertools import count, pairwise
from random import Random

import pytest

from tests.protocols.arp.arp_places import cache_rivals, cache_sets
from tests.support.harness import SEEDS, Bench, Benches, Layout

pytestmark = pytest.mark.slow

CONTROL = Layout(
    *(("tick", 16), ("idle", 1), ("add", 1), ("lookup", 1), ("update", 1)),
    *(("vlan", 17), ("ip", 32), ("mac", 48), ("only_refresh", 1)),
    *(("show", 1), ("show_index", 11), ("write", 1), ("keep", 1), ("seed", 48)),
)
STATUS = Layout(
    *(("time", 32), ("busy", 1), ("hit", 1), ("renew", 1), ("mac", 48), ("shown", 1)),
    *(("show_mac", 48), ("show_vid", 12), ("show_ip", 32), ("show_valid", 1)),
    *(("show_permanent", 1), ("show_used", 1), ("written", 1), ("write_refused", 1)),
    *(("evicted", 16), ("refused", 16), ("stalled", 1)),
)
SECOND = 1_000_000
MAX_TICK = 0xFFFF
AGE_STEP = 1 << 23  # microseconds
MAX_AGE_S, RENEW_S = 300, 60
NUM_SETS, NUM_WAYS = 512, 4
NUM_BINDINGS = NUM_SETS * NUM_WAYS
PATIENCE = 64
WAIT_CYCLES = 2**17  # of an access of software, at most
TAG = 1 << 16  # a VLAN tag is present; below it the tag itself


class Tables:
    """Drives the bench cycle by cycle."""

    def __init__(self, bench: Bench, secret: int = 0) -> None:
        self.bench = bench
        self.secret = secret
        self.idle()
        self.bench.run(2)  # the secret is seen

    def control(self, **values: int) -> None:
        self.bench.control(CONTROL.pack(seed=self.secret, **values))

    def idle(self, **values: int) -> None:
        self.control(idle=1, **values)

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
        for _ in range(NUM_BINDINGS):
            if not self.get("busy"):
                return
            self.cycle()
        raise AssertionError("the cache stays busy")

    def settle(self) -> None:
        """Until no binding moves any more, or it has moved for long."""
        self.bench.run(300)

    def lookup(self, ip: int, vlan: int = 0) -> int | None:
        self.wait()
        self.cycle(lookup=1, ip=ip, vlan=vlan)
        return self.get("mac") if self.get("hit") else None

    def entry(self) -> dict[str, int]:
        """The register port's output in this cycle."""
        return {name: self.get(f"show_{name}") for name in EMPTY}

    def entries(self) -> dict[int, dict[str, int]]:
        """All bindings as software reads them, by address."""
        found = [self.show(index) for index in range(NUM_BINDINGS)]
        valid = [entry for entry in found if entry["valid"]]
        entries = {entry["ip"]: entry for entry in valid}
        assert len(entries) == len(valid), "a binding is there twice"
        return entries

    def show(self, index: int) -> dict[str, int]:
        """An entry, as the register port reads it."""
        for _ in range(NUM_BINDINGS):
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

    def write(self, ip: int, mac: int, *, keep: bool = True) -> bool:
        """Software makes a binding permanent, or removes it; whether it found a place."""
        inputs = {"write": 1, "keep": int(keep), "ip": ip, "mac": mac}
        for _ in range(NUM_BINDINGS):
            if self.get("written"):
                done = not self.get("write_refused")
                self.cycle(**inputs)
                return done
            self.cycle(**inputs)
            self.idle(**inputs)
        raise AssertionError("the binding is not written")

    def flood(self, random: Random, number: int, gap: int = 0) -> None:
        """New neighbours, as fast as they can be told or so many cycles apart."""
        self.wait()
        for _ in range(number):
            self.update(0x0B000000 | random.getrandbits(24), 0xBAD)
            self.bench.run(gap)


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


def test_a_whole_subnet_fits(tables: Tables) -> None:
    """Consecutive addresses fill all sets alike: two times /22, or one in two VLANs."""
    hosts = [(0x0A4D0400 + n, vlan) for n in range(1024) for vlan in (0, TAG | 5)]
    for number, (ip, vlan) in enumerate(hosts):
        tables.update(ip, number, vlan)
    assert [tables.lookup(ip, vlan) for ip, vlan in hosts] == list(range(len(hosts)))


def test_a_fifth_neighbour_of_four_places(tables: Tables) -> None:
    """At first it waits outside of the table; in the end one of the five must go."""
    ips = cache_rivals(0x0A000000, 5)
    for number, ip in enumerate(ips, 1):
        tables.update(ip, ip)
        assert [tables.lookup(each) for each in ips[:number]] == ips[:number]
        tables.settle()
        # An existing binding is changed in place.
        tables.update(ips[0], 1, only_refresh=True)
        assert tables.lookup(ips[0]) == 1
        tables.update(ips[0], ips[0])
    tables.settle()
    assert sum(tables.lookup(ip) == ip for ip in ips) == 5
    assert (tables.get("evicted"), tables.get("refused")) == (0, 0)


def test_an_expired_binding_gives_its_place(tables: Tables) -> None:
    old, *young, new = cache_rivals(0x0A000000, 5)
    tables.update(old, 1)
    tables.seconds(MAX_AGE_S - 100)
    for ip in young:
        tables.update(ip, 2)
    tables.seconds(120)
    tables.wait()
    tables.bench.run(3 * NUM_SETS)  # the sweep
    tables.update(new, 3)
    assert [tables.lookup(ip) for ip in (old, *young, new)] == [None, 2, 2, 2, 3]
    assert tables.get("evicted") == tables.get("refused") == 0


def test_updates_and_lookups_back_to_back(tables: Tables) -> None:
    """The look-up right behind an update sees it; two updates of one neighbour are one binding."""
    tables.wait()
    ips = cache_rivals(0x0A000000, 6)
    for turn in range(12):
        ip = ips[turn % len(ips)]
        tables.wait()
        tables.cycle(lookup=1, update=1, ip=ip, mac=turn)
        tables.cycle(lookup=1, ip=ip)
        assert (tables.get("hit"), tables.get("mac")) == (1, turn)
    first, *others = cache_rivals(0x0A000003, 4)
    tables.wait()
    tables.cycle(lookup=1, update=1, ip=first, mac=10)
    tables.cycle(lookup=1, update=1, ip=first, mac=11)
    assert tables.get("busy"), "the second one reads again"
    tables.cycle()
    tables.cycle(lookup=1, ip=first)
    assert (tables.get("hit"), tables.get("mac")) == (1, 11)
    for ip in others:
        tables.update(ip, ip)
    assert [tables.lookup(ip) for ip in (first, *others)] == [11, *others], "it took one way only"
    assert tables.get("evicted") == 0


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
        tables.seconds(4, tick=2000)  # slow enough for the sweeps
    found = [seconds for seconds, (mac, _) in zip(count(0, 4), seen, strict=False) if mac]
    due = [seconds for seconds, (_, renew) in zip(count(0, 4), seen, strict=False) if renew]
    assert abs(len(found) * 4 - MAX_AGE_S) < 15
    assert abs(due[0] - (MAX_AGE_S - RENEW_S)) < 15
    # Once per step while it is in use.
    assert 5 <= len(due) <= 8
    assert all(8 <= b - a <= 12 for a, b in pairwise(due))
    assert seen[-1] == (None, None)
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


EMPTY = {"valid": 0, "ip": 0, "vid": 0, "mac": 0, "permanent": 0, "used": 0}


def test_software_reads_what_is_there(tables: Tables) -> None:
    hosts = [(0x0A4D0400 + n, vlan) for n in range(NUM_BINDINGS // 2) for vlan in (0, TAG | 5)]
    for number, (ip, vlan) in enumerate(hosts):
        tables.update(ip, number, vlan)
    entries = [tables.show(index) for index in range(NUM_BINDINGS)]
    found = {(entry["ip"], entry["vid"]): entry["mac"] for entry in entries if entry["valid"]}
    assert found == {(ip, vlan & 0xFFF): number for number, (ip, vlan) in enumerate(hosts)}


def test_a_read_waits_while_the_memory_is_cleared(tables: Tables) -> None:
    for ip in range(16):
        tables.update(ip, ip)
    index = cache_sets(10)[0] * NUM_WAYS
    assert tables.show(index)["mac"] == 10
    tables.bench.reset()
    assert tables.show(index) == EMPTY
    assert not tables.get("busy"), "all are"


def test_an_old_binding_goes_from_what_is_shown(tables: Tables) -> None:
    tables.update(0, 0x55)
    index = cache_sets(0)[0] * NUM_WAYS
    assert tables.show(index) == {**EMPTY, "valid": 1, "mac": 0x55}
    assert tables.lookup(0) == 0x55
    tables.cycle()
    assert tables.show(index)["used"]
    tables.seconds(MAX_AGE_S + 20)
    tables.wait()
    tables.bench.run(3 * NUM_SETS)  # the sweep
    assert tables.show(index) == EMPTY


@pytest.mark.parametrize("seed", SEEDS)
def test_reads_disturb_nothing(benches: Benches, seed: int) -> None:
    """A look-up in every cycle, many of them updates: reads get a cycle soon, and whole entries."""
    random = Random(seed)
    tables = Tables(benches("arp_tables", seed=seed))
    tables.wait()
    ips = cache_rivals(0x0A000000, 4) + cache_rivals(0x0A000077, 4)
    written: dict[int, int] = {}  # the newest binding
    ever: set[tuple[int, int]] = set()
    asked, update, waited, index, reads, writes = 0, False, 0, 0, 0, 0
    for _ in range(30_000):
        if asked and not update:
            expected = (1, written[asked]) if asked in written else (0, tables.get("mac"))
            assert (tables.get("hit"), tables.get("mac")) == expected
        # A cycle without a look-up is made for the read only, and one for the next.
        busy = tables.get("busy")
        update, asked = not update and random.random() < 0.7, 0 if busy else random.choice(ips)
        mac = random.getrandbits(48)
        if asked and update:
            written[asked] = mac
            ever.add((asked, mac))
            writes += 1
        inputs = {"lookup": int(asked > 0), "update": int(update), "ip": asked, "mac": mac}
        tables.control(idle=busy, show=1, show_index=index, **inputs)
        update = update and asked > 0
        tables.bench.run()
        waited += 1
        if tables.get("shown"):
            assert waited <= PATIENCE + 4
            entry = tables.entry()
            if entry["valid"]:
                assert (entry["ip"], entry["mac"]) in ever
                assert index // NUM_WAYS in cache_sets(entry["ip"])
            else:
                assert entry == EMPTY
            reads, waited = reads + entry["valid"], -1
        elif waited == 0:  # the request of the last one has ended
            index = random.choice(cache_sets(random.choice(ips))) * NUM_WAYS
            index += random.randrange(NUM_WAYS)
    assert reads > 100
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
    tables.control(idle=0, tick=MAX_TICK)
    tables.bench.run(2 * AGE_STEP // MAX_TICK)
    assert (tables.get("hit"), tables.get("mac"), tables.get("busy")) == (1, 0x55, 1)
    tables.control(idle=0)
    tables.bench.run(300)
    assert (tables.get("hit"), tables.get("mac"), tables.get("busy")) == (1, 0x55, 1)
    tables.wait()  # nothing waits now: the sweep is done
    assert tables.lookup(5) == 0x55


def test_an_old_binding_goes_after_a_long_stall(tables: Tables) -> None:
    tables.update(5, 0x55)
    assert tables.lookup(5) == 0x55
    tables.control(idle=0, tick=MAX_TICK)
    tables.bench.run((MAX_AGE_S + 20) * SECOND // MAX_TICK)
    assert tables.get("mac") == 0x55
    tables.idle()
    assert tables.lookup(5) is None


# ---- Who stays when there are too many ----


@pytest.mark.parametrize("number", [250, 500, 1000, 1500])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_neighbours_keep_their_bindings(benches: Benches, seed: int, number: int) -> None:
    """Up to 1,500 neighbours of a /16 in a table of 2,048."""
    random = Random(seed)
    tables = Tables(benches("arp_tables"), random.getrandbits(48))
    ips = random.sample(range(0x0A4D0000, 0x0A4E0000), number)
    for ip in ips:
        tables.update(ip, ip)
        tables.bench.run(300)
    tables.settle()
    assert [ip for ip in ips if tables.lookup(ip) != ip] == []
    assert (tables.get("evicted"), tables.get("refused")) == (0, 0)
    entries = tables.entries()
    assert entries.keys() <= {*ips}
    assert len(entries) >= number - 1, "at most one is on its way"


@pytest.mark.parametrize("seed", SEEDS)
def test_bindings_in_use_outlive_a_flood(benches: Benches, seed: int) -> None:
    random = Random(seed)
    tables = Tables(benches("arp_tables"), random.getrandbits(48))
    ips = random.sample(range(0x0A4D0000, 0x0A4E0000), 300)
    for ip in ips:
        tables.update(ip, ip)
        assert tables.lookup(ip) == ip
    for _ in range(12):
        tables.flood(random, 1000)
        tables.seconds(6)
        tables.wait()
        tables.settle()
        assert [ip for ip in ips if tables.lookup(ip) != ip] == []
    assert tables.get("evicted") > 100
    # Some of the flood is stored: a newcomer has its chance.
    strangers = tables.entries().keys() - {*ips}
    assert len(strangers) > NUM_BINDINGS - 2 * len(ips)


def test_an_unused_binding_has_no_claim(tables: Tables) -> None:
    """Its last use is forgotten after a while."""
    random = Random(1)
    ips = random.sample(range(0x0A4D0000, 0x0A4E0000), 200)
    for ip in ips:
        tables.update(ip, ip)
        tables.lookup(ip)
    tables.seconds(40, tick=2000)  # slow enough for the sweeps
    tables.wait()
    assert not any(entry["used"] for entry in tables.entries().values())
    tables.flood(random, 4000, gap=300)
    assert sum(tables.lookup(ip) == ip for ip in ips) < 100


def test_the_oldest_goes_first(tables: Tables) -> None:
    random = Random(1)
    ips = random.sample(range(0x0A4D0000, 0x0A4E0000), 1500)
    for ip in ips:
        tables.update(ip, ip)
        tables.bench.run(20)
    tables.seconds(100)
    tables.wait()
    old, young = ips[:750], ips[750:]
    for ip in young:
        tables.update(ip, ip)
    tables.flood(random, 700, gap=300)
    lost_old, lost_young = (sum(tables.lookup(ip) != ip for ip in some) for some in (old, young))
    assert lost_old > 100
    assert lost_young < lost_old / 4


def test_a_neighbour_that_is_waited_for_counts_as_used(tables: Tables) -> None:
    tables.wait()
    tables.cycle(lookup=1, update=1, ip=7, mac=1, only_refresh=1)
    tables.cycle(add=1)
    tables.update(8, 1)
    entries = tables.entries()
    assert (entries[7]["used"], entries[8]["used"]) == (1, 0)


def test_a_binding_that_waits_is_as_good_as_others(tables: Tables) -> None:
    """The one outside of the table is found, refreshed, and expires."""
    ips = cache_rivals(0x0A000000, 5)
    for turn in range(40):
        tables.bench.reset()
        for ip in ips:
            tables.update(ip, ip)
        for _ in range(turn):
            tables.cycle()
        for ip in ips:
            tables.update(ip, ~ip & 0xFFFFFFFF, only_refresh=True)
            tables.wait()
            tables.cycle(lookup=1, ip=ip)
            assert (tables.get("hit"), tables.get("mac")) == (1, ~ip & 0xFFFFFFFF)
        assert [tables.lookup(ip) for ip in ips] == [~ip & 0xFFFFFFFF for ip in ips]
    tables.seconds(MAX_AGE_S + 20)
    assert [tables.lookup(ip) for ip in ips] == [None] * 5


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crowded_cache_never_lies(benches: Benches, seed: int) -> None:
    """Bindings move all the time, between look-ups and updates in every cycle that is not busy."""
    random = Random(seed)
    secret = random.getrandbits(48)
    tables = Tables(benches("arp_tables"), secret)
    ips = [
        ip for n in range(6) for ip in cache_rivals(random.getrandbits(31), 5, seed=secret)
    ] + random.sample(range(0x0A4D0000, 0x0A4E0000), 1400)
    truth: dict[int, int] = {}
    tables.wait()
    asked, update, hits = 0, False, 0
    for _ in range(20_000):
        if asked and not update:
            assert not tables.get("hit") or tables.get("mac") == truth[asked]
            hits += tables.get("hit")
        update, asked = not update and random.random() < 0.5, 0
        if not tables.get("busy") and random.random() < 0.9:
            asked = random.choice(ips[:40] if random.random() < 0.5 else ips)
        mac = random.getrandbits(48)
        if asked and update:
            truth[asked] = mac
        tables.cycle(lookup=int(asked > 0), update=int(update), ip=asked, mac=mac)
        update = update and asked > 0
    assert hits > 2000
    assert len(tables.entries()) > 1000


# ---- Permanent bindings ----


def test_a_permanent_binding_stays(tables: Tables) -> None:
    known, unknown = 0x0A000005, 0x0A000006
    tables.update(known, 1)
    for ip in (known, unknown):
        assert tables.write(ip, 0x55)
        tables.update(ip, 0xBAD)
        assert tables.lookup(ip) == 0x55
        # Not even for the look-up directly behind.
        tables.wait()
        tables.cycle(lookup=1, update=1, ip=ip, mac=0xBAD)
        tables.cycle(lookup=1, ip=ip)
        assert (tables.get("hit"), tables.get("mac")) == (1, 0x55)
    assert tables.entries()[known] == {**EMPTY, "valid": 1, "ip": known, "mac": 0x55} | {
        "permanent": 1,
        "used": 1,
    }
    tables.flood(Random(1), 6000)
    for _ in range(2):
        tables.seconds(MAX_AGE_S * 3)
        for ip in (known, unknown):
            assert tables.lookup(ip) == 0x55
            assert not tables.get("renew")
    assert tables.write(known, 0x66)
    assert tables.lookup(known) == 0x66
    for ip in (known, unknown, 77):
        assert tables.write(ip, 0, keep=False)
        assert tables.lookup(ip) is None
    tables.update(known, 2)
    assert tables.lookup(known) == 2


def test_permanent_bindings_take_the_places_of_others(tables: Tables) -> None:
    ips = cache_rivals(0x0A000000, 10)
    for ip in ips[:4]:
        tables.update(ip, ip)
    for ip in ips[4:8]:
        assert tables.write(ip, ip)
    # All four places are taken for good.
    assert not tables.write(ips[8], 9)
    assert tables.lookup(ips[8]) is None
    assert [tables.lookup(ip) for ip in ips[4:8]] == ips[4:8]
    tables.update(ips[9], 9)
    tables.settle()
    assert tables.lookup(ips[9]) is None
    assert tables.write(ips[5], 0, keep=False)
    tables.update(ips[9], 9)
    assert tables.lookup(ips[9]) == 9


def test_many_permanent_bindings(tables: Tables) -> None:
    """Half of the table, written while others come and move."""
    random = Random(1)
    ips = random.sample(range(0x0A4D0000, 0x0A4E0000), NUM_BINDINGS // 2)
    refused = set()
    for ip in ips:
        if not tables.write(ip, ip):
            refused.add(ip)
        tables.flood(random, 3)
    assert len(refused) < 30
    for ip in ips:
        assert tables.lookup(ip) == (None if ip in refused else ip)


# ---- Accesses while a message is held ----


def answer_of(tables: Tables, done: str, limit: int, **inputs: int) -> tuple[int, int]:
    """Cycles until an access is answered while the look-up is occupied; whether it was given up."""
    tables.control(**inputs)
    for cycles in range(limit):
        if tables.get(done):
            stalled = tables.get("stalled")
            tables.bench.run()
            tables.control()
            tables.bench.run()
            assert not tables.get(done) and not tables.get("stalled")
            return cycles, stalled
        tables.bench.run()
    raise AssertionError("the access is not answered")


@pytest.mark.parametrize("moving", [False, True])
def test_accesses_have_a_bound(tables: Tables, moving: bool) -> None:
    """They do nothing then, and the next ones succeed once the message has gone."""
    known, other = 0x0A000005, 0x0A000006
    tables.update(known, 7)
    if moving:
        # The last one waits for a place, which it cannot get.
        for ip in cache_rivals(0x0B000000, 5):
            tables.wait()
            tables.control(lookup=1, update=1, ip=ip, mac=1)
            tables.bench.run()
            tables.control()
            tables.bench.run()
    bound = WAIT_CYCLES + 10
    index = next(n for n in range(NUM_BINDINGS) if tables.show(n)["ip"] == known)
    write = {"write": 1, "keep": 1, "ip": other, "mac": 0x55}
    for _ in range(2):
        for done, inputs in (("shown", {"show": 1, "show_index": index}), ("written", write)):
            cycles, stalled = answer_of(tables, done, bound, **inputs)
            assert stalled and cycles > WAIT_CYCLES - 10
    assert tables.lookup(other) is None
    assert tables.show(index)["mac"] == 7
    assert tables.write(other, 0x55) and tables.lookup(other) == 0x55


def test_a_message_leaves_in_the_last_moment(tables: Tables) -> None:
    """An access is either done or given up, in whatever cycle the look-up is free."""
    given_up = 0
    for late in range(-8, 5):
        ip = 0x0A000010 + late
        tables.control(write=1, keep=1, ip=ip, mac=ip)
        tables.bench.run(WAIT_CYCLES + late)
        answers = []
        for _ in range(12):
            if tables.get("written"):
                answers.append(tables.get("stalled"))
                tables.bench.run()
                break
            tables.idle(write=1, keep=1, ip=ip, mac=ip)
            tables.bench.run()
        tables.idle()
        tables.bench.run(10)
        assert len(answers) == 1
        given_up += answers[0]
        assert (tables.lookup(ip) is None) == bool(answers[0])
    assert 0 < given_up < 13


def test_a_new_secret_empties_the_cache(tables: Tables) -> None:
    ips = cache_rivals(0x0A000000, 5)
    for ip in ips:
        tables.update(ip, ip)
    tables.secret = 0x123456789ABC
    tables.idle()
    tables.bench.run(2)
    assert tables.get("busy")
    assert [tables.lookup(ip) for ip in ips] == [None] * 5
    tables.update(ips[0], 1)
    (entry,) = tables.entries().values()
    assert entry["mac"] == 1
    index = cache_sets(ips[0], seed=tables.secret)[0] * NUM_WAYS
    assert tables.show(index) == entry
