// SPDX-License-Identifier: MIT
#include "session/settings.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include "explore/schedule.hpp"

namespace plumb::session {

namespace {

// Empty: it was. Whole numbers are whole, and none is cut to what fits.
template <class Number>
std::string read_number(const std::string& name, const std::string& text, Number low, Number high,
                        const char* what, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (whole && number >= low && number <= high) return {};
  return name + ": '" + text + "' is not " + what;
}

std::string one_of(std::string_view name, std::string_view choices, std::string_view given) {
  return std::string(name) + ": '" + std::string(given) +
         "' is not one of: " + std::string(choices);
}

}  // namespace

std::string parse(const std::vector<std::string>& words, Settings& s) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i];
    std::optional<std::string> given;
    if (const auto equals = name.find('='); equals != name.npos && name.starts_with("--")) {
      given = name.substr(equals + 1);
      name.resize(equals);
    }
    const struct {
      const char* name;
      bool* value;
    } flags[] = {{"--spurious", &s.spurious}, {"--start-points", &s.start_points},
                 {"--json", &s.json},         {"--quiet", &s.quiet},
                 {"--debug", &s.debug},       {"--keep-going", &s.keep_going},
                 {"--leaks", &s.leaks}};
    bool is_flag = false;
    for (const auto& flag : flags) {
      if (name != flag.name) continue;
      if (given) return name + " takes no value";
      *flag.value = is_flag = true;
    }
    if (is_flag) continue;
    const bool known = name == "--strategy" || name == "--preemptions" ||
                       name == "--max-executions" || name == "--max-steps" ||
                       name == "--schedule-at" || name == "--heap" || name == "--ignore" ||
                       name == "--seed" || name == "--timeout" || name == "--hang" ||
                       name == "--replay" || name == "--points" || name == "--save" ||
                       name == "--jobs" || name == "--random-values" || name == "--html" ||
                       name == "--junit" || name == "--markdown" || name == "--color";
    if (!known) return "there is no option '" + words[i] + "'; --help lists them";
    if (!given) {
      if (++i == words.size()) return name + " needs a value";
      given = words[i];
    }
    const std::string& value = *given;
    if (name == "--strategy") {
      if (value == "auto") s.strategy = SearchBy::automatic;
      else if (value == "dfs") s.strategy = SearchBy::dfs;
      else if (value == "dpor") s.strategy = SearchBy::dpor;
      else if (value == "pct") s.strategy = SearchBy::pct;
      else if (value == "pos") s.strategy = SearchBy::pos;
      else if (value == "random") s.strategy = SearchBy::random;
      else return one_of(name, "auto, dfs, dpor, pct, pos, random", value);
    } else if (name == "--schedule-at") {
      if (value == "auto") s.schedule_at = ScheduleAt::automatic;
      else if (value == "atomics") s.schedule_at = ScheduleAt::atomics;
      else if (value == "all") s.schedule_at = ScheduleAt::all;
      else return one_of(name, "auto, atomics, all", value);
    } else if (name == "--heap") {
      if (value == "both") s.heap = HeapChoice::both;
      else if (value == "quarantine") s.heap = HeapChoice::quarantine;
      else if (value == "fifo") s.heap = HeapChoice::fifo;
      else if (value == "lifo") s.heap = HeapChoice::lifo;
      else return one_of(name, "both, quarantine, fifo, lifo", value);
    } else if (name == "--ignore") {
      std::size_t at = 0;
      while (at <= value.size()) {
        const std::size_t comma = std::min(value.find(',', at), value.size());
        const std::string what = value.substr(at, comma - at);
        if (what == "race") s.ignore_race = true;
        else if (what == "deadlock" || what == "livelock") s.ignore_stuck = true;
        else if (what != "leak") return one_of(name, "race, deadlock, leak", what);
        at = comma + 1;
      }
    } else if (name == "--replay") {
      std::string wrong = value.empty() ? "- is the one without choices" : "";
      if (value != "-" && wrong.empty()) explore::parse_schedule(value, wrong);
      if (!wrong.empty())
        return name.append(": '").append(value).append("' is not a schedule (").append(wrong) + ")";
      s.replay = value;
    } else if (name == "--save") {
      if (value.empty()) return "--save: needs the name of a file";
      s.save = value;
    } else if (name == "--html") {
      if (value.empty()) return "--html: needs the name of a file";
      s.html = value;
    } else if (name == "--points") {
      s.points = value;
    } else if (name == "--junit") {
      s.junit = value;
    } else if (name == "--markdown") {
      s.markdown = value;
    } else if (name == "--color") {
      if (value != "auto" && value != "always" && value != "never")
        return one_of(name, "auto, always, never", value);
      s.color = value;
    } else {
      constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
      constexpr double least_time = 1e-6, most_time = 1e9;
      const char* const count = "a whole number above 0";
      const char* const time = "a number above 0";
      std::string wrong;
      if (name == "--preemptions") {
        const char* const what = "a whole number; -1: any number of them";
        wrong = read_number(name, value, -1, 1'000'000, what, s.preemptions);
        s.preemptions_given = true;
      }
      if (name == "--max-executions") {
        wrong = read_number<std::uint64_t>(name, value, 1, most, count, s.max_executions);
        s.max_executions_given = true;
      }
      if (name == "--max-steps")
        wrong = read_number<std::uint64_t>(name, value, 1, most, count, s.max_steps);
      if (name == "--random-values")
        wrong = read_number(name, value, 1, 192, "one of 1 to 192", s.random_values);
      if (name == "--jobs") wrong = read_number(name, value, 1, 64, "one of 1 to 64", s.jobs);
      if (name == "--seed")
        wrong = read_number<std::uint64_t>(name, value, 0, most, "a whole number", s.seed);
      if (name == "--timeout")
        wrong = read_number(name, value, least_time, most_time, time, s.timeout);
      if (name == "--hang") wrong = read_number(name, value, least_time, most_time, time, s.hang);
      if (!wrong.empty()) return wrong;
    }
  }
  if (s.debug && s.replay.empty()) return "--debug: goes with --replay only";
  if (!s.save.empty() && !s.replay.empty()) return "--save: does not go with --replay";
  if (s.jobs > 1) {
    const bool divides = s.strategy == SearchBy::dfs || s.strategy == SearchBy::automatic;
    if (!divides || s.preemptions >= 0)
      return "--jobs: only --strategy dfs --preemptions -1 can be divided among processes";
    // What is kept is the part of one of them.
    if (!s.save.empty()) return "--jobs: does not go with --save";
  }
  return {};
}

}  // namespace plumb::session
