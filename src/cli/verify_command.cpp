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
#include <thread>

#include "base/clock.hpp"
#include "base/resident.hpp"
#include "base/text.hpp"
#include "cli/child.hpp"
#include "cli/collect.hpp"
#include "cli/commands.hpp"
#include "cli/model_file.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/simulate.hpp"
#include "cli/style.hpp"
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

using refine::Criterion;

constexpr double kOwnMemory = 0.9;  // of the limit: the rest is for what tables do not count
constexpr double kOwnTime = 0.97;

struct VerifyArguments : CommonArguments {
  std::string file, history, dot, checkpoint, property = "linearizable";
  double checkpoint_seconds = 30;
  std::uint64_t steps = 50;
  std::vector<std::string> settings;
  unsigned jobs = 0;
  std::string native = "auto";
  std::string engine;  // empty: what the model asserts, or else the product
  bool simulate = false, stats = false, explore_only = false, cut_is_bound = false, compact = false,
       no_glue = false, no_eager_returns = false, no_late_calls = false, no_symmetry = false,
       por = false, no_antichain = false, no_generators = false, points = false, any_trace = false;
};

// What the worker thread works on. If it has to be abandoned it goes on using this.
struct Job {
  Job(const std::string& model_text, const model::Program& compiled)
      : text(model_text), program(compiled) {}

  const std::string& text;
  const model::Program& program;
  refine::VerifyOptions options;
  refine::Choose choose;  // --simulate
  std::atomic<bool> stop{false};
  refine::SearchProgress progress;
  std::optional<Result<refine::VerifyReport>> report;
  std::optional<Error> failure;

  void run() {
    const Status done = guarded([this] {
      try {
        report = choose ? refine::simulate(program, text, options, choose)
                        : refine::verify(program, text, options, &progress);
      } catch (const std::bad_alloc&) {
        refine::VerifyReport undecided;
        undecided.reason = "out of memory";
        report = std::move(undecided);
      }
    });
    if (!done.ok()) failure = done.error();
  }
};

// One combination of constants: what was decided, and how it is told.
struct Decision {
  int status = kUndecided;
  bool abandoned = false;  // a worker still uses its job
  report::SweepRow row;
  std::string report;  // empty: an error was printed
  std::string told;    // for --junit and --markdown: the report for people, or that error
  std::string json;    // of a sweep, for --html; one line
};

// How a decision travels from a child: figures, the reason, JSON, then what is told and the report.
std::string pack(const Decision& d) {
  return fmt::format("{} {} {} {} {} {} {} {}\n{}\n{}\n{}{}", d.status, d.row.verdict, d.row.states,
                     d.row.transitions, d.row.depth, d.row.seconds, d.row.peak_bytes, d.told.size(),
                     d.row.reason, d.json, d.told, d.report);
}
Decision unpack(const std::optional<std::string>& text) {
  Decision d;
  d.status = static_cast<int>(ErrorKind::internal);
  if (!text) return d;
  std::istringstream in(*text);
  std::size_t told = 0;
  in >> d.status >> d.row.verdict >> d.row.states >> d.row.transitions >> d.row.depth >>
      d.row.seconds >> d.row.peak_bytes >> told;
  in.ignore();
  std::getline(in, d.row.reason);
  std::getline(in, d.json);
  d.report.assign(std::istreambuf_iterator<char>(in), {});
  d.told = d.report.substr(0, told);
  d.report.erase(0, told);
  return d;
}

class VerifyCommand {
 public:
  VerifyCommand(const VerifyArguments& arguments, const CLI::App& app) : a_(arguments), app_(app) {}

  int run() {
    std::setlocale(LC_CTYPE, "");
    catch_interrupts();
    if (const int failed = prepare()) return failed;
    if (programs_.size() > 1 || sweep_) return sweep();
    const Decision d = decide(programs_.front());
    output_.write(d.report);
    collect(d, settings_.front());
    Status written = output_.flush();
    if (written.ok()) written = collected_.write("plumb verify", d.row.seconds);
    const int status = written.ok() ? d.status : fail(written.error());
    // An abandoned worker goes on using what would be destroyed here.
    if (d.abandoned) std::_Exit(status);
    return status;
  }

