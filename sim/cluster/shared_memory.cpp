// SPDX-License-Identifier: Apache-2.0
// Ranks on one machine: memory that all of them map, with a futex for each direction.
//
// From each rank to each other one there are two slots, for windows of even and of odd numbers: a
// rank can be no more than one window ahead of a peer, from which it needs beats too.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include "bombus_cluster.h"

namespace {

constexpr uint64_t kLineWords = 8;  // of a cache line
constexpr long kWaitNanoseconds = 5 * 1000 * 1000;

// At the start of the memory.
struct Common {
  std::atomic<uint32_t> cancelled;
};

// One direction between two ranks, at the start of its part of the memory.
struct Direction {
  std::atomic<uint32_t> written;  // windows, modulo 2^32: the futex
  std::atomic<uint32_t> waits;    // the receiver sleeps
};

static_assert(sizeof(Direction) <= kLineWords * sizeof(uint64_t));
static_assert(std::atomic<uint32_t>::is_always_lock_free);

uint64_t direction_words(uint64_t capacity) {
  return (kLineWords + 2 * capacity + kLineWords - 1) / kLineWords * kLineWords;
}

long futex(std::atomic<uint32_t>* word, int operation, uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), operation, value, timeout, nullptr,
                 0);
}

}  // namespace

struct bombus_shared {
  uint64_t* memory;
  uint32_t ranks;
  uint32_t rank;
  uint64_t capacity;
  uint32_t spins;
  bombus_poll poll;
  void* context;
  uint32_t windows = 0;  // exchanged

  Common& common() { return *reinterpret_cast<Common*>(memory); }
  uint64_t* part(uint32_t from, uint32_t to) {
    return memory + kLineWords + (uint64_t{from} * ranks + to) * direction_words(capacity);
  }
  Direction& direction(uint32_t from, uint32_t to) {
    return *reinterpret_cast<Direction*>(part(from, to));
  }
  uint64_t* slot(uint32_t from, uint32_t to, uint32_t window) {
    return part(from, to) + kLineWords + window % 2 * capacity;
  }

  void publish(uint32_t to) {
    Direction& each = direction(rank, to);
    each.written.store(windows + 1);
    if (each.waits.load() != 0) futex(&each.written, FUTEX_WAKE, INT_MAX, nullptr);
  }

  // Whether the peer has written this window; it may have written the next one, too.
  bool arrived(uint32_t from) {
    return direction(from, rank).written.load(std::memory_order_acquire) != windows;
  }

  int await(uint32_t from) {
    for (uint32_t i = 0; i < spins; ++i) {
      if (arrived(from)) return 0;
      if (i % 64 == 63) sched_yield();
    }
    Direction& each = direction(from, rank);
    const timespec wait{0, kWaitNanoseconds};
    while (!arrived(from)) {
      if (common().cancelled.load() != 0) return -ECANCELED;
      each.waits.store(1);
      const bool timed_out = !arrived(from) &&
                             futex(&each.written, FUTEX_WAIT, windows, &wait) != 0 &&
                             errno == ETIMEDOUT;
      each.waits.store(0);
      if (timed_out && poll != nullptr && poll(context) != 0) return -EINTR;
    }
    return 0;
  }

  void point(bombus_channel& channel) { channel.out = slot(rank, channel.peer, windows); }
};

extern "C" {

uint64_t bombus_shared_words(uint32_t ranks, uint64_t capacity) {
  return kLineWords + uint64_t{ranks} * ranks * direction_words(capacity);
}

bombus_shared* bombus_shared_open(uint64_t* memory, uint32_t ranks, uint32_t rank,
                                  uint64_t capacity, uint32_t spins, bombus_poll poll,
                                  void* context) {
  return new (std::nothrow)
      bombus_shared{memory, ranks, rank, capacity, spins, poll, context};
}

void bombus_shared_close(bombus_shared* shared) { delete shared; }

void bombus_shared_connect(bombus_shared* shared, bombus_channel* channels, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) shared->point(channels[i]);
}

int bombus_shared_exchange(void* context, bombus_channel* channels, uint32_t count) {
  auto& shared = *static_cast<bombus_shared*>(context);
  for (uint32_t i = 0; i < count; ++i) shared.publish(channels[i].peer);
  for (uint32_t i = 0; i < count; ++i) {
    if (const int status = shared.await(channels[i].peer)) return status;
    channels[i].in = shared.slot(channels[i].peer, shared.rank, shared.windows);
  }
  ++shared.windows;
  for (uint32_t i = 0; i < count; ++i) shared.point(channels[i]);
  return 0;
}

void bombus_shared_cancel(bombus_shared* shared) {
  shared->common().cancelled.store(1);
  for (uint32_t from = 0; from < shared->ranks; ++from) {
    for (uint32_t to = 0; to < shared->ranks; ++to) {
      futex(&shared->direction(from, to).written, FUTEX_WAKE, INT_MAX, nullptr);
    }
  }
}

}  // extern "C"
