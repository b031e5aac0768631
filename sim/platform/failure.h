// SPDX-License-Identifier: Apache-2.0
// How a call of the C interface fails.
#ifndef BOMBUS_FAILURE_H_
#define BOMBUS_FAILURE_H_

#include <stdexcept>
#include <string>

namespace bombus {

// Ends a call: it returns -code (an errno value), and bombus_last_error() gives the text.
class Failure : public std::runtime_error {
 public:
  Failure(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

}  // namespace bombus
#endif
