// SPDX-License-Identifier: Apache-2.0

// Package kv is a key-value store as a replicated state machine.
package kv

import (
	"encoding/binary"
	"errors"
)

// Kinds of operations.
const (
	Get = "get"
	Put = "put"
	CAS = "cas" // puts Value if the present value is Old
)

// Op is an operation on a key. An absent key has the empty value.
type Op struct {
	Kind  string `json:"kind"`
	Key   string `json:"key"`
	Value string `json:"value,omitempty"`
	Old   string `json:"old,omitempty"`
}

// Result is the value of a key before the operation. Swapped is whether a CAS has put its value.
type Result struct {
	Value   string `json:"value"`
	Swapped bool   `json:"swapped,omitempty"`
}

// ErrFormat is returned for bytes that are no operation or no result.
var ErrFormat = errors.New("kv: wrong format")

var kinds = [...]string{Get, Put, CAS}

func appendString(data []byte, s string) []byte {
	data = binary.BigEndian.AppendUint32(data, uint32(len(s)))
	return append(data, s...)
}

func takeString(data []byte) (string, []byte, error) {
	if len(data) < 4 || uint64(binary.BigEndian.Uint32(data)) > uint64(len(data)-4) {
		return "", nil, ErrFormat
	}
	end := 4 + int(binary.BigEndian.Uint32(data))
	return string(data[4:end]), data[end:], nil
}

// Encode returns the bytes of an operation.
func (o Op) Encode() []byte {
	data := []byte{0}
	for i, kind := range kinds {
		if o.Kind == kind {
			data[0] = byte(i)
		}
	}
	return appendString(appendString(appendString(data, o.Key), o.Value), o.Old)
}

// DecodeOp is the inverse of Encode.
func DecodeOp(data []byte) (o Op, err error) {
	if len(data) == 0 || int(data[0]) >= len(kinds) {
		return o, ErrFormat
	}
	o.Kind, data = kinds[data[0]], data[1:]
	for _, field := range []*string{&o.Key, &o.Value, &o.Old} {
		if *field, data, err = takeString(data); err != nil {
			return o, err
		}
	}
	if len(data) > 0 {
		return o, ErrFormat
	}
	return o, nil
}

// DecodeResult returns the result in a reply.
func DecodeResult(data []byte) (Result, error) {
	if len(data) == 0 || data[0] > 1 {
		return Result{}, ErrFormat
	}
	return Result{string(data[1:]), data[0] == 1}, nil
}

func (r Result) encode() []byte {
	data := []byte{0}
	if r.Swapped {
		data[0] = 1
	}
	return append(data, r.Value...)
}

// Step returns the value after an operation, and its result.
func Step(value string, o Op) (string, Result) {
	switch {
	case o.Kind == Put:
		return o.Value, Result{Value: value}
	case o.Kind == CAS && value == o.Old:
		return o.Value, Result{value, true}
	}
	return value, Result{Value: value}
}

// Store is the state of all keys.
type Store map[string]string

// Apply executes an operation. The result of bytes that are no operation is empty.
func (s Store) Apply(op []byte) []byte {
	o, err := DecodeOp(op)
	if err != nil {
		return nil
	}
	value, result := Step(s[o.Key], o)
	s[o.Key] = value
	return result.encode()
}

// Read executes an operation without its effect.
func (s Store) Read(op []byte) []byte {
	o, err := DecodeOp(op)
	if err != nil {
		return nil
	}
	return Result{Value: s[o.Key]}.encode()
}
