// SPDX-License-Identifier: MIT
// Small objects, most of them wrong: PROOFS_OBJECT is the name of the specification, PROOFS_VARIANT
// one digit for each method, in the order of the descriptions below.
#include <plumb/test.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>

namespace {

using plumb::describe;
using plumb::values;

int variant(std::size_t method) {
  const char* const digits = std::getenv("PROOFS_VARIANT");
  return digits != nullptr && method < std::string(digits).size() ? digits[method] - '0' : 0;
}

void lose_update(std::atomic<int>& n, int by) { n.store(n.load() + by); }

// Has no effect, and reports none, if another thread was faster.
void give_up(std::atomic<int>& n, int by) {
  int seen = n.load();
  n.compare_exchange_strong(seen, seen + by);
}

void add(std::atomic<int>& n, int by, int how) {
  if (how == 0) n.fetch_add(by);
  else if (how == 1) lose_update(n, by);
  else give_up(n, by);
}

struct Counter {
  std::atomic<int> n{0};
  void inc() { add(n, 1, variant(0)); }
  int get() {
    if (variant(1) == 0) return n.load();
    const int before = n.load(), after = n.load();
    return variant(1) == 1 ? 2 * before - after : 2 * after - before;
  }
  int fetch_inc() {
    if (variant(2) == 0) return n.fetch_add(1);
    const int seen = n.load();
    add(n, 1, variant(2));
    return seen;
  }
};

struct Register {
  std::atomic<int> a{0}, b{0};
  int read() {
    if (variant(0) == 0) return a.load();
    if (variant(0) == 1) return b.load();
    const int one = a.load(), other = b.load();
    return one > other ? one : other;
  }
  void write(int v) {
    (variant(1) == 0 ? a : b).store(v);
    (variant(1) == 0 ? b : a).store(v);
  }
  bool cas(int from, int to) {
    int seen = from;
    if (variant(2) == 0 ? !a.compare_exchange_strong(seen, to) : a.load() != from) return false;
    if (variant(2) != 0) a.store(to);
    b.store(to);
    return true;
  }
};

// A queue or a stack.
struct Sequence {
  std::atomic<int> back{0}, front{0};
  std::atomic<int> item[16] = {};

  void put(int v) {
    if (variant(0) == 0) {
      item[back.fetch_add(1)].store(v);
    } else {
      const int at = back.load();
      if (variant(0) == 1) back.store(at + 1);
      item[at].store(v);
      if (variant(0) != 1) back.store(at + 1);
    }
  }
  std::optional<int> scan(bool upwards) {
    const int n = back.load();
    for (int i = 0; i < n; ++i)
      if (const int v = item[upwards ? i : n - 1 - i].exchange(0); v != 0) return v;
    return std::nullopt;
  }
  std::optional<int> deq() {
    if (variant(1) == 0) return scan(true);
    if (variant(1) == 1) return scan(false);
    const int at = front.load();
    if (at == back.load()) return std::nullopt;
    front.store(at + 1);
    return item[at].load();
  }
  std::optional<int> pop() {
    if (variant(1) < 2) return scan(variant(1) == 1);
    const int n = back.load();
    if (n == 0) return std::nullopt;
    const int v = item[n - 1].load();
    back.store(n - 1);
    return v;
  }
  int size() {
    const int n = back.load() - front.load();
    return n < 0 ? 0 : n;
  }
};

struct Set {
  std::atomic<bool> in[2] = {};
  bool change(int k, bool to, int how) {
    if (how == 0) return in[k].exchange(to) != to;
    if (in[k].load() == to) return false;
    in[k].store(to);
    return true;
  }
  bool insert(int k) { return change(k, true, variant(0)); }
  bool remove(int k) { return change(k, false, variant(1)); }
  bool contains(int k) { return in[k].load(); }
  int size() { return int{in[0].load()} + int{in[1].load()}; }
};

struct Map {
  std::atomic<int> value[2] = {};
  std::atomic<bool> there[2] = {};
  std::optional<int> get(int k) {
    const int before = value[k].load();
    if (!there[k].load()) return std::nullopt;
    return variant(0) == 0 ? before : value[k].load();
  }
  void put(int k, int v) {
    if (variant(1) == 0) value[k].store(v);
    there[k].store(true);
    if (variant(1) != 0) value[k].store(v);
  }
  bool remove(int k) {
    if (variant(2) == 0) return there[k].exchange(false);
    if (!there[k].load()) return false;
    there[k].store(false);
    return true;
  }
  int size() { return int{there[0].load()} + int{there[1].load()}; }
};

// A mutex (its permits are 0 or 1) or a semaphore.
struct Permits {
  std::atomic<int> n{1}, waiting{0};
  void acquire() {
    if (variant(0) == 1) waiting.fetch_add(1);
    for (;;) {
      int seen = n.load();
      if (seen == 0) continue;
      if (variant(0) == 2) {
        n.store(seen - 1);
        break;
      }
      if (n.compare_exchange_strong(seen, seen - 1)) break;
    }
    if (variant(0) == 1) waiting.fetch_sub(1);
  }
  void unlock() {
    while (n.load() != 0) {}
    if (variant(1) != 1 || waiting.load() == 0) n.store(1);
  }
  void release() { add(n, 1, variant(1)); }
  bool try_acquire() {
    int seen = n.load();
    if (seen == 0) return false;
    if (variant(2) == 0) return n.compare_exchange_strong(seen, seen - 1);
    n.store(seen - 1);
    return true;
  }
  int available() { return n.load(); }
};

struct BlockingQueue {
  std::mutex mutex;
  std::condition_variable changed;
  int item[16] = {};
  std::atomic<int> back{0}, front{0}, full{0};

