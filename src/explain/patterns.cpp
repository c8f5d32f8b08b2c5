// SPDX-License-Identifier: MIT
// Patterns of violations, by kind of object.
//
// The minimiser says which operations matter; this file says what is the matter with them. Each
// pattern is a small theorem: its conditions are checked on every operation of the history that
// concerns the culprit's object and keys (Story::concerned), not only on those that are shown, so
// the sentence is true of the whole history and proves the violation by itself. Conditions err on
// the side of silence: an operation whose effect is not understood, or whose result is not known,
// makes the pattern fail, and explain() then says something general.
//
// Values (any object; Traffic):   observed but never added; removed more often than added.
// Cells (register, array, map, one element of a set): one value at a time. A *pin* is an operation
//   after which the value is known. Stale: a pin with another value happens before the culprit,
//   and all that wrote the culprit's value happens before the pin. Opposite orders: of two values
//   written once each, each is seen before the other (the crossing zones of Gibbons & Korach).
// Containers (queue, stack, priority queue, bag): something that was certainly inside would have
//   come out first, or the container was said to be empty.
// Numbers (counter, mutex, semaphore): what had returned and what had been called bound the value.
#include "explain/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "explain/words.hpp"

namespace plumb::report {
namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Patterns {
 public:
  explicit Patterns(const Story& story)
      : story_(story), name_(story.specification().name()), culprit_(story.culprit()) {}

  Pattern find() const {
    if (story_.stuck()) return {};
    using Finder = Pattern (Patterns::*)() const;
    for (const Finder finder :
         {&Patterns::never_added, &Patterns::removed_too_often, &Patterns::stale,
          &Patterns::failed_comparison, &Patterns::opposite_orders, &Patterns::out_of_order,
          &Patterns::not_empty, &Patterns::miscounted, &Patterns::too_many_holders})
      if (Pattern found = (this->*finder)(); !found.sentence.empty()) {
        found.operations.push_back(culprit_);
        std::sort(found.operations.begin(), found.operations.end());
        found.operations.erase(std::unique(found.operations.begin(), found.operations.end()),
                               found.operations.end());
        return found;
      }
    return {};
  }

 private:
  std::string value(Value v) const { return words(v); }
  bool is_cell() const {
    return one_of(name_, {"register", "array", "multi-register", "map", "set"});
  }
  bool is_set() const { return name_ == "set"; }

  // ---- Values ---------------------------------------------------------------------------------

  // Labels are few and operations many, so each label is looked into once.
  template <class T, class Compute>
  const T& by_label(std::vector<std::optional<T>>& cache, OperationId op, Compute compute) const {
    const History& h = story_.history();
    if (cache.empty()) cache.resize(h.labels.size());
    std::optional<T>& slot = cache[h.label[op]];
    if (!slot) slot = compute(op);
    return *slot;
  }

  const Traffic& traffic(OperationId op) const {
    return by_label(traffics_, op, [this](OperationId o) {
      return story_.specification().traffic(story_.bound(o));
    });
  }
  std::optional<std::size_t> initial_copies(Value v) const {
    const auto there = story_.specification().initial_values(story_.initial());
    if (!there) return std::nullopt;
    return static_cast<std::size_t>(std::count(there->begin(), there->end(), v));
  }
  std::string_view added() const { return is_cell() && !is_set() ? "wrote" : "added"; }

  Pattern never_added() const {
    if (story_.counterexample().excerpt) return {};
    const auto observed = traffic(culprit_).observes;
    if (!observed || initial_copies(*observed) != std::size_t{0}) return {};
    for (const OperationId op : story_.concerned())
      if (op != culprit_ && traffic(op).adds == observed) return {};
    const History& h = story_.history();
    const auto keys = story_.specification().keys(story_.bound(culprit_));
    for (OperationId op = 0; op < h.size(); ++op) {
      if (h.object[op] != h.object[culprit_] || h.call[op] < h.ret[culprit_]) continue;
      const BoundLabel label = story_.bound(op);
      if (story_.specification().traffic(label).adds != observed ||
          story_.specification().keys(label) != keys)
        continue;
      return {
          fmt::format("{} before {} was called: nobody had {} {} yet.", story_.returned(culprit_),
                      story_.name(op), added() == "wrote" ? "written" : added(), value(*observed)),
          {op}};
    }
    return {fmt::format("{} although nobody ever {} {}.", story_.returned(culprit_), added(),
                        value(*observed)),
            {}};
  }

  Pattern removed_too_often() const {
    if (story_.counterexample().excerpt) return {};
    const Traffic own = traffic(culprit_);
    if (!own.observes || !own.removes) return {};
    const auto initially = initial_copies(*own.observes);
    if (!initially) return {};
    std::vector<OperationId> adders, takers;
    for (const OperationId op : story_.concerned()) {
      const Traffic& t = traffic(op);
      if (t.adds == own.observes) adders.push_back(op);
      if (t.removes && t.observes == own.observes && story_.completed(op)) takers.push_back(op);
    }
    if (takers.size() <= adders.size() + *initially) return {};
    const std::string v = value(*own.observes);
    if (takers.size() == 2 && adders.size() == 1 && *initially == 0)
      return {fmt::format("{} was added only once, by {}, but removed twice, by {} and by {}.", v,
                          story_.name(adders[0]), story_.name(takers[0]), story_.name(takers[1])),
              {adders[0], takers[0], takers[1]}};
    return {
        fmt::format("{} was removed {} times, but there {} only {} of it.", v, takers.size(),
                    adders.size() + *initially == 1 ? "was" : "were", adders.size() + *initially),
        story_.operations()};
  }

  // ---- Cells ----------------------------------------------------------------------------------

  struct Cell {
    std::optional<Value> sees;    // the value before it is this
    std::optional<Value> leaves;  // the value after it is this, if it has taken effect
    std::optional<Value> writes;  // it sets this value, or may do so
    bool scrambles = false;       // it may leave anything
  };

  const Cell& cell(OperationId op) const {
    return by_label(cells_, op, [this](OperationId o) { return find_cell(o); });
  }

  Cell find_cell(OperationId op) const {
    const BoundLabel label = story_.bound(op);
    const std::string& method = story_.method(op).name;
    const auto args = label.args;
    Cell out;
    if (is_set() && args.size() == 1 &&
        (!label.known || label.result.is_boolean() || story_.method(op).returns_nothing)) {
      const bool tells = label.known && label.result.is_boolean();
      const bool adds = method == "insert";
      if (method == "contains") {
        if (tells) out.sees = out.leaves = label.result;
        return out;
      }
      if (adds || method == "remove") {
        out.leaves = Value::boolean(adds);
        if (tells) out.sees = Value::boolean(label.result.as_boolean() != adds);
        if (!tells || label.result.as_boolean()) out.writes = out.leaves;
        return out;
      }
    } else if (is_cell() && !is_set()) {
      if (one_of(method, {"read", "get"})) {
        if (label.known) out.sees = out.leaves = label.result;
        return out;
      }
      if (one_of(method, {"write", "put"}) && !args.empty() && story_.method(op).returns_nothing) {
        out.leaves = out.writes = args.back();
        return out;
      }
      if (name_ == "map" && one_of(method, {"delete", "contains"})) {
        const Value absent = story_.initial().value_or(Value::nil());
        const bool found = !label.known || label.result == Value::boolean(true);
        if (method == "delete" || !found) out.leaves = absent;
        if (method == "delete" && found) out.writes = absent;
        return out;
      }
      if (method == "cas" && args.size() >= 2) {
        if (label.known && label.result == Value::boolean(false)) return out;
        out.writes = args.back();
        if (label.known) out.sees = args[args.size() - 2], out.leaves = args.back();
        return out;
      }
    }
    out.scrambles = !story_.specification().pure(label);
    return out;
  }

  // Whether everything that `writes` selects happens before `pin`.
  template <class Selects>
  bool all_before(OperationId pin, Selects selects) const {
    return std::all_of(story_.concerned().begin(), story_.concerned().end(), [&](OperationId op) {
      return op == pin || op == culprit_ || !selects(cell(op)) || story_.returned_before(op, pin);
    });
  }

  // "write(2) had returned", "read() had returned 2"
  std::string pinned_by(OperationId pin) const {
    const Cell c = cell(pin);
    return c.writes && !is_set() && !c.sees
               ? fmt::format("{} had returned", story_.name(pin))
               : fmt::format("{} had returned {}", story_.name(pin),
                             story_.result(
                                 pin, story_.history().labels[story_.history().label[pin]].result));
  }

  // Operations that happen before the culprit and tell the value: of those that are shown, the ones
  // that write before the ones that read, late ones first. A history that is cut on the left shows
  // nothing of what came before; there, the last ones of all, and first those that agree with the
  // state at the cut.
  std::vector<OperationId> candidate_pins() const {
    const std::string& left = story_.counterexample().left_state;
    const auto& from = left.empty() ? story_.shown_concerned() : story_.concerned();
    std::vector<OperationId> kinds[4];
    for (auto op = from.rbegin(); op != from.rend(); ++op) {
      if (*op == culprit_ || !story_.returned_before(*op, culprit_)) continue;
      const Cell& c = cell(*op);
      if (!c.leaves) continue;
      const bool agrees = left.empty() || c.leaves->to_string() == left;
      std::vector<OperationId>& kind = kinds[(agrees ? 0 : 2) + (c.writes ? 0 : 1)];
      if (left.empty() || kind.empty()) kind.push_back(*op);
    }
    std::vector<OperationId> pins;
    for (const auto& kind : kinds) pins.insert(pins.end(), kind.begin(), kind.end());
    return pins;
  }

  // The last operation that wrote the value, for the reader to see where it comes from.
  std::vector<OperationId> with_last_writer(OperationId pin, Value v) const {
    for (auto op = story_.concerned().rbegin(); op != story_.concerned().rend(); ++op)
      if (*op != culprit_ && cell(*op).writes == v) return {pin, *op};
    return {pin};
  }

  Pattern stale() const {
    if (!is_cell()) return {};
    const auto seen = cell(culprit_).sees;
    if (!seen) return {};
    for (const OperationId pin : candidate_pins()) {
      if (cell(pin).leaves == seen) continue;
      if (!all_before(pin, [&](const Cell& c) { return c.writes == seen || c.scrambles; }))
        continue;
      std::string_view change = seen->is_nil() && name_ == "map" ? "deleted the key" : "";
      if (is_set()) change = seen->as_boolean() ? "added it" : "removed it";
      return {fmt::format("{} although {} before it was called and nothing {} after that.",
                          story_.returned(culprit_), pinned_by(pin),
                          change.empty() ? "wrote " + value(*seen) : std::string(change)),
              with_last_writer(pin, *seen)};
    }
    return {};
  }

  Pattern failed_comparison() const {
    if (!is_cell() || story_.method(culprit_).name != "cas") return {};
    const BoundLabel label = story_.bound(culprit_);
    if (!label.known || label.result != Value::boolean(false) || label.args.size() < 2) return {};
    const Value expected = label.args[label.args.size() - 2];
    for (const OperationId pin : candidate_pins()) {
      if (cell(pin).leaves != expected) continue;
      if (all_before(pin, [&](const Cell& c) {
            return (c.writes && c.writes != expected) || c.scrambles;
          }))
        return {
            fmt::format("{} although {} before it was called and nothing wrote another value after "
                        "that.",
                        story_.returned(culprit_), pinned_by(pin)),
            {pin}};
    }
    return {};
  }

  Pattern opposite_orders() const {
    if (!is_cell() || is_set()) return {};
    const auto v = cell(culprit_).sees;
    if (!v || writers_of(*v) != 1) return {};
    const auto concerns = [&](OperationId op, Value x) {
      const Cell& c = cell(op);
      return c.sees == x || c.writes == x;
    };
    for (const OperationId c : story_.shown_concerned()) {
      if (c == culprit_ || !story_.returned_before(c, culprit_)) continue;
      const Cell& last = cell(c);
      for (const auto& x : {last.sees, last.writes}) {
        if (!x || x == v || writers_of(*x) != 1) continue;
        for (const OperationId a : story_.shown_concerned())
          for (const OperationId b : story_.shown_concerned())
            if (concerns(a, *v) && concerns(b, *x) && story_.completed(b) &&
                story_.returned_before(a, b))
              return {fmt::format("{0} and {1} were written once each, but in which order? {2} had "
                                  "returned before {3} was called, so {0} came first; {4} had "
                                  "returned before {5} was called, so {1} came first.",
                                  value(*v), value(*x), story_.outcome(a), story_.outcome(b),
                                  story_.outcome(c), story_.outcome(culprit_)),
                      {a, b, c}};
      }
    }
    return {};
  }

  // How often the value was written; kMany if that is not known.
  static constexpr std::size_t kMany = ~std::size_t{0};
  std::size_t writers_of(Value v) const {
    const auto initially = initial_copies(v);
    if (!initially || v.is_nil()) return kMany;
    std::size_t count = *initially;
    for (const OperationId op : story_.concerned()) {
      const Cell& c = cell(op);
      if (c.scrambles) return kMany;
      count += c.writes == v;
    }
    return count;
  }

  // ---- Containers -----------------------------------------------------------------------------

  struct Item {
    std::optional<Value> adds, takes;
    bool found_empty = false;
    bool may_take_anything = false;
  };

  bool is_container() const {
    return one_of(name_, {"queue", "blocking-queue", "stack", "blocking-stack", "pqueue",
                          "pqueue-min", "bag"});
  }

  const Item& item(OperationId op) const {
    return by_label(items_, op, [this](OperationId o) { return find_item(o); });
  }

  Item find_item(OperationId op) const {
    const BoundLabel label = story_.bound(op);
    const Traffic& t = traffic(op);
    Item out;
    out.adds = t.adds;
    if (t.removes) out.takes = t.observes;
    if (out.adds || out.takes) return out;
    const bool pure = label.known && story_.specification().pure(label);
    out.found_empty = pure && label.result.is_nil() && label.args.empty();
    out.may_take_anything = !pure;
    return out;
  }

  bool is_queue() const { return one_of(name_, {"queue", "blocking-queue"}); }
  bool is_stack() const { return one_of(name_, {"stack", "blocking-stack"}); }

  // Values that were certainly added when `qualifies` says so and that no known removal took. Of
  // them, as many may be gone as there are operations whose removal is not known; so there must be
  // one more. Returns: that many of their adders, or nothing.
  template <class Qualifies>
  std::vector<OperationId> still_inside(Qualifies qualifies) const {
    std::size_t unknown = 0;
    std::vector<OperationId> takers;
    for (const OperationId op : story_.concerned()) {
      unknown += item(op).may_take_anything && op != culprit_;
      if (item(op).takes && op != culprit_) takers.push_back(op);
    }
    std::vector<OperationId> inside;
    for (const OperationId op : shown_first()) {
      const auto& v = item(op).adds;
      if (!v || op == culprit_ || !story_.completed(op) || !qualifies(op)) continue;
      // Another copy may have been meant, unless it was taken before this one came.
      const bool taken = std::any_of(takers.begin(), takers.end(), [&](OperationId taker) {
        return item(taker).takes == v && !story_.returned_before(taker, op);
      });
      if (!taken) inside.push_back(op);
      if (inside.size() > unknown) return inside;
    }
    return {};
  }

  std::vector<OperationId> shown_first() const {
    std::vector<OperationId> all = story_.shown_concerned();
    for (const OperationId op : story_.concerned())
      if (!story_.shown(op)) all.push_back(op);
    return all;
  }

  std::string names(const std::vector<OperationId>& ops) const {
    std::vector<std::string> all;
    for (const OperationId op : ops) all.push_back(story_.name(op));
    return text::list_words(all, "and");
  }

  // "and 1 was still in the queue", "and only 1 open operation could have removed one of them"
  std::string and_still(const std::vector<OperationId>& inside) const {
    const std::string_view where = is_queue()   ? "in the queue"
                                   : is_stack() ? "on the stack"
                                                : "inside";
    if (inside.size() == 1)
      return fmt::format("and {} was still {}", value(*item(inside[0]).adds), where);
    return fmt::format("and only {} could have removed any of {}, so one was still {}",
                       text::count_words(inside.size() - 1, "open operation"),
                       inside.size() == 2 ? "the two" : "them", where);
  }

  Pattern out_of_order() const {
    if (!is_container() || name_ == "bag") return {};
    const auto taken = traffic(culprit_).observes;
    if (!taken) return {};
    std::vector<OperationId> adders;
    for (const OperationId op : story_.concerned())
      if (item(op).adds == taken) adders.push_back(op);
    if (adders.empty() || adders.size() > kFewAdders) return {};
    return is_queue()   ? overtaken(*taken, adders)
           : is_stack() ? buried(*taken, adders)
                        : outranked(*taken, adders);
  }
  static constexpr std::size_t kFewAdders = 16;  // more copies than that tell no story

  static std::vector<OperationId> joined(std::vector<OperationId> a, OperationId b) {
    a.push_back(b);
    return a;
  }

  // Queue: what was enqueued before every copy of what the culprit dequeued.
  Pattern overtaken(Value taken, const std::vector<OperationId>& adders) const {
    if (initial_copies(taken) != std::size_t{0}) return {};
    const auto ahead = still_inside([&](OperationId a) {
      return item(a).adds != taken &&
             std::all_of(adders.begin(), adders.end(),
                         [&](OperationId op) { return story_.returned_before(a, op); });
    });
    if (ahead.empty()) return {};
    return {fmt::format("{} although {} had returned before {} was called, {}.",
                        story_.returned(culprit_), names(ahead), story_.name(adders[0]),
                        and_still(ahead)),
            joined(ahead, adders[0])};
  }

  // Stack: what was pushed after every copy of what the culprit popped.
  Pattern buried(Value taken, const std::vector<OperationId>& adders) const {
    const auto above = still_inside([&](OperationId a) {
      return item(a).adds != taken && story_.returned_before(a, culprit_) &&
             std::all_of(adders.begin(), adders.end(),
                         [&](OperationId op) { return story_.returned_before(op, a); });
    });
    if (above.empty()) return {};
    return {
        fmt::format("{} although {} had returned before {} {} called, {} had returned before "
                    "{} was called, {}.",
                    story_.returned(culprit_), story_.name(adders.back()), names(above),
                    above.size() == 1 ? "was" : "were", above.size() == 1 ? names(above) : "all",
                    story_.name(culprit_), and_still(above)),
        joined(above, adders.back())};
  }

  // Priority queue: what comes out first.
  Pattern outranked(Value taken, const std::vector<OperationId>& adders) const {
    const bool smallest = name_ == "pqueue-min";
    const auto first = still_inside([&](OperationId a) {
      const Value other = *item(a).adds;
      return story_.returned_before(a, culprit_) && (smallest ? other < taken : other > taken);
    });
    if (first.empty()) return {};
    return {fmt::format("{} although {} had returned before it was called with something {}, {}.",
                        story_.returned(culprit_), names(first), smallest ? "smaller" : "larger",
                        and_still(first)),
            joined(first, adders[0])};
  }

  Pattern not_empty() const {
    if (!is_container() || !item(culprit_).found_empty) return {};
    const auto inside =
        still_inside([&](OperationId a) { return story_.returned_before(a, culprit_); });
    if (inside.empty()) return {};
    return {fmt::format("{} although {} had returned before it was called, {}.",
                        story_.returned(culprit_), names(inside), and_still(inside)),
            inside};
  }

  // ---- Numbers --------------------------------------------------------------------------------

  // How the object prints at the start.
  std::string initial_state() const {
    const auto space = story_.specification().states(story_.initial());
    return space->print(space->initial());
  }
  std::optional<std::int64_t> initial_number() const {
    const std::string text = initial_state();
    if (text.empty() || text.size() > 18 ||
        text.find_first_not_of("0123456789", text[0] == '-') != std::string::npos)
      return std::nullopt;
    return std::stoll(text);
  }

  // By how much the operation changes a counter if it takes effect; empty: not known.
  std::optional<std::int64_t> change(OperationId op) const {
    const std::string& method = story_.method(op).name;
    if (method == "get") return 0;
    if (method == "inc" || method == "fetch_inc") return 1;
    if (method == "dec") return -1;
    const auto args = story_.bound(op).args;
    constexpr std::int64_t kFar = 1'000'000'000;  // sums of these do not overflow
    if (!one_of(method, {"add", "fetch_add"}) || args.size() != 1 || !args[0].is_integer() ||
        args[0].as_integer() < -kFar || args[0].as_integer() > kFar)
      return std::nullopt;
    return args[0].as_integer();
  }

  // The count that the operation saw.
  std::optional<std::int64_t> saw(OperationId op) const {
    const BoundLabel label = story_.bound(op);
    if (!one_of(story_.method(op).name, {"get", "fetch_add", "fetch_inc"}) || !label.known ||
        !label.result.is_integer())
      return std::nullopt;
    return label.result.as_integer();
  }

  Pattern miscounted() const {
    if (name_ != "counter") return {};
    const auto seen = saw(culprit_);
    const auto start = initial_number();
    if (!seen || !start) return {};
    std::int64_t low = *start, high = *start;
    std::uint64_t returned = 0, called = 0;
    bool only_increments = *start == 0, never_down = true;
    for (const OperationId op : story_.concerned()) {
      const auto by = change(op);
      if (!by) return {};
      never_down = never_down && *by >= 0;
      if (op == culprit_ || *by == 0) continue;
      only_increments = only_increments && *by == 1;
      const bool certain = story_.returned_before(op, culprit_);
      low += certain ? *by : std::min<std::int64_t>(*by, 0);
      high += certain ? *by : std::max<std::int64_t>(*by, 0);
      returned += certain;
      ++called;
    }
    if (never_down && *change(culprit_) > 0)
      for (const OperationId op : story_.shown_concerned())
        if (op != culprit_ && story_.completed(op) && saw(op) == seen && *change(op) > 0)
          return {fmt::format("{} and {} both returned {} although each of them adds to the count.",
                              story_.name(op), story_.name(culprit_), *seen),
                  {op}};
    if (*seen >= low && *seen <= high) return {};
    if (only_increments && *seen < low)
      return {fmt::format("{} although {} had returned before it was called.",
                          story_.returned(culprit_), text::count_words(returned, "increment")),
              story_.operations()};
    if (only_increments)
      return {fmt::format("{} although only {} had been called before it returned.",
                          story_.returned(culprit_), text::count_words(called, "increment")),
              story_.operations()};
    return {fmt::format("{}, but what had been counted by then allows only {}.",
                        story_.returned(culprit_),
                        low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high)),
            story_.operations()};
  }

