// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <algorithm>
#include <deque>
#include <map>

#include "mesh_model.h"
#include "traffic.h"

namespace bombus::mesh {

namespace {

struct Packet {
  Message message;
  uint64_t offered = 0;   // cycle in which its head was first offered
  uint32_t number = 0;    // sequence number within its chain or pair
  uint8_t step = 0;       // last node of its path that it has left
  uint64_t arrived = 0;   // cycle in which its head reached the end of its path
};

// A flit in a tile, the tile's position in its path, the cycle from which it may leave.
struct Held {
  Flit flit;
  uint8_t place;
  uint64_t ready;
};

struct Node {
  Tile tile = Tile::kStream;
  std::deque<uint32_t> queue;  // own messages generated and waiting
  uint32_t current = 0;        // own message being sent
  uint16_t index = 0;
  bool sending = false;
  uint64_t silent_until = 0;
  std::deque<Held> held;
  unsigned whole = 0;  // whole messages in `held`
  bool passing = false;  // is sending a message of `held`, not its own
  bool inside = false;   // has sent part of a message
  uint64_t paused_until = 0;
  // The flit that the node offers to the mesh in this cycle, if any.
  bool offers = false, from_held = false;
  uint32_t arriving = 0;  // message that is arriving
  bool in_message = false;
};

class Run {
 public:
  Run(unsigned columns, unsigned rows, const Settings& settings)
      : settings_(settings),
        nodes_(columns * rows),
        generator_(columns, rows, settings),
        model_(settings.seed),
        pauses_(settings.seed, 0xBEE) {
    for (unsigned n = 0; n < settings.tiles.size() && n < nodes_.size(); ++n)
      nodes_[n].tile = settings.tiles[n];
    results_.delivered.resize(settings.chains.size());
  }

  Results go() {
    model_.reset();
    model_.set_window(settings_.window);
    const bool by_messages = settings_.traffic == Traffic::kChain;
    const uint64_t enough = settings_.warmup + settings_.measure;
    const uint64_t limit =
        settings_.limit ? settings_.limit : 1000 * (settings_.warmup + settings_.measure);
    if (!by_messages) start_at_cycle_ = settings_.warmup;
    if (by_messages && settings_.warmup == 0) begin_measuring();
    while (!results_.stalled && model_.cycle() < limit) {
      if (!measuring_ && !by_messages && model_.cycle() >= start_at_cycle_) begin_measuring();
      step(true);
      if (by_messages) {
        // Lost messages never arrive, so they count as done.
        const uint64_t done = all_received_ + all_lost_;
        if (!measuring_ && done >= settings_.warmup) begin_measuring();
        if (done >= enough) break;
      } else if (model_.cycle() >= enough) {
        break;
      }
    }
    results_.cycles = model_.cycle() - begin_;
    measuring_ = false;
    // Drains the mesh, so that missing messages can be counted.
    for (Node& node : nodes_) node.queue.clear();
    const uint64_t patience = model_.cycle() + limit;
    while (!results_.stalled && under_way_ > 0 && model_.cycle() < patience) {
      step(false);
      if (all_lost_ > 0 && !model_.busy() && !any_held()) break;
    }
    results_.missing = entered_ - all_received_ - all_lost_;
    if (results_.stalled) note_waiting();
    finish();
    return results_;
  }

 private:
  void begin_measuring() {
    measuring_ = true;
    begin_ = model_.cycle();
  }

  bool any_held() const {
    return std::any_of(nodes_.begin(), nodes_.end(),
                       [](const Node& node) { return !node.held.empty() || node.inside; });
  }

  uint32_t store(Message message) {
    uint32_t id;
    // Not reused at once: otherwise a duplicated flit could refer to a new message.
    if (free_.size() < 64) {
      id = static_cast<uint32_t>(packets_.size());
      packets_.emplace_back();
    } else {
      id = free_.front();
      free_.pop_front();
    }
    Packet& packet = packets_[id];
    packet = {};
    packet.number = sent_of_[key(message)]++;
    packet.offered = model_.cycle();
    packet.message = std::move(message);
    return id;
  }

