// SPDX-License-Identifier: Apache-2.0

// Package sim runs a group and its clients in simulated time, with faults from a seed.
//
// Faults: loss, duplication, delays up to seconds (thus reordering and messages from long ago),
// partitions in one or both directions, replicas killed, also during a write to disk, and restarted
// with their disk, witnesses reset. Equal options give equal runs.
package sim

import (
	"container/heap"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand"

	"bombus/vr/client"
	"bombus/vr/history"
	"bombus/vr/kv"
	"bombus/vr/log"
	"bombus/vr/node"
	"bombus/vr/wire"
)

// Break is a deliberate error of the group.
type Break string

// The errors that the tests must find.
const (
	None             Break = ""
	VotesUnrecovered Break = "a witness votes before recovery"
	AcknowledgesGap  Break = "a witness acknowledges an operation after a gap"
	LosesDisk        Break = "a replica acknowledges before the disk has the entries"
)

// Options of a run.
type Options struct {
	Seed       int64
	Replicas   int
	Clients    int
	Keys       int
	Operations int
	Break      Break
	External   *External // simulates witnesses, unless nil
	Outside    []int     // indices of the witnesses that it simulates; nil: all
}

// Result of a run.
type Result struct {
	Records  []history.Record
	Kills    int
	Resets   int
	Splits   int
	Views    uint64
	Counters node.Counters // sums over all starts of all nodes
}

const maxEvents = 50_000 // messages in flight and timers

// ErrProgress is returned if operations remain open long after the last fault.
var ErrProgress = errors.New("no progress")

// Times in microseconds.
const (
	tick        = 1000
	patience    = 30_000      // of a client
	pause       = 30_000      // of a client after an operation, at most
	healthyTime = 20_000_000  // after the faults, within which all operations must end
	faultyTime  = 600_000_000 // of faults, at most
)

type event struct {
	at, order int64
	run       func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}

type host struct {
	index   int
	node    *node.Node // nil while it is down
	life    int        // number of starts
	disk    []byte
	lazy    []byte // of LosesDisk: not yet on disk
	checked uint64 // operations compared with those of other replicas
	// Of a witness in another program: it has no node.
	isUp    bool
	isSetUp bool // its controller knows that it is in normal state
	state   externalState
	parts   map[int]*wire.Assembler // fragments, by sender
}

type user struct {
	index   int
	session *client.Session
	record  history.Record
	attempt int
	done    int
}

type world struct {
	Options
	rng     *rand.Rand
	now     int64
	order   int64
	clock   int64 // of histories: grows with each call and return
	queue   events
	hosts   []*host
	users   []*user
	blocked map[[2]int]bool
	loss    float64
	twice   float64
	late    float64
	faulty  bool
	config  node.Config
	issued  int
	result  Result
	chosen  []wire.Entry // committed operations, from opnum 1
	err     error
}

func (w *world) after(delay int64, run func()) {
	w.order++
	heap.Push(&w.queue, event{w.now + delay, w.order, run})
}

func (w *world) between(low, high int64) int64 { return low + w.rng.Int63n(high-low+1) }

func (w *world) fail(format string, arguments ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("seed %d, %d us: %w", w.Seed, w.now, fmt.Errorf(format, arguments...))
	}
}

