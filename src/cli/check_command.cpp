// SPDX-License-Identifier: MIT
// plumb check: one file after the other, each in a thread of its own under the watchdog. Only this
// thread prints reports, so a check that had to be abandoned cannot disturb its own.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "base/clock.hpp"
#include "base/output_file.hpp"
#include "base/resident.hpp"
#include "base/text.hpp"
#include "check/evidence/core_history.hpp"
#include "check/property/quasi/relaxation.hpp"
#include "cli/check_job.hpp"
#include "cli/collect.hpp"
#include "cli/commands.hpp"
#include "cli/model_file.hpp"
#include "cli/recheck.hpp"
#include "cli/style.hpp"
#include "cli/watchdog.hpp"
#include "history/parse_value.hpp"
#include "model/code/sequential.hpp"
#include "plumb/check.hpp"
#include "plumb/formats.hpp"
#include "plumb/load.hpp"
#include "report/check_report.hpp"
#include "report/json.hpp"
#include "report/progress.hpp"
#include "report/text.hpp"

namespace plumb::cli {
namespace {

// Of the limits, the check itself gets a little less: if it stops by itself, it says how far it
// came. To give back what a search holds takes tens of milliseconds, whatever the time-out.
double own_time(double timeout) {
  return timeout - std::min(0.05 * timeout, std::max(0.02 * timeout, 0.1));
}
constexpr double kOwnMemory = 0.9;

SearchOrder search_order(const std::string& name) {
  return name == "dfs"   ? SearchOrder::depth_first
         : name == "bfs" ? SearchOrder::breadth_first
                         : SearchOrder::automatic;
}

class CheckCommand {
 public:
  explicit CheckCommand(const Parsed& parsed)
      : parsed_(parsed), args_(parsed.settings), files_(parsed.arguments),
        engine_(args_.engine.empty() ? "auto" : args_.engine),
        property_(*find_property(args_.property)), limits_{args_.timeout, args_.memory << 20} {
  }  // the table of options allows no other word

  ExitStatus run() {
    std::setlocale(LC_CTYPE, "");
    catch_interrupts();
    if (const ExitStatus failed = load_model(); failed != ExitStatus::holds) return failed;
    if (Status ready = prepare(); !ready.ok()) return fail(ready.error());
    if (args_.recheck) return recheck_reports();
    const auto start = Clock::now();
    for (const std::string& file : files_) {
      if (abandoned_ != StopReason::none || interrupted()) not_checked(file);
      else check_file(file);
      if (files_.size() > 1 && args_.memory > 0) release_free_memory();
    }
    summary_.seconds = since(start);
    return finish();
  }

 private:
  ExitStatus recheck_reports() {
    ExitStatus worst = ExitStatus::holds;
    for (const std::string& file : files_) {
      // The thread may outlive this call.
      const auto status = std::make_shared<ExitStatus>(ExitStatus::internal);
      std::atomic<bool> stop{false};
      const RecheckOptions options{read_, given_, initial_};
      const Watched watched = watch(
          limits_, stop, [=, &file] { *status = recheck(file, options); }, [](double) {});
      if (!watched.finished) {
        print_error(cut_while_reading(watched.cut, file));
        std::fflush(stdout);
        std::_Exit(to_int(status_of_cut(watched.cut)));
      }
      if (to_int(*status) > to_int(worst)) worst = *status;
    }
    return worst;
  }

  // --spec MODEL.plumb: its sequential part.
  ExitStatus load_model() {
    const bool is_model = args_.spec.ends_with(".plumb");
    if (!is_model && !args_.set.empty())
      return fail(
          {ErrorKind::usage, "--set without --spec MODEL.plumb", "it sets a constant of a model"});
    if (!is_model) return ExitStatus::holds;
    const Result<std::vector<Setting>> settings = read_settings(args_.set);
    if (!settings.ok()) return fail(settings.error());
    const Result<std::vector<model::Settings>> all = combinations(*settings);
    if (!all.ok() || all->size() != 1)
      return fail({ErrorKind::usage, "--set with several values", "a history has one"});
    std::string text;
    Limits limits = limits_;
    const ExitStatus read = read_model(args_.spec, limits, text);
    if (read != ExitStatus::holds) return read;
    const ExitStatus compiled = compile_model(parsed_, args_.spec, text, all->front(), model_);
    if (compiled != ExitStatus::holds) return compiled;
    model_specification_ = make_specification(*model_);
    given_ = model_specification_.get();
    read_.specification = given_->name();
    return ExitStatus::holds;
  }

