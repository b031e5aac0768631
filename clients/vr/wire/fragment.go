// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/binary"
)

// FragmentMagic is the first four bytes of a fragment. Message id, start, total length (8 bytes
// each, little-endian) and data follow.
var FragmentMagic = [4]byte{0x10, 0x10, 0x10, 0x20}

const (
	fragmentHeader = 28
	// FragmentData is the number of bytes of a frame in one datagram; longer frames are cut.
	FragmentData = 9000
)

// Split returns the datagrams of a frame: the frame, or its fragments with this message id.
func Split(frame []byte, id uint64) [][]byte {
	if len(frame) <= FragmentData {
		return [][]byte{frame}
	}
	var datagrams [][]byte
	for start := 0; start < len(frame); start += FragmentData {
		data := frame[start:]
		if len(data) > FragmentData {
			data = data[:FragmentData]
		}
		d := make([]byte, 0, fragmentHeader+len(data))
		d = append(d, FragmentMagic[:]...)
		d = binary.LittleEndian.AppendUint64(d, id)
		d = binary.LittleEndian.AppendUint64(d, uint64(start))
		d = binary.LittleEndian.AppendUint64(d, uint64(len(frame)))
		datagrams = append(datagrams, append(d, data...))
	}
	return datagrams
}

// Assembler joins the fragments of one sender. They are accepted in order only.
type Assembler struct {
	id    uint64
	total uint64
	data  []byte
}

// Add returns the frame that a datagram completes, or nil.
func (a *Assembler) Add(datagram []byte) []byte {
	if !bytes.HasPrefix(datagram, FragmentMagic[:]) {
		return datagram
	}
	if len(datagram) < fragmentHeader {
		return nil
	}
	id := binary.LittleEndian.Uint64(datagram[4:])
	start := binary.LittleEndian.Uint64(datagram[12:])
	total := binary.LittleEndian.Uint64(datagram[20:])
	data := datagram[fragmentHeader:]
	if total > MaxFrame || len(data) == 0 {
		return nil
	}
	if start == 0 {
		*a = Assembler{id: id, total: total}
	}
	if id != a.id || total != a.total || start != uint64(len(a.data)) ||
		uint64(len(data)) > total-start {
		*a = Assembler{}
		return nil
	}
	a.data = append(a.data, data...)
	if uint64(len(a.data)) < total {
		return nil
	}
	frame := a.data
	*a = Assembler{}
	return frame
}
