// SPDX-License-Identifier: MIT
// Linearizability with linearization points: an operation takes effect where its designer says.
#pragma once

#include "refine/question/monitor.hpp"

namespace plumb::refine {

class PointsMonitor final : public Monitor {
 public:
  using Monitor::Monitor;
  SetId took_effect(SetId set, std::uint32_t process) override;

 private:
  SetId after_call(SetId set, std::uint32_t process, model::CallNumber call) override;
  SetId after_return(SetId set, std::uint32_t process, model::Cell result) override;
  bool find_inclusion(SetId larger, SetId smaller) override;
};

}  // namespace plumb::refine
