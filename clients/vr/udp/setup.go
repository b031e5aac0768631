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

const (
	setUpInterval = 200 * time.Millisecond
	maxRefusals   = 5
)

var errRefused = errors.New("the witness refuses the set-up")

// SetUp tells a hardware witness, a member of this group, the addresses and starts its recovery. It
// returns when the witness is in normal operation, for which all replicas must run.
func SetUp(members []netip.AddrPort, index int, limit time.Duration) error {
	conn, err := dial(members, index)
	if err != nil {
		return err
	}
	defer conn.Close()
	end := time.Now().Add(limit)
	if err := setAddresses(conn, members, end); err != nil {
		return err
	}
	recovery := recoverCommand(members, index)
	refusals := 0
	for {
		reply, err := ask(conn, recovery, end)
		switch {
		case errors.Is(err, errRefused) && refusals < maxRefusals:
			// An address was lost: its reply was one to an earlier message.
			refusals++
			err = setAddresses(conn, members, end)
			reply = &wire.SetUpReply{}
		case err == nil && reply.State == wire.StateNormal:
			return nil
		case err == nil && time.Now().After(end):
			return fmt.Errorf("the witness is still in state %d; do all replicas run?", reply.State)
		case err == nil:
			time.Sleep(setUpInterval)
		}
		if err != nil {
			return err
		}
	}
}

// Begin makes a hardware witness, which must be off, a member of a new group: view 0, empty logs. It
// answers the recovery in place of the replicas, which need not run or know the messages. It must
// not be used again after a reset: the witness would forget what it has acknowledged.
func Begin(members []netip.AddrPort, index int, limit time.Duration) error {
	conn, err := dial(members, index)
	if err != nil {
		return err
	}
	defer conn.Close()
	end := time.Now().Add(limit)
	reply, err := ask(conn, &wire.SetUp{Mode: wire.SetUpQuery}, end)
	if err != nil {
		return err
	}
	if reply.State != wire.StateOff {
		return fmt.Errorf("the witness is in state %d, not off: it has a group", reply.State)
	}
	stand := append([]netip.AddrPort{}, members...)
	for replica := 0; replica < len(stand); replica += 2 {
		stand[replica] = conn.LocalAddr().(*net.UDPAddr).AddrPort()
	}
	if err := setAddresses(conn, stand, end); err != nil {
		return err
	}
	recovery := wire.Encode(recoverCommand(members, index))
	for time.Now().Before(end) {
		_, _ = conn.Write(recovery)
		for again := time.Now().Add(setUpInterval); time.Now().Before(again); {
			switch m := receive(conn, again).(type) {
			case *wire.Recovery:
				answer(conn, m, len(members))
			case *wire.SetUpReply:
				if m.Result != 0 {
					err = setAddresses(conn, stand, end)
				} else if m.State == wire.StateNormal {
					return setAddresses(conn, members, end)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return errors.New("the witness does not reach normal operation")
}

// answer sends the answers of all replicas of a new group.
func answer(conn *net.UDPConn, m *wire.Recovery, count int) {
	for replica := 0; replica < count; replica += 2 {
		response := &wire.RecoveryResponse{Replica: uint32(replica), Nonce: m.Nonce}
		_, _ = conn.Write(wire.Encode(response))
	}
}

func dial(members []netip.AddrPort, index int) (*net.UDPConn, error) {
	if index%2 == 0 {
		return nil, errors.New("replicas need no set-up; witnesses have odd numbers")
	}
	for _, address := range members {
		if !address.Addr().Is4() {
			return nil, fmt.Errorf("%v: a hardware witness has IPv4 only", address)
		}
	}
	return net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(members[index]))
}

func setAddresses(conn *net.UDPConn, members []netip.AddrPort, end time.Time) error {
	for slot, address := range members {
		ip := address.Addr().As4()
		if _, err := ask(conn, &wire.SetUp{
			Mode: wire.SetUpAddress, Slot: uint32(slot),
			IP: binary.BigEndian.Uint32(ip[:]), Port: uint32(address.Port()),
		}, end); err != nil {
			return err
		}
	}
	return nil
}

// recoverCommand is the command to recover. Repeated with the same nonce, it changes nothing; if it was
// lost, it takes effect.
func recoverCommand(members []netip.AddrPort, index int) *wire.SetUp {
	return &wire.SetUp{
		Mode: wire.SetUpRecover, Index: uint32(index), Count: uint32(len(members)),
		Nonce: uint64(time.Now().UnixNano()),
	}
}

// ask returns the reply to a set-up, which is repeated until there is one.
func ask(conn *net.UDPConn, m *wire.SetUp, end time.Time) (*wire.SetUpReply, error) {
	for time.Now().Before(end) {
		_, _ = conn.Write(wire.Encode(m))
		for again := time.Now().Add(setUpInterval); time.Now().Before(again); {
			reply, ok := receive(conn, again).(*wire.SetUpReply)
			if ok && reply.Result != 0 {
				return nil, fmt.Errorf("%w: result %d", errRefused, reply.Result)
			}
			if ok {
				return reply, nil
			}
		}
	}
	return nil, fmt.Errorf("no answer from %v", conn.RemoteAddr())
}

// receive returns the next message before this time, or nil.
func receive(conn *net.UDPConn, end time.Time) wire.Message {
	buffer := make([]byte, 1<<16)
	if conn.SetReadDeadline(end) != nil {
		return nil
	}
	size, err := conn.Read(buffer)
	if err != nil {
		// An ICMP error of an earlier message comes at once.
		time.Sleep(time.Millisecond)
		return nil
	}
	m, _ := wire.Decode(buffer[:size])
	return m
}
