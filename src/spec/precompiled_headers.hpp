// SPDX-License-Identifier: MIT
// The headers of a file that is compiled again and again, precompiled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spec/compile_file.hpp"
#include "spec/include_scan.hpp"

namespace plumb {

class PrecompiledHeaders {
 public:
  /// `command`: the compiler and its flags. `settings`: stands for them, and for Plumb's headers.
  PrecompiledHeaders(const CompileRequest& request, const std::vector<std::string>& command,
                     const std::string& settings, const std::filesystem::path& cache);

  /// Makes them unless they are there. Returns: whether there are any.
  bool prepare(const std::filesystem::path& work);
  /// What makes the compiler use them.
  std::vector<std::string> words() const;
  /// Takes them out of the files that the compiler has read.
  void take_out_own(std::vector<std::string>& files) const;
  /// Call it with the user's files that the compiler has read: remembers what they include.
  /// Returns: whether they mean the same with the precompiled headers as without.
  bool suit(const std::vector<std::string>& files);
  /// These are used no more by this file.
  void give_up();

 private:
  bool are_ready() const;
  bool make(const std::filesystem::path& work);
  void save(const ScannedIncludes& scan, bool usable) const;

  const CompileRequest& request_;
  const std::vector<std::string>& command_;
  std::string settings_;
  std::filesystem::path cache_, note_, folder_;
  std::vector<std::string> headers_;  // precompiled ones; empty: none
  std::string failed_;                // a scan for which they are of no use
};

}  // namespace plumb
