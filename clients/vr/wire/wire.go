// SPDX-License-Identifier: Apache-2.0

// Package wire encodes and decodes the messages of Viewstamped Replication.
//
// A frame is: magic (4 bytes), type (1 byte), size of the rest (8 bytes, big-endian), fields.
// Integers are 8 bytes (in types from 128 on also 4 bytes), big-endian; a byte string is its length (8 bytes) and its data; a list is
// its length (8 bytes) and its items. Fields have no tags: each message states their order once, in
// its method fields, for both directions.
package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Magic is the first four bytes of a frame.
var Magic = [4]byte{0x18, 0x03, 0x05, 0x20}

// Types of messages.
const (
	TypeRequest              = 1
	TypeReply                = 2
	TypePrepare              = 5
	TypePrepareOK            = 6
	TypeCommit               = 7
	TypeRequestStateTransfer = 8
	TypeStateTransfer        = 9
	TypeStartViewChange      = 10
	TypeDoViewChange         = 11
	TypeStartView            = 12
	TypeValidateRead         = 13
	TypeValidateReadReply    = 14
	TypeSetUp                = 128
	TypeSetUpReply           = 129
	TypeRecovery             = 130
	TypeRecoveryResponse     = 131
	TypeCommitted            = 132
)

const (
	headerBytes = 13
	// MaxFrame is the size of the largest frame that is accepted, in bytes.
	MaxFrame = 1 << 26
	// Version is the version of messages of types from 128 on.
	Version = 1
	// MaxNumber is the largest view and operation number.
	MaxNumber = 1<<48 - 1
	// MaxReplicas is the largest number of replicas of a group.
	MaxReplicas = 7
	// MaxOp is the size of the longest operation, in bytes: its entry fits into a datagram.
	MaxOp = 7936
	// Prepared is the state of an entry in a message.
	Prepared = 1
	// Entries are padded to a multiple of this number of bytes.
	entryAlign = 64
)

// Errors of the decoder. All are wrapped in messages that name the field or the type.
var (
	ErrMagic   = errors.New("wrong magic")
	ErrType    = errors.New("unknown type")
	ErrVersion = errors.New("unknown version")
	ErrShort   = errors.New("truncated")
	ErrSize    = errors.New("size does not match the datagram")
	ErrValue   = errors.New("value out of range")
)

// Message is one of the messages below.
type Message interface {
	Type() byte
	fields(c *codec)
}

// Operation is a client's operation: who asked, the client's own number of it, and its bytes.
type Operation struct {
	Client uint64
	Number uint64
	Op     []byte
}

// Entry is an operation in a log.
type Entry struct {
	View    uint64
	Opnum   uint64
	State   uint64
	Hash    []byte
	Request Operation
}

// Request asks the leader to execute an operation. Reads do not enter the log.
type Request struct {
	Operation
	IsRead bool
}

// Values of Reply.Status.
const (
	StatusOK        = 0
	StatusNotLeader = 1
)

// Reply answers a Request. View tells the client the leader.
type Reply struct {
	View   uint64
	Client uint64
	Number uint64
	Status uint64
	Result []byte
}

// Prepare carries operations BatchStart to Opnum from the leader.
type Prepare struct {
	View       uint64
	Opnum      uint64
	BatchStart uint64
	CleanUpTo  uint64
	Requests   []Operation
}

// PrepareOK acknowledges all operations up to Opnum.
type PrepareOK struct {
	View          uint64
	Opnum         uint64
	Replica       uint64
	LastCommitted uint64
}

// Commit reports that all operations up to Opnum are committed.
type Commit struct {
	View  uint64
	Opnum uint64
}

// RequestStateTransfer asks for the entries after Opnum. View is that of the log of the sender.
type RequestStateTransfer struct {
	View  uint64
	Opnum uint64
}

// StateTransfer answers with entries; those up to Opnum are committed.
type StateTransfer struct {
	View    uint64
	Opnum   uint64
	Entries []Entry
}

// StartViewChange announces that its sender has left all views lower than View.
type StartViewChange struct {
	View          uint64
	Replica       uint64
	LastCommitted uint64
}

// DoViewChange reports a log to the leader of View.
type DoViewChange struct {
	View           uint64
	LastNormalView uint64
	LastOp         uint64
	LastCommitted  uint64
	Replica        uint64
	Entries        []Entry
}

// StartView begins View with the log that its leader has chosen.
type StartView struct {
	View          uint64
	LastOp        uint64
	LastCommitted uint64
	Entries       []Entry
}

// ValidateRead asks whether View is still the view of the receiver.
type ValidateRead struct {
	View   uint64
	Client uint64
	Number uint64
}

