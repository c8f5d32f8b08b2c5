// SPDX-License-Identifier: MIT
#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <queue>
#include <random>
#include <utility>

namespace plumb::bench {

namespace {

constexpr std::int64_t kRegisterValues = 5;
constexpr std::int64_t kSetKeys = 24;
// With weight kCalls for a new call against 1 for each pending operation, which needs two steps
// (effect, return), 2 * kCalls operations are pending on average.
constexpr double kCalls = 2.25;

const std::pair<std::string_view, Kind> kKinds[] = {
    {"reg", {Shape::reg, false, false, 0}},      {"regu", {Shape::reg, true, false, 0}},
    {"reglow", {Shape::reg, false, true, 0}},    {"regulow", {Shape::reg, true, true, 0}},
    {"set", {Shape::set, false, false, 0}},      {"queue", {Shape::queue, true, false, 0}},
    {"stack", {Shape::stack, true, false, 0}},   {"pqueue", {Shape::pqueue, true, false, 0}},
    {"crash", {Shape::reg, false, false, 0.02}}, {"swmr", {Shape::reg, false, false, 0, true}}};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool chance(double p) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < p; }

 private:
  std::mt19937_64 engine_;
};

class Object {
 public:
  explicit Object(Shape shape) : shape_(shape) {}

  Outcome apply(const SimulatedOperation& op) {
    switch (op.does) {
      case Does::read: return value_;
      case Does::write: value_ = op.first; return {};
      case Does::cas:
        if (value_ != op.first) return 0;
        value_ = op.second;
        return 1;
      case Does::insert: return !std::exchange(present_[op.first], true);
      case Does::remove: return std::exchange(present_[op.first], false);
      case Does::contains: return present_[op.first];
      case Does::add:
        if (shape_ == Shape::pqueue) heap_.push(op.first);
        else line_.push_back(op.first);
        return {};
      case Does::take: return take();
    }
    return {};
  }

 private:
  Outcome take() {
    Outcome taken;
    if (shape_ == Shape::pqueue) {
      if (!heap_.empty()) taken = heap_.top(), heap_.pop();
    } else if (!line_.empty()) {
      if (shape_ == Shape::queue) taken = line_.front(), line_.pop_front();
      else taken = line_.back(), line_.pop_back();
    }
    return taken;
  }

  Shape shape_;
  std::int64_t value_ = 0;
  std::array<bool, kSetKeys> present_{};
  std::deque<std::int64_t> line_;
  std::priority_queue<std::int64_t> heap_;
};

class Simulator {
 public:
  Simulator(Kind kind, unsigned clients, std::size_t operations, std::uint64_t seed)
      : wanted_(operations), random_(seed), object_(kind.shape), clients_(clients) {
    out_.kind = kind;
    out_.operations.reserve(operations);
    for (Client& client : clients_) client.process = next_process_++;
  }

  Simulation run() && {
    idle_.resize(clients_.size());
    std::iota(idle_.begin(), idle_.end(), 0u);
    while (out_.operations.size() < wanted_ || !busy_.empty()) {
      let_a_lost_operation_take_effect();
      const bool may_call = out_.operations.size() < wanted_ && !idle_.empty();
      const double calls = !may_call ? 0 : out_.kind.low ? kCalls : double(idle_.size());
      if (random_.chance(calls / (calls + double(busy_.size())))) call(random_.below(idle_.size()));
      else go_on(random_.below(busy_.size()));
    }
    return std::move(out_);
  }

 private:
  struct Client {
    std::uint32_t process = 0;
    std::uint32_t operation = 0;
    bool took_effect = false;
    bool unknown = false;  // will crash instead of returning ...
    bool lost = false;     // ... and takes effect after that, or never
  };

  static void move(std::vector<unsigned>& from, std::size_t at, std::vector<unsigned>& to) {
    to.push_back(from[at]);
    from[at] = from.back();
    from.pop_back();
  }

  void call(std::size_t at) {
    Client& client = clients_[idle_[at]];
    SimulatedOperation op = choose(idle_[at] == 0);
    op.process = client.process;
    op.call = out_.events++;
    client.operation = static_cast<std::uint32_t>(out_.operations.size());
    client.took_effect = false;
    // A third of the operations are writes.
    client.unknown = op.does == Does::write && random_.chance(3 * out_.kind.unknown);
    client.lost = client.unknown && random_.below(2) == 0;
    out_.operations.push_back(op);
    move(idle_, at, busy_);
  }

  void go_on(std::size_t at) {
    Client& client = clients_[busy_[at]];
    SimulatedOperation& op = out_.operations[client.operation];
    if (!std::exchange(client.took_effect, true)) {
      if (!client.lost) op.result = object_.apply(op);
      return;
    }
    op.ret = out_.events++;
    if (client.unknown) {
      op.crashed = true;
      if (client.lost) lost_.push_back(client.operation);
      client.process = next_process_++;
    }
    move(busy_, at, idle_);
  }

