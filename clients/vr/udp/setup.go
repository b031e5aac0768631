// SPDX-License-Identifier: Apache-2.0

package udp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"bombus/vr/wire"
)

const setUpInterval = 200 * time.Millisecond

// SetUp tells a hardware witness, a member of this group, the addresses and starts its recovery. It
// returns when the witness is in normal operation, for which all replicas must run.
func SetUp(members []netip.AddrPort, index int, limit time.Duration) error {
	if index%2 == 0 {
		return errors.New("replicas need no set-up; witnesses have odd numbers")
	}
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(members[index]))
	if err != nil {
		return err
	}
	defer conn.Close()
	end := time.Now().Add(limit)
	for slot, address := range members {
		if !address.Addr().Is4() {
			return fmt.Errorf("%v: a hardware witness has IPv4 only", address)
		}
		ip := address.Addr().As4()
		if _, err := ask(conn, &wire.SetUp{
			Mode: wire.SetUpAddress, Slot: uint32(slot),
			IP: binary.BigEndian.Uint32(ip[:]), Port: uint32(address.Port()),
		}, end); err != nil {
			return err
		}
	}
	// Repeated with the same nonce, it changes nothing; if it was lost, it takes effect.
	recovery := &wire.SetUp{
		Mode: wire.SetUpRecover, Index: uint32(index), Count: uint32(len(members)),
		Nonce: uint64(time.Now().UnixNano()),
	}
	for {
		reply, err := ask(conn, recovery, end)
		if err != nil {
			return err
		}
		if reply.State == wire.StateNormal {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the witness is still in state %d; do all replicas run?", reply.State)
		}
		time.Sleep(setUpInterval)
	}
}

func ask(conn *net.UDPConn, m *wire.SetUp, end time.Time) (*wire.SetUpReply, error) {
	buffer := make([]byte, 1<<16)
	for time.Now().Before(end) {
		_, _ = conn.Write(wire.Encode(m))
		if err := conn.SetReadDeadline(time.Now().Add(setUpInterval)); err != nil {
			return nil, err
		}
		size, err := conn.Read(buffer)
		if err != nil {
			continue
		}
		answer, _ := wire.Decode(buffer[:size])
		if reply, ok := answer.(*wire.SetUpReply); ok {
			if reply.Result != 0 {
				return nil, fmt.Errorf("the witness refuses the set-up: result %d", reply.Result)
			}
			return reply, nil
		}
	}
	return nil, fmt.Errorf("no answer from %v", conn.RemoteAddr())
}
