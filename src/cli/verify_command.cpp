// SPDX-License-Identifier: MIT
// plumb verify: one model, in a thread of its own under the watchdog, like plumb check.
#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "check/resident.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/watchdog.hpp"
#include "explain/words.hpp"
#include "refine/verify.hpp"
#include "report/model_report.hpp"
#include "report/progress.hpp"

namespace plumb::cli {
namespace {

constexpr double kOwnMemory = 0.9;  // of the limit: the rest is for what tables do not count
constexpr double kOwnTime = 0.97;
constexpr std::size_t kLargestFile = std::size_t{4} << 20;

struct Arguments : CommonArguments {
  std::string file;
  std::vector<std::string> settings;
  bool explore_only = false, cut_is_bound = false, no_glue = false, no_symmetry = false,
       no_antichain = false;
};

// What the worker thread works on. If it has to be abandoned it goes on using this.
struct Job {
  std::string text;
  std::optional<model::Program> program;
  refine::VerifyOptions options;
  std::atomic<bool> stop{false};
  refine::SearchProgress progress;
  std::optional<Result<refine::VerifyReport>> report;
  std::optional<Error> failure;

  void run() {
    const Status done = guarded([this] {
      try {
        report = refine::verify(*program, text, options, &progress);
      } catch (const std::bad_alloc&) {
        refine::VerifyReport undecided;
        undecided.reason = "out of memory";
        report = std::move(undecided);
      }
    });
    if (!done.ok()) failure = done.error();
  }
};

Result<std::string> read_model(const std::string& file) {
  std::string text;
  if (file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    errno = 0;
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(file, ignored);
    std::ifstream in;
    if (!folder) in.open(file, std::ios::binary);
    if (in.is_open()) text.assign(std::istreambuf_iterator<char>(in), {});
    if (!in.is_open() || in.bad())
      return Error{ErrorKind::missing_file,
                   fmt::format("can not be read: {}", std::strerror(folder ? EISDIR : errno)),
                   "give the name of a file that exists and may be read", file};
  }
  if (text.size() > kLargestFile)
    return Error{ErrorKind::bad_input, "this is too long for a model", "at most 4 MiB", file};
  return text;
}

Result<model::Settings> read_settings(const std::vector<std::string>& given) {
  model::Settings settings;
  for (const std::string& word : given) {
    const std::size_t equals = word.find('=');
    std::int64_t value = 0;
    const bool good = equals != std::string::npos && equals > 0 &&
                      CLI::detail::lexical_cast(word.substr(equals + 1), value) &&
                      value > -1'000'000'000 && value < 1'000'000'000;
    if (!good)
      return Error{ErrorKind::usage, fmt::format("--set {} is not NAME=VALUE", word),
                   "for example --set K=4; values are whole numbers"};
    settings.emplace_back(word.substr(0, equals), value);
  }
  return settings;
}

class VerifyCommand {
 public:
  explicit VerifyCommand(const Arguments& arguments) : a_(arguments) {}

  int run() {
    std::setlocale(LC_CTYPE, "");
    catch_interrupts();
    auto job = std::make_unique<Job>();
    if (const int failed = prepare(*job)) return failed;
    const Watched watched = search(*job);
    if (watched.finished && job->failure) return fail(*job->failure);
    if (watched.finished && job->report && !job->report->ok()) {
      Error error = job->report->error();
      error.file = report::file_words(a_.file);
      return fail(error);
    }
    const int status = show(*job, watched);
    // An abandoned worker goes on using its job, so that must not be destroyed.
    if (!watched.finished || watched.cut != Cut::none) std::_Exit(status);
    return status;
  }

 private:
  int prepare(Job& job) {
    Result<model::Settings> settings = read_settings(a_.settings);
    if (!settings.ok()) return fail(settings.error());
    if (Status opened = output_.open(a_.output); !opened.ok()) return fail(opened.error());
    Result<std::string> text = read_model(a_.file);
    if (!text.ok()) return fail(text.error());
    job.text = std::move(*text);
    model::Compiled compiled = model::compile(job.text, *settings);
    if (!compiled.program) {
      // Not print_error(): this error has several lines.
      std::fputs(
          ("plumb: " + model::to_string(compiled.diagnostic, report::file_words(a_.file), job.text))
              .c_str(),
          stderr);
      return static_cast<int>(ErrorKind::bad_input);
    }
    if (!compiled.unknown_setting.empty())
      return fail(
          {ErrorKind::usage,
           fmt::format("--set {}: the model has no such constant", compiled.unknown_setting),
           "see its const declarations", a_.file});
    job.program = std::move(compiled.program);
    job.options.reductions = {!a_.no_glue, !a_.no_symmetry, !a_.no_antichain};
    job.options.explore_only = a_.explore_only;
    job.options.cut_is_bound = a_.cut_is_bound;
    job.options.timeout_seconds = a_.timeout * kOwnTime;
    job.options.memory_bytes =
        static_cast<std::size_t>(static_cast<double>(a_.memory << 20) * kOwnMemory);
    job.options.interrupt = &job.stop;
    return 0;
  }

