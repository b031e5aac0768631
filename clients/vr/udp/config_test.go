// SPDX-License-Identifier: Apache-2.0

package udp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Unknown keys, and sizes with which one replica that is down would stop the group, are refused.
func TestSizes(t *testing.T) {
	for values, problem := range map[string]string{
		"":                                      "",
		`, "window": 512`:                       "window of 512",
		`, "tick_mss": 5`:                       `unknown field "tick_mss"`,
		`} {`:                                   "text after the configuration",
		`, "tick_ms": "5"`:                      "tick_ms",
		`, "window": 9223372036854775807`:       "at most 16777216",
		`, "tick_ms": 0`:                        "at least 1",
		`, "in_flight": 257`:                    "257 in flight",
		`, "capacity": 1022`:                    "1022 operations",
		`, "capacity": 2047, "window": 1535`:    "",
		`, "witness_lines": 249`:                "250 lines",
		`, "witness_lines": 250`:                "",
		`, "datagram_bytes": 8901`:              "8900 bytes",
		`, "datagram_bytes": 0`:                 "at least 1",
		`, "datagram_bytes": 1300, "window": 1`: "",
	} {
		text := fmt.Sprintf(`{"shards": [["10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"]]%s}`, values)
		_, err := read(t, text)
		if problem == "" && err != nil {
			t.Errorf("%s: %v", values, err)
		}
		if problem != "" && (err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%s: %v, not %q", values, err, problem)
		}
	}
}

func read(t *testing.T, text string) (*Config, error) {
	name := filepath.Join(t.TempDir(), "group.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadConfig(name)
}

func TestShards(t *testing.T) {
	const first = `"10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"`
	for shards, problem := range map[string]string{
		``: "no shard",
		`[` + first + `], ["10.0.0.1:2", "10.0.0.2:2"]`:                                           "not 2",
		`[` + first + `], [` + first + `]`:                                                        "repeated",
		`[` + first + `], ["10.0.0.1:2", "10.0.0.2:2", "10.0.0.3:2", "10.0.0.4:2", "10.0.0.5:2"]`: "5 members",
	} {
		_, err := read(t, `{"shards": [`+shards+`]}`)
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v, not %q", shards, err, problem)
		}
	}
	c, err := read(t, `{"shards": [[`+first+`], ["10.0.0.1:2", "10.0.0.2:2", "10.0.0.3:2"]]}`)
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]string{"": "[0 1]", "1": "[1]", "0,1": "[0 1]"} {
		if got, err := c.Choose(list); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
	for _, list := range []string{"2", "-1", "a", "0,", "0 1"} {
		if got, err := c.Choose(list); err == nil {
			t.Errorf("%q: %v", list, got)
		}
	}
}

// The example has a shard for each witness of its design, at ports 12345 to 12348.
func TestExample(t *testing.T) {
	c, err := ReadConfig("../../../docs/examples/vr/group.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Shards) != 4 || c.Members() != 3 {
		t.Fatalf("%d shards of %d members", len(c.Shards), c.Members())
	}
	for shard, members := range c.Shards {
		if want := fmt.Sprint("10.77.0.2:", 12345+shard); members[1].String() != want {
			t.Errorf("shard %d: witness %v, not %s", shard, members[1], want)
		}
	}
}
