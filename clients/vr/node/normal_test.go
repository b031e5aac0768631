// SPDX-License-Identifier: Apache-2.0

package node

import (
	"testing"

	"bombus/vr/kv"
	"bombus/vr/log"
	"bombus/vr/wire"
)

func leader(change func(*Config)) *Node {
	config := Defaults()
	config.Replicas = 3
	change(&config)
	return New(config, &log.Saved{}, kv.Store{})
}

func request(client uint64, size int) *wire.Request {
	return &wire.Request{
		Operation: wire.Operation{Client: client, Number: 1, Op: make([]byte, size)},
	}
}

// prepares returns the Prepares that member 1 gets.
func prepares(out Output) []*wire.Prepare {
	var list []*wire.Prepare
	for _, s := range out.Sends {
		if m, ok := s.Message.(*wire.Prepare); ok && s.To == 1 {
			list = append(list, m)
		}
	}
	return list
}

// Entries that are not committed fit into half of a datagram, but a longer operation is not stuck.
func TestDatagram(t *testing.T) {
	n := leader(func(c *Config) { c.Datagram = 1300 })
	for client := uint64(1); client <= 9; client++ {
		n.Request(request(client, 140)) // 256 bytes as an entry
	}
	n.Request(request(10, 3000))
	for _, want := range []int{2, 2, 2, 2, 1, 1} {
		committed := n.LastCommitted()
		list := prepares(n.Flush())
		if len(list) != 1 || len(list[0].Requests) != want {
			t.Fatalf("%d Prepares, not one of %d operations", len(list), want)
		}
		n.Receive(1, &wire.PrepareOK{
			Opnum: list[0].Opnum, Replica: 1, LastCommitted: committed,
		})
	}
}

// Entries that the next leader may not know to be committed fit into a datagram. If commits are not
// reported, the next batch waits for a time.
func TestUnreported(t *testing.T) {
	n := leader(func(c *Config) { c.Datagram = 1300 })
	for client := uint64(1); client <= 20; client++ {
		n.Request(request(client, 140))
	}
	for _, want := range []uint64{2, 4, 5, 5} {
		n.Flush()
		if n.LastOp() != want {
			t.Fatalf("%d operations, not %d", n.LastOp(), want)
		}
		n.Receive(1, &wire.PrepareOK{Opnum: want, Replica: 1})
	}
	for i := 0; i < n.Retry; i++ {
		n.Tick()
	}
	n.Flush()
	if n.LastOp() != 7 {
		t.Errorf("%d operations after the wait", n.LastOp())
	}
}

// The commit of a batch leaves before the next batch.
func TestCommitBeforePrepare(t *testing.T) {
	n := leader(func(c *Config) { c.InFlight = 1 })
	n.Request(request(1, 1))
	n.Request(request(2, 1))
	n.Flush()
	n.Receive(1, &wire.PrepareOK{Opnum: 1, Replica: 1})
	isCommitted := false
	for _, s := range n.Flush().Sends {
		switch s.Message.(type) {
		case *wire.Commit:
			isCommitted = true
		case *wire.Prepare:
			if !isCommitted {
				t.Error("a Prepare before the Commit")
			}
		}
	}
}

func TestInFlight(t *testing.T) {
	n := leader(func(c *Config) { c.InFlight = 3 })
	for client := uint64(1); client <= 5; client++ {
		n.Request(request(client, 1))
	}
	n.Flush()
	if n.LastOp() != 3 || len(prepares(n.Flush())) != 0 {
		t.Errorf("%d operations in flight", n.LastOp())
	}
}

