// SPDX-License-Identifier: MIT
// Only directives are read. What is inside of #if is left out, since its condition is not known; a
// guard around a whole file is no condition. Where the text misleads (a directive in a raw string),
// a header is taken for included that is not, or the reverse; both only cost a precompiled header.
#include "spec/include_scan.hpp"

#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "base/compiler_driver.hpp"

namespace plumb {
namespace {

bool is_name_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string first_name(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_name_character(text[n])) ++n;
  return std::string(text.substr(0, n));
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == text.npos ? std::string_view() : text.substr(first);
}

// The lines without comments.
class CodeLines {
 public:
  explicit CodeLines(const std::string& text) : in_(text) {}

  bool next(std::string& code) {
    std::string line;
    if (!std::getline(in_, line)) return false;
    code.clear();
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (is_comment_ && line.compare(i, 2, "*/") == 0) {
        is_comment_ = false;
        ++i;
      } else if (!is_comment_ && line.compare(i, 2, "//") == 0) {
        break;
      } else if (!is_comment_ && line.compare(i, 2, "/*") == 0) {
        is_comment_ = true;
        ++i;
      } else if (!is_comment_) {
        code += line[i];
      }
    }
    return true;
  }

 private:
  std::istringstream in_;
  bool is_comment_ = false;
};

class IncludeScan {
 public:
  explicit IncludeScan(const std::vector<std::string>& files) : files_(files) {}

  void scan(const std::string& file) {
    if (!scanned_.insert(file).second) return;
    CodeLines lines(contents(file).value_or(""));
    std::string guard;
    int depth = 0;
    for (std::string line; lines.next(line);) {
      std::string_view code = without_blanks(line);
      if (!code.starts_with('#')) continue;
      code = without_blanks(code.substr(1));
      const std::string directive = first_name(code);
      const std::string_view rest = without_blanks(code.substr(directive.size()));
      if (directive.starts_with("if")) {
        if (depth++ == 0 && directive == "ifndef") guard = first_name(rest);
      } else if (directive == "endif") {
        --depth;
      } else if (directive == "define" || directive == "undef") {
        if (depth == 1 && first_name(rest) == guard) depth = 0;
        seen_macros_.insert(first_name(rest));
      } else if (directive == "include" && depth <= 0) {
        include(rest);
      }
      if (directive != "ifndef") guard.clear();
    }
  }

  // Of files that were included in a way that is not understood here, all macros count.
  ScannedIncludes finish() {
    ScannedIncludes found = std::move(found_);
    seen_macros_.clear();
    for (const std::string& file : files_) scan(file);
    found.macros.merge(seen_macros_);
    return found;
  }

 private:
  void include(std::string_view what) {
    const char end = what.starts_with('<') ? '>' : '"';
    const std::size_t length = what.empty() ? what.npos : what.find(end, 1);
    if (length == what.npos) return;
    const std::string name(what.substr(1, length - 1));
    if (const auto own = own_file(name)) return scan(*own);
    if (end != '>') return;
    if (seen_headers_.insert(name).second) found_.headers.push_back("<" + name + ">");
    found_.macros = seen_macros_;
  }

  std::optional<std::string> own_file(const std::string& name) const {
    const std::string end = "/" + std::filesystem::path(name).lexically_normal().string();
    for (const std::string& file : files_)
      if (file.ends_with(end)) return file;
    return std::nullopt;
  }

  const std::vector<std::string>& files_;
  ScannedIncludes found_;
  std::set<std::string> scanned_, seen_headers_, seen_macros_;
};

}  // namespace

ScannedIncludes scan_includes(const std::string& file, const std::vector<std::string>& files) {
  IncludeScan scan(files);
  scan.scan(file);
  return scan.finish();
}

void add_identifiers(std::string_view text, std::set<std::string, std::less<>>& names) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end > i) {
      if (const std::string_view name = text.substr(i, end - i); !names.contains(name))
        names.emplace(name);
    }
    i = end + 1;
  }
}

}  // namespace plumb
