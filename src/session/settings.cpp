// SPDX-License-Identifier: MIT
#include "session/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>

namespace plumb::session {

namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string one_of(std::string_view name, std::string_view choices, std::string_view given) {
  return std::string(name) + " is one of " + std::string(choices) + ", not '" + std::string(given) +
         "'";
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
    const bool known =
        name == "--strategy" || name == "--preemptions" || name == "--max-executions" ||
        name == "--max-steps" || name == "--schedule-at" || name == "--heap" ||
        name == "--ignore" || name == "--seed" || name == "--timeout" || name == "--hang" ||
        name == "--replay" || name == "--points" || name == "--save" || name == "--jobs";
    if (!known) return "there is no option '" + words[i] + "'; --help lists them";
    if (!given) {
      if (++i == words.size()) return name + " needs a value";
      given = words[i];
    }
    const std::string& value = *given;
    if (name == "--strategy") {
      if (value == "auto") s.strategy = SearchBy::kAuto;
      else if (value == "dfs") s.strategy = SearchBy::kDfs;
      else if (value == "dpor") s.strategy = SearchBy::kDpor;
      else if (value == "pct") s.strategy = SearchBy::kPct;
      else if (value == "pos") s.strategy = SearchBy::kPos;
      else if (value == "random") s.strategy = SearchBy::kRandom;
      else return one_of(name, "auto, dfs, dpor, pct, pos, random", value);
    } else if (name == "--schedule-at") {
      if (value == "auto") s.schedule_at = ScheduleAt::kAuto;
      else if (value == "atomics") s.schedule_at = ScheduleAt::kAtomics;
      else if (value == "all") s.schedule_at = ScheduleAt::kAll;
      else return one_of(name, "auto, atomics, all", value);
    } else if (name == "--heap") {
      if (value == "both") s.heap = HeapChoice::kBoth;
      else if (value == "quarantine") s.heap = HeapChoice::kQuarantine;
      else if (value == "fifo") s.heap = HeapChoice::kFifo;
      else if (value == "lifo") s.heap = HeapChoice::kLifo;
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
      s.replay = value;
    } else if (name == "--save") {
      s.save = value;
    } else if (name == "--points") {
      s.points = value;
    } else {
      const std::optional<double> n = number(value);
      if (!n || (*n < 0 && name != "--preemptions"))
        return name.append(" needs a number, not '").append(value).append("'");
      if (name == "--preemptions") {
        s.preemptions = static_cast<int>(*n);
        s.preemptions_given = true;
      }
      if (name == "--max-executions") s.max_executions = static_cast<std::uint64_t>(*n);
      if (name == "--max-steps") s.max_steps = static_cast<std::uint64_t>(*n);
      if (name == "--jobs") s.jobs = static_cast<int>(*n);
      if (name == "--seed") s.seed = static_cast<std::uint64_t>(*n);
      if (name == "--timeout") s.timeout = *n;
      if (name == "--hang") s.hang = *n;
    }
  }
  return {};
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(' ', at)) != line.npos) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace plumb::session
