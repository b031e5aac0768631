// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"flag"
	"reflect"
	"strings"
	"testing"
	"time"

	"bombus/vr/history"
)

var (
	seeds      = flag.Int("seeds", 4, "number of seeds")
	operations = flag.Int("operations", 300, "client operations of each seed")
	witness    = flag.String("witness", "", "program that simulates the witnesses, and arguments")
)

func options(seed int64) Options {
	return Options{
		Seed: seed, Replicas: 3 + 2*int(seed%2), Clients: 6, Keys: 4, Operations: *operations,
	}
}

func external(t *testing.T) *External {
	if *witness == "" {
		return nil
	}
	program, err := StartExternal(strings.Fields(*witness))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := program.Close(); err != nil {
			t.Error(err)
		}
	})
	return program
}

func judge(o Options) (Result, error) {
	result, err := Run(o)
	if err == nil {
		err = history.Check(result.Records, time.Minute)
	}
	return result, err
}

// Histories are linearizable, replicas agree, no acknowledged write is lost, and after the faults
// the group works again.
func TestFaults(t *testing.T) {
	program := external(t)
	faults(t, program == nil, func(seed int64) Options {
		o := options(seed)
		o.External = program
		return o
	})
}

// The same of five members, one witness in the other program and one here.
func TestMixed(t *testing.T) {
	program := external(t)
	if program == nil {
		t.Skip("there is no -witness")
	}
	faults(t, true, func(seed int64) Options {
		o := options(seed)
		o.Replicas, o.External, o.Outside = 5, program, []int{1 + 2*int(seed%2)}
		return o
	})
}

func faults(t *testing.T, hasFullLogs bool, of func(seed int64) Options) {
	var total Result
	count := 0
	for seed := int64(1); seed <= int64(*seeds); seed++ {
		result, err := judge(of(seed))
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		count += len(result.Records)
		total.Kills += result.Kills
		total.Resets += result.Resets
		total.Splits += result.Splits
		total.Views += result.Views
		total.Counters.Transfers += result.Counters.Transfers
		total.Counters.LogFull += result.Counters.LogFull
		total.Counters.Refused += result.Counters.Refused
	}
	if want := *seeds * *operations; count != want {
		t.Errorf("%d operations have ended, not %d", count, want)
	}
	if total.Kills == 0 || total.Resets == 0 || total.Splits == 0 || total.Views == 0 ||
		total.Counters.Transfers == 0 || total.Counters.LogFull == 0 && hasFullLogs {
		t.Errorf("a fault is missing: %+v", total)
	}
	if total.Counters.Refused > 0 {
		t.Errorf("%d messages of correct nodes are refused", total.Counters.Refused)
	}
	t.Logf("%d seeds, %d operations: %d kills, %d resets, %d partitions, views up to %d (sum), "+
		"%d state transfers, %d refusals of full logs", *seeds, count, total.Kills, total.Resets,
		total.Splits, total.Views, total.Counters.Transfers, total.Counters.LogFull)
}

// Each deliberate error is found within a few seeds.
func TestBrokenIsFound(t *testing.T) {
	for _, broken := range []Break{VotesUnrecovered, AcknowledgesGap, LosesDisk} {
		found := false
		for seed := int64(1); seed <= 20 && !found; seed++ {
			o := options(seed)
			o.Break = broken
			_, err := judge(o)
			found = err != nil && !errors.Is(err, ErrProgress)
			if found {
				t.Logf("%s: %v", broken, err)
			}
		}
		if !found {
			t.Errorf("%s: not found", broken)
		}
	}
}

func TestDeterminism(t *testing.T) {
	first, _ := Run(options(3))
	second, _ := Run(options(3))
	if !reflect.DeepEqual(first, second) {
		t.Error("two runs with one seed differ")
	}
}
