// SPDX-License-Identifier: Apache-2.0
// Remembers what was written to the next-hop tables of the design, by any master of registers: the
// tables themselves cannot be read. They come from bombus_design.h, BOMBUS_TABLES(X); the signals
// are those between the register hub and its targets (top.sv.j2).
#ifndef BOMBUS_TABLE_WRITES_H_
#define BOMBUS_TABLE_WRITES_H_

#include <cstddef>
#include <cstdint>
#include <map>

#include "verilated.h"

namespace bombus {

class TableWrites {
 public:
  explicit TableWrites(const VerilatedContext& context);

  // The tables have their initial entries.
  void reset() { words_.clear(); }
  // Call once per evaluated cycle, when signals have settled.
  void look() {
    if (write_ && *write_) record();
  }

  // The last word written to each address.
  const std::map<uint32_t, uint32_t>& words() const { return words_; }

 private:
  void record();

  const uint8_t* write_ = nullptr;  // null: no table can be written
  const uint8_t* valid_ = nullptr;  // a bit for each target
  const uint8_t* address_ = nullptr;
  const uint8_t* data_ = nullptr;
  size_t address_bytes_ = 0;
  std::map<uint32_t, uint32_t> words_;
};

}  // namespace bombus
#endif
