// SPDX-License-Identifier: MIT
// The report of an exploration. For a finding: what it is, where (both places of a race), then the
// interleaving as a table with a column a thread and a row a step, and the command that shows it
// again.
#include "session/narrate.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_text.hpp"
#include "base/shell.hpp"
#include "base/text.hpp"
#include "explore/schedule.hpp"
#include "report/version.hpp"

namespace plumb::session {

using runtime::FindingKind;
using runtime::Place;
using runtime::TraceStep;

std::string reason_text(const std::string& reason) {
  if (reason == "time") return "the time was up";
  if (reason == "executions") return "--max-executions was met";
  if (reason == "steps") return "executions were cut at --max-steps";
  if (reason == "threads")
    return "executions had more than " + std::to_string(explore::kMaxThreads) +
           " threads, which is all that the explorer can run";
  if (reason == "interrupted") return "it was interrupted";
  if (reason == "depth") return "an execution had too many choices to be kept";
  return reason;
}

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::none: return "none";
    case FindingKind::assertion: return "assertion";
    case FindingKind::exception: return "exception";
    case FindingKind::crash: return "crash";
    case FindingKind::race: return "race";
    case FindingKind::use_after_free: return "use-after-free";
    case FindingKind::double_free: return "double-free";
    case FindingKind::bad_free: return "bad-free";
    case FindingKind::out_of_bounds: return "out-of-bounds";
    case FindingKind::deadlock: return "deadlock";
    case FindingKind::livelock: return "livelock";
    case FindingKind::leak: return "leak";
    case FindingKind::misuse: return "misuse";
    case FindingKind::divergence: return "divergence";
  }
  return "?";
}

