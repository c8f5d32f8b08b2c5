// SPDX-License-Identifier: MIT
// Collections (queue, stack, priority queue, bag): something that was certainly inside would have
// come out first, or the collection was said to be empty.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "explain/pattern_finder.hpp"
#include "spec/families.hpp"

namespace plumb::report {
namespace {

class CollectionPatterns : PatternFinder {
 public:
  using PatternFinder::PatternFinder;

  Pattern find() const {
    Pattern found = out_of_order();
    return found.sentence.empty() ? not_empty() : found;
  }

 private:
  struct Item {
    std::optional<Value> adds, takes;
    bool found_empty = false;
    bool may_take_anything = false;  // one value, if any
    bool unknown = false;            // has no role, and may do whatever it likes
  };

  const Item& item(OperationId op) const {
    return by_label(items_, op, [this](OperationId o) { return find_item(o); });
  }

  Item find_item(OperationId op) const {
    const BoundLabel label = story_.bound(op);
    const Movement moves = movement(story_.specification(), label);
    Item out;
    out.adds = moves.comes;
    out.takes = moves.leaves;
    if (out.adds || out.takes) return out;
    const bool pure = label.known && story_.specification().pure(label);
    out.found_empty =
        moves.found_nothing || (role(op) == Role::peeks && label.known && label.result.is_nil());
    out.may_take_anything = !pure && !out.found_empty;
    out.unknown = !pure && role(op) == Role::none;
    return out;
  }

  bool is_queue() const { return family_ == Family::queue; }
  bool is_stack() const { return family_ == Family::stack; }

  // Values that were certainly added when `qualifies` says so and that no known removal took. Of
  // them, as many may be gone as there are operations whose removal is not known; so there must be
  // one more. Returns: that many of their adders, or nothing.
  template <class Qualifies>
  std::vector<OperationId> still_inside(Qualifies qualifies) const {
    std::size_t unknown = 0;
    std::map<Value, std::vector<OperationId>> takers;
    for (const OperationId op : story_.concerned()) {
      if (item(op).unknown) return {};
      unknown += item(op).may_take_anything && op != culprit_;
      if (const auto& v = item(op).takes; v && op != culprit_) takers[*v].push_back(op);
    }
    std::vector<OperationId> inside;
    for (const OperationId op : shown_first()) {
      const auto& v = item(op).adds;
      if (!v || op == culprit_ || !story_.completed(op) || !qualifies(op)) continue;
      // Another copy may have been meant, unless it was taken before this one came.
      const auto of_it = takers.find(*v);
      const bool taken = of_it != takers.end() &&
                         std::any_of(of_it->second.begin(), of_it->second.end(),
                                     [&](OperationId t) { return !story_.returned_before(t, op); });
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
    const BoundLabel label = story_.bound(culprit_);
    const bool shows = role(culprit_) == Role::takes || role(culprit_) == Role::peeks;
    if (family_ == Family::bag || !shows || !label.known || label.result.is_nil()) return {};
    const Value taken = label.result;
    std::vector<OperationId> adders;
    for (const OperationId op : story_.concerned())
      if (item(op).adds == taken) adders.push_back(op);
    if (adders.empty() || adders.size() > kFewAdders) return {};
    return is_queue()   ? overtaken(taken, adders)
           : is_stack() ? buried(taken, adders)
                        : outranked(taken, adders);
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
    const bool smallest = family_ == Family::min_priority_queue;
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
    if (!item(culprit_).found_empty) return {};
    const auto inside =
        still_inside([&](OperationId a) { return story_.returned_before(a, culprit_); });
    if (inside.empty()) return {};
    return {fmt::format("{} although {} had returned before it was called, {}.",
                        story_.returned(culprit_), names(inside), and_still(inside)),
            inside};
  }

  mutable std::vector<std::optional<Item>> items_;
};

}  // namespace

Pattern find_in_collections(const Story& story) { return CollectionPatterns(story).find(); }

}  // namespace plumb::report
