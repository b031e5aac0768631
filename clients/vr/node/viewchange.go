// SPDX-License-Identifier: Apache-2.0

package node

import (
	"sort"

	"bombus/vr/wire"
)

// leave ends normal operation; the node acknowledges nothing in views lower than this one.
func (n *Node) leave(view uint64) {
	n.view, n.status, n.isDirty = view, ViewChange, true
	n.heard, n.sent = n.now, n.now
	n.joined = map[int]uint64{}
	n.logs = map[int]*wire.DoViewChange{}
	n.dropLeadership()
}

func (n *Node) startViewChange(view uint64) {
	n.Counters.ViewChanges++
	n.leave(view)
	n.joined[n.Index] = n.committed
	n.sendStartViewChange()
}

func (n *Node) sendStartViewChange() {
	n.sendAll(&wire.StartViewChange{
		View: n.view, Replica: uint64(n.Index), LastCommitted: n.committed,
	})
}

func (n *Node) repeatViewChange() {
	if n.now-n.heard > n.Timeout+n.patience() {
		n.startViewChange(n.nextView(n.view))
	} else if n.now-n.sent >= n.Retry {
		n.sent = n.now
		n.joined[n.Index] = n.committed
		n.sendStartViewChange()
		n.report()
	}
}

func (n *Node) onStartViewChange(from int, m *wire.StartViewChange) {
	if uint64(from) != m.Replica || n.leader(m.View)%2 == 1 {
		return
	}
	if m.View < n.view || m.View == n.view && n.status == Normal {
		if n.IsLeader() {
			n.sendStartView(from) // it has missed the start of this view
		}
		return
	}
	isRepeated := false
	if m.View > n.view {
		n.startViewChange(m.View)
	} else {
		_, isRepeated = n.joined[from]
	}
	n.joined[from] = most(n.joined[from], m.LastCommitted)
	n.noteCommitted(from, m.LastCommitted)
	if n.IsWitness() && isRepeated && from%2 == 0 {
		n.sendStartViewChange()
	}
	if !isRepeated || n.IsWitness() {
		n.report()
	}
}

func (n *Node) noteCommitted(from int, committed uint64) {
	p := &n.peers[from]
	p.committed, p.isKnown = most(p.committed, committed), true
}

// report sends the log to the new leader once f other nodes have left the lower views.
func (n *Node) report() {
	if _, isIn := n.joined[n.Index]; !isIn {
		n.joined[n.Index] = n.committed
	}
	if len(n.joined) <= n.faults() {
		return
	}
	leader := n.leader(n.view)
	after, isKnown := n.joined[leader]
	if !isKnown {
		after = least(n.cleanUpTo, n.committed)
	}
	m := &wire.DoViewChange{
		View: n.view, LastNormalView: n.lastNormal, LastOp: n.log.last(),
		LastCommitted: n.committed, Replica: uint64(n.Index), Entries: n.log.after(after),
	}
	if leader == n.Index {
		m.Entries = nil // the log itself is used
		n.logs[n.Index] = m
		n.tryStartView()
	} else {
		n.send(leader, m)
	}
}

func (n *Node) onDoViewChange(from int, m *wire.DoViewChange) {
	if n.IsWitness() || uint64(from) != m.Replica || n.leader(m.View) != n.Index {
		return
	}
	if m.View < n.view || m.View == n.view && n.status == Normal {
		if n.IsLeader() {
			n.sendStartView(from)
		}
		return
	}
	if m.LastNormalView >= m.View || viewOf(m.Entries) >= m.View || m.LastCommitted > m.LastOp {
		n.Counters.Refused++
		return
	}
	if m.View > n.view {
		n.startViewChange(m.View)
	}
	n.joined[from] = most(n.joined[from], m.LastCommitted)
	n.noteCommitted(from, m.LastCommitted)
	n.logs[from] = m
	n.report()
}

// tryStartView begins the view if enough logs are here and the best one can be put together.
func (n *Node) tryStartView() {
	if len(n.logs) <= n.faults() {
		return
	}
	best := n.logs[n.Index]
	committed := n.committed
	for _, from := range sortedKeys(n.logs) {
		m := n.logs[from]
		committed = most(committed, m.LastCommitted)
		if m.LastNormalView > best.LastNormalView ||
			m.LastNormalView == best.LastNormalView && m.LastOp > best.LastOp {
			best = m
		}
	}
	list := best.Entries
	if best.Replica == uint64(n.Index) {
		list = n.log.after(n.committed)
	}
	last := n.committed
	if len(list) > 0 {
		last = list[len(list)-1].Opnum
	}
	if last < best.LastOp || committed > most(last, n.committed) {
		return // it will be sent again, with more entries
	}
	if n.install(n.view, committed, list) {
		n.lead()
		for to := range n.peers {
			n.sendStartView(to)
		}
	}
}

func (n *Node) sendStartView(to int) {
	if to == n.Index {
		return
	}
	after := n.committed
	if n.peers[to].isKnown {
		after = least(after, n.peers[to].committed)
	}
	list := n.completeFor(to, after)
	if to%2 == 0 && len(piece(list, n.Piece)) < len(list) {
		list = n.log.after(n.committed) // the replica will ask for the rest
	}
	n.send(to, &wire.StartView{
		View: n.view, LastOp: n.log.last(), LastCommitted: n.committed, Entries: list,
	})
}

func (n *Node) onStartView(from int, m *wire.StartView) {
	if m.View < n.view || from != n.leader(m.View) || viewOf(m.Entries) > m.View {
		return
	}
	if m.View == n.view && n.status == Normal {
		n.heard = n.now
		n.acknowledge(n.log.last()) // late: the log has grown since
		return
	}
	last := n.committed
	if len(m.Entries) > 0 {
		last = m.Entries[len(m.Entries)-1].Opnum
	}
	if last < m.LastOp || !n.install(m.View, m.LastCommitted, m.Entries) {
		n.ask(from)
		return
	}
	n.acknowledge(n.log.last())
	n.acceptKept()
}

func sortedKeys[V any](m map[int]V) []int {
	var keys []int
	for key := range m {
		keys = append(keys, key)
	}
	sort.Ints(keys)
	return keys
}

func (n *Node) readKeys() []readKey {
	var keys []readKey
	for key := range n.reads {
		keys = append(keys, key)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return a.client < b.client || a.client == b.client && a.number < b.number
	})
	return keys
}
