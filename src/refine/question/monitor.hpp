// SPDX-License-Identifier: MIT
// The determinised specification of a model: after a history, all the ways in which the
// specification can have got there. What else may be asked of histories (question.hpp) is a
// monitor that goes from set to set by other rules.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/code/sequential.hpp"
#include "refine/tables/checkpoint.hpp"
#include "refine/tables/tables.hpp"

namespace plumb::refine {

/// A set of configurations, hash-consed: equal sets have equal numbers.
using SetId = std::uint32_t;

/// What all threads know of the specification: configurations, sets of them, and what becomes of a
/// set by each action.
class Sets {
 public:
  /// `generators`: sets are kept as their minimal elements, else as a whole.
  Sets(const model::Program& program, bool generators);
  Sets(const Sets&) = delete;
  Sets& operator=(const Sets&) = delete;
  ~Sets();

  /// Not while threads work.
  const std::optional<model::Fault>& fault() const { return sequential_.fault(); }
  std::size_t spec_states() const { return sequential_.size(); }
  std::size_t size() const;
  std::size_t largest() const;
  /// Whether the specification has gone wrong, which makes all sets meaningless.
  bool faulty() const { return faulty_.load(std::memory_order_relaxed); }
  /// Not while threads work. Read: only as the first thing.
  void transfer(Checkpoint& file);

 private:
  friend class Monitor;
  using Config = std::uint32_t;  // number of a row: state of the specification, then statuses

  /// One tau step: the operation of a process takes effect.
  struct Tau {
    Config to;
    std::uint32_t process;
    model::Cell result;
  };
  struct Taus {
    std::uint32_t count;
    Tau list[1];  // and the others
  };
  /// A set: its configurations, sorted, and behind them a signature of each process.
  struct Entry {
    const std::uint32_t* members;
    std::uint32_t size;
  };
  struct alignas(64) Stripe {
    std::mutex mutex;
    FlatIndex index;
    std::uint32_t size = 0;
    std::size_t largest = 0;
    std::vector<std::unique_ptr<std::uint32_t[]>> blocks;  // that entries point into
    std::size_t room = 0;
  };

  std::span<const Config> members(SetId set) const {
    if (set == 0) return {};
    const Entry& entry = *entries_.at(set - 1);
    return {entry.members, entry.size};
  }
  std::span<const Tau> taus(Config config) {
    const Taus* known = std::atomic_ref(*taus_.make(config)).load(std::memory_order_acquire);
    if (!known) known = find_taus(config);
    return {known->list, known->count};
  }
  const Taus* find_taus(Config config);
  /// What signatures need to know of a state of the specification.
  void note_hash(std::uint32_t state);
  SetId intern(std::vector<Config>& configs);

  const model::Program& program_;
  const bool generators_;
  const std::size_t width_;
  std::mutex sequential_mutex_;
  model::Sequential sequential_;
  std::atomic<bool> faulty_{false};
  Rows<std::uint32_t> configs_;
  Segments<Taus*> taus_;                  // by configuration; null: not known yet
  Segments<std::uint32_t> state_hashes_;  // by state of the specification
  Segments<Entry> entries_;               // by set - 1
  std::array<Stripe, kStripes> stripes_;
  PairMap called_, effective_, returned_, permuted_, included_;
  Rows<std::uint8_t> orders_;
  Rows<std::uint32_t> histories_{3};  // where they are recorded: history_monitor.cpp
};

/// The determinised specification, as one thread sees it.
class Monitor {
 public:
  explicit Monitor(Sets& sets) : sets_(sets), width_(sets.width_), row_(width_) {}
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  virtual ~Monitor() = default;

  static constexpr SetId kEmpty = 0;  // nothing explains the history
  virtual SetId initial();            // nothing has happened

  SetId called(SetId set, std::uint32_t process, model::CallNumber call);
  /// The process has passed a `linearize`, which only some monitors use.
  virtual SetId took_effect(SetId set, std::uint32_t /*process*/) { return set; }
  virtual SetId returned(SetId set, std::uint32_t process, model::Cell result);

  /// Whether no operation needs to return any more, by Line-Up's Definition 2: for each pending
  /// operation the completed ones have an order after which the specification blocks it. If not,
  /// `culprit` is the process of one that must not block.
  virtual bool may_be_stuck(SetId set, std::uint32_t& culprit);

  /// Whether everything that `larger` allows from then on includes what `smaller` allows.
  bool includes(SetId larger, SetId smaller);

  /// The set with processes renamed: the new process i is the old one order[i].
  SetId permuted(SetId set, std::span<const std::uint8_t> order);
  /// By process. Each depends on what the set says of this process, and not on the numbers of the
  /// others, nor on the order in which anything was met.
  std::span<const std::uint32_t> signatures(SetId set) const {
    const Sets::Entry& entry = *sets_.entries_.at(set - 1);
    return {entry.members + entry.size, width_ - 1};
  }

 protected:
  friend class Sets;
  using Config = Sets::Config;
  using Tau = Sets::Tau;
  /// Statuses of a process: idle, then calls, then results.
  static constexpr std::uint32_t kIdle = 0, kFirstCall = 1, kFirstResult = 8192;
  static std::uint32_t status_of_call(model::CallNumber call) { return kFirstCall + call; }
  static std::uint32_t status_of_result(model::Cell result);
  static bool is_called(std::uint32_t s) { return s >= kFirstCall && s < kFirstResult; }
  static bool is_effective(std::uint32_t status) { return status >= kFirstResult; }

  /// What becomes of a set, if that is not known yet.
  virtual SetId after_call(SetId set, std::uint32_t process, model::CallNumber call);
  virtual SetId after_return(SetId set, std::uint32_t process, model::Cell result);
  virtual bool find_inclusion(SetId larger, SetId smaller);

  const model::Program& program() const { return sets_.program_; }
  std::span<const Config> members(SetId set) const { return sets_.members(set); }
  std::span<const Tau> taus(Config config) { return sets_.taus(config); }
  std::span<const std::uint32_t> row(Config config) const {
    return {sets_.configs_[config], width_};
  }
  Config number(const std::vector<std::uint32_t>& row) { return sets_.configs_.number(row); }
  SetId intern(std::vector<Config>& configs) { return sets_.intern(configs); }
  PairMap& effective() { return sets_.effective_; }
  Rows<std::uint32_t>& histories() { return sets_.histories_; }
  /// The configuration with another status of a process.
  Config changed(Config config, std::uint32_t process, std::uint32_t status);

 private:
  SetId minimal(std::vector<Config>& configs);
  void close(std::vector<Config>& configs);
  SetId closure(std::vector<Config>& configs);
  unsigned linearized(Config config) const;
  void mark_closure(SetId set);
  /// Marks a configuration; false if it was marked since clear_marks().
  bool mark(Config config);
  bool marked(Config config) const { return config < marks_.size() && marks_[config] == epoch_; }
  void clear_marks() {
    if (++epoch_ == 0) {
      std::fill(marks_.begin(), marks_.end(), 0);
      epoch_ = 1;
    }
    marked_set_ = kEmpty;
  }

  Sets& sets_;
  const std::size_t width_;
  std::vector<std::uint32_t> row_;
  std::vector<std::uint32_t> marks_;  // by configuration: when it was marked
  std::uint32_t epoch_ = 0;
  SetId marked_set_ = kEmpty;                                // whose closure is marked
  std::unordered_map<SetId, std::vector<Config>> closures_;  // some of them
  std::size_t closed_ = 0;                                   // configurations in them
};

}  // namespace plumb::refine
