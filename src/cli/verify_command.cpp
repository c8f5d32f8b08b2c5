// SPDX-License-Identifier: MIT
// plumb verify: one model, in a thread of its own under the watchdog, like plumb check. With
// several values of a constant (--set N=2..6) each is decided in a process of its own, so that one
// which fills the memory leaves nothing behind for the next.
#include <fmt/format.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "base/clock.hpp"
#include "base/output_file.hpp"
#include "base/resident.hpp"
#include "base/text.hpp"
#include "cli/child.hpp"
#include "cli/collect.hpp"
#include "cli/commands.hpp"
#include "cli/model_file.hpp"
#include "cli/simulate.hpp"
#include "cli/style.hpp"
#include "cli/verify_job.hpp"
#include "cli/watchdog.hpp"
#include "explain/words.hpp"
#include "plumb/formats.hpp"
#include "refine/evidence/dot.hpp"
#include "refine/verify.hpp"
#include "report/json.hpp"
#include "report/model_report.hpp"
#include "report/progress.hpp"
#include "report/sweep.hpp"

namespace plumb::cli {
namespace {

constexpr double kOwnMemory = 0.9;  // of the limit: the rest is for what tables do not count
constexpr double kOwnTime = 0.97;
constexpr std::uint64_t kMemoryOfCompiler = 1024;  // MiB

class VerifyCommand {
 public:
  explicit VerifyCommand(const Parsed& parsed)
      : parsed_(parsed), args_(parsed.settings),
        file_(parsed.arguments[0]), limits_{args_.timeout, args_.memory << 20,
                                            !args_.checkpoint.empty()} {}

  ExitStatus run() {
    std::setlocale(LC_CTYPE, "");
    catch_interrupts();
    if (const ExitStatus failed = prepare(); failed != ExitStatus::holds) return failed;
    if (programs_.size() > 1 || sweep_) return sweep();
    const VerifyDecision d = decide(programs_.front());
    output_.write(d.report);
    collect(d, settings_.front());
    Status written = d.report.empty() ? Status() : output_.commit();
    if (written.ok()) written = collected_.write("plumb verify", d.row.seconds);
    const ExitStatus status = written.ok() ? d.status : fail(written.error());
    // An abandoned worker still uses what would be destroyed here.
    if (d.abandoned) std::_Exit(to_int(status));
    return status;
  }

 private:
  ExitStatus prepare() {
    if (Status read = read_constants(); !read.ok()) return fail(read.error());
    if (Status fits = check_combination(); !fits.ok()) return fail(fits.error());
    if (Status opened = output_.open(args_.output); !opened.ok()) return fail(opened.error());
    if (Status opened = collected_.open(args_); !opened.ok()) return fail(opened.error());
    if (const ExitStatus failed = compile_models(); failed != ExitStatus::holds) return failed;
    if (Status known = choose_question(); !known.ok()) return fail(known.error());
    if (!args_.dot.empty())
      if (Status drawn = draw(programs_[0]); !drawn.ok()) return fail(drawn.error());
    return ExitStatus::holds;
  }

  // --set
  Status read_constants() {
    const Result<std::vector<Setting>> settings = read_settings(args_.set);
    if (!settings.ok()) return settings.error();
    for (const Setting& s : *settings) sweep_ = sweep_ || s.low != s.high;
    Result<std::vector<model::Settings>> all = combinations(*settings);
    if (!all.ok()) return all.error();
    settings_ = std::move(*all);
    return {};
  }

  Status check_combination() const {
    if (sweep_ && (!args_.history.empty() || !args_.dot.empty() || args_.simulate))
      return Error{ErrorKind::usage,
                   "--history, --dot or --simulate with several values of a constant",
                   "give each constant one value"};
    if (!args_.checkpoint.empty() && sweep_)
      return Error{ErrorKind::usage, "--checkpoint with several values of a constant",
                   "give each constant one value"};
    return {};
  }

