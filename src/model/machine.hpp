// SPDX-License-Identifier: MIT
// The interpreter: what a process can do next, and what an operation of the specification does.
#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/heap.hpp"

namespace plumb::model {

/// What went wrong inside an operation.
struct Fault {
  std::uint32_t line = 0;
  std::string message;
};

enum class StepKind : std::uint8_t { call, inside, give_back };

/// One way to go on from a state.
struct Successor {
  StepKind kind = StepKind::inside;
  CallNumber call = 0;  // call
  Cell result = 0;      // give_back
  std::uint32_t line = 0;
  const Fault* fault = nullptr;  // the step ends in it, and `state` means nothing
  const Cell* state = nullptr;   // valid until the callback returns
};

/// Whether a node keeps its number: for people, who read traces, it must; for a search it must not.
enum class NodeNames : std::uint8_t { canonical, kept };

/// Not thread-safe: it has scratch memory.
class Machine {
 public:
  explicit Machine(const Program& program, NodeNames names = NodeNames::canonical);

  std::vector<Cell> initial() const;
  /// Runs the model's init in this state, and looks at its invariants. Returns: what is wrong.
  std::optional<Fault> begin(std::vector<Cell>& state);
  /// How many steps were not possible because there was no free node.
  std::uint64_t cuts() const { return cuts_; }
  void pack(const Cell* state, std::uint64_t* words) const;
  void unpack(const std::uint64_t* words, Cell* state) const;

  const Point& point(const Cell* state, std::uint32_t process) const {
    return program_.points[static_cast<std::size_t>(state[program_.block_of(process)])];
  }
  /// Calls `visit` with every plain step of the process, always in the same order.
  void successors(const Cell* state, std::uint32_t process,
                  const std::function<void(const Successor&)>& visit);

  /// One result of an operation of the specification.
  struct Outcome {
    std::vector<Cell> state;
    Cell result = 0;
  };
  /// Everything that a call may do in a state of the specification; nothing: it blocks.
  std::vector<Outcome> specified(const std::vector<Cell>& state, const ConcreteCall& call,
                                 std::optional<Fault>& fault);

 private:
  enum class End { boundary, returned, blocked, cut, fault };
  End run(const std::vector<Instruction>& code, std::uint32_t ip, Cell* shared, Cell* locals,
          std::uint32_t self);
  End fail(const Instruction& at, std::string message);
  std::int64_t choice(std::int64_t low, std::int64_t high);
  bool next_choice();
  bool allocate(std::uint32_t pool, Cell* shared);
  void release(std::uint32_t pool, Cell node, Cell* shared);
  void written(Cell cell, Cell* state);
  void tidy(Cell* state);
  bool invariants_hold(Cell* state);

  const Program& program_;
  Heap heap_;
  const NodeNames names_;
  bool links_ = false;  // some operation has an LL
  std::uint64_t cuts_ = 0;
  std::vector<std::int64_t> stack_;
  std::vector<Cell> next_;
  // The choices of the run: those made so far are repeated, then the first of each is taken.
  struct Choice {
    std::int64_t taken, last;
  };
  std::vector<Choice> choices_;
  std::size_t made_ = 0;
  Cell point_ = 0;           // where a run stopped
  std::int64_t result_ = 0;  // what it returned
  Fault fault_;
};

}  // namespace plumb::model
