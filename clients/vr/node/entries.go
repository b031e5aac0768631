// SPDX-License-Identifier: Apache-2.0

package node

import "bombus/vr/wire"

const lineBytes = 64

// entries is a log: consecutive entries after base, the last one that was truncated.
type entries struct {
	base  uint64
	list  []wire.Entry
	lines int // of all entries
}

// linesOf returns the lines of an entry in the log of a witness.
func linesOf(e *wire.Entry) int { return wire.EntryBytes(e) / lineBytes }

func linesOfAll(list []wire.Entry) int {
	lines := 0
	for i := range list {
		lines += linesOf(&list[i])
	}
	return lines
}

func (l *entries) last() uint64 { return l.base + uint64(len(l.list)) }

func (l *entries) at(opnum uint64) *wire.Entry { return &l.list[opnum-l.base-1] }

// after returns a copy of the entries after opnum, or of all if opnum is truncated.
func (l *entries) after(opnum uint64) []wire.Entry {
	if opnum >= l.last() {
		return nil
	}
	return append([]wire.Entry{}, l.list[most(opnum, l.base)-l.base:]...)
}

func (l *entries) append(e wire.Entry) {
	l.list = append(l.list, e)
	l.lines += linesOf(&e)
}

func (l *entries) cut(opnum uint64) {
	kept := least(opnum, l.last()) - l.base
	l.lines -= linesOfAll(l.list[kept:])
	l.list = l.list[:kept]
}

// truncate drops the entries up to opnum.
func (l *entries) truncate(opnum uint64) {
	if opnum > l.base {
		l.lines -= linesOfAll(l.list[:opnum-l.base])
		l.list = append([]wire.Entry{}, l.list[opnum-l.base:]...)
		l.base = opnum
	}
}

// restart makes an empty log after opnum.
func (l *entries) restart(opnum uint64) { *l = entries{base: opnum} }

// piece returns the first entries of a list, at least one, of at most so many bytes in a message.
func piece(list []wire.Entry, limit int) []wire.Entry {
	size := 0
	for i := range list {
		size += wire.EntryBytes(&list[i])
		if size > limit && i > 0 {
			return list[:i]
		}
	}
	return list
}
