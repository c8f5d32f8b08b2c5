// SPDX-License-Identifier: MIT
// Linearizability, as a property of histories.
#pragma once

#include <atomic>

#include "check/pipeline/pipeline.hpp"

namespace plumb {

class Linearizable final : public Property {
 public:
  Linearizable(const History& history, const CheckOptions& options)
      : Property(history), options_(options) {}

  HistoryProperty kind() const override { return HistoryProperty::linearizable; }
  Result<Partitioning> split() override;
  Answer decide(const Partition& part, Budget& budget) override;
  std::string verify(const Partition& part, const Answer& answer) const override;
  Minimised minimise(const Partition& part, const Answer& answer, Budget& budget) override;
  void confirm(const Partition& part, const Answer& answer, std::uint64_t factor, Budget& budget,
               Minimised& cut) override;
  bool explain(const Partition& part, const Minimised& cut, Counterexample& example,
               Budget& budget) override;

  /// Whether some part has order hints, and no order that follows them explains it.
  bool hints_refused() const { return hints_refused_; }

 private:
  void say_how_stale(const Problem& problem, Counterexample& example, Budget& budget) const;

  const CheckOptions& options_;
  std::size_t parts_ = 0;  // 0: it was not split here, so nothing is known of the rest
  std::atomic<bool> hints_refused_{false};
};

Result<CheckReport> check_linearizable(const History& history, const CheckOptions& options,
                                       CheckProgress& progress);

}  // namespace plumb
