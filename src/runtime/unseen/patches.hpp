// SPDX-License-Identifier: MIT
// Replaces what is hidden, in the code of this process only: by a jump to a copy that asks first,
// where there is room for one (five bytes, in which no other code may jump), else by a breakpoint.
// A jump costs a tenth of a microsecond, a breakpoint a signal.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/unseen/hidden.hpp"

namespace plumb::runtime {

class Patches {
 public:
  /// Sorted by address, as the survey gives them.
  void set(std::vector<Hidden> all);

  /// That begins at this address; nullptr: none.
  Hidden* at(const void* address);
  /// That ends there.
  const Hidden* before(const void* address) const;
  /// From now on all that the function does that begins here is watched. False: some cannot be.
  bool enter(Hidden& entry);
  static void arm(Hidden& hidden);
  static void disarm(Hidden& hidden);

 private:
  std::span<Hidden> in(CodeRange code);
  void cover(std::span<Hidden> of_function);

  std::vector<Hidden> all_;
};

}  // namespace plumb::runtime
