// SPDX-License-Identifier: MIT
// A check of quasi linearizability, and the least factors that explain a history.
#include "check/property/quasi/least_factor.hpp"
#include "check/property/quasi/quasi.hpp"
#include "plumb/check.hpp"

namespace plumb {
namespace quasi {
namespace {

// By set, with the factors of the other sets as asked.
void find_least_factors(const History& history, const QuasiLinearizable& property,
                        Pipeline& pipeline, QuasiReport& report) {
  for (std::size_t i = 0; i < report.asked.sets.size(); ++i)
    report.least.push_back(find_least_factor(history.size(), [&](std::int64_t factor) {
      std::vector<QuasiSet> changed = report.asked.sets;
      changed[i].factor = factor;
      for (const Partition& part : pipeline.parts().partitions)
        if (const Verdict v = property.decide(part.problem, changed, pipeline.budget()).verdict;
            v != Verdict::holds)
          return v;
      return Verdict::holds;
    }));
}

}  // namespace
}  // namespace quasi

Result<QuasiReport> check_quasi(const History& history, const QuasiOptions& asked,
                                const CheckOptions& options, CheckProgress* progress) {
  CheckProgress unused;
  CheckProgress& shown = progress ? *progress : unused;
  QuasiReport report;
  report.asked = asked;
  quasi::QuasiLinearizable property(history, options, report);
  Pipeline pipeline(property, history, options, shown);
  Result<CheckReport> check = pipeline.run();
  if (!check.ok()) return std::move(check.error());
  report.check = std::move(*check);
  if (asked.least_factors) {
    shown.phase = CheckPhase::finding_least_factors;
    quasi::find_least_factors(history, property, pipeline, report);
    report.check.peak_bytes = pipeline.budget().peak();
  }
  return report;
}

}  // namespace plumb
