// SPDX-License-Identifier: Apache-2.0
// Runs traffic over one verilated mesh. Reads runs from standard input and writes one line of JSON
// per run. A run is lines of `key value`, ended by `go`:
//
//   traffic independent|chain|script    pattern uniform|exponential|bit_complement|...
//   seed, offered, packet, ... (run.h)  tile NODE stream|store
//   chain WEIGHT MIN_FLITS MAX_FLITS NODE NODE...
//
// A run whose first line is `layers` is one of layers.h:
//
//   layer NODE source|sink|stream|store|lossy|tray|asker|dropper|join COUNT
//   hop LAYER OUTPUT NETWORK TO_LAYER TO_INPUT          network -1: a wire in the tile
//   seed, networks, max_flits, ... (layers.h)
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>

#include "layers.h"
#include "run.h"

namespace {

using namespace bombus::mesh;

const std::map<std::string, Traffic> kTraffic = {{"independent", Traffic::kIndependent},
                                                 {"chain", Traffic::kChain},
                                                 {"script", Traffic::kScript}};
const std::map<std::string, Pattern> kPatterns = {{"uniform", Pattern::kUniform},
                                                  {"exponential", Pattern::kExponential},
                                                  {"bit_complement", Pattern::kBitComplement},
                                                  {"transpose", Pattern::kTranspose},
                                                  {"hotspot", Pattern::kHotspot}};
const std::map<std::string, Tile> kTiles = {{"stream", Tile::kStream}, {"store", Tile::kStore}};

const std::map<std::string, Role> kRoles = {
    {"source", Role::kSource}, {"sink", Role::kSink},       {"stream", Role::kStream},
    {"store", Role::kStore},   {"lossy", Role::kLossy},     {"tray", Role::kTray},
    {"asker", Role::kAsker},   {"dropper", Role::kDropper}, {"join", Role::kJoin},
    {"fork", Role::kFork}};

template <typename T>
T named(const std::map<std::string, T>& names, std::istream& in) {
  std::string word;
  in >> word;
  return names.at(word);
}

void read_line(const std::string& key, std::istream& in, Settings& settings) {
  const std::map<std::string, std::function<void()>> keys = {
      {"traffic", [&] { settings.traffic = named(kTraffic, in); }},
      {"pattern", [&] { settings.pattern = named(kPatterns, in); }},
      {"seed", [&] { in >> settings.seed; }},
      {"offered", [&] { in >> settings.offered; }},
      {"packet", [&] { in >> settings.packet; }},
      {"flit_bytes", [&] { in >> settings.flit_bytes; }},
      {"warmup", [&] { in >> settings.warmup; }},
      {"measure", [&] { in >> settings.measure; }},
      {"limit", [&] { in >> settings.limit; }},
      {"window", [&] { in >> settings.window; }},
      {"stream_flits", [&] { in >> settings.stream_flits; }},
      {"tile_delay", [&] { in >> settings.tile_delay; }},
      {"pause", [&] { in >> settings.pause; }},
      {"pause_cycles", [&] { in >> settings.pause_cycles; }},
      {"stall_cycles", [&] { in >> settings.stall_cycles; }},
      {"hotspot", [&] { in >> settings.hotspot; }},
      {"tile",
       [&] {
         unsigned node = 0;
         in >> node;
         if (settings.tiles.size() <= node) settings.tiles.resize(node + 1, Tile::kStream);
         settings.tiles[node] = named(kTiles, in);
       }},
      {"chain", [&] {
         Chain chain;
         in >> chain.weight >> chain.min_flits >> chain.max_flits;
         for (unsigned node; in >> node;) chain.nodes.push_back(node);
         in.clear();
         settings.chains.push_back(chain);
       }}};
  keys.at(key)();
  if (!in) throw std::runtime_error("bad value of " + key);
}

void read_line(const std::string& key, std::istream& in, LayersSettings& settings) {
  const std::map<std::string, std::function<void()>> keys = {
      {"seed", [&] { in >> settings.seed; }},
      {"networks", [&] { in >> settings.networks; }},
      {"max_flits", [&] { in >> settings.max_flits; }},
      {"stream_flits", [&] { in >> settings.stream_flits; }},
      {"measure", [&] { in >> settings.measure; }},
      {"loss", [&] { in >> settings.loss; }},
      {"pause", [&] { in >> settings.pause; }},
      {"pause_cycles", [&] { in >> settings.pause_cycles; }},
      {"stall_cycles", [&] { in >> settings.stall_cycles; }},
      {"layer",
       [&] {
         LayerSpec layer;
         in >> layer.node;
         layer.role = named(kRoles, in);
         in >> layer.count;
         settings.layers.push_back(layer);
       }},
      {"hop", [&] {
         HopSpec hop;
         in >> hop.layer >> hop.output >> hop.network >> hop.to_layer >> hop.to_input;
         settings.hops.push_back(hop);
       }}};
  keys.at(key)();
  if (!in) throw std::runtime_error("bad value of " + key);
}

template <typename T>
void print_list(const char* name, const std::vector<T>& values) {
  std::printf("\"%s\": [", name);
  for (size_t i = 0; i < values.size(); ++i)
    std::printf("%s%llu", i ? ", " : "", static_cast<unsigned long long>(values[i]));
  std::printf("]");
}

void number(const char* name, uint64_t value) {
  std::printf("\"%s\": %llu, ", name, static_cast<unsigned long long>(value));
}

void print(const LayersResults& results) {
  std::printf("{");
  number("cycles", results.cycles);
  number("wrong", results.wrong);
  number("dropped", results.dropped);
  std::printf("\"stalled\": %s, ", results.stalled ? "true" : "false");
  print_list("sent", results.sent);
  std::printf(", ");
  print_list("received", results.received);
  std::printf("}\n");
  std::fflush(stdout);
}

void print(const Results& results) {
  std::printf("{");
  number("cycles", results.cycles);
  number("sent", results.sent);
  number("received", results.received);
  number("flits", results.flits);
  number("lost", results.lost);
  number("reordered", results.reordered);
  number("wrong", results.wrong);
  number("missing", results.missing);
  number("max_flight", results.max_flight);
  std::printf("\"stalled\": %s, ", results.stalled ? "true" : "false");
  std::printf("\"accepted\": %.6f, \"latency_mean\": %.3f, ", results.accepted,
              results.latency_mean);
  std::printf("\"latency_p99\": %.0f, \"latency_max\": %.0f, ", results.latency_p99,
              results.latency_max);
  print_list("delivered", results.delivered);
  std::printf(", ");
  print_list("waiting", results.waiting);
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace

int main() {
  Settings settings;
  LayersSettings layers;
  bool has_layers = false;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string key;
    if (!(in >> key)) continue;
    if (key == "layers") {
      has_layers = true;
      continue;
    }
    try {
      if (key != "go") {
        if (has_layers) read_line(key, in, layers);
        else read_line(key, in, settings);
        continue;
      }
    } catch (const std::exception&) {
      std::fprintf(stderr, "cannot read: %s\n", line.c_str());
      return 2;
    }
    if (has_layers) print(run_layers(BOMBUS_MESH_COLUMNS, BOMBUS_MESH_ROWS, layers));
    else print(run(BOMBUS_MESH_COLUMNS, BOMBUS_MESH_ROWS, settings));
    settings = {};
    layers = {};
    has_layers = false;
  }
  return 0;
}
