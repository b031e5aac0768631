// SPDX-License-Identifier: Apache-2.0
// Drives and monitors one AXI-Stream that the design file raises to the top: sends messages of the
// controlling program into the design, or receives messages from it.
#ifndef BOMBUS_STREAM_PORT_H_
#define BOMBUS_STREAM_PORT_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bombus_sim.h"
#include "design.h"
#include "random.h"

namespace bombus {

// The bytes of a message, and the tuser of its first beat.
struct Message {
  std::vector<uint8_t> data;
  std::vector<uint8_t> user;
};

class StreamPort {
 public:
  // `pins`: all raised ports of the top, including those of the stream.
  StreamPort(const Stream& stream, const std::vector<Pin>& pins, unsigned index,
             const bombus_options& options, bombus_errors& errors);

  const std::string& name() const { return name_; }
  const std::string& tile() const { return tile_; }
  bool is_output() const { return is_output_; }
  size_t user_bytes() const { return user_ ? user_->bytes() : 0; }
  unsigned user_bits() const { return user_ ? user_->bits : 0; }
  bool has_pin(const Pin& pin) const;

  // drive() sets the inputs, the model settles, then sample() reads the outputs at the clock edge.
  // sample() returns true if a message was received.
  void drive();
  bool sample();
  // A message is being sent or received.
  bool active() const { return !queue_.empty() || offering_ || inside_; }

  void send(Message message) { queue_.push_back(std::move(message)); }
  std::deque<Message>& received() { return received_; }
  void set_pace(double pause) { pause_ = pause; }

  // Discards everything waiting; inputs become idle.
  void reset();

 private:
  void idle();
  void offer_beat();
  bool keeps(size_t byte) const { return keep_->data[byte / 8] >> (byte % 8) & 1; }
  void check_waiting();

  std::string name_;
  std::string tile_;  // whose layer has it
  bool is_output_;
  const Pin* data_;
  const Pin* keep_;
  const Pin* valid_;
  const Pin* ready_;
  const Pin* last_;
  const Pin* user_;  // null if there is none
  bombus_errors& errors_;
  Random random_;
  double pause_;  // probability of a bubble before a beat, or of tready low

  // Into the design
  std::deque<Message> queue_;
  size_t position_ = 0;  // offset in the first message of the queue
  bool offering_ = false;

  // Out of it
  Message current_;
  bool inside_ = false;  // a message has begun
  std::vector<uint8_t> waiting_;  // beat that was offered and not taken
  std::deque<Message> received_;
};

}  // namespace bombus
#endif
