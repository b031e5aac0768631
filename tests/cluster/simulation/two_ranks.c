// SPDX-License-Identifier: Apache-2.0
/* Two boards in a loop of two links, in one rank and in two, built with sanitizers. Ends with 0 if
 * both runs give the same beats, each call returned what bombus_cluster.h says, and no wait goes on
 * when the ranks are cancelled. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bombus_cluster.h"

enum { LATENCY = 16, CYCLES = 2000, WORDS = 3, PACE = 0x804 };

static int failures;

static void expect(const char *text, int line, long result, long wanted) {
  if (result == wanted) return;
  fprintf(stderr, "%d: %s is %ld, not %ld\n", line, text, result, wanted);
  __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
}
#define IS(wanted, call) expect(#call, __LINE__, (call), (wanted))
#define WIRE(from_, from_link_, to_, to_link_) \
  {.from = from_, .from_link = from_link_, .to = to_, .to_link = to_link_, .words = WORDS}

static bombus_sim *board(uint32_t pace) {
  const bombus_beat_link_options options = {.latency = LATENCY, .rate = 1};
  bombus_sim *sim = bombus_open(NULL);
  IS(0, bombus_write_register(sim, PACE, pace));
  for (uint32_t link = 0; link < 2; ++link) {
    IS(0, bombus_set_beat_link(sim, link, &options));
    IS(0, bombus_set_beat_link_up(sim, link, 1, bombus_cycle(sim)));
  }
  return sim;
}

static bombus_member member(const char *name, bombus_sim *sim) {
  const bombus_member member = {.name = name, .sim = sim, .run_beats = bombus_run_beats,
      .set_horizon = bombus_set_horizon, .cycle = bombus_cycle, .last_error = bombus_last_error,
      .links = 4};
  return member;
}

static uint64_t digest(const bombus_sim *sim) {
  uint64_t sum = 0;
  for (uint32_t link = 0; link < 2; ++link) {
    bombus_beat_link_statistics statistics;
    IS(0, bombus_get_beat_link((bombus_sim *)sim, link, &statistics));
    IS(1, statistics.received > CYCLES / 4);
    sum = 31 * sum + statistics.received_digest + statistics.sent_digest;
  }
  return sum;
}

static int no_more(void *context) {
  (void)context;
  return 1;
}

static uint64_t one_rank(void) {
  const bombus_wire wires[] = {
      WIRE(0, 0, 1, 0), WIRE(1, 0, 0, 0), WIRE(0, 1, 1, 1), WIRE(1, 1, 0, 1)};
  bombus_member members[] = {member("left", board(100)), member("right", board(200))};
  const uint64_t start = bombus_cycle(members[0].sim);
  bombus_cluster *cluster = bombus_cluster_open(members, 2, wires, 4, NULL, 0, NULL, NULL, no_more,
                                                start, LATENCY);
  IS((long)start + LATENCY, (long)bombus_cluster_horizon(cluster));
  IS(0, bombus_cluster_window(cluster));
  IS((long)start + 2 * LATENCY, (long)bombus_cluster_horizon(cluster));
  IS(0, bombus_cluster_run(cluster, start + CYCLES));
  IS(0, bombus_cluster_run(cluster, start));
  IS(0, *bombus_cluster_error(cluster));
  const bombus_switch_options options = {.loss = 1};
  bombus_switch_statistics statistics;
  for (uint32_t wire = 0; wire < 5; ++wire) {  // none passes a switch
    IS(-EINVAL, bombus_cluster_set_switch(cluster, wire, &options));
    IS(-EINVAL, bombus_cluster_set_switch_up(cluster, wire, 0, start));
    IS(-EINVAL, bombus_cluster_get_switch(cluster, wire, &statistics));
  }
  const uint64_t sum = digest(members[0].sim) + digest(members[1].sim);
  IS(-EINTR, bombus_advance_cycles(members[0].sim, 10 * LATENCY));
  bombus_cluster_close(cluster);
  IS(0, bombus_advance_cycles(members[0].sim, 10 * LATENCY));
  bombus_close(members[0].sim);
  bombus_close(members[1].sim);
  bombus_cluster_close(NULL);
  return sum;
}

typedef struct {
  uint64_t *memory;
  uint64_t capacity;
  uint32_t rank;
  uint64_t digest;
  pthread_t thread;
  bombus_shared *shared;
  bombus_cluster *cluster;
} rank;

static int never(void *context) {
  (void)context;
  return 0;
}

static void *run_rank(void *argument) {
  rank *own = argument;
  const bombus_wire wires[2][4] = {
      {WIRE(0, 0, -1, 0), WIRE(-1, 0, 0, 0), WIRE(0, 1, -1, 1), WIRE(-1, 1, 0, 1)},
      {WIRE(-1, 0, 0, 0), WIRE(0, 0, -1, 0), WIRE(-1, 1, 0, 1), WIRE(0, 1, -1, 1)}};
  bombus_channel channel = {.peer = 1 - own->rank, .capacity = own->capacity};
  bombus_member members[] = {
      member(own->rank ? "right" : "left", board(own->rank ? 200 : 100))};
  const uint64_t start = bombus_cycle(members[0].sim);
  own->shared = bombus_shared_open(own->memory, 2, own->rank, own->capacity, 100, never, NULL);
  bombus_shared_connect(own->shared, &channel, 1);
  own->cluster = bombus_cluster_open(members, 1, wires[own->rank], 4, &channel, 1,
                                     bombus_shared_exchange, own->shared, NULL, start, LATENCY);
  IS(0, bombus_cluster_run(own->cluster, start + CYCLES));
  own->digest = digest(members[0].sim);
  if (own->rank == 0) {
    /* The other rank waits for this one, or will. */
    bombus_shared_cancel(own->shared);
  } else {
    IS(-ECANCELED, bombus_cluster_run(own->cluster, start + 4 * CYCLES));
    IS(1, *bombus_cluster_error(own->cluster) != 0);
  }
  bombus_cluster_close(own->cluster);
  bombus_close(members[0].sim);
  return NULL;
}

static uint64_t two_ranks(void) {
  const uint64_t capacity = 2 * bombus_wire_capacity(WORDS, LATENCY);
  const size_t bytes = bombus_shared_words(2, capacity) * sizeof(uint64_t);
  uint64_t *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(memory, 0, bytes);
  rank ranks[2] = {{.rank = 0}, {.rank = 1}};
  for (int i = 0; i < 2; ++i) {
    ranks[i].memory = memory, ranks[i].capacity = capacity;
    if (pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]) != 0) abort();
  }
  for (int i = 0; i < 2; ++i) pthread_join(ranks[i].thread, NULL);
  for (int i = 0; i < 2; ++i) bombus_shared_close(ranks[i].shared);
  free(memory);
  return ranks[0].digest + ranks[1].digest;
}

int main(void) {
  const uint64_t together = one_rank();
  IS(1, together == two_ranks());
  return failures != 0;
}
