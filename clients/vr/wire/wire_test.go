// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

func operation(n int) Operation {
	return Operation{Client: 7, Number: uint64(n), Op: bytes.Repeat([]byte{byte(n)}, n)}
}

func entries(n int) []Entry {
	var list []Entry
	for i := 1; i <= n; i++ {
		list = append(list, Entry{View: 3, Opnum: uint64(i), Hash: []byte{}, Request: operation(i)})
	}
	return list
}

func examples() []Message {
	return []Message{
		&Request{operation(9), true},
		&Reply{1, 2, 3, StatusNotLeader, []byte("result")},
		&Prepare{1, 12, 11, 5, []Operation{operation(1), operation(140)}},
		&PrepareOK{1, 2, 3, 4},
		&Commit{1, 2},
		&RequestStateTransfer{1, 2},
		&StateTransfer{3, 2, entries(70)},
		&StartViewChange{1, 2, 3},
		&DoViewChange{1, 2, 3, 4, 5, entries(1)},
		&StartView{4, 5, 6, entries(2)},
		&ValidateRead{1, 2, 3},
		&ValidateReadReply{true, 2, 3, 4},
		&SetUp{1, 2, 3, 4, 5, 6, 7},
		&SetUpReply{1, 2, 3, 4, 5, 6, 7},
		&Recovery{1, 2},
		&RecoveryResponse{1, 2, 3, 4, 5, 6},
		&Committed{3, entries(2)},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, m := range examples() {
		got, err := Decode(Encode(m))
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%T: %v, %+v", m, err, got)
		}
	}
}

func TestEntryBytes(t *testing.T) {
	for n := 0; n < 200; n++ {
		e := Entry{Opnum: 1, Hash: make([]byte, n%3), Request: operation(n)}
		if got, want := EntryBytes(&e), len(EncodeEntries([]Entry{e})); got != want {
			t.Errorf("op of %d bytes: %d, not %d", n, got, want)
		}
	}
}

// Sizes as the software of the Beehive paper sends them.
func TestSizes(t *testing.T) {
	prepare := &Prepare{1, 2, 2, 0, []Operation{operation(140)}}
	for _, c := range []struct {
		m    Message
		size int
	}{
		{prepare, 217}, {&PrepareOK{}, 45}, {&ValidateRead{}, 37}, {&SetUp{}, 49}, {&SetUpReply{}, 61},
		{&Recovery{}, 29}, {&RecoveryResponse{}, 61}, {&ValidateReadReply{}, 38},
	} {
		if size := len(Encode(c.m)); size != c.size {
			t.Errorf("%T: %d bytes, not %d", c.m, size, c.size)
		}
	}
}

func TestTruncated(t *testing.T) {
	for _, m := range examples() {
		frame := Encode(m)
		for n := range frame {
			if _, err := Decode(frame[:n]); err == nil {
				t.Errorf("%T of %d bytes is accepted", m, n)
			}
			short := append([]byte{}, frame[:n]...)
			if n >= headerBytes {
				short[11], short[12] = byte((n-headerBytes)>>8), byte(n-headerBytes)
				if _, err := Decode(short); err == nil {
					t.Errorf("%T with fields of %d bytes is accepted", m, n)
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	frame := Encode(&Commit{1, 2})
	change := func(at int, value byte) []byte {
		changed := append([]byte{}, frame...)
		changed[at] = value
		return changed
	}
	longer := append(change(12, 18), 0, 0)
	version := Encode(&Recovery{1, 2})
	version[16] = 2
	gap := entries(3)
	gap[1].Opnum = 7
	falls := entries(2)
	falls[1].View = 2
	for _, c := range []struct {
		frame []byte
		want  error
	}{
		{change(0, 0), ErrMagic},
		{change(4, 99), ErrType},
		{change(12, 17), ErrSize},
		{append(change(0, Magic[0]), 0), ErrSize},
		{Encode(&Prepare{1, 5, 4, 0, []Operation{operation(1)}}), ErrValue},
		{Encode(&Prepare{1, 5, 6, 0, nil}), ErrValue},
		{Encode(&Commit{MaxNumber + 1, 2}), ErrValue},
		{Encode(&StartViewChange{1, MaxReplicas, 2}), ErrValue},
		{version, ErrVersion},
		{longer, ErrSize},
		{Encode(&StateTransfer{1, 1, gap}), ErrValue},
		{Encode(&StateTransfer{1, 1, falls}), ErrValue},
	} {
		if _, err := Decode(c.frame); !errors.Is(err, c.want) {
			t.Errorf("%x: %v, not %v", c.frame, err, c.want)
		}
	}
}

func TestFragments(t *testing.T) {
	for _, size := range []int{1, FragmentData, FragmentData + 1, 3*FragmentData + 5} {
		frame := bytes.Repeat([]byte{1, 2, 3, 4, 5}, size)[:size]
		datagrams := Split(frame, 5)
		var a Assembler
		for i, d := range datagrams {
			got := a.Add(d)
			if (got != nil) != (i == len(datagrams)-1) || got != nil && !bytes.Equal(got, frame) {
				t.Errorf("%d bytes, fragment %d: %d bytes", size, i, len(got))
			}
		}
		for missing := range datagrams {
			for i, d := range datagrams {
				if i != missing && a.Add(d) != nil {
					t.Errorf("%d bytes: frame without fragment %d", size, missing)
				}
			}
		}
	}
	var a Assembler
	d := Split(make([]byte, 2*FragmentData), 1)
	a.Add(d[0])
	if a.Add(d[0]) != nil || a.Add(append(d[1], 0)) != nil || a.Add(d[1]) != nil {
		t.Error("fragments that overlap are accepted")
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range examples() {
		f.Add(Encode(m))
	}
	f.Add(Split(make([]byte, 2*FragmentData), 1)[0])
	f.Fuzz(func(t *testing.T, data []byte) {
		new(Assembler).Add(data)
		m, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(Encode(m))
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%+v decodes to %+v, %v", m, again, err)
		}
	})
}
