// SPDX-License-Identifier: MIT
// The k-automata: queue, stack and priority queue that may be out of order by k.
//
// Round-Up, section V-A, "strict out-of-order":
//
//   Restriction 1: each removal takes an element that is at most k places away from the head;
//   Restriction 2: no element is overtaken more than k times. (The paper says that the head must be
//                  returned by one of the first k removals; its History 1 shows that k + 1 is
//                  meant.)
//
// The paper checks both by permuting sequential histories. But they are about the object's state
// alone: the elements in the order in which they should leave, and how often each was overtaken.
//
//   add v      v goes to its place, overtaken 0 times
//   remove v   v is at place i <= k; each of the i elements before it was overtaken fewer than
//              k times, and is now overtaken once more; v leaves
//   empty      there is no element: an empty answer is exact
//
// For a queue that is filled, then drained, the two restrictions are the two halves of "moved by at
// most k places": a removal of rank r that comes j-th has r - j <= k iff it is never more than k
// away from the head, and j - r <= k iff it is never overtaken more than k times (if o larger ones
// went before it, the largest of them has rank >= r + o and place <= j - 1). So this is the paper's
// relaxation, except that an element cannot be removed before it is added.
//
// It is an ordinary specification, nondeterministic only where elements are equal, so that all
// engines, witnesses and minimal counterexamples of linearizability serve it as they are.
//
// Where several removals have factors of their own, each must respect its own: it takes an element
// at most its k away, and overtakes no element that was overtaken that often already.
#include "check/property/quasi/k_automaton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace plumb::quasi {
namespace {

enum class Order { queue, stack, largest_first, smallest_first };

std::optional<Order> order_of(Family family) {
  switch (family) {
    case Family::queue: return Order::queue;
    case Family::stack: return Order::stack;
    case Family::max_priority_queue: return Order::largest_first;
    case Family::min_priority_queue: return Order::smallest_first;
    default: return std::nullopt;
  }
}

Value value_in(Value v) { return v; }
Value value_in(const Departure& d) { return d.element; }

/// Elements in the order in which they should leave: the head is the last one.
/// Returns: where it is now.
template <class Element>
std::size_t put(std::vector<Element>& line, Order order, Element element) {
  const auto before = [order](const Element& a, const Element& b) {
    return order == Order::largest_first ? value_in(a) < value_in(b) : value_in(b) < value_in(a);
  };
  auto at = line.begin();
  if (order == Order::stack) at = line.end();
  else if (order != Order::queue) at = std::upper_bound(at, line.end(), element, before);
  return static_cast<std::size_t>(line.insert(at, std::move(element)) - line.begin());
}

/// A state. Copies of it are all over a search, so it is small: only elements near the head have
/// been overtaken.
struct Line {
  std::vector<Value> items;              // the head is the last one
  std::vector<std::uint32_t> overtaken;  // from the head on; behind its end: never
  bool operator==(const Line&) const = default;

  std::uint32_t times_overtaken(std::size_t place) const {
    return place < overtaken.size() ? overtaken[place] : 0;
  }
  void add(Order order, Value v) {
    const std::size_t place = items.size() - put(items, order, v);
    if (place < overtaken.size())
      overtaken.insert(overtaken.begin() + static_cast<std::ptrdiff_t>(place), 0);
  }
  /// The element that has so many before it.
  void remove(std::size_t ahead, bool count) {
    items.erase(items.end() - 1 - static_cast<std::ptrdiff_t>(ahead));
    if (ahead < overtaken.size())
      overtaken.erase(overtaken.begin() + static_cast<std::ptrdiff_t>(ahead));
    if (!count) return;
    if (overtaken.size() < ahead) overtaken.resize(ahead, 0);
    for (std::size_t i = 0; i < ahead; ++i) ++overtaken[i];
  }
};

std::uint64_t hash_of_line(const Line& line) {
  std::uint64_t h = line.items.size();
  const auto mix = [&h](std::uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  };
  for (const Value v : line.items) mix(v.hash());
  for (const std::uint32_t n : line.overtaken) mix(n);
  return h;
}

class KAutomaton final : public Specification {
 public:
  KAutomaton(const Specification& plain, Relaxation relaxation, const Factors& factors)
      : plain_(plain), relaxation_(relaxation), factors_(factors),
        order_(*order_of(plain.family())),
        name_(fmt::format("{} {}", to_string(relaxation), plain.name())) {}