  Status prepare() {
    if ((!args_.witness.empty() || !args_.core.empty()) && files_.size() > 1)
      return Error{ErrorKind::usage, "--witness and --core need exactly one file",
                   "check the files one by one"};
    const bool linearizable = property_ == HistoryProperty::linearizable;
    if (!args_.witness.empty() && !linearizable && property_ != HistoryProperty::sequential)
      return Error{ErrorKind::usage,
                   fmt::format("--witness cannot be combined with --property {}", args_.property),
                   "only linearizable and sequential have a witness"};
    if (args_.follow && !linearizable)
      return Error{ErrorKind::usage,
                   fmt::format("--follow cannot be combined with --property {}", args_.property),
                   "only linearizable is decided while a file grows"};
    if (args_.follow &&
        (files_.size() > 1 || !args_.html.empty() || engine_ != "auto" || !args_.search.empty() ||
         args_.lru != 0 || args_.keep_going || !args_.witness.empty() || !args_.clock_skew.empty()))
      return Error{ErrorKind::usage,
                   "--follow cannot be combined with several files, or with an option that needs "
                   "the whole history (--engine, --witness, --html, --keep-going, ...)",
                   "check the file when it is complete"};
    Result<ReadOptions> read = make_read_options(args_.format, args_);
    if (!read.ok()) return std::move(read.error());
    read->specification = read_.specification;
    read_ = std::move(*read);
    if (Status found = find_given_specification(); !found.ok()) return found;
    if (Status asked = read_quasi(); !asked.ok()) return asked;
    if (!args_.initial.empty()) {
      initial_ = parse_value(args_.initial);
      if (!initial_)
        return Error{ErrorKind::usage, fmt::format("--initial {} is not JSON", args_.initial),
                     "quote strings twice: --initial '\"x\"'"};
    }
    if (Status opened = output_.open(args_.output); !opened.ok()) return opened;
    if (Status opened = witness_.open(args_.witness); !opened.ok()) return opened;
    if (Status opened = core_.open(args_.core); !opened.ok()) return opened;
    if (Status opened = collected_.open(args_); !opened.ok()) return opened;
    style_ = text_style(args_, output_);
    style_.statistics = args_.stats;
    style_.engines = args_.explain_engine;
    style_.hints = output_.is_terminal();
    return {};
  }

  // --quasi enq=1 --quasi deq,try_deq=2
  Status read_quasi() {
    if (args_.quasi.empty()) {
      if (args_.relaxation.empty() && !args_.min_k && !args_.no_dedup) return {};
      return Error{ErrorKind::usage, "--relaxation, --min-k and --no-dedup need --quasi",
                   "--quasi OPERATION=FACTOR states which operations may be out of order"};
    }
    if (property_ != HistoryProperty::linearizable || args_.follow)
      return Error{ErrorKind::usage, "--quasi with --property or --follow",
                   "quasi linearizability is a separate property, and needs the whole history"};
    QuasiOptions asked;
    if (const auto named = quasi::find_relaxation(args_.relaxation)) asked.relaxation = *named;
    asked.least_factors = args_.min_k;
    asked.dedup = !args_.no_dedup;
    for (const std::string& text : args_.quasi) {
      std::optional<QuasiSet> set = quasi::read_set(text);
      if (!set)
        return Error{ErrorKind::usage, fmt::format("--quasi {}", text),
                     "write OPERATION=FACTOR, or OPERATION,OPERATION=FACTOR"};
      asked.sets.push_back(*std::move(set));
    }
    quasi_ = std::move(asked);
    property_ = HistoryProperty::quasi_linearizable;
    return {};
  }

