// SPDX-License-Identifier: MIT
// The interpreter: what a process can do next, and what an operation of the specification does.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "model/code/heap.hpp"
#include "model/code/interpreter.hpp"

namespace plumb::model {

enum class StepKind : std::uint8_t { call, inside, give_back };

/// One way to continue from a state.
struct Successor {
  StepKind kind = StepKind::inside;
  CallNumber call = 0;      // call
  Cell result = 0;          // give_back
  std::uint32_t marks = 0;  // how often it passed `linearize`
  std::uint32_t line = 0;
  const Fault* fault = nullptr;  // the step ends in it, and `state` means nothing
  const Cell* state = nullptr;   // valid until the callback returns
};

/// Receives successors. It does not own what it calls, so it costs nothing to make.
class Visitor {
 public:
  template <class Visit>
  Visitor(const Visit& visit)
      : visit_(&visit),
        call_([](const void* to, const Successor& s) { (*static_cast<const Visit*>(to))(s); }) {}
  void operator()(const Successor& successor) const { call_(visit_, successor); }

 private:
  const void* visit_;
  void (*call_)(const void*, const Successor&);
};

/// Whether a node keeps its number: for people, who read traces, it must; for a search it must not.
enum class NodeNames : std::uint8_t { canonical, kept };

/// Not thread-safe: it has scratch memory.
class Machine {
 public:
  explicit Machine(const Program& program, NodeNames names = NodeNames::canonical);

  std::vector<Cell> initial() const;
  /// Runs the model's init in this state, and checks its invariants. Returns: what is wrong.
  std::optional<Fault> begin(std::vector<Cell>& state);
  /// How many steps were not possible because there was no free node.
  std::uint64_t cuts() const { return cuts_; }
  void pack(const Cell* state, std::uint64_t* words) const {
    model::pack(program_.layout, state, words);
  }
  void unpack(const std::uint64_t* words, Cell* state) const {
    model::unpack(program_.layout, words, state);
  }

  const Point& point(const Cell* state, std::uint32_t process) const {
    return program_.points[static_cast<std::size_t>(state[program_.block_of(process)])];
  }
  /// Calls `visit` with every plain step of the process, always in the same order.
  void successors(const Cell* state, std::uint32_t process, const Visitor& visit);
  /// From now on adds what steps touch to a footprint, also those that turn out not to be possible;
  /// null: does not. Requires: it has a bit for each shared cell.
  void watch(Footprint* footprint) { interpreter_.watch(footprint); }

  Coverage& coverage() { return coverage_; }

  /// One result of an operation of the specification.
  struct Outcome {
    std::vector<Cell> state;
    Cell result = 0;
  };
  /// Everything that a call may do in a state of the specification; nothing: it blocks.
  std::vector<Outcome> specified(const std::vector<Cell>& state, const ConcreteCall& call,
                                 std::optional<Fault>& fault);

  /// The same of an object whose operations run alone, by its first process; `shared` is the state
  /// of its shared variables. What never returns blocks.
  std::vector<Outcome> alone(const std::vector<Cell>& shared, const ConcreteCall& call,
                             std::optional<Fault>& fault);

 private:
  /// Runs an operation to the end of its step, once for each way in which its choices may come out.
  /// `call`: it begins with it; null: it continues.
  void run_each(const Cell* state, std::uint32_t process, const Op& op, std::uint32_t ip,
                const ConcreteCall* call, Successor& successor, const Visitor& visit);
  void finish(RunEnd end, std::uint32_t process, const Op& op, Successor& successor,
              const Visitor& visit);
  static void add(std::vector<Outcome>& outcomes, Outcome outcome);
  void tidy(Cell* state);
  Interpreter::Run object_run(Cell* state, Cell* locals, std::uint32_t self) {
    return {program_.code.data(), state, locals, self, coverage_.code.data(), true};
  }

  const Program& program_;
  Interpreter interpreter_;
  Heap heap_;
  const NodeNames names_;
  std::uint64_t cuts_ = 0;
  std::vector<Cell> next_;
  Coverage coverage_;
  std::vector<std::uint8_t> spec_covered_;  // not read
};

}  // namespace plumb::model