  const std::string& name() const override { return name_; }
  std::span<const Method> methods() const override { return plain_.methods(); }
  std::string reject(const BoundLabel& label) const override { return plain_.reject(label); }
  std::string reject_initial(Value initial) const override {
    return plain_.reject_initial(initial);
  }
  std::unique_ptr<StateSpace> states(std::optional<Value> initial) const override;
  std::unique_ptr<Replay> replay(std::optional<Value> initial) const override;
  bool pure(const BoundLabel& label) const override { return plain_.pure(label); }
  std::vector<Value> keys(const BoundLabel&) const override { return {}; }
  Traffic traffic(const BoundLabel& label) const override { return plain_.traffic(label); }
  std::optional<std::vector<Value>> initial_values(std::optional<Value> initial) const override {
    return plain_.initial_values(initial);
  }

  /// Calls visit(result, line after it) for every way in which the operation can return, whatever
  /// result was recorded. `visit` is handed a line that it may take.
  template <class Visit>
  void returns(const Line& line, const BoundLabel& label, Visit visit) const {
    switch (methods()[label.method].role) {
      case Role::adds: {
        Line next;
        next.items.reserve(line.items.size() + 1);
        next = line;
        next.add(order_, label.args[0]);
        visit(Value::nil(), std::move(next));
        return;
      }
      case Role::peeks:
        visit(line.items.empty() ? Value::nil() : line.items.back(), Line(line));
        return;
      case Role::counts:
        visit(Value::integer(static_cast<std::int64_t>(line.items.size())), Line(line));
        return;
      default: break;
    }
    if (line.items.empty()) {
      if (!methods()[label.method].blocks) visit(Value::nil(), Line());
      return;
    }
    const std::uint32_t k = factors_.of(label.method);
    for (std::size_t ahead = 0; ahead < line.items.size(); ++ahead) {
      if (relaxation_ != Relaxation::lateness && ahead > k) return;  // Restriction 1
      const Value v = line.items[line.items.size() - 1 - ahead];
      if (!label.known || v == label.result) {
        Line next = line;
        next.remove(ahead, relaxation_ != Relaxation::distance);
        visit(v, std::move(next));
      }
      if (relaxation_ != Relaxation::distance && line.times_overtaken(ahead) >= k)
        return;  // Restriction 2
    }
  }

  Line initial_state(std::optional<Value> initial) const {
    Line line;
    // A stack lists its top last, as it was pushed; a queue the first first.
    const std::vector<Value> values = *plain_.initial_values(initial);
    for (const Value v : values) line.add(order_, v);
    return line;
  }

 private:
  const Specification& plain_;
  Relaxation relaxation_;
  Factors factors_;
  Order order_;
  std::string name_;
};

bool accepts(const BoundLabel& label, Value result) {
  return !label.known || label.result == result;
}

std::string print_line(const Line& line) {
  std::string text;
  for (std::size_t place = 0; place < line.items.size(); ++place) {
    text += (place ? ", " : "") + line.items[line.items.size() - 1 - place].to_string();
    if (const auto n = line.times_overtaken(place)) text += fmt::format(" (overtaken {}x)", n);
  }
  return "[" + text + "]";
}

class KStates final : public StateSpace {
 public:
  KStates(const KAutomaton& automaton, Line initial) : automaton_(automaton), slots_(64, kNone) {
    intern(std::move(initial));
  }
  StateId initial() override { return 0; }
  void step(StateId from, const BoundLabel& label, std::vector<StateId>& to) override {
    const std::size_t begin = to.size();
    automaton_.returns(lines_[from], label, [&](Value result, Line&& next) {
      if (!accepts(label, result)) return;
      const StateId id = intern(std::move(next));
      if (std::find(to.begin() + static_cast<std::ptrdiff_t>(begin), to.end(), id) == to.end())
        to.push_back(id);
    });
  }
  std::vector<Value> results(StateId from, const BoundLabel& label) override {
    std::vector<Value> all;
    BoundLabel any = label;
    any.known = false;
    automaton_.returns(lines_[from], any, [&](Value result, Line&&) {
      if (std::find(all.begin(), all.end(), result) == all.end()) all.push_back(result);
    });
    return all;
  }
  std::string print(StateId state) const override { return print_line(lines_[state]); }
  std::size_t size() const override { return lines_.size(); }
  std::size_t bytes() const override { return bytes_ + slots_.capacity() * sizeof(StateId); }
  std::unique_ptr<StateSpace> fork(StateId state) const override {
    return std::make_unique<KStates>(automaton_, lines_[state]);
  }

