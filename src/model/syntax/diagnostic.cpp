// SPDX-License-Identifier: MIT
#include "model/syntax/diagnostic.hpp"

#include <fmt/format.h>

namespace plumb::model {

void reject(Place place, std::string message, std::string hint) {
  throw Mistake{{place, std::move(message), std::move(hint), {}, {}}};
}

std::string to_string(const Diagnostic& d, std::string_view file, std::string_view text) {
  if (!d.file.empty()) {
    file = d.file;
    text = d.text;
  }
  std::string out = fmt::format("{}:{}:{}: {}\n", file, d.place.line, d.place.column, d.message);
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < d.place.line && at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  std::string shown(text.substr(at, text.find('\n', at) - at));
  // A tab is one column here, so that the caret stands where it should; nothing that a terminal
  // would obey is printed.
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  const std::string number = std::to_string(d.place.line);
  out += fmt::format("  {} | {}\n", number, shown);
  out += fmt::format("  {} | {}^\n", std::string(number.size(), ' '),
                     std::string(d.place.column - 1, ' '));
  if (!d.hint.empty()) out += fmt::format("  hint: {}\n", d.hint);
  return out;
}

}  // namespace plumb::model
