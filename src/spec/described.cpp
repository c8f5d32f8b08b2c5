// SPDX-License-Identifier: MIT
// The table that engines see, over a user's class whose type is erased.
//
// A step copies the state into a scratch object, runs the method there, compares the result with
// the recorded one and looks the new state up among those that were met: only a new state is
// copied again. A const method runs on the state itself. A method that chooses runs once for each
// sequence of choices (script.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "plumb/describe.hpp"
#include "spec/script.hpp"

namespace plumb::detail {
namespace {

/// An object of the user's class.
class State {
 public:
  State(const StateType& type, void* object) : type_(&type), object_(object) {}
  State(const State& other) : type_(other.type_), object_(type_->clone(other.object_)) {}
  State(State&& other) noexcept : type_(other.type_), object_(std::exchange(other.object_, {})) {}
  State& operator=(const State& other) {
    if (this != &other) type_->assign(object_, other.object_);
    return *this;
  }
  State& operator=(State&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~State() {
    if (object_) type_->destroy(object_);
  }
  bool operator==(const State& other) const { return type_->equal(object_, other.object_); }
  std::uint64_t hash() const { return type_->hash(object_); }
  std::string print() const { return type_->print(object_); }
  std::size_t bytes() const { return type_->bytes(object_); }
  void* object() { return object_; }

 private:
  const StateType* type_;
  void* object_;
};

std::string print_call(const Method& method, std::span<const Value> args) {
  std::string text = method.name + "(";
  for (std::size_t i = 0; i < args.size(); ++i) text += (i ? ", " : "") + args[i].to_string();
  return text + ")";
}

/// One label, ready to run: the result that it must have is in the form in which the method's C++
/// type gives it.
class Step {
 public:
  Step(const Described& table, const BoundLabel& label)
      : table_(table), label_(label), code_(table.code(label.method)) {
    if (table.decided(label) && code_.normal_result) wanted_ = code_.normal_result(label.result);
  }

  bool is_const() const { return code_.is_const; }
  std::optional<Value> wanted() const { return wanted_; }
  bool accepts(Value result) const { return !wanted_ || result == *wanted_; }

  /// Runs the method; nothing: it blocks.
  std::optional<Value> run(State& on, Script& script) const {
    const Script::Running running(script);
    try {
      return code_.run(on.object(), label_.args);
    } catch (const Blocked&) { return std::nullopt; } catch (const std::exception& e) {
      fail(e.what());
    } catch (...) { fail("an exception of a non-standard kind"); }
  }

  /// Calls visit(result, state after it) for every way in which the method can return.
  template <class Visit>
  void explore(State& from, State& scratch, std::optional<Value> expected, Visit visit) const {
    Script script(expected);
    do {
      if (!is_const()) scratch = std::as_const(from);
      State& on = is_const() ? from : scratch;
      if (const std::optional<Value> result = run(on, script)) visit(*result, on);
    } while (script.advance());
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw SpecificationError(fmt::format("{} of the specification {} threw: {}",
                                         print_call(table_.methods()[label_.method], label_.args),
                                         table_.name(), what));
  }

  const Described& table_;
  const BoundLabel& label_;
  const MethodCode& code_;
  std::optional<Value> wanted_;
};

class DescribedStates final : public StateSpace {
 public:
  DescribedStates(const Described& table, State initial)
      : table_(table), scratch_(std::move(initial)), slots_(64, kFree) {
    intern(scratch_);
  }

  StateId initial() override { return 0; }
  std::unique_ptr<StateSpace> fork(StateId state) const override {
    return std::make_unique<DescribedStates>(table_, states_[state]);
  }

  void step(StateId from, const BoundLabel& label, std::vector<StateId>& to) override {
    const Step step(table_, label);
    const std::size_t begin = to.size();
    step.explore(states_[from], scratch_, step.wanted(), [&](Value result, const State& after) {
      if (!step.accepts(result)) return;
      const StateId id = step.is_const() ? from : intern(after);
      if (std::find(to.begin() + static_cast<std::ptrdiff_t>(begin), to.end(), id) == to.end())
        to.push_back(id);
    });
  }