  Watched search(Job& job) {
    const report::ProgressMode mode = a_.quiet || a_.progress == "none" ? report::ProgressMode::none
                                      : a_.progress == "plain" ? report::ProgressMode::plain
                                                               : report::ProgressMode::automatic;
    report::ProgressLine line(mode, isatty(STDERR_FILENO) != 0);
    return watch(
        {a_.timeout, a_.memory << 20}, job.stop, [&job] { job.run(); },
        [&](double seconds) {
          line.update_words(seconds, [&] {
            return fmt::format("{}: {}, {} waiting; {:.0f} s", report::file_words(a_.file),
                               report::count_words(job.progress.states, "state"),
                               report::count_words(job.progress.waiting), seconds);
          });
        });
  }

  int show(Job& job, const Watched& watched) {
    refine::VerifyReport report;
    if (watched.finished && job.report) {
      report = std::move(**job.report);
    } else {
      report.found.states = job.progress.states;
      report.found.waiting = job.progress.waiting;
    }
    report::ModelSubject subject;
    subject.interrupted = watched.cut == Cut::interrupted;
    if (report.found.verdict == Verdict::undecided) explain_cut(watched, report);
    else subject.interrupted = false;
    subject.file = a_.file;
    subject.program = &*job.program;
    subject.report = &report;
    subject.options = job.options;
    subject.options.timeout_seconds = a_.timeout;
    subject.options.memory_bytes = a_.memory << 20;
    subject.total_seconds = watched.seconds;
    subject.peak_bytes = peak_resident_bytes();
    output_.write(a_.json ? report::json_model_report(subject)
                          : report::text_model_report(subject, style()));
    if (Status written = output_.flush(); !written.ok()) return fail(written.error());
    if (subject.interrupted) return kInterrupted;
    switch (report.found.verdict) {
      case Verdict::holds: return kHolds;
      case Verdict::violation: return kViolation;
      case Verdict::undecided: break;
    }
    return kUndecided;
  }

  // The search knows only that it was asked to stop, or that its own share of a limit is used up.
  void explain_cut(const Watched& watched, refine::VerifyReport& report) const {
    const std::string timeout = "time-out after " + report::seconds_words(a_.timeout);
    const std::string memory = fmt::format("memory limit of {} MiB", a_.memory);
    if (watched.cut == Cut::timeout || report.reason == "time-out") report.reason = timeout;
    else if (watched.cut == Cut::memory || report.reason == "memory limit") report.reason = memory;
    else if (watched.cut == Cut::interrupted) report.reason = "interrupted";
  }

  report::TextStyle style() const {
    report::TextStyle style;
    style.ascii = a_.ascii || std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    style.verdict_only = a_.quiet;
    const char* no_color = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    style.colour = output_.is_terminal() && !(no_color && *no_color) &&
                   !(terminal && std::strcmp(terminal, "dumb") == 0);
    winsize size = {};
    if (output_.is_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40)
      style.columns = size.ws_col;
    return style;
  }

  static int fail(const Error& error) {
    print_error(error);
    return static_cast<int>(error.kind);
  }

  const Arguments& a_;
  Output output_;
};

}  // namespace

std::function<int()> add_verify_command(CLI::App& root) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* app =
      root.add_subcommand("verify", "prove that a model of an algorithm is linearizable");
  app->add_option("FILE", a->file, "a model (docs/language.md); - is standard input")->required();
  Binder binder(*app, kVerifyOptions);
  binder.bind("--set", a->settings)->take_all()->expected(1)->allow_extra_args(false);
  binder.bind("--explore-only", a->explore_only);
  binder.bind("--cut-is-bound", a->cut_is_bound);
  binder.bind("--no-glue", a->no_glue);
  binder.bind("--no-symmetry", a->no_symmetry);
  binder.bind("--no-antichain", a->no_antichain);
  a->bind_to(binder);
  return [a] { return VerifyCommand(*a).run(); };
}

}  // namespace plumb::cli
