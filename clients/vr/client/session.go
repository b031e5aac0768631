// SPDX-License-Identifier: Apache-2.0

// Package client sends operations to the leader of a group.
package client

import "bombus/vr/wire"

// Session is a client's part of the protocol, without input and output. It has one operation at a
// time and repeats it until the reply is here; replicas execute it once.
type Session struct {
	id       uint64
	number   uint64
	replicas int
	leader   int
	view     uint64
	request  *wire.Request
}

// NewSession returns a session. Its id must differ from all others, also earlier ones.
func NewSession(id uint64, replicas int) *Session {
	return &Session{id: id, replicas: replicas}
}

// Begin starts an operation. Send the request to Leader.
func (s *Session) Begin(op []byte, isRead bool) {
	s.number++
	request := wire.Operation{Client: s.id, Number: s.number, Op: op}
	s.request = &wire.Request{Operation: request, IsRead: isRead}
}

// Request returns the operation in progress, or nil.
func (s *Session) Request() *wire.Request { return s.request }

// Leader returns the index of the replica to send to.
func (s *Session) Leader() int { return s.leader }

// Answer is what a reply means.
type Answer int

// Ignore: no reply to the operation in progress. Done: it has ended. Redirected: send it again, to
// another leader. Wait: there is no other leader yet.
const (
	Ignore Answer = iota
	Done
	Redirected
	Wait
)

// OnReply handles a reply.
func (s *Session) OnReply(r *wire.Reply) Answer {
	if s.request == nil || r.Client != s.id || r.Number != s.number {
		return Ignore
	}
	if r.View >= s.view {
		s.view = r.View
	}
	if r.Status == wire.StatusOK {
		s.leader = int(r.View % uint64(s.replicas))
		s.request = nil
		return Done
	}
	leader := int(s.view % uint64(s.replicas))
	if r.View < s.view || leader == s.leader {
		return Wait
	}
	s.leader = leader
	return Redirected
}

// OnTimeout chooses the next replica; send the request again.
func (s *Session) OnTimeout() { s.leader = (s.leader + 2) % (s.replicas + 1) }
