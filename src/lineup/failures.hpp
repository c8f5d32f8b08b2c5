// SPDX-License-Identifier: MIT
// What failed in a campaign: each test is shrunk, and failures that shrink to the same test are
// one.
#pragma once

#include <vector>

#include "lineup/campaign.hpp"

namespace plumb::lineup {

class Failures {
 public:
  Failures(Runner& runner, const Object& object, const CampaignSettings& settings)
      : runner_(runner), object_(object), settings_(settings) {}

  /// Shrinks the test, which failed in this stage; adds the executions of that to `executions`.
  /// False: that was cut.
  bool keep(const Matrix& test, CheckResult checked, const Stage& stage, std::uint64_t& executions);

  std::vector<TestFailure> all;

 private:
  void shrink(TestFailure& failed, std::uint64_t& executions);
  void count_histories(TestFailure& failed, std::uint64_t& executions);
  bool leaves(const Matrix& test, const CheckResult& result) const;

  Runner& runner_;
  const Object& object_;
  const CampaignSettings& settings_;
};

}  // namespace plumb::lineup
