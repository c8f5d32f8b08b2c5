// SPDX-License-Identifier: MIT
// What is different is called differently, to the last bit and byte; and what is equal is not.
//! "set | long_double", preemptions 2: violation
//! "set | zero_byte", preemptions 2: violation
//! "set | empty_words", preemptions 2: violation
//! "set | comma", preemptions 2: violation
//! "set | error", preemptions 2: violation
//! "set | version", preemptions 2: violation
//! "set | thrown", preemptions 2: violation
//! "set | unsigned_number", preemptions 2: violation
//! "set | order", preemptions 2: holds
#include <plumb/test.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

struct Word {
  std::string text;
  friend std::ostream& operator<<(std::ostream& out, const Word& word) { return out << word.text; }
};

// As std::expected.
struct Expected {
  int number;
  bool has_value() const { return false; }
  int operator*() const { return 0; }
  int error() const { return number; }
};

// Looks like an optional, and says what else there is.
struct Versioned {
  int number;
  bool has_value() const { return true; }
  int operator*() const { return 0; }
  auto state() const { return std::tie(number); }
};

class Subject {
 public:
  void set() {
    between_ = 1;
    between_ = 0;
  }
  long double long_double() { return 1 + between_ * std::numeric_limits<long double>::epsilon(); }
  Word zero_byte() { return {std::string("a\0", 2) + std::to_string(between_)}; }
  std::vector<Word> empty_words() { return std::vector<Word>(static_cast<std::size_t>(between_)); }
  std::vector<Word> comma() {
    return between_ != 0 ? std::vector<Word>{{"a"}, {"b"}} : std::vector<Word>{{"a,b"}};
  }
  Expected error() { return {between_}; }
  Versioned version() { return {between_}; }
  Word thrown() {
    if (between_ != 0) throw 1;
    return {"i"};  // the name of int
  }
  std::vector<std::uint64_t> unsigned_number() {
    return {between_ != 0 ? std::numeric_limits<std::uint64_t>::max() : 1};
  }
  // Equal, whatever the order.
  std::unordered_set<int> order() {
    return between_ != 0 ? std::unordered_set<int>{1, 2, 3} : std::unordered_set<int>{3, 2, 1};
  }

 private:
  std::atomic<int> between_{0};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("set", &Subject::set)
                         .method("long_double", &Subject::long_double)
                         .method("zero_byte", &Subject::zero_byte)
                         .method("empty_words", &Subject::empty_words)
                         .method("comma", &Subject::comma)
                         .method("error", &Subject::error)
                         .method("version", &Subject::version)
                         .method("thrown", &Subject::thrown)
                         .method("unsigned_number", &Subject::unsigned_number)
                         .method("order", &Subject::order))
      .main(argc, argv);
}
