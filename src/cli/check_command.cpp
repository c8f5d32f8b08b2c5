// SPDX-License-Identifier: MIT
// plumb check: one file after the other, each in a thread of its own under the watchdog. Only this
// thread prints, so a check that had to be abandoned can not disturb its own report.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "base/resident.hpp"
#include "base/text.hpp"
#include "check/online/read_stream.hpp"
#include "check/property/quasi/relaxation.hpp"
#include "cli/collect.hpp"
#include "cli/commands.hpp"
#include "cli/model_file.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/style.hpp"
#include "cli/watchdog.hpp"
#include "history/parse_value.hpp"
#include "history/reader.hpp"
#include "model/code/sequential.hpp"
#include "plumb/check.hpp"
#include "plumb/formats.hpp"
#include "plumb/load.hpp"
#include "plumb/nondeterminism.hpp"
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

struct CheckArguments : CommonArguments {
  std::vector<std::string> files, settings, quasi;
  std::string relaxation;
  bool min_k = false, no_dedup = false;
  std::string specification, property = "linearizable", engine = "auto", search, initial, witness,
                             failed_cas, clock_skew, format;
  std::uint64_t lru = 0;
  unsigned jobs = 0;
  bool no_partition = false, keep_going = false, no_minimise = false, stats = false, follow = false,
       explain_engine = false;
};

// One file: what is asked, and what the worker thread has found out so far.
struct Job {
  std::string file;
  ReadOptions read;
  CheckOptions options;
  std::optional<QuasiOptions> quasi;  // --quasi
  bool follow = false;                // --follow
  bool may_stream = false;            // nothing was asked for that needs the whole history
  std::atomic<bool> stop{false};

  std::optional<Result<History>> history;
  std::atomic<bool> history_ready{false};  // from then on the main thread may look at it
  std::optional<Result<CheckReport>> report;
  std::optional<QuasiReport> quasi_report;  // its `check` is in `report`
  CheckProgress progress;
  double reading_seconds = 0;
  std::optional<Error> failure;

  void run() {
    const Status done = guarded([this] {
      try {
        read_and_check();
      } catch (const SpecificationError& error) {
        failure = Error{ErrorKind::bad_input, error.what(), "correct the specification", file};
      } catch (const std::bad_alloc&) {
        CheckReport undecided;
        undecided.reason = "out of memory";
        report = std::move(undecided);
      }
    });
    if (!done.ok()) failure = done.error();
  }

 private:
  void read_and_check() {
    const auto start = Clock::now();
    progress.phase = "reading";
    if (follow || (file == "-" && may_stream)) {
      if (read_as_stream()) return;
    } else {
      history = read_history(file, read);
    }
    reading_seconds = since(start);
    if (!history->ok()) return;
    history_ready = true;
    if (options.timeout_seconds > 0) options.timeout_seconds -= reading_seconds;
    if (stop || options.timeout_seconds < 0) return;
    if (!quasi) {
      report = check(**history, options, &progress);
      return;
    }
    Result<QuasiReport> found = check_quasi(**history, *quasi, options, &progress);
    if (!found.ok()) {
      failure = found.error();
      return;
    }
    report = std::move(found->check);
    quasi_report = std::move(*found);
  }

  // Returns: whether it was one; else it is in `history` now.
  bool read_as_stream() {
    const std::string name = file == "-" ? "standard input" : file;
    const int fd = file == "-" ? STDIN_FILENO : open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
      failure =
          Error{ErrorKind::missing_file, fmt::format("can not be opened: {}", std::strerror(errno)),
                "give the name of a file that exists and may be read", name};
      return true;
    }
    bool at_end = false;
    std::string first;
    if (follow && !is_pipe(fd)) {
      char head[4] = {};
      const auto n = pread(fd, head, sizeof head, 0);
      if (n >= 2 && (std::memcmp(head, "\x1f\x8b", 2) == 0 ||
                     std::memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0)) {
        failure = Error{ErrorKind::bad_input, "is compressed, so its lines do not come one by one",
                        "leave out --follow, or let the program write plain text", name};
        return true;
      }
    }
    if (!follow || is_pipe(fd)) {
      Result<std::string> there = read_what_is_there(fd, stop, at_end);
      if (!there.ok()) {
        failure = there.error();
        failure->file = name;
        return true;
      }
      first = std::move(*there);
      if (stop) return true;
      if (at_end || !is_stream(first)) {
        history = read_history_from(std::move(first), fd, name, read);
        return false;
      }
    }
    LiveLines lines(fd, std::move(first), follow && !is_pipe(fd), read.line_limit, stop);
    Stream decided({.specification = options.specification,
                    .initial = options.initial,
                    .partition = options.partition,
                    .interrupt = &stop});
    const auto start = Clock::now();
    Result<ReadStream> result = read_stream(lines, std::move(decided), stop, progress);
    if (!result.ok()) {
      failure = result.error();
    } else {
      if (!result->status.ok()) failure = result->status.error();
      history = std::move(result->report.history);
      history_ready = true;
      CheckReport& found = result->report.check;
      found.seconds = since(start);
      if (stop && found.verdict == Verdict::holds) {
        found.verdict = Verdict::undecided;
        found.reason = "interrupted";
        found.scope_notes.push_back(fmt::format("linearizable up to line {}", found.stream->lines));
      }
      report = std::move(found);
    }
    if (failure && failure->file.empty()) failure->file = name;
    return true;
  }
  static bool is_pipe(int fd) {
    struct stat about {};
    return fstat(fd, &about) == 0 && !S_ISREG(about.st_mode);
  }
};

