// SPDX-License-Identifier: Apache-2.0

package kv

import "testing"

func TestStore(t *testing.T) {
	store := Store{}
	for _, c := range []struct {
		op   Op
		want Result
	}{
		{Op{Kind: Get, Key: "a"}, Result{}},
		{Op{Kind: Put, Key: "a", Value: "1"}, Result{}},
		{Op{Kind: Get, Key: "a"}, Result{Value: "1"}},
		{Op{Kind: CAS, Key: "a", Old: "2", Value: "3"}, Result{Value: "1"}},
		{Op{Kind: CAS, Key: "a", Old: "1", Value: "3"}, Result{"1", true}},
		{Op{Kind: Put, Key: "a", Value: ""}, Result{Value: "3"}},
		{Op{Kind: Get, Key: "a"}, Result{}},
	} {
		if got, err := DecodeResult(store.Apply(c.op.Encode())); err != nil || got != c.want {
			t.Errorf("%+v: %+v, %v", c.op, got, err)
		}
	}
}

func FuzzOp(f *testing.F) {
	f.Add(Op{CAS, "key", "value", "old"}.Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := DecodeOp(data)
		if err == nil && string(o.Encode()) != string(data) {
			t.Errorf("%+v", o)
		}
		Store{}.Apply(data)
	})
}
