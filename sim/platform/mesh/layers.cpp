// SPDX-License-Identifier: Apache-2.0
#include "layers.h"

#include <algorithm>
#include <deque>
#include <memory>

#include "mesh_model.h"
#include "random.h"

namespace bombus::mesh {

namespace {

constexpr unsigned kIn = 0, kAnswer = 1;   // inputs of an asker
constexpr unsigned kOut = 0, kQuery = 1;   // outputs of an asker
constexpr unsigned kMaxInputs = 2, kMaxOutputs = 2;
constexpr int kNobody = -1;

// A message on one leg of its path.
struct Leg {
  const HopSpec* hop = nullptr;
  uint16_t flits = 0;
  int asker = kNobody;  // layer that receives its answer
};

struct Waiting {
  Flit flit;
  uint64_t ready = 0;  // earliest cycle in which it may leave
};

struct OutputState {
  std::vector<const HopSpec*> hops;
  std::deque<Waiting> flits;
  uint32_t passing = 0;     // next leg of a streamed message
  uint64_t head_since = 0;  // cycle in which the front flit reached the front
};

struct InputState {
  int owner = kNobody;  // channel whose message is arriving
  int last_owner = 0;
  uint16_t expected = 0;  // index of the next flit
  bool full = false;      // a whole message waits here (join)
};

struct LayerState {
  LayerSpec spec;
  InputState inputs[kMaxInputs];
  OutputState outputs[kMaxOutputs];
  unsigned asked = 0;       // unanswered requests
  uint64_t asked_since = 0;  // time of the first of them, or of the last answer
  bool dropping = false;
  std::deque<int> askers;  // layers that wait for the results of unanswered requests
  uint64_t paused_until = 0;
};

// The network interface of a node: a message that has begun is sent to its end.
struct Injection {
  int owner = kNobody;  // index among all outputs
  int last_owner = 0;
  bool offers = false;
};

class LayersRun {
 public:
  LayersRun(unsigned columns, unsigned rows, const LayersSettings& settings)
      : settings_(settings), nodes_(columns * rows), random_(settings.seed, 0xA5) {
    for (const LayerSpec& spec : settings.layers) {
      layers_.emplace_back();
      layers_.back().spec = spec;
    }
    for (const HopSpec& hop : settings.hops) {
      layers_.at(hop.layer).outputs[hop.output].hops.push_back(&hop);
    }
    for (unsigned k = 0; k < settings.networks; ++k) {
      models_.push_back(std::make_unique<Model>(settings.seed + k));
      injections_.emplace_back(nodes_);
      stuck_since_.emplace_back(nodes_, 0);
    }
    results_.sent.resize(layers_.size());
    results_.received.resize(layers_.size());
  }

  LayersResults go() {
    for (auto& model : models_) model->reset();
    while (now_ < settings_.measure && !results_.stalled) step();
    results_.cycles = now_;
    return results_;
  }

 private:
  // ---- Messages ----

  const HopSpec* choose(const OutputState& output, int asker) {
    // An answer goes to the layer that asked; other messages go anywhere.
    for (const HopSpec* hop : output.hops) {
      if (asker != kNobody && static_cast<int>(hop->to_layer) == asker && hop->to_input == kAnswer)
        return hop;
    }
    return output.hops[random_.below(output.hops.size())];
  }

  uint32_t begin(OutputState& output, uint16_t flits, int asker) {
    legs_.push_back({choose(output, asker), flits, asker});
    return static_cast<uint32_t>(legs_.size() - 1);
  }

  void push(OutputState& output, const Flit& flit) {
    if (output.flits.empty()) output.head_since = now_;
    output.flits.push_back({flit, now_ + 1});
  }

  void push_message(LayerState& layer, unsigned output, int asker) {
    OutputState& to = layer.outputs[output];
    const auto flits = static_cast<uint16_t>(1 + random_.below(settings_.max_flits));
    const uint32_t leg = begin(to, flits, asker);
    for (uint16_t i = 0; i < flits; ++i) push(to, {leg, i, i + 1 == flits});
    ++results_.sent[index_of(layer)];
  }

