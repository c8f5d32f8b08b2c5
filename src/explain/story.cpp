// SPDX-License-Identifier: MIT
#include "explain/story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "explain/words.hpp"

namespace plumb::report {
namespace {

// No keys: the whole object.
bool shares(const std::vector<Value>& a, const std::vector<Value>& b) {
  return a.empty() || b.empty() ||
         std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

Story::Story(const History& history, const Specification& specification,
             const Counterexample& counterexample, std::optional<Value> initial)
    : history_(history), specification_(specification), counterexample_(counterexample),
      initial_(initial), cut_(history.ret[counterexample.culprit]) {
  for (const OperationId op : counterexample.operations)
    if (history.call[op] <= cut_) operations_.push_back(op);
  const ObjectId object = history.object[culprit()];
  if (!initial_) initial_ = history.objects[object].initial;
  const std::vector<Value>& own = keys(culprit());
  for (OperationId op = 0; op < history.size(); ++op) {
    if (history.object[op] != object || history.call[op] > cut_) continue;
    here_.push_back(op);
    if (shares(own, keys(op))) concerned_.push_back(op);
  }
  std::set_intersection(concerned_.begin(), concerned_.end(), operations().begin(),
                        operations().end(), std::back_inserter(shown_concerned_));
}

std::unique_ptr<StateSpace> Story::states() const {
  const Counterexample& c = counterexample_;
  if (c.left_state.empty()) return specification_.states(initial_);
  return c.left_space ? c.left_space->fork(c.left_space_state) : nullptr;
}

// Labels are few, operations many: each label is asked once.
const std::vector<Value>& Story::keys(OperationId op) const {
  if (keys_.empty()) keys_.resize(history_.labels.size());
  auto& slot = keys_[history_.label[op]];
  if (!slot) slot = specification_.keys(bound(op));
  return *slot;
}

std::vector<OperationId> Story::linked() const {
  std::vector<Value> reached = keys(culprit());
  // Where clocks err, the order within a process may link any two.
  if (reached.empty() || !history_.after.empty()) return here_;
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const OperationId op : here_) {
      const std::vector<Value>& more = keys(op);
      if (more.empty()) return here_;
      if (!shares(reached, more)) continue;
      for (const Value key : more)
        if (std::find(reached.begin(), reached.end(), key) == reached.end()) reached.push_back(key);
    }
  }
  std::vector<OperationId> all;
  for (const OperationId op : here_)
    if (shares(reached, keys(op))) all.push_back(op);
  return all;
}

BoundLabel bound_label(const Specification& specification, const History& history, LabelId id) {
  const Label& label = history.labels[id];
  const Call call = history.calls[label.call];
  BoundLabel out;
  out.method = specification.find(call.method).value_or(0);
  out.args = call.args;
  out.known = label.known;
  if (out.known) out.result = label.result;
  // A method whose nil says nothing has an unknown result although it returned.
  if (out.known && out.result.is_nil() && specification.methods()[out.method].nil_is_unrecorded)
    out.known = false;
  return out;
}

BoundLabel Story::bound(OperationId op) const {
  return bound_label(specification_, history_, history_.label[op]);
}

const Method& Story::method(OperationId op) const {
  return specification_.methods()[specification_.find(history_.call_of(op).method).value_or(0)];
}

bool Story::shown(OperationId op) const {
  return std::binary_search(operations().begin(), operations().end(), op);
}

std::string Story::where(OperationId op) const {
  const auto looks_alike = [&](OperationId other) {
    return other != op &&
           history_.labels[history_.label[other]].call == history_.labels[history_.label[op]].call;
  };
  if (shown(op) && std::none_of(operations().begin(), operations().end(), looks_alike)) return {};
  if (history_.line[op] != 0) return " (line " + std::to_string(history_.line[op]) + ")";
  std::string process = " of process " + words(history_.processes[history_.process[op]]);
  // One process may have called the same several times.
  const auto same = [&](OperationId other) {
    return other == op || (looks_alike(other) && history_.process[other] == history_.process[op]);
  };
  const auto all = std::count_if(operations().begin(), operations().end(), same);
  const auto at = std::find(operations().begin(), operations().end(), op);
  if (all < 2 || at == operations().end()) return process;
  const auto before = std::count_if(operations().begin(), at, same);
  return process + (before == 0        ? " (the first)"
                    : before + 1 < all ? fmt::format(" (number {})", before + 1)
                    : all == 2         ? " (the second)"
                                       : " (the last)");
}

std::string Story::name(OperationId op) const { return call_words(history_, op) + where(op); }

std::string Story::result(OperationId op, Value value) const {
  return result_words(&specification_, history_.call_of(op).method, value);
}

std::string Story::returned(OperationId op) const {
  return name(op) + " returned " + result(op, history_.labels[history_.label[op]].result);
}

std::string Story::outcome(OperationId op) const {
  if (!completed(op) || method(op).returns_nothing) return name(op);
  return call_words(history_, op) + " = " + result(op, history_.labels[history_.label[op]].result) +
         where(op);
}

}  // namespace plumb::report
