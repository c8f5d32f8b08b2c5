// SPDX-License-Identifier: MIT
// A search that is kept in a file while it runs, and continues from there: a line that says of
// which search, then the board and the strategy's memory, compressed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/wire/board.hpp"
#include "session/saved_file.hpp"

namespace plumb::session {

class SearchSave {
 public:
  /// `identity`: of the program, and of what was asked of it. `kept`: the board was filled from the
  /// file.
  Status open(const std::string& file, std::uint64_t identity, runtime::Board& board, bool& kept);
  bool is_open() const { return file_.is_open(); }
  /// Called often while the process under test runs: it waits between two executions while its
  /// board is copied. Returns: whether it was asked to wait.
  bool tend(runtime::Board& board);
  /// Requires: the process under test does not run, or waits.
  Status write(runtime::Board& board);
  void remove() { file_.remove(); }

 private:
  Status resume(std::string_view text, runtime::Board& board);

  SavedFile file_;
  std::uint64_t identity_ = 0;
  SaveRhythm rhythm_;
};

}  // namespace plumb::session
