// SPDX-License-Identifier: Apache-2.0

package udp

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"bombus/vr/wire"
)

// hardware answers SetUp as a hardware witness does, without the rest.
type hardware struct {
	conn    *net.UDPConn
	mutex   sync.Mutex
	state   uint32
	slots   map[uint32]bool
	nonces  []uint64 // of recoveries, over all resets
	queries int
	lies    int // answers to come that say "off" in another state, as late ones do
}

func newHardware(t *testing.T) (*hardware, []netip.AddrPort) {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	h := &hardware{conn: conn, slots: map[uint32]bool{}}
	go h.run()
	replica := netip.MustParseAddrPort("127.0.0.1:1")
	address := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	own := netip.AddrPortFrom(address.Addr().Unmap(), address.Port())
	return h, []netip.AddrPort{replica, own, replica}
}

func (h *hardware) run() {
	buffer := make([]byte, 1<<16)
	for {
		size, from, err := h.conn.ReadFromUDPAddrPort(buffer)
		if err != nil {
			return
		}
		m, _ := wire.Decode(buffer[:size])
		if setUp, ok := m.(*wire.SetUp); ok {
			_, _ = h.conn.WriteToUDPAddrPort(wire.Encode(h.answer(setUp)), from)
		}
	}
}

func (h *hardware) answer(m *wire.SetUp) *wire.SetUpReply {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	reply := &wire.SetUpReply{}
	switch m.Mode {
	case wire.SetUpQuery:
		h.queries++
		if h.lies > 0 {
			h.lies--
			return reply
		}
	case wire.SetUpAddress:
		h.slots[m.Slot] = true
	case wire.SetUpRecover:
		last := len(h.nonces) - 1
		if len(h.slots) < int(m.Count) {
			reply.Result = 1
		} else if h.state == wire.StateOff || m.Nonce > h.nonces[last] {
			h.nonces = append(h.nonces, m.Nonce)
			h.state = wire.StateNormal
		}
	}
	reply.State = h.state
	return reply
}

// reset leaves the witness in a state, without addresses.
func (h *hardware) reset(state uint32) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.state, h.slots = state, map[uint32]bool{}
}

func (h *hardware) seen() (state uint32, recoveries, queries int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.state, len(h.nonces), h.queries
}

func (h *hardware) wait(t *testing.T, name string, isDone func() bool) {
	for end := time.Now().Add(10 * time.Second); !isDone(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: %+v", name, h.nonces)
		}
	}
}

// A witness that is off is set up again with a higher nonce; in other states, and after a single
// answer that says so, it is left alone.
func TestWatch(t *testing.T) {
	h, members := newHardware(t)
	if err := SetUp(members, 1, time.Second); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan bool)
	reports := make(chan error, 10)
	go func() {
		Watch(ctx, members, 1, 10*time.Millisecond, time.Second, func(err error) { reports <- err })
		close(ended)
	}()
	more := func(count int) func() bool {
		_, _, before := h.seen()
		return func() bool {
			_, _, queries := h.seen()
			return queries >= before+count
		}
	}
	const recovering = 1
	for state := uint32(wire.StateNormal); state >= recovering; state-- {
		h.reset(state)
		h.wait(t, "questions", more(4))
	}
	h.mutex.Lock()
	h.lies = 1
	h.mutex.Unlock()
	h.wait(t, "questions", more(4))
	if _, recoveries, _ := h.seen(); recoveries != 1 {
		t.Errorf("%d set-ups of a witness that was not off", recoveries-1)
	}
	h.reset(wire.StateOff)
	h.wait(t, "no set-up after a reset", func() bool {
		state, recoveries, _ := h.seen()
		return state == wire.StateNormal && recoveries == 2
	})
	if err := <-reports; err != nil || len(h.slots) != 3 || h.nonces[1] <= h.nonces[0] {
		t.Errorf("%v, %d addresses, nonces %v", err, len(h.slots), h.nonces)
	}
	stop()
	<-ended
}