class CheckCommand {
 public:
  CheckCommand(const CheckArguments& arguments, const CLI::App& app) : a_(arguments), app_(app) {}

  int run() {
    std::setlocale(LC_CTYPE, "");
    catch_interrupts();
    if (const int failed = load_model()) return failed;
    if (Status ready = prepare(); !ready.ok()) return fail(ready.error());
    const auto start = Clock::now();
    for (const std::string& file : a_.files) {
      if (abandoned_ || interrupted()) not_checked(file);
      else check_file(file);
      if (a_.files.size() > 1 && a_.memory > 0) release_free_memory();
    }
    summary_.seconds = since(start);
    return finish();
  }

 private:
  // --spec MODEL.plumb: its sequential part.
  int load_model() {
    const bool is_model = a_.specification.ends_with(".plumb");
    if (!is_model && !a_.settings.empty())
      return fail(
          {ErrorKind::usage, "--set without --spec MODEL.plumb", "it sets a constant of a model"});
    if (!is_model) return 0;
    const Result<std::vector<Setting>> settings = read_settings(a_.settings);
    if (!settings.ok()) return fail(settings.error());
    const Result<std::vector<model::Settings>> all = combinations(*settings);
    if (!all.ok() || all->size() != 1)
      return fail({ErrorKind::usage, "--set with several values", "a history has one"});
    const Result<std::string> text = read_model(a_.specification);
    if (!text.ok()) return fail(text.error());
    if (const int failed = compile_model(a_.specification, *text, all->front(), model_))
      return failed;
    model_specification_ = make_specification(*model_);
    given_ = model_specification_.get();
    read_.specification = given_->name();
    return 0;
  }

  Status prepare() {
    if (!a_.witness.empty() && a_.files.size() > 1)
      return Error{ErrorKind::usage, "--witness is for one file", "check the files one by one"};
    const bool linearizable = a_.property == "linearizable";
    if (!a_.witness.empty() && !linearizable && a_.property != "sequential")
      return Error{ErrorKind::usage, fmt::format("--witness with --property {}", a_.property),
                   "only linearizable and sequential have an order"};
    if (a_.follow && !linearizable)
      return Error{ErrorKind::usage, fmt::format("--follow with --property {}", a_.property),
                   "only linearizable is decided while a file grows"};
    if (a_.follow &&
        (a_.files.size() > 1 || !a_.html.empty() || a_.engine != "auto" || !a_.search.empty() ||
         a_.lru != 0 || a_.keep_going || !a_.witness.empty() || !a_.clock_skew.empty()))
      return Error{ErrorKind::usage,
                   "--follow with several files, or with an option that needs "
                   "the whole history (--engine, --witness, --html, --keep-going, ...)",
                   "check the file when it is complete"};
    Result<ReadOptions> read = make_read_options(a_.format, a_.failed_cas, a_.clock_skew);
    if (!read.ok()) return std::move(read.error());
    read->specification = read_.specification;
    read_ = std::move(*read);
    if (Status found = find_given_specification(); !found.ok()) return found;
    if (Status asked = read_quasi(); !asked.ok()) return asked;
    if (!a_.initial.empty()) {
      initial_ = parse_value(a_.initial);
      if (!initial_)
        return Error{ErrorKind::usage, fmt::format("--initial {} is not JSON", a_.initial),
                     "quote strings twice: --initial '\"x\"'"};
    }
    if (Status opened = output_.open(a_.output); !opened.ok()) return opened;
    if (Status opened = collected_.open(a_); !opened.ok()) return opened;
    style_ = text_style(a_, output_);
    style_.statistics = a_.stats;
    style_.engines = a_.explain_engine;
    style_.hints = output_.is_terminal();
    return {};
  }

