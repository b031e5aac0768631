// SPDX-License-Identifier: Apache-2.0
// Reed-Solomon by klauspost/reedsolomon, for comparison with Bombus. See
// src/bombus/applications/reed_solomon/erasure_libraries.py for what the commands do.
package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/klauspost/reedsolomon"
)

const (
	benchBlocks = 256 // different blocks in turn
	benchRuns   = 20
)

type code struct {
	data, parity, shardBytes int
	encoder                  reedsolomon.Encoder
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	check(err)
	return value
}

func newCode(data, parity, shardBytes, matrix string) code {
	options := []reedsolomon.Option{reedsolomon.WithMaxGoroutines(1)}
	switch matrix {
	case "vandermonde":
	case "cauchy":
		options = append(options, reedsolomon.WithCauchyMatrix())
	default:
		check(fmt.Errorf("the library has no matrix %q", matrix))
	}
	encoder, err := reedsolomon.New(number(data), number(parity), options...)
	check(err)
	return code{number(data), number(parity), number(shardBytes), encoder}
}

// shards cuts memory into shards without copying it.
func (c code) shards(memory []byte) [][]byte {
	var all [][]byte
	for start := 0; start < len(memory); start += c.shardBytes {
		all = append(all, memory[start:start+c.shardBytes])
	}
	return all
}

// each calls work with the pieces of standard input, shards data shards each.
func (c code) each(shards int, work func([]byte)) {
	input, err := io.ReadAll(os.Stdin)
	check(err)
	size := shards * c.shardBytes
	if len(input)%size != 0 {
		check(fmt.Errorf("%d bytes are no multiple of %d", len(input), size))
	}
	for start := 0; start < len(input); start += size {
		work(input[start : start+size])
	}
}

func (c code) encode() {
	c.each(c.data, func(block []byte) {
		stripe := append(append([]byte{}, block...), make([]byte, c.parity*c.shardBytes)...)
		check(c.encoder.Encode(c.shards(stripe)))
		_, err := os.Stdout.Write(stripe[len(block):])
		check(err)
	})
}

// losses calls work with every set of c.parity shards.
func (c code) losses(work func(lost []int)) {
	var extend func(lost []int, next int)
	extend = func(lost []int, next int) {
		if len(lost) == c.parity {
			work(lost)
			return
		}
		for shard := next; shard < c.data+c.parity; shard++ {
			extend(append(lost[:len(lost):len(lost)], shard), shard+1)
		}
	}
	extend(nil, 0)
}

func (c code) recover() {
	recovered, wrong := 0, 0
	c.each(c.data+c.parity, func(stripe []byte) {
		c.losses(func(lost []int) {
			shards := c.shards(append([]byte{}, stripe...))
			for _, shard := range lost {
				shards[shard] = nil
			}
			check(c.encoder.Reconstruct(shards))
			if bytes.Equal(bytes.Join(shards, nil), stripe) {
				recovered++
			} else {
				wrong++
			}
		})
	})
	fmt.Printf("{\"recovered\": %d, \"wrong\": %d}\n", recovered, wrong)
}

// now is the CPU time of this process, in seconds: what else the machine does counts less.
func now() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) * 1e-9
}

// bench prints the data taken in by the fastest of several runs, in Gbit/s of CPU time.
func (c code) bench(seconds float64) {
	runtime.GOMAXPROCS(1)
	stripes := make([][][]byte, benchBlocks)
	for i := range stripes {
		memory := make([]byte, (c.data+c.parity)*c.shardBytes)
		rand.Read(memory)
		stripes[i] = c.shards(memory)
	}
	best := 0.0
	for run := 0; run < benchRuns; run++ {
		blocks, start := 0, now()
		for now()-start < seconds/benchRuns {
			for _, stripe := range stripes {
				check(c.encoder.Encode(stripe))
			}
			blocks += benchBlocks
		}
		bits := float64(blocks * c.data * c.shardBytes * 8)
		if rate := bits / (now() - start) / 1e9; rate > best {
			best = rate
		}
	}
	fmt.Printf("{\"gbps\": %.3f}\n", best)
}

func main() {
	if len(os.Args) < 6 {
		check(fmt.Errorf("usage: COMMAND DATA_SHARDS PARITY_SHARDS SHARD_BYTES MATRIX [SECONDS]"))
	}
	c := newCode(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	switch os.Args[1] {
	case "encode":
		c.encode()
	case "recover":
		c.recover()
	case "bench":
		seconds, err := strconv.ParseFloat(os.Args[6], 64)
		check(err)
		c.bench(seconds)
	default:
		check(fmt.Errorf("no such command: %s", os.Args[1]))
	}
}