 private:
  int prepare() {
    const Result<std::vector<Setting>> settings = read_settings(a_.settings);
    if (!settings.ok()) return fail(settings.error());
    for (const Setting& s : *settings) sweep_ = sweep_ || s.low != s.high;
    Result<std::vector<model::Settings>> all = combinations(*settings);
    if (!all.ok()) return fail(all.error());
    settings_ = std::move(*all);
    if (sweep_ && (!a_.history.empty() || !a_.dot.empty() || a_.simulate))
      return fail({ErrorKind::usage,
                   "--history, --dot or --simulate with several values of a constant",
                   "give each constant one value"});
    const int questions =
        a_.simulate + a_.explore_only + (a_.property != "linearizable") + a_.points + asks_engine();
    if (questions > 1)
      return fail({ErrorKind::usage,
                   "more than one of --points, --engine, --simulate, --explore-only and --property",
                   "ask one after the other"});
    if (!a_.checkpoint.empty() && (sweep_ || questions > a_.explore_only))
      return fail({ErrorKind::usage,
                   "--checkpoint with several values of a constant, --simulate, --points, --engine "
                   "or --property",
                   "it is for one question about linearizability, or for --explore-only"});
    if (Status opened = output_.open(a_.output); !opened.ok()) return fail(opened.error());
    if (Status opened = collected_.open(a_); !opened.ok()) return fail(opened.error());
    Result<std::string> text = read_model(a_.file);
    if (!text.ok()) return fail(text.error());
    text_ = std::move(*text);
    for (const model::Settings& s : settings_) {
      std::optional<model::Program> program;
      if (const int failed = compile_model(a_.file, text_, s, program)) {
        if (sweep_)
          std::fputs(fmt::format("  with{}\n", report::settings_words(s)).c_str(), stderr);
        return failed;
      }
      programs_.push_back(std::move(*program));
    }
    if (a_.points && !has_marks(programs_[0]))
      return fail({ErrorKind::usage, "--points, but the model marks no linearization point",
                   "say `linearize` behind the statements at which operations take effect",
                   a_.file});
    const model::Program& model = programs_[0];
    if (model.asserted && asks_engine() && a_.engine != model.asserted->predicate)
      return fail({ErrorKind::usage,
                   fmt::format("--engine {}, but the model says {} in line {}", a_.engine,
                               model.asserted->words(), model.asserted->line),
                   "leave --engine out, or say --engine product, which needs no histories",
                   a_.file});
    const bool weaker = a_.property == "regular" || a_.property == "safe";
    criterion_ = questions == 0 && a_.engine.empty()
                     ? refine::criterion_of(model)
                     : *refine::criterion_named(a_.points       ? "points"
                                                : weaker        ? a_.property
                                                : asks_engine() ? a_.engine
                                                                : "product");
    if (!a_.checkpoint.empty() && records(criterion_))
      return fail({ErrorKind::usage,
                   fmt::format("--checkpoint, but the model says {} in line {}",
                               model.asserted->words(), model.asserted->line),
                   "say --engine product, which can go on from a checkpoint", a_.file});
    if (a_.property != "linearizable" && criterion_ == Criterion::linearizable) {
      progress_ = refine::ProgressProperty::parse(a_.property, programs_[0]);
      std::vector<std::string> names = {"linearizable",    "regular",   "safe",
                                        "deadlock-free",   "lock-free", "wait-free",
                                        "obstruction-free"};
      for (const model::Op& op : programs_[0].ops) names.push_back("returns:" + op.name);
      if (!progress_)
        return fail({ErrorKind::usage, fmt::format("unknown property '{}'", a_.property),
                     "one of " + text::list_words(names, "or"), a_.file});
    }
    if (!a_.dot.empty())
      if (Status drawn = draw(programs_[0]); !drawn.ok()) return fail(drawn.error());
    return 0;
  }

  // Whether recorded histories are asked for.
  bool asks_engine() const { return !a_.engine.empty() && a_.engine != "product"; }