  ExitStatus compile_models() {
    const ExitStatus read = read_model(file_, limits_, text_);
    if (read != ExitStatus::holds) return read;
    for (const model::Settings& s : settings_) {
      std::optional<model::Program> program;
      const ExitStatus compiled = compile_model(parsed_, file_, text_, s, program);
      if (compiled != ExitStatus::holds && sweep_)
        print_message(fmt::format("  with{}\n", report::settings_words(s)));
      if (compiled != ExitStatus::holds) return compiled;
      programs_.push_back(std::move(*program));
    }
    return ExitStatus::holds;
  }

  Status choose_question() {
    Result<Question> question = refine::parse_question({.property = args_.property,
                                                        .engine = args_.engine,
                                                        .points = args_.points,
                                                        .explore_only = args_.explore_only,
                                                        .simulate = args_.simulate,
                                                        .checkpoint = !args_.checkpoint.empty()},
                                                       programs_[0]);
    if (question.ok()) {
      question_ = std::move(*question);
      return {};
    }
    question.error().file = file_;
    return std::move(question.error());
  }

  Status draw(const model::Program& program) const {
    Budget budget(args_.timeout, args_.memory << 20, nullptr);
    const refine::Graph graph =
        refine::build_graph(program, budget, nullptr, refine::kLargestPicture);
    if (graph.faulty != refine::Graph::kNoState)
      return Error{ErrorKind::usage, "the object has a fault, so its states cannot all be drawn",
                   "omit --dot to see it", file_};
    if (!graph.complete)
      return Error{
          ErrorKind::usage,
          fmt::format("more than {} states: too many for a picture", refine::kLargestPicture),
          "take fewer processes or smaller constants (--set), or `at most 1`", file_};
    return write_whole(args_.dot, refine::dot(program, text_, graph));
  }

  // ---- one combination

  refine::VerifyOptions make_options() const {
    refine::VerifyOptions options;
    options.reductions = {.eager_returns = !args_.no_glue && !args_.no_eager_returns,
                          .late_calls = !args_.no_glue && !args_.no_late_calls,
                          .symmetry = !args_.no_symmetry,
                          .partial_order = args_.por,
                          .antichain = !args_.no_antichain,
                          .generators = !args_.no_generators};
    options.jobs = static_cast<unsigned>(args_.jobs);
    options.native = native();
    options.compact = args_.hash_compaction;
    options.question = question_;
    options.cut_is_bound = args_.cut_is_bound;
    options.savings = args_.stats;
    const bool is_shown =  // a table shows none
        args_.json || !sweep_ || collected_.wants_cases() || collected_.wants_page();
    options.least = !args_.any_trace && is_shown;
    options.timeout_seconds = limits_.timeout_seconds * kOwnTime;
    options.memory_bytes =
        static_cast<std::size_t>(static_cast<double>(args_.memory << 20) * kOwnMemory);
    options.checkpoint = args_.checkpoint;
    options.checkpoint_seconds = args_.checkpoint_every;
    return options;
  }

  // The compiler counts as memory of this command, and needs some: unless it was asked for, a small
  // limit is left to the search.
  refine::Native native() const {
    switch (args_.native) {
      case options::NativeCode::now: return refine::Native::at_once;
      case options::NativeCode::never: return refine::Native::never;
      case options::NativeCode::automatic: break;
    }
    const bool is_tight = args_.memory > 0 && args_.memory < kMemoryOfCompiler;
    return is_tight ? refine::Native::never : refine::Native::when_large;
  }

  VerifyDecision decide(const model::Program& program) {
    VerifyDecision d;
    // Not destroyed where the worker was abandoned, since that still uses it.
    auto* job = new VerifyJob(text_, program);
    job->options = make_options();
    job->options.interrupt = &job->stop;
    if (args_.simulate)
      job->choose = asks() ? asked_steps() : random_steps(args_.seed, args_.steps);
    Watched watched;
    if (asks()) {
      std::signal(SIGINT, SIG_DFL);  // nothing is lost
      job->run();
    } else {
      watched = search(*job);
    }
    d.abandoned = !watched.finished || watched.cut != StopReason::none;
    if (watched.finished && job->failure) {
      d.status = fail(*job->failure);
      d.error = job->failure->to_string();
    } else if (watched.finished && job->report && !job->report->ok()) {
      Error error = job->report->error();
      if (error.file.empty()) error.file = text::file_words(file_);
      d.status = fail(error);
      d.error = error.to_string();
    } else {
      show(*job, watched, d);
    }
    if (!d.abandoned) delete job;
    return d;
  }