namespace {

const char* headline(FindingKind kind) {
  switch (kind) {
    case FindingKind::assertion: return "an assertion fails";
    case FindingKind::exception: return "an exception is not caught";
    case FindingKind::crash: return "it crashes";
    case FindingKind::race: return "data race";
    case FindingKind::use_after_free: return "use after free";
    case FindingKind::double_free: return "double free";
    case FindingKind::bad_free: return "free of what is no block";
    case FindingKind::out_of_bounds: return "access outside of a block";
    case FindingKind::deadlock: return "deadlock";
    case FindingKind::livelock: return "livelock";
    case FindingKind::leak: return "leak";
    case FindingKind::misuse: return "a lock or thread is misused";
    case FindingKind::divergence: return "the code is not deterministic";
    case FindingKind::none: break;
  }
  return "?";
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool of_the_library(const Frame& frame) {
  const std::string& file = frame.file;
  return frame.line == 0 || file.find("/c++/") != file.npos ||
         file.find("plumb/explore.hpp") != file.npos ||
         file.find("plumb/operations.hpp") != file.npos ||
         frame.function.find("plumb::detail::") != frame.function.npos;
}

// The line of the user's own code that led here, or whatever is known.
const Frame* own_frame(const Place& place, const Symbols& symbols) {
  const Frame* any = nullptr;
  for (int i = 0; i < place.depth; ++i) {
    for (const Frame& frame : symbols.frames(place.pc[i])) {
      if (any == nullptr) any = &frame;
      if (!of_the_library(frame)) return &frame;
    }
  }
  return any;
}

std::string where(const Place& place, const Symbols& symbols) {
  const Frame* const frame = own_frame(place, symbols);
  return frame == nullptr ? "?" : base_name(frame->file) + ":" + std::to_string(frame->line);
}

// Variables are called v1, v2, ... (A and B are threads) and blocks of the heap #1, #2, ..., in the
// order in which they appear; small numbers are themselves.
class Names {
 public:
  std::string place(std::uint64_t address, std::uint64_t block) {
    if (block != 0) return within(address, block);
    const std::size_t number = variables_.try_emplace(address, variables_.size()).first->second;
    return "v" + std::to_string(number + 1);
  }
  std::string value(std::uint64_t value, std::uint64_t block, std::uint32_t size) {
    if (block != 0) return within(value, block);
    if (size == 8 && variables_.contains(value)) return "&" + place(value, 0);
    const std::uint64_t sign = size == 4 ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    const std::uint64_t extended =
        size == 4 && (value & sign) != 0 ? value | ~std::uint64_t{0} << 32 : value;
    const auto number = static_cast<std::int64_t>(extended);
    if (number > -1'000'000 && number < 1'000'000) return std::to_string(number);
    char text[32];
    std::snprintf(text, sizeof text, "0x%zx", static_cast<std::size_t>(value));
    return text;
  }

 private:
  std::string within(std::uint64_t address, std::uint64_t block) {
    const std::size_t number = blocks_.try_emplace(block, blocks_.size()).first->second;
    return "#" + std::to_string(number + 1) +
           (address == block ? "" : "+" + std::to_string(address - block));
  }

  std::map<std::uint64_t, std::size_t> variables_, blocks_;
};

const char* order_name(int order) {
  constexpr const char* names[] = {"relaxed", "consume", "acquire",
                                   "release", "acq_rel", "seq_cst"};
  return order >= 0 && order < 6 ? names[order] : "";
}

std::string describe(const TraceStep& step, Names& names) {
  std::string text = step.what[0] == 0 ? "goes on" : step.what;
  if (step.address == 0) return text;
  text += " " + names.place(step.address, step.block);
  if (!step.has_values) return text;
  const std::string before = names.value(step.before, step.before_block, step.size);
  const std::string after = names.value(step.after, step.after_block, step.size);
  if (text.starts_with("load") || text.starts_with("read")) return text + " = " + before;
  if (text.starts_with("store")) return text + " := " + after;
  if (step.failed) return text + " fails, is " + before;
  return text + ": " + before + " -> " + after;
}

nlohmann::json place_json(const Place& place, const Symbols& symbols) {
  nlohmann::json frames = nlohmann::json::array();
  for (int i = 0; i < place.depth; ++i) {
    for (const Frame& frame : symbols.frames(place.pc[i])) {
      frames.push_back({{"function", frame.function}, {"file", frame.file}, {"line", frame.line}});
    }
  }
  return {{"thread", place.thread}, {"stack", frames}};
}

std::string pad(std::string text, std::size_t width) {
  // Characters, not bytes, should they ever differ: function names are ASCII.
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string name_of_thread(const Shown& shown, int thread) {
  const auto name = shown.names.find(thread);
  return name == shown.names.end() ? "thread " + std::to_string(thread) : name->second;
}

// The calls of the user's own code; if there are none (a thread whose function is a library's), the
// innermost.
void tell_place(std::string& text, const Shown& shown, const Place& place, const Symbols& symbols) {
  std::vector<const Frame*> frames;
  for (int i = 0; i < place.depth; ++i) {
    for (const Frame& frame : symbols.frames(place.pc[i])) {
      if (!of_the_library(frame)) frames.push_back(&frame);
    }
  }
  if (frames.empty()) {
    if (const Frame* const frame = own_frame(place, symbols)) frames.push_back(frame);
  }
  for (const Frame* const frame : frames) {
    const std::string first = frame == frames.front() ? name_of_thread(shown, place.thread) : "";
    text += "    " + pad(first, 11) + base_name(frame->file) + ":" + std::to_string(frame->line) +
            "  " + frame->function + "\n";
  }
}

// Steps worth a row: points, and the two accesses of a race.
std::vector<const TraceStep*> rows_of(const Shown& outcome) {
  std::vector<const TraceStep*> rows;
  const auto& f = outcome.finding;
  for (const TraceStep& step : outcome.trace) {
    const bool involved =
        (f.here.depth > 0 && step.place.pc[0] == f.here.pc[0] && step.thread == f.here.thread) ||
        (f.there.depth > 0 && step.place.pc[0] == f.there.pc[0] && step.thread == f.there.thread);
    // The main thread of a test of an object waits for the others.
    const bool is_nothing =
        step.address == 0 && outcome.names.contains(step.thread) &&
        (step.what[0] == 0 || std::string_view(step.what).starts_with("waits for"));
    if ((step.is_point && !is_nothing) || involved) rows.push_back(&step);
  }
  return rows;
}

void tell_interleaving(std::string& text, const Shown& outcome, const Symbols& symbols) {
  const std::vector<const TraceStep*> rows = rows_of(outcome);
  if (rows.empty()) return;
  constexpr std::size_t kMostRows = 60;
  Names names;
  std::vector<std::string> what;
  std::set<int> threads;
  std::map<int, std::size_t> width;
  for (const TraceStep* row : rows) {
    what.push_back(where(row->place, symbols) + "  " + describe(*row, names));
    threads.insert(row->thread);
  }
  // The beginning of a long one, and its end.
  const std::size_t gap = rows.size() > kMostRows ? kMostRows / 3 : rows.size();
  const std::size_t after =
      rows.size() > kMostRows ? rows.size() - kMostRows + kMostRows / 3 : rows.size();
  for (const int t : threads) width[t] = 10;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i >= gap && i < after) continue;
    width[rows[i]->thread] = std::max(width[rows[i]->thread], what[i].size());
  }
  text += "\n  ";
  for (const int t : threads) text += pad(name_of_thread(outcome, t), width[t] + 3);
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == gap && after > gap) text += "  ... " + text::count_words(after - gap) + " steps\n";
    if (i >= gap && i < after) continue;
    const bool is_switch = i > 0 && rows[i]->thread != rows[i - 1]->thread;
    std::string line = is_switch ? "> " : "  ";
    for (const int t : threads) line += pad(t == rows[i]->thread ? what[i] : "", width[t] + 3);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
}

