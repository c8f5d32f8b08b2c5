// SPDX-License-Identifier: MIT
// A specification that was observed before stands for phase 1.
#pragma once

#include <utility>

#include "lineup/check.hpp"
#include "lineup/serial.hpp"

namespace plumb::session {

class FrozenRunner final : public lineup::Runner {
 public:
  FrozenRunner(lineup::Runner& runner, lineup::SerialHistories serial)
      : runner_(runner), serial_(std::move(serial)) {}
  lineup::RunResult serial(const lineup::Matrix&, const OnHistory& on_history) override {
    for (const auto* all : {&serial_.full(), &serial_.stuck()}) {
      for (const lineup::SerialHistory& history : *all) on_history(lineup::to_concurrent(history));
    }
    return {};
  }
  const lineup::Results& results() const override { return runner_.results(); }
  lineup::RunResult concurrent(const lineup::Matrix& test, int preemptions,
                               const OnHistory& on_history) override {
    return runner_.concurrent(test, preemptions, on_history);
  }
  bool calls_may_be_late() const override { return runner_.calls_may_be_late(); }
  void confirm(bool on, bool freely) override { runner_.confirm(on, freely); }
  void distrust() override { runner_.distrust(); }
  std::string unseen() const override { return runner_.unseen(); }
  bool read_thread_id() const override { return runner_.read_thread_id(); }
  lineup::JudgementLimits limits() const override { return runner_.limits(); }

 private:
  lineup::Runner& runner_;
  lineup::SerialHistories serial_;
};

}  // namespace plumb::session
