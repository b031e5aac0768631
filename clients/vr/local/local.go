// SPDX-License-Identifier: Apache-2.0

// Package local runs the members of a store that have addresses of this machine.
package local

import (
	"context"
	"errors"
	"log"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	disk "bombus/vr/log"
	"bombus/vr/udp"
)

// Store is a store of which some members run on this machine.
type Store struct {
	Program string // this program, which runs the members as processes
	Config  string // name of the configuration file
	Data    string // folder with a folder for each replica, with the logs of its shards
	Limit   time.Duration
}

// Run starts the local members as processes, sets up all other witnesses, also after their resets,
// and returns when the context ends or all processes have ended. A member that ends is reported; the
// others go on.
func (s *Store) Run(ctx context.Context, config *udp.Config) error {
	// The signal of Pdeathsig is sent when the thread that started a member ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	isHere, err := addresses()
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	members := 0
	var remote []udp.Member
	for i := 0; i < config.Members(); i++ {
		var shards []string
		for shard, addresses := range config.Shards {
			if isHere[addresses[i].Addr()] {
				shards = append(shards, strconv.Itoa(shard))
			} else if i%2 == 1 {
				remote = append(remote, udp.Member{Shard: shard, Index: i})
			}
		}
		if len(shards) > 0 {
			if err := s.start(ctx, len(config.Shards), i, shards, &running); err != nil {
				return err
			}
			members++
		}
	}
	if members == 0 {
		return errors.New("no member has an address of this machine")
	}
	if err := config.SetUpAll(remote, false, s.Limit); err != nil {
		return err
	}
	go config.WatchAll(ctx, remote, s.Limit)
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	select {
	case <-ctx.Done():
		return nil
	case <-ended:
		return errors.New("all members have ended")
	}
}

// start runs a member of the chosen shards in a process.
func (s *Store) start(
	ctx context.Context, allShards, index int, shards []string, running *sync.WaitGroup,
) error {
	arguments := []string{"witness"}
	if index%2 == 0 {
		data := filepath.Join(s.Data, "replica_"+strconv.Itoa(index))
		if _, err := os.Stat(data); errors.Is(err, os.ErrNotExist) {
			if err := disk.CreateShards(data, allShards); err != nil {
				return err
			}
		}
		arguments = []string{"replica", "-data", data}
	}
	arguments = append(arguments,
		"-config", s.Config, "-index", strconv.Itoa(index), "-shards", strings.Join(shards, ","))
	member := exec.Command(s.Program, arguments...)
	member.Stderr = os.Stderr
	// A member outlives neither this process nor an interrupt from the terminal.
	member.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
	if err := member.Start(); err != nil {
		return err
	}
	log.Printf("member %d: %s, process %d", index, arguments[0], member.Process.Pid)
	running.Add(1)
	ended := make(chan struct{})
	go func() {
		defer running.Done()
		err := member.Wait()
		close(ended)
		if err != nil && ctx.Err() == nil {
			log.Printf("member %d: ended, %v", index, err)
		}
	}()
	go func() {
		select {
		case <-ctx.Done():
			member.Process.Signal(syscall.SIGTERM)
		case <-ended:
		}
	}()
	return nil
}

// addresses returns the addresses of this machine.
func addresses() (map[netip.Addr]bool, error) {
	found := map[netip.Addr]bool{}
	networks, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, network := range networks {
		prefix, err := netip.ParsePrefix(network.String())
		if err == nil {
			found[prefix.Addr().Unmap()] = true
		}
	}
	return found, nil
}
