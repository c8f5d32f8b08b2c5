// SPDX-License-Identifier: MIT
//! : race
//! --ignore race: assertion
//! --ignore race --schedule-at atomics: holds
#include <cassert>

#include <plumb/explore.hpp>

int main(int argc, char** argv) {
  return plumb::explore_main(argc, argv, [] {
    int count = 0;
    const auto work = [&count] { ++count; };
    plumb::parallel(work, work);
    assert(count == 2);
  });
}
