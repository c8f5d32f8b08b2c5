// SPDX-License-Identifier: MIT
#include "explain/words.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace plumb::report {
namespace {

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// An opaque value is kept as it was read, so it may hold anything, an escape sequence included.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kAscii{{{"…", "..."},
                                                                                {"┌", "/"},
                                                                                {"└", "\\"},
                                                                                {"│", "|"},
                                                                                {"┆", ":"},
                                                                                {"╵", ":"},
                                                                                {"─", "-"},
                                                                                {"◀", "<--"},
                                                                                {"×", "x"},
                                                                                {"→", "->"}}};

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += starts_code_point(c);
  return columns;
}

std::string elide(std::string_view text, std::size_t columns) {
  if (width_of(text) <= columns) return std::string(text);
  std::size_t seen = 0, end = 0;
  for (; end < text.size(); ++end)
    if (starts_code_point(text[end]) && seen++ + 1 >= columns) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string to_ascii(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      out += text[i++];
      continue;
    }
    std::size_t length = 1;
    while (i + length < text.size() && !starts_code_point(text[i + length])) ++length;
    std::string_view replacement = "?";
    for (const auto& [symbol, ascii] : kAscii)
      if (text.substr(i, length) == symbol) replacement = ascii;
    out += replacement;
    i += length;
  }
  return out;
}

std::string file_words(const std::string& file) {
  return file == "-" ? "standard input" : printable(file);
}

std::string words(Value value, std::size_t columns) {
  if (value.is_nil()) return "nil";
  const std::string text = printable(value.to_string());
  if (!value.is_string() || width_of(text) <= columns) return elide(text, columns);
  return elide(text, columns - 1) + '"';
}

std::string call_words(const History& history, OperationId op, std::size_t value_columns) {
  const Call call = history.call_of(op);
  std::string out;
  if (history.objects.size() > 1 && !history.objects[history.object[op]].name.is_nil()) {
    const Value name = history.objects[history.object[op]].name;
    out = (name.is_string() ? elide(printable(std::string(name.as_text())), value_columns)
                            : words(name, value_columns)) +
          ".";
  }
  out += printable(std::string(call.method)) + "(";
  for (std::size_t i = 0; i < call.args.size(); ++i)
    out += (i ? ", " : "") + words(call.args[i], value_columns);
  return out + ")";
}

std::string result_words(const Specification* specification, std::string_view method, Value result,
                         std::size_t columns) {
  if (!result.is_nil() || !specification) return words(result, columns);
  const auto id = specification->find(method);
  if (!id) return words(result, columns);
  const Method& known = specification->methods()[*id];
  if (known.returns_nothing) return "ok";
  constexpr std::string_view kNilMeans = "null if ";
  const auto at = known.result.find(kNilMeans);
  return at == std::string::npos ? "nil" : known.result.substr(at + kNilMeans.size());
}

std::string count_words(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string count_words(std::uint64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", count_words(number), thing, number == 1 ? "" : "s");
}

std::string seconds_words(double seconds) {
  return seconds < 1 ? fmt::format("{:.3f} s", seconds) : fmt::format("{:.1f} s", seconds);
}

std::string bytes_words(std::uint64_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1024          ? fmt::format("{:.1f} KiB", kib)
         : kib < 1024 * 1024 ? fmt::format("{:.1f} MiB", kib / 1024)
                             : fmt::format("{:.1f} GiB", kib / 1024 / 1024);
}

std::string others_words(const Counterexample& counterexample, std::uint64_t operations) {
  const std::uint64_t others = operations - counterexample.operations.size();
  if (others == 0 || !counterexample.left_state.empty() || !counterexample.focus.empty()) return {};
  return fmt::format("Whenever the other {} took effect, if {} did, this can not be explained.",
                     others == 1 ? "operation" : count_words(others) + " operations",
                     others == 1 ? "it" : "they");
}

std::string list_words(const std::vector<std::string>& items, std::string_view last_joint) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i) out += i + 1 == items.size() ? fmt::format(" {} ", last_joint) : std::string(", ");
    out += items[i];
  }
  return out;
}

std::string paragraph_words(std::string text, std::size_t columns) {
  constexpr char kNoBreak = '\x1f';
  for (std::size_t i = 0; (i = text.find("(line ", i)) != std::string::npos; ++i)
    text[i + 5] = kNoBreak;
  std::string out;
  std::string line = " ";
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    std::replace(word.begin(), word.end(), kNoBreak, ' ');
    if (line != " " && width_of(line) + 1 + width_of(word) > columns) {
      out += line + "\n";
      line = " ";
    }
    line += " " + word;
    at = end + 1;
  }
  return out + line + "\n";
}

}  // namespace plumb::report
