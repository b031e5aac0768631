// SPDX-License-Identifier: Apache-2.0
// Boards of one rank in step (bombus_cluster.h).
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bombus_cluster.h"
#include "frame_switch.h"

namespace {

// A simulator with what its links take and give in one window.
struct Member {
  bombus_member given;
  std::vector<bombus_beats> in;
  std::vector<bombus_beats> out;
  std::map<uint32_t, bombus::SwitchPort> switches;  // by link, of those that frames arrive at

  uint64_t cycle() const { return given.cycle(given.sim); }
};

}  // namespace

struct bombus_cluster {
  std::vector<Member> members;
  std::vector<bombus_wire> wires;
  std::vector<std::vector<uint64_t>> buffers;  // of each wire whose sender is here
  std::map<uint32_t, bombus::SwitchedWire> switched;  // by number of the wire: its receiver is here
  bombus_channel* channels;
  uint32_t channel_count;
  bombus_exchange_ranks exchange;
  void* context;
  bombus_horizon reached;
  uint64_t horizon;
  uint64_t window;
  bool in_window = false;
  std::string error;

  int fail(const Member& member, int status) {
    error = std::string(member.given.name) + ": " + member.given.last_error(member.given.sim);
    return status;
  }

  template <typename Action>
  int at_switch(uint32_t wire, Action action) {
    const auto found = switched.find(wire);
    if (found == switched.end()) {
      error = "wire " + std::to_string(wire) + " passes no switch here";
      return -EINVAL;
    }
    action(found->second);
    return 0;
  }

  int set_horizon(uint64_t cycle) {
    horizon = cycle;
    for (const Member& member : members) {
      const int status = member.given.set_horizon(member.given.sim, cycle, reached, this);
      if (status < 0) return fail(member, status);
    }
    return 0;
  }

  // `out`: where the beats go that it has sent by then; null: they stay.
  int run_member(Member& member, uint64_t until, bombus_beats* out) {
    const uint64_t now = member.cycle();
    const uint64_t cycles = now < until ? until - now : 0;
    const int status = member.given.run_beats(member.given.sim, cycles, nullptr, out);
    return status < 0 ? fail(member, status) : 0;
  }

  void fill_channels() {
    for (uint32_t i = 0; i < channel_count; ++i) channels[i].out_words = 0;
    for (const bombus_wire& wire : wires) {
      if (wire.to >= 0) continue;
      bombus_channel& channel = channels[wire.channel];
      const bombus_beats& beats = members[wire.from].out[wire.from_link];
      uint64_t* to = channel.out + channel.out_words;
      *to = beats.count;
      std::copy_n(beats.records, beats.count * wire.words, to + 1);
      channel.out_words += 1 + beats.count * wire.words;
    }
  }

  int give_beats() {
    std::vector<const uint64_t*> from(channel_count);
    for (uint32_t i = 0; i < channel_count; ++i) from[i] = channels[i].in;
    for (uint32_t i = 0; i < wires.size(); ++i) {
      const bombus_wire& wire = wires[i];
      if (wire.to < 0) continue;
      bombus_beats in;
      if (wire.from >= 0) {
        in = members[wire.from].out[wire.from_link];
      } else {
        const uint64_t*& words = from[wire.channel];
        // Only read: bombus_beats serves both directions.
        in.count = *words;
        in.records = const_cast<uint64_t*>(words + 1);
        words += 1 + in.count * wire.words;
      }
      Member& member = members[wire.to];
      if (wire.frame_bytes == 0) {
        member.in[wire.to_link] = in;
      } else {
        member.switches[wire.to_link].take(switched.at(i), in.records, in.count);
      }
    }
    for (Member& member : members) {
      // Frames of later windows arrive after the next horizon.
      for (auto& [link, port] : member.switches) member.in[link] = port.give(horizon + window);
      const int status = member.given.run_beats(member.given.sim, 0, member.in.data(), nullptr);
      if (status < 0) return fail(member, status);
    }
    return 0;
  }