  bool asks() const { return args_.simulate && file_ != "-" && isatty(STDIN_FILENO) != 0; }

  Watched search(VerifyJob& job) {
    report::ProgressLine line = progress_line(args_);
    const std::string name = text::file_words(std::filesystem::path(file_).filename());
    return watch(
        limits_, job.stop, [&job] { job.run(); },
        [&](double seconds) {
          line.update_words(seconds, [&] {
            return report::search_words(name, seconds, job.progress, resident_bytes());
          });
        });
  }

  void show(VerifyJob& job, const Watched& watched, VerifyDecision& d) {
    refine::VerifyReport report;
    if (watched.finished && job.report) {
      report = std::move(**job.report);
    } else {
      report.question = question_;
      report.simulated = args_.simulate;
      report.found.states = job.progress.states;
      report.found.transitions = job.progress.transitions;
      report.found.depth = job.progress.depth;
      report.found.waiting = job.progress.waiting;
    }
    const bool is_undecided = report.found.verdict == Verdict::undecided;
    if (is_undecided) explain_cut(watched, report);
    if (!args_.history.empty() && report.history)
      if (Status written = write_violation(report); !written.ok()) {
        d.status = fail(written.error());
        d.error = written.error().to_string();
        return;
      }
    describe(report, watched, d.row);
    report::ModelRequest request{.file = file_, .options = job.options, .seed = {}};
    if (args_.simulate && !asks()) request.seed = args_.seed;
    request.options.timeout_seconds = args_.timeout;
    request.options.memory_bytes = args_.memory << 20;
    request.total_seconds = watched.seconds;
    request.peak_bytes = d.row.peak_bytes;
    report::Report shown = report::model_report(job.program, std::move(report), request);
    shown.interrupted = is_undecided && watched.cut == StopReason::interrupted;
    if (collected_.wants_cases()) d.shown = report::make_case(shown, "");
    d.report = args_.json ? report::json_report(shown) + "\n"
                          : report::text_report(shown, text_style(args_, output_));
    if (collected_.wants_page() && sweep_) d.json = report::json_report(shown);
    else if (collected_.wants_page()) collected_.page().add(shown, text_);
    d.status = report::exit_status(shown);
  }

  static void describe(const refine::VerifyReport& report, const Watched& watched,
                       report::SweepRow& row) {
    const refine::Found& found = report.found;
    row.outcome = report::outcome_of(found.verdict);
    row.reason = report.reason;
    if (const std::size_t n = report.warnings.size(); n > 0)
      row.reason =
          fmt::format("{} never happen{}", text::count_words(n, "thing"), n > 1 ? "" : "s");
    if (report.marks)
      row.reason += (row.reason.empty() ? "" : "; ") +
                    std::string("its linearization points do not explain every run");
    row.states = found.states;
    row.transitions = found.transitions;
    row.depth = found.depth;
    row.seconds = watched.seconds;
    row.peak_bytes = peak_resident_bytes();
  }

  // A history that plumb check --spec MODEL convicts. Its object is called after the file, because
  // a model's name may be that of a specification that Plumb has, too.
  Status write_violation(refine::VerifyReport& report) const {
    if (report.found.kind == refine::Found::fault) {
      report.notes.push_back("no history was written, because a fault is not a matter of results");
      return {};
    }
    std::ostringstream text;
    for (Object& object : report.history->objects) object.specification = text::file_words(file_);
    if (Status made = write_history(*report.history, "native", text); !made.ok()) return made;
    return write_whole(args_.history, text.str());
  }

