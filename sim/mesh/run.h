// SPDX-License-Identifier: Apache-2.0
// One run of traffic over a mesh: what to send, what came of it.
#ifndef BOMBUS_MESH_RUN_H_
#define BOMBUS_MESH_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "random.h"

namespace bombus::mesh {

enum class Traffic {
  kIndependent,  // every node sends messages of its own, to where the pattern says
  kChain,        // node 0 sends messages through all other nodes and back (HiPerNoC, IV-A)
  kScript        // chains as given, sources that always send
};

enum class Pattern { kUniform, kExponential, kBitComplement, kTranspose, kHotspot };

// How a node that a chain passes holds a message.
enum class Tile {
  kStream,  // an elastic buffer of stream_flits: holds its input while it waits for its output
  kStore    // takes everything at once: a buffer that is never full
};

struct Chain {
  double weight = 1;
  unsigned min_flits = 1;
  unsigned max_flits = 1;
  std::vector<unsigned> nodes;  // source, what it passes, sink
};

// Lengths in flits, times in cycles.
struct Settings {
  uint64_t seed = 1;
  Traffic traffic = Traffic::kIndependent;
  Pattern pattern = Pattern::kUniform;
  double offered = 0.1;       // flits per cycle and source
  unsigned packet = 24;       // length of independent messages
  unsigned flit_bytes = 64;   // payload of a flit of chain traffic
  uint64_t warmup = 5000;     // independent, script: cycles; chain: messages that have come back
  uint64_t measure = 20000;   // the same units
  uint64_t limit = 0;         // cycles after which a run ends anyway; 0: a thousand times the rest
  unsigned window = 0;        // flits in flight from node 0; 0: unbounded
  unsigned stream_flits = 4;  // buffer of a streaming tile; above tile_delay, to stream
  unsigned tile_delay = 2;    // cycles through a tile
  double pause = 0;           // chance that a sink pauses, each cycle, for up to pause_cycles
  unsigned pause_cycles = 200;
  uint64_t stall_cycles = 20000;  // without any flit moving: the mesh stands still
  double hotspot = 0.1;           // part of the traffic that goes to the hotspot besides the uniform
  std::vector<Chain> chains;
  std::vector<Tile> tiles;  // by node; default: streaming
};

struct Results {
  uint64_t cycles = 0;      // measured
  uint64_t sent = 0;        // messages that entered while measuring
  uint64_t received = 0;    // messages that reached their end while measuring
  uint64_t flits = 0;       // of those
  uint64_t lost = 0;        // messages dropped while measuring
  uint64_t reordered = 0;   // messages that overtook an earlier one of the same chain or pair
  uint64_t wrong = 0;       // flits reordered, duplicated or misrouted
  uint64_t missing = 0;     // messages neither received nor dropped when all was over
  uint64_t max_flight = 0;  // maximum number of flits in flight
  bool stalled = false;     // nothing moved for stall_cycles
  double accepted = 0;      // flits per cycle and node (chain: per cycle at the end)
  double latency_mean = 0;  // cycles, from the offer of the head to its arrival at the end
  double latency_p99 = 0;
  double latency_max = 0;
  std::vector<uint64_t> delivered;  // script: messages by chain, whole run
  std::vector<unsigned> waiting;    // stalled: nodes whose input waits
};

Results run(unsigned columns, unsigned rows, const Settings& settings);

}  // namespace bombus::mesh
#endif
