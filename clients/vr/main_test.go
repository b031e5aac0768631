// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Wrong use is an error of the command, never a success without effect.
func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	config := filepath.Join(folder, "group.json")
	text := `{"shards": [["127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"]]}`
	empty := filepath.Join(folder, "empty")
	garbage := filepath.Join(folder, "garbage")
	for name, content := range map[string]string{config: text, empty: "", garbage: "{\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for words, problem := range map[string]string{
		"load -config CONFIG -operations -5":         "at least 1",
		"load -config CONFIG -operations 0":          "at least 1",
		"load -config CONFIG -clients 0":             "at least 1",
		"load -config CONFIG -keys 0":                "at least 1",
		"load -config CONFIG -reads 1.5":             "from 0 to 1",
		"load -config CONFIG -reads NaN":             "from 0 to 1",
		"load -config CONFIG -value-bytes -1":        "from 0 to 7872",
		"load -config CONFIG -value-bytes 7873":      "from 0 to 7872",
		"load -config CONFIG -limit 0s":              "above 0",
		"load -config CONFIG more":                   "0 arguments are needed",
		"load":                                       "-config is missing",
		"check":                                      "no history",
		"check EMPTY":                                "no operations",
		"check /dev/null":                            "no operations",
		"check GARBAGE":                              "line 1",
		"check MISSING":                              "no such file",
		"get -config CONFIG":                         "1 arguments are needed",
		"put -config CONFIG -limit 1ms key value":    "no reply",
		"witness -config CONFIG -index 2":            "odd",
		"witness -config CONFIG -index 1 -shards 1":  "number of a shard",
		"replica -config CONFIG -index 1":            "even",
		"replica -config CONFIG -index 0 -data NONE": "vr init",
		"setup -config CONFIG -index 0":              "odd",
		"setup -config CONFIG -index 1 -limit 1ms":   "no answer",
		"init -config CONFIG":                        "-data is missing",
		"local -config CONFIG":                       "-data is missing",
	} {
		names := strings.NewReplacer("CONFIG", config, "EMPTY", empty, "GARBAGE", garbage,
			"MISSING", filepath.Join(folder, "missing"), "NONE", filepath.Join(folder, "none"))
		arguments := strings.Fields(names.Replace(words))
		chosen, isKnown := commands[arguments[0]]
		if !isKnown {
			t.Fatal(words)
		}
		err := chosen.run(flag.NewFlagSet(arguments[0], flag.ContinueOnError), arguments[1:])
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, not %q", words, err, problem)
		}
	}
}