const char* reuse_text(const std::string& heap) {
  return heap == "quarantine" ? "never used again"
         : heap == "fifo"     ? "used again late"
                              : "used again at once";
}

std::string scope_text(const Outcome& outcome) {
  std::string text;
  for (const Stage& stage : outcome.stages) {
    text += "  " + stage.name + (stage.complete ? "" : ", not all of them") + ": " +
            text::count_words(stage.executions) + " executions, freed memory " +
            reuse_text(stage.heap) + "\n";
  }
  return text;
}

}  // namespace

std::string circumstances(const Settings& settings) {
  std::string options;
  if (settings.schedule_at == ScheduleAt::all) options += " --schedule-at all";
  if (settings.schedule_at == ScheduleAt::atomics) options += " --schedule-at atomics";
  if (settings.spurious) options += " --spurious";
  if (settings.random_values != Settings().random_values)
    options += " --random-values " + std::to_string(settings.random_values);
  if (settings.start_points) options += " --start-points";
  if (settings.ignore_race) options += " --ignore race";
  if (settings.ignore_stuck) options += " --ignore deadlock";
  if (settings.leaks) options += " --leaks";
  if (settings.max_steps != Settings().max_steps)
    options += " --max-steps " + std::to_string(settings.max_steps);
  if (settings.hang != Settings().hang) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, " --hang %g", settings.hang);
    options += seconds;
  }
  return options;
}

