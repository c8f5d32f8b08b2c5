// SPDX-License-Identifier: MIT
// The report about a model, for people and for programs.
#pragma once

#include <string>

#include "refine/verify.hpp"
#include "report/text.hpp"

namespace plumb::report {

struct ModelSubject {
  std::string file;
  const model::Program* program = nullptr;  // null: it was not read to its end
  const refine::VerifyReport* report = nullptr;
  refine::VerifyOptions options;
  bool interrupted = false;
  std::optional<std::uint64_t> seed;  // --simulate: a random run
  double total_seconds = 0;
  std::uint64_t peak_bytes = 0;  // of the process
};

/// The verdict with what was covered; a violation as a table, in words, and step by step.
std::string text_model_report(const ModelSubject& subject, const TextStyle& style);
/// "counter.plumb 12 s: 1.2M states, 410k/s, 3.1M transitions, depth 23, 310.0 MiB"
std::string search_words(const std::string& file, double seconds,
                         const refine::SearchProgress& progress, std::uint64_t resident);
/// One line of JSON.
std::string json_model_report(const ModelSubject& subject);

}  // namespace plumb::report
