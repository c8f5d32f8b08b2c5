// SPDX-License-Identifier: MIT
// More processes for a campaign: each thread watches one of its own, on a board of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "lineup/campaign.hpp"
#include "session/cores.hpp"
#include "session/object_runner.hpp"
#include "session/object_settings.hpp"
#include "session/watch.hpp"

namespace plumb::session {

class ObjectWorkers final : public lineup::Runners {
 public:
  /// Like the runner, which is on the watch. Results have the same numbers for all of them.
  ObjectWorkers(const Watch& watch, ObjectRunner& runner, const Settings& settings,
                const ObjectSettings& object_settings, Cores& cores)
      : watch_(watch), runner_(runner), settings_(settings), object_settings_(object_settings),
        cores_(cores), workers_(count_of(settings, object_settings)) {}

  unsigned count() const override { return static_cast<unsigned>(workers_.size()); }
  lineup::Runner* make(unsigned number) override;
  void stop() override { stop_ = true; }
  /// What they distrust the first process distrusts as well. When they have ended.
  void share_distrust() const;
  void begin_work() override { cores_.begin_work(); }
  void end_work() override { cores_.end_work(); }
  void wait() override { watch_.report_progress(); }
  /// How many processes may work at the same time.
  static unsigned cores_of(const Settings& settings);

 private:
  struct Worker {
    Worker(const Settings& settings, const ObjectSettings& object_settings, Cores& cores,
           lineup::Results& results)
        : watch(settings), runner(watch, settings, object_settings, &cores, &results) {}
    Watch watch;
    ObjectRunner runner;
  };
  static std::size_t count_of(const Settings& settings, const ObjectSettings& object_settings);

  const Watch& watch_;
  ObjectRunner& runner_;
  const Settings& settings_;
  const ObjectSettings& object_settings_;
  Cores& cores_;
  std::atomic<bool> stop_{false};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace plumb::session