namespace {

std::string replay_options(const Shown& shown, const Settings& settings,
                           const runtime::Board& board, const Symbols& symbols) {
  std::string options = "--replay " +
                        (shown.schedule.empty() ? "-" : explore::to_text(shown.schedule)) +
                        " --heap " + shown.heap + circumstances(settings);
  std::string points;
  for (std::uint32_t i = 0; i < board.site_count; ++i)
    points += (i == 0 ? "" : ",") + symbols.relative(board.sites[i]);
  if (!points.empty()) options += " --points " + shell_word(points);
  return options;
}

// The other access of a race is known by its instruction; the calls that led there are in the
// trace.
Place whole_stack(const Shown& shown, Place place) {
  for (const TraceStep& step : shown.trace) {
    if (step.thread == place.thread && step.place.depth > 0 && step.place.pc[0] == place.pc[0])
      return step.place;
  }
  return place;
}

void tell_finding(std::string& text, const Shown& shown, const Symbols& symbols) {
  const runtime::Finding& f = shown.finding;
  text += "\n  " + std::string(f.text);
  if (shown.heap != "quarantine")
    text += " (freed memory is " + std::string(reuse_text(shown.heap)) + ")";
  text += "\n";
  if (f.here.thread >= 0 && f.here.depth > 0) tell_place(text, shown, f.here, symbols);
  if (f.there.thread >= 0) tell_place(text, shown, whole_stack(shown, f.there), symbols);
  if (!shown.replayed && f.kind != FindingKind::divergence) {
    text += shown.complete ? "  Replaying its schedule did not show it again.\n"
                           : "  Its schedule is too long to be kept.\n";
  }
}

nlohmann::json finding_json(const Shown& shown, const std::string& replay, const Symbols& symbols) {
  const runtime::Finding& f = shown.finding;
  nlohmann::json steps = nlohmann::json::array();
  Names names;
  for (const TraceStep* row : rows_of(shown)) {
    nlohmann::json step = {{"thread", row->thread}, {"what", describe(*row, names)}};
    // Of an object: who it is in the history, and how much of that came before.
    if (const auto name = shown.names.find(row->thread); name != shown.names.end()) {
      step["process"] = name->second;
      step["events"] = row->events;
    }
    if (row->address != 0) step["address"] = names.place(row->address, row->block);
    if (*order_name(row->order) != 0) step["order"] = order_name(row->order);
    if (const Frame* frame = own_frame(row->place, symbols)) {
      step["file"] = frame->file;
      step["line"] = frame->line;
      step["function"] = frame->function;
    }
    steps.push_back(step);
  }
  nlohmann::json finding = {{"kind", name_of(f.kind)},
                            {"message", f.text},
                            {"here", place_json(f.here, symbols)},
                            {"heap", shown.heap},
                            {"replayed", shown.replayed},
                            {"schedule",
                             {{"choices", shown.schedule},
                              {"text", explore::to_text(shown.schedule)},
                              {"replay", replay},
                              {"steps", steps}}}};
  if (f.there.thread >= 0) finding["there"] = place_json(whole_stack(shown, f.there), symbols);
  return finding;
}

Symbols symbols_of(const std::vector<const Shown*>& all, const runtime::Board& board) {
  Symbols symbols(board);
  const auto add = [&symbols](const Place& place) {
    symbols.add({place.pc.data(), static_cast<std::size_t>(place.depth)});
  };
  for (const Shown* const shown : all) {
    add(shown->finding.here);
    add(shown->finding.there);
    for (const TraceStep& step : shown->trace) add(step.place);
  }
  symbols.look_up();
  return symbols;
}

}  // namespace

Told tell_shown(const Shown& shown, const Settings& settings, const runtime::Board& board,
                const std::function<std::string(const std::string& options)>& again) {
  const Symbols symbols = symbols_of({&shown}, board);
  Told told;
  if (shown.finding.kind != FindingKind::none) tell_finding(told.text, shown, symbols);
  tell_interleaving(told.text, shown, symbols);
  told.again = again(replay_options(shown, settings, board, symbols));
  told.json = dumped(finding_json(shown, told.again, symbols));
  return told;
}

std::string ToldStep::text() const {
  return (line == 0 ? "?" : base_name(file) + ":" + std::to_string(line)) + "  " + what;
}

std::vector<ToldStep> tell_steps(const Shown& shown, const runtime::Board& board,
                                 const std::vector<std::int32_t>& lines) {
  const Symbols symbols = symbols_of({&shown}, board);
  Names names;
  std::vector<ToldStep> steps;
  for (const std::int32_t line : lines) {
    ToldStep& told = steps.emplace_back();
    if (line < 0 || static_cast<std::size_t>(line) >= shown.trace.size()) continue;
    const TraceStep& step = shown.trace[static_cast<std::size_t>(line)];
    told.what = describe(step, names);
    if (const Frame* const frame = own_frame(step.place, symbols)) {
      told.file = frame->file;
      told.line = frame->line;
    }
  }
  return steps;
}

