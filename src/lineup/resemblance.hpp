// SPDX-License-Identifier: MIT
// Which known object a class is serially. Line-Up takes the serial behaviour for the specification,
// whatever it is; so the report says what it is: "a FIFO queue", or "like a queue, but", with the
// shortest sequence of calls that shows the difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lineup/behaviour.hpp"
#include "plumb/value.hpp"

namespace plumb::lineup {

/// A sequence after which the specification does something else.
struct SerialDifference {
  std::vector<std::string> calls;  // "enq(1)", "deq() = null"; the last one is not as it should
  std::string expected;            // "returns 1"
  int call = 0;                    // the last one, of the behaviour
};

struct Resemblance {
  std::string specification;     // "bounded-queue",
  std::optional<Value> initial;  // with this initial value; nothing: its own
  std::string words;             // "a FIFO queue of capacity 4"; of a difference, "a queue"
  std::vector<std::pair<std::string, std::string>> methods;  // of the class: the specification's
  std::vector<std::string> not_counted;                      // of the class: those without one
  std::vector<std::string> waits;  // of the class: those that wait where the others refuse
  std::uint64_t sequences = 0;     // that agree
  int whole_length = 0;  // all of up to so many calls are among those that were tried; 0: unknown
  int longest = 0;       // of those that were tried
  bool has_misuse = false;    // some were not compared: a lock is unlocked that is not held
  bool is_ambiguous = false;  // they agree with another object as well
  bool spec_option = false;   // --spec takes it for this class
  std::optional<SerialDifference> difference;  // nothing: all sequences agree
};

/// Nothing: it is none of the known objects, or could be several; it is not deterministic; or a
/// limit was reached. `units`: what sequences of calls are made of, each after `initial`.
std::optional<Resemblance> resemblance(Runner& runner, const Object& object,
                                       const std::vector<Column>& units, const Column& initial,
                                       const BehaviourLimits& limits = {});

}  // namespace plumb::lineup
