// SPDX-License-Identifier: Apache-2.0

package node

import (
	"sort"

	"bombus/vr/wire"
)

// Request handles a request of a client.
func (n *Node) Request(r *wire.Request) {
	if !n.IsLeader() {
		n.out.Replies = append(n.out.Replies, &wire.Reply{
			View: n.view, Client: r.Client, Number: r.Number, Status: wire.StatusNotLeader,
		})
		return
	}
	if len(r.Op) > wire.MaxOp {
		n.Counters.Refused++
		return
	}
	if r.IsRead {
		n.startRead(r)
		return
	}
	last, isKnown := n.sessions[r.Client]
	switch {
	case isKnown && r.Number == last.number:
		n.reply(r.Client, last)
	case isKnown && r.Number < last.number, n.inLog[r.Client] >= r.Number:
		// Answered already, or to be answered with its commit.
	case len(n.queue) < maxQueue:
		n.queue = append(n.queue, r.Operation)
		n.inLog[r.Client] = r.Number
	}
}

// lead prepares the state of a leader; status and view are already set.
func (n *Node) lead() {
	for i := range n.peers {
		n.peers[i].match, n.peers[i].hasJoined = 0, false
	}
	n.viewStart = n.log.last()
	n.announced = n.committed
	n.sent, n.progressed = n.now, n.now
	n.queue = nil
	n.reads = map[readKey]*read{}
	n.inLog = map[uint64]uint64{}
	for _, e := range n.log.after(n.committed) {
		n.inLog[e.Request.Client] = most(n.inLog[e.Request.Client], e.Request.Number)
	}
}

// prepareQueue moves requests from the queue into the log and sends them to all.
func (n *Node) prepareQueue() {
	for len(n.queue) > 0 {
		count := n.fitting()
		if count == 0 {
			return
		}
		first := n.log.last() + 1
		for _, request := range n.queue[:count] {
			n.log.append(wire.Entry{
				View: n.view, Opnum: n.log.last() + 1, State: wire.Prepared, Request: request,
			})
		}
		n.queue = n.queue[count:]
		n.truncation()
		n.sendAll(n.prepare(first, n.log.last()))
		n.progressed = n.now
	}
}

// fitting returns how many requests may be prepared at once. If this leader fails, the next one has
// to send a complete log to witnesses, from the last operation on that its quorum knows to be
// committed. The entries from there on fit into a datagram: those that are not committed into its
// half, so that a batch is prepared while the commit of the one before is reported. The limits do
// not hold for a longer operation, which is sent alone, nor after a time without reports.
func (n *Node) fitting() int {
	known := n.committed
	if n.now-n.progressed < n.Retry {
		known = least(known, n.reported())
	}
	size, unknown := 0, 0
	for opnum := known + 1; opnum <= n.log.last(); opnum++ {
		bytes := wire.EntryBytes(n.log.at(opnum))
		unknown += bytes
		if opnum > n.committed {
			size += bytes
		}
	}
	room := n.InFlight - int(n.log.last()-n.committed)
	for i, request := range n.queue {
		bytes := wire.EntryBytes(&wire.Entry{Request: request})
		size, unknown = size+bytes, unknown+bytes
		isAlone := 2*bytes > n.Datagram && i == 0 && n.log.last() == n.committed
		if i >= least(maxBatch, room) || (2*size > n.Datagram || unknown > n.Datagram) && !isAlone {
			return i
		}
	}
	return len(n.queue)
}

// reported returns the operation up to which a view change without this leader knows at least what
// is committed: among any f + 1 of the others, one has reported it.
func (n *Node) reported() uint64 {
	var numbers []uint64
	for i := range n.peers {
		if i != n.Index {
			numbers = append(numbers, n.peers[i].committed)
		}
	}
	sort.Slice(numbers, func(i, j int) bool { return numbers[i] > numbers[j] })
	return numbers[n.faults()-1]
}

func (n *Node) prepare(first, last uint64) *wire.Prepare {
	m := &wire.Prepare{View: n.view, Opnum: last, BatchStart: first, CleanUpTo: n.cleanUpTo}
	for opnum := first; opnum <= last; opnum++ {
		m.Requests = append(m.Requests, n.log.at(opnum).Request)
	}
	return m
}

// truncation computes how far witnesses truncate: to what all replicas have committed and saved,
// but a replica that is too slow is not waited for: the log of a witness must not become full.
func (n *Node) truncation() {
	floor := n.savedCommitted
	for i := 0; i < n.Replicas; i += 2 {
		if i != n.Index {
			floor = least(floor, n.peers[i].committed)
		}
	}
	if window := uint64(n.Window); n.committed > window {
		floor = most(floor, n.committed-window)
	}
	floor = most(floor, n.cleanUpTo)
	lines := 0
	for opnum := n.committed; opnum > floor; opnum-- {
		if lines += linesOf(n.log.at(opnum)); lines > n.Lines-2*flightLines {
			floor = opnum
		}
	}
	n.cleanUpTo = floor
}

func (n *Node) onPrepare(from int, m *wire.Prepare) {
	if m.View < n.view || from != n.leader(m.View) {
		return
	}
	if m.View > n.view || n.status != Normal {
		n.keep(m)
		n.ask(from)
		return
	}
	n.heard = n.now
	n.accept(from, m)
}

