// SPDX-License-Identifier: MIT
// One search in several processes. team.cpp says how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "session/cores.hpp"
#include "session/parts.hpp"
#include "session/pulse.hpp"
#include "session/watch.hpp"

namespace plumb::session {

/// A part is not divided before it has run for so long, since each costs about a tenth of that.
inline constexpr double kLeastPartSeconds = 0.002;

class Team {
 public:
  /// The search is on the board of the first process of the watch, prepared. `alone`: seconds until
  /// it is divided.
  Team(Watch& watch, const Process::How& how, Cores& cores, double alone);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  /// The first board then says what one process would have said.
  Watch::Ended run();

 private:
  struct Worker {
    Part* part = nullptr;        // that it runs, or ended
    bool has_run = false;        // in this process, a part of this search
    const Part* last = nullptr;  // that it ran; null: those are before all that are left
    Pulse pulse;
    double ask_at = 0;  // for a part of its work
    int refusals = 0;   // since it last gave some
  };

  Process& process(std::size_t worker) const { return *watch_.processes_[worker]; }
  runtime::Board& board(std::size_t worker) const { return process(worker).board(); }
  bool runs(std::size_t worker) const;
  unsigned running() const;

  void start_first();
  void start(Part& part, std::size_t worker);
  bool must_forget(const Worker& worker, const Part& part) const;
  void begin_process(std::size_t worker);
  void fail(const std::string& why);

  bool look_at(std::size_t worker);
  void finish(Part& part);
  void hand_on(Part& part);
  bool join(Part& part);
  void end(Part& part, Watch::Ended why);
  void drop_what_is_in_vain();
  void drop_from(std::list<Part>::iterator first);
  void free(Part& part);

  void hear(std::size_t worker, const HistoryRecord& record);
  void pass_on(HistoryRecord record);
  void advance_front();
  void end_with(Part& part);
  void begin_next_bound();

  std::optional<std::size_t> free_worker();
  void return_cores();
  bool start_ready_parts();
  bool divide();
  bool is_to_be_asked(std::size_t worker, double now) const;
  bool pauses(std::size_t worker) const;
  bool give(std::size_t from, std::size_t to);
  Part& add_given(Part& giver, bool joins);

  void stop_workers();
  void sum_up();
  void wait(long nanoseconds) const;

  Watch& watch_;
  Process::How how_;
  const bool ends_processes_;  // when the search is over
  Cores& cores_;
  const double divide_at_;
  const Reuse reuse_;
  const std::uint64_t most_;  // executions
  const bool every_history_;
  std::list<Part> parts_;  // without those at the beginning that are done
  std::vector<Worker> workers_;
  std::size_t asked_ = 0;
  unsigned borrowed_ = 0;
  bool can_grow_ = true;
  Counted sum_;                  // of the parts at the beginning that are done
  std::uint32_t bound_cut_ = 0;  // DfsHead::cut, of all parts

  bool is_over_ = false;
  Part* end_ = nullptr;                         // the part that ended the search;
  bool is_over_limit_ = false;                  // or there were too many executions,
  bool is_broken_ = false;                      // or a process could not be started,
  bool was_enough_ = false;                     // or who listens has heard enough,
  Watch::Ended why_ = Watch::Ended::by_itself;  // or this
};

}  // namespace plumb::session
