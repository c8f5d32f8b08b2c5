// SPDX-License-Identifier: MIT
// Where functions begin and end, from the table by which exceptions are unwound (.eh_frame_hdr of
// the System V ABI): every compiled function is there, also in a library without symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb::runtime {

class FunctionTable {
 public:
  struct Function {
    std::uintptr_t begin, end;
  };
  /// `header` as it is loaded; nullptr: there is none.
  explicit FunctionTable(const std::byte* header);
  const std::vector<Function>& all() const { return all_; }

 private:
  std::vector<Function> all_;
};

}  // namespace plumb::runtime
