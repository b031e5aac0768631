# SPDX-License-Identifier: Apache-2.0
"""What bandwidth an endpoint reaches: by stride, offset, buffer and distance.

A receiver grants strides of S packets, O packets before the last one runs out. A grant and the
first packet that it allows take a round trip, so with packets of B beats

    rate / line = eta S B / max(S B, (S - O) B + RTT),  RTT = 2 h C + c0

for h hops of C cycles each and c0 cycles in the endpoints; eta is the payload's share of a link
("A Transport-Layer Network for Distributed FPGA Platforms", figures 5, 8 and 9). With O >= S,
several grants are on their way: O = q S + r gives k = q + 1 of them, and

    rate / line = eta k S B / max(k S B, (S - r) B + RTT).

The full rate needs O B >= RTT, and a buffer of O + S packets. So a small stride with an offset of a
round trip needs little more than a round trip of buffer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bombus.cluster.model import GIVEN_BACK, Endpoint, Timing


def efficiency(words: int, timing: Timing) -> float:
    """eta: the payload's share of the time that a packet takes on a link."""
    return words / timing.words / timing.wire(words)


def line(words: int, timing: Timing, *, both: bool = False) -> float:
    """The payload's share of a link that its credits allow: eta if its buffer is large enough.

    Rates of endpoints leave this out. both: of packets in both directions, whose credits take a
    beat for each part of the buffer.
    """
    beats = timing.wire(words)
    ends = timing.hop + timing.credit_cycles if timing.check else timing.hop
    loop = 2 * (timing.latency + ends) + beats + timing.buffer_beats / GIVEN_BACK
    rate = min(1.0, (timing.buffer_beats - beats - 2) / loop)
    if both:
        rate /= 1 + rate * GIVEN_BACK / timing.buffer_beats
    return rate * efficiency(words, timing)


def round_trip(hops: int, words: int, timing: Timing) -> float:
    """RTT in cycles: a grant to the sender, and the first packet that it allows.

    The receiver counts a packet at its first beat, so the packet that asks is not waited for.
    """
    ends = 2 * timing.endpoint + timing.grant_cycles - timing.wire(words)  # c0
    return hops * (timing.crossing(words) + timing.crossing(1)) + ends


def share(endpoint: Endpoint, hops: int, timing: Timing) -> float:
    """The payload's share of a link that one sender reaches with an endpoint over so many hops.

    The offset takes effect as far as the buffer has room for it and a stride.
    """
    eta = efficiency(endpoint.words, timing)
    if not endpoint.managed:
        return eta
    window = endpoint.flow_stride + endpoint.threshold
    return eta * _turns(endpoint, window, round_trip(hops, endpoint.words, timing), timing)


def _turns(endpoint: Endpoint, window: int, rtt: float, timing: Timing, use: float = 1.0) -> float:
    """The share of time in which packets arrive, if at most `window` may be reserved.

    use: how fast a sender uses a grant up, as a share of a link.
    """
    beats = timing.wire(endpoint.words)
    stride = endpoint.flow_stride
    window = min(window, max(endpoint.buffer_size, stride))
    grants, rest = divmod(window, stride)
    return (
        grants * stride * beats / max(grants * stride * beats, (stride - rest) * beats / use + rtt)
    )


def several(
    endpoint: Endpoint,
    hops: Sequence[int],
    timing: Timing,
    demands: Sequence[float] | None = None,
    uses: Sequence[float] | None = None,
) -> float:
    """The payload's share of a link that several senders to one endpoint reach together.

    A closed queueing network: the buffer is a window that all senders share, and each has its own.
    hops: of each sender. demands: the share of a link that each offers; by default all of it. uses:
    the share of each sender's packets that go to this receiver; the others stand between them and
    keep a grant in use for longer. Where distances differ, the nearer senders ask more often, so
    that more is reached than this says.
    """
    eta = efficiency(endpoint.words, timing)
    wanted = list(demands) if demands is not None else [eta] * len(hops)
    alone = sum(min(d, share(endpoint, h, timing)) for d, h in zip(wanted, hops, strict=True))
    total = min(eta, alone)
    if endpoint.managed and any(wanted):
        weights = [demand / sum(wanted) for demand in wanted]
        trips = [round_trip(h, endpoint.words, timing) for h in hops]
        rtt = sum(w * trip for w, trip in zip(weights, trips, strict=True))
        use = sum(w * u for w, u in zip(weights, uses or [1.0] * len(hops), strict=True))
        window = len(hops) * (endpoint.flow_stride + endpoint.threshold)
        total = min(total, eta * _turns(endpoint, window, rtt, timing, use))
    return total


def aggregate(
    endpoint: Endpoint, endpoints: int, hops: int, timing: Timing, *, alternating: bool = False
) -> float:
    """The payload's share of a link that so many equal endpoints reach together (figure 9).

    They fill each other's idle cycles, up to the whole link. alternating: the least, as after a
    common start: their packets alternate, so that each endpoint has one every n B cycles.
    """
    eta = efficiency(endpoint.words, timing)
    if not alternating or not endpoint.managed:
        return min(eta, endpoints * share(endpoint, hops, timing))
    window = endpoint.flow_stride + endpoint.threshold
    trip = round_trip(hops, endpoint.words, timing)
    return eta * _turns(endpoint, window, trip / endpoints, timing)


def goodput(words: int, bit_errors: float, timing: Timing) -> float:
    """What remains of a link's rate with bit errors, as long as they are rare.

    A packet with an error costs a round trip of the link, in which all that follows is discarded.
    """
    beats = timing.wire(words)
    wrong = 1 - math.exp(beats * timing.width * math.log1p(-bit_errors))
    again = timing.crossing(words) + timing.crossing(1)
    return beats / (beats + wrong / (1 - wrong) * again)
