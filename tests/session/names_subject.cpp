// SPDX-License-Identifier: MIT
// For names_test.py: an object with every shape of member, which each thread goes through.
#include <array>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <plumb/test.hpp>

struct Node {
  std::atomic<int> value{0};
  std::atomic<Node*> next{nullptr};
};

std::atomic<int> global{0};

struct Base {
  std::atomic<int> in_base{0};
};

struct Other {
  std::atomic<long> number{0}, more{0};
};

struct Pair {
  std::uint32_t low, high;
};

class Shapes : public Base {
 public:
  Shapes() {
    head_ = new Node;
    head_.load()->next = new Node;
    for (auto& slot : buffer_) slot = 0;
  }
  ~Shapes() {
    delete head_.load()->next.load();
    delete head_.load();
  }

  void members() {
    in_base = 1;
    slots_[1] = 2;
    grid_[1][0] = 3;
    inner_.deep = 4;
    aligned_ = 5;
    flag_ = true;
    pair_ = Pair{1, 0};
    both_.second = 6;
    choice_.first = 7;
    done_ = true;
  }
  void locks() {
    const std::lock_guard guard(mutex_);
    changed_.notify_all();
    done_ = true;
  }
  void variables() {
    static std::atomic<int> local_static{0};
    local_static = 1;
    global = 2;
    Registry::count = 3;
    done_ = true;
  }
  void blocks() {
    Node* const first = head_;
    first->value = 1;
    Node* const second = first->next;
    second->value = 2;
    owned_->value = 3;
    buffer_[2] = 4;
    *scalar_ = 5;
    done_ = true;
  }
  // The path to the second node is true until the first one is taken out of the list.
  void unlink() {
    Node* const first = head_;
    Node* const second = first->next;
    second->value = 1;
    head_ = second;
    second->value = 2;
    first->value = 3;
    head_ = first;
    done_ = true;
  }
  void pointers() {
    where_ = &slots_[1];
    where_ = nullptr;
    root_.next = &root_;
    opaque_ = reinterpret_cast<std::uintptr_t>(head_.load());
    done_ = true;
  }
  // The second block lies where the first one did, if freed memory is reused at once.
  void reuse() {
    Node* const node = new Node;
    kept_ = node;
    node->value = 1;
    delete node;
    other_ = new Other;
    other_.load()->number = 2;
    kept_.load();
    other_.load()->number = 3;
    delete other_.load();
    done_ = true;
  }
  // What is built before it is linked has its names, too.
  void link() {
    Node* const last = new Node;
    last->value = 1;
    Node* const before = new Node;
    before->next = last;
    kept_ = before;
    delete last;
    delete before;
    done_ = true;
  }
  // Nothing says of which type the nodes of a std::list are.
  void list() {
    items_.emplace_back(0);
    items_.front() = 1;
    done_ = true;
  }
  void idle() { idle_ = true; }
  // Only after both of the test's operations, so that it is not shrunk.
  void fail() const { assert(!idle_ || !done_); }

 private:
  struct Registry {
    static inline std::atomic<int> count{0};
  };
  std::array<std::atomic<int>, 4> slots_{};
  std::atomic<int> grid_[2][3]{};
  struct {
    std::atomic<int> shallow{0}, deep{0};
  } inner_;
  alignas(64) std::atomic<int> aligned_{0};
  std::atomic<bool> flag_{false};
  std::atomic<Pair> pair_{};
  std::pair<int, std::atomic<int>> both_{};
  union Choice {
    std::atomic<int> first;
    std::atomic<unsigned> second;
    Choice() : first(0) {}
  } choice_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<Node*> head_{nullptr};
  std::unique_ptr<Node> owned_ = std::make_unique<Node>();
  std::vector<std::atomic<int>> buffer_ = std::vector<std::atomic<int>>(3);
  std::unique_ptr<std::atomic<int>> scalar_ = std::make_unique<std::atomic<int>>(0);
  std::atomic<std::atomic<int>*> where_{nullptr};
  Node root_;
  std::atomic<std::uintptr_t> opaque_{0};
  std::list<std::atomic<int>> items_;
  std::atomic<Node*> kept_{nullptr};
  std::atomic<Other*> other_{nullptr};
  std::atomic<bool> idle_{false}, done_{false};
};

int main(int argc, char** argv) {
  return plumb::test(plumb::describe<Shapes>("Shapes")
                         .method("members", &Shapes::members)
                         .method("locks", &Shapes::locks)
                         .method("variables", &Shapes::variables)
                         .method("blocks", &Shapes::blocks)
                         .method("unlink", &Shapes::unlink)
                         .method("pointers", &Shapes::pointers)
                         .method("reuse", &Shapes::reuse)
                         .method("link", &Shapes::link)
                         .method("list", &Shapes::list)
                         .method("idle", &Shapes::idle)
                         .validate(&Shapes::fail))
      .main(argc, argv);
}