// Run simulates until all operations have ended, and judges agreement and lost writes. The caller
// judges the history.
func Run(options Options) (Result, error) {
	w := &world{
		Options: options, rng: rand.New(rand.NewSource(options.Seed)),
		blocked: map[[2]int]bool{}, faulty: true,
	}
	w.loss = w.rng.Float64() * 0.1
	w.twice = w.rng.Float64() * 0.1
	w.late = w.rng.Float64() * 0.02
	w.config = w.groupConfig()
	for i := 0; i < options.Replicas; i++ {
		h := &host{index: i, parts: map[int]*wire.Assembler{}}
		if i%2 == 0 {
			h.disk = log.Encode(&log.Batch{})
		}
		w.hosts = append(w.hosts, h)
		w.start(h)
	}
	for i := 0; i < options.Clients; i++ {
		u := &user{index: i, session: client.NewSession(uint64(1000+i), options.Replicas)}
		w.users = append(w.users, u)
		w.after(w.between(0, 1000), func() { w.call(u) })
	}
	w.after(w.between(20_000, 100_000), w.fault)
	end := int64(faultyTime + healthyTime)
	for w.err == nil && w.now < end && (w.active() || w.faulty || !w.settled()) {
		if w.faulty && (w.issued >= options.Operations || w.now > faultyTime) {
			w.heal()
			end = w.now + healthyTime
		}
		if len(w.queue) > maxEvents {
			w.fail("messages multiply: %s", w.describe())
			break
		}
		e := heap.Pop(&w.queue).(event)
		w.now = e.at
		e.run()
	}
	if w.err == nil && (w.active() || !w.settled()) {
		w.fail("%w: %s", ErrProgress, w.describe())
	}
	w.checkWrites()
	for _, h := range w.hosts {
		w.count(h)
	}
	return w.result, w.err
}

func (w *world) active() bool {
	for _, u := range w.users {
		if u.session.Request() != nil {
			return true
		}
	}
	return w.issued < w.Operations
}

// settled reports whether all nodes are in normal operation, with equal logs.
func (w *world) settled() bool {
	for _, h := range w.hosts {
		n, first := h.node, w.hosts[0].node
		if w.isExternal(h) && first != nil {
			s := h.state
			if s.state != externalNormal || s.view != first.View() || s.last != first.LastOp() {
				return false
			}
			continue
		}
		if n == nil || n.Status() != node.Normal || n.View() != first.View() ||
			n.LastOp() != first.LastOp() || n.LastCommitted() != first.LastOp() {
			return false
		}
	}
	return true
}

func (w *world) describe() string {
	text := ""
	for _, h := range w.hosts {
		if w.isExternal(h) {
			text += fmt.Sprintf("%d %+v; ", h.index, h.state)
			continue
		}
		if h.node == nil {
			text += fmt.Sprintf("%d down; ", h.index)
			continue
		}
		n := h.node
		text += fmt.Sprintf("%d %v view %d op %d committed %d; ",
			h.index, n.Status(), n.View(), n.LastOp(), n.LastCommitted())
	}
	return text
}

// Nodes.

// groupConfig chooses sizes at which witnesses fill up, or fall behind the truncation, and at which
// state transfers are in pieces.
func (w *world) groupConfig() node.Config {
	config := node.Defaults()
	config.Replicas = w.Replicas
	switch w.rng.Intn(3) {
	case 0:
		config.Capacity, config.Window = 20, 1000
	case 1:
		config.Capacity, config.Window = 40, 20
	case 2:
		config.Lines = 300 // of which 50 are kept for a slow replica
	}
	if w.rng.Intn(2) == 0 {
		config.Piece, config.Datagram = 400, 1300
	}
	return config
}

func (w *world) isExternal(h *host) bool {
	if w.External == nil || h.index%2 == 0 {
		return false
	}
	for _, index := range w.Outside {
		if index == h.index {
			return true
		}
	}
	return w.Outside == nil
}

func (w *world) startExternal(h *host) {
	h.isUp, h.isSetUp = true, false
	w.external(h, "reset", w.now)
	w.setUp(h)
	life := h.life
	var again func()
	again = func() {
		if h.isUp && h.life == life {
			w.external(h, "elapse", w.now)
			w.after(tick, again)
		}
	}
	w.after(w.between(1, tick), again)
}

