// SPDX-License-Identifier: MIT
// What formats of words have in common: an event a line, blank lines, remarks after '#'.
#pragma once

#include <simdjson.h>

#include <charconv>

#include "history/reader.hpp"

namespace plumb {

/// `Reader` derives from this and has `remark(text)` and `event(text)`, both of trimmed text.
template <class Reader>
class WordReader {
 public:
  explicit WordReader(const ReadOptions& options) {
    if (options.clock_skew) builder_.clock_skew(*options.clock_skew);
  }

  Status line(std::string_view text, std::uint64_t number) {
    line_ = number;
    builder_.at_line(number);
    if (!simdjson::validate_utf8(text))
      return error("the text is not valid UTF-8", "write it as UTF-8");
    text = trim(text);
    if (text.empty()) return {};
    auto& reader = static_cast<Reader&>(*this);
    if (text[0] == '#') return reader.remark(trim(text.substr(1)));
    return reader.event(text);
  }

  Result<History> finish() && { return std::move(builder_).finish(); }

 protected:
  Error error(std::string message, std::string remedy) const {
    return bad_input(std::move(message), std::move(remedy), line_);
  }

  /// An integer, else the word itself.
  static Value value_of(std::string_view word) {
    std::int64_t i = 0;
    const auto end = std::from_chars(word.data(), word.data() + word.size(), i);
    if (end.ec == std::errc() && end.ptr == word.data() + word.size()) return Value::integer(i);
    return Value::string(word);
  }

  HistoryBuilder builder_;

 private:
  std::uint64_t line_ = 0;
};

}  // namespace plumb
