// SPDX-License-Identifier: Apache-2.0
// State that protocols and applications add to a simulator, without its knowledge of them.
#ifndef BOMBUS_EXTENSIONS_H_
#define BOMBUS_EXTENSIONS_H_

#include <map>
#include <memory>
#include <typeindex>

namespace bombus {

class Simulator;

// Has a constructor with a Simulator&.
class Extension {
 public:
  virtual ~Extension() = default;
  // Called before each reset of the design.
  virtual void reset() = 0;
};

// The extensions of one simulator, at most one of each type.
class Extensions {
 public:
  explicit Extensions(Simulator& simulator) : simulator_(simulator) {}

  // Creates it at the first call.
  template <typename T>
  T& get() {
    auto& found = by_type_[std::type_index(typeid(T))];
    if (!found) found = std::make_unique<T>(simulator_);
    return static_cast<T&>(*found);
  }

  void reset() {
    for (auto& [type, extension] : by_type_) extension->reset();
  }

 private:
  Simulator& simulator_;
  std::map<std::type_index, std::unique_ptr<Extension>> by_type_;
};

}  // namespace bombus
#endif