  void collect(const VerifyDecision& d, const model::Settings& settings) {
    const std::string words = report::settings_words(settings);
    const std::string replay = command_words(parsed_, "verify", file_, "--set");
    report::Case shown = d.shown;
    if (!d.error.empty()) shown = {"", report::CaseVerdict::error, d.error};
    shown.name = text::file_words(file_) + words;
    shown.replay = replay.empty() ? replay : replay + words;
    shown.seconds = d.row.seconds;
    collected_.add(std::move(shown));
  }

  // ---- several

  ExitStatus sweep() {
    report::Summary summary;
    summary.command = report::Command::verify;
    const auto start = Clock::now();
    std::vector<std::string> convicted;
    if (!args_.json)
      output_.write(fmt::format("{}: {}, {}\n", text::file_words(file_), programs_[0].object,
                                args_.explore_only ? "explored" : property_name(question_) + "?") +
                    report::sweep_head(settings_));
    for (std::size_t i = 0; i < programs_.size() && !interrupted(); ++i) {
      VerifyDecision d = unpack(in_child([&] { return pack(decide(programs_[i])); }));
      d.row.settings = settings_[i];
      ++summary.files;
      if (d.status == ExitStatus::interrupted) summary.interrupted = true;
      switch (d.row.outcome) {
        case report::CaseVerdict::holds: ++summary.holds; break;
        case report::CaseVerdict::undecided: ++summary.undecided; break;
        case report::CaseVerdict::violation: ++summary.violation; break;
        case report::CaseVerdict::error:
          summary.errors.push_back({static_cast<ErrorKind>(d.status), "could not be decided", "",
                                    file_ + report::settings_words(d.row.settings)});
      }
      if (d.row.outcome == report::CaseVerdict::violation)
        convicted.push_back(report::settings_words(settings_[i]));
      output_.write(args_.json ? d.report : report::sweep_row(d.row, settings_));
      collect(d, settings_[i]);
      if (Status written = output_.flush(); !written.ok()) return fail(written.error());
      if (!d.json.empty())
        if (Status added = collected_.page().add(d.json); !added.ok()) return fail(added.error());
    }
    summary.interrupted = summary.interrupted || interrupted();
    summary.seconds = since(start);
    const ExitStatus status = exit_status(summary);
    summary.exit_status = status;
    if (args_.json) {
      output_.write(report::json_summary(summary));
    } else if (!convicted.empty() && !args_.quiet) {
      output_.write(fmt::format("\n  Shown by: plumb verify {}{}\n", text::file_words(file_),
                                convicted.front()));
    }
    if (Status written = output_.commit(); !written.ok()) return fail(written.error());
    if (Status written = collected_.write("plumb verify", summary.seconds); !written.ok())
      return fail(written.error());
    return status;
  }

  // The search knows only that it was asked to stop, or that its own share of a limit is used up.
  void explain_cut(const Watched& watched, refine::VerifyReport& report) const {
    const bool unconfirmed = report.found.stopped == StopReason::not_confirmed;
    const StopReason stopped = watched.cut == StopReason::none ? report.found.stopped : watched.cut;
    if (stopped == StopReason::time_limit)
      report.reason = "time-out after " + text::seconds_words(args_.timeout);
    else if (stopped == StopReason::memory_limit)
      report.reason = fmt::format("memory limit of {} MiB", args_.memory);
    else if (stopped == StopReason::interrupted) report.reason = "interrupted";
    if (!unconfirmed) report.found.stopped = stopped;
    else if (watched.cut != StopReason::none)
      report.reason += "; a violation was found, but not yet confirmed by a second engine";
  }

  static ExitStatus fail(const Error& error) {
    print_error(error);
    return status_of(error);
  }

  const Parsed& parsed_;
  const Settings& args_;
  const std::string& file_;
  Limits limits_;  // of what is still to do
  OutputFile output_;
  Collected collected_;
  std::string text_;
  Question question_;
  bool sweep_ = false;
  std::vector<model::Settings> settings_;
  std::vector<model::Program> programs_;  // one for each of them
};

}  // namespace

ExitStatus run_verify(const Parsed& parsed) { return VerifyCommand(parsed).run(); }

}  // namespace plumb::cli
