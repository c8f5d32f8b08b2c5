// SPDX-License-Identifier: MIT
// Data races that are no findings, by the names of functions, files and lines: --suppressions FILE.
//
// In the process under test only addresses of instructions are known. So a race first ends the
// search, as any other; its two accesses are looked up here, and if a line of the file matches one
// of them, that instruction is suppressed and the search starts again. Only the function that makes
// the access and those that it is inlined into count, not their callers: a race is known by its two
// instructions, and others may call them as well.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/result.hpp"
#include "report/report.hpp"
#include "runtime/wire/board.hpp"
#include "session/symbols.hpp"

namespace plumb::session {

/// What such a file says. As in ThreadSanitizer's: race:PATTERN, with * for any text; the pattern
/// may match a part, ^ and $ stand for begin and end.
class Suppressions {
 public:
  struct Line {
    std::uint64_t number;  // in the file
    std::string pattern;
  };

  static Result<std::shared_ptr<const Suppressions>> read(const std::string& file);

  const std::string& file() const { return file_; }
  const std::vector<Line>& lines() const { return lines_; }
  /// Of a frame: by index.
  std::set<std::size_t> matching(const Frame& frame) const;

 private:
  std::string file_;
  std::vector<Line> lines_;
};

/// The instructions of a race, the smaller address first.
using RacePair = std::pair<std::uint64_t, std::uint64_t>;

/// Applies them to a board. Remembers what it looked up, so each thread has its own.
class RaceFilter {
 public:
  /// Null: nothing is suppressed.
  void use(std::shared_ptr<const Suppressions> suppressions) {
    suppressions_ = std::move(suppressions);
  }
  const std::shared_ptr<const Suppressions>& suppressions() const { return suppressions_; }

  /// Takes the findings off the board that are suppressed, and notes their instructions there.
  /// Whether there were any.
  bool drop(runtime::Board& board);
  /// How many of these races each line suppressed.
  std::vector<report::Suppression> count(const std::set<RacePair>& races,
                                         const runtime::Board& board);

 private:
  const std::set<std::size_t>& lines_of(const void* pc, const runtime::Board& board);
  bool suppresses(const runtime::Finding& finding, runtime::Board& board);

  std::shared_ptr<const Suppressions> suppressions_;
  std::map<const void*, std::set<std::size_t>> known_;
};

/// The races that searches on this board came to since it was cleared.
void add_seen(const runtime::Board& board, std::set<RacePair>& races);

}  // namespace plumb::session