func (n *Node) keep(m *wire.Prepare) {
	if len(n.kept) < maxKept {
		n.kept[m.Opnum] = m
	}
}

// accept appends a batch of the view and acknowledges it.
func (n *Node) accept(from int, m *wire.Prepare) {
	n.truncate(m.CleanUpTo)
	if m.BatchStart > n.log.last()+1 {
		if n.isFull() {
			n.Counters.LogFull++
			return
		}
		n.keep(m)
		n.ask(from)
		return
	}
	for i, request := range m.Requests {
		opnum := m.BatchStart + uint64(i)
		if opnum <= n.log.last() {
			continue
		}
		e := wire.Entry{View: m.View, Opnum: opnum, State: wire.Prepared, Request: request}
		if n.lacksRoom(&e) {
			n.Counters.LogFull++
			return
		}
		n.log.append(e)
	}
	n.acknowledge(m.Opnum)
}

// isFull reports whether the log of a witness has no room for any entry.
func (n *Node) isFull() bool { return n.lacksRoom(&wire.Entry{}) }

func (n *Node) lacksRoom(e *wire.Entry) bool {
	return n.IsWitness() &&
		(len(n.log.list) >= n.Capacity || n.log.lines+linesOf(e) > n.Lines)
}

// truncate drops committed entries of a witness. Replicas remember the number for transfers.
func (n *Node) truncate(opnum uint64) {
	opnum = least(opnum, n.committed)
	n.cleanUpTo = most(n.cleanUpTo, opnum)
	if n.IsWitness() {
		n.log.truncate(n.cleanUpTo)
	}
}

func (n *Node) acknowledge(opnum uint64) {
	n.send(n.leader(n.view), &wire.PrepareOK{
		View: n.view, Opnum: opnum, Replica: uint64(n.Index), LastCommitted: n.committed,
	})
}

// acceptKept handles the Prepares that waited for a state transfer.
func (n *Node) acceptKept() {
	var numbers []uint64
	for opnum, m := range n.kept {
		if m.View < n.view || opnum <= n.log.last() {
			delete(n.kept, opnum)
		} else if m.View == n.view {
			numbers = append(numbers, opnum)
		}
	}
	sort.Slice(numbers, func(i, j int) bool { return numbers[i] < numbers[j] })
	for _, opnum := range numbers {
		m := n.kept[opnum]
		delete(n.kept, opnum)
		n.accept(n.leader(n.view), m)
	}
}

func (n *Node) onPrepareOK(from int, m *wire.PrepareOK) {
	if m.View > n.view && !n.IsWitness() {
		n.ask(from)
		return
	}
	if m.View != n.view || !n.IsLeader() || uint64(from) != m.Replica {
		return
	}
	if m.Opnum > n.log.last() {
		n.Counters.Refused++
		return
	}
	p := &n.peers[from]
	p.hasJoined = true
	p.match = most(p.match, m.Opnum)
	p.committed, p.isKnown = most(p.committed, m.LastCommitted), true
	var matches []uint64
	for i := range n.peers {
		if i != n.Index {
			matches = append(matches, n.peers[i].match)
		}
	}
	sort.Slice(matches, func(i, j int) bool { return matches[i] > matches[j] })
	n.commitTo(most(n.committed, matches[n.faults()-1]))
	n.answerReads()
}

func (n *Node) onCommit(from int, m *wire.Commit) {
	if m.View < n.view || from != n.leader(m.View) {
		return
	}
	if m.View > n.view || n.status != Normal {
		n.ask(from)
		return
	}
	n.heard = n.now
	n.commitTo(least(m.Opnum, n.log.last()))
	if m.Opnum > n.log.last() && !n.isFull() {
		n.ask(from)
	}
}

func (n *Node) announce() {
	n.announced = n.committed
	n.sendAll(&wire.Commit{View: n.view, Opnum: n.committed})
}

// repeatAsLeader sends signs of life, and what has been lost.
func (n *Node) repeatAsLeader() {
	if n.now%n.Heartbeat == 0 {
		n.announce()
	}
	if n.now-n.sent < n.Retry {
		return
	}
	n.sent = n.now
	for to := range n.peers {
		p := &n.peers[to]
		if to == n.Index {
			continue
		}
		if !p.hasJoined {
			n.sendStartView(to)
		}
		if n.now-n.progressed >= n.Retry {
			n.repeatPrepares(to)
		}
	}
	n.repeatReads()
}

// repeatPrepares sends what is not committed, or a batch of what a node lacks.
func (n *Node) repeatPrepares(to int) {
	n.truncation()
	match := n.peers[to].match
	for first := most(match, n.committed) + 1; first <= n.log.last(); {
		first = n.repeatPrepare(to, first)
	}
	if n.peers[to].hasJoined && match < n.committed && n.committed == n.log.last() {
		n.repeatPrepare(to, match+1)
	}
}

// repeatPrepare sends a batch that begins with this operation, and returns what follows it.
func (n *Node) repeatPrepare(to int, first uint64) uint64 {
	list := n.log.list[first-n.log.base-1:]
	list = piece(list[:least(len(list), maxBatch)], n.Datagram)
	end := list[len(list)-1].Opnum
	n.send(to, n.prepare(first, end))
	return end + 1
}
