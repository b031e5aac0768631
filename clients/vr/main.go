// SPDX-License-Identifier: Apache-2.0

// Command vr is a replicated, sharded key-value store: replicas, software witnesses and clients.
// docs/applications/vr/software.md describes it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"bombus/vr/client"
	"bombus/vr/history"
	"bombus/vr/kv"
	"bombus/vr/local"
	"bombus/vr/log"
	"bombus/vr/node"
	"bombus/vr/udp"
)

type command struct {
	usage string
	run   func(flags *flag.FlagSet, arguments []string) error
}

var commands = map[string]command{
	"init":    {"vr init -config FILE -data FOLDER: makes the logs of a new replica", initialize},
	"replica": {"vr replica -config FILE -index I -data FOLDER: runs a replica", replica},
	"witness": {"vr witness -config FILE -index I: runs a software witness", witness},
	"local": {
		"vr local -config FILE -data FOLDER: runs the members of this machine, sets up the others",
		runLocal,
	},
	"setup": {"vr setup -config FILE -index I: sets up hardware witnesses", setUp},
	"get":   {"vr get -config FILE KEY", get},
	"put":   {"vr put -config FILE KEY VALUE", put},
	"cas":   {"vr cas -config FILE KEY OLD NEW: puts NEW if the value is OLD", swap},
	"load":  {"vr load -config FILE [-history FILE] ...: loads the store and measures it", load},
	"check": {"vr check FILE...: judges histories of vr load", check},
}

func main() {
	var chosen command
	isKnown := false
	if len(os.Args) > 1 {
		chosen, isKnown = commands[os.Args[1]]
	}
	if !isKnown {
		for _, name := range []string{
			"init", "replica", "witness", "local", "setup", "get", "put", "cas", "load", "check",
		} {
			fmt.Fprintln(os.Stderr, commands[name].usage)
		}
		os.Exit(2)
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	flags.Usage = func() {
		fmt.Fprintln(os.Stderr, chosen.usage)
		flags.PrintDefaults()
	}
	if err := chosen.run(flags, os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "vr:", err)
		os.Exit(1)
	}
}

// group parses the flags and reads the configuration; count is the number of arguments to follow.
func group(flags *flag.FlagSet, arguments []string, count int) (*udp.Config, error) {
	name := flags.String("config", "", "file with the addresses of the group")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	if *name == "" {
		return nil, errors.New("-config is missing")
	}
	if flags.NArg() != count {
		return nil, fmt.Errorf("%d arguments are needed, not %d", count, flags.NArg())
	}
	return udp.ReadConfig(*name)
}

func initialize(flags *flag.FlagSet, arguments []string) error {
	data := flags.String("data", "", "folder to make")
	config, err := group(flags, arguments, 0)
	if err != nil {
		return err
	}
	if *data == "" {
		return errors.New("-data is missing")
	}
	return log.CreateShards(*data, len(config.Shards))
}

// role is a member of some shards.
type role struct {
	config *udp.Config
	index  int
	shards []int
}

// member parses the flags of a role; parity is 0 for replicas, 1 for witnesses.
func member(flags *flag.FlagSet, arguments []string, parity int) (r role, err error) {
	kind := [...]string{"even", "odd"}[parity]
	flags.IntVar(&r.index, "index", -1, "number of the member, "+kind)
	list := flags.String("shards", "", "numbers of the shards, such as 0,2; all if it is missing")
	if r.config, err = group(flags, arguments, 0); err != nil {
		return r, err
	}
	if r.index < 0 || r.index >= r.config.Members() || r.index%2 != parity {
		return r, fmt.Errorf("-index %d is not the %s number of a member", r.index, kind)
	}
	r.shards, err = r.config.Choose(*list)
	return r, err
}

func replica(flags *flag.FlagSet, arguments []string) error {
	data := flags.String("data", "", "folder of vr init")
	r, err := member(flags, arguments, 0)
	if err != nil {
		return err
	}
	if err := log.CheckShards(*data, len(r.config.Shards)); err != nil {
		return err
	}
	var servers []*udp.Server
	for _, shard := range r.shards {
		file, saved, err := log.Open(log.ShardFolder(*data, shard))
		if err != nil {
			return err
		}
		defer file.Close()
		n := node.New(r.config.Node(r.index), saved, kv.Store{})
		server, err := udp.Listen(r.config, shard, n, file)
		if err != nil {
			return err
		}
		servers = append(servers, server)
	}
	return serve(servers)
}

