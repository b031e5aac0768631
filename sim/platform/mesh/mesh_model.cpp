// SPDX-License-Identifier: Apache-2.0
#include "mesh_model.h"

#include <cstring>

namespace bombus::mesh {

namespace {

constexpr unsigned kResetCycles = 4;

// A flit's word: packet in bits 31:0, index in 47:32.
uint64_t pack(const Flit& flit) { return flit.packet | uint64_t{flit.index} << 32; }

}  // namespace

Model::Model(uint64_t seed) {
  context_.randSeed(static_cast<int>(seed % 0x7FFFFFFE) + 1);
  context_.randReset(2);
  context_.assertOn(true);
  top_ = std::make_unique<Vtop>(&context_);
  std::memset(&top_->in_valid_i, 0, sizeof top_->in_valid_i);
  std::memset(&top_->out_ready_i, 0, sizeof top_->out_ready_i);
  top_->window_i = 0;
  top_->clk_i = 0;
}

Model::~Model() { top_->final(); }

void Model::reset() {
  context_.assertOn(false);
  top_->rst_i = 1;
  for (unsigned i = 0; i < kResetCycles; ++i) {
    settle();
    clock();
  }
  top_->rst_i = 0;
  context_.assertOn(true);
  cycle_ = 0;
}

void Model::offer(unsigned n, const Flit& flit, uint16_t to_node, uint16_t flits) {
  set_bit(&top_->in_valid_i, n, true);
  set_bit(&top_->in_last_i, n, flit.last);
  const uint64_t word = pack(flit);
  std::memcpy(reinterpret_cast<uint8_t*>(&top_->in_data_i) + 8 * n, &word, 8);
  std::memcpy(reinterpret_cast<uint8_t*>(&top_->in_node_i) + 2 * n, &to_node, 2);
  std::memcpy(reinterpret_cast<uint8_t*>(&top_->in_flits_i) + 2 * n, &flits, 2);
}

void Model::offer_nothing(unsigned n) { set_bit(&top_->in_valid_i, n, false); }

void Model::set_out_ready(unsigned n, bool ready) { set_bit(&top_->out_ready_i, n, ready); }

void Model::settle() { top_->eval(); }

Flit Model::output(unsigned n) const {
  uint64_t word;
  std::memcpy(&word, reinterpret_cast<const uint8_t*>(&top_->out_data_o) + 8 * n, 8);
  Flit flit;
  flit.packet = static_cast<uint32_t>(word);
  flit.index = static_cast<uint16_t>(word >> 32);
  flit.last = bit(&top_->out_last_o, n);
  return flit;
}

unsigned Model::drops() const {
  unsigned count = 0;
  const auto* bytes = reinterpret_cast<const uint8_t*>(&top_->drop_o);
  for (size_t i = 0; i < sizeof top_->drop_o; ++i) count += __builtin_popcount(bytes[i]);
  return count;
}

void Model::clock() {
  top_->clk_i = 1;
  top_->eval();
  top_->clk_i = 0;
  ++cycle_;
}

}  // namespace bombus::mesh
