// SPDX-License-Identifier: MIT
// The determinised specification of a model: after a history, all the ways in which the
// specification can have got there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/sequential.hpp"
#include "refine/tables.hpp"

namespace plumb::refine {

/// A set of configurations, hash-consed: equal sets have equal numbers.
using SetId = std::uint32_t;

class Monitor {
 public:
  Monitor(const model::Program& program, model::Sequential& sequential);

  static constexpr SetId kEmpty = 0;    // nothing explains the history
  static constexpr SetId kInitial = 1;  // nothing has happened

  SetId called(SetId set, std::uint32_t process, model::CallNumber call);
  SetId returned(SetId set, std::uint32_t process, model::Cell result);

  /// Whether nobody needs to return any more, by Line-Up's Definition 2: for each pending operation
  /// the completed ones have an order after which the specification blocks it. If not, `culprit` is
  /// the process of one that has no reason to block.
  bool may_be_stuck(SetId set, std::uint32_t& culprit);

  /// Whether everything that `larger` allows for ever after includes what `smaller` allows.
  bool includes(SetId larger, SetId smaller);

  /// The set with processes renamed: the new process i is the old one order[i].
  SetId permuted(SetId set, std::span<const std::uint8_t> order);
  /// Depends on what the set says of this process, and not on the numbers of the others.
  std::uint64_t signature(SetId set, std::uint32_t process);

  std::size_t sets() const { return begins_.size() - 1; }
  std::size_t largest() const { return largest_; }

 private:
  using Config = std::uint32_t;  // number of a row: state of the specification, then statuses
  using Status = std::uint32_t;

  std::span<const Config> members(SetId set) const {
    return {members_.data() + begins_[set], members_.data() + begins_[set + 1]};
  }
  SetId intern(std::vector<Config> configs);
  SetId minimal(std::vector<Config> configs);
  unsigned linearized(Config config) const;
  /// One tau step: the operation of a process takes effect.
  struct Tau {
    Config to;
    std::uint32_t process;
    model::Cell result;
  };
  /// Valid until the next call.
  std::span<const Tau> taus(Config config);
  /// Marks a configuration; false if it was marked since clear_marks().
  bool mark(Config config);
  bool marked(Config config) const { return config < marks_.size() && marks_[config] == epoch_; }
  void clear_marks() { ++epoch_; }
  const std::vector<Config>& closure(SetId set);

  const model::Program& program_;
  model::Sequential& sequential_;
  const std::size_t width_;
  Rows<std::uint32_t> configs_;
  std::vector<std::pair<std::size_t, std::size_t>> tau_ranges_;  // by configuration
  std::vector<Tau> taus_;
  std::vector<std::uint32_t> marks_;  // by configuration: when it was marked
  std::uint32_t epoch_ = 0;
  std::vector<Config> members_;
  std::vector<std::size_t> begins_ = {0};
  FlatIndex index_;
  PairMap called_, returned_, permuted_;
  Rows<std::uint8_t> orders_;
  Rows<std::uint32_t> results_;  // (process, result): small numbers for the map
  std::vector<std::vector<std::uint64_t>> signatures_;
  std::vector<std::vector<Config>> closures_;
  std::size_t largest_ = 0;
};

}  // namespace plumb::refine
