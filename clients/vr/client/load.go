// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net/netip"
	"sort"
	"sync"
	"time"

	"bombus/vr/history"
	"bombus/vr/kv"
	"bombus/vr/wire"
)

// maxValue leaves room for a key and for the lengths.
const maxValue = wire.MaxOp - 64

// Load describes a closed loop of clients.
type Load struct {
	Clients    int
	Operations int           // of all clients together
	Keys       int           // chosen with equal probability
	Reads      float64       // share of all operations
	ValueBytes int           // size of a value, at least
	Limit      time.Duration // of the whole run
	Seed       int64
}

// Check returns an error for values that describe no load.
func (l *Load) Check() error {
	switch {
	case l.Clients < 1 || l.Keys < 1 || l.Operations < 1:
		return errors.New("clients, keys and operations are at least 1")
	case !(l.Reads >= 0 && l.Reads <= 1):
		return errors.New("the share of reads is from 0 to 1")
	case l.ValueBytes < 0 || l.ValueBytes > maxValue:
		return fmt.Errorf("a value has from 0 to %d bytes", maxValue)
	case l.Limit <= 0:
		return errors.New("the time of the run is above 0")
	}
	return nil
}

// Run loads all shards and returns what the clients have seen. Times are in ns since its start.
func (l *Load) Run(shards [][]netip.AddrPort) ([]history.Record, time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.Limit)
	defer cancel()
	var group sync.WaitGroup
	var mutex sync.Mutex
	var all []history.Record
	var failure error
	begin := time.Now()
	for i := 0; i < l.Clients; i++ {
		share := l.Operations / l.Clients
		if i < l.Operations%l.Clients {
			share++
		}
		group.Add(1)
		go func(index, share int) {
			defer group.Done()
			records, err := l.client(ctx, shards, index, share, begin)
			mutex.Lock()
			defer mutex.Unlock()
			all = append(all, records...)
			if err != nil {
				failure = err
			}
		}(i, share)
	}
	group.Wait()
	return all, time.Since(begin), failure
}

func (l *Load) client(
	ctx context.Context, shards [][]netip.AddrPort, index, share int, begin time.Time,
) ([]history.Record, error) {
	store, err := Open(shards)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	rng := rand.New(rand.NewSource(l.Seed + int64(index)))
	run := begin.UnixNano() // keys of each run are new
	var records []history.Record
	for number := 1; number <= share; number++ {
		op := kv.Op{Kind: kv.Get, Key: fmt.Sprintf("%x.%d", run, rng.Intn(l.Keys))}
		c := store.Client(op.Key)
		if rng.Float64() >= l.Reads {
			op.Kind = kv.Put
			op.Value = fmt.Sprintf("%-*s", l.ValueBytes, fmt.Sprintf("%x.%d", c.ID(), number))
		}
		r := history.Record{
			Client: index, ID: c.ID(), Op: op, Call: time.Since(begin).Nanoseconds(),
		}
		r.Result, err = c.Do(ctx, op)
		r.Return = time.Since(begin).Nanoseconds()
		r.Number, r.IsOpen = c.Number(), err != nil
		records = append(records, r)
		if err != nil {
			return records, err
		}
	}
	return records, nil
}

// Summary returns the rate, and latencies of reads and of writes in microseconds: of all operations,
// then of each shard if there are several.
func Summary(records []history.Record, total time.Duration, shards int) string {
	text := summary("", records, total)
	if shards == 1 {
		return text
	}
	parts := make([][]history.Record, shards)
	for _, r := range records {
		shard := kv.Shard(r.Op.Key, shards)
		parts[shard] = append(parts[shard], r)
	}
	for shard, part := range parts {
		text += summary(fmt.Sprintf("shard %d, ", shard), part, total)
	}
	return text
}

func summary(name string, records []history.Record, total time.Duration) string {
	text := fmt.Sprintf("%s%d operations in %.2f s: %.0f per second\n",
		name, len(records), total.Seconds(), float64(len(records))/total.Seconds())
	for _, kind := range []string{kv.Get, kv.Put} {
		var times []int64
		for _, r := range records {
			if r.Op.Kind == kind && !r.IsOpen {
				times = append(times, r.Return-r.Call)
			}
		}
		if len(times) == 0 {
			continue
		}
		sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
		at := func(share float64) int64 { return times[int(share*float64(len(times)-1))] / 1000 }
		text += fmt.Sprintf("%s%s: %d, median %d us, 99th percentile %d us, longest %d us\n",
			name, kind, len(times), at(0.5), at(0.99), at(1))
	}
	return text
}