  static uint32_t key(const Message& message) { return message.chain; }

  // Generates messages of a node. Independent sources queue without limit; the others generate the
  // next message when the last one has been sent.
  void generate(unsigned n) {
    Node& node = nodes_[n];
    if (!generator_.is_source(n)) return;
    const bool queues = settings_.traffic == Traffic::kIndependent;
    if (!queues && (!node.queue.empty() || node.sending)) return;
    if (model_.cycle() < node.silent_until) return;
    if (!generator_.sends(n)) {
      node.silent_until = model_.cycle() + generator_.gap(n);
      return;
    }
    Message message = generator_.next(n);
    if (!message.path.empty()) node.queue.push_back(store(std::move(message)));
  }

  void offer(unsigned n) {
    Node& node = nodes_[n];
    const bool keeps = node.offers;  // an offered flit stays until it is taken
    node.offers = false;
    const bool held_ready = !node.held.empty() && node.held.front().ready <= model_.cycle() &&
                            (node.tile == Tile::kStream || node.inside || node.whole > 0);
    if (!node.inside && !keeps) {
      // Between messages, the node's own and held ones alternate.
      const bool own = node.sending || !node.queue.empty();
      node.passing = held_ready && (!own || !node.passing);
    }
    if (node.passing) {
      if (held_ready) {
        const Held& held = node.held.front();
        const Message& message = packets_[held.flit.packet].message;
        node.offers = node.from_held = true;
        model_.offer(n, held.flit, message.path[held.place + 1u], message.flits);
      }
    } else {
      if (!node.sending && !node.queue.empty()) {
        node.current = node.queue.front();
        node.queue.pop_front();
        node.sending = true;
        node.index = 0;
      }
      if (node.sending) {
        const Packet& packet = packets_[node.current];
        Flit flit{node.current, node.index, node.index + 1 == packet.message.flits};
        node.offers = true;
        node.from_held = false;
        model_.offer(n, flit, packet.message.path[1], packet.message.flits);
      }
    }
    if (!node.offers) model_.offer_nothing(n);
  }

  bool accepts(unsigned n) {
    Node& node = nodes_[n];
    if (settings_.pause > 0) {
      if (model_.cycle() < node.paused_until) return false;
      if (pauses_.chance(settings_.pause)) {
        node.paused_until = model_.cycle() + 1 + pauses_.below(settings_.pause_cycles);
        return false;
      }
    }
    return node.tile == Tile::kStore || node.held.size() < settings_.stream_flits;
  }

  void sent(unsigned n) {
    Node& node = nodes_[n];
    moved_ = model_.cycle();
    node.offers = false;
    if (node.from_held) {
      const Held held = node.held.front();
      node.held.pop_front();
      node.inside = !held.flit.last;
      if (held.flit.index == 0) packets_[held.flit.packet].step = held.place;
      if (held.flit.last) node.whole--;
      return;
    }
    const Packet& packet = packets_[node.current];
    if (node.index == 0) {
      ++entered_;
      under_way_ += packet.message.flits;
      results_.max_flight = std::max(results_.max_flight, under_way_);
      if (measuring_) ++results_.sent;
    }
    node.inside = ++node.index != packet.message.flits;
    node.sending = node.inside;
  }

  void arrived(unsigned n) {
    Node& node = nodes_[n];
    moved_ = model_.cycle();
    const Flit flit = model_.output(n);
    if (flit.packet >= packets_.size()) {
      ++results_.wrong;
      return;
    }
    Packet& packet = packets_[flit.packet];
    // Checks that messages arrive complete, with flits in order, at their destination. (The head
    // may have left this tile again before the tail arrives.)
    const bool whole = node.in_message ? flit.packet == node.arriving : flit.index == 0;
    const uint16_t expected = node.in_message ? expected_[n] : 0;
    if (!whole || flit.index != expected ||
        flit.last != (flit.index + 1 == packet.message.flits)) {
      ++results_.wrong;
    }
    if (flit.index == 0) {
      place_[n] = static_cast<uint8_t>(packet.step + 1);
      if (place_[n] >= packet.message.path.size() || packet.message.path[place_[n]] != n)
        ++results_.wrong;
    }
    expected_[n] = static_cast<uint16_t>(flit.index + 1);
    node.arriving = flit.packet;
    node.in_message = !flit.last;
    if (place_[n] + 1u < packet.message.path.size()) {
      node.held.push_back({flit, place_[n], model_.cycle() + settings_.tile_delay});
      if (flit.last) node.whole++;
      return;
    }
    if (flit.index == 0) packet.arrived = model_.cycle();
    if (measuring_) ++results_.flits;
    if (under_way_ > 0) --under_way_;
    if (flit.last) ended(flit.packet);
  }

