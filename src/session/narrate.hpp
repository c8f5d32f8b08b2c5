// SPDX-License-Identifier: MIT
// What was found, for people and for machines.
#pragma once

#include <string>

#include "session/settings.hpp"
#include "session/symbols.hpp"
#include "session/watch.hpp"

namespace plumb::session {

struct Report {
  std::string text;
  std::string json;
};

Report narrate(const Outcome& outcome, const Settings& settings, const runtime::Board& board,
               const std::string& program);

}  // namespace plumb::session
