// SPDX-License-Identifier: MIT
// A core is verified by the definition, on the history as it was read: neither parts nor engines
// nor what the minimiser made of it are asked. We look for an order of the shown operations, and of
// any of the others at any time, that explains what is known; if there is one, the core proves
// nothing. What was reached is remembered: which operations have taken effect, and the state. The
// others are alike where their calls are, so they are counted.
#include "check/evidence/recheck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace plumb {
namespace {

constexpr std::size_t kMostShown = 64;
constexpr std::size_t kMostReached = 2'000'000;

BoundLabel bound(const History& h, const Specification& specification, OperationId op, bool known) {
  const Call call = h.call_of(op);
  BoundLabel label(specification.find(call.method).value_or(0), call.args);
  const Label& recorded = h.labels[h.label[op]];
  const Method& method = specification.methods()[label.method];
  label.known = known && recorded.known && !(recorded.result.is_nil() && method.nil_is_unrecorded);
  if (label.known) label.result = method.returns_nothing ? Value::nil() : recorded.result;
  return label;
}

class CoreProof {
 public:
  CoreProof(const History& history, ObjectId object, const Specification& specification,
            std::optional<Value> initial, const std::vector<Needed>& needed)
      : h_(history), specification_(specification), space_(specification.states(initial)) {
    for (OperationId op = 0; op < h_.size(); ++op)
      if (h_.object[op] == object) needed[op] == Needed::nothing ? hide(op) : show(op, needed[op]);
  }

  Rechecked run() {
    if (shown_.size() > kMostShown)
      return {false, fmt::format("{} operations are too many to try all orders", shown_.size())};
    std::vector<Reached> waiting = {
        {0, space_->initial(), std::vector<std::uint32_t>(hidden_.size())}};
    std::set<Reached> seen(waiting.begin(), waiting.end());
    while (!waiting.empty()) {
      const Reached here = waiting.back();
      waiting.pop_back();
      if ((here.taken & must_) == must_ && judged_ == 0)
        return {true, "there is an order that explains what is shown"};
      if ((here.taken & must_) == must_) ends_.insert(here.state);
      if (seen.size() > kMostReached) return {false, "too many orders to try"};
      const auto reach = [&](const BoundLabel& label, Reached next) {
        std::vector<StateId> to;
        space_->step(here.state, label, to);
        for (const StateId state : to) {
          next.state = state;
          if (seen.insert(next).second) waiting.push_back(next);
        }
      };
      for (std::size_t i = 0; i < shown_.size(); ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        if (((here.taken | judged_) & bit) != 0 || (before(i) & ~here.taken) != 0) continue;
        reach(shown_[i].label, {here.taken | bit, 0, here.used});
      }
      for (std::size_t i = 0; i < hidden_.size(); ++i) {
        if (here.used[i] == hidden_[i].count) continue;
        Reached next{here.taken, 0, here.used};
        ++next.used[i];
        reach(hidden_[i].label, std::move(next));
      }
    }
    return ends_.empty() || some_need_not_block()
               ? Rechecked{}
               : Rechecked{true, "there are orders after which what is pending blocks"};
  }

 private:
  struct Shown {
    BoundLabel label;
    std::uint32_t call, ret;
    OperationId op;
    bool judged;
  };
  struct Hidden {
    BoundLabel label;
    std::uint32_t count = 0;
  };
  struct Reached {
    std::uint64_t taken;
    StateId state;
    std::vector<std::uint32_t> used;  // of each kind of hidden operation
    auto operator<=>(const Reached&) const = default;
  };

  void hide(OperationId op) {
    const BoundLabel label = bound(h_, specification_, op, false);
    if (specification_.pure(label)) return;  // it may take effect or not: nobody sees it
    const auto same = std::find_if(hidden_.begin(), hidden_.end(), [&](const Hidden& other) {
      return other.label.method == label.method &&
             std::equal(other.label.args.begin(), other.label.args.end(), label.args.begin(),
                        label.args.end());
    });
    Hidden& kind = same == hidden_.end() ? hidden_.emplace_back(Hidden{label}) : *same;
    ++kind.count;
  }

  void show(OperationId op, Needed needed) {
    const bool outcome = needed == Needed::outcome;
    const bool judged = outcome && h_.stuck && h_.fate[op] == Fate::pending;
    const std::uint64_t bit = shown_.size() < 64 ? std::uint64_t{1} << shown_.size() : 0;
    shown_.push_back({bound(h_, specification_, op, outcome), h_.call[op],
                      outcome ? h_.ret[op] : kNone, op, judged});
    if (judged) judged_ |= bit;
    if (outcome && h_.returned(op)) must_ |= bit;
  }

  // What has to come first.
  std::uint64_t before(std::size_t i) const {
    std::uint64_t all = 0;
    for (std::size_t j = 0; j < shown_.size(); ++j)
      if (j != i && (shown_[j].ret < shown_[i].call ||
                     (shown_[j].ret != kNone && h_.happens_before(shown_[j].op, shown_[i].op))))
        all |= std::uint64_t{1} << j;
    return all;
  }

  bool some_need_not_block() const {
    return std::any_of(shown_.begin(), shown_.end(), [&](const Shown& shown) {
      return shown.judged && std::all_of(ends_.begin(), ends_.end(), [&](StateId state) {
               std::vector<StateId> to;
               space_->step(state, shown.label, to);
               return !to.empty();
             });
    });
  }

  const History& h_;
  const Specification& specification_;
  std::unique_ptr<StateSpace> space_;
  std::vector<Shown> shown_;
  std::vector<Hidden> hidden_;
  std::uint64_t must_ = 0, judged_ = 0;
  std::set<StateId> ends_;  // after all that must be in an order
};

}  // namespace

Rechecked recheck_core(const History& history, ObjectId object, const Specification& specification,
                       std::optional<Value> initial, const std::vector<Needed>& needed) {
  return CoreProof(history, object, specification, initial, needed).run();
}

Rechecked recheck_order(const History& history,
                        const std::vector<const Specification*>& specifications,
                        std::optional<Value> initial, const std::vector<OperationId>& order) {
  const auto wrong = [&](OperationId op, const char* what) {
    return Rechecked{true,
                     fmt::format("{} in line {} {}", history.print(op), history.line[op], what)};
  };
  std::vector<bool> taken(history.size(), false);
  std::vector<std::unique_ptr<Replay>> objects;
  for (ObjectId object = 0; object < history.objects.size(); ++object)
    objects.push_back(
        specifications[object]->replay(initial ? initial : history.objects[object].initial));
  std::uint32_t latest_call = 0;
  for (const OperationId op : order) {
    if (taken[op]) return wrong(op, "is in the order twice");
    taken[op] = true;
    if (history.returned(op) && history.ret[op] < latest_call)
      return wrong(op, "returned before an operation that precedes it was called");
    if (const OperationId first = history.after_of(op); first != kNone && !taken[first])
      return wrong(op, "comes before an earlier one of its process");
    latest_call = std::max(latest_call, history.call[op]);
    const ObjectId object = history.object[op];
    if (!objects[object]->apply(bound(history, *specifications[object], op, true)))
      return wrong(op, "is not allowed there");
  }
  for (OperationId op = 0; op < history.size(); ++op)
    if (history.returned(op) && !taken[op]) return wrong(op, "is not in the order");
  return {};
}

}  // namespace plumb
