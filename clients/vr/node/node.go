// SPDX-License-Identifier: Apache-2.0

// Package node is Viewstamped Replication as a state machine without input and output.
//
// Messages, client requests and ticks are passed to a Node; Flush then returns what to save and
// what to send, in this order. The same calls give the same results. A node is a replica (even
// index), which executes operations and may lead, or a witness (odd index), which does neither.
//
// Source: "Viewstamped Replication Revisited" (Liskov, Cowling 2012), with witnesses and validated
// reads as in Beehive, section 5.2. docs/applications/vr/software.md states the differences.
package node

import (
	"fmt"

	"bombus/vr/log"
	"bombus/vr/wire"
)

// Machine executes operations. Results depend on the operations before only.
type Machine interface {
	Apply(op []byte) []byte
	Read(op []byte) []byte
}

// Config describes a node and its group. Times are in ticks.
type Config struct {
	Index    int
	Replicas int // 3, 5 or 7
	// Capacity is the number of entries in the log of a witness, and Lines that of their lines of 64
	// bytes. A witness with a full log does not vote for further operations until the leader lets it
	// truncate the log.
	Capacity int
	Lines    int
	// Window is the number of committed operations that witnesses keep for a slow replica, at most;
	// their lines, and those of what is in flight, fit into the log, too.
	Window int
	// InFlight is the number of operations that are prepared and not committed, at most.
	InFlight int
	// Datagram is the number of bytes of entries in a Prepare, not committed in all, or in a message
	// to a witness. Hardware witnesses join no fragments, neither of messages nor of IP datagrams,
	// and must get a complete log of a view at once.
	Datagram int
	// Piece is the size of a partial state transfer to a replica, in bytes of entries.
	Piece     int
	Heartbeat int // interval of the leader's messages
	Timeout   int // silence after which a replica starts a view change
	Retry     int // interval of repeated messages
	// Nonce identifies this start of a witness; each start has another.
	Nonce uint64
}

// Defaults returns the usual values of all fields but Index and Replicas.
func Defaults() Config {
	return Config{
		Capacity: 1023, Lines: 2048, Window: 511, InFlight: 256, Datagram: 8000, Piece: 128 << 10,
		Heartbeat: 4, Timeout: 40, Retry: 8,
	}
}

// Status is the state of a node.
type Status int

// The states of a node. A Recovering witness waits for responses, a Fetching one for entries.
const (
	Normal Status = iota
	ViewChange
	Recovering
	Fetching
)

func (s Status) String() string {
	return [...]string{"normal", "view change", "recovering", "fetching"}[s]
}

// Send is a message to another node.
type Send struct {
	To      int
	Message wire.Message
}

// Output is what a driver does next: save, then send. An acknowledgement must not leave before the
// save has succeeded.
type Output struct {
	Save    *log.Batch
	Sends   []Send
	Replies []*wire.Reply
}

// flightLines is the number of lines in flight, at most: of one operation, or of half of a datagram.
const flightLines = (wire.MaxOp + lineBytes) / lineBytes

// Check returns an error if the log of a witness can be full while a replica is down. The log holds
// the window, what was in flight when the leader chose cleanUpTo, and what has followed.
func (c *Config) Check() error {
	switch {
	case c.Window+2*c.InFlight > c.Capacity:
		return fmt.Errorf("a witness of %d operations cannot hold a window of %d, and %d in flight "+
			"twice", c.Capacity, c.Window, c.InFlight)
	case c.Lines < 2*flightLines:
		return fmt.Errorf("a witness needs at least %d lines, not %d", 2*flightLines, c.Lines)
	case c.Datagram > MaxDatagram:
		return fmt.Errorf("a datagram holds at most %d bytes of entries, not %d", MaxDatagram,
			c.Datagram)
	}
	return nil
}

// MaxDatagram is the highest value of Config.Datagram: longer messages would be cut into fragments.
const MaxDatagram = 8900

// Limits of a leader.
const (
	maxQueue = 4096 // requests that wait
	maxBatch = 64   // operations of a Prepare
	maxKept  = 64   // Prepares that wait for a state transfer
)

// Counters of rare events.
type Counters struct {
	ViewChanges uint64
	Transfers   uint64
	LogFull     uint64
	Refused     uint64 // messages that no correct node sends
}