  int run_window() {
    if (in_window) {
      error = "a board needs beats while its window is being computed";
      return -EDEADLK;
    }
    in_window = true;
    const int status = compute_window();
    in_window = false;
    return status;
  }

  int compute_window() {
    for (Member& member : members) {
      if (const int status = run_member(member, horizon, member.out.data())) return status;
    }
    fill_channels();
    if (channel_count != 0) {
      if (const int status = exchange(context, channels, channel_count)) {
        error = "the exchange with other ranks ended";
        return status < 0 ? status : -EINTR;
      }
    }
    if (const int status = give_beats()) return status;
    return set_horizon(horizon + window);
  }
};

extern "C" {

uint64_t bombus_wire_capacity(uint32_t words, uint64_t window) { return 1 + words * window; }

bombus_cluster* bombus_cluster_open(const bombus_member* members, uint32_t member_count,
                                    const bombus_wire* wires, uint32_t wire_count,
                                    bombus_channel* channels, uint32_t channel_count,
                                    bombus_exchange_ranks exchange, void* context,
                                    bombus_horizon reached, uint64_t start, uint64_t window) {
  try {
    auto cluster = std::make_unique<bombus_cluster>();
    for (uint32_t i = 0; i < member_count; ++i) {
      Member member{members[i], {}, {}, {}};
      member.in.resize(members[i].links);
      member.out.resize(members[i].links);
      cluster->members.push_back(std::move(member));
    }
    cluster->wires.assign(wires, wires + wire_count);
    cluster->buffers.resize(wire_count);
    for (uint32_t i = 0; i < wire_count; ++i) {
      if (wires[i].to >= 0 && wires[i].frame_bytes != 0) cluster->switched.try_emplace(i, wires[i]);
      if (wires[i].from < 0) continue;
      cluster->buffers[i].resize(bombus_wire_capacity(wires[i].words, window));
      bombus_beats& out = cluster->members[wires[i].from].out[wires[i].from_link];
      out.records = cluster->buffers[i].data();
      out.capacity = window;
    }
    cluster->channels = channels;
    cluster->channel_count = channel_count;
    cluster->exchange = exchange;
    cluster->context = context;
    cluster->reached = reached;
    cluster->window = window;
    cluster->set_horizon(start + window);
    return cluster.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void bombus_cluster_close(bombus_cluster* cluster) {
  if (cluster == nullptr) return;
  cluster->reached = nullptr;
  cluster->set_horizon(UINT64_MAX);
  delete cluster;
}

uint64_t bombus_cluster_horizon(const bombus_cluster* cluster) { return cluster->horizon; }

int bombus_cluster_window(bombus_cluster* cluster) { return cluster->run_window(); }

int bombus_cluster_run(bombus_cluster* cluster, uint64_t until) {
  while (cluster->horizon < until) {
    if (const int status = cluster->run_window()) return status;
  }
  for (Member& member : cluster->members) {
    if (const int status = cluster->run_member(member, until, nullptr)) return status;
  }
  return 0;
}

int bombus_cluster_set_switch(bombus_cluster* cluster, uint32_t wire,
                              const bombus_switch_options* options) {
  return cluster->at_switch(
      wire, [options](bombus::SwitchedWire& found) { found.set_options(*options); });
}

int bombus_cluster_set_switch_up(bombus_cluster* cluster, uint32_t wire, int up, uint64_t cycle) {
  return cluster->at_switch(
      wire, [up, cycle](bombus::SwitchedWire& found) { found.set_up(up != 0, cycle); });
}

int bombus_cluster_get_switch(bombus_cluster* cluster, uint32_t wire,
                              bombus_switch_statistics* statistics) {
  return cluster->at_switch(wire, [statistics](const bombus::SwitchedWire& found) {
    *statistics = found.statistics();
  });
}

const char* bombus_cluster_error(const bombus_cluster* cluster) { return cluster->error.c_str(); }

}  // extern "C"