  void ended(uint32_t id) {
    Packet& packet = packets_[id];
    ++all_received_;
    auto& newest = received_of_[key(packet.message)];
    if (packet.number < newest) ++results_.reordered;
    newest = std::max(newest, packet.number);
    if (settings_.traffic == Traffic::kScript) ++results_.delivered[packet.message.chain];
    if (measuring_) {
      ++results_.received;
      latencies_.push_back(static_cast<uint32_t>(packet.arrived - packet.offered));
    }
    free_.push_back(id);
  }

  void step(bool generating) {
    const auto count = static_cast<unsigned>(nodes_.size());
    for (unsigned n = 0; n < count; ++n) {
      if (generating) generate(n);
      offer(n);
      ready_[n] = accepts(n);
      model_.set_out_ready(n, ready_[n]);
    }
    model_.settle();
    const unsigned drops = model_.drops();
    for (unsigned n = 0; n < count; ++n) {
      const bool goes = nodes_[n].offers && model_.taken(n);
      const bool comes = ready_[n] && model_.has_output(n);
      if (goes) sent(n);
      if (comes) arrived(n);
    }
    all_lost_ += drops;
    if (measuring_) results_.lost += drops;
    if (drops) moved_ = model_.cycle();
    if (under_way_ == 0) moved_ = model_.cycle();
    if (model_.cycle() - moved_ > settings_.stall_cycles && all_lost_ == 0) results_.stalled = true;
    model_.clock();
  }

  void note_waiting() {
    for (unsigned n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].offers) results_.waiting.push_back(n);
  }

  void finish() {
    const double cycles = std::max<double>(1, static_cast<double>(results_.cycles));
    const double sinks =
        settings_.traffic == Traffic::kIndependent ? static_cast<double>(nodes_.size()) : 1;
    results_.accepted = static_cast<double>(results_.flits) / cycles / sinks;
    if (latencies_.empty()) return;
    double sum = 0;
    for (uint32_t value : latencies_) sum += value;
    results_.latency_mean = sum / static_cast<double>(latencies_.size());
    const size_t at = latencies_.size() * 99 / 100;
    std::nth_element(latencies_.begin(), latencies_.begin() + at, latencies_.end());
    results_.latency_p99 = latencies_[at];
    results_.latency_max = *std::max_element(latencies_.begin(), latencies_.end());
  }

  const Settings& settings_;
  std::vector<Node> nodes_;
  Generator generator_;
  Model model_;
  Random pauses_;
  std::deque<Packet> packets_;
  std::deque<uint32_t> free_;
  std::map<uint32_t, uint32_t> sent_of_, received_of_;
  std::vector<uint32_t> latencies_;
  std::vector<uint16_t> expected_ = std::vector<uint16_t>(nodes_.size());
  std::vector<uint8_t> place_ = std::vector<uint8_t>(nodes_.size());
  std::vector<char> ready_ = std::vector<char>(nodes_.size());
  Results results_;
  bool measuring_ = false;
  uint64_t start_at_cycle_ = 0, begin_ = 0, moved_ = 0;
  uint64_t under_way_ = 0, entered_ = 0, all_received_ = 0, all_lost_ = 0;
};

}  // namespace

Results run(unsigned columns, unsigned rows, const Settings& settings) {
  return Run(columns, rows, settings).go();
}

}  // namespace bombus::mesh
