// SPDX-License-Identifier: MIT
// What an operation returns is there until the end: that it goes is not the object's doing. And a
// path, which consists of paths, can be told.
//! "get | cached", preemptions 2: holds
//! "get, cached | get", preemptions 2: holds
//! "acquire | acquire", preemptions 2: holds
//! "path | get", preemptions 2: holds
#include <plumb/test.hpp>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <ostream>

class Subject {
 public:
  // Gives its place back.
  class Handle {
   public:
    Handle(Subject& subject, int place) : subject_(&subject), place_(place) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { subject_->taken_[place_] = false; }
    friend std::ostream& operator<<(std::ostream& out, const Handle& handle) {
      return out << "place " << handle.place_;
    }

   private:
    Subject* subject_;
    int place_;
  };

  std::shared_ptr<int> get() {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<int> value = cache_.lock();
    if (!value) {
      value = std::make_shared<int>(7);
      cache_ = value;
    }
    return value;
  }
  bool cached() {
    const std::lock_guard lock(mutex_);
    return !cache_.expired();
  }
  Handle acquire() {
    int place = 0;
    while (taken_[place].exchange(true)) ++place;
    return Handle(*this, place);
  }
  std::filesystem::path path() { return "/a/b"; }

 private:
  std::mutex mutex_;
  std::weak_ptr<int> cache_;
  std::atomic<bool> taken_[4] = {};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Subject>("Subject")
                         .method("get", &Subject::get)
                         .method("cached", &Subject::cached)
                         .method("acquire", &Subject::acquire)
                         .method("path", &Subject::path))
      .main(argc, argv);
}
