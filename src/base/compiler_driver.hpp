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

/// A folder that only this user writes to. Without a cache it is a new one, for this call alone:
/// another user could guess the name of a shared one, and have us open a file of theirs.
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

/// Files that exist while we work on them, under names that no other process uses.
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

/// Runs a command with its output in a file. When `cancel` becomes true it is ended.
/// Returns: its exit status, or -1.
int run_command(const std::vector<std::string>& command, const std::filesystem::path& output,
                const std::atomic<bool>* cancel = nullptr);

}  // namespace plumb
