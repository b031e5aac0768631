// SPDX-License-Identifier: Apache-2.0

package udp_test

import (
	"context"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"bombus/vr/client"
	"bombus/vr/history"
	"bombus/vr/kv"
	"bombus/vr/log"
	"bombus/vr/node"
	"bombus/vr/udp"
)

const (
	shards     = 4
	operations = 400
)

func config(t *testing.T) *udp.Config {
	usual := node.Defaults()
	c := &udp.Config{TickMS: 5, Capacity: usual.Capacity, Lines: usual.Lines, Window: usual.Window,
		InFlight: usual.InFlight, Datagram: usual.Datagram}
	for shard := 0; shard < shards; shard++ {
		var members []netip.AddrPort
		for i := 0; i < 3; i++ {
			conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close() // holds the port until all are chosen
			address := conn.LocalAddr().(*net.UDPAddr).AddrPort()
			members = append(members, netip.AddrPortFrom(address.Addr().Unmap(), address.Port()))
		}
		c.Shards = append(c.Shards, members)
	}
	return c
}

// start runs a member of all shards. The returned function stops it.
func start(t *testing.T, c *udp.Config, index int, data string) func() {
	var servers []*udp.Server
	var files []*log.File
	for shard := range c.Shards {
		var file *log.File
		var saved *log.Saved
		if index%2 == 0 {
			var err error
			if file, saved, err = log.Open(log.ShardFolder(data, shard)); err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		n := node.New(c.Node(index), saved, kv.Store{})
		server, err := udp.Listen(c, shard, n, file)
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, server)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- udp.RunAll(ctx, servers) }()
	return func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for _, file := range files {
			file.Close()
		}
	}
}

// Each shard has a part of the keys and no other, histories are linearizable, and all shards go on
// without the process of their leaders.
func TestShards(t *testing.T) {
	c := config(t)
	var folders []string
	var stop []func()
	for i := 0; i < 3; i++ {
		folders = append(folders, filepath.Join(t.TempDir(), strconv.Itoa(i)))
		if i%2 == 0 {
			if err := log.CreateShards(folders[i], shards); err != nil {
				t.Fatal(err)
			}
		}
		stop = append(stop, start(t, c, i, folders[i]))
	}
	load := client.Load{Clients: 4, Operations: operations, Keys: 50, Reads: 0.5, ValueBytes: 8,
		Limit: time.Minute, Seed: 1}
	run := func() {
		records, total, err := load.Run(c.Shards)
		if err != nil {
			t.Fatal(err)
		}
		if err := history.Check(records, time.Minute); err != nil || len(records) != operations {
			t.Errorf("%d operations: %v", len(records), err)
		}
		t.Log("\n" + client.Summary(records, total, shards))
	}
	run()
	stop[0]()
	run()
	stop[1]()
	stop[2]()
	for shard := 0; shard < shards; shard++ {
		file, saved, err := log.Open(log.ShardFolder(folders[2], shard))
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
		if saved.View == 0 || len(saved.Entries) == 0 {
			t.Errorf("shard %d: view %d, %d operations", shard, saved.View, len(saved.Entries))
		}
		for _, e := range saved.Entries {
			op, err := kv.DecodeOp(e.Request.Op)
			if err != nil || kv.Shard(op.Key, shards) != shard {
				t.Fatalf("shard %d has key %q: %v", shard, op.Key, err)
			}
		}
	}
}