  // "queue", "queue.cpp"; a path always has a dot or a slash, a name never.
  Status find_given_specification() {
    if (given_ || args_.spec.empty()) return {};
    given_ = find_specification(args_.spec);
    if (given_) {
      read_.specification = given_->name();
      return {};
    }
    if (args_.spec.find_first_of("./") != std::string::npos) {
      Result<const Specification*> loaded = load_specification(args_.spec);
      if (!loaded.ok()) return std::move(loaded.error());
      given_ = *loaded;
      read_.specification = given_->name();
      return {};
    }
    std::vector<std::string> names;
    for (const Specification* s : all_specifications()) names.push_back(s->name());
    return Error{ErrorKind::usage, fmt::format("unknown specification '{}'", args_.spec),
                 fmt::format("a file like my.cpp or my.plumb, or one of: {}",
                             text::list_words(names, "or"))};
  }

  void check_file(const std::string& file) {
    // An abandoned worker still uses its job, which must never be destroyed.
    auto* job = new CheckJob;
    job->file = file;
    job->read = read_;
    job->follow = args_.follow;
    job->quasi = quasi_;
    job->may_stream = property_ == HistoryProperty::linearizable && engine_ == "auto" &&
                      args_.search.empty() && args_.lru == 0 && !args_.keep_going &&
                      args_.witness.empty() && args_.core.empty() && args_.clock_skew.empty() &&
                      args_.html.empty() && (args_.format.empty() || args_.format == "native");
    job->options = {.specification = given_,
                    .initial = initial_,
                    .property = property_,
                    .engine = engine_,
                    .partition = !args_.no_partition,
                    .keep_going = args_.keep_going,
                    .minimise = !args_.no_minimise,
                    .lru_entries = args_.lru,
                    .search = search_order(args_.search),
                    .timeout_seconds = own_time(args_.timeout),
                    .memory_bytes = static_cast<std::size_t>(
                        static_cast<double>(args_.memory << 20) * kOwnMemory),
                    .jobs = static_cast<unsigned>(args_.jobs),
                    .interrupt = &job->stop};
    report::ProgressLine progress = progress_line(args_);
    const Watched watched = watch(
        limits_, job->stop, [job] { job->run(); },
        [&](double s) { progress.update(file, s, job->progress); });
    progress.clear();
    abandoned_ = watched.finished ? StopReason::none : watched.cut;
    cut_ = watched.cut != StopReason::none;
    if (watched.finished && !job->lost.empty())
      print_error({ErrorKind::bad_input, job->lost, "follow the new one", file});
    // What a stream was until it went wrong is worth saying; the error still counts.
    if (watched.finished && job->failure && job->report && (*job->report)->operations > 0)
      show(*job, watched);
    if (watched.finished && job->failure) fail(*job->failure);
    else if (watched.finished && job->history && !job->history->ok()) fail(job->history->error());
    else if (watched.finished && job->report && !job->report->ok()) fail(job->report->error());
    else show(*job, watched);
    if (watched.finished && !cut_) delete job;  // giving back gigabytes takes time, too
  }

  void show(CheckJob& job, const Watched& watched) {
    CheckReport found;
    if (watched.finished && job.report) found = std::move(**job.report);
    else found = what_was_covered(job);
    explain_cut(job, watched, found);
    if (!args_.allow_empty) refuse_empty(found);
    report::CheckRequest request = asked(job.file);
    if (job.history_ready) request.view.history = report::borrowed(&**job.history);
    if (found.partitions.empty()) {
      request.partitions = job.progress.partitions;
      request.partitions_decided = job.progress.partitions_decided;
    }
    request.reading_seconds = request.view.history ? job.reading_seconds : watched.seconds;
    request.total_seconds = watched.seconds;
    request.limits = {args_.timeout, args_.memory << 20};
    if (found.verdict == Verdict::holds && !args_.witness.empty()) {
      request.witness_file = args_.witness;
      note_written(write_witness(**job.history, found, job.quasi_report));
    }
    if (found.counterexample && !args_.core.empty() && job.history_ready)
      note_written(write_core(**job.history, *found.counterexample));
    if (job.quasi_report)
      request.quasi = std::make_shared<QuasiReport>(*std::move(job.quasi_report));
    print(report::check_report(std::move(found), request));
  }

