// SPDX-License-Identifier: MIT
// What is wrong, in the object's own words: "deq() returned 2 although enq(1) had returned before
// enq(2) was called, and 1 was still in the queue".
#pragma once

#include <string>
#include <vector>

#include "explain/story.hpp"

namespace plumb::report {

struct Pattern {
  std::string sentence;                 // it alone proves the violation; empty: no pattern fits
  std::vector<OperationId> operations;  // that it mentions, ascending
};

Pattern find_pattern(const Story& story);

}  // namespace plumb::report
