// SPDX-License-Identifier: MIT
#include "cli/verify_job.hpp"

#include <fmt/format.h>

#include <iterator>
#include <new>
#include <sstream>

#include "cli/commands.hpp"

namespace plumb::cli {

void VerifyJob::run() {
  const Status done = guarded([this] {
    try {
      report = choose ? refine::simulate(program, text, options, choose)
                      : refine::verify(program, text, options, &progress);
    } catch (const std::bad_alloc&) {
      refine::VerifyReport undecided;
      undecided.reason = "out of memory";
      report = std::move(undecided);
    }
  });
  if (!done.ok()) failure = done.error();
}

// Figures, the reason, JSON, then what is told and the report.
std::string pack(const VerifyDecision& d) {
  return fmt::format("{} {} {} {} {} {} {} {}\n{}\n{}\n{}{}", to_int(d.status), d.row.verdict,
                     d.row.states, d.row.transitions, d.row.depth, d.row.seconds, d.row.peak_bytes,
                     d.told.size(), d.row.reason, d.json, d.told, d.report);
}

VerifyDecision unpack(const std::optional<std::string>& text) {
  VerifyDecision d;
  d.status = ExitStatus::internal;
  if (!text) return d;
  std::istringstream in(*text);
  int status = to_int(d.status);
  std::size_t told = 0;
  in >> status >> d.row.verdict >> d.row.states >> d.row.transitions >> d.row.depth >>
      d.row.seconds >> d.row.peak_bytes >> told;
  d.status = static_cast<ExitStatus>(status);
  in.ignore();
  std::getline(in, d.row.reason);
  std::getline(in, d.json);
  d.report.assign(std::istreambuf_iterator<char>(in), {});
  d.told = d.report.substr(0, told);
  d.report.erase(0, told);
  return d;
}

}  // namespace plumb::cli
