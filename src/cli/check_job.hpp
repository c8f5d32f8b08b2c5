// SPDX-License-Identifier: MIT
// plumb check: one file, as a worker thread reads and decides it.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "plumb/check.hpp"
#include "plumb/formats.hpp"

namespace plumb::cli {

/// What is asked, and what the worker thread has found out so far.
struct CheckJob {
  std::string file;
  ReadOptions read;
  CheckOptions options;
  std::optional<QuasiOptions> quasi;  // --quasi
  bool follow = false;                // --follow
  bool may_stream = false;            // nothing was asked for that needs the whole history
  std::atomic<bool> stop{false};

  std::optional<Result<History>> history;
  std::atomic<bool> history_ready{false};  // from then on the main thread may look at it
  std::optional<Result<CheckReport>> report;
  std::optional<QuasiReport> quasi_report;  // its `check` is in `report`
  CheckProgress progress;
  double reading_seconds = 0;
  std::optional<Error> failure;
  std::string lost;  // what became of a file that is followed; empty: nothing

  void run();

 private:
  void read_and_check();
  bool read_as_stream();
  bool refuse_compressed(int fd, const std::string& name);
  bool decide_stream(int fd, std::string first, const std::string& name);
  void note_end(CheckReport& found) const;
};

}  // namespace plumb::cli
