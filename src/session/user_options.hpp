// SPDX-License-Identifier: MIT
// The options of a program under test, from where they come: its code, a regression that it
// includes, its command line, a replay. Each adds to those before, and what comes later counts
// more.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/test_abi.hpp"
#include "session/settings.hpp"

namespace plumb::session {

class UserOptions {
 public:
  /// With those of tests of an object, or without.
  explicit UserOptions(bool is_object);

  // Each returns what is wrong; empty: understood. A test that is named is run instead of those
  // that were named before.

  /// Of the C++ API. No text is made of values that are none.
  std::string add(std::span<const plumb_option> options);
  /// As a user writes them; quotes are a shell's.
  std::string add_text(std::string_view text);
  /// Of a command line.
  std::string add_words(const std::vector<std::string>& words);

  Settings settings;

 private:
  template <class Add>
  std::string add_layer(const Add& add);
  std::string take(const plumb_option& option);
  std::string parse(const std::vector<std::string>& words);
  std::string parse_text(std::string_view text);

  unsigned commands_;
};

}  // namespace plumb::session
