// SPDX-License-Identifier: Apache-2.0

package udp

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/netip"
	"sync"
	"time"

	"bombus/vr/wire"
)

// watchInterval is longer than a message is in the network.
const watchInterval = time.Second

// Member is a member of a shard.
type Member struct{ Shard, Index int }

func (m Member) String() string { return fmt.Sprintf("shard %d, member %d", m.Shard, m.Index) }

// SetUpAll sets up hardware witnesses in sequence, each within the limit, and reports them. isNew: as
// members of new groups, by Begin.
func (c *Config) SetUpAll(witnesses []Member, isNew bool, limit time.Duration) error {
	setUp := SetUp
	if isNew {
		setUp = Begin
	}
	for _, m := range witnesses {
		addresses := c.Shards[m.Shard]
		if err := setUp(addresses, m.Index, limit); err != nil {
			return fmt.Errorf("%v, %v: %w", m, addresses[m.Index], err)
		}
		log.Printf("%v: hardware witness, set up", m)
	}
	return nil
}

// WatchAll watches hardware witnesses until the context ends.
func (c *Config) WatchAll(ctx context.Context, witnesses []Member, limit time.Duration) {
	var running sync.WaitGroup
	for _, m := range witnesses {
		running.Add(1)
		go func(m Member) {
			defer running.Done()
			Watch(ctx, c.Shards[m.Shard], m.Index, watchInterval, limit, func(err error) {
				if err != nil {
					log.Printf("%v: hardware witness, was off; %v", m, err)
				} else {
					log.Printf("%v: hardware witness, was off, set up again", m)
				}
			})
		}(m)
	}
	running.Wait()
}

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
