// SPDX-License-Identifier: MIT
#include "cli/verify_job.hpp"

#include <fmt/format.h>

#include <array>
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
      undecided.question = *options.question;
      undecided.simulated = choose != nullptr;
      undecided.reason = "out of memory";
      undecided.found.stopped = StopReason::out_of_memory;
      report = std::move(undecided);
    }
  });
  if (!done.ok()) failure = done.error();
}

namespace {

// Its texts, in one order.
auto texts_of(auto& d) {
  return std::array{&d.row.reason, &d.json, &d.error, &d.shown.message, &d.shown.text, &d.report};
}

}  // namespace

// Figures with the lengths of the texts, then these.
std::string pack(const VerifyDecision& d) {
  std::string sizes, texts;
  for (const std::string* text : texts_of(d)) {
    sizes += " " + std::to_string(text->size());
    texts += *text;
  }
  return fmt::format("{} {} {} {} {} {} {} {}{}\n{}", to_int(d.status),
                     static_cast<int>(d.row.outcome), d.row.states, d.row.transitions, d.row.depth,
                     d.row.seconds, d.row.peak_bytes, static_cast<int>(d.shown.outcome), sizes,
                     texts);
}

VerifyDecision unpack(const std::optional<std::string>& packed) {
  VerifyDecision d;
  d.status = ExitStatus::internal;
  d.shown.outcome = report::CaseVerdict::error;
  if (!packed) return d;
  std::istringstream in(*packed);
  int status = to_int(d.status), outcome = static_cast<int>(d.row.outcome), shown = outcome;
  in >> status >> outcome >> d.row.states >> d.row.transitions >> d.row.depth >> d.row.seconds >>
      d.row.peak_bytes >> shown;
  d.status = static_cast<ExitStatus>(status);
  d.row.outcome = static_cast<report::CaseVerdict>(outcome);
  d.shown.outcome = static_cast<report::CaseVerdict>(shown);
  for (std::string* text : texts_of(d)) {
    std::size_t size = 0;
    in >> size;
    text->resize(size);
  }
  in.ignore();
  for (std::string* text : texts_of(d))
    in.read(text->data(), static_cast<std::streamsize>(text->size()));
  return d;
}

}  // namespace plumb::cli
