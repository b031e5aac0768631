// SPDX-License-Identifier: Apache-2.0

package log

import (
	"fmt"
	"path/filepath"
)

// ShardFolder returns the folder of a shard's log in the folder of a replica.
func ShardFolder(folder string, shard int) string {
	return filepath.Join(folder, fmt.Sprint("shard_", shard))
}

// CreateShards makes the folder of a new replica with an empty log for each shard.
func CreateShards(folder string, shards int) error {
	for shard := 0; shard < shards; shard++ {
		if err := Create(ShardFolder(folder, shard)); err != nil {
			return err
		}
	}
	return nil
}

// CheckShards returns an error unless the folder of a replica has logs of just so many shards: with
// another number, keys would belong to other shards than their values.
func CheckShards(folder string, shards int) error {
	found, err := filepath.Glob(filepath.Join(folder, "shard_*", fileName))
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("%s has no logs; a new replica needs vr init", folder)
	}
	if len(found) != shards {
		return fmt.Errorf("%s has logs of %d shards, not %d", folder, len(found), shards)
	}
	return nil
}
