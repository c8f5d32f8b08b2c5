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

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "plumb/describe.hpp"
#include "plumb/explore.hpp"
#include "plumb/export.hpp"
#include "plumb/object_under_test.hpp"
#include "plumb/test_abi.hpp"

namespace plumb {

/// A test of an object, to be run when it is asked for its result.
class PLUMB_API ObjectTest {
 public:
  ObjectTest(const detail::ObjectUnderTest& object, const detail::TestName& test, const char* file);
  ObjectTest(const ObjectTest& other);
  ObjectTest(ObjectTest&& other) noexcept : content_(std::exchange(other.content_, nullptr)) {}
  ObjectTest& operator=(ObjectTest other) noexcept {
    std::swap(content_, other.content_);
    return *this;
  }
  ~ObjectTest();

  /// What is right is what this class does, which is never called by two threads at once, instead
  /// of what the object does serially. It has the same operations: methods of the same names with
  /// the same values. Where it waits, or calls plumb::block(), the object may wait.
  template <class R>
  ObjectTest& against(const Description<R>& reference) {
    if constexpr (detail::IsSpecification<R>) {
      set_reference(reference.object(), &reference.table(),
                    detail::erase(reference.shared_table()));
    } else {
      set_reference(reference.object(), nullptr, {});
    }
    return *this;
  }

  /// Tests with so many threads, or fewer.
  ObjectTest& threads(int n) { return option("--threads", n); }
  /// ... and so many operations in all, or fewer; all such tests, smallest first.
  ObjectTest& operations(int n) { return option("--operations", n); }
  /// So many random tests, all of so many operations in each of so many threads.
  ObjectTest& random(int tests, int rows = 3, int columns = 3) {
    return option("--random", tests).option("--size", std::pair(rows, columns));
  }
  /// Tests end with these calls of the main thread: "try_pop, try_pop". They show what is lost. By
  /// default Plumb finds such calls by itself; "none": there are none.
  ObjectTest& observe(const std::string& calls) { return option("--observe", calls); }
  ObjectTest& preemptions(int n) { return option("--preemptions", n); }
  /// This test: "pre push(1); pop | pop, push(2); post pop".
  ObjectTest& matrix(const std::string& text) { return option("--test", text); }

  /// Any option of the command line by its name (plumb test --help lists them), with the value that
  /// it takes: option("--seed", 7), option("--spec", "queue"), option("--size", std::pair(2, 4)).
  template <class Value>
  ObjectTest& option(const std::string& name, const Value& value) {
    plumb_option added = {name.c_str(), plumb_option::nothing};
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
      const std::string text = value;
      added.text = text.c_str();
      return add(added);
    }
    return add(added);
  }
  /// A flag: option("--keep-going").
  ObjectTest& option(const std::string& name) { return add({name.c_str(), plumb_option::nothing}); }
  /// Options as they are written on a command line: "--keep-going --seed 7". What is wrong with
  /// them is what run() finds, with status 64.
  ObjectTest& options(const std::string& words) {
    return add({nullptr, plumb_option::words, words.c_str()});
  }

  /// Throws: std::logic_error if there is nothing to test, since it was not said how.
  Exploration run() const { return Exploration(run_here()); }
  explicit operator bool() const { return static_cast<bool>(run()); }
  /// GoogleTest's AssertionResult, so that EXPECT_TRUE shows what was found.
  template <class R>
  requires(std::is_class_v<R>&& requires(R r) { r.failure_message(); }) operator R() const {
    const Exploration result = run();
    return R(static_cast<bool>(result)) << result.text();
  }
  int main(int argc, char** argv) const;

 private:
  ObjectTest& add(const plumb_option& option);
  /// `keeps`: what keeps the specification alive.
  void set_reference(const detail::ObjectUnderTest& object, const Specification* specification,
                     detail::Erased keeps);
  plumb_exploration* run_here() const;

  struct Content;
  Content* content_;
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
