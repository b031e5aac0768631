// SPDX-License-Identifier: Apache-2.0

package udp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sizes with which one replica that is down would stop the group are refused.
func TestSizes(t *testing.T) {
	for values, problem := range map[string]string{
		"":                                      "",
		`, "window": 512`:                       "window of 512",
		`, "in_flight": 257`:                    "257 in flight",
		`, "capacity": 1022`:                    "1022 operations",
		`, "capacity": 2047, "window": 1535`:    "",
		`, "witness_lines": 249`:                "250 lines",
		`, "witness_lines": 250`:                "",
		`, "datagram_bytes": 8901`:              "8900 bytes",
		`, "datagram_bytes": 0`:                 "at least 1",
		`, "datagram_bytes": 1300, "window": 1`: "",
	} {
		name := filepath.Join(t.TempDir(), "group.json")
		text := fmt.Sprintf(`{"replicas": ["10.0.0.1:1", "10.0.0.2:1", "10.0.0.3:1"]%s}`, values)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadConfig(name)
		if problem == "" && err != nil {
			t.Errorf("%s: %v", values, err)
		}
		if problem != "" && (err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%s: %v, not %q", values, err, problem)
		}
	}
}
