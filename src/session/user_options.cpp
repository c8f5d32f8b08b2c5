// SPDX-License-Identifier: MIT
#include "session/user_options.hpp"

#include <optional>
#include <utility>

#include "base/shell.hpp"
#include "options/files.hpp"

namespace plumb::session {

UserOptions::UserOptions(bool is_object)
    : commands_(options::explore | (is_object ? unsigned{options::object} : 0)) {}

template <class Add>
std::string UserOptions::add_layer(const Add& add) {
  std::vector<std::string> before = std::exchange(settings.test, {});
  std::string wrong = add();
  if (settings.test.empty()) settings.test = std::move(before);
  return wrong;
}

std::string UserOptions::parse(const std::vector<std::string>& words) {
  options::Parsed parsed;
  parsed.settings = std::move(settings);
  std::string wrong = options::parse(commands_, words, parsed);
  settings = std::move(parsed.settings);
  if (!wrong.empty()) return wrong;
  if (parsed.help) return "unknown option '--help'";
  if (const Status apart = options::check_files(parsed, {}); !apart.ok())
    return apart.error().to_string();
  return parsed.arguments.empty() ? "" : "unexpected argument '" + parsed.arguments.front() + "'";
}

std::string UserOptions::parse_text(std::string_view text) {
  const std::optional<std::vector<std::string>> words = shell_words(text);
  return words ? parse(*words) : "a quote is not closed: " + std::string(text);
}

std::string UserOptions::take(const plumb_option& option) {
  options::Value value;
  switch (option.kind) {
    case plumb_option::words: return parse_text(option.text);
    case plumb_option::nothing: break;
    case plumb_option::integer: value = option.first; break;
    case plumb_option::real: value = option.number; break;
    case plumb_option::text_value: value = std::string_view(option.text); break;
    case plumb_option::integers:
      value = options::Pair{static_cast<int>(option.first), static_cast<int>(option.second)};
      break;
    default: return std::string(option.name) + ": the headers are newer than the runtime";
  }
  return options::take(commands_, option.name, value, settings);
}

std::string UserOptions::add(std::span<const plumb_option> all) {
  return add_layer([&] {
    for (const plumb_option& option : all)
      if (std::string wrong = take(option); !wrong.empty()) return wrong;
    return std::string();
  });
}

std::string UserOptions::add_text(std::string_view text) {
  return add_layer([&] { return parse_text(text); });
}

std::string UserOptions::add_words(const std::vector<std::string>& words) {
  return add_layer([&] { return parse(words); });
}

}  // namespace plumb::session
