// SPDX-License-Identifier: Apache-2.0

package udp

import (
	"context"
	"net"
	"net/netip"
	"time"

	"bombus/vr/wire"
)

// Watch asks a hardware witness for its state in intervals, until the context ends, and sets it up
// again when it is off, as after a reset. Two answers in sequence must say so: the interval between
// them is that in which messages of the set-up before the reset arrive, whose nonces the witness has
// forgotten, and an answer may be an old one. Each set-up is reported, with its error or nil.
func Watch(
	ctx context.Context, members []netip.AddrPort, index int, interval, limit time.Duration,
	report func(error),
) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for times := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if !isOff(members[index], interval) {
			times = 0
		} else if times++; times == 2 {
			report(SetUp(members, index, limit))
			times = 0
		}
	}
}

// isOff reports whether the witness says that it is off. Its socket is new: answers to earlier
// questions go elsewhere.
func isOff(address netip.AddrPort, limit time.Duration) bool {
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(address))
	if err != nil {
		return false
	}
	defer conn.Close()
	reply, err := ask(conn, &wire.SetUp{Mode: wire.SetUpQuery}, time.Now().Add(limit))
	return err == nil && reply.State == wire.StateOff
}
