// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/netip"

	"bombus/vr/kv"
)

// Store executes operations on a sharded store, one at a time. Each shard is a group of its own.
type Store struct {
	shards []*Client
}

// Open returns a store whose shards have members with these addresses.
func Open(shards [][]netip.AddrPort) (*Store, error) {
	s := &Store{}
	for _, members := range shards {
		c, err := New(members)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.shards = append(s.shards, c)
	}
	return s, nil
}

// Close releases the sockets.
func (s *Store) Close() {
	for _, c := range s.shards {
		c.Close()
	}
}

// Client returns the client of a key's shard.
func (s *Store) Client(key string) *Client { return s.shards[kv.Shard(key, len(s.shards))] }

// Do executes an operation, as Client.Do does.
func (s *Store) Do(ctx context.Context, op kv.Op) (kv.Result, error) {
	return s.Client(op.Key).Do(ctx, op)
}
