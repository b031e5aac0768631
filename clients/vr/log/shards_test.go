// SPDX-License-Identifier: Apache-2.0

package log

import (
	"path/filepath"
	"strings"
	"testing"
)

// A folder of other shards than those of the configuration is refused, and nothing is overwritten.
func TestShards(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	if err := CheckShards(folder, 1); err == nil || !strings.Contains(err.Error(), "vr init") {
		t.Error(err)
	}
	if err := CreateShards(folder, 2); err != nil {
		t.Fatal(err)
	}
	for shards, isGood := range map[int]bool{1: false, 2: true, 3: false} {
		if err := CheckShards(folder, shards); (err == nil) != isGood {
			t.Errorf("%d shards: %v", shards, err)
		}
	}
	if CreateShards(folder, 2) == nil || CreateShards(folder, 3) == nil {
		t.Error("logs are overwritten")
	}
	for shard := 0; shard < 2; shard++ {
		file, _, err := Open(ShardFolder(folder, shard))
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
}
