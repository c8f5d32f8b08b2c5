// SPDX-License-Identifier: MIT
// What regression_test.py runs: mistakes that the explorer finds, and with -DFIXED none. The
// variable CASE says which.
#include <atomic>
#include <cstdlib>
#include <string_view>

#include <plumb/test.hpp>

namespace {

#ifdef FIXED
using Number = std::atomic<int>;
constexpr bool kFrees = false;
#else
using Number = int;
constexpr bool kFrees = true;
#endif

struct Racy {
  Number value{0};
  void set() { value = 1; }
  int get() const { return value; }
};

// Who replaces a node frees the old one, which another thread may be reading.
class Replaced {
 public:
  Replaced() : now_(new std::atomic<int>(0)) {}
  ~Replaced() {
    delete now_.load();
    if (!kFrees) delete old_.load();
  }
  void replace() {
    std::atomic<int>* const before = now_.exchange(new std::atomic<int>(0));
    if (kFrees) delete before;
    else delete old_.exchange(before);
  }
  int get() { return *now_.load(); }

 private:
  std::atomic<std::atomic<int>*> now_, old_{nullptr};
};

}  // namespace

int main(int argc, char** argv) {
  const char* const given = std::getenv("CASE");
  if (given != nullptr && std::string_view(given) == "race") {
    return plumb::test(
               plumb::describe<Racy>("Racy").method("set", &Racy::set).method("get", &Racy::get))
        .main(argc, argv);
  }
  return plumb::test(plumb::describe<Replaced>("Replaced")
                         .method("replace", &Replaced::replace)
                         .at_most_one_thread()
                         .method("get", &Replaced::get))
      .options("--test 'get() | replace()' --test 'replace() | get()'")
      .main(argc, argv);
}