  // --quasi enq=1 --quasi deq,try_deq=2
  Status read_quasi() {
    if (a_.quasi.empty()) {
      if (a_.relaxation.empty() && !a_.min_k && !a_.no_dedup) return {};
      return Error{ErrorKind::usage, "--relaxation, --min-k or --no-dedup without --quasi",
                   "--quasi OPERATION=FACTOR says what may be out of order"};
    }
    if (a_.property != "linearizable" || a_.follow)
      return Error{ErrorKind::usage, "--quasi with --property or --follow",
                   "quasi linearizability is a property of its own, of whole histories"};
    QuasiOptions asked;
    if (!a_.relaxation.empty()) asked.relaxation = a_.relaxation;
    asked.least_factors = a_.min_k;
    asked.dedup = !a_.no_dedup;
    for (const std::string& text : a_.quasi) {
      std::optional<QuasiSet> set = quasi::read_set(text);
      if (!set)
        return Error{ErrorKind::usage, fmt::format("--quasi {}", text),
                     "write OPERATION=FACTOR, or OPERATION,OPERATION=FACTOR"};
      asked.sets.push_back(*std::move(set));
    }
    quasi_ = std::move(asked);
    return {};
  }

  // "queue", "queue.cpp"; a path always has a dot or a slash, a name never.
  Status find_given_specification() {
    if (given_ || a_.specification.empty()) return {};
    given_ = find_specification(a_.specification);
    if (given_) {
      read_.specification = given_->name();
      return {};
    }
    if (a_.specification.find_first_of("./") != std::string::npos) {
      Result<const Specification*> loaded = load_specification(a_.specification);
      if (!loaded.ok()) return std::move(loaded.error());
      given_ = *loaded;
      read_.specification = given_->name();
      return {};
    }
    std::vector<std::string> names;
    for (const Specification* s : all_specifications()) names.push_back(s->name());
    return Error{ErrorKind::usage, fmt::format("unknown specification '{}'", a_.specification),
                 fmt::format("a file like my.cpp or my.plumb, or one of: {}",
                             text::list_words(names, "or"))};
  }

  void check_file(const std::string& file) {
    // An abandoned worker goes on using its job, so that must never be destroyed.
    auto* job = new Job;
    job->file = file;
    job->read = read_;
    job->follow = a_.follow;
    job->quasi = quasi_;
    job->may_stream = !quasi_ && a_.property == "linearizable" && a_.engine == "auto" &&
                      a_.search.empty() && a_.lru == 0 && !a_.keep_going && a_.witness.empty() &&
                      a_.clock_skew.empty() && a_.html.empty() &&
                      (a_.format.empty() || a_.format == "native");
    job->options = {
        .specification = given_,
        .initial = initial_,
        .property = a_.property,
        .engine = a_.engine,
        .partition = !a_.no_partition,
        .keep_going = a_.keep_going,
        .minimise = !a_.no_minimise,
        .lru_entries = a_.lru,
        .search = a_.search,
        .timeout_seconds = own_time(a_.timeout),
        .memory_bytes = static_cast<std::size_t>(static_cast<double>(a_.memory << 20) * kOwnMemory),
        .jobs = a_.jobs,
        .interrupt = &job->stop};
    const report::ProgressMode mode = a_.quiet || a_.progress == "none" ? report::ProgressMode::none
                                      : a_.progress == "plain" ? report::ProgressMode::plain
                                                               : report::ProgressMode::automatic;
    report::ProgressLine progress(mode, isatty(STDERR_FILENO) != 0);
    const Limits limits = {a_.timeout, a_.memory << 20};
    const Watched watched = watch(
        limits, job->stop, [job] { job->run(); },
        [&](double s) { progress.update(file, s, job->progress); });
    progress.clear();
    abandoned_ = !watched.finished;
    cut_ = watched.cut != Cut::none;
    // What a stream was until it went wrong is worth saying; the error still counts.
    if (watched.finished && job->failure && job->report && (*job->report)->operations > 0)
      show(*job, watched);
    if (watched.finished && job->failure) fail(*job->failure);
    else if (watched.finished && job->history && !job->history->ok()) fail(job->history->error());
    else if (watched.finished && job->report && !job->report->ok()) fail(job->report->error());
    else show(*job, watched);
    if (watched.finished && !cut_) delete job;  // giving back gigabytes takes time, too
  }

