// SPDX-License-Identifier: Apache-2.0

// Package udp runs nodes on sockets.
package udp

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"time"

	"bombus/vr/node"
	"bombus/vr/wire"
)

// Config describes a group; all its members and clients read the same file.
type Config struct {
	// Replicas are the addresses of all members in order: even ones are replicas, odd ones
	// witnesses, in software or hardware.
	Replicas []netip.AddrPort `json:"replicas"`
	TickMS   int              `json:"tick_ms"`
	Capacity int              `json:"capacity"`      // entries in the log of a witness
	Lines    int              `json:"witness_lines"` // of 64 bytes in it
	Window   int              `json:"window"`        // entries kept for a slow replica
	InFlight int              `json:"in_flight"`
	Datagram int              `json:"datagram_bytes"` // entries in a message to a witness
}

// ReadConfig reads and checks a configuration file.
func ReadConfig(name string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	usual := node.Defaults()
	c := &Config{TickMS: 5, Capacity: usual.Capacity, Lines: usual.Lines, Window: usual.Window,
		InFlight: usual.InFlight, Datagram: usual.Datagram}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if n := len(c.Replicas); n < 3 || n%2 == 0 || n > wire.MaxReplicas {
		return nil, fmt.Errorf("%s: a group has 3, 5 or 7 members, not %d", name, n)
	}
	seen := map[netip.AddrPort]bool{}
	for _, address := range c.Replicas {
		if !address.IsValid() || address.Port() == 0 || seen[address] {
			return nil, fmt.Errorf("%s: address %v is invalid or repeated", name, address)
		}
		seen[address] = true
	}
	if c.TickMS < 1 || c.Window < 1 || c.Capacity < 1 || c.InFlight < 1 || c.Datagram < 1 {
		return nil, fmt.Errorf("%s: times and sizes are at least 1", name)
	}
	if n := c.Node(0); n.Check() != nil {
		return nil, fmt.Errorf("%s: %w", name, n.Check())
	}
	return c, nil
}

// Node returns the configuration of a member.
func (c *Config) Node(index int) node.Config {
	n := node.Defaults()
	n.Index, n.Replicas = index, len(c.Replicas)
	n.Capacity, n.Lines, n.Window = c.Capacity, c.Lines, c.Window
	n.InFlight, n.Datagram = c.InFlight, c.Datagram
	n.Nonce = uint64(time.Now().UnixNano())
	return n
}
