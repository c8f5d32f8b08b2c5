// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "plumb/verdict.hpp"

namespace plumb::lineup {

/// What ended a search before it was complete.
enum class CutBy : std::uint8_t {
  nothing,
  time,         // --timeout
  memory,       // --memory
  interrupted,  // by the user
  executions,   // --max-executions
  steps,        // --max-steps: executions were cut
  threads,      // executions had more than the explorer can run
  depth,        // an execution had more choices than are kept
  other,
};

/// Why a search is not complete, or a test not decided.
struct Cut {
  CutBy by = CutBy::nothing;
  std::string text = {};                            // of `other`: the reason itself,
  StopReason stopped = StopReason::not_applicable;  // and what kind of reason it is

  static Cut because(std::string why, StopReason stopped = StopReason::not_applicable) {
    return {CutBy::other, std::move(why), stopped};
  }
  explicit operator bool() const { return by != CutBy::nothing; }
  /// Nothing that is run afterwards would be complete either.
  bool ends_all() const {
    return by == CutBy::time || by == CutBy::memory || by == CutBy::interrupted;
  }
};

/// Of a history that could not be judged; `reason`: the same in words.
Cut unjudged(StopReason stopped, const std::string& reason);

/// In a file: a word, or the text of `other`.
std::string to_word(const Cut& cut);
Cut cut_of_word(const std::string& word);

}  // namespace plumb::lineup
