// SPDX-License-Identifier: Apache-2.0
// The verilated mesh, run cycle by cycle, with its local ports as plain values.
#ifndef BOMBUS_MESH_MODEL_H_
#define BOMBUS_MESH_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "Vtop.h"
#include "verilated.h"

namespace bombus::mesh {

// The identity of a flit, carried besides its route.
struct Flit {
  uint32_t packet = 0;
  uint16_t index = 0;  // position in its message, from 0
  bool last = false;
};

class Model {
 public:
  explicit Model(uint64_t seed);
  ~Model();

  void reset();
  void set_window(uint32_t flits) { top_->window_i = flits; }

  // Sets the flit that node n offers in this cycle.
  void offer(unsigned n, const Flit& flit, uint16_t to_node, uint16_t flits);
  void offer_nothing(unsigned n);
  void set_out_ready(unsigned n, bool ready);

  void settle();  // evaluates which flits are taken in this cycle
  bool taken(unsigned n) const { return bit(&top_->in_valid_i, n) && bit(&top_->in_ready_o, n); }
  bool has_output(unsigned n) const { return bit(&top_->out_valid_o, n); }
  Flit output(unsigned n) const;
  unsigned drops() const;  // messages dropped in this cycle
  bool busy() const { return top_->busy_o; }
  void clock();  // advances to the next cycle

  uint64_t cycle() const { return cycle_; }

 private:
  // Ports are packed arrays: bits in bytes, consecutive words of 16 and 64 bits.
  static bool bit(const void* port, unsigned n) {
    return static_cast<const uint8_t*>(port)[n / 8] >> (n % 8) & 1;
  }
  static void set_bit(void* port, unsigned n, bool value) {
    uint8_t& byte = static_cast<uint8_t*>(port)[n / 8];
    byte = static_cast<uint8_t>((byte & ~(1u << n % 8)) | (unsigned{value} << n % 8));
  }

  VerilatedContext context_;
  std::unique_ptr<Vtop> top_;
  uint64_t cycle_ = 0;
};

}  // namespace bombus::mesh
#endif
