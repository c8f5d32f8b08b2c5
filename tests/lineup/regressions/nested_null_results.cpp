// SPDX-License-Identifier: MIT
// An optional that holds an empty one is not empty, nor is a pointer to an empty one null: both
// were called null, and so what nobody may see was not seen.
//! "set | optional", preemptions 2: violation
//! "set | pointer", preemptions 2: violation
//! "set | pointer_in_pointer", preemptions 2: violation
//! "set | text", preemptions 2: violation
//! "set | prints_null", preemptions 2: violation
//! "set, set | optional, pointer", preemptions 0: holds
#include <plumb/test.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <ostream>

struct Word {
  const char* text;
  friend std::ostream& operator<<(std::ostream& out, const Word& word) { return out << word.text; }
};

class Subject {
 public:
  void set() {
    step_ = 1;
    step_ = 2;
  }
  std::optional<std::optional<int>> optional() { return result<std::optional<int>>(std::nullopt); }
  std::unique_ptr<std::optional<int>> pointer() {
    return step_ == 0 ? nullptr : std::make_unique<std::optional<int>>(inner());
  }
  std::shared_ptr<std::unique_ptr<int>> pointer_in_pointer() {
    const int step = step_;
    if (step == 0) return nullptr;
    return std::make_shared<std::unique_ptr<int>>(step == 1 ? nullptr : std::make_unique<int>(7));
  }
  std::optional<const char*> text() { return result<const char*>(nullptr); }
  std::optional<Word> prints_null() { return result<Word>({"null"}); }

 private:
  // Empty, then this, and in the end empty again.
  template <class T>
  std::optional<T> result(T between) {
    return step_ == 1 ? std::optional<T>(between) : std::nullopt;
  }
  std::optional<int> inner() { return step_ == 1 ? std::nullopt : std::optional(7); }

  std::atomic<int> step_{0};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("set", &Subject::set)
                         .method("optional", &Subject::optional)
                         .method("pointer", &Subject::pointer)
                         .method("pointer_in_pointer", &Subject::pointer_in_pointer)
                         .method("text", &Subject::text)
                         .method("prints_null", &Subject::prints_null))
      .main(argc, argv);
}
