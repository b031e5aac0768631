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
)

// External is a program that simulates witnesses, such as a model of the hardware. It reads a
// command a line, and answers each by a line:
//
//	reset INDEX REPLICAS NONCE TIME        a new witness begins recovery
//	message INDEX FROM TIME HEX            a message of another member arrives
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

const externalNormal = 3

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
		w.transmit(h.index, to[i], data[i])
	}
}
