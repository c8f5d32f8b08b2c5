// SPDX-License-Identifier: MIT
// The system's C++ compiler, and a folder of what it has made: for specifications that come as
// FILE.cpp, and for models as native code.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/result.hpp"

namespace plumb {

/// Nothing: the file cannot be read.
std::optional<std::string> contents(const std::filesystem::path& file);

/// Of everything that goes into a file of the cache: its name is made of it, so that a cached one
/// is never stale.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash& add(std::string_view text);
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The compiler's command, in words: $CXX may say "ccache g++". Empty: there is none.
std::vector<std::string> find_compiler();
/// Adds what tells one compiler from another.
void add_compiler(ContentHash& hash, const std::vector<std::string>& compiler);

/// A folder that only this user writes to: in XDG_CACHE_HOME, else in HOME/.cache. Where there is
/// none, it is a new one that is removed with this object: another user could guess the name of a
/// shared one, and have us load a file of theirs.
class CacheFolder {
 public:
  CacheFolder();
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;
  ~CacheFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool temporary_ = false;
};

/// Whether it is there. Then it is not the next to be removed.
bool find_cached(const std::filesystem::path& file);

/// Whether a file system has no space left, and what to say then.
bool is_full(const std::filesystem::path& folder);
Error full_disk(const std::filesystem::path& folder, const std::string& file);

/// Files that exist while we work on them, under names that no other process uses. Makes room
/// for what they become: a cache keeps 500 MB.
class WorkFiles {
 public:
  explicit WorkFiles(const std::filesystem::path& folder);
  WorkFiles(const WorkFiles&) = delete;
  WorkFiles& operator=(const WorkFiles&) = delete;
  ~WorkFiles();
  /// Empty: it could not be made.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A command that runs past one of these is killed, with all that it started.
struct CommandLimits {
  const std::atomic<bool>* cancel = nullptr;  // it becomes true
  double seconds = 0;                         // 0: none
  std::size_t memory_bytes = 0;               // 0: none; of this process and of all that it started

  bool any() const { return cancel != nullptr || seconds > 0 || memory_bytes > 0; }
};

struct CommandEnd {
  enum class By { itself, cancel, time, memory };
  int status = -1;  // -1: it could not be run, or did not exit
  By by = By::itself;
  int error = 0;  // errno, where the system did not start it
};

/// Runs a command with its output in a file.
CommandEnd run_command(const std::vector<std::string>& command, const std::filesystem::path& output,
                       const CommandLimits& limits = {});

}  // namespace plumb
