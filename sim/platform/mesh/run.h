// SPDX-License-Identifier: Apache-2.0
// One run of traffic over a mesh: settings and results.
#ifndef BOMBUS_MESH_RUN_H_
#define BOMBUS_MESH_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "random.h"

namespace bombus::mesh {

enum class Traffic {
  kIndependent,  // every node sends messages of its own to destinations given by the pattern
  kChain,        // node 0 sends messages through all other nodes and back (HiPerNoC, IV-A)
  kScript        // given chains, with sources that always send
};

enum class Pattern { kUniform, kExponential, kBitComplement, kTranspose, kHotspot };

// How a node on a chain's path holds a message.
enum class Tile {
  kStream,  // an elastic buffer of stream_flits: stalls its input while its output is stalled
  kStore    // always accepts: a buffer that is never full
};

struct Chain {
  double weight = 1;
  unsigned min_flits = 1;
  unsigned max_flits = 1;
  std::vector<unsigned> nodes;  // source, intermediate nodes, sink
};

// Lengths in flits, times in cycles.
struct Settings {
  uint64_t seed = 1;
  Traffic traffic = Traffic::kIndependent;
  Pattern pattern = Pattern::kUniform;
  double offered = 0.1;       // in flits per cycle and source
  unsigned packet = 24;       // length of independent messages
  unsigned flit_bytes = 64;   // payload of a flit of chain traffic
  uint64_t warmup = 5000;  // independent, script: in cycles; chain: in messages that have returned
  uint64_t measure = 20000;   // in the same units
  // Cycles after which a run ends in any case; 0: 1000 times the sum of the above
  uint64_t limit = 0;
  unsigned window = 0;        // flits in flight from node 0; 0: unbounded
  unsigned stream_flits = 4;  // buffer of a streaming tile; must exceed tile_delay to stream
  unsigned tile_delay = 2;    // cycles through a tile
  double pause = 0;           // probability per cycle that a sink pauses, for up to pause_cycles
  unsigned pause_cycles = 200;
  // Cycles without any flit moving after which the mesh counts as stalled
  uint64_t stall_cycles = 20000;
  double hotspot = 0.1;  // share of the traffic sent to the hotspot, in addition to uniform traffic
  std::vector<Chain> chains;
  std::vector<Tile> tiles;  // by node; default: streaming
};

struct Results {
  uint64_t cycles = 0;      // measured
  uint64_t sent = 0;        // messages that entered while measuring
  uint64_t received = 0;    // messages that reached their end while measuring
  uint64_t flits = 0;       // flits of those messages
  uint64_t lost = 0;        // messages dropped while measuring
  uint64_t reordered = 0;   // messages that overtook an earlier one of the same chain or pair
  uint64_t wrong = 0;       // flits reordered, duplicated or misrouted
  uint64_t missing = 0;     // messages neither received nor dropped at the end
  uint64_t max_flight = 0;  // maximum number of flits in flight
  bool stalled = false;     // nothing moved for stall_cycles
  double accepted = 0;      // flits per cycle and node (chain: per cycle at the end)
  double latency_mean = 0;  // in cycles, from the offer of the head to its arrival at the end
  double latency_p99 = 0;
  double latency_max = 0;
  std::vector<uint64_t> delivered;  // script: messages by chain, whole run
  std::vector<unsigned> waiting;    // if stalled: nodes whose input waits
};

Results run(unsigned columns, unsigned rows, const Settings& settings);

}  // namespace bombus::mesh
#endif
