// SPDX-License-Identifier: MIT
// Operations, values and numbers as people read them: shared by the table, the sentences and the
// progress line, so that all of them say the same thing in the same way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/check.hpp"
#include "plumb/history.hpp"
#include "plumb/specification.hpp"

namespace plumb::report {

/// Columns on a terminal: one a code point.
std::size_t width_of(std::string_view text);
/// Cut to so many columns, with an ellipsis where something is missing.
std::string elide(std::string_view text, std::size_t columns);
/// The text with characters that are not ASCII replaced ("…" by "...", "┌" by "/", ...).
std::string to_ascii(std::string_view text);

/// "-" is "standard input".
std::string file_words(const std::string& file);
/// A value; control characters never reach a terminal. Nil is "nil".
std::string words(Value value, std::size_t columns = 40);
/// "enq(1)"
std::string call_words(const History& history, OperationId op, std::size_t value_columns = 40);
/// What a result is called: "ok" where a method returns nothing, "empty" where nil means that.
std::string result_words(const Specification* specification, std::string_view method, Value result,
                         std::size_t columns = 40);

/// A paragraph: lines that are indented by two, and wrapped. "(line 7)" stays together.
std::string paragraph_words(std::string text, std::size_t columns);

std::string count_words(std::uint64_t number);                          // "1,000"
std::string count_words(std::uint64_t number, std::string_view thing);  // "1 operation"
std::string seconds_words(double seconds);                              // "0.004 s"
std::string bytes_words(std::uint64_t bytes);                           // "12.5 MiB"
/// Of so many operations, those that the counterexample does without; empty: there are none, or
/// what it says is not about them (it begins with a state, or is a proof by itself).
std::string others_words(const Counterexample& counterexample, std::uint64_t operations);
/// "1", "1 or 2", "1, 2 or 3"
std::string list_words(const std::vector<std::string>& items, std::string_view last_joint);

}  // namespace plumb::report
