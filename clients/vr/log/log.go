// SPDX-License-Identifier: Apache-2.0

// Package log keeps the state of a replica on disk.
//
// The file is a sequence of batches. Each has a header (magic, length and CRC-32C of the payload, 4
// bytes each, big-endian) and is synchronised before the next one is written. An incomplete batch
// is therefore the last of its file, and nothing of it has been acknowledged: it is cut off.
// A bad batch that a good one follows is damage, and the replica refuses to start.
package log

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"bombus/vr/wire"
)

// ErrDamaged is returned for a file that cannot be explained by a crash during a write.
var ErrDamaged = errors.New("damaged log")

const (
	magic       = 0x56524c31
	headerBytes = 12
	fileName    = "log"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Batch is a change of the state: entries after Keep are dropped, then Entries are appended.
type Batch struct {
	View           uint64
	LastNormalView uint64
	LastCommitted  uint64
	Keep           uint64
	Entries        []wire.Entry
}

// Saved is the state that all batches of a file result in. Entries begin with opnum 1.
type Saved struct {
	View           uint64
	LastNormalView uint64
	LastCommitted  uint64
	Entries        []wire.Entry
}

// Encode returns the bytes of a batch in the file.
func Encode(b *Batch) []byte {
	data := make([]byte, headerBytes, headerBytes+32)
	for _, value := range []uint64{b.View, b.LastNormalView, b.LastCommitted, b.Keep} {
		data = binary.BigEndian.AppendUint64(data, value)
	}
	data = append(data, wire.EncodeEntries(b.Entries)...)
	payload := data[headerBytes:]
	binary.BigEndian.PutUint32(data, magic)
	binary.BigEndian.PutUint32(data[4:], uint32(len(payload)))
	binary.BigEndian.PutUint32(data[8:], crc32.Checksum(payload, castagnoli))
	return data
}

// next returns the payload at the front of data, or nil.
func next(data []byte) []byte {
	if len(data) < headerBytes || binary.BigEndian.Uint32(data) != magic {
		return nil
	}
	length := uint64(binary.BigEndian.Uint32(data[4:]))
	if length < 32 || length > uint64(len(data)-headerBytes) {
		return nil
	}
	payload := data[headerBytes : headerBytes+length]
	if crc32.Checksum(payload, castagnoli) != binary.BigEndian.Uint32(data[8:]) {
		return nil
	}
	return payload
}

func (s *Saved) apply(payload []byte) error {
	number := func(i int) uint64 { return binary.BigEndian.Uint64(payload[8*i:]) }
	entries, err := wire.DecodeEntries(payload[32:])
	if err != nil {
		return err
	}
	keep := number(3)
	if keep > uint64(len(s.Entries)) || len(entries) > 0 && entries[0].Opnum != keep+1 {
		return fmt.Errorf("batch after opnum %d of a log of %d", keep, len(s.Entries))
	}
	s.View, s.LastNormalView, s.LastCommitted = number(0), number(1), number(2)
	s.Entries = append(s.Entries[:keep], entries...)
	if s.LastCommitted > uint64(len(s.Entries)) {
		return fmt.Errorf("commit of %d in a log of %d", s.LastCommitted, len(s.Entries))
	}
	return nil
}

// Load returns the state in the bytes of a file and the length of its good part.
func Load(data []byte) (*Saved, int, error) {
	saved := &Saved{}
	at := 0
	for at < len(data) {
		payload := next(data[at:])
		if payload == nil {
			break
		}
		if err := saved.apply(payload); err != nil {
			return nil, 0, fmt.Errorf("%w: at byte %d: %v", ErrDamaged, at, err)
		}
		at += headerBytes + len(payload)
	}
	for later := at + 1; later+headerBytes <= len(data); later++ {
		if next(data[later:]) != nil {
			return nil, 0, fmt.Errorf("%w: at byte %d", ErrDamaged, at)
		}
	}
	return saved, at, nil
}

// File is an open log.
type File struct {
	file *os.File
}

// Create makes the folder of a new replica: view 0, empty log. It refuses an existing log.
func Create(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	name := filepath.Join(folder, fileName)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := (&File{file}).Save(&Batch{}); err != nil {
		return err
	}
	directory, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer directory.Close()
	return directory.Sync()
}

// Open reads a log, cuts off an incomplete batch, and locks the file against other processes.
func Open(folder string) (*File, *Saved, error) {
	name := filepath.Join(folder, fileName)
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	saved, err := prepare(file)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return &File{file}, saved, nil
}

func prepare(file *os.File) (*Saved, error) {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, fmt.Errorf("in use by another process: %w", err)
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	saved, good, err := Load(data)
	if err != nil {
		return nil, err
	}
	if good == 0 {
		return nil, fmt.Errorf("%w: no complete batch", ErrDamaged)
	}
	if err := file.Truncate(int64(good)); err != nil {
		return nil, err
	}
	if _, err := file.Seek(int64(good), io.SeekStart); err != nil {
		return nil, err
	}
	return saved, file.Sync()
}

// Save appends a batch and returns when the disk has it.
func (f *File) Save(b *Batch) error {
	if _, err := f.file.Write(Encode(b)); err != nil {
		return err
	}
	return f.file.Sync()
}

// Close releases the file.
func (f *File) Close() error { return f.file.Close() }
