// SPDX-License-Identifier: MIT
#include "options/parse.hpp"

#include <fmt/format.h>

#include <optional>

namespace plumb::options {
namespace {

// A word of a command line, taken apart: "--name=value", "-ovalue".
struct OptionWord {
  std::string_view name;
  std::optional<std::string_view> value;
};

bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

OptionWord take_apart(std::string_view word) {
  if (!word.starts_with("--")) {
    if (word.size() == 2) return {word, {}};
    return {word.substr(0, 2), word.substr(2)};
  }
  const std::size_t equals = word.find('=');
  if (equals == word.npos) return {word, {}};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

std::string what_is_wrong(std::string_view name, const Value& value, const std::string& right) {
  struct Words {
    std::string operator()(std::monostate) const { return "no value"; }
    std::string operator()(std::string_view text) const { return fmt::format("'{}'", text); }
    std::string operator()(std::int64_t number) const { return fmt::format("'{}'", number); }
    std::string operator()(double number) const { return fmt::format("'{}'", number); }
    std::string operator()(Pair pair) const {
      return fmt::format("'{} and {}'", pair.first, pair.second);
    }
  };
  return fmt::format("{}: {} is not {}", name, std::visit(Words{}, value), right);
}

std::string take_option(const Option& option, const Value& value, Settings& settings) {
  const bool has_value = !std::holds_alternative<std::monostate>(value);
  if (option.is_flag() && has_value) return fmt::format("{} takes no value", option.name);
  if (!option.is_flag() && !has_value) return fmt::format("{} needs a value", option.name);
  const std::string right = option.read(option.takes, value, settings);
  return right.empty() ? right : what_is_wrong(option.name, value, right);
}

std::string unknown(std::string_view word) { return fmt::format("unknown option '{}'", word); }

}  // namespace

std::string take(unsigned commands, std::string_view name, const Value& value, Settings& settings) {
  const Option* const option = find_option(commands, name);
  return option == nullptr ? unknown(name) : take_option(*option, value, settings);
}

std::string parse(unsigned commands, std::span<const std::string> words, Parsed& parsed) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      parsed.arguments.insert(parsed.arguments.end(), words.begin() + i + 1, words.end());
      return {};
    }
    if (!is_option(words[i])) {
      parsed.arguments.push_back(words[i]);
      continue;
    }
    if (words[i] == "--help" || words[i] == "-h") {
      parsed.help = true;
      return {};
    }
    const OptionWord word = take_apart(words[i]);
    const Option* const option = find_option(commands, word.name);
    if (option == nullptr) return unknown(words[i]);
    Value value;
    if (word.value) value = *word.value;
    else if (!option->is_flag() && i + 1 < words.size()) value = std::string_view(words[++i]);
    if (std::string wrong = take_option(*option, value, parsed.settings); !wrong.empty())
      return wrong;
    const auto* text = std::get_if<std::string_view>(&value);
    parsed.given.push_back({option, text == nullptr ? "" : std::string(*text)});
  }
  return {};
}

std::size_t length_of_option(unsigned commands, std::span<const std::string> words,
                             std::size_t at) {
  if (!is_option(words[at])) return 0;
  const OptionWord word = take_apart(words[at]);
  const Option* const option = find_option(commands, word.name);
  if (option == nullptr) return 0;
  return word.value || option->is_flag() || at + 1 == words.size() ? 1 : 2;
}

}  // namespace plumb::options
