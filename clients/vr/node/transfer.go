// SPDX-License-Identifier: Apache-2.0

package node

import "bombus/vr/wire"

// ask requests a state transfer. Nothing is dropped until the answer is here.
func (n *Node) ask(to int) {
	if n.asked != 0 && n.now-n.asked < n.Retry {
		return
	}
	n.asked = n.now
	n.send(to, &wire.RequestStateTransfer{View: n.lastNormal, Opnum: n.committed})
}

// entriesFor returns the entries after an operation that a node needs. A witness needs none that all
// replicas have, but at least one, which says where the log is.
func (n *Node) entriesFor(to int, after uint64) []wire.Entry {
	if to%2 == 1 && after < n.log.last() {
		after = most(after, least(n.cleanUpTo, n.committed, n.log.last()-1))
	}
	return n.log.after(after)
}

// completeFor returns the same for a complete log of the view. For a witness, committed operations
// that do not fit into a datagram are left out.
func (n *Node) completeFor(to int, after uint64) []wire.Entry {
	list := n.entriesFor(to, after)
	if to%2 == 0 {
		return list
	}
	size := 0
	for i := len(list) - 1; i >= 0; i-- {
		size += wire.EntryBytes(&list[i])
		if size > n.Datagram && i+1 < len(list) && list[i].Opnum <= n.committed {
			return list[i+1:]
		}
	}
	return list
}

// onRequestStateTransfer sends all entries to a log of a lower view, since a log may be called one
// of this view only if it is complete. Replicas far behind get committed operations first.
func (n *Node) onRequestStateTransfer(from int, m *wire.RequestStateTransfer) {
	if n.status != Normal || m.View > n.view {
		return
	}
	list := n.entriesFor(from, m.Opnum)
	limit := n.Piece
	if from%2 == 1 {
		limit = least(limit, n.Datagram) // no fragments
	}
	part := piece(list, limit)
	switch {
	case len(part) == len(list):
		n.send(from, &wire.StateTransfer{View: n.view, Opnum: n.committed, Entries: list})
	case m.View == n.view:
		last := part[len(part)-1].Opnum
		n.send(from, &wire.StateTransfer{
			View: n.view, Opnum: least(n.committed, last), Entries: part,
		})
	case from%2 == 0 && part[len(part)-1].Opnum <= n.committed:
		n.send(from, &wire.Committed{View: n.view, Entries: part})
	default: // for a replica, the rest is bounded by the operations in flight
		n.send(from, &wire.StateTransfer{
			View: n.view, Opnum: n.committed, Entries: n.completeFor(from, m.Opnum),
		})
	}
}

func (n *Node) onStateTransfer(from int, m *wire.StateTransfer) {
	before := n.log.last()
	switch {
	case viewOf(m.Entries) > m.View:
		n.Counters.Refused++
		return
	case m.View < n.view:
		if n.status == ViewChange {
			n.learn(m.Opnum, m.Entries)
		}
		return
	case n.leader(m.View) == n.Index:
		return
	case m.View > n.view || n.status == ViewChange:
		if !n.install(m.View, m.Opnum, m.Entries) {
			return
		}
		n.asked = 0
	default:
		n.extend(m.Opnum, m.Entries)
	}
	// Without progress the next request waits, so that requests do not multiply.
	if n.log.last() > before {
		n.asked = 0
	}
	n.Counters.Transfers++
	n.acknowledge(n.log.last())
	n.acceptKept()
	count := len(m.Entries)
	if n.log.last() > before && count > 1 && m.Entries[count-1].Opnum == m.Opnum {
		n.ask(from) // perhaps a piece
	}
}

// onCommitted leaves the view of the log, which is over, and waits for the rest.
func (n *Node) onCommitted(from int, m *wire.Committed) {
	if n.IsWitness() || viewOf(m.Entries) > m.View || n.status == Normal && m.View <= n.view {
		return
	}
	if m.View > n.view {
		n.leave(m.View)
	}
	before := n.committed
	n.learn(wire.MaxNumber, m.Entries)
	if n.committed > before {
		n.heard, n.asked = n.now, 0
		n.ask(from)
	}
}

func viewOf(list []wire.Entry) uint64 {
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1].View
}

// extend appends entries to a log of the same view, of which every log of that view is a prefix.
func (n *Node) extend(committed uint64, list []wire.Entry) {
	if len(list) > 0 && list[0].Opnum > n.log.last()+1 {
		if !n.IsWitness() || list[0].Opnum-1 > committed {
			return
		}
		n.log.restart(list[0].Opnum - 1)
		n.committed = list[0].Opnum - 1
		n.cleanUpTo = most(n.cleanUpTo, n.log.base)
	}
	for _, e := range list {
		if e.Opnum == n.log.last()+1 && !n.lacksRoom(&e) {
			n.log.append(e)
		}
	}
	n.commitTo(least(most(committed, n.committed), n.log.last()))
}

// learn takes committed operations, whatever the views are.
func (n *Node) learn(committed uint64, list []wire.Entry) {
	if len(list) == 0 || list[0].Opnum > n.committed+1 {
		return
	}
	for _, e := range list {
		if e.Opnum <= n.committed || e.Opnum > committed {
			continue
		}
		if e.Opnum <= n.log.last() && n.log.at(e.Opnum).View != e.View {
			n.cut(e.Opnum - 1) // not committed, and nothing after it is
		}
		if e.Opnum == n.log.last()+1 {
			if n.lacksRoom(&e) {
				return
			}
			n.log.append(e)
		}
		n.commitTo(e.Opnum)
	}
}

// install replaces all that is not committed by the complete log of a view, and enters the view.
// It returns whether the entries were sufficient.
func (n *Node) install(view, committed uint64, list []wire.Entry) bool {
	base, end := n.committed, n.committed
	if len(list) > 0 {
		end = most(end, list[len(list)-1].Opnum)
		if list[0].Opnum > base+1 {
			base = list[0].Opnum - 1
		}
	}
	isGap := base > n.committed && (!n.IsWitness() || base > committed)
	if isGap || committed > end {
		return false
	}
	if n.IsWitness() && (len(list) > n.Capacity || linesOfAll(list) > n.Lines) {
		n.Counters.LogFull++
		return false
	}
	if base > n.committed {
		n.log.restart(base)
		n.committed = base
		n.cleanUpTo = most(n.cleanUpTo, base)
	} else {
		n.replace(list)
	}
	for _, e := range list {
		if e.Opnum == n.log.last()+1 {
			n.log.append(e)
		}
	}
	n.view, n.lastNormal, n.status, n.isDirty = view, view, Normal, true
	n.heard = n.now
	n.joined, n.logs = nil, nil
	n.dropLeadership()
	n.commitTo(least(most(committed, n.committed), n.log.last()))
	return true
}

// replace cuts the log where it differs from a list, and at the end of the list.
func (n *Node) replace(list []wire.Entry) {
	end := n.committed
	for _, e := range list {
		if e.Opnum == end+1 && e.Opnum <= n.log.last() && n.log.at(e.Opnum).View == e.View {
			end++
		}
	}
	n.cut(end)
}

func (n *Node) dropLeadership() {
	n.queue = nil
	n.reads = map[readKey]*read{}
}
