// SPDX-License-Identifier: MIT
// plumb test FILE.cpp: compiles the file as the explorer needs it, and runs the program, which does
// the rest.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/compiler_driver.hpp"
#include "base/shell.hpp"
#include "cli/commands.hpp"
#include "cli/compile_commands.hpp"
#include "cli/test_command.hpp"
#include "cli/tested_program.hpp"
#include "options/files.hpp"
#include "options/help.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "spec/compile_file.hpp"

namespace plumb::cli {
namespace fs = std::filesystem;
namespace {

// Beside the program where it is installed, else where it was built.
fs::path runtime_folder() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path prefix = program.parent_path().parent_path();
  for (const fs::path& folder : {prefix / PLUMB_LIBDIR, prefix / "lib", prefix / "src/runtime"}) {
    if (fs::exists(folder / "libplumb_runtime.so", ignored)) return folder;
  }
  return {};
}

// The file, and the sources of the target, compiled.
Result<std::vector<std::string>> make_objects(const TestArguments& a, const fs::path& cache,
                                              const CommandLimits& limits,
                                              CommandEnd::By& ended_by) {
  BuildTarget target;
  if (!a.target.empty()) {
    Result<BuildTarget> found = find_target(a.target, a.compile_commands, a.file);
    if (!found.ok()) return found.error();
    target = std::move(*found);
  }
  target.sources.insert(target.sources.begin(), {a.file, target.flags});
  std::vector<std::string> objects;
  for (const CompiledSource& source : target.sources) {
    // What changes between two runs is most often the test, or a header.
    const bool is_test = objects.empty();
    CompileRequest request{source.file,
                           is_test ? "program" : "source of the target",
                           {"-c", "-O1", "-g", "-fsanitize=thread", "-fno-lto", "-pthread"},
                           {},
                           ".o",
                           limits,
                           &ended_by,
                           is_test};
    request.flags.insert(request.flags.end(), source.flags.begin(), source.flags.end());
    request.flags.insert(request.flags.end(), a.flags.begin(), a.flags.end());
    const Result<fs::path> object = compile_file(request, cache);
    if (!object.ok()) return object.error();
    objects.push_back(object->string());
  }
  return objects;
}

// The file compiled with -fsanitize=thread and linked without it: at linking the flag would bring
// the sanitizer's own runtime.
Result<fs::path> make_program(const TestArguments& a, const fs::path& cache,
                              const CommandLimits& limits, CommandEnd::By& ended_by) {
  const fs::path runtime = runtime_folder();
  if (runtime.empty()) {
    return Error{ErrorKind::internal, "libplumb_runtime.so is missing",
                 "it is installed next to plumb, on x86-64 Linux with glibc only"};
  }
  const Result<std::vector<std::string>> objects = make_objects(a, cache, limits, ended_by);
  if (!objects.ok()) return objects.error();
  ContentHash hash;
  hash.add(runtime.string());
  for (const std::string& object : *objects) hash.add(object);
  for (const std::string& word : a.link) hash.add(word);
  const fs::path program = cache / (fs::path(a.file).stem().string() + "-" + hash.hex());
  if (find_cached(program)) return program;
  const WorkFiles work(cache);
  std::vector<std::string> command = find_compiler();
  command.insert(command.end(), {"-o", work.path() / "program"});
  command.insert(command.end(), objects->begin(), objects->end());
  command.insert(command.end(), {"-pthread", "-Wl,-z,now", "-L" + runtime.string(),
                                 "-Wl,-rpath," + runtime.string()});
  command.insert(command.end(), a.link.begin(), a.link.end());
  command.push_back("-lplumb_runtime");
  const CommandEnd end = run_command(command, work.path() / "output", limits);
  ended_by = end.by;
  if (end.status != 0 && is_full(cache)) return full_disk(cache, a.file);
  if (end.status != 0) {
    // The user knows the file, not what it was compiled to.
    std::string output = contents(work.path() / "output").value_or("");
    const std::string& object = objects->front();
    for (std::size_t at = 0; (at = output.find(object, at)) != output.npos;)
      output.replace(at, object.size(), a.file);
    return Error{ErrorKind::bad_input, "the program does not link:\n" + output,
                 "--link adds libraries", a.file, 0};
  }
  // One that another process has made meanwhile stays: it may be running, and its steps are looked
  // up in its file.
  std::error_code exists, ignored;
  fs::create_hard_link(work.path() / "program", program, exists);
  if (exists && !fs::exists(program, ignored)) fs::rename(work.path() / "program", program);
  return program;
}

// A program that has nothing to do with Plumb would run, and end as if nothing had been found.
Status check_program(const TestArguments& a) {
  std::error_code ignored;
  if (!fs::is_regular_file(a.file, ignored))
    return Error{ErrorKind::missing_file,
                 fs::exists(a.file, ignored) ? "is not an ordinary file" : "there is no such file",
                 "", a.file, 0};
  const std::optional<std::string> text = contents(a.file);
  if (!text || access(a.file.c_str(), X_OK) != 0) {
    return Error{ErrorKind::bad_input, "this is neither a C++ source nor a program",
                 "a source ends in .cpp, .cc, .cxx, .c++ or .C", a.file, 0};
  }
  if (text->starts_with("\x7f"
                        "ELF") &&
      text->find("libplumb_runtime.so") == std::string::npos) {
    return Error{ErrorKind::bad_input, "the program is not linked to Plumb's runtime",
                 "in CMake link it to plumb::test, by hand with -lplumb_runtime", a.file, 0};
  }
  return {};
}

// An interrupt ends the compiler.
std::atomic<bool> cancelled{false};

void set_cancels() {
  struct sigaction action = {};
  action.sa_handler = [](int) { cancelled = true; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

// The report of a program that was never run.
ExitStatus undecided_by(CommandEnd::By limit, const TestArguments& a) {
  const bool by_time = limit == CommandEnd::By::time;
  report::Report report;
  report.command = report::Command::test;
  report.file = a.file;
  report.property = "explored";
  report.scope = report::ExploreScope();
  report.stopped = by_time ? StopReason::time_limit : StopReason::memory_limit;
  report.reason = std::string(by_time ? "time" : "memory") + " limit reached by the compiler";
  const std::string text =
      a.json ? report::json_report(report) + "\n" : report::text_report(report, {});
  std::fputs(text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? ExitStatus::undecided : ExitStatus::internal;
}

}  // namespace

bool is_source(const std::string& file) {
  for (const char* extension : {".cpp", ".cc", ".cxx", ".c++", ".C"})
    if (fs::path(file).extension() == extension) return true;
  return false;
}

Result<ExitStatus> build_and_run(const TestArguments& a) {
  fs::path program = fs::absolute(a.file);
  const CacheFolder cache;  // as long as the program runs, which may be in there
  if (is_source(a.file)) {
    set_cancels();
    CommandEnd::By ended_by = CommandEnd::By::itself;
    const Result<fs::path> made =
        make_program(a, cache.path(), {&cancelled, a.timeout, a.memory_bytes}, ended_by);
    if (ended_by == CommandEnd::By::cancel) return ExitStatus::interrupted;
    if (ended_by != CommandEnd::By::itself) return undecided_by(ended_by, a);
    if (!made.ok()) return made.error();
    program = *made;
  } else if (const Status usable = check_program(a); !usable.ok()) {
    return usable.error();
  }
  // How a replay is asked for.
  const char* const compiler = std::getenv("CXX");
  std::string again = compiler == nullptr ? "" : "CXX=" + shell_word(compiler) + " ";
  again += shell_word(program_invocation_name) + " test " + shell_word(a.file);
  for (const std::string& flag : a.flags) again += " " + shell_word("--flag=" + flag);
  for (const std::string& word : a.link) again += " " + shell_word("--link=" + word);
  if (!a.target.empty()) again += " " + shell_word("--target=" + a.target);
  if (!a.compile_commands.empty())
    again += " " + shell_word("--compile-commands=" + a.compile_commands);
  setenv("PLUMB_PROGRAM", again.c_str(), 1);
  setenv("PLUMB_NAME", a.file.c_str(), 1);
  return run_tested(program, a.options, a.file);
}

namespace {

// Only what plumb test itself understands is taken out of the words; the rest is the program's,
// which may have options and arguments of its own.
std::string take_words(const std::vector<std::string>& words, TestArguments& a, bool& help) {
  std::vector<std::string> own, known;
  bool has_file = false;
  for (std::size_t i = 0; i < words.size();) {
    help = help || words[i] == "--help" || words[i] == "-h";
    const std::size_t of_build = options::length_of_option(options::build, words, i);
    const std::size_t of_program = options::length_of_option(options::kTest, words, i);
    const std::size_t length = std::max({of_build, of_program, std::size_t{1}});
    if (of_program == 0 && !has_file && !words[i].starts_with('-')) {
      a.file = words[i];
      has_file = true;
    } else {
      std::vector<std::string>& to = of_build > 0 ? own : a.options;
      for (std::size_t k = i; k < i + length; ++k) {
        to.push_back(words[k]);
        if (of_program > 0) known.push_back(words[k]);
      }
    }
    i += length;
  }
  options::Parsed parsed, of_program;
  std::string wrong = options::parse(options::build, own, parsed);
  a.flags = parsed.settings.flag;
  a.link = parsed.settings.link;
  a.target = parsed.settings.target;
  a.compile_commands = parsed.settings.compile_commands;
  // Of the words that are no options the program knows what they mean, and what is wrong with them.
  const bool are_known = options::parse(options::kTest, known, of_program).empty();
  a.timeout = of_program.settings.timeout;
  a.memory_bytes = of_program.settings.memory << 20;
  a.json = of_program.settings.json;
  if (wrong.empty() && !has_file) wrong = "FILE is required";
  if (wrong.empty() && !a.compile_commands.empty() && a.target.empty())
    wrong = "--compile-commands: give a --target";
  if (wrong.empty() && !a.target.empty() && !is_source(a.file))
    wrong = "--target: FILE is a program, which is linked already";
  if (wrong.empty() && are_known)
    if (const Status apart = options::check_files(of_program, {a.file}); !apart.ok())
      wrong = apart.error().to_string();
  return wrong;
}

}  // namespace

ExitStatus run_test(const std::vector<std::string>& words) {
  TestArguments arguments;
  bool help = false;
  const std::string wrong = take_words(words, arguments, help);
  if (help) {
    for (const options::CommandLine& command : options::all_commands())
      if (command.name == "test") std::fputs(options::command_help(command).c_str(), stdout);
    return ExitStatus::holds;
  }
  if (!wrong.empty()) return finish(Error{ErrorKind::usage, wrong, "see plumb test --help"});
  const Result<ExitStatus> status = build_and_run(arguments);
  return status.ok() ? *status : finish(status.error());
}

}  // namespace plumb::cli
