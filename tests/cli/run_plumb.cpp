// SPDX-License-Identifier: MIT
#include "cli/run_plumb.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace plumb::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
constexpr double kLongest = 600;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Whether a program has worked for so long, or has nothing to do. Neither depends on how busy the
/// machine is: a program that waits for a core does not sleep.
class Activity {
 public:
  explicit Activity(pid_t program) : tasks_("/proc/" + std::to_string(program) + "/task") {}

  bool worked_or_rests(double cpu_seconds) {
    double ticks = 0;
    bool sleeps = true;
    std::error_code gone;
    for (const auto& task : fs::directory_iterator(tasks_, gone)) {
      std::ifstream file(task.path() / "stat");
      std::string text((std::istreambuf_iterator<char>(file)), {});
      // After the name: state, parent, ..., and the 12th and 13th are times.
      std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
      const std::vector<std::string> words(std::istream_iterator<std::string>(fields), {});
      if (words.size() < 13) continue;
      sleeps = sleeps && words[0] == "S";
      ticks += std::stod(words[11]) + std::stod(words[12]);
    }
    // Who waits may still look round now and then.
    rest_ = sleeps ? rest_ + 1 : std::max(0, rest_ - 5);
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) >= cpu_seconds || rest_ > 100;
  }

 private:
  std::string tasks_;
  int rest_ = 0;  // looks at it in a row at which it slept, more or less
};

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    read = ends[0], write = ends[1];
  }
};

void close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

}  // namespace

const std::string& scratch() {
  static const struct Folder {
    std::string path;
    Folder() {
      std::string name = (fs::temp_directory_path() / "plumb-test-XXXXXX").string();
      if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
      path = name;
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } folder;
  return folder.path;
}

std::string write_file(const std::string& name, const std::string& contents) {
  const std::string path = scratch() + "/" + name;
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

RunResult run_plumb(const Run& run) {
  signal(SIGPIPE, SIG_IGN);  // a program that does not read its input is not our end
  std::vector<std::string> args = run.args;
  args.insert(args.begin(), PLUMB_CLI);
  std::map<std::string, std::string> environment = {
      {"LC_ALL", "C.UTF-8"},
      {"TERM", "xterm"},
      {"HOME", scratch()},
      {"XDG_CACHE_HOME", PLUMB_BINARY_DIR "/tests/cache"}};
  if (const char* path = std::getenv("PATH")) environment["PATH"] = path;
  for (const auto& [name, value] : run.environment) environment[name] = value;
  std::vector<std::string> settings;
  for (const auto& [name, value] : environment) settings.push_back(name + "=" + value);
  std::vector<char*> argv, envp;
  for (std::string& arg : args) argv.push_back(arg.data());
  for (std::string& setting : settings) envp.push_back(setting.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  const std::string directory = run.directory.empty() ? scratch() : run.directory;

  Pipe in, out, err;
  int slave = -1;
  if (run.terminal) {
    close_end(out.read), close_end(out.write);
    if (openpty(&out.read, &slave, nullptr, nullptr, nullptr) != 0)
      throw std::runtime_error("openpty");
    out.write = slave;
  }
  if (run.input_terminal) {
    close_end(in.read), close_end(in.write);
    if (openpty(&in.write, &in.read, nullptr, nullptr, nullptr) != 0)
      throw std::runtime_error("openpty");
    fcntl(in.write, F_SETFD, FD_CLOEXEC);
  }
  const auto start = Clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int file = run.input_file.empty() ? -1 : open(run.input_file.c_str(), O_RDONLY);
    dup2(file >= 0 ? file : in.read, 0), dup2(out.write, 1), dup2(err.write, 2);
    if (run.address_space) {
      const rlimit limit = {run.address_space, run.address_space};
      setrlimit(RLIMIT_AS, &limit);
    }
    signal(SIGPIPE, SIG_DFL);
    if (chdir(directory.c_str()) != 0) _exit(126);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close_end(in.read), close_end(out.write), close_end(err.write);
  if (run.closed_output) close_end(out.read);
  fcntl(in.write, F_SETFL, O_NONBLOCK);

  RunResult ran;
  std::size_t sent = 0, ready = run.pause_at ? run.pause_at : run.input.size();
  Activity activity(child);
  std::optional<Clock::time_point> signalled;
  int status = 0;
  rusage usage = {};
  bool ended = false;
  while (!ended || out.read >= 0 || err.read >= 0) {
    ran.seconds = seconds_since(start);
    if (run.signal && !signalled && !ended && activity.worked_or_rests(run.signal_after)) {
      kill(child, run.signal);
      signalled = Clock::now();
    }
    if (ran.seconds > kLongest) kill(child, SIGKILL);
    if (!ended && wait4(child, &status, WNOHANG, &usage) == child) {
      ended = true;
      ran.seconds = seconds_since(start);
      if (signalled) ran.seconds_after_signal = seconds_since(*signalled);
      close_end(in.write);
    }
    if (sent == ready && ready < run.input.size() && activity.worked_or_rests(kLongest))
      ready = run.input.size();
    if (in.write >= 0) {
      while (sent < ready) {
        const ssize_t n = write(in.write, run.input.data() + sent, ready - sent);
        if (n <= 0) break;
        sent += static_cast<std::size_t>(n);
      }
      if (sent == run.input.size() && !run.keep_input_open && !run.input_terminal)
        close_end(in.write);
    }
    std::array<pollfd, 2> ends = {pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
    poll(ends.data(), ends.size(), ended ? 0 : 2);
    for (int i = 0; i < 2; ++i) {
      int& end = i ? err.read : out.read;
      if (end < 0) continue;
      if (ends[static_cast<std::size_t>(i)].revents == 0) {
        if (ended) close_end(end);
        continue;
      }
      std::array<char, 65536> block;
      const ssize_t n = read(end, block.data(), block.size());
      if (n > 0) (i ? ran.err : ran.out).append(block.data(), static_cast<std::size_t>(n));
      else close_end(end);
    }
  }
  close_end(in.write);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  ran.peak_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  return ran;
}

}  // namespace plumb::test