  // What is the same for all files.
  report::CheckRequest asked(const std::string& file) const {
    report::CheckRequest request;
    request.file = file;
    request.view.given = report::borrowed(given_);
    request.view.initial = initial_;
    request.engine = engine_;
    request.partition = !args_.no_partition;
    request.peak_bytes = peak_resident_bytes();
    request.replay = command_words(parsed_, "check", file);
    return request;
  }

  // The report of a check that did not give one.
  CheckReport what_was_covered(const CheckJob& job) const {
    CheckReport report;
    report.property = property_;
    if (!job.history_ready) return report;
    const History& history = **job.history;
    report.operations = history.size();
    for (OperationId op = 0; op < history.size(); ++op)
      ++(history.returned(op) ? report.completed : report.pending);
    return report;
  }

  // A limit is named only if it was given.
  void name_limit(CheckReport& report) const {
    if (report.stopped == StopReason::time_limit && args_.timeout > 0)
      report.reason = "time-out after " + text::seconds_words(args_.timeout);
    if (report.stopped == StopReason::memory_limit)
      report.reason =
          args_.memory > 0 ? fmt::format("memory limit of {} MiB", args_.memory) : "out of memory";
    if (report.stopped == StopReason::out_of_memory) report.reason = "out of memory";
    if (report.stopped == StopReason::interrupted) report.reason = "interrupted";
  }

  // A check knows only that it was asked to stop; why, the watchdog knows.
  void explain_cut(const CheckJob& job, const Watched& watched, CheckReport& report) {
    if (report.verdict != Verdict::undecided) return;
    if (watched.cut != StopReason::none) report.stopped = watched.cut;
    name_limit(report);
    if (watched.cut == StopReason::none) return;  // the check met its own share of a limit
    report.interrupted = watched.cut == StopReason::interrupted;
    summary_.interrupted = summary_.interrupted || report.interrupted;
    const CheckPhase phase = job.progress.phase;
    if (phase == CheckPhase::reading) report.reason += " while reading";
    if (phase == CheckPhase::minimising)
      report.reason += "; a violation was found, but not yet confirmed by a second engine";
  }

  // A recorder that was not connected must not look like an object that is right.
  static void refuse_empty(CheckReport& report) {
    if (report.verdict != Verdict::holds || report.operations > 0) return;
    report.verdict = Verdict::undecided;
    report.stopped = StopReason::nothing_checked;
    report.reason = "nothing was checked: the history has no operation (--allow-empty accepts it)";
  }

  void not_checked(const std::string& file) {
    CheckReport report;
    report.property = property_;
    report.interrupted = interrupted();
    summary_.interrupted = summary_.interrupted || report.interrupted;
    report.stopped = report.interrupted ? StopReason::interrupted : abandoned_;
    report.reason = report.interrupted ? "interrupted before it was checked"
                                       : "skipped: the previous check did not stop";
    report::CheckRequest request = asked(file);
    request.view = {};
    print(report::check_report(std::move(report), request));
  }

  void print(const report::Report& report) {
    ++summary_.files;
    switch (report.verdict) {
      case Verdict::holds: ++summary_.holds; break;
      case Verdict::violation: ++summary_.violation; break;
      case Verdict::undecided: ++summary_.undecided; break;
    }
    if (collected_.wants_cases())
      collected_.add(report::make_case(report, text::file_words(report.file)));
    if (args_.json) {
      output_.write(report::json_report(report) + "\n");
    } else {
      if (separate_) output_.write("\n");
      const std::string text = report::text_report(report, style_);
      output_.write(text);
      separate_ = text.find('\n') + 1 < text.size();  // more than one line
    }
    note_written(output_.flush());
    if (collected_.wants_page()) collected_.page().add(report);
  }

