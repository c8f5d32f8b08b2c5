// SPDX-License-Identifier: MIT
// The options of a program under test are text (session/help.hpp), which that program prints by
// itself. Here they are rows again, for the completions and the manual page.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::cli {

struct HelpRow {
  std::string name;      // "--heap"
  std::string argument;  // "both|quarantine"; empty: a flag
  std::string help;
};

/// "  --name ARGUMENT  help", "  --pre TEXT, --post TEXT"; deeper lines go on with the help.
inline std::vector<HelpRow> rows_of(std::string_view text) {
  std::vector<HelpRow> rows;
  std::size_t fresh = 0;  // rows whose help has not ended
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("  --")) {
      fresh = rows.size();
      line.remove_prefix(2);
      while (line.starts_with("--")) {
        HelpRow& row = rows.emplace_back();
        row.name = line.substr(0, line.find(' '));
        line.remove_prefix(row.name.size());
        if (line.size() < 2 || line[1] == ' ') break;  // two blanks: the help
        line.remove_prefix(1);
        row.argument = line.substr(0, line.find(' '));
        line.remove_prefix(row.argument.size());
        if (!row.argument.ends_with(',')) break;
        row.argument.pop_back();
        line.remove_prefix(1);
      }
    }
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    for (std::size_t i = fresh; i < rows.size() && !line.empty(); ++i)
      rows[i].help += (rows[i].help.empty() ? "" : " ") + std::string(line);
  }
  return rows;
}

}  // namespace plumb::cli
