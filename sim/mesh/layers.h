// SPDX-License-Identifier: Apache-2.0
// Layers with several streams on one or two meshes: who waits for whom, and whether
// all comes to a stand. Each network is a mesh of its own; all have the same shape.
#ifndef BOMBUS_MESH_LAYERS_H_
#define BOMBUS_MESH_LAYERS_H_

#include <cstdint>
#include <vector>

namespace bombus::mesh {

// What a layer does with messages. Inputs and outputs are numbered in this order.
enum class Role {
  kSource,  // out: sends all the time
  kSink,    // in: takes, with pauses
  kStream,  // in, out: passes flits on through a buffer of stream_flits
  kStore,   // in, out: the same, with a buffer that is never full
  kLossy,   // in, out: the same, but drops what finds a message in it, and some more
  kTray,    // in, out: the same, with a buffer for `count` messages
  kAsker,   // in, answer, out, query: asks, takes no more while `count` are not yet answered
  kDropper, // the same, but drops what comes meanwhile
  kJoin     // a, b, out: one message for one on each input
};

struct LayerSpec {
  unsigned node = 0;
  Role role = Role::kSource;
  unsigned count = 1;  // messages: room of a tray, credits of an asker
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
  unsigned max_flits = 16;  // a message has from 1 to this many
  unsigned stream_flits = 4;
  uint64_t measure = 6000;
  double loss = 0.1;     // chance that a lossy layer drops a message that it has room for
  double pause = 0.002;  // chance that a sink pauses, each cycle, for up to pause_cycles
  unsigned pause_cycles = 100;
  uint64_t stall_cycles = 3000;  // without progress of something that waits: it stands still
  std::vector<LayerSpec> layers;
  std::vector<HopSpec> hops;
};

struct LayersResults {
  uint64_t cycles = 0;
  uint64_t wrong = 0;    // flits out of order, in the wrong place or torn from their message
  uint64_t dropped = 0;  // messages
  bool stalled = false;
  std::vector<uint64_t> sent;      // messages, by layer
  std::vector<uint64_t> received;  // messages, by layer
};

LayersResults run_layers(unsigned columns, unsigned rows, const LayersSettings& settings);

}  // namespace bombus::mesh
#endif