  // A file that could not be written is said once.
  void note_written(const Status& written) {
    if (!written.ok() && std::exchange(unwritable_, written.error().file) != written.error().file)
      fail(written.error());
  }

  ExitStatus fail(const Error& error) {
    print_error(error);
    collected_.add({error.file.empty() ? "plumb check" : text::file_words(error.file),
                    report::CaseVerdict::error, error.to_string()});
    summary_.errors.push_back(error);
    return status_of(error);
  }

  Status write_core(const History& history, const Counterexample& counterexample) {
    const ObjectId object = history.object[counterexample.operations.front()];
    const std::string& named = history.objects[object].specification;
    Result<History> core =
        core_history(history, counterexample, given_ ? given_->name() : named, initial_);
    if (!core.ok()) return std::move(core.error());
    std::ostringstream text;
    if (Status written = write_history(*core, "native", text); !written.ok()) return written;
    core_.write(text.str());
    return core_.commit();
  }

  Status write_witness(const History& history, const CheckReport& report,
                       const std::optional<QuasiReport>& quasi) {
    for (const OperationId op : report.witness) witness_.write(report::json_operation(history, op));
    for (const auto& [blocked, order] : report.blocking_witnesses) {
      for (const OperationId op : order) witness_.write(report::json_operation(history, op));
      witness_.write(report::json_operation(history, blocked));
    }
    if (quasi)
      for (const auto& order : quasi->displaced)
        for (const OperationId op : order)
          witness_.write(report::json_operation(history, op, true));
    return witness_.commit();
  }

  ExitStatus finish() {
    if (files_.size() > 1) {
      summary_.files = files_.size();
      summary_.exit_status = exit_status(summary_);
      if (args_.json) output_.write(report::json_summary(summary_));
      else if (!args_.quiet) output_.write(summary_words());
    }
    // Without a report, the one of an earlier run stays.
    note_written(summary_.files > 0 ? output_.commit() : Status());
    note_written(collected_.write("plumb check", summary_.seconds));
    ExitStatus status = exit_status(summary_);
    if (!unwritable_.empty() && status != ExitStatus::interrupted) status = ExitStatus::internal;
    if (abandoned_ != StopReason::none || cut_) std::_Exit(to_int(status));
    return status;
  }

  std::string summary_words() const {
    std::vector<std::string> parts;
    if (summary_.holds) parts.push_back(fmt::format("{} hold", summary_.holds));
    if (summary_.violation) parts.push_back(text::count_words(summary_.violation, "violation"));
    if (summary_.undecided) parts.push_back(fmt::format("{} undecided", summary_.undecided));
    if (!summary_.errors.empty())
      parts.push_back(fmt::format("{} could not be read", summary_.errors.size()));
    return fmt::format("\n{} files: {} ({})\n", summary_.files, text::list_words(parts, "and"),
                       text::seconds_words(summary_.seconds));
  }

  const Parsed& parsed_;
  const Settings& args_;
  const std::vector<std::string>& files_;
  const std::string engine_;
  HistoryProperty property_;
  const Limits limits_;
  ReadOptions read_;
  std::optional<model::Program> model_;
  std::unique_ptr<Specification> model_specification_;
  const Specification* given_ = nullptr;
  std::optional<Value> initial_;
  std::optional<QuasiOptions> quasi_;
  OutputFile output_, witness_, core_;
  Collected collected_;
  report::TextStyle style_;
  report::Summary summary_;
  /// The limit, or interrupt, at which the last check did not stop; none: it stopped.
  StopReason abandoned_ = StopReason::none;
  bool cut_ = false, separate_ = false;
  std::string unwritable_;  // the last file that could not be written
};

}  // namespace

ExitStatus run_check(const Parsed& parsed) { return CheckCommand(parsed).run(); }

}  // namespace plumb::cli
