// SPDX-License-Identifier: Apache-2.0

// Package history records what clients of the store have seen, and judges it by porcupine.
package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/anishathalye/porcupine"

	"bombus/vr/kv"
)

// Record is an operation of a client: one line of JSON in a file. Call and Return are times on a
// clock that all clients share. IsOpen means that the reply is missing: the operation may take
// effect at any time after the call, or never.
type Record struct {
	Client int       `json:"client"`
	ID     uint64    `json:"id"` // of the client in messages
	Number uint64    `json:"number"`
	Op     kv.Op     `json:"op"`
	Result kv.Result `json:"result"`
	Call   int64     `json:"call"`
	Return int64     `json:"return"`
	IsOpen bool      `json:"open,omitempty"`
}

// Write writes one line.
func (r *Record) Write(w io.Writer) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Read reads all lines of a file.
func Read(r io.Reader) ([]Record, error) {
	var records []Record
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		var record Record
		if err := json.Unmarshal(scanner.Bytes(), &record); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(records)+1, err)
		}
		records = append(records, record)
	}
	return records, scanner.Err()
}

type output struct {
	result kv.Result
	isOpen bool
}

var model = porcupine.Model{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		at := map[string]int{}
		var parts [][]porcupine.Operation
		for _, operation := range all {
			key := operation.Input.(kv.Op).Key
			i, isKnown := at[key]
			if !isKnown {
				i = len(parts)
				at[key] = i
				parts = append(parts, nil)
			}
			parts[i] = append(parts[i], operation)
		}
		return parts
	},
	Init: func() interface{} { return "" },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		value, result := kv.Step(state.(string), in.(kv.Op))
		seen := out.(output)
		return seen.isOpen || seen.result == result, value
	},
}

// Check returns nil if the records are linearizable. It gives up, with an error, after a time, and
// refuses records without an operation to judge.
func Check(records []Record, limit time.Duration) error {
	var operations []porcupine.Operation
	for _, r := range records {
		end := r.Return
		if r.IsOpen {
			if r.Op.Kind == kv.Get {
				continue
			}
			end = math.MaxInt64
		}
		operations = append(operations, porcupine.Operation{
			ClientId: r.Client, Input: r.Op, Call: r.Call,
			Output: output{r.Result, r.IsOpen}, Return: end,
		})
	}
	if len(operations) == 0 {
		return errors.New("there are no operations")
	}
	switch porcupine.CheckOperationsTimeout(model, operations, limit) {
	case porcupine.Ok:
		return nil
	case porcupine.Illegal:
		return fmt.Errorf("%d operations are not linearizable", len(operations))
	}
	return fmt.Errorf("%d operations are not judged within %v", len(operations), limit)
}
