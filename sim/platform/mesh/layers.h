// SPDX-License-Identifier: Apache-2.0
// Layers with several streams on one or two meshes: which layer waits for which, and whether they
// deadlock. Each network is a separate mesh; all have the same shape.
#ifndef BOMBUS_MESH_LAYERS_H_
#define BOMBUS_MESH_LAYERS_H_

#include <cstdint>
#include <vector>

namespace bombus::mesh {

// Behaviour of a layer. Inputs and outputs are numbered in this order.
enum class Role {
  kSource,  // out: always sends
  kSink,    // in: takes messages, with pauses
  kStream,  // in, out: forwards flits through a buffer of stream_flits
  kStore,   // in, out: the same, with a buffer that is never full
  kLossy,   // in, out: the same, but drops messages that find it occupied, and some others
  kTray,    // in, out: the same, with a buffer for `count` messages
  kAsker,   // in, answer, out, query: sends requests; its input stalls while `count` are unanswered
  kDropper,  // the same, but drops messages that arrive meanwhile
  kJoin,    // a, b, out: one message per pair of input messages
  kFork     // in, out, b: sends each message on both, with room for `count` copies at each
};

struct LayerSpec {
  unsigned node = 0;
  Role role = Role::kSource;
  unsigned count = 1;  // in messages: room of a tray or fork, credits of an asker
};

// A next hop of an output.
struct HopSpec {
  unsigned layer = 0, output = 0;
  int network = 0;  // -1: a wire inside the tile
  unsigned to_layer = 0, to_input = 0;
};

// Lengths in flits, times in cycles.
struct LayersSettings {
  uint64_t seed = 1;
  unsigned networks = 1;
  unsigned max_flits = 16;  // messages have 1 to this many flits
  unsigned stream_flits = 4;
  uint64_t measure = 6000;
  double loss = 0.1;     // probability that a lossy layer drops a message that it has room for
  double pause = 0.002;  // probability per cycle that a sink pauses, for up to pause_cycles
  unsigned pause_cycles = 100;
  // Cycles without progress after which something waiting counts as stalled
  uint64_t stall_cycles = 3000;
  std::vector<LayerSpec> layers;
  std::vector<HopSpec> hops;
};

struct LayersResults {
  uint64_t cycles = 0;
  uint64_t wrong = 0;    // flits out of order, at the wrong node or torn from their message
  uint64_t dropped = 0;  // in messages
  bool stalled = false;
  std::vector<uint64_t> sent;      // messages, by layer
  std::vector<uint64_t> received;  // messages, by layer
};

LayersResults run_layers(unsigned columns, unsigned rows, const LayersSettings& settings);

}  // namespace bombus::mesh
#endif