// ValidateReadReply answers a ValidateRead.
type ValidateReadReply struct {
	IsValid bool
	Client  uint64
	Number  uint64
	Replica uint64
}

// SetUp tells a hardware witness an address (mode 1), or starts its recovery (mode 2).
type SetUp struct {
	Mode  uint32
	Index uint32
	Count uint32
	Slot  uint32
	IP    uint32
	Port  uint32
	Nonce uint64
}

// Values of SetUp.Mode.
const (
	SetUpQuery   = 0
	SetUpAddress = 1
	SetUpRecover = 2
)

// Values of SetUpReply.State: after a reset, and in normal operation.
const (
	StateOff    = 0
	StateNormal = 3
)

// SetUpReply answers a SetUp. Result is 0 for success.
type SetUpReply struct {
	State         uint32
	Result        uint32
	Index         uint32
	View          uint64
	LastOp        uint64
	LastCommitted uint64
	CleanUpTo     uint64
}

// Recovery asks for the state that a reset has erased.
type Recovery struct {
	Replica uint32
	Nonce   uint64
}

// RecoveryResponse answers a Recovery. The log of its sender has all entries after CleanUpTo.
type RecoveryResponse struct {
	Replica       uint32
	Nonce         uint64
	View          uint64
	LastOp        uint64
	LastCommitted uint64
	CleanUpTo     uint64
}

// Committed carries committed operations to a replica whose view is lower and whose log lacks too
// much for one StateTransfer. It does not make the log one of View.
type Committed struct {
	View    uint64
	Entries []Entry
}

// Type returns the type byte of the frame; the same holds for all messages.
func (*Request) Type() byte              { return TypeRequest }
func (*Reply) Type() byte                { return TypeReply }
func (*Prepare) Type() byte              { return TypePrepare }
func (*PrepareOK) Type() byte            { return TypePrepareOK }
func (*Commit) Type() byte               { return TypeCommit }
func (*RequestStateTransfer) Type() byte { return TypeRequestStateTransfer }
func (*StateTransfer) Type() byte        { return TypeStateTransfer }
func (*StartViewChange) Type() byte      { return TypeStartViewChange }
func (*DoViewChange) Type() byte         { return TypeDoViewChange }
func (*StartView) Type() byte            { return TypeStartView }
func (*ValidateRead) Type() byte         { return TypeValidateRead }
func (*ValidateReadReply) Type() byte    { return TypeValidateReadReply }
func (*SetUp) Type() byte                { return TypeSetUp }
func (*SetUpReply) Type() byte           { return TypeSetUpReply }
func (*Recovery) Type() byte             { return TypeRecovery }
func (*RecoveryResponse) Type() byte     { return TypeRecoveryResponse }

func (*Committed) Type() byte { return TypeCommitted }

func (m *Request) fields(c *codec) {
	c.operation(&m.Operation)
	c.boolean(&m.IsRead)
}

func (m *Reply) fields(c *codec) {
	c.numbers(&m.View)
	c.integers(&m.Client, &m.Number, &m.Status)
	c.bytes(&m.Result)
}

func (m *Prepare) fields(c *codec) {
	c.numbers(&m.View, &m.Opnum, &m.BatchStart, &m.CleanUpTo)
	count := uint64(len(m.Requests))
	c.integers(&count)
	if c.reading {
		// The shortest operation is 24 bytes: a false count allocates no memory.
		if count > uint64(len(c.buf))/24 {
			c.fail(ErrShort)
			return
		}
		m.Requests = make([]Operation, count)
	}
	for i := range m.Requests {
		c.operation(&m.Requests[i])
	}
}

func (m *PrepareOK) fields(c *codec) {
	c.numbers(&m.View, &m.Opnum)
	c.replica(&m.Replica)
	c.numbers(&m.LastCommitted)
}

func (m *Commit) fields(c *codec) { c.numbers(&m.View, &m.Opnum) }

func (m *RequestStateTransfer) fields(c *codec) { c.numbers(&m.View, &m.Opnum) }

func (m *StateTransfer) fields(c *codec) {
	c.numbers(&m.View, &m.Opnum)
	c.entries(&m.Entries)
}

func (m *StartViewChange) fields(c *codec) {
	c.numbers(&m.View)
	c.replica(&m.Replica)
	c.numbers(&m.LastCommitted)
}

func (m *DoViewChange) fields(c *codec) {
	c.numbers(&m.View, &m.LastNormalView, &m.LastOp, &m.LastCommitted)
	c.replica(&m.Replica)
	c.entries(&m.Entries)
}