Report narrate(const Outcome& outcome, const Settings& settings, const runtime::Board& board,
               const std::function<std::string(const std::string& options)>& again,
               const std::string& name) {
  std::vector<const Shown*> all;
  for (const Shown& shown : outcome.findings) all.push_back(&shown);
  const Symbols symbols = symbols_of(all, board);

  Report report;
  std::string& text = report.text;
  nlohmann::json json = {{"report", 1},
                         {"tool", "plumb"},
                         {"version", report::version()},
                         {"command", "test"},
                         {"file", name},
                         {"property", "explored"},
                         {"specification", nullptr},
                         {"evidence", {{"kind", "none"}}}};
  char seconds[64];
  std::snprintf(seconds, sizeof seconds, "%.2f s", outcome.seconds);
  const std::string covered = "(" + text::count_words(outcome.executions) +
                              (outcome.executions == 1 ? " execution, " : " executions, ") +
                              seconds + ")\n";
  switch (outcome.status) {
    case Outcome::holds:
      json["verdict"] = "holds";
      text = "HOLDS  " + name + ": nothing found " + covered + scope_text(outcome);
      if (board.guessed && settings.replay.empty())
        text += "  (" + std::string(kGuessedText) + ")\n";
      break;
    case Outcome::undecided:
    case Outcome::interrupted:
      json["verdict"] = "undecided";
      json["reason"] = reason_text(outcome.reason);
      text = "UNDECIDED  " + name + ": nothing found before " + reason_text(outcome.reason) + " " +
             covered + scope_text(outcome);
      break;
    case Outcome::misused:
    case Outcome::unusable:
      json["verdict"] = "undecided";
      json["reason"] = outcome.reason;
      text = name + ": " + outcome.reason + "\n";
      break;
    case Outcome::finding: {
      json["verdict"] = "violation";
      text = "VIOLATION  " + name + ": ";
      const char* separator = "";
      std::set<FindingKind> kinds;
      for (const Shown& shown : outcome.findings) {
        if (!kinds.insert(shown.finding.kind).second) continue;
        text += separator;
        text += headline(shown.finding.kind);
        separator = ", ";
      }
      text += " " + covered;
      break;
    }
  }
  nlohmann::json findings = nlohmann::json::array();
  for (const Shown& shown : outcome.findings) {
    const std::string replay = again(replay_options(shown, settings, board, symbols));
    if (outcome.status != Outcome::finding) {  // a replay that shows nothing wrong
      tell_interleaving(text, shown, symbols);
      continue;
    }
    tell_finding(text, shown, symbols);
    tell_interleaving(text, shown, symbols);
    if (shown.complete && report.again.empty()) report.again = replay;
    if (settings.replay.empty() && shown.complete) text += "\n  Again: " + replay + "\n";
    findings.push_back(finding_json(shown, replay, symbols));
  }
  json["findings"] = findings;
  if (board.wrote_older) {
    text +=
        "\n  Beware: the code writes to memory that was allocated before the exploration began (by "
        "a global's constructor, or\n"
        "  by main), which is not put back between executions. Allocate it in the body.\n";
  }
  nlohmann::json scope = {{"executions", outcome.executions},
                          {"points_added", board.site_count},
                          {"stages", nlohmann::json::array()}};
  for (const Stage& stage : outcome.stages) {
    scope["stages"].push_back({{"schedules", stage.name},
                               {"heap", stage.heap},
                               {"executions", stage.executions},
                               {"steps", stage.steps},
                               {"pruned", stage.pruned},
                               {"complete", stage.complete}});
  }
  nlohmann::json notes = nlohmann::json::array();
  if (board.guessed) notes.push_back(kGuessedText);
  if (board.wrote_older)
    notes.push_back("memory that was allocated before the exploration was written to");
  if (!notes.empty()) scope["notes"] = notes;
  scope["cpu_seconds"] = outcome.cpu_seconds;
  if (outcome.histories > 0) scope["histories"] = outcome.histories;
  json["scope"] = scope;
  report.seconds = outcome.seconds;
  json["seconds"] = outcome.seconds;
  json["peak_bytes"] = outcome.peak_bytes;
  report.json = dumped(json, 2);
  return report;
}

}  // namespace plumb::session
