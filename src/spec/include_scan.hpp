// SPDX-License-Identifier: MIT
// What a C++ file includes, and which macros it defines before that: read from its text, without a
// preprocessor.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// Of a file and of the user's files that it includes.
struct ScannedIncludes {
  /// "<atomic>": what is included from elsewhere, whatever the macros are, in its order.
  std::vector<std::string> headers;
  /// Names that are defined or undefined before the last of them.
  std::set<std::string> macros;
};

/// `files`: all files of the user's that the compiler has read.
ScannedIncludes scan_includes(const std::string& file, const std::vector<std::string>& files);

/// Adds every name in the text.
void add_identifiers(std::string_view text, std::set<std::string, std::less<>>& names);

}  // namespace plumb