// A StartView to a witness fits into a datagram, and lacks committed operations only.
func TestStartViewFits(t *testing.T) {
	n := leader(func(c *Config) { c.Datagram = 1300 })
	for client := uint64(1); client <= 40; client++ {
		n.Request(request(client, 140))
		n.Flush()
		n.Receive(1, &wire.PrepareOK{Opnum: 1, Replica: 1, LastCommitted: n.LastCommitted()})
		if client <= 38 {
			n.Receive(2, &wire.PrepareOK{Opnum: client, Replica: 2})
		}
	}
	n.Flush()
	n.peers[1].committed = 0 // the witness has been reset
	n.sendStartView(1)
	for _, s := range n.Flush().Sends {
		m, ok := s.Message.(*wire.StartView)
		if !ok {
			continue
		}
		if len(m.Entries) != 5 || m.Entries[0].Opnum-1 > m.LastCommitted || m.LastOp != 40 {
			t.Errorf("%d entries from %d on", len(m.Entries), m.Entries[0].Opnum)
		}
		return
	}
	t.Error("no StartView")
}

// A log becomes that of a later view only with all committed operations.
func TestIncompleteTransfer(t *testing.T) {
	n := leader(func(c *Config) {})
	entry := wire.Entry{View: 2, Opnum: 1, Request: request(1, 1).Operation}
	n.Receive(2, &wire.StateTransfer{View: 2, Opnum: 100, Entries: []wire.Entry{entry}})
	if n.View() != 0 || n.LastOp() != 0 {
		t.Errorf("view %d with %d operations", n.View(), n.LastOp())
	}
	n.Receive(2, &wire.StateTransfer{View: 2, Opnum: 1, Entries: []wire.Entry{entry}})
	if n.View() != 2 || n.LastOp() != 1 {
		t.Errorf("view %d with %d operations", n.View(), n.LastOp())
	}
}

// While a replica is down, a witness with the log of the hardware never becomes full.
func TestReplicaIsDown(t *testing.T) {
	for _, size := range []int{0, 140, wire.MaxOp} {
		n := leader(func(*Config) {})
		config := n.Config
		config.Index = 1
		witness := New(config, nil, nil)
		deliver := func(from *Node, to *Node) {
			for _, s := range from.Flush().Sends {
				if s.To == to.Index {
					to.Receive(from.Index, s.Message)
				}
			}
		}
		witness.Receive(0, &wire.RecoveryResponse{Replica: 0, Nonce: witness.Nonce})
		witness.Receive(2, &wire.RecoveryResponse{Replica: 2, Nonce: witness.Nonce})
		const count = 3000
		for client := uint64(1); client <= count; client++ {
			n.Request(request(client, size))
			if client%100 == 0 {
				for i := 0; i < 110; i++ {
					deliver(n, witness)
					deliver(witness, n)
				}
			}
		}
		if n.LastCommitted() != count || witness.Counters.LogFull > 0 {
			t.Errorf("%d bytes: %d operations committed, the log was full %d times", size,
				n.LastCommitted(), witness.Counters.LogFull)
		}
		if kept := len(witness.log.list); kept < 10 {
			t.Errorf("%d bytes: %d entries are kept for the replica", size, kept)
		}
	}
}

// A replica reports only commits that it still knows of after a restart.
func TestReportsSavedCommits(t *testing.T) {
	n := leader(func(c *Config) { c.Index = 2 })
	entry := wire.Entry{View: 0, Opnum: 1, Request: request(1, 1).Operation}
	n.Receive(0, &wire.StateTransfer{Opnum: 0, Entries: []wire.Entry{entry}})
	n.Flush()
	n.startViewChange(2)
	n.Flush()
	n.learn(1, []wire.Entry{entry})
	for i := 0; i <= n.Retry; i++ {
		n.Tick()
	}
	out := n.Flush()
	count := 0
	for _, s := range out.Sends {
		if m, ok := s.Message.(*wire.StartViewChange); ok {
			count++
			if out.Save == nil && m.LastCommitted != 0 {
				t.Errorf("%d is reported as committed, and not saved", m.LastCommitted)
			}
		}
	}
	if count == 0 || out.Save != nil || n.LastCommitted() != 1 {
		t.Errorf("%d messages", count)
	}
}
