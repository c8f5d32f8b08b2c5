// SPDX-License-Identifier: MIT
// Is this class linearizable? No specification: its own serial behaviour is one.
//
//   #include <plumb/test.hpp>
//
//   int main(int argc, char** argv) {
//     return plumb::test(plumb::describe<MyQueue>("MyQueue")
//                            .method("push", &MyQueue::push, plumb::values(1, 2))
//                            .method("pop", &MyQueue::try_pop))
//         .main(argc, argv);
//   }
//
//   TEST(MyQueue, Linearizable) { EXPECT_TRUE(plumb::test(queue).threads(3).preemptions(2)); }
//
// Tests of two or three threads that call a few of the methods are run under every schedule (see
// explore.hpp); a history that no serial execution of the same calls explains is a violation.
// docs/objects.md says more.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "plumb/describe.hpp"
#include "plumb/explore.hpp"
#include "plumb/result.hpp"
#include "plumb/test_abi.hpp"

namespace plumb {

/// A test of an object, to be run when it is asked for its result.
class ObjectTest {
 public:
  ObjectTest(std::shared_ptr<const detail::ObjectUnderTest> object, const detail::TestName& test,
             const char* file)
      : object_(std::move(object)), test_(test), file_(file) {}

  /// What is right is what this class does, which is never called by two threads at once, instead
  /// of what the object does serially. It has the same operations: methods of the same names with
  /// the same values. Where it waits, or calls plumb::block(), the object may wait.
  template <class R>
  ObjectTest& against(const Description<R>& reference) {
    reference_ = reference.object();
    if constexpr (detail::IsSpecification<R>) specification_ = reference.shared_table();
    return *this;
  }

  /// Tests with so many threads, or fewer.
  ObjectTest& threads(int n) { return option("--threads", n); }
  /// ... and so many operations in all, or fewer; all such tests, smallest first.
  ObjectTest& operations(int n) { return option("--operations", n); }
  /// So many random tests, of so many operations in each of so many threads.
  ObjectTest& random(int tests, int rows = 3, int columns = 3) {
    return option("--random", tests).option("--size", std::pair(rows, columns));
  }
  ObjectTest& preemptions(int n) { return option("--preemptions", n); }
  /// This test: "pre push(1); pop | pop, push(2); post pop".
  ObjectTest& matrix(const std::string& text) { return option("--test", text); }

  /// Any option of the command line by its name (plumb test --help lists them), with the value that
  /// it takes: option("--seed", 7), option("--spec", "queue"), option("--size", std::pair(2, 4)).
  template <class Value>
  ObjectTest& option(const std::string& name, const Value& value) {
    Option& added = options_.emplace_back();
    added.name = name;
    if constexpr (std::is_integral_v<Value>) {
      added.kind = plumb_option::integer;
      added.first = static_cast<std::int64_t>(value);
    } else if constexpr (std::is_floating_point_v<Value>) {
      added.kind = plumb_option::real;
      added.number = static_cast<double>(value);
    } else if constexpr (std::is_convertible_v<const Value&, std::pair<int, int>>) {
      const std::pair<int, int> both = value;
      added.kind = plumb_option::integers;
      added.first = both.first;
      added.second = both.second;
    } else {
      added.kind = plumb_option::text_value;
      added.text = value;
    }
    return *this;
  }
  /// A flag: option("--keep-going").
  ObjectTest& option(const std::string& name) {
    options_.emplace_back().name = name;
    return *this;
  }
  /// Options as they are written on a command line: "--keep-going --seed 7". What is wrong with
  /// them is what run() finds, with status 64.
  ObjectTest& options(const std::string& words) {
    Option& added = options_.emplace_back();
    added.kind = plumb_option::words;
    added.text = words;
    return *this;
  }

  /// Throws: std::logic_error if there is nothing to test, since it was not said how.
  Exploration run() const {
    if (const std::string wrong = refuse(); !wrong.empty()) throw std::logic_error(wrong);
    const plumb_object object = table();
    const std::vector<plumb_option> options = option_table();
    return Exploration(
        plumb_test_object(&object, options.data(), static_cast<int>(options.size()), test_.text));
  }
  explicit operator bool() const { return static_cast<bool>(run()); }
  /// GoogleTest's AssertionResult, so that EXPECT_TRUE shows what was found.
  template <class R>
  requires(std::is_class_v<R>&& requires(R r) { r.failure_message(); }) operator R() const {
    const Exploration result = run();
    return R(static_cast<bool>(result)) << result.text();
  }
  int main(int argc, char** argv) const {
    if (const std::string wrong = refuse(); !wrong.empty()) {
      std::fprintf(stderr, "plumb: %s: %s\n", file_, wrong.c_str());
      return static_cast<int>(ErrorKind::bad_input);
    }
    const plumb_object object = table();
    const std::vector<plumb_option> options = option_table();
    return plumb_test_object_main(argc, argv, &object, options.data(),
                                  static_cast<int>(options.size()));
  }

 private:
  std::string refuse() const {
    const std::string wrong = object_->refuse_test();
    return wrong.empty() && reference_ != nullptr ? reference_->refuse() : wrong;
  }
  plumb_object table() const {
    plumb_object table = object_->table();
    table.file = file_;
    if (reference_ != nullptr) table.reference = &reference_->table();
    table.specification = specification_.get();
    return table;
  }
  /// As plumb_option, with its texts.
  struct Option {
    std::string name;
    int kind = plumb_option::nothing;
    std::string text;
    std::int64_t first = 0, second = 0;
    double number = 0;
  };
  std::vector<plumb_option> option_table() const {
    std::vector<plumb_option> table;
    for (const Option& o : options_)
      table.push_back({o.name.c_str(), o.kind, o.text.c_str(), o.first, o.second, o.number});
    return table;
  }

  std::shared_ptr<const detail::ObjectUnderTest> object_, reference_;
  std::shared_ptr<const Specification> specification_;
  detail::TestName test_;
  const char* file_;
  std::vector<Option> options_;
};

template <class T>
ObjectTest test(const Description<T>& description,
                const detail::TestName& test = detail::current_test(),
                const char* file = __builtin_FILE()) {
  return {description.object(), test, file};
}

/// As a global variable, before a program is included: all of its tests have these options. This is
/// what --regression writes. Options that are wrong are an error of every test (status 64).
struct Regression {
  explicit Regression(const char* options) { plumb_add_options(options); }
};

}  // namespace plumb