  void show(Job& job, const Watched& watched) {
    report::Subject subject;
    subject.file = job.file;
    subject.given = given_;
    if (job.history_ready) subject.history = &**job.history;
    if (given_ || subject.history)
      subject.specification =
          subject.history ? report::specification_names(*subject.history, given_) : given_->name();
    CheckReport report;
    if (watched.finished && job.report) report = std::move(**job.report);
    else report = what_was_covered(job);
    explain_cut(job, watched, report);
    subject.report = &report;
    if (job.quasi_report) subject.quasi = &*job.quasi_report;
    subject.partitions = report.partitions.size();
    for (const PartitionReport& p : report.partitions)
      subject.partitions_decided += p.verdict != Verdict::undecided;
    if (report.partitions.empty()) {
      subject.partitions = job.progress.partitions;
      subject.partitions_decided = job.progress.partitions_decided;
    }
    subject.options.engine = a_.engine;
    subject.options.initial = initial_;
    subject.options.partition = !a_.no_partition;
    subject.options.timeout_seconds = a_.timeout;
    subject.options.memory_bytes = a_.memory << 20;
    subject.reading_seconds = subject.history ? job.reading_seconds : watched.seconds;
    subject.total_seconds = watched.seconds;
    subject.peak_bytes = peak_resident_bytes();
    if (report.verdict == Verdict::holds && !a_.witness.empty()) {
      subject.witness_file = a_.witness;
      if (Status written = write_witness(subject, report); !written.ok()) fail(written.error());
    }
    print(subject);
  }

  // The report of a check that did not give one.
  CheckReport what_was_covered(const Job& job) const {
    CheckReport report;
    report.property = quasi_ ? "quasi-linearizable" : a_.property;
    if (!job.history_ready) return report;
    const History& history = **job.history;
    report.operations = history.size();
    for (OperationId op = 0; op < history.size(); ++op)
      ++(history.returned(op) ? report.completed : report.pending);
    return report;
  }

  // A check knows only that it was asked to stop; why, the watchdog knows.
  void explain_cut(const Job& job, const Watched& watched, CheckReport& report) {
    if (report.verdict != Verdict::undecided) return;
    const std::string timeout = "time-out after " + text::seconds_words(a_.timeout);
    const std::string memory = fmt::format("memory limit of {} MiB", a_.memory);
    if (watched.cut == Cut::none) {  // the check met its own share of a limit
      if (report.reason.starts_with("time-out")) report.reason = timeout;
      if (report.reason.starts_with("memory limit")) report.reason = memory;
      return;
    }
    report.interrupted = watched.cut == Cut::interrupted;
    switch (watched.cut) {
      case Cut::none: break;
      case Cut::timeout: report.reason = timeout; break;
      case Cut::memory: report.reason = memory; break;
      case Cut::interrupted: report.reason = "interrupted"; break;
    }
    summary_.interrupted = summary_.interrupted || report.interrupted;
    const std::string_view phase = job.progress.phase.load();
    if (phase == "reading") report.reason += " while reading";
    if (phase == "minimising")
      report.reason += "; a violation was found, but not yet confirmed by a second engine";
  }

  void not_checked(const std::string& file) {
    CheckReport report;
    report.property = a_.property;
    report.interrupted = interrupted();
    summary_.interrupted = summary_.interrupted || report.interrupted;
    report.reason = report.interrupted ? "interrupted before it was looked at"
                                       : "not looked at: the check before could not be stopped";
    report::Subject subject;
    subject.file = file;
    subject.report = &report;
    subject.options.engine = a_.engine;
    subject.options.partition = !a_.no_partition;
    subject.peak_bytes = peak_resident_bytes();
    print(subject);
  }

  void print(const report::Subject& subject) {
    ++summary_.files;
    switch (subject.report->verdict) {
      case Verdict::holds: ++summary_.holds; break;
      case Verdict::violation: ++summary_.violation; break;
      case Verdict::undecided: ++summary_.undecided; break;
    }
    if (collected_.wants_cases())
      collected_.add(report::make_case(text::file_words(subject.file),
                                       report::outcome_of(subject.report->verdict),
                                       report::text_report(subject, {}),
                                       command_words(app_, subject.file), subject.total_seconds));
    if (a_.json) {
      output_.write(report::json_report(subject));
    } else {
      if (separate_) output_.write("\n");
      const std::string text = report::text_report(subject, style_);
      output_.write(text);
      separate_ = text.find('\n') + 1 < text.size();  // more than one line
    }
    if (Status written = output_.flush(); !written.ok()) fail(written.error());
    if (collected_.wants_page()) collected_.page().add(subject);
  }

