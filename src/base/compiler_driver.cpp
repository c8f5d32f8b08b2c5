// SPDX-License-Identifier: MIT
#include "base/compiler_driver.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/resident.hpp"

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

namespace {

constexpr std::uintmax_t kMostCached = 500'000'000;  // bytes

// What is loaded from a folder runs with our rights. So it is a folder, not a link to one, that
// belongs to this user, and into which nobody else could have written.
bool is_ours(const fs::path& folder) {
  struct stat its {};
  if (lstat(folder.c_str(), &its) != 0 || !S_ISDIR(its.st_mode) || its.st_uid != geteuid())
    return false;
  if ((its.st_mode & (S_IWGRP | S_IWOTH)) != 0) return false;
  return (its.st_mode & 077) == 0 || chmod(folder.c_str(), 0700) == 0;
}

bool can_be_cache(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  return is_ours(folder) && access(folder.c_str(), W_OK | X_OK) == 0;
}

std::uintmax_t bytes_in(const fs::directory_entry& entry) {
  std::error_code ignored;
  if (!entry.is_directory(ignored)) return entry.file_size(ignored);
  std::uintmax_t bytes = 0;
  for (const auto& file : fs::recursive_directory_iterator(entry.path(), ignored))
    if (file.is_regular_file(ignored)) bytes += file.file_size(ignored);
  return bytes;
}

// Removes what was used least recently. Another process that has opened a file keeps it, and one
// that misses it compiles again.
void limit_cache(const fs::path& folder) {
  struct Cached {
    fs::file_time_type used;
    std::uintmax_t bytes;
    fs::path path;
  };
  std::vector<Cached> all;
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    all.push_back({entry.last_write_time(ignored), bytes_in(entry), entry.path()});
    bytes += all.back().bytes;
  }
  std::ranges::sort(all, {}, &Cached::used);
  for (const Cached& oldest : all) {
    if (bytes <= kMostCached) return;
    fs::remove_all(oldest.path, ignored);
    bytes -= oldest.bytes;
  }
}

}  // namespace

CacheFolder::CacheFolder() {
  for (const auto& [variable, below] : {std::pair("XDG_CACHE_HOME", ""), {"HOME", ".cache"}}) {
    const char* const given = std::getenv(variable);
    if (given == nullptr || *given != '/') continue;
    path_ = fs::path(given) / below / "plumb";
    if (can_be_cache(path_)) return;
  }
  std::error_code failed;
  std::string name = fs::temp_directory_path(failed) / "plumb-XXXXXX";
  path_ = mkdtemp(name.data()) ? name : "";
  temporary_ = true;
}

CacheFolder::~CacheFolder() {
  std::error_code ignored;
  if (temporary_ && !path_.empty()) fs::remove_all(path_, ignored);  // an open file stays usable
}

bool find_cached(const fs::path& file) {
  return utimensat(AT_FDCWD, file.c_str(), nullptr, 0) == 0;
}

bool is_full(const fs::path& folder) {
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) return false;
  constexpr std::uintmax_t kNextToNothing = 1 << 16;
  return disk.f_bavail * disk.f_frsize < kNextToNothing ||
         (disk.f_files != 0 && disk.f_favail == 0);
}

Error full_disk(const fs::path& folder, const std::string& file) {
  return Error{ErrorKind::internal, "there is no space left in " + folder.string(),
               "make room, or set XDG_CACHE_HOME or TMPDIR to another folder", file, 0};
}

WorkFiles::WorkFiles(const fs::path& folder) {
  if (!folder.empty()) limit_cache(folder);
  std::string name = folder / "work-XXXXXX";
  if (!folder.empty() && mkdtemp(name.data())) path_ = name;
}

WorkFiles::~WorkFiles() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

namespace {

// Why a command has to end now.
CommandEnd::By reason_to_end(const CommandLimits& limits, double seconds) {
  if (limits.cancel && limits.cancel->load(std::memory_order_relaxed))
    return CommandEnd::By::cancel;
  if (limits.seconds > 0 && seconds > limits.seconds) return CommandEnd::By::time;
  if (limits.memory_bytes > 0 &&
      resident_bytes() + descendants_resident_bytes() > limits.memory_bytes)
    return CommandEnd::By::memory;
  return CommandEnd::By::itself;
}

// A compiler that is asked to end removes its files.
void end_group(pid_t leader) {
  kill(-leader, SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(-leader, SIGKILL);
}

}  // namespace

CommandEnd run_command(const std::vector<std::string>& command, const fs::path& output,
                       const CommandLimits& limits) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  // A compiler starts others: they end with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (limits.any()) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed) return {.error = failed};
  int status = 0;
  CommandEnd end;
  const auto start = Clock::now();
  for (;;) {
    const bool may_end = limits.any() && end.by == CommandEnd::By::itself;
    const pid_t done = waitpid(child, &status, may_end ? WNOHANG : 0);
    if (done == child) break;
    if (done < 0 && errno != EINTR) return {};
    if (done != 0) continue;
    end.by = reason_to_end(limits, since(start));
    if (end.by == CommandEnd::By::itself) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    else end_group(child);
  }
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  return end;
}

}  // namespace plumb
