// SPDX-License-Identifier: Apache-2.0

package udp

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/netip"
	"time"

	disk "bombus/vr/log"
	"bombus/vr/node"
	"bombus/vr/wire"
)

const (
	receiveBuffer = 4 << 20 // bytes
	maxStep       = 256     // datagrams of one step, with one write to disk
	maxClients    = 1 << 16 // addresses that are remembered
)

type datagram struct {
	from netip.AddrPort
	data []byte
}

// Server is a node on a socket. A replica has a log, a witness has none.
type Server struct {
	tick       time.Duration
	member     Member
	addresses  []netip.AddrPort
	node       *node.Node
	log        *disk.File
	conn       *net.UDPConn
	members    map[netip.AddrPort]int
	clients    map[uint64]netip.AddrPort
	assemblers map[netip.AddrPort]*wire.Assembler
	message    uint64 // id of fragmented messages
	dropped    uint64 // datagrams that are no message, or from an unknown address
	state      string
}

// Listen opens the socket of a member of a shard. File is nil for a witness.
func Listen(config *Config, shard int, n *node.Node, file *disk.File) (*Server, error) {
	addresses := config.Shards[shard]
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(addresses[n.Index]))
	if err != nil {
		return nil, err
	}
	if err := conn.SetReadBuffer(receiveBuffer); err != nil {
		return nil, err
	}
	s := &Server{
		tick:   time.Duration(config.TickMS) * time.Millisecond,
		member: Member{shard, n.Index}, addresses: addresses, node: n, log: file, conn: conn,
		members:    map[netip.AddrPort]int{},
		clients:    map[uint64]netip.AddrPort{},
		assemblers: map[netip.AddrPort]*wire.Assembler{},
		message:    uint64(time.Now().UnixNano()),
	}
	for i, member := range addresses {
		s.members[member] = i
		s.assemblers[member] = &wire.Assembler{}
	}
	return s, nil
}

// Run serves until the context ends or the disk fails.
func (s *Server) Run(ctx context.Context) error {
	defer s.conn.Close()
	received := make(chan datagram, maxStep)
	go s.receive(ctx, received)
	ticker := time.NewTicker(s.tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			log.Printf("%v: stopped; %d datagrams dropped, %+v",
				s.member, s.dropped, s.node.Counters)
			return nil
		case <-ticker.C:
			s.node.Tick()
		case d := <-received:
			s.handle(d)
			for i := 1; i < maxStep && len(received) > 0; i++ {
				s.handle(<-received)
			}
		}
		if err := s.finish(); err != nil {
			return err
		}
	}
}

// RunAll runs servers until the context ends or one of them fails.
func RunAll(ctx context.Context, servers []*Server) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error)
	for _, s := range servers {
		go func(s *Server) { ended <- s.Run(ctx) }(s)
	}
	var failure error
	for range servers {
		if err := <-ended; err != nil && failure == nil {
			failure = err
			stop()
		}
	}
	return failure
}

func (s *Server) receive(ctx context.Context, received chan<- datagram) {
	buffer := make([]byte, 1<<16)
	for {
		size, from, err := s.conn.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an ICMP error of an earlier datagram
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		select {
		case received <- datagram{from, append([]byte{}, buffer[:size]...)}:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Server) handle(d datagram) {
	index, isMember := s.members[d.from]
	frame := d.data
	if isMember {
		if frame = s.assemblers[d.from].Add(d.data); frame == nil {
			return
		}
	}
	m, err := wire.Decode(frame)
	if err != nil {
		s.dropped++
		return
	}
	if request, ok := m.(*wire.Request); ok && !s.node.IsWitness() {
		if len(s.clients) >= maxClients {
			s.clients = map[uint64]netip.AddrPort{}
		}
		s.clients[request.Client] = d.from
		s.node.Request(request)
	} else if isMember {
		s.node.Receive(index, m)
	} else {
		s.dropped++
	}
}

// finish saves, then sends.
func (s *Server) finish() error {
	out := s.node.Flush()
	if out.Save != nil {
		if err := s.log.Save(out.Save); err != nil {
			return fmt.Errorf("nothing is acknowledged without a disk: %w", err)
		}
	}
	for _, send := range out.Sends {
		s.send(s.addresses[send.To], send.Message)
	}
	for _, reply := range out.Replies {
		if to, isKnown := s.clients[reply.Client]; isKnown {
			s.send(to, reply)
		}
	}
	state := fmt.Sprintf("%v, view %d", s.node.Status(), s.node.View())
	if s.node.IsLeader() {
		state += ", leader"
	}
	if state != s.state {
		s.state = state
		log.Printf("%v: %s, %d operations", s.member, state, s.node.LastOp())
	}
	return nil
}

// send ignores errors: a datagram may be lost at any time.
func (s *Server) send(to netip.AddrPort, m wire.Message) {
	s.message++
	for _, data := range wire.Split(wire.Encode(m), s.message) {
		_, _ = s.conn.WriteToUDPAddrPort(data, to)
	}
}