func (w *world) start(h *host) {
	h.life++
	if w.isExternal(h) {
		w.startExternal(h)
		return
	}
	config := w.config
	config.Index = h.index
	config.Nonce = uint64(h.life) << 20
	if config.IsWitness() {
		h.node = node.New(config, nil, nil)
		if w.Break == VotesUnrecovered {
			for i := 0; i < w.Replicas; i += 2 {
				h.node.Receive(i, &wire.RecoveryResponse{Replica: uint32(i), Nonce: config.Nonce})
			}
		}
	} else {
		saved, good, err := log.Load(h.disk)
		if err != nil {
			w.fail("node %d: %v", h.index, err)
			return
		}
		h.disk = h.disk[:good]
		h.node = node.New(config, saved, kv.Store{})
		h.checked = 0
	}
	w.finish(h)
	life := h.life
	var again func()
	again = func() {
		if h.node != nil && h.life == life {
			h.node.Tick()
			w.finish(h)
			w.after(tick, again)
		}
	}
	w.after(w.between(1, tick), again)
}

func (w *world) kill(h *host) {
	h.isUp = false
	if h.node != nil {
		w.count(h)
		h.node, h.lazy = nil, nil
	}
}

func (w *world) count(h *host) {
	if h.node != nil {
		c := h.node.Counters
		w.result.Counters.ViewChanges += c.ViewChanges
		w.result.Counters.Transfers += c.Transfers
		w.result.Counters.LogFull += c.LogFull
		w.result.Counters.Refused += c.Refused
		if view := h.node.View(); view > w.result.Views {
			w.result.Views = view
		}
	}
}

// finish does what the node has put out.
func (w *world) finish(h *host) {
	out := h.node.Flush()
	if out.Save != nil {
		data := log.Encode(out.Save)
		switch {
		case w.Break == LosesDisk:
			h.lazy = append(h.lazy, data...)
			if len(h.lazy) > 4000 {
				h.disk, h.lazy = append(h.disk, h.lazy...), nil
			}
		case w.faulty && w.rng.Intn(2000) == 0:
			h.disk = append(h.disk, data[:w.rng.Intn(len(data)+1)]...)
			w.result.Kills++
			w.kill(h)
			w.after(w.between(1000, 100_000), func() { w.restart(h) })
			return
		default:
			h.disk = append(h.disk, data...)
		}
	}
	if h.index%2 == 0 {
		w.compare(h)
	}
	for _, s := range out.Sends {
		w.transmit(h.index, s.To, wire.Encode(s.Message))
	}
	for _, r := range out.Replies {
		w.answer(h.index, r)
	}
}

func (w *world) restart(h *host) {
	if h.node == nil && !h.isUp {
		w.start(h)
	}
}

// compare checks that replicas commit the same operations.
func (w *world) compare(h *host) {
	for ; h.checked < h.node.LastCommitted(); h.checked++ {
		e := h.node.Entry(h.checked + 1)
		if h.checked == uint64(len(w.chosen)) {
			w.chosen = append(w.chosen, e)
		}
		if c := w.chosen[h.checked]; c.View != e.View || c.Request.Client != e.Request.Client ||
			c.Request.Number != e.Request.Number {
			w.fail("node %d commits another operation %d", h.index, e.Opnum)
		}
	}
}

// Network.

func (w *world) delay() int64 {
	if w.faulty && w.rng.Float64() < w.late {
		return w.between(1000, 2_000_000)
	}
	return w.between(50, 500)
}

func (w *world) copies() int {
	switch {
	case w.rng.Float64() < w.loss:
		return 0
	case w.rng.Float64() < w.twice:
		return 2
	}
	return 1
}

func (w *world) transmit(from, to int, data []byte) {
	if w.blocked[[2]int{from, to}] {
		return
	}
	for i := w.copies(); i > 0; i-- {
		w.after(w.delay(), func() { w.deliver(from, to, data) })
	}
}

