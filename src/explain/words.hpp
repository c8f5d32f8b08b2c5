// SPDX-License-Identifier: MIT
// Operations and values as people read them; numbers and paragraphs are in base/text.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/check.hpp"
#include "plumb/history.hpp"
#include "plumb/specification.hpp"

namespace plumb::report {

/// A value; control characters never reach a terminal. Nil is "nil".
std::string words(Value value, std::size_t columns = 40);
/// "enq(1)"
std::string call_words(const History& history, OperationId op, std::size_t value_columns = 40);
/// What a result is called: "ok" where a method returns nothing, "empty" where nil means that.
std::string result_words(const Specification* specification, std::string_view method, Value result,
                         std::size_t columns = 40);

/// What has been verified of those of so many operations that the counterexample does without;
/// empty: there are none, or nothing has been.
std::string others_words(const Counterexample& counterexample, std::uint64_t operations);

}  // namespace plumb::report