  bool acquires(OperationId op) const {
    return one_of(story_.method(op).name, {"lock", "try_lock", "acquire", "try_acquire"}) &&
           !(story_.bound(op).known && story_.bound(op).result == Value::boolean(false));
  }
  bool releases(OperationId op) const {
    return one_of(story_.method(op).name, {"unlock", "release"});
  }
  // The other half of the vocabulary that the file uses.
  std::string_view release_word() const {
    const std::string_view used = story_.history().call_of(culprit_).method;
    return used.find("lock") != used.npos ? "unlock" : "release";
  }

  Pattern too_many_holders() const {
    const bool mutex = name_ == "mutex";
    if ((!mutex && name_ != "semaphore") || !acquires(culprit_)) return {};
    std::int64_t acquired = 0, released = 0;
    for (const OperationId op : story_.concerned()) {
      acquired += acquires(op) && story_.completed(op);
      released += releases(op);
    }
    if (mutex) {
      for (const OperationId other : story_.shown_concerned()) {
        if (other == culprit_ || !acquires(other) || !story_.completed(other)) continue;
        const auto earlier = [&](OperationId op) {
          return !releases(op) ||
                 (story_.returned_before(op, other) && story_.returned_before(op, culprit_));
        };
        if (std::all_of(story_.concerned().begin(), story_.concerned().end(), earlier))
          return {fmt::format("{} and {} have both returned, but nobody has called {} since the "
                              "first of them was called.",
                              story_.name(other), story_.name(culprit_), release_word()),
                  {other}};
      }
    }
    const std::optional<std::int64_t> permits =
        mutex ? (initial_state() == "true" ? 0 : 1) : initial_number();
    if (!permits || acquired - released <= *permits) return {};
    if (released == 0 && *permits == 0)
      return {fmt::format(
                  "{} has returned, but nobody had called {} and {}.", story_.name(culprit_),
                  release_word(),
                  mutex ? "the mutex was held from the start" : "there was no permit at the start"),
              {}};
    return {fmt::format(
                "{} had been granted when {} returned, but {} at the start and {} of {} allow only "
                "{}.",
                text::count_words(static_cast<std::uint64_t>(acquired), "permit"),
                story_.name(culprit_),
                text::count_words(static_cast<std::uint64_t>(*permits), "permit"),
                text::count_words(static_cast<std::uint64_t>(released), "call"), release_word(),
                *permits + released),
            story_.operations()};
  }

  const Story& story_;
  const std::string& name_;
  const OperationId culprit_;
  mutable std::vector<std::optional<Traffic>> traffics_;
  mutable std::vector<std::optional<Cell>> cells_;
  mutable std::vector<std::optional<Item>> items_;
};

}  // namespace

Pattern find_pattern(const Story& story) { return Patterns(story).find(); }

}  // namespace plumb::report