  int fail(const Error& error) {
    print_error(error);
    collected_.add({error.file.empty() ? "plumb check" : text::file_words(error.file),
                    report::Outcome::error, error.to_string()});
    summary_.errors.push_back(error);
    return static_cast<int>(error.kind);
  }

  Status write_witness(const report::Subject& subject, const CheckReport& report) {
    const History& history = *subject.history;
    Output file;
    if (Status opened = file.open(a_.witness); !opened.ok()) return opened;
    for (const OperationId op : report.witness) file.write(report::json_operation(history, op));
    for (const auto& [blocked, order] : report.blocking_witnesses) {
      for (const OperationId op : order) file.write(report::json_operation(history, op));
      file.write(report::json_operation(history, blocked));
    }
    if (subject.quasi)
      for (const auto& order : subject.quasi->displaced)
        for (const OperationId op : order) file.write(report::json_operation(history, op, true));
    return file.flush();
  }

  int finish() {
    summary_.exit_status = exit_status(summary_);
    if (a_.files.size() > 1) {
      summary_.files = a_.files.size();
      if (a_.json) output_.write(report::json_summary(summary_));
      else if (!a_.quiet) output_.write(summary_words());
    }
    if (Status written = output_.flush(); !written.ok()) fail(written.error());
    if (Status written = collected_.write("plumb check", summary_.seconds); !written.ok())
      fail(written.error());
    summary_.exit_status = exit_status(summary_);
    if (abandoned_ || cut_) std::_Exit(summary_.exit_status);
    return summary_.exit_status;
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

  const CheckArguments& a_;
  const CLI::App& app_;
  ReadOptions read_;
  std::optional<model::Program> model_;
  std::unique_ptr<Specification> model_specification_;
  const Specification* given_ = nullptr;
  std::optional<Value> initial_;
  std::optional<QuasiOptions> quasi_;
  Output output_;
  Collected collected_;
  report::TextStyle style_;
  report::Summary summary_;
  bool abandoned_ = false, cut_ = false, separate_ = false;
};

}  // namespace

std::function<int()> add_check_command(CLI::App& root) {
  const auto a = std::make_shared<CheckArguments>();
  CLI::App* app =
      root.add_subcommand("check", "decide whether recorded histories are linearizable");
  app->add_option("FILE", a->files, "histories; - is standard input")->required();
  const auto formats = readable_formats();
  Binder binder(*app, kCheckOptions);
  binder.bind("--spec", a->specification);
  binder.bind("--set", a->settings)->take_all()->expected(1)->allow_extra_args(false);
  binder.bind("--initial", a->initial);
  binder.bind("--property", a->property)
      ->check(among({"linearizable", "regular", "safe", "sequential"}));
  binder.bind("--quasi", a->quasi)->take_all()->expected(1)->allow_extra_args(false);
  binder.bind("--relaxation", a->relaxation)
      ->check(among({"strict", "distance", "lateness", "slot", "all", "def4"}));
  binder.bind("--min-k", a->min_k);
  binder.bind("--no-dedup", a->no_dedup);
  binder.bind("--format", a->format)->check(among({formats.begin(), formats.end()}));
  binder.bind("--failed-cas", a->failed_cas)->check(among({"mismatch", "absent"}));
  binder.bind("--clock-skew", a->clock_skew);
  binder.bind("--engine", a->engine);
  binder.bind("--search", a->search)->check(among({"dfs", "bfs"}));
  binder.bind("--lru", a->lru);
  binder.bind("--no-partition", a->no_partition);
  binder.bind("--keep-going", a->keep_going);
  binder.bind("--no-minimise", a->no_minimise);
  binder.bind("--follow", a->follow);
  binder.bind("--jobs", a->jobs);
  binder.bind("--witness", a->witness);
  binder.bind("--stats", a->stats);
  binder.bind("--explain-engine", a->explain_engine);
  a->bind_to(binder);
  return [a, app] { return CheckCommand(*a, *app).run(); };
}

}  // namespace plumb::cli
