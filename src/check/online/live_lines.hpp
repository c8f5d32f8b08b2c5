// SPDX-License-Identifier: MIT
// The lines of a pipe, or of a file that grows, as they arrive.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/result.hpp"

namespace plumb {

class LiveLines {
 public:
  enum class Next {
    line,   // here is one
    idle,   // nothing came for a while
    end,    // the input has ended, or a stop was requested
    failed  // `status` says why
  };

  /// `first`: what was read from `fd` already. `followed`: its path, if the end of the file is not
  /// the end of the input; else empty.
  /// `most_kept`: an input of up to so many bytes is kept.
  /// Requires: the file descriptor stays open.
  LiveLines(int fd, std::string first, std::string followed, std::size_t line_limit,
            std::size_t most_kept, const std::atomic<bool>& stop);

  /// The line is good until the next call, with 64 bytes behind it that may be read.
  Next next(std::string_view& line);
  std::uint64_t number() const { return number_; }  // of the last line, from 1
  Status& status() { return status_; }
  /// What became of a file that is followed, whose lines ended because of it; empty: nothing.
  const std::string& lost() const { return lost_; }
  /// All that was read so far; empty if that is more than is kept.
  std::string take_kept() { return std::move(kept_); }

 private:
  static constexpr std::size_t kPadding = 64, kBlock = std::size_t{1} << 18;
  enum class Fill { some, idle, end };
  Fill fill();
  void keep(std::string_view more);
  std::string what_became_of_file() const;

  int fd_;
  const std::string followed_;
  bool ended_ = false;
  std::size_t limit_, most_kept_;
  const std::atomic<bool>& stop_;
  std::string text_;  // [at_, size_) is still to come; then room and padding
  std::size_t at_ = 0, size_ = 0, searched_ = 0;
  std::uint64_t number_ = 0;
  std::string kept_, lost_;
  Status status_;
};

/// Reads what is there at once, up to a mebibyte. `at_end`: that was all.
Result<std::string> read_what_is_there(int fd, const std::atomic<bool>& stop, bool& at_end);

}  // namespace plumb
