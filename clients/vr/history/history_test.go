// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"bombus/vr/kv"
)

func put(call, end int64, value, old string) Record {
	return Record{
		Op:     kv.Op{Kind: kv.Put, Key: "k", Value: value},
		Result: kv.Result{Value: old}, Call: call, Return: end,
	}
}

func get(call, end int64, value string) Record {
	return Record{
		Op: kv.Op{Kind: kv.Get, Key: "k"}, Result: kv.Result{Value: value}, Call: call, Return: end,
	}
}

func TestCheck(t *testing.T) {
	lost := put(1, 2, "a", "")
	open := lost
	open.IsOpen = true
	unread := get(1, 2, "")
	unread.IsOpen = true
	for name, c := range map[string]struct {
		records []Record
		isGood  bool
	}{
		"read after write":       {[]Record{lost, get(3, 4, "a")}, true},
		"stale read":             {[]Record{lost, get(3, 4, "")}, false},
		"concurrent read":        {[]Record{put(1, 5, "a", ""), get(3, 4, "")}, true},
		"no reply, not executed": {[]Record{open, get(3, 4, "")}, true},
		"no reply, late effect":  {[]Record{open, get(3, 4, ""), get(5, 6, "a")}, true},
		"effect undone":          {[]Record{open, get(3, 4, "a"), get(5, 6, "")}, false},
		"two writes":             {[]Record{lost, put(3, 4, "b", "a"), get(5, 6, "b")}, true},
		"write lost":             {[]Record{lost, put(3, 4, "b", "")}, false},
		"nothing":                {nil, false},
		"no read has ended":      {[]Record{unread}, false},
	} {
		if err := Check(c.records, time.Second); (err == nil) != c.isGood {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFile(t *testing.T) {
	var file bytes.Buffer
	want := []Record{put(1, 2, "a", ""), get(3, 4, "a")}
	for i := range want {
		if err := want[i].Write(&file); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Read(&file); err != nil || !reflect.DeepEqual(got, want) {
		t.Error(got, err)
	}
	if _, err := Read(bytes.NewBufferString("{\n")); err == nil {
		t.Error("a line that is no record is accepted")
	}
}