  Status draw(const model::Program& program) const {
    Budget budget(a_.timeout, a_.memory << 20, nullptr);
    const refine::Graph graph =
        refine::build_graph(program, budget, nullptr, refine::kLargestPicture);
    if (graph.faulty != refine::Graph::kNoState)
      return Error{ErrorKind::usage, "the object has a fault, so its states can not all be drawn",
                   "leave out --dot to see it", a_.file};
    if (!graph.complete)
      return Error{
          ErrorKind::usage,
          fmt::format("more than {} states: too many for a picture", refine::kLargestPicture),
          "take fewer processes or smaller constants (--set), or `at most 1`", a_.file};
    Output file;
    if (Status opened = file.open(a_.dot); !opened.ok()) return opened;
    file.write(refine::dot(program, text_, graph));
    return file.flush();
  }

  // ---- one combination

  Decision decide(const model::Program& program) {
    Decision d;
    // Not destroyed where the worker was abandoned: it goes on using it.
    auto* job = new Job(text_, program);
    job->options.reductions = {.eager_returns = !a_.no_glue && !a_.no_eager_returns,
                               .late_calls = !a_.no_glue && !a_.no_late_calls,
                               .symmetry = !a_.no_symmetry,
                               .partial_order = a_.por,
                               .antichain = !a_.no_antichain,
                               .generators = !a_.no_generators};
    job->options.jobs = a_.jobs ? a_.jobs : std::max(1u, std::thread::hardware_concurrency());
    job->options.native = a_.native == "now"     ? refine::Native::at_once
                          : a_.native == "never" ? refine::Native::never
                                                 : refine::Native::when_large;
    job->options.compact = a_.compact;
    job->options.explore_only = a_.explore_only;
    job->options.criterion = criterion_;
    job->options.cut_is_bound = a_.cut_is_bound;
    job->options.property = a_.simulate ? "simulated" : a_.property;
    job->options.progress = progress_;
    job->options.savings = a_.stats;
    const bool is_shown =  // a table shows none
        a_.json || !sweep_ || collected_.wants_cases() || collected_.wants_page();
    job->options.least = !a_.any_trace && is_shown;
    job->options.timeout_seconds = a_.timeout * kOwnTime;
    job->options.memory_bytes =
        static_cast<std::size_t>(static_cast<double>(a_.memory << 20) * kOwnMemory);
    job->options.interrupt = &job->stop;
    job->options.checkpoint = a_.checkpoint;
    job->options.checkpoint_seconds = a_.checkpoint_seconds;
    if (a_.simulate) job->choose = asks() ? asked_steps() : random_steps(a_.seed, a_.steps);
    Watched watched;
    if (asks()) {
      std::signal(SIGINT, SIG_DFL);  // nothing is lost
      job->run();
    } else {
      watched = search(*job);
    }
    d.abandoned = !watched.finished || watched.cut != Cut::none;
    if (watched.finished && job->failure) {
      d.status = fail(*job->failure);
      d.told = job->failure->to_string();
    } else if (watched.finished && job->report && !job->report->ok()) {
      Error error = job->report->error();
      if (error.file.empty()) error.file = text::file_words(a_.file);
      d.status = fail(error);
      d.told = error.to_string();
    } else {
      show(*job, watched, d);
    }
    if (!d.abandoned) delete job;
    return d;
  }

  bool asks() const { return a_.simulate && a_.file != "-" && isatty(STDIN_FILENO) != 0; }

  Watched search(Job& job) {
    const report::ProgressMode mode = a_.quiet || a_.progress == "none" ? report::ProgressMode::none
                                      : a_.progress == "plain" ? report::ProgressMode::plain
                                                               : report::ProgressMode::automatic;
    report::ProgressLine line(mode, isatty(STDERR_FILENO) != 0);
    const std::string name = a_.file == "-" ? text::file_words(a_.file)
                                            : std::filesystem::path(a_.file).filename().string();
    return watch(
        {a_.timeout, a_.memory << 20, !a_.checkpoint.empty()}, job.stop, [&job] { job.run(); },
        [&](double seconds) {
          line.update_words(seconds, [&] {
            return report::search_words(name, seconds, job.progress, resident_bytes());
          });
        });
  }

