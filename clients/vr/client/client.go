// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"time"

	"bombus/vr/kv"
	"bombus/vr/wire"
)

const retry = 50 * time.Millisecond

// Client executes operations on the store of a group, one at a time.
type Client struct {
	session  *Session
	conn     *net.UDPConn
	replicas []netip.AddrPort
	buffer   []byte
}

// New returns a client of the group with these addresses.
func New(replicas []netip.AddrPort) (*Client, error) {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	conn, err := net.ListenUDP("udp", nil)
	if err != nil {
		return nil, err
	}
	session := NewSession(binary.BigEndian.Uint64(id[:]), len(replicas))
	return &Client{session, conn, replicas, make([]byte, 1<<16)}, nil
}

// Close releases the socket.
func (c *Client) Close() error { return c.conn.Close() }

// ID returns the client's number in messages.
func (c *Client) ID() uint64 { return c.session.id }

// Number returns the number of the last operation in messages.
func (c *Client) Number() uint64 { return c.session.number }

// Do executes an operation; reads are linearizable. If the context ends first, the operation may
// have been executed or not, or be executed later, and the client must be closed.
func (c *Client) Do(ctx context.Context, op kv.Op) (kv.Result, error) {
	data := op.Encode()
	if len(data) > wire.MaxOp {
		return kv.Result{}, fmt.Errorf("key and values have more than %d bytes", wire.MaxOp-13)
	}
	c.session.Begin(data, op.Kind == kv.Get)
	for ctx.Err() == nil {
		to := c.replicas[c.session.Leader()]
		_, _ = c.conn.WriteToUDPAddrPort(wire.Encode(c.session.Request()), to)
		switch reply := c.wait(ctx); {
		case reply == nil:
			c.session.OnTimeout()
		case c.session.Request() == nil:
			return kv.DecodeResult(reply.Result)
		}
	}
	return kv.Result{}, fmt.Errorf("no reply from the group: %w", ctx.Err())
}

// wait returns the next reply that ends the operation or redirects it, or nil after a time.
func (c *Client) wait(ctx context.Context) *wire.Reply {
	end := time.Now().Add(retry)
	if limit, ok := ctx.Deadline(); ok && limit.Before(end) {
		end = limit
	}
	if c.conn.SetReadDeadline(end) != nil {
		return nil
	}
	for time.Now().Before(end) {
		size, _, err := c.conn.ReadFromUDPAddrPort(c.buffer)
		if err != nil {
			continue
		}
		m, _ := wire.Decode(c.buffer[:size])
		reply, ok := m.(*wire.Reply)
		if !ok {
			continue
		}
		if answer := c.session.OnReply(reply); answer == Done || answer == Redirected {
			return reply
		}
	}
	return nil
}
