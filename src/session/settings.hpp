// SPDX-License-Identifier: MIT
// What a user can say about an exploration; the same words on the command line, in plumb::explore()
// and in a replay command.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::session {

enum class SearchBy : std::uint8_t { automatic, dfs, dpor, pct, pos, random };
enum class ScheduleAt : std::uint8_t { automatic, atomics, all };
enum class HeapChoice : std::uint8_t { both, quarantine, fifo, lifo };

struct Settings {
  SearchBy strategy = SearchBy::automatic;
  ScheduleAt schedule_at = ScheduleAt::automatic;
  HeapChoice heap = HeapChoice::both;
  int preemptions = 2;  // -1: any number
  bool preemptions_given = false;
  std::uint64_t max_executions = 1'000'000;
  bool max_executions_given = false;
  std::uint64_t max_steps = 100'000;
  std::uint64_t seed = 1;
  double timeout = 0;     // seconds; 0: none
  double hang = 10;       // seconds without a step
  int random_values = 2;  // a random number is one of 0..random_values-1
  bool spurious = false;
  bool start_points = false;
  bool json = false;
  bool quiet = false;
  bool keep_going = false;
  bool leaks = false;
  bool ignore_race = false;
  bool ignore_stuck = false;  // deadlock and livelock
  bool debug = false;
  int jobs = 1;
  std::string save;      // a file that keeps the search, from which it goes on
  std::string replay;    // a schedule
  std::string html;      // a page to be written
  std::string junit;     // a file to be written
  std::string markdown;  // a file to be added to
  std::string color = "auto";
  std::string points;  // sites of plain accesses, for a replay
};

/// Empty: understood. Otherwise what is wrong with it, and what would be right.
std::string parse(const std::vector<std::string>& words, Settings& settings);

}  // namespace plumb::session
