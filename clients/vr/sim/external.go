// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"bombus/vr/wire"
)

// External is a program that simulates witnesses, such as a model of the hardware. It reads a
// command a line, and answers each by a line:
//
//	reset INDEX TIME                       a new witness, without set-up
//	message INDEX FROM TIME HEX            a message of another member, or of the controller (-1)
//	elapse INDEX TIME                      the time in us has advanced
//
// The answer is the state (3: normal), view, last and last committed operation, then TO:HEX for
// each datagram that the witness sends.
type External struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// StartExternal starts a program.
func StartExternal(words []string) (*External, error) {
	command := exec.Command(words[0], words[1:]...)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &External{command, in, bufio.NewReader(out)}, command.Start()
}

// Close ends the program.
func (e *External) Close() error {
	e.in.Close()
	return e.command.Wait()
}

type externalState struct {
	state, view, last, committed uint64
}

const (
	externalNormal = 3
	controller     = -1        // sender of the set-up
	setUpInterval  = 10 * tick // of its messages
	firstIP        = 1         // of member 0
	firstPort      = 7000      // of member 0
)

// setUp sends the addresses and the command to recover to a witness, always with the same nonce,
// until it is in normal state. The messages may be lost, doubled or late like all others, but none
// arrives after a reset, as docs/applications/vr/wire.md requires.
func (w *world) setUp(h *host) {
	life := h.life
	var frames [][]byte
	for slot := uint32(0); slot < uint32(w.Replicas); slot++ {
		frames = append(frames, wire.Encode(&wire.SetUp{
			Mode: wire.SetUpAddress, Slot: slot, IP: firstIP + slot, Port: firstPort + slot,
		}))
	}
	frames = append(frames, wire.Encode(&wire.SetUp{
		Mode: wire.SetUpRecover, Index: uint32(h.index), Count: uint32(w.Replicas),
		Nonce: uint64(life) << 20,
	}))
	var again func()
	again = func() {
		if !h.isUp || h.life != life || h.isSetUp {
			return
		}
		for _, frame := range frames {
			frame := frame
			for i := w.copies(); i > 0; i-- {
				w.after(w.delay(), func() {
					if h.isUp && h.life == life {
						w.external(h, "message", controller, w.now, hex.EncodeToString(frame))
					}
				})
			}
		}
		w.after(setUpInterval, again)
	}
	again()
}

// replySetUp handles a reply at the controller.
func (w *world) replySetUp(h *host, data []byte) {
	life := h.life
	for i := w.copies(); i > 0; i-- {
		w.after(w.delay(), func() {
			m, err := wire.Decode(data)
			if reply, ok := m.(*wire.SetUpReply); err != nil || !ok {
				w.fail("witness %d sends no reply to its set-up: %v", h.index, err)
			} else if h.life == life && reply.State == wire.StateNormal {
				h.isSetUp = true
			}
		})
	}
}

// call sends a command; it returns the state and the datagrams with their receivers.
func (e *External) call(command string) (s externalState, to []int, data [][]byte, err error) {
	if _, err = fmt.Fprintln(e.in, command); err != nil {
		return
	}
	line, err := e.out.ReadString('\n')
	if err != nil {
		return
	}
	words := strings.Fields(line)
	for i, value := range []*uint64{&s.state, &s.view, &s.last, &s.committed} {
		if *value, err = strconv.ParseUint(words[i], 10, 64); err != nil {
			return
		}
	}
	for _, word := range words[4:] {
		receiver, text, _ := strings.Cut(word, ":")
		index, wrong := strconv.Atoi(receiver)
		bytes, wrongToo := hex.DecodeString(text)
		if wrong != nil || wrongToo != nil {
			return s, nil, nil, fmt.Errorf("%q is no datagram", word)
		}
		to, data = append(to, index), append(data, bytes)
	}
	return
}

// external passes a command for a witness to the program, and transmits what it sends.
func (w *world) external(h *host, command string, arguments ...any) {
	text := fmt.Sprint(command, " ", h.index)
	for _, argument := range arguments {
		text += fmt.Sprint(" ", argument)
	}
	state, to, data, err := w.External.call(text)
	if err != nil {
		w.fail("witness %d: %v", h.index, err)
		return
	}
	h.state = state
	for i := range to {
		if to[i] == controller {
			w.replySetUp(h, data[i])
		} else {
			w.transmit(h.index, to[i], data[i])
		}
	}
}