  size_t index_of(const LayerState& layer) const { return &layer - layers_.data(); }

  // ---- Layers ----

  void generate(LayerState& layer) {
    OutputState& out = layer.outputs[kOut];
    switch (layer.spec.role) {
      case Role::kSource:
        if (out.flits.empty()) push_message(layer, kOut, kNobody);
        break;
      case Role::kJoin:
        if (layer.inputs[0].full && layer.inputs[1].full && out.flits.empty()) {
          push_message(layer, kOut, kNobody);
          layer.inputs[0].full = layer.inputs[1].full = false;
        }
        break;
      default:
        break;
    }
  }

  // Messages whose last flit is in the output.
  static size_t messages(const OutputState& output) {
    return std::count_if(output.flits.begin(), output.flits.end(),
                         [](const Waiting& waiting) { return waiting.flit.last; });
  }

  // A request holds its credit until the resulting reply has left.
  static bool has_credit(const LayerState& layer) {
    return layer.asked + messages(layer.outputs[kOut]) < layer.spec.count;
  }

  bool ready(LayerState& layer, unsigned input) {
    const bool inside = layer.inputs[input].expected != 0;
    switch (layer.spec.role) {
      case Role::kSink:
        return now_ >= layer.paused_until;
      case Role::kStream:
        return layer.outputs[kOut].flits.size() < settings_.stream_flits;
      case Role::kTray:
        return inside || messages(layer.outputs[kOut]) < layer.spec.count;
      case Role::kFork:  // with room for a whole message at each output
        return inside || (messages(layer.outputs[0]) < layer.spec.count &&
                          messages(layer.outputs[1]) < layer.spec.count);
      case Role::kAsker:
        return input == kAnswer || inside || has_credit(layer);
      case Role::kJoin:
        return !layer.inputs[input].full;
      default:
        return true;
    }
  }

  void pause(LayerState& layer) {
    if (layer.spec.role == Role::kSink && now_ >= layer.paused_until &&
        random_.chance(settings_.pause)) {
      layer.paused_until = now_ + 1 + random_.below(settings_.pause_cycles);
    }
  }

  void arrived(unsigned at_layer, unsigned input, const Flit& flit) {
    LayerState& layer = layers_[at_layer];
    InputState& in = layer.inputs[input];
    const Leg leg = legs_[flit.packet];
    if (flit.index != in.expected || flit.last != (flit.index + 1 == leg.flits)) ++results_.wrong;
    in.expected = flit.last ? 0 : static_cast<uint16_t>(flit.index + 1);
    if (flit.last) ++results_.received[at_layer];
    switch (layer.spec.role) {
      case Role::kLossy:
        if (flit.index == 0) {
          layer.dropping = !layer.outputs[kOut].flits.empty() || random_.chance(settings_.loss);
          results_.dropped += layer.dropping;
        }
        if (layer.dropping) break;
        [[fallthrough]];
      case Role::kStream:
      case Role::kStore:
      case Role::kTray: {
        OutputState& out = layer.outputs[kOut];
        if (flit.index == 0) {
          out.passing = begin(out, leg.flits, leg.asker);
          ++results_.sent[at_layer];
        }
        push(out, {out.passing, flit.index, flit.last});
        break;
      }
      case Role::kFork:
        for (OutputState& out : layer.outputs) {
          if (flit.index == 0) {
            out.passing = begin(out, leg.flits, leg.asker);
            ++results_.sent[at_layer];
          }
          push(out, {out.passing, flit.index, flit.last});
        }
        break;
      case Role::kAsker:
      case Role::kDropper:
        if (input == kAnswer) {
          if (!flit.last) break;
          if (layer.asked == 0) {
            ++results_.wrong;  // unsolicited answer
            break;
          }
          push_message(layer, kOut, layer.askers.front());
          layer.askers.pop_front();
          --layer.asked;
          layer.asked_since = now_;
          break;
        }
        if (flit.index == 0) layer.dropping = !has_credit(layer);
        if (!flit.last) break;
        if (layer.dropping) {
          ++results_.dropped;
          break;
        }
        push_message(layer, kQuery, static_cast<int>(at_layer));
        layer.askers.push_back(leg.asker);
        if (layer.asked++ == 0) layer.asked_since = now_;
        break;
      case Role::kJoin:
        in.full = flit.last;
        break;
      default:
        break;
    }
  }