type session struct {
	number uint64
	result []byte
}

type readKey struct{ client, number uint64 }

type read struct {
	op    []byte
	votes map[int]bool
}

type peer struct {
	match     uint64 // last operation acknowledged in this view
	committed uint64 // last committed operation reported
	isKnown   bool   // committed has been reported
	hasJoined bool   // an acknowledgement of this view has arrived
}

// Node is the state of a replica or a witness.
type Node struct {
	Config
	Counters Counters

	machine Machine
	now     int
	out     Output

	status     Status
	view       uint64
	lastNormal uint64
	committed  uint64
	cleanUpTo  uint64
	log        entries
	kept       map[uint64]*wire.Prepare

	saved   uint64 // entries up to this one are on disk
	isDirty bool   // view or lastNormal has changed since the last save
	// savedCommitted is the last committed operation on disk: after a restart, the node knows that
	// all up to it are committed. Witnesses truncate no further.
	savedCommitted uint64

	heard     int // tick of the last sign of the leader, or of progress in a view change
	sent      int // tick of the last repeated messages
	asked     int // tick of the last RequestStateTransfer, 0: none is outstanding
	joined    map[int]uint64
	logs      map[int]*wire.DoViewChange
	responses map[int]*wire.RecoveryResponse
	target    uint64 // last operation to fetch during recovery

	peers      []peer
	viewStart  uint64 // reads wait for the commit of this operation
	announced  uint64 // last committed operation that was sent
	progressed int    // tick of the last commit or Prepare
	queue      []wire.Operation
	inLog      map[uint64]uint64 // highest number of each client in the queue or log
	sessions   map[uint64]session
	reads      map[readKey]*read
}

// New returns a node: a replica with its saved state, or a witness, which recovers first.
func New(config Config, saved *log.Saved, machine Machine) *Node {
	n := &Node{
		Config: config, machine: machine, now: 1,
		kept: map[uint64]*wire.Prepare{}, peers: make([]peer, config.Replicas),
		inLog: map[uint64]uint64{}, sessions: map[uint64]session{}, reads: map[readKey]*read{},
	}
	n.sent = n.now - config.Retry
	if n.IsWitness() {
		n.status = Recovering
		n.responses = map[int]*wire.RecoveryResponse{}
		return n
	}
	n.view, n.lastNormal = saved.View, saved.LastNormalView
	for _, e := range saved.Entries {
		n.log.append(e)
	}
	n.saved = n.log.last()
	n.commitTo(saved.LastCommitted)
	n.savedCommitted = n.committed
	if n.view != n.lastNormal {
		n.status = ViewChange
		n.joined = map[int]uint64{n.Index: n.committed}
		n.logs = map[int]*wire.DoViewChange{}
	} else if n.leader(n.view) == n.Index {
		n.lead()
	}
	n.heard = n.now
	return n
}

// IsWitness reports whether the node is a witness.
func (c *Config) IsWitness() bool { return c.Index%2 == 1 }

func (c *Config) faults() int { return (c.Replicas - 1) / 2 }

func (c *Config) leader(view uint64) int { return int(view % uint64(c.Replicas)) }

// nextView returns the next view with a leader that is no witness.
func (c *Config) nextView(view uint64) uint64 {
	view++
	for c.leader(view)%2 == 1 {
		view++
	}
	return view
}

// View returns the view of the node.
func (n *Node) View() uint64 { return n.view }

// Status returns the state of the node.
func (n *Node) Status() Status { return n.status }

// LastOp returns the number of the last operation in the log.
func (n *Node) LastOp() uint64 { return n.log.last() }

// LastCommitted returns the number of the last operation that is known to be committed.
func (n *Node) LastCommitted() uint64 { return n.committed }

// Entry returns the entry of an operation that is in the log.
func (n *Node) Entry(opnum uint64) wire.Entry { return *n.log.at(opnum) }

// IsLeader reports whether the node leads its view.
func (n *Node) IsLeader() bool { return n.status == Normal && n.leader(n.view) == n.Index }

func (n *Node) send(to int, m wire.Message) {
	if to != n.Index {
		n.out.Sends = append(n.out.Sends, Send{to, m})
	}
}