func (w *world) deliver(from, to int, data []byte) {
	h := w.hosts[to]
	if h.isUp {
		if len(data) > wire.FragmentData {
			w.fail("node %d sends %d bytes to a witness that joins no fragments", from, len(data))
		}
		w.external(h, "message", from, w.now, hex.EncodeToString(data))
		return
	}
	if h.node == nil {
		return
	}
	if h.parts[from] == nil {
		h.parts[from] = &wire.Assembler{}
	}
	frame := h.parts[from].Add(data)
	if frame == nil {
		return // not complete
	}
	m, err := wire.Decode(frame)
	if err != nil {
		w.fail("node %d sends what node %d cannot read: %v", from, to, err)
		return
	}
	if w.Break == AcknowledgesGap && w.faulty && to%2 == 1 && w.skipGap(h, from, m) {
		return
	}
	h.node.Receive(from, m)
	w.finish(h)
}

// skipGap acknowledges what follows a gap in the log of a witness, as if the log had it.
func (w *world) skipGap(h *host, from int, m wire.Message) bool {
	n := h.node
	switch m := m.(type) {
	case *wire.Prepare:
		if n.Status() == node.Normal && m.View == n.View() && m.BatchStart > n.LastOp()+1 {
			ok := &wire.PrepareOK{View: m.View, Opnum: m.Opnum, Replica: uint64(h.index)}
			w.transmit(h.index, from, wire.Encode(ok))
			return true
		}
	case *wire.Commit:
		return n.Status() == node.Normal && m.View == n.View() && m.Opnum > n.LastOp()
	}
	return false
}

// Clients.

func (w *world) call(u *user) {
	if w.issued >= w.Operations {
		return
	}
	w.issued++
	op := kv.Op{Kind: kv.Get, Key: fmt.Sprint("k", w.rng.Intn(w.Keys))}
	value := fmt.Sprint(u.index, "-", u.done)
	switch choice := w.rng.Intn(10); {
	case choice < 4:
		op.Kind, op.Value = kv.Put, value
	case choice < 5:
		op.Kind, op.Value, op.Old = kv.CAS, value, u.record.Result.Value
	}
	u.session.Begin(op.Encode(), op.Kind == kv.Get)
	w.clock++
	request := u.session.Request()
	u.record = history.Record{
		Client: u.index, ID: request.Client, Number: request.Number, Op: op, Call: w.clock,
	}
	w.ask(u)
}

func (w *world) ask(u *user) {
	request := u.session.Request()
	to := u.session.Leader()
	frame := wire.Encode(request)
	for i := w.copies(); i > 0; i-- {
		w.after(w.delay(), func() {
			if h := w.hosts[to]; h.node != nil {
				m, _ := wire.Decode(frame)
				h.node.Request(m.(*wire.Request))
				w.finish(h)
			}
		})
	}
	u.attempt++
	attempt := u.attempt
	w.after(patience, func() {
		if u.session.Request() == request && u.attempt == attempt {
			u.session.OnTimeout()
			w.ask(u)
		}
	})
}

func (w *world) answer(from int, r *wire.Reply) {
	u := w.users[r.Client-1000]
	for i := w.copies(); i > 0; i-- {
		w.after(w.delay(), func() {
			switch u.session.OnReply(r) {
			case client.Redirected:
				w.ask(u)
			case client.Done:
				result, err := kv.DecodeResult(r.Result)
				if err != nil {
					w.fail("client %d: %v", u.index, err)
				}
				w.clock++
				u.done++
				u.record.Result, u.record.Return = result, w.clock
				w.result.Records = append(w.result.Records, u.record)
				w.after(w.between(0, pause), func() { w.call(u) })
			}
		})
	}
}

// checkWrites reports acknowledged writes that are not in the common log.
func (w *world) checkWrites() {
	type key struct{ client, number uint64 }
	found := map[key]bool{}
	for _, e := range w.chosen {
		found[key{e.Request.Client, e.Request.Number}] = true
	}
	for _, r := range w.result.Records {
		if r.Op.Kind != kv.Get && !found[key{r.ID, r.Number}] {
			w.fail("write %d of client %d is lost", r.Number, r.ID)
		}
	}
}