func (m *StartView) fields(c *codec) {
	c.numbers(&m.View, &m.LastOp, &m.LastCommitted)
	c.entries(&m.Entries)
}

func (m *ValidateRead) fields(c *codec) {
	c.numbers(&m.View)
	c.integers(&m.Client, &m.Number)
}

func (m *ValidateReadReply) fields(c *codec) {
	c.boolean(&m.IsValid)
	c.integers(&m.Client, &m.Number)
	c.replica(&m.Replica)
}

func (m *SetUp) fields(c *codec) {
	c.version()
	c.shorts(&m.Mode, &m.Index, &m.Count, &m.Slot, &m.IP, &m.Port)
	c.integers(&m.Nonce)
}

func (m *SetUpReply) fields(c *codec) {
	c.version()
	c.shorts(&m.State, &m.Result, &m.Index)
	c.numbers(&m.View, &m.LastOp, &m.LastCommitted, &m.CleanUpTo)
}

func (m *Recovery) fields(c *codec) {
	c.version()
	c.shorts(&m.Replica)
	c.integers(&m.Nonce)
}

func (m *RecoveryResponse) fields(c *codec) {
	c.version()
	c.shorts(&m.Replica)
	c.integers(&m.Nonce)
	c.numbers(&m.View, &m.LastOp, &m.LastCommitted, &m.CleanUpTo)
}

func (m *Committed) fields(c *codec) {
	c.numbers(&m.View)
	c.entries(&m.Entries)
}

func empty(kind byte) Message {
	switch kind {
	case TypeRequest:
		return &Request{}
	case TypeReply:
		return &Reply{}
	case TypePrepare:
		return &Prepare{}
	case TypePrepareOK:
		return &PrepareOK{}
	case TypeCommit:
		return &Commit{}
	case TypeRequestStateTransfer:
		return &RequestStateTransfer{}
	case TypeStateTransfer:
		return &StateTransfer{}
	case TypeStartViewChange:
		return &StartViewChange{}
	case TypeDoViewChange:
		return &DoViewChange{}
	case TypeStartView:
		return &StartView{}
	case TypeValidateRead:
		return &ValidateRead{}
	case TypeValidateReadReply:
		return &ValidateReadReply{}
	case TypeSetUp:
		return &SetUp{}
	case TypeSetUpReply:
		return &SetUpReply{}
	case TypeRecovery:
		return &Recovery{}
	case TypeRecoveryResponse:
		return &RecoveryResponse{}
	case TypeCommitted:
		return &Committed{}
	}
	return nil
}

// Encode returns the frame of a message.
func Encode(m Message) []byte {
	c := codec{buf: make([]byte, headerBytes, 256)}
	copy(c.buf, Magic[:])
	c.buf[4] = m.Type()
	m.fields(&c)
	binary.BigEndian.PutUint64(c.buf[5:], uint64(len(c.buf)-headerBytes))
	return c.buf
}

// Decode returns the message of a frame. The byte strings of the message share memory with it.
func Decode(frame []byte) (Message, error) {
	if len(frame) < headerBytes {
		return nil, fmt.Errorf("header: %w", ErrShort)
	}
	if !bytes.HasPrefix(frame, Magic[:]) {
		return nil, ErrMagic
	}
	m := empty(frame[4])
	if m == nil {
		return nil, fmt.Errorf("type %d: %w", frame[4], ErrType)
	}
	if binary.BigEndian.Uint64(frame[5:]) != uint64(len(frame)-headerBytes) {
		return nil, fmt.Errorf("type %d: %w", frame[4], ErrSize)
	}
	c := codec{buf: frame[headerBytes:], reading: true}
	m.fields(&c)
	if c.err == nil && len(c.buf) > 0 {
		c.fail(ErrSize)
	}
	if c.err == nil {
		c.err = check(m)
	}
	if c.err != nil {
		return nil, fmt.Errorf("type %d: %w", frame[4], c.err)
	}
	return m, nil
}

// check rejects numbers that contradict each other.
func check(m Message) error {
	if p, ok := m.(*Prepare); ok {
		n := uint64(len(p.Requests))
		if n == 0 || p.BatchStart == 0 || p.Opnum < p.BatchStart || p.Opnum-p.BatchStart != n-1 {
			return ErrValue
		}
	}
	return nil
}

// codec reads or writes fields. After an error it reads zeros.
type codec struct {
	buf     []byte // the rest to read, or everything written
	reading bool
	err     error
}

func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.buf = nil
}

func (c *codec) take(n uint64) []byte {
	if n > uint64(len(c.buf)) {
		c.fail(ErrShort)
		return nil
	}
	data := c.buf[:n:n]
	c.buf = c.buf[n:]
	return data
}

