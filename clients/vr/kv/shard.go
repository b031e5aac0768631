// SPDX-License-Identifier: Apache-2.0

package kv

import "hash/crc32"

// Shard returns the shard of a key, from 0 to count - 1: the CRC-32 of its bytes (IEEE 802.3) modulo
// the number of shards.
func Shard(key string, count int) int {
	return int(crc32.ChecksumIEEE([]byte(key)) % uint32(count))
}