  /// Each one waits for about 10,000 steps; the last ones never happen.
  void let_a_lost_operation_take_effect() {
    if (lost_.empty() || !random_.chance(double(lost_.size()) / 10000)) return;
    const std::size_t at = random_.below(lost_.size());
    object_.apply(out_.operations[lost_[at]]);
    lost_[at] = lost_.back();
    lost_.pop_back();
  }

  SimulatedOperation choose(bool first_client) {
    SimulatedOperation op;
    const auto value = [&] { return static_cast<std::int64_t>(random_.below(kRegisterValues)); };
    if (out_.kind.shape == Shape::set) {
      op.does = std::array{Does::insert, Does::remove, Does::contains}[random_.below(3)];
      op.first = static_cast<std::int64_t>(random_.below(kSetKeys));
    } else if (out_.kind.shape != Shape::reg) {
      op.does = random_.below(2) ? Does::add : Does::take;
      if (op.does == Does::add) op.first = next_value_++;
    } else if (out_.kind.single_writer) {
      op.does = first_client ? Does::write : Does::read;
      if (op.does == Does::write) op.first = value();
    } else if (out_.kind.unique) {
      op.does = random_.below(2) ? Does::write : Does::read;
      if (op.does == Does::write) op.first = next_value_++;
    } else {
      op.does = std::array{Does::read, Does::write, Does::cas}[random_.below(3)];
      if (op.does != Does::read) op.first = value();
      if (op.does == Does::cas) op.second = value();
    }
    return op;
  }

  Simulation out_;
  std::size_t wanted_;
  Random random_;
  Object object_;
  std::vector<Client> clients_;
  std::vector<unsigned> idle_, busy_;
  std::vector<std::uint32_t> lost_;
  std::uint32_t next_process_ = 0;
  std::int64_t next_value_ = 1;
};

/// Finds a place where one wrong result is certainly a violation, for every order of the operations
/// concurrent to it.
class Spoiler {
 public:
  Spoiler(Simulation& simulation, bool subtle, std::uint64_t seed)
      : kind_(simulation.kind), ops_(simulation.operations), subtle_(subtle), random_(seed) {
    // Candidates: from 97 % to the end, then backwards.
    order_.resize(ops_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(ops_.size() * 97 / 100);
    std::rotate(order_.begin(), middle, order_.end());
    std::reverse(order_.end() - (middle - order_.begin()), order_.end());
  }

  bool run() {
    switch (kind_.shape) {
      case Shape::reg:
        return kind_.unique ? read_something_old()
               : subtle_    ? read_something_overwritten()
                            : read_something_foreign();
      case Shape::set: return flip();
      default: return exchange();
    }
  }

 private:
  using Op = SimulatedOperation;

  static bool before(const Op& a, const Op& b) { return !a.crashed && a.ret < b.call; }

  bool read_something_foreign() {
    for (const std::size_t at : order_) {
      if (ops_[at].does != Does::read) continue;
      ops_[at].result = kRegisterValues;
      return true;
    }
    return false;
  }

  /// Unique values: write(v) < write(w) < read.
  bool read_something_old() {
    for (const std::size_t at : order_) {
      Op& read = ops_[at];
      if (read.does != Does::read) continue;
      for (int tries = 0; tries < 20; ++tries) {
        const Op& write = ops_[at * (75 + random_.below(24)) / 100];
        if (write.does != Does::write) continue;
        const bool overwritten = std::any_of(ops_.begin(), ops_.end(), [&](const Op& other) {
          return other.does == Does::write && before(write, other) && before(other, read);
        });
        if (!overwritten) continue;
        read.result = write.first;
        return true;
      }
    }
    return false;
  }

  static std::optional<std::int64_t> writes(const Op& op) {
    if (op.does == Does::write) return op.first;
    if (op.does == Does::cas && op.result == 1) return op.second;
    return {};
  }

  /// Every operation that writes v, among those called before the read returned, had returned
  /// before an operation was called that writes another value and returned before the read was
  /// called.
  bool read_something_overwritten() {
    int tries = 0;
    for (const std::size_t at : order_) {
      Op& read = ops_[at];
      if (read.does != Does::read || ++tries > 200) continue;
      std::array<std::uint32_t, kRegisterValues> last{};  // return of an operation that writes v
      for (const Op& op : ops_)
        if (const auto v = writes(op); v && op.call < read.ret)
          last[*v] = std::max(last[*v], op.crashed ? kNever : op.ret);
      for (const Op& op : ops_) {
        const auto made = writes(op);
        if (!made || !before(op, read)) continue;
        for (std::int64_t v = 0; v < kRegisterValues; ++v) {
          if (v == *made || last[v] >= op.call) continue;
          read.result = v;
          return true;
        }
      }
    }
    return false;
  }

  /// One key has two operations in a row with nothing else on that key concurrent to either: the
  /// first one's result determines what the second must find.
  bool flip() {
    std::array<std::vector<std::size_t>, kSetKeys> by_key;
    std::vector<bool> certain(ops_.size(), false);
    for (std::size_t i = 0; i < ops_.size(); ++i) by_key[ops_[i].first].push_back(i);
    for (const auto& key : by_key) {
      std::uint32_t returned = 0;  // all operations before the first of the two
      for (std::size_t i = 0; i + 1 < key.size(); ++i) {
        const Op &first = ops_[key[i]], &second = ops_[key[i + 1]];
        const std::uint32_t next = i + 2 < key.size() ? ops_[key[i + 2]].call : kNever;
        certain[key[i + 1]] =
            (i == 0 || returned < first.call) && before(first, second) && second.ret < next;
        returned = std::max(returned, first.ret);
      }
    }
    for (const std::size_t at : order_) {
      if (!certain[at]) continue;
      ops_[at].result = ops_[at].result == 1 ? 0 : 1;
      return true;
    }
    return false;
  }

  /// Two elements leave in the wrong order.
  bool exchange() {
    std::vector<std::size_t> added(ops_.size() + 1, 0);
    for (std::size_t i = 0; i < ops_.size(); ++i)
      if (ops_[i].does == Does::add) added[ops_[i].first] = i;
    for (const std::size_t at : order_) {
      Op& early = ops_[at];
      if (early.does != Does::take || !early.result) continue;
      for (std::size_t i = at + 1; i < std::min(at + 200, ops_.size()); ++i) {
        Op& late = ops_[i];
        if (late.does != Does::take || !late.result || !before(early, late)) continue;
        // After the exchange y leaves first, while x, which precedes it, is still in the queue.
        const std::int64_t x = *early.result, y = *late.result;
        const Op &add_x = ops_[added[x]], &add_y = ops_[added[y]];
        if (!before(add_x, early) || !before(add_y, early)) continue;
        if (kind_.shape == Shape::queue && !before(add_x, add_y)) continue;
        if (kind_.shape == Shape::stack && !before(add_y, add_x)) continue;
        if (kind_.shape == Shape::pqueue && x < y) continue;
        std::swap(early.result, late.result);
        return true;
      }
    }
    return false;
  }

  Kind kind_;
  std::vector<Op>& ops_;
  bool subtle_;
  Random random_;
  std::vector<std::size_t> order_;
};

}  // namespace

