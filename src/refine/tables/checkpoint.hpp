// SPDX-License-Identifier: MIT
// A search that takes hours should survive a time-out, a Ctrl-C and a power cut: what it knows is
// written to a file now and then, and another run resumes from there, to exactly the same end.
//
// The file: a title, the version of its format, a key (of all that the search depends on: model,
// constants, options, and Plumb's own version), the contents, and a checksum of all before it. It
// is written beside and put in place by a rename, so there is always a whole one. Nothing is taken
// from a file before all of it has been checked: a damaged one is refused, and never proves
// anything.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/output_file.hpp"
#include "plumb/result.hpp"

namespace plumb::refine {

struct CheckpointOptions {
  std::string file = {};  // empty: none
  std::string key = {};   // of what the search depends on
  double every_seconds = 30;
};

/// A file that is being written or read. Each class lists its contents once, for both
/// directions: transfer() writes what is there, or puts there what is read.
class Checkpoint {
 public:
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint();

  /// Whether there is a file to resume from.
  static bool exists(const CheckpointOptions& options);
  /// Checks the whole file. Fails if it is not a checkpoint of this search.
  static Result<std::unique_ptr<Checkpoint>> read(const CheckpointOptions& options);
  static Result<std::unique_ptr<Checkpoint>> write(const CheckpointOptions& options);
  /// Whether one could be written there.
  static Status try_out(const CheckpointOptions& options);
  /// The search has come to its end.
  static void remove(const CheckpointOptions& options);

  bool writing() const { return file_ == nullptr; }
  /// Of the contents. Written: they are in place now. Read: they were as long as expected.
  Status finish();

  template <class T>
  void transfer(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(&value, sizeof value);
  }
  template <class T>
  void transfer(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::uint64_t size = values.size();
    transfer(size);
    if (!writing()) values.resize(fitting(size, sizeof(T)));
    bytes(values.data(), values.size() * sizeof(T));
  }

 private:
  struct Sum;
  /// `read`: null: it is written.
  Checkpoint(const CheckpointOptions& options, std::FILE* read);
  void bytes(void* data, std::size_t size);
  /// So many elements, if the rest of the file has them.
  std::size_t fitting(std::uint64_t count, std::size_t size);
  Status check_all();

  const CheckpointOptions& options_;
  std::FILE* const file_;
  OutputFile written_;
  std::unique_ptr<Sum> sum_;
  std::uint64_t left_ = 0;  // reading: bytes of the contents
  bool short_ = false;      // reading: there were fewer
};

}  // namespace plumb::refine
