// SPDX-License-Identifier: MIT
#include "lineup/matrix.hpp"

#include <algorithm>

namespace plumb::lineup {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

// Splits at `separator`, except inside of parentheses, brackets and quotes. "||" is one separator.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != separator || depth != 0) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    if (separator == '|' && text.substr(i).starts_with("||")) ++i;
    begin = i + 1;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

std::string without_blanks(std::string_view text) {
  std::string result;
  bool quoted = false;
  bool escaped = false;
  for (const char c : text) {
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
    if (quoted || (c != ' ' && c != '\t')) result += c;
  }
  return result;
}

std::string parse_column(std::string_view text, const Object& object, Column& column) {
  if (text.empty()) return {};
  for (const std::string_view part : split(text, ',')) {
    const std::string wanted = without_blanks(part);
    const auto is_it = [&](const Invocation& invocation) {
      const std::string name = without_blanks(invocation.text);
      return name == wanted || name == wanted + "()";
    };
    const auto found = std::ranges::find_if(object.invocations, is_it);
    if (found == object.invocations.end()) {
      std::string known;
      for (const Invocation& invocation : object.invocations)
        known += (known.empty() ? "" : ", ") + invocation.text;
      return "there is no operation '" + std::string(part) + "'; there are " + known;
    }
    column.push_back(static_cast<int>(found - object.invocations.begin()));
  }
  return {};
}

std::string to_text(const Column& column, const Object& object) {
  std::string text;
  for (const int i : column) {
    text += (text.empty() ? "" : ", ") + object.invocations[static_cast<std::size_t>(i)].text;
  }
  return text;
}

}  // namespace

std::string argument_text(const Invocation& invocation) {
  const std::size_t open = invocation.text.find('(');
  if (open == std::string::npos) return {};
  return invocation.text.substr(open + 1, invocation.text.size() - open - 2);
}

std::vector<std::string> argument_texts(const Invocation& invocation) {
  const std::string all = argument_text(invocation);
  if (all.empty()) return {};
  const std::vector<std::string_view> parts = split(all, ',');
  return {parts.begin(), parts.end()};
}

std::vector<Cell> cells(const Matrix& test) {
  std::vector<Cell> all;
  for (const int i : test.initial) all.push_back({i, 0});
  for (std::size_t c = 0; c < test.columns.size(); ++c) {
    for (const int i : test.columns[c]) all.push_back({i, static_cast<int>(c) + 1});
  }
  for (const int i : test.final) all.push_back({i, 0});
  return all;
}

int size(const Matrix& test) {
  std::size_t n = test.initial.size() + test.final.size();
  for (const Column& column : test.columns) n += column.size();
  return static_cast<int>(n);
}

std::string thread_name(int thread) {
  if (thread == 0) return "main";
  std::string name;
  for (int n = thread; n > 0; n = (n - 1) / 26) {
    name.insert(name.begin(), static_cast<char>('A' + (n - 1) % 26));
  }
  return name;
}

std::string to_text(const Matrix& test, const Object& object) {
  std::string text;
  if (!test.initial.empty()) text += "pre " + to_text(test.initial, object) + "; ";
  for (std::size_t c = 0; c < test.columns.size(); ++c) {
    text += (c == 0 ? "" : " | ") + to_text(test.columns[c], object);
  }
  if (!test.final.empty()) text += "; post " + to_text(test.final, object);
  return text;
}

std::string parse(std::string_view text, const Object& object, Column& column) {
  column = {};
  return parse_column(trimmed(text), object, column);
}

std::string parse(std::string_view text, const Object& object, Matrix& test) {
  test = {};
  std::string error;
  bool has_columns = false;
  // "post push(1)"; but "post" and "post | wait" call a method of that name, if there is one.
  const auto begins_with = [&object](std::string_view part, std::string_view word) {
    if (part != word && !part.starts_with(std::string(word) + " ")) return false;
    const std::string_view rest = trimmed(part.substr(word.size()));
    return !(rest.empty() || rest[0] == '|' || rest[0] == ',') ||
           std::ranges::find(object.invocations, word, &Invocation::method) ==
               object.invocations.end();
  };
  for (const std::string_view part : split(text, ';')) {
    if (part.empty()) continue;
    if (begins_with(part, "pre")) {
      if (has_columns) return "'pre' must come before the columns";
      error = parse_column(trimmed(part.substr(3)), object, test.initial);
    } else if (begins_with(part, "post")) {
      error = parse_column(trimmed(part.substr(4)), object, test.final);
    } else {
      if (has_columns) return "columns are separated by '|', not by ';'";
      has_columns = true;
      for (const std::string_view column : split(part, '|')) {
        test.columns.emplace_back();
        if (error.empty()) error = parse_column(column, object, test.columns.back());
      }
    }
    if (!error.empty()) return error;
  }
  if (size(test) == 0) return "a test calls at least one operation";
  // An empty one may say that those after it are other threads.
  Matrix dense = test;
  std::erase_if(dense.columns, [](const Column& column) { return column.empty(); });
  if (allowed(dense, object)) test = std::move(dense);
  else if (!allowed(test, object))
    return "an operation is on a thread on which it may not be called";
  return {};
}

bool allowed(const Matrix& test, const Object& object) {
  for (std::size_t c = 0; c < test.columns.size(); ++c) {
    for (const int i : test.columns[c]) {
      const Invocation& it = object.invocations[static_cast<std::size_t>(i)];
      if (it.only_on >= 0 && it.only_on != static_cast<int>(c)) return false;
      if (!it.one_thread) continue;
      for (std::size_t other = 0; other < c; ++other) {
        for (const int j : test.columns[other]) {
          if (object.invocations[static_cast<std::size_t>(j)].method == it.method) return false;
        }
      }
    }
  }
  return true;
}

Matrix canonical(Matrix test) {
  std::ranges::sort(test.columns, [](const Column& a, const Column& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return test;
}

bool is_prefix(const Matrix& a, const Matrix& b) {
  if (a.initial != b.initial || a.final != b.final || a.columns.size() > b.columns.size())
    return false;
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const Column& x = a.columns[c];
    const Column& y = b.columns[c];
    if (x.size() > y.size() || !std::equal(x.begin(), x.end(), y.begin())) return false;
  }
  return true;
}

}  // namespace plumb::lineup