  void popped(OutputState& output) {
    output.flits.pop_front();
    output.head_since = now_;
  }

  // ---- Channels into an input: networks in order, then wires ----

  int wire(unsigned layer, unsigned output) const {
    return static_cast<int>(settings_.networks + layer * kMaxOutputs + output);
  }

  // Claims the input for a channel's message; grant() gives it to the first claim in turn.
  void claim(unsigned at_layer, unsigned input, int channel) {
    InputState& in = layers_[at_layer].inputs[input];
    if (in.owner != kNobody) return;
    claims_.push_back({at_layer, input, channel});
  }

  void grant() {
    const int count = wire(static_cast<unsigned>(layers_.size()), 0);
    for (const Claim& each : claims_) {
      InputState& in = layers_[each.layer].inputs[each.input];
      const auto distance = [&](int channel) {
        return (channel - in.last_owner - 1 + count) % count;
      };
      if (in.owner == kNobody || distance(each.channel) < distance(in.owner)) {
        in.owner = each.channel;
      }
    }
    for (const Claim& each : claims_) {
      InputState& in = layers_[each.layer].inputs[each.input];
      in.last_owner = in.owner;
    }
    claims_.clear();
  }

  bool may_enter(const HopSpec& hop, int channel) {
    LayerState& layer = layers_[hop.to_layer];
    return layer.inputs[hop.to_input].owner == channel && ready(layer, hop.to_input);
  }

  void enter(const HopSpec& hop, const Flit& flit) {
    arrived(hop.to_layer, hop.to_input, flit);
    if (flit.last) layers_[hop.to_layer].inputs[hop.to_input].owner = kNobody;
  }

  // ---- A cycle ----

  OutputState& output_at(int number) {
    return layers_[number / kMaxOutputs].outputs[number % kMaxOutputs];
  }

  const HopSpec* head_hop(const OutputState& output) const {
    if (output.flits.empty() || output.flits.front().ready > now_) return nullptr;
    return legs_[output.flits.front().flit.packet].hop;
  }

  void inject(unsigned k, unsigned n) {
    Injection& injection = injections_[k][n];
    const int count = static_cast<int>(layers_.size() * kMaxOutputs);
    for (int i = 1; i <= count && injection.owner == kNobody; ++i) {
      const int number = (injection.last_owner + i) % count;
      if (layers_[number / kMaxOutputs].spec.node != n) continue;
      const HopSpec* hop = head_hop(output_at(number));
      if (hop != nullptr && hop->network == static_cast<int>(k)) {
        injection.owner = injection.last_owner = number;
      }
    }
    injection.offers = false;
    if (injection.owner != kNobody) {
      OutputState& output = output_at(injection.owner);
      if (const HopSpec* hop = head_hop(output)) {
        const Flit& flit = output.flits.front().flit;
        const auto to = static_cast<uint16_t>(layers_[hop->to_layer].spec.node);
        models_[k]->offer(n, flit, to, legs_[flit.packet].flits);
        injection.offers = true;
      }
    }
    if (!injection.offers) models_[k]->offer_nothing(n);
  }