  void show(Job& job, const Watched& watched, Decision& d) {
    refine::VerifyReport report;
    if (watched.finished && job.report) {
      report = std::move(**job.report);
    } else {
      report.found.states = job.progress.states;
      report.found.transitions = job.progress.transitions;
      report.found.depth = job.progress.depth;
      report.found.waiting = job.progress.waiting;
    }
    report::ModelSubject subject;
    subject.interrupted = watched.cut == Cut::interrupted;
    if (report.found.verdict == Verdict::undecided) explain_cut(watched, report);
    else subject.interrupted = false;
    subject.file = a_.file;
    subject.program = &job.program;
    if (a_.simulate && !asks()) subject.seed = a_.seed;
    subject.report = &report;
    subject.options = job.options;
    subject.options.timeout_seconds = a_.timeout;
    subject.options.memory_bytes = a_.memory << 20;
    subject.total_seconds = watched.seconds;
    subject.peak_bytes = peak_resident_bytes();
    if (!a_.history.empty() && report.history)
      if (Status written = write_violation(report); !written.ok()) {
        d.status = fail(written.error());
        d.told = written.error().to_string();
        return;
      }
    if (collected_.wants_cases()) d.told = report::text_model_report(subject, {});
    d.report = a_.json ? report::json_model_report(subject)
                       : report::text_model_report(subject, text_style(a_, output_));
    if (collected_.wants_page() && sweep_) {
      d.json = report::json_model_report(subject);
      d.json.pop_back();
    } else if (collected_.wants_page()) {
      collected_.page().add(subject, text_);
    }
    d.status = subject.interrupted                          ? kInterrupted
               : report.found.verdict == Verdict::holds     ? kHolds
               : report.found.verdict == Verdict::violation ? kViolation
                                                            : kUndecided;
    const refine::Found& found = report.found;
    d.row.verdict = to_string(found.verdict);
    d.row.reason = report.reason;
    if (const std::size_t n = report.warnings.size(); n > 0)
      d.row.reason =
          fmt::format("{} never happen{}", text::count_words(n, "thing"), n > 1 ? "" : "s");
    if (report.marks)
      d.row.reason += (d.row.reason.empty() ? "" : "; ") + std::string("not by its points");
    d.row.states = found.states;
    d.row.transitions = found.transitions;
    d.row.depth = found.depth;
    d.row.seconds = watched.seconds;
    d.row.peak_bytes = subject.peak_bytes;
  }

  // A history that plumb check --spec MODEL convicts. Its object is called after the file, because
  // a model's name may be that of a specification that Plumb has, too.
  Status write_violation(refine::VerifyReport& report) const {
    if (report.found.kind == refine::Found::fault) {
      report.notes.push_back("no history was written, because a fault is not a matter of results");
      return {};
    }
    std::ostringstream text;
    for (Object& object : report.history->objects) object.specification = text::file_words(a_.file);
    if (Status made = write_history(*report.history, "native", text); !made.ok()) return made;
    Output file;
    if (Status opened = file.open(a_.history); !opened.ok()) return opened;
    file.write(text.str());
    return file.flush();
  }

  void collect(const Decision& d, const model::Settings& settings) {
    const std::string words = report::settings_words(settings);
    const std::string again = command_words(app_, a_.file, "--set");
    collected_.add(report::make_case(text::file_words(a_.file) + words,
                                     report::outcome_of(d.status), d.told,
                                     again.empty() ? again : again + words, d.row.seconds));
  }

  // ---- several

