// SPDX-License-Identifier: MIT
// The report of plumb verify.
#pragma once

#include <optional>
#include <string>

#include "refine/verify.hpp"
#include "report/report.hpp"

namespace plumb::report {

/// What the command knows beside what was found.
struct ModelRequest {
  std::string file;
  refine::VerifyOptions options;
  std::optional<std::uint64_t> seed;  // of a random run
  double total_seconds = 0;
  std::uint64_t peak_bytes = 0;  // of the process
};
Report model_report(const model::Program& program, refine::VerifyReport found,
                    const ModelRequest& request);

/// "counter.plumb 12 s: 1.2M states, 410k/s, 3.1M transitions, depth 23, 310.0 MiB"
std::string search_words(const std::string& file, double seconds,
                         const refine::SearchProgress& progress, std::uint64_t resident);

}  // namespace plumb::report
