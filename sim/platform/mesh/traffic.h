// SPDX-License-Identifier: Apache-2.0
// Destinations and lengths of messages.
#ifndef BOMBUS_MESH_TRAFFIC_H_
#define BOMBUS_MESH_TRAFFIC_H_

#include <cstdint>
#include <vector>

#include "random.h"
#include "run.h"

namespace bombus::mesh {

struct Message {
  std::vector<uint8_t> path;  // nodes, the source first
  uint16_t flits = 1;
  uint16_t chain = 0;  // messages of the same chain or pair of nodes must stay in order
};

class Generator {
 public:
  Generator(unsigned columns, unsigned rows, const Settings& settings);

  // The next message of a node; an empty path means none.
  Message next(unsigned node);

  // Length in flits of the gap after a decision not to send.
  unsigned gap(unsigned node);
  // Whether the node sends now (decided again after each message and gap).
  bool sends(unsigned node);
  // Whether the node ever sends.
  bool is_source(unsigned node) const;

 private:
  unsigned destination(unsigned node, Random& random) const;
  unsigned chain_flits(Random& random) const;
  std::vector<uint8_t> chain_path(Random& random);

  unsigned columns_, rows_, nodes_;
  const Settings& settings_;
  std::vector<Random> random_;                // by node
  std::vector<std::vector<double>> weights_;  // exponential: by node, cumulative
  std::vector<std::vector<uint8_t>> sequences_;
  std::vector<double> sequence_weights_;  // cumulative
};

}  // namespace bombus::mesh
#endif