std::optional<Kind> find_kind(std::string_view name) {
  for (const auto& [known, kind] : kKinds)
    if (known == name) return kind;
  return {};
}

std::string kind_names() {
  std::string all;
  for (const auto& [name, kind] : kKinds) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

std::string_view Simulation::specification() const {
  switch (kind.shape) {
    case Shape::reg: return "register";
    case Shape::set: return "set";
    case Shape::queue: return "queue";
    case Shape::stack: return "stack";
    case Shape::pqueue: return "pqueue";
  }
  return "";
}

std::string_view Simulation::method(const SimulatedOperation& op) const {
  switch (op.does) {
    case Does::read: return "read";
    case Does::write: return "write";
    case Does::cas: return "cas";
    case Does::insert: return "insert";
    case Does::remove: return "remove";
    case Does::contains: return "contains";
    case Does::add:
      return kind.shape == Shape::queue ? "enq" : kind.shape == Shape::stack ? "push" : "insert";
    case Does::take:
      return kind.shape == Shape::queue ? "deq" : kind.shape == Shape::stack ? "pop" : "poll";
  }
  return "";
}

Simulation simulate(Kind kind, unsigned clients, std::size_t operations, std::uint64_t seed) {
  return Simulator(kind, clients, operations, seed).run();
}

bool spoil(Simulation& simulation, bool subtle, std::uint64_t seed) {
  return Spoiler(simulation, subtle, seed).run();
}

void make_stale(Simulation& simulation, std::size_t reads, std::uint64_t seed) {
  Random random(seed ^ 0x57a1e);
  std::vector<SimulatedOperation*> all;
  for (SimulatedOperation& op : simulation.operations)
    if (op.does == Does::read && !op.crashed) all.push_back(&op);
  for (; reads > 0 && !all.empty(); --reads) {
    const std::size_t at = random.below(all.size());
    all[at]->result = static_cast<std::int64_t>(random.below(kRegisterValues));
    all[at] = all.back();
    all.pop_back();
  }
}

}  // namespace plumb::bench
