// SPDX-License-Identifier: MIT
// Runs a specification by hand: drive.step("enq", {1}, result) in the tests.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "plumb/specification.hpp"

namespace plumb {

inline Value I(std::int64_t i) { return Value::integer(i); }
inline Value B(bool b) { return Value::boolean(b); }
inline Value S(std::string_view s) { return Value::string(s); }
inline Value L(std::initializer_list<Value> items) { return Value::list(items); }
inline Value ints(std::initializer_list<int> numbers) {
  std::vector<Value> items;
  for (const int n : numbers) items.push_back(I(n));
  return Value::list(items);
}
inline const Value kNil;

inline BoundLabel label_of(const Specification& spec, std::string_view method,
                           const std::vector<Value>& args, std::optional<Value> result) {
  const auto id = spec.find(method);
  if (!id) throw std::logic_error(spec.name() + " has no method " + std::string(method));
  return {*id, args, result.value_or(Value::nil()), result.has_value()};
}

/// All states that a serial history can lead to. Uses both the state space and the replay, and
/// complains where they disagree.
class Drive {
 public:
  explicit Drive(const Specification& spec, std::optional<Value> initial = {})
      : spec_(spec), space_(spec.states(initial)),
        replay_(spec.replay(initial)), now_{space_->initial()} {}

  /// Whether the operation is legal; if so it is done.
  bool legal(std::string_view method, const std::vector<Value>& args, std::optional<Value> result) {
    return legal(label_of(spec_, method, args, result));
  }
  bool legal(const BoundLabel& label) {
    if (const std::string why = spec_.reject(label); !why.empty()) throw std::logic_error(why);
    std::vector<StateId> next;
    for (const StateId from : now_) {
      std::vector<StateId> to;
      space_->step(from, label, to);
      for (const StateId id : to)
        if (std::find(next.begin(), next.end(), id) == next.end()) next.push_back(id);
    }
    if (replay_->apply(label) == next.empty())
      throw std::logic_error("state space and replay disagree in " + replay_->print());
    if (next.empty()) return false;
    now_ = next;
    return true;
  }
  /// The only result that the operation can have, which is then done.
  Value run(std::string_view method, const std::vector<Value>& args = {}) {
    const auto all = results(method, args);
    if (all.size() != 1) throw std::logic_error(std::to_string(all.size()) + " results");
    if (!legal(method, args, all.front())) throw std::logic_error("its own result is not legal");
    return all.front();
  }
  std::vector<Value> results(std::string_view method, const std::vector<Value>& args = {}) {
    std::vector<Value> all;
    for (const StateId from : now_)
      for (const Value v : space_->results(from, label_of(spec_, method, args, {})))
        if (std::find(all.begin(), all.end(), v) == all.end()) all.push_back(v);
    return all;
  }
  bool blocked(std::string_view method, const std::vector<Value>& args = {}) {
    const BoundLabel label = label_of(spec_, method, args, {});
    std::vector<StateId> to;
    for (const StateId from : now_) space_->step(from, label, to);
    if (now_.size() == 1 && replay_->blocked(label) != to.empty())
      throw std::logic_error("state space and replay disagree about blocking");
    return to.empty();
  }
  std::string print() const { return space_->print(now_.front()); }
  std::string replay_print() const { return replay_->print(); }
  StateSpace& space() { return *space_; }
  const std::vector<StateId>& now() const { return now_; }

 private:
  const Specification& spec_;
  std::unique_ptr<StateSpace> space_;
  std::unique_ptr<Replay> replay_;
  std::vector<StateId> now_;
};

inline const Specification& named(std::string_view name) {
  const Specification* spec = find_specification(name);
  if (!spec) throw std::logic_error("no specification " + std::string(name));
  return *spec;
}

/// Why the label is rejected.
inline std::string rejected(const Specification& spec, std::string_view method,
                            const std::vector<Value>& args, std::optional<Value> result = {}) {
  return spec.reject(label_of(spec, method, args, result));
}

}  // namespace plumb
