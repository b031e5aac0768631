// SPDX-License-Identifier: Apache-2.0

package log

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"bombus/vr/wire"
)

func entry(view, opnum uint64) wire.Entry {
	request := wire.Operation{Client: 1, Number: opnum, Op: []byte{byte(view), byte(opnum)}}
	return wire.Entry{View: view, Opnum: opnum, Hash: []byte{}, Request: request}
}

var batches = []*Batch{
	{},
	{Keep: 0, Entries: []wire.Entry{entry(0, 1), entry(0, 2), entry(0, 3)}},
	{View: 2, LastCommitted: 1, Keep: 3},
	{View: 2, LastNormalView: 2, LastCommitted: 1, Keep: 2, Entries: []wire.Entry{entry(2, 3)}},
}

func file(t *testing.T) string {
	folder := filepath.Join(t.TempDir(), "replica")
	if err := Create(folder); err != nil {
		t.Fatal(err)
	}
	f, _, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, b := range batches[1:] {
		if err := f.Save(b); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func load(t *testing.T, folder string) *Saved {
	f, saved, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return saved
}

func TestReopen(t *testing.T) {
	want := &Saved{2, 2, 1, []wire.Entry{entry(0, 1), entry(0, 2), entry(2, 3)}}
	if got := load(t, file(t)); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// A crash may leave any part of the last batch.
func TestIncompleteBatch(t *testing.T) {
	folder := file(t)
	name := filepath.Join(folder, fileName)
	data, _ := os.ReadFile(name)
	last := len(data) - len(Encode(batches[3]))
	for n := last; n < len(data); n++ {
		torn := append(data[:n:n], make([]byte, len(data)-n)...)
		if bytes.Equal(torn, data) { // only padding is missing
			torn = data[:n]
		}
		for _, content := range [][]byte{data[:n], torn} {
			if err := os.WriteFile(name, content, 0o644); err != nil {
				t.Fatal(err)
			}
			saved := load(t, folder)
			if saved.View != 2 || saved.LastNormalView != 0 || len(saved.Entries) != 3 {
				t.Fatalf("%d bytes: %+v", n, saved)
			}
			if info, _ := os.Stat(name); info.Size() != int64(last) {
				t.Fatalf("%d bytes remain of %d", info.Size(), last)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	data := []byte{}
	for _, b := range batches {
		data = append(data, Encode(b)...)
	}
	last := len(data) - len(Encode(batches[3]))
	for at := 0; at < last; at++ {
		data[at] ^= 0x10
		if _, _, err := Load(data); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d: %v", at, err)
		}
		data[at] ^= 0x10
	}
}

func TestRefusals(t *testing.T) {
	folder := file(t)
	if err := Create(folder); !errors.Is(err, os.ErrExist) {
		t.Error("an existing log is overwritten:", err)
	}
	f, _, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, _, err := Open(folder); err == nil {
		t.Error("two processes open one log")
	}
	if _, _, err := Open(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Error("a missing log:", err)
	}
}
