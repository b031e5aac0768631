// SPDX-License-Identifier: Apache-2.0

// Package udp runs nodes on sockets.
package udp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"bombus/vr/node"
	"bombus/vr/wire"
)

// Config describes a store; all its members and clients read the same file.
type Config struct {
	// Shards has a group for each shard: the addresses of its members in order. Even ones are
	// replicas, odd ones witnesses, in software or hardware.
	Shards   [][]netip.AddrPort `json:"shards"`
	TickMS   int                `json:"tick_ms"`
	Capacity int                `json:"capacity"`      // entries in the log of a witness
	Lines    int                `json:"witness_lines"` // of 64 bytes in it
	Window   int                `json:"window"`        // entries kept for a slow replica
	InFlight int                `json:"in_flight"`
	Datagram int                `json:"datagram_bytes"` // entries in a message to a witness
}

const maxSize = 1 << 24

// ReadConfig reads and checks a configuration file.
func ReadConfig(name string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	usual := node.Defaults()
	c := &Config{TickMS: 5, Capacity: usual.Capacity, Lines: usual.Lines, Window: usual.Window,
		InFlight: usual.InFlight, Datagram: usual.Datagram}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: there is text after the configuration", name)
	}
	if err := c.checkShards(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, value := range []int{c.TickMS, c.Window, c.Capacity, c.InFlight, c.Lines, c.Datagram} {
		if value < 1 || value > maxSize {
			return nil, fmt.Errorf("%s: times and sizes are at least 1 and at most %d", name, maxSize)
		}
	}
	if n := c.Node(0); n.Check() != nil {
		return nil, fmt.Errorf("%s: %w", name, n.Check())
	}
	return c, nil
}

func (c *Config) checkShards() error {
	if len(c.Shards) == 0 {
		return errors.New("there is no shard")
	}
	seen := map[netip.AddrPort]bool{}
	for shard, members := range c.Shards {
		if n := len(members); n < 3 || n%2 == 0 || n > wire.MaxReplicas {
			return fmt.Errorf("shard %d: a group has 3, 5 or 7 members, not %d", shard, n)
		}
		if len(members) != c.Members() {
			return fmt.Errorf("shard %d: %d members, others have %d", shard, len(members), c.Members())
		}
		for _, address := range members {
			if !address.IsValid() || address.Port() == 0 || seen[address] {
				return fmt.Errorf("shard %d: address %v is invalid or repeated", shard, address)
			}
			seen[address] = true
		}
	}
	return nil
}

// Members returns the number of members of each shard.
func (c *Config) Members() int { return len(c.Shards[0]) }

// Choose returns the shards of a list such as "0,2", or all shards if it is empty.
func (c *Config) Choose(list string) ([]int, error) {
	var shards []int
	if list == "" {
		for shard := range c.Shards {
			shards = append(shards, shard)
		}
		return shards, nil
	}
	for _, word := range strings.Split(list, ",") {
		shard, err := strconv.Atoi(word)
		if err != nil || shard < 0 || shard >= len(c.Shards) {
			return nil, fmt.Errorf("%q is not the number of a shard", word)
		}
		shards = append(shards, shard)
	}
	return shards, nil
}

// Node returns the configuration of a member.
func (c *Config) Node(index int) node.Config {
	n := node.Defaults()
	n.Index, n.Replicas = index, c.Members()
	n.Capacity, n.Lines, n.Window = c.Capacity, c.Lines, c.Window
	n.InFlight, n.Datagram = c.InFlight, c.Datagram
	n.Nonce = uint64(time.Now().UnixNano())
	return n
}
