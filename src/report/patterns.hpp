// SPDX-License-Identifier: MIT
// What is wrong, in the object's own words: "deq() returned 2 although enq(1) had returned before
// enq(2) was called, and 1 was still in the queue".
#pragma once

#include <string>

#include "report/story.hpp"

namespace plumb::report {

/// A sentence that alone proves the violation, or nothing where no pattern fits.
std::string find_pattern(const Story& story);

}  // namespace plumb::report