  std::vector<Value> results(StateId from, const BoundLabel& label) override {
    std::vector<Value> all;
    Step(table_, label).explore(states_[from], scratch_, {}, [&](Value result, const State&) {
      if (std::find(all.begin(), all.end(), result) == all.end()) all.push_back(result);
    });
    return all;
  }

  std::string print(StateId state) const override { return states_[state].print(); }
  std::size_t size() const override { return states_.size(); }
  std::size_t bytes() const override {
    return bytes_ + states_.size() * sizeof(State) + hashes_.capacity() * sizeof(std::uint64_t) +
           slots_.capacity() * sizeof(StateId);
  }

 private:
  static constexpr StateId kFree = 0xffffffffu;

  StateId intern(const State& state) {
    const std::uint64_t hash = state.hash();
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] != kFree; at = (at + 1) & (slots_.size() - 1))
      if (hashes_[slots_[at]] == hash && states_[slots_[at]] == state) return slots_[at];
    const auto id = static_cast<StateId>(states_.size());
    states_.push_back(state);
    hashes_.push_back(hash);
    bytes_ += state.bytes();
    slots_[at] = id;
    if (states_.size() * 2 > slots_.size()) grow();
    return id;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kFree);
    for (StateId id = 0; id < states_.size(); ++id) {
      std::size_t at = hashes_[id] & (slots_.size() - 1);
      while (slots_[at] != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id;
    }
  }

  const Described& table_;
  State scratch_;
  std::deque<State> states_;  // a step holds a reference while it adds others
  std::vector<std::uint64_t> hashes_;
  std::vector<StateId> slots_;  // open addressing, at most half full
  std::size_t bytes_ = 0;
};

/// Works in place, because a copy of a long queue for each of a million operations would be
/// quadratic. An operation that turns out not to be legal has then spoilt the state: it is rebuilt
/// from a copy made some operations ago and the operations since. Once a method chooses, there are
/// several states at a time, and every step copies.
class DescribedReplay final : public Replay {
 public:
  DescribedReplay(const Described& table, const State& initial)
      : table_(table), states_{initial}, scratch_(initial), saved_(initial) {}

  bool apply(const BoundLabel& label) override {
    const Step step(table_, label);
    if (step.is_const() || copying_) return apply_to_copies(step);
    Script script(step.wanted());
    const std::optional<Value> result = step.run(states_.front(), script);
    if (script.has_choices()) {
      restore();
      copying_ = true;
      return apply_to_copies(step);
    }
    if (!result || !step.accepts(*result)) {
      restore();
      return false;
    }
    since_.push_back({{label.args.begin(), label.args.end()}, label});
    if (since_.size() >= std::max<std::size_t>(64, states_.front().bytes() / 16)) {
      saved_ = std::as_const(states_.front());
      since_.clear();
    }
    return true;
  }

  bool blocked(const BoundLabel& label) override {
    const Step step(table_, label);
    for (State& from : states_) {
      bool returns = false;
      step.explore(from, scratch_, {}, [&](Value, const State&) { returns = true; });
      if (!returns) return true;
    }
    return false;
  }

  std::string print() const override {
    std::string text;
    for (const State& state : states_) text += (text.empty() ? "" : " or ") + state.print();
    return text;
  }

 private:
  struct Applied {
    std::vector<Value> args;
    BoundLabel label;
  };

  bool apply_to_copies(const Step& step) {
    std::vector<State> next;
    std::vector<bool> legal;  // of a const method: which states remain
    for (State& from : states_) {
      bool any = false;
      step.explore(from, scratch_, step.wanted(), [&](Value result, const State& after) {
        if (!step.accepts(result)) return;
        any = true;
        if (!step.is_const() && std::find(next.begin(), next.end(), after) == next.end())
          next.push_back(after);
      });
      legal.push_back(any);
    }
    if (std::find(legal.begin(), legal.end(), true) == legal.end()) return false;
    if (!step.is_const()) {
      states_ = std::move(next);
    } else {
      std::size_t i = 0;
      std::erase_if(states_, [&](const State&) { return !legal[i++]; });
    }
    return true;
  }

  void restore() {
    states_.front() = std::as_const(saved_);
    for (Applied& applied : since_) {
      applied.label.args = applied.args;
      const Step step(table_, applied.label);
      Script script(step.wanted());
      step.run(states_.front(), script);
    }
  }