  int sweep() {
    report::Summary summary;
    summary.command = "verify";
    const auto start = Clock::now();
    std::vector<std::string> convicted;
    if (!a_.json)
      output_.write(fmt::format("{}: {}, {}\n", text::file_words(a_.file), programs_[0].object,
                                a_.explore_only ? "explored" : a_.property + "?") +
                    report::sweep_head(settings_));
    for (std::size_t i = 0; i < programs_.size() && !interrupted(); ++i) {
      Decision d = unpack(in_child([&] { return pack(decide(programs_[i])); }));
      d.row.settings = settings_[i];
      ++summary.files;
      if (d.status == kInterrupted) summary.interrupted = true;
      if (d.row.verdict == "holds") ++summary.holds;
      else if (d.row.verdict == "undecided") ++summary.undecided;
      else if (d.row.verdict == "violation") ++summary.violation;
      else
        summary.errors.push_back({static_cast<ErrorKind>(d.status), "could not be decided", "",
                                  a_.file + report::settings_words(d.row.settings)});
      if (d.row.verdict == "violation") convicted.push_back(report::settings_words(settings_[i]));
      output_.write(a_.json ? d.report : report::sweep_row(d.row, settings_));
      collect(d, settings_[i]);
      if (Status written = output_.flush(); !written.ok()) return fail(written.error());
      if (!d.json.empty())
        if (Status added = collected_.page().add(d.json); !added.ok()) return fail(added.error());
    }
    summary.interrupted = summary.interrupted || interrupted();
    summary.seconds = since(start);
    summary.exit_status = exit_status(summary);
    if (a_.json) {
      output_.write(report::json_summary(summary));
    } else if (!convicted.empty() && !a_.quiet) {
      output_.write(fmt::format("\n  Shown by: plumb verify {}{}\n", text::file_words(a_.file),
                                convicted.front()));
    }
    if (Status written = output_.flush(); !written.ok()) return fail(written.error());
    if (Status written = collected_.write("plumb verify", summary.seconds); !written.ok())
      return fail(written.error());
    return summary.exit_status;
  }

  // The search knows only that it was asked to stop, or that its own share of a limit is used up.
  void explain_cut(const Watched& watched, refine::VerifyReport& report) const {
    const std::string timeout = "time-out after " + text::seconds_words(a_.timeout);
    const std::string memory = fmt::format("memory limit of {} MiB", a_.memory);
    if (watched.cut == Cut::timeout || report.reason == "time-out") report.reason = timeout;
    else if (watched.cut == Cut::memory || report.reason == "memory limit") report.reason = memory;
    else if (watched.cut == Cut::interrupted) report.reason = "interrupted";
  }

  static int fail(const Error& error) {
    print_error(error);
    return static_cast<int>(error.kind);
  }

  const VerifyArguments& a_;
  const CLI::App& app_;
  Output output_;
  Collected collected_;
  std::string text_;
  std::optional<refine::ProgressProperty> progress_;
  Criterion criterion_ = Criterion::linearizable;
  bool sweep_ = false;
  std::vector<model::Settings> settings_;
  std::vector<model::Program> programs_;  // one for each of them
};

}  // namespace

std::function<int()> add_verify_command(CLI::App& root) {
  const auto a = std::make_shared<VerifyArguments>();
  CLI::App* app =
      root.add_subcommand("verify", "prove that a model of an algorithm is linearizable");
  app->add_option("FILE", a->file, "a model (docs/language.md); - is standard input")->required();
  Binder binder(*app, kVerifyOptions);
  binder.bind("--set", a->settings)->take_all()->expected(1)->allow_extra_args(false);
  binder.bind("--property", a->property);
  binder.bind("--points,--linearization-points", a->points);
  binder.bind("--explore-only", a->explore_only);
  binder.bind("--cut-is-bound", a->cut_is_bound);
  binder.bind("--engine", a->engine)
      ->check(among({"product", "soar", "soar-literal", "clmt", "dummy"}));
  binder.bind("--no-glue", a->no_glue);
  binder.bind("--no-eager-returns", a->no_eager_returns);
  binder.bind("--no-late-calls", a->no_late_calls);
  binder.bind("--no-symmetry", a->no_symmetry);
  binder.bind("--por", a->por);
  binder.bind("--no-antichain", a->no_antichain);
  binder.bind("--no-generators", a->no_generators);
  binder.bind("--any-trace", a->any_trace);
  binder.bind("--jobs", a->jobs);
  binder.bind("--hash-compaction", a->compact);
  binder.bind("--native", a->native)->check(among({"auto", "now", "never"}));
  binder.bind("--simulate", a->simulate);
  binder.bind("--steps", a->steps);
  a->bind_to(binder);
  binder.bind("--checkpoint", a->checkpoint);
  binder.bind("--checkpoint-every", a->checkpoint_seconds)->check(positive);
  binder.bind("--dot", a->dot);
  binder.bind("--history", a->history);
  binder.bind("--stats", a->stats);
  return [a, app] { return VerifyCommand(*a, *app).run(); };
}

}  // namespace plumb::cli
