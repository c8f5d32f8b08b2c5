// SPDX-License-Identifier: MIT
#include "options/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <type_traits>
#include <utility>

#include "options/settings.hpp"
#include "plumb/formats.hpp"
#include "plumb/specification.hpp"

namespace plumb::options {
namespace {

std::vector<std::string> words_between(std::string_view text, char between) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == between) words.emplace_back();
    else words.back() += c;
  }
  return words;
}

std::vector<std::string> values_of(const Takes& takes) {
  std::vector<std::string> names;
  switch (takes.names) {
    case Names::none: break;
    case Names::specifications:
      for (const Specification* s : all_specifications()) names.push_back(s->name());
      break;
    case Names::readable_formats:
      names.assign(readable_formats().begin(), readable_formats().end());
      break;
    case Names::writable_formats:
      names.assign(writable_formats().begin(), writable_formats().end());
      break;
  }
  if (!takes.choices.empty()) names = words_between(takes.choices, '|');
  return names;
}

std::string one_of(const std::vector<std::string>& values) {
  return fmt::format("one of: {}", fmt::join(values, ", "));
}

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// ---- reading: empty, or what would be right

std::string read_value(const Takes&, const Value& value, bool& to) {
  if (!std::holds_alternative<std::monostate>(value)) return "without a value";
  to = true;
  return {};
}

template <std::integral Number>
std::string read_value(const Takes& takes, const Value& value, Number& to) {
  const std::string right = fmt::format("an integer from {} to {}", takes.low, takes.high);
  Number number = 0;
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    if (!read_whole(*text, number)) return right;
  } else if (const auto* given = std::get_if<std::int64_t>(&value)) {
    if (!std::in_range<Number>(*given)) return right;
    number = static_cast<Number>(*given);
  } else {
    return right;
  }
  if (std::cmp_less(number, takes.low) || std::cmp_greater(number, takes.high)) return right;
  to = number;
  return {};
}

std::string read_value(const Takes&, const Value& value, double& to) {
  constexpr double kLeast = 1e-6, kMost = 1e9;
  double number = 0;
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    if (!read_whole(*text, number)) number = 0;
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*whole);
  } else if (const auto* given = std::get_if<double>(&value)) {
    number = *given;
  }
  if (!(number >= kLeast && number <= kMost)) return "a number above 0";
  to = number;
  return {};
}

std::string read_value(const Takes& takes, const Value& value, std::string& to) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr) return "text";
  if (takes.is_file && text->empty()) return "the name of a file";
  if (!takes.choices.empty() || !takes.any_text) {
    const std::vector<std::string> values = values_of(takes);
    if (std::ranges::find(values, *text) == values.end()) return one_of(values);
  }
  to = *text;
  return {};
}

std::string read_value(const Takes& takes, const Value& value, std::vector<std::string>& to) {
  std::string one;
  std::string wrong = read_value(takes, value, one);
  if (wrong.empty()) to.push_back(std::move(one));
  return wrong;
}

template <class Choice>
requires std::is_enum_v<Choice> std::string read_value(const Takes& takes, const Value& value,
                                                       Choice& to) {
  std::string word;
  if (std::string wrong = read_value(takes, value, word); !wrong.empty()) return wrong;
  const std::vector<std::string> values = values_of(takes);
  to = static_cast<Choice>(std::ranges::find(values, word) - values.begin());
  return {};
}

std::string read_value(const Takes& takes, const Value& value, Pair& to) {
  Pair read;
  if (const auto* given = std::get_if<Pair>(&value)) {
    read = *given;
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    const std::size_t at = text->find(takes.between);
    if (at == text->npos || !read_whole(text->substr(0, at), read.first) ||
        !read_whole(text->substr(at + 1), read.second))
      read = {};
  }
  const auto fits = [](int number) { return number >= 1 && number <= 10'000; };
  if (!fits(read.first) || !fits(read.second)) return std::string(takes.example);
  to = read;
  return {};
}

std::string read_value(const Takes& takes, const Value& value, Ignored& to) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr) return "text";
  for (const std::string& what : words_between(*text, ',')) {
    if (what == "race") to.race = true;
    else if (what == "deadlock" || what == "livelock") to.stuck = true;
    else if (what != "leak") return one_of(values_of(takes));
  }
  return {};
}

template <auto Field, auto Given>
std::string read_into(const Takes& takes, const Value& value, Settings& settings) {
  std::string wrong = read_value(takes, value, settings.*Field);
  if (wrong.empty()) settings.*Given = true;
  return wrong;
}

// ---- showing

