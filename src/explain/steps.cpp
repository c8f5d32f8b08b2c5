// SPDX-License-Identifier: MIT
#include "explain/steps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "explain/words.hpp"

namespace plumb::report {
namespace {

constexpr std::size_t kStateColumns = 400, kNamedResults = 5;
constexpr std::size_t kMostStateBytes = std::size_t{64} << 20;

std::string state_words(const StateSpace& space, StateId state) {
  return text::elide(space.print(state), kStateColumns);
}

// "1", "1 or empty": what the operation may return in that state.
std::string possible_words(const Specification& specification, StateSpace& space, StateId state,
                           BoundLabel label) {
  label.known = false;
  std::vector<std::string> named;
  for (const Value result : space.results(state, label)) {
    if (named.size() == kNamedResults) {
      named.push_back("others");
      break;
    }
    named.push_back(
        result_words(&specification, specification.methods()[label.method].name, result));
  }
  return text::list_words(named, "or");
}

bool is_legal(StateSpace& space, StateId state, const BoundLabel& label) {
  std::vector<StateId> next;
  space.step(state, label, next);
  return !next.empty();
}

// Depth first over (operations taken, state), each pair once, as in Wing & Gong's search; what is
// kept is the path that had taken in the most operations which had returned.
class LongestSearch {
 public:
  LongestSearch(const Story& story, const std::vector<OperationId>& ops, StateSpace& space,
                std::size_t max_steps)
      : story_(story), space_(space), ops_(ops), max_steps_(max_steps) {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      labels_.push_back(story.bound(ops_[i]));
      const std::uint64_t bit = std::uint64_t{1} << i;
      if (story.completed(ops_[i])) required_ |= bit;
      // Definition 2 of Line-Up: what is pending in a stuck history never takes effect.
      if (story.never_returns(ops_[i])) excluded_ |= bit;
      before_.push_back(0);
      for (std::size_t j = 0; j < ops_.size(); ++j)
        if (i != j && story.history().happens_before(ops_[j], ops_[i]))
          before_[i] |= std::uint64_t{1} << j;
    }
  }

  Order run() {
    extend(0, space_.initial());
    Order order;
    order.of = ops_;
    order.initial = state_words(space_, space_.initial());
    order.exhaustive = tried_ <= max_steps_;
    order.total = best_.size();
    std::uint64_t taken = 0;
    StateId state = space_.initial();
    for (const auto& [i, next] : best_) {
      order.steps.push_back({ops_[i], state_words(space_, next), refused(taken, state)});
      taken |= std::uint64_t{1} << i;
      state = next;
    }
    order.steps.push_back({kNone, "", refused(taken, state)});
    return order;
  }

 private:
  bool may_come(std::size_t i, std::uint64_t taken) const {
    return !((taken | excluded_) >> i & 1) && !(before_[i] & ~taken);
  }

  void extend(std::uint64_t taken, StateId state) {
    if (++tried_ > max_steps_ || !seen_.insert({taken, state}).second) return;
    const int returned = __builtin_popcountll(taken & required_);
    if (returned > most_) {
      most_ = returned;
      best_ = path_;
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (!may_come(i, taken)) continue;
      std::vector<StateId> next;
      space_.step(state, labels_[i], next);
      for (const StateId to : next) {
        path_.emplace_back(i, to);
        extend(taken | std::uint64_t{1} << i, to);
        path_.pop_back();
      }
    }
  }

  std::vector<OrderStep::Refused> refused(std::uint64_t taken, StateId state) {
    std::vector<OrderStep::Refused> all;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      // The culprit of a stuck history waits although it could return.
      const bool waits = story_.stuck() && ops_[i] == story_.culprit();
      if (!waits && (!may_come(i, taken) || is_legal(space_, state, labels_[i]))) continue;
      if (waits && (before_[i] & ~taken)) continue;
      all.push_back({ops_[i], possible_words(story_.specification(), space_, state, labels_[i])});
    }
    return all;
  }

  const Story& story_;
  StateSpace& space_;
  const std::vector<OperationId>& ops_;
  const std::size_t max_steps_;
  std::vector<BoundLabel> labels_;
  std::vector<std::uint64_t> before_;  // who must be taken first
  std::uint64_t required_ = 0, excluded_ = 0;
  std::vector<std::pair<std::size_t, StateId>> path_, best_;  // operation, state after it
  std::set<std::pair<std::uint64_t, StateId>> seen_;
  std::size_t tried_ = 0;
  int most_ = -1;
};

// One object on its way through a witness. The specification may be nondeterministic, so all states
// are followed, each with the one it came from; which of them it was, the last step tells.
class ObjectWalk {
 public:
  ObjectWalk(const Specification& specification, std::optional<Value> initial)
      : specification_(specification), space_(specification.states(initial)) {
    layers_.push_back({{space_->initial(), 0}});
  }