  void step() {
    for (LayerState& layer : layers_) {
      generate(layer);
      pause(layer);
    }
    for (unsigned k = 0; k < models_.size(); ++k) {
      for (unsigned n = 0; n < nodes_; ++n) inject(k, n);
      models_[k]->settle();
      for (unsigned n = 0; n < nodes_; ++n) {
        if (!models_[k]->has_output(n)) continue;
        const HopSpec& hop = *legs_.at(models_[k]->output(n).packet).hop;
        if (layers_[hop.to_layer].spec.node != n || hop.network != static_cast<int>(k)) {
          ++results_.wrong;
          continue;
        }
        claim(hop.to_layer, hop.to_input, static_cast<int>(k));
      }
    }
    for (unsigned l = 0; l < layers_.size(); ++l) {
      for (unsigned o = 0; o < kMaxOutputs; ++o) {
        const HopSpec* hop = head_hop(layers_[l].outputs[o]);
        if (hop != nullptr && hop->network < 0) claim(hop->to_layer, hop->to_input, wire(l, o));
      }
    }
    grant();
    move();
    watch();
    for (auto& model : models_) model->clock();
    ++now_;
  }

  void move() {
    // All moves are decided on the state before any move.
    std::vector<std::pair<const HopSpec*, Flit>> entering;
    std::vector<OutputState*> leaving;
    for (unsigned l = 0; l < layers_.size(); ++l) {
      for (unsigned o = 0; o < kMaxOutputs; ++o) {
        OutputState& output = layers_[l].outputs[o];
        const HopSpec* hop = head_hop(output);
        if (hop == nullptr || hop->network >= 0 || !may_enter(*hop, wire(l, o))) continue;
        entering.emplace_back(hop, output.flits.front().flit);
        leaving.push_back(&output);
      }
    }
    for (unsigned k = 0; k < models_.size(); ++k) {
      for (unsigned n = 0; n < nodes_; ++n) {
        bool takes = false;
        if (models_[k]->has_output(n)) {
          const Flit flit = models_[k]->output(n);
          const HopSpec* hop = legs_.at(flit.packet).hop;
          takes = may_enter(*hop, static_cast<int>(k));
          if (takes) entering.emplace_back(hop, flit);
        }
        if (takes || !models_[k]->has_output(n)) stuck_since_[k][n] = now_;
        models_[k]->set_out_ready(n, takes);
      }
      models_[k]->settle();
      for (unsigned n = 0; n < nodes_; ++n) {
        Injection& injection = injections_[k][n];
        if (!injection.offers || !models_[k]->taken(n)) continue;
        OutputState& output = output_at(injection.owner);
        if (output.flits.front().flit.last) injection.owner = kNobody;
        leaving.push_back(&output);
      }
    }
    for (OutputState* output : leaving) popped(*output);
    for (const auto& [hop, flit] : entering) enter(*hop, flit);
  }

  void watch() {
    const auto late = [&](uint64_t since) { return now_ - since > settings_.stall_cycles; };
    for (LayerState& layer : layers_) {
      for (OutputState& output : layer.outputs) {
        results_.stalled |= !output.flits.empty() && late(output.head_since);
      }
      results_.stalled |= layer.asked > 0 && late(layer.asked_since);
    }
    for (const auto& nodes : stuck_since_) {
      for (const uint64_t since : nodes) results_.stalled |= late(since);
    }
  }

  struct Claim {
    unsigned layer, input;
    int channel;
  };

  const LayersSettings& settings_;
  unsigned nodes_;
  Random random_;
  std::vector<LayerState> layers_;
  std::vector<std::unique_ptr<Model>> models_;
  std::vector<std::vector<Injection>> injections_;        // by network and node
  std::vector<std::vector<uint64_t>> stuck_since_;  // by network and node
  std::vector<Leg> legs_;
  std::vector<Claim> claims_;
  LayersResults results_;
  uint64_t now_ = 0;
};

}  // namespace

LayersResults run_layers(unsigned columns, unsigned rows, const LayersSettings& settings) {
  return LayersRun(columns, rows, settings).go();
}

}  // namespace bombus::mesh
