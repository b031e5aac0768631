// SPDX-License-Identifier: Apache-2.0
/* Many simulators in step: those of one process (a rank), joined to each other and to those of
 * other ranks by links of beats (bombus_sim.h).
 *
 * A beat takes at least `window` cycles from one board to another, so that all boards may run for
 * that long without those of the others: conservative parallel simulation with lookahead (Chandy
 * and Misra, "Distributed simulation", IEEE Trans. Software Eng. SE-5(5), 1979). After each
 * window the ranks exchange what was sent. What a board sees does not depend on how boards are
 * distributed among ranks.
 *
 * Functions return 0 or a negative errno value; bombus_cluster_error() then gives the reason. */
#ifndef BOMBUS_CLUSTER_H_
#define BOMBUS_CLUSTER_H_

#include "bombus_sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bombus_cluster bombus_cluster;

/* A simulator, with the functions of its library. */
typedef struct {
  const char *name; /* in messages */
  bombus_sim *sim;
  int (*run_beats)(bombus_sim *sim, uint64_t cycles, const bombus_beats *in, bombus_beats *out);
  int (*set_horizon)(bombus_sim *sim, uint64_t cycle, bombus_horizon reached, void *context);
  uint64_t (*cycle)(const bombus_sim *sim);
  const char *(*last_error)(const bombus_sim *sim);
  uint32_t links; /* of beats */
} bombus_member;

/* One direction of a link between two boards, at least one of them in this rank. */
typedef struct {
  int32_t from; /* number of the member; -1: it is in another rank */
  uint32_t from_link;
  int32_t to;
  uint32_t to_link;
  uint32_t words;   /* of a beat's record */
  uint32_t channel; /* to or from the other rank */
  /* 0: beats arrive as they are. Otherwise the beats are those of Ethernet frames, {error, last,
   * keep, data} with so many bytes of data, and pass a switch: the wire carries the frames with
   * these addresses (bytes 0 to 7, and 8 to 11, in the order of the lanes). Wires may share their
   * ends then. */
  uint32_t frame_bytes;
  uint32_t order; /* of frames that arrive in the same cycle: a number for each wire */
  uint64_t addresses[2];
} bombus_wire;

/* What a switch does to the frames of a wire: shares of frames. */
typedef struct {
  double loss;
  double corrupt; /* a bit is wrong, the FCS is right */
  double repeat;
  double reorder;        /* frames that come later than others */
  uint64_t delay_cycles; /* by which these, and second copies, are late at most */
  uint64_t seed;         /* of all of these */
} bombus_switch_options;

typedef struct {
  uint64_t sent; /* frames */
  uint64_t received;
  uint64_t lost;
  uint64_t corrupted;
  uint64_t repeated;
  uint64_t delayed;
  uint64_t digest; /* of the frames received and their cycles */
} bombus_switch_statistics;

/* What this rank sends to another one and receives from it after each window: for each wire, in the
 * order of the wires, the number of beats and their records. */
typedef struct {
  uint32_t peer;     /* rank */
  uint64_t capacity; /* words of each direction */
  uint64_t *out;
  uint64_t out_words;
  const uint64_t *in;
} bombus_channel;

/* Words that a wire takes in a channel at most. */
BOMBUS_API uint64_t bombus_wire_capacity(uint32_t words, uint64_t window);

/* Sends `out` of each channel and receives `in`; it may change both pointers, and `in` stays valid
 * until the next call. Other than 0 ends the run. */
typedef int (*bombus_exchange_ranks)(void *context, bombus_channel *channels, uint32_t count);

/* `start`: the present cycle of all simulators. `reached`: called when a call of
 * one simulator needs beats that are not there yet: it calls bombus_cluster_window() in all
 * ranks. `channels` stay the caller's. NULL: out of memory. */
BOMBUS_API bombus_cluster *bombus_cluster_open(const bombus_member *members, uint32_t member_count,
                                               const bombus_wire *wires, uint32_t wire_count,
                                               bombus_channel *channels, uint32_t channel_count,
                                               bombus_exchange_ranks exchange, void *context,
                                               bombus_horizon reached, uint64_t start,
                                               uint64_t window);
/* The simulators are free of each other again. */
BOMBUS_API void bombus_cluster_close(bombus_cluster *cluster);

/* The first cycle that needs beats not exchanged yet. */
BOMBUS_API uint64_t bombus_cluster_horizon(const bombus_cluster *cluster);

/* Runs all simulators of this rank to the horizon, exchanges beats, and sets the next horizon. */
BOMBUS_API int bombus_cluster_window(bombus_cluster *cluster);

/* Runs all simulators of this rank to a cycle; those that are there or later stay. */
BOMBUS_API int bombus_cluster_run(bombus_cluster *cluster, uint64_t until);

/* The frames of a wire with `frame_bytes` whose receiver is in this rank, by its number in `wires`.
 * At the start the switch changes nothing. -EINVAL: it is no such wire. */
BOMBUS_API int bombus_cluster_set_switch(bombus_cluster *cluster, uint32_t wire,
                                         const bombus_switch_options *options);
/* From this cycle on the switch passes on the frames of a wire, or not. */
BOMBUS_API int bombus_cluster_set_switch_up(bombus_cluster *cluster, uint32_t wire, int up,
                                            uint64_t cycle);
BOMBUS_API int bombus_cluster_get_switch(bombus_cluster *cluster, uint32_t wire,
                                         bombus_switch_statistics *statistics);

/* Why the last call failed. Never NULL. */
BOMBUS_API const char *bombus_cluster_error(const bombus_cluster *cluster);

/* ---- Ranks on one machine ---- */

typedef struct bombus_shared bombus_shared;

/* Words of the memory that all ranks map. `capacity`: words that a rank sends another one at
 * most. */
BOMBUS_API uint64_t bombus_shared_words(uint32_t ranks, uint64_t capacity);

/* Joins a rank to memory that was zero at the start. `spins`: how often it looks for a peer's beats
 * before it sleeps; 0 if there are more ranks than cores. `poll`: called every few milliseconds of
 * waiting; other than 0 ends the wait with -EINTR. */
BOMBUS_API bombus_shared *bombus_shared_open(uint64_t *memory, uint32_t ranks, uint32_t rank,
                                             uint64_t capacity, uint32_t spins, bombus_poll poll,
                                             void *context);
BOMBUS_API void bombus_shared_close(bombus_shared *shared);
/* Points the channels to the memory. */
BOMBUS_API void bombus_shared_connect(bombus_shared *shared, bombus_channel *channels,
                                      uint32_t count);
/* A bombus_exchange_ranks: `context` is the bombus_shared. -ECANCELED: a rank has called
 * bombus_shared_cancel(). */
BOMBUS_API int bombus_shared_exchange(void *context, bombus_channel *channels, uint32_t count);
/* Ends all waits, of all ranks, for good. */
BOMBUS_API void bombus_shared_cancel(bombus_shared *shared);

#ifdef __cplusplus
}
#endif
#endif
