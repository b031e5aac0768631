// SPDX-License-Identifier: Apache-2.0

package node

type integer interface{ ~int | ~uint64 }

// least returns the lowest of its arguments.
func least[T integer](first T, rest ...T) T {
	for _, value := range rest {
		if value < first {
			first = value
		}
	}
	return first
}

// most returns the highest of its arguments.
func most[T integer](first T, rest ...T) T {
	for _, value := range rest {
		if value > first {
			first = value
		}
	}
	return first
}