func witness(flags *flag.FlagSet, arguments []string) error {
	r, err := member(flags, arguments, 1)
	if err != nil {
		return err
	}
	var servers []*udp.Server
	for _, shard := range r.shards {
		n := node.New(r.config.Node(r.index), nil, nil)
		server, err := udp.Listen(r.config, shard, n, nil)
		if err != nil {
			return err
		}
		servers = append(servers, server)
	}
	return serve(servers)
}

func serve(servers []*udp.Server) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return udp.RunAll(ctx, servers)
}

func runLocal(flags *flag.FlagSet, arguments []string) error {
	data := flags.String("data", "", "folder for the logs of replicas; made if it is missing")
	limit := flags.Duration("limit", time.Minute, "time to wait for hardware witnesses")
	config, err := group(flags, arguments, 0)
	if err != nil {
		return err
	}
	if *data == "" {
		return errors.New("-data is missing")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	name := flags.Lookup("config").Value.String()
	s := local.Store{Program: program, Config: name, Data: *data, Limit: *limit}
	return s.Run(ctx, config)
}

func setUp(flags *flag.FlagSet, arguments []string) error {
	limit := flags.Duration("limit", time.Minute, "time to wait for normal operation of each")
	isNew := flags.Bool("new", false, "the group has no operation yet, and its replicas need not "+
		"run; never after a reset, which loses what the witness has acknowledged")
	watch := flags.Bool("watch", false, "go on, and set up again after each reset")
	r, err := member(flags, arguments, 1)
	if err != nil {
		return err
	}
	var witnesses []udp.Member
	for _, shard := range r.shards {
		witnesses = append(witnesses, udp.Member{Shard: shard, Index: r.index})
	}
	if err := r.config.SetUpAll(witnesses, *isNew, *limit); err != nil || !*watch {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r.config.WatchAll(ctx, witnesses, *limit)
	return nil
}

func get(flags *flag.FlagSet, arguments []string) error {
	return do(flags, arguments, 1, func(a []string) kv.Op { return kv.Op{Kind: kv.Get, Key: a[0]} })
}

func put(flags *flag.FlagSet, arguments []string) error {
	return do(flags, arguments, 2, func(a []string) kv.Op {
		return kv.Op{Kind: kv.Put, Key: a[0], Value: a[1]}
	})
}

func swap(flags *flag.FlagSet, arguments []string) error {
	return do(flags, arguments, 3, func(a []string) kv.Op {
		return kv.Op{Kind: kv.CAS, Key: a[0], Old: a[1], Value: a[2]}
	})
}

// do executes an operation and prints the value before it.
func do(flags *flag.FlagSet, arguments []string, count int, op func([]string) kv.Op) error {
	limit := flags.Duration("limit", 10*time.Second, "time to wait for a reply")
	config, err := group(flags, arguments, count)
	if err != nil {
		return err
	}
	store, err := client.Open(config.Shards)
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	o := op(flags.Args())
	result, err := store.Do(ctx, o)
	if err != nil {
		return err
	}
	fmt.Println(result.Value)
	if o.Kind == kv.CAS && !result.Swapped {
		return errors.New("the value is another one")
	}
	return nil
}

func load(flags *flag.FlagSet, arguments []string) error {
	var l client.Load
	flags.IntVar(&l.Clients, "clients", 8, "number of clients")
	flags.IntVar(&l.Operations, "operations", 10000, "operations of all clients together")
	flags.IntVar(&l.Keys, "keys", 100, "number of keys")
	flags.Float64Var(&l.Reads, "reads", 0.9, "share of reads")
	flags.IntVar(&l.ValueBytes, "value-bytes", 64, "size of a value")
	flags.DurationVar(&l.Limit, "limit", time.Minute, "time of the whole run")
	flags.Int64Var(&l.Seed, "seed", 1, "seed of the choice of keys")
	name := flags.String("history", "", "file for the history, one operation a line")
	config, err := group(flags, arguments, 0)
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return err
	}
	records, total, failure := l.Run(config.Shards)
	fmt.Print(client.Summary(records, total, len(config.Shards)))
	if *name != "" {
		if err := write(*name, records); err != nil {
			return err
		}
	}
	return failure
}

func write(name string, records []history.Record) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	for i := range records {
		if err := records[i].Write(file); err != nil {
			file.Close()
			return err
		}
	}
	return file.Close()
}

func check(flags *flag.FlagSet, arguments []string) error {
	limit := flags.Duration("limit", time.Minute, "time for the judgement of each file")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("no history is given")
	}
	for _, name := range flags.Args() {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		records, err := history.Read(file)
		file.Close()
		if err == nil {
			err = history.Check(records, *limit)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("%s: %d operations are linearizable\n", name, len(records))
	}
	return nil
}
