// SPDX-License-Identifier: MIT
// Decides a model from C++: is a counter without a compare-and-swap linearizable?
#include <cstdio>
#include <plumb/verify.hpp>

namespace {

const char* const kCounter = R"(
  const N = 2
  object Counter {
    shared x : 0..N = 0
    op add() {
      local old : 0..N = x
      x = old + 1
      return old
    }
  }
  spec {
    state s : 0..N = 0
    op add() {
      s = s + 1
      return s - 1
    }
  }
  clients { N x add() at most 1 }
)";

}  // namespace

int main() {
  const plumb::Result<plumb::Model> model =
      plumb::read_model_text(kCounter, "counter.plumb", {{"N", 3}});
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().to_string().c_str());
    return 65;
  }

  // First whether every call returns: it does, since nothing waits.
  const auto progress = plumb::verify(*model, {.question = plumb::ProgressCondition::wait_free});
  if (!progress || progress->verdict != plumb::Verdict::holds) return 1;

  const auto report = plumb::verify(*model, {.timeout_seconds = 60});
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().to_string().c_str());
    return 70;
  }
  std::printf("%s: %s, %llu states\n", plumb::property_name(report->question).c_str(),
              std::string(plumb::to_string(report->verdict)).c_str(),
              static_cast<unsigned long long>(report->states));
  for (const plumb::ModelStep& step : report->steps)
    std::printf("  process %u: %s\n", step.process, step.what.c_str());
  for (const std::string& sentence : report->why) std::printf("  %s\n", sentence.c_str());
  return report->verdict == plumb::Verdict::violation && report->history ? 0 : 1;
}
