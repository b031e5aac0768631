// SPDX-License-Identifier: Apache-2.0
#include "traffic.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace bombus::mesh {

namespace {

// Exponential chains: number of tile sequences, each less likely than the one before.
constexpr unsigned kSequences = 64;
constexpr double kDecay = 0.9;

unsigned pick(const std::vector<double>& cumulated, Random& random) {
  const double value = random.uniform() * cumulated.back();
  return static_cast<unsigned>(
      std::upper_bound(cumulated.begin(), cumulated.end(), value) - cumulated.begin());
}

std::vector<uint8_t> shuffled(unsigned nodes, Random& random) {
  std::vector<uint8_t> order(nodes - 1);
  std::iota(order.begin(), order.end(), 1);
  for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  return order;
}

}  // namespace

Generator::Generator(unsigned columns, unsigned rows, const Settings& settings)
    : columns_(columns), rows_(rows), nodes_(columns * rows), settings_(settings) {
  for (unsigned n = 0; n < nodes_; ++n) random_.emplace_back(settings.seed, n);
  if (settings.pattern != Pattern::kExponential) return;
  // Independent: each additional hop halves the probability of a destination.
  for (unsigned n = 0; n < nodes_; ++n) {
    std::vector<double> weights(nodes_);
    double sum = 0;
    for (unsigned d = 0; d < nodes_; ++d) {
      const int dx = std::abs(int(n % columns) - int(d % columns));
      const int dy = std::abs(int(n / columns) - int(d / columns));
      if (d != n) sum += std::ldexp(1, -(dx + dy));
      weights[d] = sum;
    }
    weights_.push_back(std::move(weights));
  }
  Random random(settings.seed, 0x5EC);
  double sum = 0;
  for (unsigned s = 0; s < kSequences; ++s) {
    sequences_.push_back(shuffled(nodes_, random));
    sequence_weights_.push_back(sum += std::pow(kDecay, s));
  }
}

bool Generator::is_source(unsigned node) const {
  switch (settings_.traffic) {
    case Traffic::kChain:
      return node == 0;
    case Traffic::kScript:
      return std::any_of(settings_.chains.begin(), settings_.chains.end(),
                         [&](const Chain& chain) { return chain.nodes.front() == node; });
    default:
      return true;
  }
}

bool Generator::sends(unsigned node) {
  if (settings_.traffic == Traffic::kScript) return true;
  const double rate = settings_.offered;
  if (settings_.traffic == Traffic::kChain) return random_[node].chance(rate);
  return random_[node].chance(rate / settings_.packet);
}

unsigned Generator::gap(unsigned node) {
  return settings_.traffic == Traffic::kChain ? chain_flits(random_[node]) : 1;
}

// HiPerNoC's trimodal mix: 40% of 40 bytes, 20% of 1500, 10% of 1300. The paper does not specify
// the rest; here, each octave from 40 to 1500 bytes is equally likely.
unsigned Generator::chain_flits(Random& random) const {
  const double kind = random.uniform();
  unsigned bytes;
  if (kind < 0.4) bytes = 40;
  else if (kind < 0.6) bytes = 1500;
  else if (kind < 0.7) bytes = 1300;
  else bytes = static_cast<unsigned>(40 * std::pow(1500.0 / 40, random.uniform()));
  return (bytes + settings_.flit_bytes - 1) / settings_.flit_bytes;
}

std::vector<uint8_t> Generator::chain_path(Random& random) {
  std::vector<uint8_t> path{0};
  switch (settings_.pattern) {
    case Pattern::kExponential: {
      const auto& sequence = sequences_[pick(sequence_weights_, random)];
      path.insert(path.end(), sequence.begin(), sequence.end());
      break;
    }
    case Pattern::kBitComplement:
      // Nearly every leg crosses the middle: n, its complement, n + 1, ...
      for (unsigned n = 0; n < nodes_ / 2; ++n) {
        if (n) path.push_back(static_cast<uint8_t>(n));
        path.push_back(static_cast<uint8_t>(nodes_ - 1 - n));
      }
      break;
    default: {
      const auto sequence = shuffled(nodes_, random);
      path.insert(path.end(), sequence.begin(), sequence.end());
    }
  }
  path.push_back(0);
  return path;
}

unsigned Generator::destination(unsigned node, Random& random) const {
  const unsigned x = node % columns_, y = node / columns_;
  auto other = [&] {
    const auto d = static_cast<unsigned>(random.below(nodes_ - 1));
    return d < node ? d : d + 1;
  };
  switch (settings_.pattern) {
    case Pattern::kBitComplement:
      return nodes_ - 1 - node;
    case Pattern::kTranspose:
      return x < rows_ && y < columns_ ? x * columns_ + y : node;
    case Pattern::kExponential:
      return pick(weights_[node], random);
    case Pattern::kHotspot: {
      const unsigned hot = rows_ / 2 * columns_ + columns_ / 2;
      return node != hot && random.chance(settings_.hotspot) ? hot : other();
    }
    default:
      return other();
  }
}

Message Generator::next(unsigned node) {
  Random& random = random_[node];
  Message message;
  switch (settings_.traffic) {
    case Traffic::kChain:
      message.path = chain_path(random);
      message.flits = static_cast<uint16_t>(chain_flits(random));
      break;
    case Traffic::kScript: {
      double sum = 0;
      for (const auto& chain : settings_.chains)
        if (chain.nodes.front() == node) sum += chain.weight;
      double value = random.uniform() * sum;
      for (size_t c = 0; c < settings_.chains.size(); ++c) {
        const Chain& chain = settings_.chains[c];
        if (chain.nodes.front() != node) continue;
        message.chain = static_cast<uint16_t>(c);
        message.path.assign(chain.nodes.begin(), chain.nodes.end());
        message.flits = static_cast<uint16_t>(
            chain.min_flits + random.below(chain.max_flits - chain.min_flits + 1));
        if ((value -= chain.weight) < 0) break;
      }
      break;
    }
    default: {
      const unsigned to = destination(node, random);
      if (to == node) return message;
      message.path = {static_cast<uint8_t>(node), static_cast<uint8_t>(to)};
      message.flits = static_cast<uint16_t>(settings_.packet);
      message.chain = static_cast<uint16_t>(node * nodes_ + to);
    }
  }
  return message;
}

}  // namespace bombus::mesh
