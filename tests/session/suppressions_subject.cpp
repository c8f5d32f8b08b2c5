// SPDX-License-Identifier: MIT
// Accesses that race, each in a function of its own. MODE says which.
#include <cassert>
#include <cstdlib>
#include <string>

#include <plumb/explore.hpp>

struct Stats {
  int hits = 0, misses = 0, shared = 0;
  [[gnu::noinline]] void hit() { ++hits; }     // line 11
  [[gnu::noinline]] void miss() { ++misses; }  // line 12
  [[gnu::noinline]] void known() { shared = 1; }
  [[gnu::noinline]] void unknown() { shared = 2; }
  [[gnu::noinline]] void other() { shared = 3; }
};

template <class F, class G>
void both(F f, G g) {
  plumb::parallel(f, g);
}

int main(int argc, char** argv) {
  const char* const variable = std::getenv("MODE");
  const std::string mode = variable == nullptr ? "" : variable;
  return plumb::explore_main(argc, argv, [&mode] {
    Stats stats;
    const auto work = [&stats] {
      stats.hit();
      stats.miss();
    };
    // The last access races with two others, of which one is known.
    if (mode == "hidden")
      both(
          [&stats] {
            stats.known();
            stats.unknown();
          },
          [&stats] { stats.other(); });
    else both(work, work);
    if (mode == "lost") assert(stats.hits == 2);
  });
}
