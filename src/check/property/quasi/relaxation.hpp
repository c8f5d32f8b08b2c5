// SPDX-License-Identifier: MIT
// Which relaxation of linearizability is asked for, and by how much.
//
// Round-Up, Definition 3: the quasi factor is a function from sets of operations to numbers. Its
// Definition 4 can be read in several ways, which differ; docs/quasi.md has the smallest histories
// that distinguish them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/check.hpp"
#include "plumb/history.hpp"
#include "plumb/specification.hpp"

namespace plumb::quasi {

// A public type that other layers call by this namespace.
using plumb::Relaxation;

/// By the name that to_string() gives; nothing: there is no such relaxation.
std::optional<Relaxation> find_relaxation(std::string_view name);
/// Whether it speaks of a permutation of a sequential history, of any object; the others are
/// automata, of queues, stacks and priority queues.
bool permutes(Relaxation relaxation);

/// The factors, bound to one specification. Operations that were not named are a set of their own,
/// the last one, with factor 0.
struct Factors {
  std::vector<std::uint32_t> set_of;  // by method
  std::vector<std::uint32_t> factor;  // by set
  std::uint32_t rest() const { return static_cast<std::uint32_t>(factor.size() - 1); }
  std::uint32_t of(MethodId method) const { return factor[set_of[method]]; }
};

/// More than any distance that a history can have.
inline constexpr std::uint32_t kMostFactor = 1'000'000;

/// Requires: check_question() found nothing wrong. A factor that was not given is kMostFactor.
Factors bind(const std::vector<QuasiSet>& sets, const Specification& specification);

/// What is wrong with the question, if anything: factors out of range, operations that do not occur
/// in the history or are in two sets, a relaxation that a specification cannot have.
/// `specifications`: by object.
Status check_question(const QuasiOptions& options, const History& history,
                      const std::vector<const Specification*>& specifications);

/// "deq=2", "deq,try_deq=2"; without a factor "deq"
std::string words(const QuasiSet& set);
/// "deq=2, strict"
std::string words(const QuasiOptions& asked);
/// ... and back; empty: that is not what it looks like.
std::optional<QuasiSet> read_set(std::string_view text);

}  // namespace plumb::quasi
