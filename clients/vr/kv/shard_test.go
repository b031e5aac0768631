// SPDX-License-Identifier: Apache-2.0

package kv

import "testing"

// The CRC-32 of "123456789" is known to be 0xcbf43926.
func TestShard(t *testing.T) {
	for key, check := range map[string]uint32{"": 0, "123456789": 0xcbf43926} {
		for count := 1; count <= 5; count++ {
			if got, want := Shard(key, count), int(check%uint32(count)); got != want {
				t.Errorf("%q of %d shards: %d, not %d", key, count, got, want)
			}
		}
	}
}