 private:
  StateId intern(Line&& line) {
    const std::uint64_t hash = hash_of_line(line);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] != kNone; at = (at + 1) & (slots_.size() - 1))
      if (hashes_[slots_[at]] == hash && lines_[slots_[at]] == line) return slots_[at];
    const auto id = static_cast<StateId>(lines_.size());
    bytes_ +=
        line.items.capacity() * sizeof(Value) + line.overtaken.capacity() * 4 + sizeof(Line) + 32;
    lines_.push_back(std::move(line));
    hashes_.push_back(hash);
    slots_[at] = id;
    if (lines_.size() * 2 > slots_.size()) {
      slots_.assign(slots_.size() * 2, kNone);
      for (StateId i = 0; i < lines_.size(); ++i) {
        std::size_t free = hashes_[i] & (slots_.size() - 1);
        while (slots_[free] != kNone) free = (free + 1) & (slots_.size() - 1);
        slots_[free] = i;
      }
    }
    return id;
  }

  const KAutomaton& automaton_;
  std::deque<Line> lines_;  // a step holds a reference while it adds others
  std::vector<std::uint64_t> hashes_;
  std::vector<StateId> slots_;  // open addressing, at most half full
  std::size_t bytes_ = 0;
};

/// All lines that are possible after the operations so far: several where elements are equal.
class KReplay final : public Replay {
 public:
  KReplay(const KAutomaton& automaton, Line initial)
      : automaton_(automaton), lines_{std::move(initial)} {}

  bool apply(const BoundLabel& label) override {
    std::vector<Line> next;
    for (const Line& line : lines_)
      automaton_.returns(line, label, [&](Value result, Line&& after) {
        if (accepts(label, result) && std::find(next.begin(), next.end(), after) == next.end())
          next.push_back(std::move(after));
      });
    if (next.empty()) return false;
    lines_ = std::move(next);
    return true;
  }
  bool blocked(const BoundLabel& label) override {
    BoundLabel any = label;
    any.known = false;
    return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
      bool some = false;
      automaton_.returns(line, any, [&](Value, Line&&) { some = true; });
      return !some;
    });
  }
  std::string print() const override {
    std::string text;
    for (const Line& line : lines_) text += (text.empty() ? "" : " or ") + print_line(line);
    return text;
  }

 private:
  const KAutomaton& automaton_;
  std::vector<Line> lines_;
};

std::unique_ptr<StateSpace> KAutomaton::states(std::optional<Value> initial) const {
  return std::make_unique<KStates>(*this, initial_state(initial));
}
std::unique_ptr<Replay> KAutomaton::replay(std::optional<Value> initial) const {
  return std::make_unique<KReplay>(*this, initial_state(initial));
}

}  // namespace

bool has_k_automaton(const Specification& plain) {
  return order_of(plain.family()) && plain.initial_values({}) &&
         std::none_of(plain.methods().begin(), plain.methods().end(),
                      [](const Method& method) { return method.role == Role::none; });
}

std::vector<std::string> names_of_k_automata() {
  std::vector<const Specification*> all = all_specifications();
  std::erase_if(all, [](const Specification* s) { return !has_k_automaton(*s); });
  std::stable_sort(all.begin(), all.end(), [](const Specification* a, const Specification* b) {
    return a->family() < b->family();
  });
  std::vector<std::string> names;
  for (const Specification* s : all) names.push_back(s->name());
  return names;
}

bool removes(const Specification& plain, MethodId method) {
  return plain.methods()[method].role == Role::takes;
}

std::vector<std::string> names_of_removals(const Specification& plain) {
  std::vector<std::string> names;
  for (MethodId m = 0; m < plain.methods().size(); ++m)
    if (removes(plain, m)) names.push_back(plain.methods()[m].name);
  return names;
}

std::unique_ptr<Specification> make_k_automaton(const Specification& plain, Relaxation relaxation,
                                                const Factors& factors) {
  return std::make_unique<KAutomaton>(plain, relaxation, factors);
}

std::vector<Departure> departures(const Specification& plain, std::optional<Value> initial,
                                  const std::vector<BoundLabel>& run) {
  const Order order = *order_of(plain.family());
  std::vector<Departure> line, all;  // those inside, the head last; those that have left
  const std::vector<Value> values = *plain.initial_values(initial);
  for (const Value v : values) put(line, order, Departure{v, SIZE_MAX, {}, {}});
  for (std::size_t i = 0; i < run.size(); ++i) {
    const BoundLabel& label = run[i];
    const Role role = plain.methods()[label.method].role;
    if (role == Role::adds) put(line, order, Departure{label.args[0], SIZE_MAX, {}, {}});
    if (role != Role::takes || (label.known && label.result.is_nil())) continue;
    const auto from_head = std::find_if(line.rbegin(), line.rend(), [&](const Departure& inside) {
      return !label.known || inside.element == label.result;
    });
    if (from_head == line.rend()) continue;
    from_head->removal = i;
    for (auto ahead = line.rbegin(); ahead != from_head; ++ahead) {
      from_head->ahead.push_back(ahead->element);
      ahead->overtaken_by.push_back(i);
    }
    all.push_back(std::move(*from_head));
    line.erase(std::next(from_head).base());
  }
  std::move(line.begin(), line.end(), std::back_inserter(all));
  return all;
}

}  // namespace plumb::quasi
