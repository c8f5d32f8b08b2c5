// SPDX-License-Identifier: MIT
// What was found, for people and for machines.
#pragma once

#include <functional>
#include <string>

#include "session/settings.hpp"
#include "session/symbols.hpp"
#include "session/watch.hpp"

namespace plumb::session {

struct Report {
  std::string text;
  std::string json;
};

// `again`: a command that runs the program with these options; `name`: what to call it.
Report narrate(const Outcome& outcome, const Settings& settings, const runtime::Board& board,
               const std::function<std::string(const std::string& options)>& again,
               const std::string& name);

}  // namespace plumb::session
