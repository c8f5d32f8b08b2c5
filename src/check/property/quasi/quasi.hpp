// SPDX-License-Identifier: MIT
// Quasi linearizability, as a property of histories.
#pragma once

#include "check/pipeline/pipeline.hpp"
#include "check/property/quasi/relaxation.hpp"

namespace plumb::quasi {

class QuasiLinearizable final : public Property {
 public:
  /// Fills in of `report` what concerns distances; the question is `report.asked`.
  QuasiLinearizable(const History& history, const CheckOptions& options, QuasiReport& report)
      : Property(history), options_(options), report_(report),
        relaxation_(report.asked.relaxation) {}

  HistoryProperty kind() const override { return HistoryProperty::quasi_linearizable; }
  Result<Partitioning> split() override;
  Answer decide(const Partition& part, Budget& budget) override;
  bool decides_equal_parts_once() const override { return report_.asked.dedup; }
  std::string verify(const Partition& part, const Answer& answer) const override;
  std::string merge(const Partitioning& parts, const std::vector<Answer>& answers,
                    CheckReport& report) override;
  Minimised minimise(const Partition& part, const Answer& answer, Budget& budget) override;
  bool explain(const Partition& part, const Minimised& cut, Counterexample& example,
               Budget& budget) override;

  /// The same question with other factors, of a problem with the plain specification.
  Answer decide(const Problem& problem, const std::vector<QuasiSet>& sets, Budget& budget) const;

 private:
  Answer decide_relaxed(const Problem& linear, const Specification& plain, const Factors& factors,
                        Budget& budget) const;
  Minimised minimise_relaxed(const Problem& problem, const Answer& answer, Budget& budget) const;
  Minimised minimise_permuted(const Problem& problem, Budget& budget) const;
  void explain_distance(const Problem& problem, Counterexample& example, Budget& budget);

  const std::vector<QuasiSet>& sets() const { return report_.asked.sets; }
  Factors factors(const Problem& problem) const { return bind(sets(), *problem.specification); }

  const CheckOptions& options_;
  QuasiReport& report_;
  const Relaxation relaxation_;
};

}  // namespace plumb::quasi