  const Described& table_;
  std::vector<State> states_;
  State scratch_;
  State saved_;
  std::vector<Applied> since_;
  bool copying_ = false;
};

}  // namespace

Described::Described(std::string name, const StateType& type)
    : name_(std::move(name)), type_(type) {}
Described::~Described() = default;

void Described::add(Method method, MethodCode code) {
  methods_.push_back(std::move(method));
  code_.push_back(std::move(code));
}

Method& Described::last_method() {
  if (methods_.empty())
    throw std::logic_error(name_ + ": .method(...) must come before what is said about it");
  return methods_.back();
}

MethodCode& Described::last_code() {
  last_method();
  return code_.back();
}

bool Described::decided(const BoundLabel& label) const {
  const Method& method = methods_[label.method];
  return label.known && !method.returns_nothing &&
         !(method.nil_is_unrecorded && label.result.is_nil());
}

std::string Described::reject(const BoundLabel& label) const {
  const Method& method = methods_[label.method];
  const MethodCode& code = code_[label.method];
  const std::size_t most = method.args.size(), least = most - method.optional_args;
  if (label.args.size() < least || label.args.size() > most) {
    const std::string count =
        least == most ? fmt::to_string(most) : fmt::format("{} to {}", least, most);
    const std::string names = most ? fmt::format(" ({})", fmt::join(method.args, ", ")) : "";
    return fmt::format("{} takes {} argument{}{}, got {}", method.name, most ? count : "no",
                       most == 1 && least == 1 ? "" : "s", names, label.args.size());
  }
  for (std::size_t i = 0; i < label.args.size(); ++i)
    if (const std::string expected = code.refuse_argument[i](label.args[i]); !expected.empty())
      return fmt::format("argument {} of {} must be {}, got {}", i + 1, method.name, expected,
                         label.args[i].to_string());
  if (!label.known) return {};
  if (method.returns_nothing) {
    // Recorders write what their language has for "done".
    static const Value kOk = Value::string("ok");
    if (label.result.is_nil() || label.result == Value::boolean(true) || label.result == kOk)
      return {};
    return fmt::format("{} returns nothing, got {}", method.name, label.result.to_string());
  }
  if (method.nil_is_unrecorded && label.result.is_nil()) return {};
  if (const std::string expected = code.refuse_result(label.result); !expected.empty())
    return fmt::format("{} returns {}, got {}", method.name, expected, label.result.to_string());
  return {};
}

std::string Described::reject_initial(Value initial) const {
  try {
    const std::string expected = type_.refuse_initial(initial);
    if (!expected.empty())
      return fmt::format("the initial value of {} must be {}, got {}", name_, expected,
                         initial.to_string());
    type_.destroy(type_.create(initial));
    return {};
  } catch (const std::exception& e) {
    return fmt::format("the initial value {} of {}: {}", initial.to_string(), name_, e.what());
  }
}

std::unique_ptr<StateSpace> Described::states(std::optional<Value> initial) const {
  return std::make_unique<DescribedStates>(*this, State(type_, type_.create(initial)));
}

std::unique_ptr<Replay> Described::replay(std::optional<Value> initial) const {
  return std::make_unique<DescribedReplay>(*this, State(type_, type_.create(initial)));
}

bool Described::pure(const BoundLabel& label) const {
  const MethodCode& code = code_[label.method];
  if (code.is_const) return true;
  return code.pure_when && decided(label) && code.pure_when(label.args, label.result);
}

std::vector<Value> Described::keys(const BoundLabel& label) const {
  if (const auto& keys = code_[label.method].keys) return keys(label.args);
  std::vector<Value> all;
  for (const std::size_t i : methods_[label.method].key_args)
    if (i < label.args.size()) all.push_back(label.args[i]);
  return all;
}

Traffic Described::traffic(const BoundLabel& label) const {
  const auto& traffic = code_[label.method].traffic;
  return traffic ? traffic(label.args, label.result, decided(label)) : Traffic{};
}

std::optional<std::vector<Value>> Described::initial_values(std::optional<Value> initial) const {
  if (!initial_values_) return std::nullopt;
  return initial_values_(initial);
}

}  // namespace plumb::detail
