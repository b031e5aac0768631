// SPDX-License-Identifier: Apache-2.0

package sim

// fault changes something and plans the next change.
func (w *world) fault() {
	if !w.faulty {
		return
	}
	switch w.rng.Intn(8) {
	case 0:
		w.isolate(w.rng.Intn(w.Replicas), true, true)
	case 1:
		direction := w.rng.Intn(2) == 0
		w.isolate(w.rng.Intn(w.Replicas), direction, !direction)
	case 2:
		w.blocked = map[[2]int]bool{}
	case 3:
		w.stop(w.hosts[2*w.rng.Intn(w.Replicas/2+1)])
	case 4:
		if leader := w.leader(); leader != nil {
			w.stop(leader)
		}
	case 5:
		w.reset(w.hosts[1+2*w.rng.Intn(w.Replicas/2)])
	case 6:
		w.changeOver()
	case 7:
		w.blocked = map[[2]int]bool{}
		for _, h := range w.hosts {
			w.restart(h)
		}
	}
	w.after(w.between(5_000, 250_000), w.fault)
}

func (w *world) isolate(index int, in, out bool) {
	w.result.Splits++
	for other := range w.hosts {
		if other != index {
			w.blocked[[2]int{other, index}] = in
			w.blocked[[2]int{index, other}] = out
		}
	}
}

func (w *world) stop(h *host) {
	if h.node == nil {
		return
	}
	w.result.Kills++
	w.kill(h)
	w.after(w.between(1000, 400_000), func() { w.restart(h) })
}

func (w *world) reset(h *host) {
	w.result.Resets++
	w.kill(h)
	w.after(w.between(100, 50_000), func() { w.restart(h) })
}

func (w *world) leader() *host {
	for _, h := range w.hosts {
		if h.node != nil && h.node.IsLeader() {
			return h
		}
	}
	return nil
}

// changeOver makes witnesses the only memory of operations: the other replicas miss some, then the
// leader stops; at times the witnesses are reset in between.
func (w *world) changeOver() {
	leader := w.leader()
	if leader == nil {
		return
	}
	w.blocked = map[[2]int]bool{}
	for i := 0; i < w.Replicas; i += 2 {
		if i != leader.index {
			w.isolate(i, true, true)
		}
	}
	hasReset := w.rng.Intn(2) == 0
	w.after(w.between(5_000, 40_000), func() {
		if !w.faulty {
			return
		}
		w.blocked = map[[2]int]bool{}
		w.stop(leader)
		if hasReset {
			for i := 1; i < w.Replicas; i += 2 {
				w.reset(w.hosts[i])
			}
		}
	})
}

// heal ends all faults.
func (w *world) heal() {
	w.faulty = false
	w.blocked = map[[2]int]bool{}
	w.loss, w.twice = 0, 0
	for _, h := range w.hosts {
		w.restart(h)
	}
}
