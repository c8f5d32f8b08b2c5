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

// `program`: how to start it again; `name`: what to call it.
Report narrate(const Outcome& outcome, const Settings& settings, const runtime::Board& board,
               const std::string& program, const std::string& name);

}  // namespace plumb::session
