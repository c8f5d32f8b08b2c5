// SPDX-License-Identifier: MIT
// Options that the code of a test gives, typed and as text.
#include <plumb/test.hpp>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

class Cell {
 public:
  void put(const std::string& value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
  }
  std::string get() {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  std::mutex mutex_;
  std::string value_;
};

#ifdef OPTIONS
static const plumb::Regression regression(OPTIONS);
#endif

int main(int argc, char** argv) {
  const char* const given = std::getenv("MODE");
  const std::string mode = given == nullptr ? "" : given;
  auto test = plumb::test(
      plumb::describe<Cell>("Cell")
          .method("put", &Cell::put, plumb::values(std::string("it's"), std::string("a \"b\" \\")))
          .method("get", &Cell::get));
  if (mode == "matrix" || mode == "run matrix") test.matrix("put(\"it's\") | get()");
  if (mode == "typed")
    test.threads(2)
        .operations(2)
        .random(1, 2, 2)
        .preemptions(1)
        .option("--seed", 7)
        .option("--timeout", 100.5)
        .option("--keep-going")
        .option("--without", "get");
  if (mode == "text") test.options("--operations 2 --random 0 --without 'get'");
  if (mode == "quote" || mode == "run quote") test.options("--test 'put(");
  if (mode == "unknown" || mode == "run unknown") test.option("--thread", 3);
  if (mode == "range" || mode == "run range") test.threads(99);
  if (mode == "kind") test.option("--threads", "many");
  if (mode == "flag") test.option("--threads");
  if (mode.starts_with("run ")) {
    const plumb::Exploration result = test.run();
    std::printf("%s", std::string(result.text()).c_str());
    return result.status();
  }
  if (mode == "explore quote") {
    const plumb::Exploration result = plumb::explore([] {}, "--ignore 'race");
    std::printf("%s", std::string(result.text()).c_str());
    return result.status();
  }
  return test.main(argc, argv);
}
