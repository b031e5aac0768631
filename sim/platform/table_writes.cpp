// SPDX-License-Identifier: Apache-2.0
#include "table_writes.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bombus_design.h"
#include "verilated_sym_props.h"

namespace bombus {

namespace {

// Addresses of a table in the window of its target.
struct Table {
  uint32_t target;
  uint32_t window;  // address of the target's window
  uint32_t begin;
  uint32_t end;
};

const std::vector<Table>& tables() {
#define BOMBUS_TABLE(target, window, begin, end) {target, window, begin, end},
  static const std::vector<Table> all = {BOMBUS_TABLES(BOMBUS_TABLE)};
#undef BOMBUS_TABLE
  return all;
}

const VerilatedVar& signal(const VerilatedContext& context, const char* name) {
  const VerilatedScope* found = context.scopeFind(BOMBUS_TOP_SCOPE);
  const VerilatedVar* variable = found ? found->varFind(name) : nullptr;
  if (!variable) throw std::runtime_error(std::string("no signal ") + name);
  return *variable;
}

}  // namespace

TableWrites::TableWrites(const VerilatedContext& context) {
  if (tables().empty()) return;
  const auto bytes = [&](const char* name) {
    return static_cast<const uint8_t*>(signal(context, name).datap());
  };
  write_ = bytes("target_write");
  valid_ = bytes("target_valid");
  address_ = bytes("target_addr");
  data_ = bytes("target_wdata");
  address_bytes_ = signal(context, "target_addr").totalSize();
}

void TableWrites::record() {
  uint32_t address = 0, word = 0;
  std::memcpy(&address, address_, address_bytes_);
  for (const Table& table : tables()) {
    if (!(valid_[table.target / 8] >> table.target % 8 & 1)) continue;
    if (address < table.begin || address >= table.end) continue;
    std::memcpy(&word, data_, sizeof word);
    words_[table.window + address] = word;
  }
}

}  // namespace bombus