func (c *codec) integers(values ...*uint64) {
	for _, value := range values {
		if !c.reading {
			c.buf = binary.BigEndian.AppendUint64(c.buf, *value)
		} else if data := c.take(8); data != nil {
			*value = binary.BigEndian.Uint64(data)
		}
	}
}

// numbers are views and operation numbers.
func (c *codec) numbers(values ...*uint64) {
	c.integers(values...)
	for _, value := range values {
		if c.reading && *value > MaxNumber {
			c.fail(ErrValue)
		}
	}
}

func (c *codec) replica(value *uint64) {
	c.integers(value)
	if c.reading && *value >= MaxReplicas {
		c.fail(ErrValue)
	}
}

// shorts are integers of 4 bytes.
func (c *codec) shorts(values ...*uint32) {
	for _, value := range values {
		if !c.reading {
			c.buf = binary.BigEndian.AppendUint32(c.buf, *value)
		} else if data := c.take(4); data != nil {
			*value = binary.BigEndian.Uint32(data)
		}
	}
}

func (c *codec) version() {
	version := uint32(Version)
	c.shorts(&version)
	if version != Version {
		c.fail(ErrVersion)
	}
}

func (c *codec) boolean(value *bool) {
	if !c.reading {
		var b byte
		if *value {
			b = 1
		}
		c.buf = append(c.buf, b)
	} else if data := c.take(1); data != nil {
		*value = data[0] != 0
	}
}

func (c *codec) bytes(value *[]byte) {
	size := uint64(len(*value))
	c.integers(&size)
	if !c.reading {
		c.buf = append(c.buf, *value...)
	} else {
		*value = c.take(size)
	}
}

func (c *codec) operation(o *Operation) {
	c.integers(&o.Client, &o.Number)
	c.bytes(&o.Op)
}

func (c *codec) entries(entries *[]Entry) {
	if !c.reading {
		data := EncodeEntries(*entries)
		c.bytes(&data)
		return
	}
	var data []byte
	c.bytes(&data)
	found, err := DecodeEntries(data)
	if err != nil {
		c.fail(err)
	}
	*entries = found
}

func (e *Entry) fields(c *codec) {
	c.numbers(&e.View, &e.Opnum)
	c.integers(&e.State)
	c.bytes(&e.Hash)
	c.operation(&e.Request)
}

// EntryBytes returns the size of an entry in a message, with its padding.
func EntryBytes(e *Entry) int {
	size := 64 + len(e.Hash) + len(e.Request.Op)
	return (size + entryAlign - 1) / entryAlign * entryAlign
}

// EncodeEntries returns the byte string of a list of entries: for each its size (8 bytes, this
// field included, padding not), its fields, and zeros up to a multiple of 64 bytes.
func EncodeEntries(entries []Entry) []byte {
	c := codec{}
	for i := range entries {
		start := len(c.buf)
		size := uint64(0)
		c.integers(&size)
		entries[i].fields(&c)
		binary.BigEndian.PutUint64(c.buf[start:], uint64(len(c.buf)-start))
		for (len(c.buf)-start)%entryAlign != 0 {
			c.buf = append(c.buf, 0)
		}
	}
	return c.buf
}

// DecodeEntries is the inverse. Opnums must be consecutive, and views must not fall.
func DecodeEntries(data []byte) ([]Entry, error) {
	var entries []Entry
	for len(data) > 0 {
		if len(data) < 8 {
			return nil, fmt.Errorf("entry: %w", ErrShort)
		}
		size := binary.BigEndian.Uint64(data)
		if size < 8 || size > uint64(len(data)) {
			return nil, fmt.Errorf("entry: %w", ErrShort)
		}
		padded := (size + entryAlign - 1) / entryAlign * entryAlign
		if padded > uint64(len(data)) {
			return nil, fmt.Errorf("padding: %w", ErrShort)
		}
		var e Entry
		c := codec{buf: data[8:size], reading: true}
		e.fields(&c)
		if c.err != nil {
			return nil, fmt.Errorf("entry: %w", c.err)
		}
		if len(c.buf) != 0 {
			return nil, fmt.Errorf("entry: %w", ErrSize)
		}
		if n := len(entries); e.Opnum == 0 ||
			n > 0 && (e.Opnum != entries[n-1].Opnum+1 || e.View < entries[n-1].View) {
			return nil, fmt.Errorf("opnum %d: %w", e.Opnum, ErrValue)
		}
		entries = append(entries, e)
		data = data[padded:]
	}
	return entries, nil
}
