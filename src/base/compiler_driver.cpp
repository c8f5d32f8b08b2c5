// SPDX-License-Identifier: MIT
#include "base/compiler_driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

extern char** environ;

namespace plumb {
namespace fs = std::filesystem;

std::optional<std::string> contents(const fs::path& file) {
  std::error_code ignored;
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file, ignored)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

struct ContentHash::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->xxh); }
ContentHash::~ContentHash() = default;

ContentHash& ContentHash::add(std::string_view text) {
  const std::uint64_t size = text.size();
  XXH3_128bits_update(state_->xxh, &size, sizeof size);
  XXH3_128bits_update(state_->xxh, text.data(), text.size());
  return *this;
}

std::string ContentHash::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

namespace {

std::optional<fs::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), X_OK) == 0 ? std::optional<fs::path>(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder) / name; access(file.c_str(), X_OK) == 0) return file;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> find_compiler() {
  if (const char* cxx = std::getenv("CXX")) {
    std::istringstream in(cxx);
    std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    if (!words.empty()) {
      const auto program = find_program(words.front());
      if (!program) return {};
      words.front() = *program;
      return words;
    }
  }
  for (const char* name : {"c++", "g++", "clang++"})
    if (const auto program = find_program(name)) return {*program};
  return {};
}

void add_compiler(ContentHash& hash, const std::vector<std::string>& compiler) {
  std::error_code ignored;
  for (const std::string& word : compiler) hash.add(word);
  hash.add(std::to_string(fs::file_size(compiler.front(), ignored)))
      .add(std::to_string(
          fs::last_write_time(compiler.front(), ignored).time_since_epoch().count()));
}

CacheFolder::CacheFolder() {
  std::error_code failed;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/') {
    path_ = fs::path(cache) / "plumb";
  } else if (const char* home = std::getenv("HOME"); home && *home == '/') {
    path_ = fs::path(home) / ".cache/plumb";
  }
  if (!path_.empty()) fs::create_directories(path_, failed);
  if (!path_.empty() && !failed && access(path_.c_str(), W_OK | X_OK) == 0) return;
  std::string name = fs::temp_directory_path(failed) / "plumb-XXXXXX";
  path_ = mkdtemp(name.data()) ? name : "";
  temporary_ = true;
}

CacheFolder::~CacheFolder() {
  std::error_code ignored;
  if (temporary_ && !path_.empty()) fs::remove_all(path_, ignored);  // an open file stays usable
}

WorkFiles::WorkFiles(const fs::path& folder) {
  std::string name = folder / "work-XXXXXX";
  if (!folder.empty() && mkdtemp(name.data())) path_ = name;
}

WorkFiles::~WorkFiles() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

int run_command(const std::vector<std::string>& command, const fs::path& output,
                const std::atomic<bool>* cancel) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  int status = 0;
  for (bool ended = false;;) {
    const pid_t done = waitpid(child, &status, cancel && !ended ? WNOHANG : 0);
    if (done == child) break;
    if (done < 0 && errno != EINTR) return -1;
    if (done != 0 || !cancel) continue;
    if (cancel->load(std::memory_order_relaxed)) {
      kill(child, SIGTERM);
      ended = true;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace plumb
