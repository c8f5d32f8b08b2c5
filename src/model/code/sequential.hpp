// SPDX-License-Identifier: MIT
// The specification of a model as a transition system whose states are numbered as they are met.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/code/machine.hpp"
#include "plumb/specification.hpp"

namespace plumb::model {

class Sequential {
 public:
  explicit Sequential(const Program& program) : Sequential(program, program.initial_spec) {}
  Sequential(const Program& program, const std::vector<Cell>& initial);

  struct Outcome {
    std::uint32_t state;
    Cell result;
  };
  static constexpr std::uint32_t kInitial = 0;
  /// Calls of clients have their numbers in the program; others are numbered as they are met.
  CallNumber number_of(const ConcreteCall& call);
  /// A state that was not met before gets the next number.
  std::uint32_t number_of(std::vector<Cell> cells);
  /// Everything that a call may do; empty: it blocks. Valid forever. After a fault always empty.
  const std::vector<Outcome>& outcomes(std::uint32_t state, CallNumber call);
  const std::optional<Fault>& fault() const { return fault_; }
  const std::vector<Cell>& cells(std::uint32_t state) const { return *states_[state]; }
  std::size_t size() const { return states_.size(); }

 private:
  std::vector<Machine::Outcome> find_outcomes(const std::vector<Cell>& state,
                                              const ConcreteCall& call);

  const SpecModel* other_;  // null: the specification is written out
  Machine machine_;
  std::vector<ConcreteCall> calls_;
  std::map<std::pair<std::uint32_t, std::vector<Cell>>, CallNumber> call_numbers_;
  std::map<std::vector<Cell>, std::uint32_t> numbers_;
  std::vector<const std::vector<Cell>*> states_;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::vector<Outcome>>> outcomes_;
  std::optional<Fault> fault_;
};

/// A result or an argument as a value of histories.
Value value_of(const Program& program, const Type& type, Cell cell);
/// A value as people read it: "3", "true", "Node2", "(count: 1, mark: false)".
std::string words_of(const Program& program, const Type& type, Cell cell);

/// The same specification as the engines of src/check see it, so that a history can be decided by
/// code that shares nothing with src/refine. It takes every call whose arguments are in range, not
/// only those of clients. A fault in it is thrown as a SpecificationError. The program must outlive
/// it.
std::unique_ptr<Specification> make_specification(const Program& program);

}  // namespace plumb::model
