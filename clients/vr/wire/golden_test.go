// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"testing"
)

// The frames below are written by hand from docs/applications/vr/wire.md, a field a line.

// entry8 has an operation of one byte, padded to two lines.
const entry8 = "" +
	"0000000000000041" + // size: 64 + 1
	"0000000000000001" + // view
	"0000000000000008" + // opnum
	"0000000000000001" + // state: prepared
	"0000000000000000" + // length of the hash
	"00000000000000a1" + // clientid
	"0000000000000005" + // clientreqid
	"0000000000000001" + // length of op
	"7f" + // op
	"000000000000000000000000000000000000000000000000000000000000" + // 63 zeros
	"000000000000000000000000000000000000000000000000000000000000" +
	"000000"

// entry9 has an empty operation.
const entry9 = "" +
	"0000000000000040" + // size: 64
	"0000000000000002" + // view
	"0000000000000009" + // opnum
	"0000000000000001" + // state: prepared
	"0000000000000000" + // length of the hash
	"00000000000000a2" + // clientid
	"0000000000000006" + // clientreqid
	"0000000000000000" // length of op

// entry10 has an operation of 64 bytes, thus no padding.
const entry10 = "" +
	"0000000000000080" + // size: 64 + 64
	"0000000000000002" + // view
	"000000000000000a" + // opnum
	"0000000000000001" + // state: prepared
	"0000000000000000" + // length of the hash
	"00000000000000a3" + // clientid
	"0000000000000007" + // clientreqid
	"0000000000000040" + // length of op
	"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc" + // op
	"cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

func goldenEntries() []Entry {
	return []Entry{
		{1, 8, Prepared, []byte{}, Operation{0xa1, 5, []byte{0x7f}}},
		{2, 9, Prepared, []byte{}, Operation{0xa2, 6, []byte{}}},
		{2, 10, Prepared, []byte{}, Operation{0xa3, 7, bytes.Repeat([]byte{0xcc}, 64)}},
	}
}

func TestGolden(t *testing.T) {
	list := goldenEntries()
	for _, c := range []struct {
		m    Message
		want string
	}{
		{
			&Prepare{2, 0x102, 0x101, 0x100, []Operation{
				{0xa1, 5, []byte{0xbe, 0xef}}, {0xa2, 6, []byte{}},
			}},
			"18030520" + "05" + "000000000000005a" + // magic, type, size: 90
				"0000000000000002" + // view
				"0000000000000102" + // opnum
				"0000000000000101" + // batchstart
				"0000000000000100" + // cleanUpTo
				"0000000000000002" + // count
				"00000000000000a1" + // clientid
				"0000000000000005" + // clientreqid
				"0000000000000002" + "beef" + // op
				"00000000000000a2" + // clientid
				"0000000000000006" + // clientreqid
				"0000000000000000", // op
		},
		{
			&PrepareOK{3, 0x11223344, 1, 0x11223340},
			"18030520" + "06" + "0000000000000020" +
				"0000000000000003" + // view
				"0000000011223344" + // opnum
				"0000000000000001" + // replicaIdx
				"0000000011223340", // lastCommitted
		},
		{
			&Commit{1, 10},
			"18030520" + "07" + "0000000000000010" +
				"0000000000000001" + // view
				"000000000000000a", // opnum
		},
		{
			&RequestStateTransfer{4, 0x0000fedcba987654},
			"18030520" + "08" + "0000000000000010" +
				"0000000000000004" + // view
				"0000fedcba987654", // opnum
		},
		{
			&StateTransfer{2, 7, list[:2]},
			"18030520" + "09" + "00000000000000d8" + // size: 24 + 192
				"0000000000000002" + // view
				"0000000000000007" + // opnum
				"00000000000000c0" + // length of entries: 128 + 64
				entry8 + entry9,
		},
		{
			&StartViewChange{5, 2, 8},
			"18030520" + "0a" + "0000000000000018" +
				"0000000000000005" + // view
				"0000000000000002" + // replicaIdx
				"0000000000000008", // lastCommitted
		},
		{
			&DoViewChange{5, 2, 9, 8, 1, list[1:2]},
			"18030520" + "0b" + "0000000000000070" + // size: 48 + 64
				"0000000000000005" + // view
				"0000000000000002" + // lastNormalView
				"0000000000000009" + // lastOp
				"0000000000000008" + // lastCommitted
				"0000000000000001" + // replicaIdx
				"0000000000000040" + // length of entries
				entry9,
		},
		{
			&StartView{5, 10, 9, list[2:]},
			"18030520" + "0c" + "00000000000000a0" + // size: 32 + 128
				"0000000000000005" + // view
				"000000000000000a" + // lastOp
				"0000000000000009" + // lastCommitted
				"0000000000000080" + // length of entries
				entry10,
		},
		{
			&ValidateRead{6, 0x8000000000000001, 16},
			"18030520" + "0d" + "0000000000000018" +
				"0000000000000006" + // view
				"8000000000000001" + // clientid
				"0000000000000010", // clientreqid
		},
		{
			&ValidateReadReply{true, 0x8000000000000001, 16, 1},
			"18030520" + "0e" + "0000000000000019" +
				"01" + // isValid
				"8000000000000001" + // clientid
				"0000000000000010" + // clientreqid
				"0000000000000001", // replicaIdx
		},
	} {
		if got := hex.EncodeToString(Encode(c.m)); got != c.want {
			t.Errorf("%T:\n%s, not\n%s", c.m, got, c.want)
		}
		frame, err := hex.DecodeString(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Decode(frame); err != nil || !reflect.DeepEqual(got, c.m) {
			t.Errorf("%T: %+v, %v", c.m, got, err)
		}
	}
}

// The second of two fragments; its integers are little-endian.
func TestGoldenFragment(t *testing.T) {
	const want = "10101020" + // magic
		"0102000000000000" + // id: 0x201
		"2823000000000000" + // start: 9,000
		"2923000000000000" + // length of the message: 9,001
		"ee" // last byte
	datagrams := Split(append(make([]byte, 9000), 0xee), 0x201)
	last := hex.EncodeToString(datagrams[len(datagrams)-1])
	if len(datagrams) != 2 || last != want {
		t.Errorf("%d fragments, the last one is %s", len(datagrams), last)
	}
}
