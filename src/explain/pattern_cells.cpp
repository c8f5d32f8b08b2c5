// SPDX-License-Identifier: MIT
// Cells (register, array, map, one element of a set): one value at a time. A *pin* is an operation
// after which the value is known. Stale: a pin with another value happens before the culprit, and
// all that wrote the culprit's value happens before the pin. Opposite orders: of two values written
// once each, each is seen before the other (the crossing zones of Gibbons & Korach).
#include <fmt/format.h>

#include "explain/pattern_finder.hpp"

namespace plumb::report {
namespace {

class CellPatterns : PatternFinder {
 public:
  using PatternFinder::PatternFinder;

  Pattern find() const {
    if (Pattern found = stale(); !found.sentence.empty()) return found;
    if (Pattern found = failed_comparison(); !found.sentence.empty()) return found;
    return opposite_orders();
  }

 private:
  bool is_set() const { return family_ == Family::set; }

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
    if (is_set() && role(op) != Role::none && !label.args.empty()) return find_element(op, label);
    Cell out;
    switch (role(op)) {
      case Role::reads:
        if (label.known) out.sees = out.leaves = label.result;
        return out;
      case Role::writes: out.leaves = out.writes = label.args.back(); return out;
      case Role::swaps:
        if (label.known && label.result == Value::boolean(false)) return out;
        out.writes = label.args.back();
        if (label.known) out.sees = label.args[label.args.size() - 2], out.leaves = out.writes;
        return out;
      case Role::removes:  // of a map, as is the next one
      case Role::contains: {
        const Value absent = story_.initial().value_or(Value::nil());
        const bool deletes = role(op) == Role::removes;
        const bool found = !label.known || label.result == Value::boolean(true);
        if (deletes || !found) out.leaves = absent;
        if (deletes && found) out.writes = absent;
        return out;
      }
      default: out.scrambles = !story_.specification().pure(label); return out;
    }
  }

  // Of a set, a cell is one element: there or not.
  Cell find_element(OperationId op, const BoundLabel& label) const {
    Cell out;
    if (role(op) == Role::contains) {
      if (label.known) out.sees = out.leaves = label.result;
      return out;
    }
    const bool adds = role(op) == Role::adds;
    out.leaves = Value::boolean(adds);
    if (label.known) out.sees = Value::boolean(label.result.as_boolean() != adds);
    if (!label.known || label.result.as_boolean()) out.writes = out.leaves;
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
    const auto seen = cell(culprit_).sees;
    if (!seen) return {};
    for (const OperationId pin : candidate_pins()) {
      if (cell(pin).leaves == seen) continue;
      if (!all_before(pin, [&](const Cell& c) { return c.writes == seen || c.scrambles; }))
        continue;
      std::string_view change = seen->is_nil() && family_ == Family::map ? "deleted the key" : "";
      if (is_set()) change = seen->as_boolean() ? "added it" : "removed it";
      return {fmt::format("{} although {} before it was called and nothing {} after that.",
                          story_.returned(culprit_), pinned_by(pin),
                          change.empty() ? "wrote " + value(*seen) : std::string(change)),
              with_last_writer(pin, *seen)};
    }
    return {};
  }

  Pattern failed_comparison() const {
    if (role(culprit_) != Role::swaps) return {};
    const BoundLabel label = story_.bound(culprit_);
    if (!label.known || label.result != Value::boolean(false)) return {};
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
    if (is_set()) return {};
    const auto v = cell(culprit_).sees;
    if (!v || writers_of(*v) != 1) return {};
    // A cas whose result is not known may have written nothing.
    const auto wrote = [](const Cell& c) { return c.leaves ? c.writes : std::nullopt; };
    const auto concerns = [&](OperationId op, Value x) {
      return cell(op).sees == x || wrote(cell(op)) == x;
    };
    for (const OperationId c : story_.shown_concerned()) {
      if (c == culprit_ || !story_.returned_before(c, culprit_)) continue;
      const Cell& last = cell(c);
      for (const auto& x : {last.sees, wrote(last)}) {
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

  mutable std::vector<std::optional<Cell>> cells_;
};

}  // namespace

Pattern find_in_cells(const Story& story) { return CellPatterns(story).find(); }

}  // namespace plumb::report
