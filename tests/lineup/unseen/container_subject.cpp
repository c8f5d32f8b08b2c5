// SPDX-License-Identifier: MIT
// A container of the standard library and a lock. What std::map and std::list do to their nodes is
// in the C++ library, which is not instrumented.
//   -DKIND=1, 2, 3: std::map, std::list, std::unordered_map; -DWRONG: `get` takes no lock
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <plumb/test.hpp>

class Subject {
 public:
  void put(int key) {
    const std::lock_guard lock(mutex_);
#if KIND == 2
    values_.push_front(key);
#else
    values_[key] = key;
#endif
  }

  void remove(int key) {
    const std::lock_guard lock(mutex_);
#if KIND == 2
    values_.remove(key);
#else
    values_.erase(key);
#endif
  }

  bool get(int key) const {
#ifndef WRONG
    const std::lock_guard lock(mutex_);
#endif
#if KIND == 2
    for (const int value : values_)
      if (value == key) return true;
    return false;
#else
    return values_.find(key) != values_.end();
#endif
  }

 private:
  mutable std::mutex mutex_;
#if KIND == 1
  std::map<int, int> values_;
#elif KIND == 2
  std::list<int> values_;
#else
  std::unordered_map<int, int> values_;
#endif
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Container")
                         .method("put", &Subject::put, plumb::values(1, 2))
                         .method("remove", &Subject::remove, plumb::values(1, 2))
                         .method("get", &Subject::get, plumb::values(1, 2)))
      .main(argc, argv);
}