  BoundLabel bound(const History& history, OperationId op) const {
    return bound_label(specification_, history, history.label[op]);
  }
  bool take(const BoundLabel& label) {
    std::vector<Reached> next;
    std::vector<StateId> to;
    for (std::size_t i = 0; i < layers_.back().size(); ++i) {
      to.clear();
      space_->step(layers_.back()[i].state, label, to);
      for (const StateId state : to)
        if (std::none_of(next.begin(), next.end(), [&](auto& r) { return r.state == state; }))
          next.push_back({state, i});
    }
    if (next.empty()) return false;
    layers_.push_back(std::move(next));
    return true;
  }
  std::size_t bytes() const { return space_->bytes(); }

  // From then on `state` is the one after so many steps.
  void choose() {
    chosen_.resize(layers_.size());
    std::size_t at = 0;
    for (std::size_t layer = layers_.size(); layer-- > 0;) {
      chosen_[layer] = layers_[layer][at].state;
      at = layers_[layer][at].from;
    }
  }
  void go_on() { ++step_; }
  std::string words() const { return state_words(*space_, chosen_[step_]); }
  std::optional<std::string> refuses(const BoundLabel& label) {
    if (is_legal(*space_, chosen_[step_], label)) return std::nullopt;
    return possible_words(specification_, *space_, chosen_[step_], label);
  }

 private:
  struct Reached {
    StateId state;
    std::size_t from;  // in the layer before
  };
  const Specification& specification_;
  std::unique_ptr<StateSpace> space_;
  std::vector<std::vector<Reached>> layers_;
  std::vector<StateId> chosen_;
  std::size_t step_ = 0;
};

}  // namespace

std::optional<Order> longest_order(const Story& story, std::size_t max_steps) {
  const auto space = story.states();
  if (!space) return std::nullopt;
  const bool from_start = story.counterexample().left_state.empty();
  if (const std::vector<OperationId> all = story.linked(); from_start && all.size() <= 64) {
    Order order = LongestSearch(story, all, *space, max_steps).run();
    if (order.exhaustive) return order;
  }
  if (story.operations().size() > 64) return std::nullopt;
  return LongestSearch(story, story.operations(), *space, max_steps).run();
}

std::optional<Order> replay_order(const History& history,
                                  const std::function<const Specification*(ObjectId)>& of,
                                  const std::optional<Value>& initial,
                                  const std::vector<OperationId>& witness, std::size_t most) {
  std::map<ObjectId, ObjectWalk> walks;
  const auto walk = [&](ObjectId object) -> ObjectWalk* {
    const auto found = walks.find(object);
    if (found != walks.end()) return &found->second;
    const Specification* const specification = of(object);
    if (!specification) return nullptr;
    const std::optional<Value> start = initial ? initial : history.objects[object].initial;
    return &walks.try_emplace(object, *specification, start).first->second;
  };
  std::size_t size = 0;
  for (; size < std::min(witness.size(), most); ++size) {
    const OperationId op = witness[size];
    ObjectWalk* const here = walk(history.object[op]);
    if (!here || !here->take(here->bound(history, op))) return std::nullopt;
    if (here->bytes() > kMostStateBytes) most = size + 1;
  }
  for (auto& [object, one] : walks) one.choose();

  Order order;
  order.total = witness.size();
  std::vector<bool> taken(history.size());
  // What nothing but the specification keeps from coming next: it was called before the first
  // return of what has not come yet.
  const auto refused = [&] {
    std::vector<OrderStep::Refused> all;
    std::uint32_t first_return = kNone;
    for (OperationId op = 0; op < history.size() && history.call[op] < first_return; ++op) {
      if (taken[op]) continue;
      if (history.returned(op)) first_return = std::min(first_return, history.ret[op]);
      const auto here = walks.find(history.object[op]);
      if (here == walks.end() || !history.returned(op)) continue;
      if (auto possible = here->second.refuses(here->second.bound(history, op)))
        all.push_back({op, *std::move(possible)});
    }
    return all;
  };
  const bool several = history.objects.size() > 1;
  const auto named = [&](ObjectId object, std::string state) {
    return several ? history.objects[object].name.to_string() + ": " + state : state;
  };
  if (size > 0) {
    const ObjectId first = history.object[witness[0]];
    order.initial = named(first, walks.at(first).words());
  }
  for (std::size_t i = 0; i < size; ++i) {
    const OperationId op = witness[i];
    ObjectWalk& here = walks.at(history.object[op]);
    OrderStep step{op, "", refused()};
    here.go_on();
    taken[op] = true;
    step.state = named(history.object[op], here.words());
    order.steps.push_back(std::move(step));
  }
  order.steps.push_back({kNone, "", size == witness.size() ? refused() : decltype(refused()){}});
  return order;
}

}  // namespace plumb::report