std::string show_value(const Takes&, bool is_given) { return is_given ? "true" : ""; }
template <std::integral Number>
std::string show_value(const Takes& takes, Number number) {
  const bool is_one = std::cmp_less_equal(takes.low, number);
  return is_one ? std::to_string(number) : std::string();
}
std::string show_value(const Takes&, double number) {
  return number > 0 ? fmt::format("{:g}", number) : std::string();
}
std::string show_value(const Takes&, const std::string& text) { return text; }
std::string show_value(const Takes&, const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, "\n"));
}
template <class Choice>
requires std::is_enum_v<Choice> std::string show_value(const Takes& takes, Choice choice) {
  return values_of(takes)[static_cast<std::size_t>(choice)];
}
std::string show_value(const Takes& takes, Pair pair) {
  return fmt::format("{}{}{}", pair.first, takes.between, pair.second);
}
std::string show_value(const Takes&, Ignored what) {
  return fmt::format("{}{}{}", what.race ? "race" : "", what.race && what.stuck ? "," : "",
                     what.stuck ? "deadlock" : "");
}

template <auto Field>
std::string show_field(const Takes& takes, const Settings& settings) {
  return show_value(takes, settings.*Field);
}

// ---- the table

template <class Field, class Owner>
constexpr bool is_list(Field Owner::*) {
  return std::is_same_v<Field, std::vector<std::string>>;
}

constexpr Option row(std::string_view names, unsigned commands, Group group, Takes takes,
                     std::string_view help, bool is_repeated, decltype(Option::read) read,
                     decltype(Option::show) show) {
  const std::size_t comma = std::min(names.find(','), names.size());
  const std::string_view alias = names.substr(std::min(comma + 1, names.size()));
  return {names.substr(0, comma), alias, commands, group, takes, help, is_repeated, read, show};
}

#define PLUMB_VARIANT(field, names, commands, group, takes, help)     \
  row(names, commands, group, takes, help, is_list(&Settings::field), \
      &read_into<&Settings::field, &Settings::field##_given>, &show_field<&Settings::field>),
#define PLUMB_OPTION(type, field, fallback, names, commands, group, takes, help) \
  PLUMB_VARIANT(field, names, commands, group, takes, help)
constexpr Option kOptions[] = {
#include "options/table.def"
};
#undef PLUMB_OPTION
#undef PLUMB_VARIANT

constexpr CommandLine kCommands[] = {
    {check,
     "check",
     "decide whether recorded histories are linearizable",
     {{"FILE", "histories; - is standard input", true}}},
    {kTest,
     "test",
     "run concurrent C++ under every schedule",
     {{"FILE", "a C++ file with a main() that explores (docs/test.md), or a program"}}},
    {verify,
     "verify",
     "prove that a model of an algorithm is linearizable",
     {{"FILE", "a model (docs/language.md); - is standard input"}}},
    {replay,
     "replay",
     "replay the execution of a finding of plumb test",
     {{"REPORT", "the output of plumb test --json"}}},
    {convert,
     "convert",
     "write a history in another format",
     {{"IN", "the history; - is standard input"}, {"OUT", "the new file; - is standard output"}}},
    {report,
     "report",
     "make a page for a browser from reports that --json wrote",
     {{"REPORT", "the output of check, test or verify with --json", true}}},
    {completion,
     "completion",
     "print the completion script of a shell",
     {{"SHELL", "bash or zsh"}},
     true},
};

}  // namespace

std::string_view title(Group group) {
  switch (group) {
    case Group::program: return "Program";
    case Group::what: return "What";
    case Group::tests: return "Tests of an object";
    case Group::schedules: return "Schedules";
    case Group::how: return "How";
    case Group::limits: return "Limits";
    case Group::output: return "Output";
    case Group::hidden: break;
  }
  return "";
}

std::vector<std::string> Option::values() const { return values_of(takes); }

std::string Option::full_help() const {
  std::string text(help);
  if (is_repeated) text += "; may be repeated";
  const std::string fallback = show(takes, Settings());
  if (!fallback.empty()) text += "; default: " + fallback;
  return text;
}

std::span<const Option> all_options() { return kOptions; }
std::span<const CommandLine> all_commands() { return kCommands; }

std::vector<const Option*> options_of(unsigned commands) {
  std::vector<const Option*> found;
  for (const Option& option : kOptions)
    if ((option.commands & commands) != 0) found.push_back(&option);
  std::ranges::stable_sort(found, {}, &Option::group);
  return found;
}

const Option* find_option(unsigned commands, std::string_view name) {
  for (const Option& option : kOptions) {
    const bool is_it = option.name == name || (!option.alias.empty() && option.alias == name);
    if (is_it && (option.commands & commands) != 0) return &option;
  }
  return nullptr;
}

}  // namespace plumb::options