  void enq(int v) {
    {
      const std::lock_guard lock(mutex);
      item[back] = v;
      ++back;
    }
    if (variant(0) == 0) changed.notify_all();
    if (variant(0) == 1) full.store(1);
    if (variant(0) == 2) lose_update(full, 1);
  }
  int deq() {
    if (variant(0) != 0) {
      for (;;) {
        int seen = full.load();
        if (seen != 0 && full.compare_exchange_strong(seen, seen - 1)) break;
      }
    }
    std::unique_lock lock(mutex);
    if (variant(0) == 0) {
      if (variant(1) == 0) changed.wait(lock, [&] { return front < back; });
      else if (front == back) changed.wait(lock);
    }
    return item[front++];
  }
};

int run(const std::string& name, int argc, char** argv) {
  const auto v = values(1, 2), k = values(0, 1);
  const auto test = [&](auto description) { return plumb::test(description).main(argc, argv); };
  if (name == "counter")
    return test(describe<Counter>("Counter")
                    .method("inc", &Counter::inc)
                    .method("get", &Counter::get)
                    .method("fetch_inc", &Counter::fetch_inc));
  if (name == "register")
    return test(describe<Register>("Register")
                    .method("read", &Register::read)
                    .method("write", &Register::write, v)
                    .method("cas", &Register::cas, k, v));
  if (name == "queue")
    return test(describe<Sequence>("Queue")
                    .method("enq", &Sequence::put, v)
                    .method("deq", &Sequence::deq)
                    .method("size", &Sequence::size));
  if (name == "stack")
    return test(describe<Sequence>("Stack")
                    .method("push", &Sequence::put, v)
                    .method("pop", &Sequence::pop));
  if (name == "set")
    return test(describe<Set>("Set")
                    .method("insert", &Set::insert, k)
                    .method("remove", &Set::remove, k)
                    .method("contains", &Set::contains, k)
                    .method("size", &Set::size));
  if (name == "map")
    return test(describe<Map>("Map")
                    .method("get", &Map::get, k)
                    .method("put", &Map::put, k, v)
                    .method("delete", &Map::remove, k)
                    .method("size", &Map::size));
  if (name == "mutex")
    return test(describe<Permits>("Mutex")
                    .method("lock", &Permits::acquire)
                    .method("unlock", &Permits::unlock)
                    .method("try_lock", &Permits::try_acquire));
  if (name == "semaphore")
    return test(describe<Permits>("Semaphore")
                    .method("acquire", &Permits::acquire)
                    .method("release", &Permits::release)
                    .method("try_acquire", &Permits::try_acquire)
                    .method("available", &Permits::available));
  return test(describe<BlockingQueue>("BlockingQueue")
                  .method("enq", &BlockingQueue::enq, v)
                  .method("deq", &BlockingQueue::deq));
}

}  // namespace

int main(int argc, char** argv) {
  const char* const name = std::getenv("PROOFS_OBJECT");
  return run(name == nullptr ? "blocking-queue" : name, argc, argv);
}
