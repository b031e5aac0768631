// SPDX-License-Identifier: Apache-2.0
#include "watchdog.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bombus_design.h"
#include "verilated_sym_props.h"

namespace bombus {

namespace {

struct Place {
  const char* scope;
  const char* valid;
  const char* moves;
  uint32_t bit;
};

const std::vector<Place>& places() {
#define BOMBUS_PLACE(scope, valid, moves, bit) {scope, valid, moves, bit},
  static const std::vector<Place> all = {BOMBUS_WATCH(BOMBUS_PLACE)};
#undef BOMBUS_PLACE
  return all;
}

const uint8_t* signal(const VerilatedContext& context, const char* scope, const char* name) {
  const VerilatedScope* found = context.scopeFind(scope);
  const VerilatedVar* variable = found ? found->varFind(name) : nullptr;
  if (!variable) throw std::runtime_error(std::string("no signal ") + scope + "." + name);
  return static_cast<const uint8_t*>(variable->datap());
}

}  // namespace

Watchdog::Watchdog(const VerilatedContext& context) {
  for (const Place& place : places()) {
    points_.push_back({signal(context, place.scope, place.valid),
                       signal(context, place.scope, place.moves), place.bit / 8,
                       static_cast<uint8_t>(1u << place.bit % 8)});
  }
}

void Watchdog::set_limit(uint64_t cycles) {
  limit_ = cycles;
  reset();
}

void Watchdog::reset() {
  suspects_.clear();
  stalls_.clear();
  for (Point& point : points_) point.suspected = false;
}

void Watchdog::sample(uint64_t cycle) {
  for (uint32_t i = 0; i < points_.size(); ++i) {
    Point& point = points_[i];
    if (point.suspected || !point.waits()) continue;
    point.suspected = true;
    suspects_.push_back({i, cycle, 0, false});
  }
}

void Watchdog::look_closely() {
  const auto moved = [&](Suspect& suspect) {
    Point& point = points_[suspect.point];
    if (point.waits()) {
      if (++suspect.cycles >= limit_ && !suspect.reported) {
        suspect.reported = true;
        stalls_.push_back({suspect.point, suspect.since_cycle});
      }
      return false;
    }
    if (suspect.reported) {
      stalls_.erase(std::find_if(stalls_.begin(), stalls_.end(), [&](const Stall& stall) {
        return stall.point == suspect.point;
      }));
    }
    point.suspected = false;
    return true;
  };
  suspects_.erase(std::remove_if(suspects_.begin(), suspects_.end(), moved), suspects_.end());
}

}  // namespace bombus
