// SPDX-License-Identifier: MIT
// Simulated histories: known verdicts, any length, reproducible by their seed.
//
// Clients share one object. At each step one client, chosen at random, makes its next step: it
// calls, or its operation takes effect, or it returns; so an operation takes effect at a random
// moment of its interval, and the history holds by construction. `spoil` then changes one result
// (for a queue, stack or priority queue: exchanges two) such that the history is provably a
// violation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::bench {

inline constexpr std::uint32_t kNever = 0xffffffffu;

enum class Shape { reg, set, queue, stack, pqueue };

/// A kind of history, as in file names: reg, regu, reglow, regulow, swmr, set, queue, ...
struct Kind {
  Shape shape = Shape::reg;
  bool unique = false;         // a register without cas; every write has a unique value
  bool low = false;            // about 4.5 operations pending, for any number of clients
  double unknown = 0;          // this share of all operations are writes with an unknown outcome
  bool single_writer = false;  // a register without cas: one client writes, the others read
};
std::optional<Kind> find_kind(std::string_view name);
/// All of them, for a usage message.
std::string kind_names();

enum class Does : std::uint8_t { read, write, cas, insert, remove, contains, add, take };

/// nil where there is no result, or the object was empty.
using Outcome = std::optional<std::int64_t>;

struct SimulatedOperation {
  Does does = Does::read;
  std::uint32_t process = 0;
  std::int64_t first = 0, second = 0;  // arguments
  Outcome result;
  std::uint32_t call = kNever, ret = kNever;  // positions
  bool crashed = false;                       // then `ret` is where the process crashed
};

struct Simulation {
  Kind kind;
  std::vector<SimulatedOperation> operations;  // in the order of the calls
  std::uint32_t events = 0;

  std::string_view specification() const;
  std::string_view method(const SimulatedOperation& op) const;
};

Simulation simulate(Kind kind, unsigned clients, std::size_t operations, std::uint64_t seed);

/// Makes it a violation, at about 97 % of its length. `subtle`: a register's wrong result is a
/// value that it has had, not one that was never written. Returns: whether a place for it was
/// found.
bool spoil(Simulation& simulation, bool subtle, std::uint64_t seed);

/// This many reads of a register, anywhere, return any of its values. The history may still hold.
void make_stale(Simulation& simulation, std::size_t reads, std::uint64_t seed);

}  // namespace plumb::bench
