// SPDX-License-Identifier: MIT
#include "session/settings.hpp"

#include "explore/schedule.hpp"

namespace plumb::session {
namespace {

std::string check_schedule(const char* name, const std::string& schedule) {
  std::string wrong = schedule.empty() ? "the schedule without choices is written -" : "";
  if (wrong.empty()) explore::parse_schedule(schedule, wrong);
  if (wrong.empty()) return {};
  return std::string(name) + ": '" + schedule + "' is not a schedule (" + wrong + ")";
}

}  // namespace

std::string check_settings(const Settings& s, bool of_object) {
  if (s.replay_given && s.replay != "-")
    if (std::string wrong = check_schedule("--replay", s.replay); !wrong.empty()) return wrong;
  if (s.first_given)
    if (std::string wrong = check_schedule("--first", s.first); !wrong.empty()) return wrong;
  if (s.debug && s.replay.empty()) return "--debug needs --replay";
  if (!s.save.empty() && !s.replay.empty()) return "--save cannot be combined with --replay";
  // A kept search is the part of one process.
  if (s.jobs > 1 && !of_object && !s.save.empty()) return "--jobs cannot be combined with --save";
  return {};
}

}  // namespace plumb::session
