// SPDX-License-Identifier: Apache-2.0

package node

import "bombus/vr/wire"

// A witness has no disk. After a start it votes for nothing until all replicas have answered: one
// of them remembers, on disk, the highest view that this witness may have voted in, and the leader
// of the highest view has every operation that the witness may have acknowledged.

func (n *Node) repeatRecovery() {
	if n.now-n.sent < n.Retry {
		return
	}
	n.sent = n.now
	if n.status == Fetching {
		// Responses of this attempt may be out of date.
		n.status = Recovering
		n.responses = map[int]*wire.RecoveryResponse{}
		n.Nonce++
	}
	n.sendAll(&wire.Recovery{Replica: uint32(n.Index), Nonce: n.Nonce})
}

func (n *Node) onRecovery(from int, m *wire.Recovery) {
	if n.status != Normal || n.IsWitness() || uint32(from) != m.Replica {
		return
	}
	if n.IsLeader() {
		n.truncation()
	}
	n.send(from, &wire.RecoveryResponse{
		Replica: uint32(n.Index), Nonce: m.Nonce, View: n.view,
		LastOp: n.log.last(), LastCommitted: n.committed, CleanUpTo: least(n.cleanUpTo, n.committed),
	})
}

func (n *Node) onRecoveryResponse(from int, m *wire.RecoveryResponse) {
	if n.status != Recovering || m.Nonce != n.Nonce || uint32(from) != m.Replica || from%2 == 1 {
		return
	}
	if old := n.responses[from]; old != nil && old.View > m.View {
		return
	}
	n.responses[from] = m
	if len(n.responses) <= n.faults() {
		return
	}
	var best *wire.RecoveryResponse
	for _, i := range sortedKeys(n.responses) {
		if best == nil || n.responses[i].View > best.View {
			best = n.responses[i]
		}
	}
	leader := n.leader(best.View)
	if best = n.responses[leader]; best == nil || best.View != n.highest() {
		return
	}
	n.view, n.lastNormal = best.View, best.View
	n.committed = least(best.CleanUpTo, best.LastCommitted)
	n.cleanUpTo = n.committed
	n.log.restart(n.committed)
	n.target = best.LastOp
	n.status, n.sent = Fetching, n.now
	n.fetch(leader)
}

func (n *Node) highest() uint64 {
	view := uint64(0)
	for _, m := range n.responses {
		view = most(view, m.View)
	}
	return view
}

// fetch asks for more entries, or ends recovery.
func (n *Node) fetch(leader int) {
	if n.log.last() < n.target {
		n.send(leader, &wire.RequestStateTransfer{View: n.view, Opnum: n.log.last()})
		return
	}
	n.status, n.responses = Normal, nil
	n.heard = n.now
	n.acknowledge(n.log.last())
}

func (n *Node) onFetched(from int, m *wire.StateTransfer) {
	if n.status != Fetching || m.View != n.view || from != n.leader(n.view) ||
		viewOf(m.Entries) > m.View {
		return
	}
	before := n.log.last()
	n.extend(m.Opnum, m.Entries)
	if n.log.last() > before {
		n.sent = n.now
		n.fetch(from)
	}
}
