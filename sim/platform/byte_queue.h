// SPDX-License-Identifier: Apache-2.0
// Bytes in, bytes out, in order.
#ifndef BOMBUS_BYTE_QUEUE_H_
#define BOMBUS_BYTE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bombus {

class ByteQueue {
 public:
  size_t size() const { return bytes_.size() - start_; }
  bool empty() const { return size() == 0; }
  const uint8_t* data() const { return bytes_.data() + start_; }

  void push(const uint8_t* data, size_t length) {
    bytes_.insert(bytes_.end(), data, data + length);
  }

  // Removes the oldest bytes; length: at most size().
  void pop(size_t length) {
    start_ += length;
    if (start_ == bytes_.size()) {
      clear();
    } else if (start_ > bytes_.size() / 2) {  // each byte is moved about once
      bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(start_));
      start_ = 0;
    }
  }

  void clear() {
    bytes_ = {};
    start_ = 0;
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t start_ = 0;  // bytes before it are removed
};

}  // namespace bombus
#endif
