// SPDX-License-Identifier: MIT
// A progress line for work that takes more than two seconds.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "plumb/check.hpp"

namespace plumb::report {

enum class ProgressMode { automatic, plain, none };
/// Shows text on a terminal, or wherever, at once.
using ProgressSink = std::function<void(std::string_view text)>;

class ProgressLine {
 public:
  /// `automatic` redraws one line of a terminal; `plain` writes a line now and then.
  ProgressLine(ProgressMode mode, ProgressSink sink);
  ~ProgressLine() { clear(); }

  /// Call it as often as you like.
  void update(const std::string& file, double seconds, const CheckProgress& progress);
  /// The same with other words, which are made only where they are shown.
  void update_words(double seconds, const std::function<std::string()>& words);
  /// Takes the line away before something else is printed.
  void clear();

 private:
  ProgressMode mode_;
  ProgressSink sink_;
  double next_ = 0;
  bool drawn_ = false;
};

/// "run.jsonl: deciding; 3 of 24 partitions, 12,000 of 100,000 operations; 12 s"
std::string progress_words(const std::string& file, double seconds, const CheckProgress& progress);

}  // namespace plumb::report
