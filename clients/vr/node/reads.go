// SPDX-License-Identifier: Apache-2.0

package node

import "bombus/vr/wire"

// A read is answered from the leader's state once f other nodes have confirmed, after its arrival,
// that they are in no later view, and the operations that the view began with are committed.

func (n *Node) startRead(r *wire.Request) {
	key := readKey{r.Client, r.Number}
	if n.reads[key] != nil {
		return
	}
	if len(n.reads) >= maxQueue {
		return
	}
	n.reads[key] = &read{op: r.Op, votes: map[int]bool{}}
	for to := 1; to < n.Replicas; to += 2 {
		n.send(to, n.validate(key))
	}
}

func (n *Node) validate(key readKey) *wire.ValidateRead {
	return &wire.ValidateRead{View: n.view, Client: key.client, Number: key.number}
}

// repeatReads asks replicas, too: a witness may be down.
func (n *Node) repeatReads() {
	for _, key := range n.readKeys() {
		for to := 0; to < n.Replicas; to++ {
			if !n.reads[key].votes[to] {
				n.send(to, n.validate(key))
			}
		}
	}
}

func (n *Node) onValidateRead(from int, m *wire.ValidateRead) {
	if n.status == Normal && m.View <= n.view {
		n.send(from, &wire.ValidateReadReply{
			IsValid: m.View == n.view,
			Client:  m.Client, Number: m.Number, Replica: uint64(n.Index),
		})
	}
}

func (n *Node) onValidateReadReply(from int, m *wire.ValidateReadReply) {
	key := readKey{m.Client, m.Number}
	r := n.reads[key]
	if !n.IsLeader() || r == nil || uint64(from) != m.Replica {
		return
	}
	if !m.IsValid {
		n.ask(from) // a later view exists
		return
	}
	r.votes[from] = true
	n.answerRead(key)
}

func (n *Node) answerRead(key readKey) {
	r := n.reads[key]
	if len(r.votes) < n.faults() || n.committed < n.viewStart {
		return
	}
	delete(n.reads, key)
	n.reply(key.client, session{key.number, n.machine.Read(r.op)})
}

func (n *Node) answerReads() {
	for _, key := range n.readKeys() {
		n.answerRead(key)
	}
}
