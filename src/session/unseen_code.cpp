// SPDX-License-Identifier: MIT
#include "session/unseen_code.hpp"

#include <map>
#include <set>
#include <string>

#include "session/symbols.hpp"

namespace plumb::session {

std::vector<report::UnseenCode> unseen_code(const runtime::Board& board) {
  const Symbols symbols(board);
  std::map<std::string, std::set<std::string>> by_file;
  for (const void* const function : board.unseen.all()) {
    const Symbols::Owner owner = symbols.owner(function);
    const bool is_program = symbols.is_of_program(function);
    std::set<std::string>& names = by_file[is_program ? "the program" : owner.file];
    if (!owner.function.empty()) names.insert(owner.function);
  }
  std::vector<report::UnseenCode> all;
  for (const auto& [file, names] : by_file) all.push_back({file, {names.begin(), names.end()}});
  if (board.unseen.by_effect) all.emplace_back();
  return all;
}

}  // namespace plumb::session