func (n *Node) sendAll(m wire.Message) {
	for to := 0; to < n.Replicas; to++ {
		n.send(to, m)
	}
}

// Receive handles a message from another node of the group.
func (n *Node) Receive(from int, m wire.Message) {
	if n.status == Recovering || n.status == Fetching {
		switch m := m.(type) {
		case *wire.RecoveryResponse:
			n.onRecoveryResponse(from, m)
		case *wire.StateTransfer:
			n.onFetched(from, m)
		}
		return
	}
	switch m := m.(type) {
	case *wire.Prepare:
		n.onPrepare(from, m)
	case *wire.PrepareOK:
		n.onPrepareOK(from, m)
	case *wire.Commit:
		n.onCommit(from, m)
	case *wire.RequestStateTransfer:
		n.onRequestStateTransfer(from, m)
	case *wire.StateTransfer:
		n.onStateTransfer(from, m)
	case *wire.Committed:
		n.onCommitted(from, m)
	case *wire.StartViewChange:
		n.onStartViewChange(from, m)
	case *wire.DoViewChange:
		n.onDoViewChange(from, m)
	case *wire.StartView:
		n.onStartView(from, m)
	case *wire.ValidateRead:
		n.onValidateRead(from, m)
	case *wire.ValidateReadReply:
		n.onValidateReadReply(from, m)
	case *wire.Recovery:
		n.onRecovery(from, m)
	}
}

// Tick advances the time.
func (n *Node) Tick() {
	n.now++
	switch {
	case n.status == Recovering || n.status == Fetching:
		n.repeatRecovery()
	case n.IsWitness():
		// A witness only answers.
	case n.status == ViewChange:
		n.repeatViewChange()
	case n.leader(n.view) == n.Index:
		n.repeatAsLeader()
	case n.now-n.heard > n.patience():
		n.startViewChange(n.nextView(n.view))
	}
}

// patience is shortest at the leader of the next view, so that replicas do not compete.
func (n *Node) patience() int {
	if n.leader(n.nextView(n.view)) == n.Index {
		return n.Timeout
	}
	return n.Timeout + n.Timeout/2
}

// Flush ends a step: it announces commits, prepares what is queued, and returns what to save and to
// send.
func (n *Node) Flush() Output {
	if n.IsLeader() {
		// Members that take a Prepare then know that the one before is committed.
		if n.committed > n.announced {
			n.announce()
		}
		n.prepareQueue()
	}
	if !n.IsWitness() && (n.isDirty || n.saved != n.log.last()) {
		n.out.Save = &log.Batch{
			View: n.view, LastNormalView: n.lastNormal, LastCommitted: n.committed,
			Keep: n.saved, Entries: n.log.after(n.saved),
		}
		n.saved, n.isDirty, n.savedCommitted = n.log.last(), false, n.committed
	}
	if !n.IsWitness() {
		for _, s := range n.out.Sends {
			switch m := s.Message.(type) {
			case *wire.PrepareOK:
				m.LastCommitted = n.savedCommitted
			case *wire.StartViewChange:
				m.LastCommitted = n.savedCommitted
			case *wire.DoViewChange:
				m.LastCommitted = n.savedCommitted
			}
		}
	}
	out := n.out
	n.out = Output{}
	return out
}

// cut drops all entries after opnum.
func (n *Node) cut(opnum uint64) {
	n.log.cut(opnum)
	n.saved = least(n.saved, opnum)
}

// commitTo executes all operations up to opnum, which must be in the log.
func (n *Node) commitTo(opnum uint64) {
	for n.committed < opnum {
		n.committed++
		if n.IsWitness() {
			continue
		}
		request := n.log.at(n.committed).Request
		last, isKnown := n.sessions[request.Client]
		if isKnown && request.Number <= last.number {
			continue // the same request in two views
		}
		last = session{request.Number, n.machine.Apply(request.Op)}
		n.sessions[request.Client] = last
		n.progressed = n.now
		if n.IsLeader() {
			n.reply(request.Client, last)
		}
	}
}

func (n *Node) reply(client uint64, s session) {
	n.out.Replies = append(n.out.Replies, &wire.Reply{
		View: n.view, Client: client, Number: s.number, Result: s.result,
	})
}
