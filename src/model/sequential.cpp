// SPDX-License-Identifier: MIT
#include "model/sequential.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::model {

Sequential::Sequential(const Program& program, const std::vector<Cell>& initial)
    : program_(program), machine_(program) {
  number_of(initial);
}

std::uint32_t Sequential::number_of(std::vector<Cell> cells) {
  const auto [at, fresh] =
      numbers_.emplace(std::move(cells), static_cast<std::uint32_t>(states_.size()));
  if (fresh) states_.push_back(&at->first);
  return at->second;
}

const std::vector<Sequential::Outcome>& Sequential::outcomes(std::uint32_t state, CallNumber call) {
  auto& known = outcomes_[std::uint64_t{state} << 32 | call];
  if (!known) {
    known = std::make_unique<std::vector<Outcome>>();
    if (!fault_)
      for (Machine::Outcome& o : machine_.specified(*states_[state], program_.calls[call], fault_))
        known->push_back({number_of(std::move(o.state)), o.result});
  }
  return *known;
}

Value value_of(const Program& program, const Type& type, Cell cell) {
  if (type.kind == Type::boolean) return Value::boolean(cell != 0);
  if (type.kind == Type::integer) return Value::integer(cell);
  return Value::string(words_of(program, type, cell));
}

std::string words_of(const Program& program, const Type& type, Cell cell) {
  switch (type.kind) {
    case Type::integer:
    case Type::boolean: return value_of(program, type, cell).to_string();
    case Type::enumeration: return program.enumerations[type.id][static_cast<std::size_t>(cell)];
    case Type::pointer: return cell ? program.pools[type.id].name + std::to_string(cell) : "null";
    case Type::record: break;
  }
  std::string words;
  for (const Variable& v : program.records[type.id].fields) {
    const Cell field = cell / v.first % (v.type.high - v.type.low + 1) + v.type.low;
    words += fmt::format("{}{}: {}", words.empty() ? "" : ", ", v.name,
                         words_of(program, v.type, field));
  }
  return "(" + words + ")";
}

std::string cell_words(const Variable& variable, Cell index) {
  if (!variable.field.empty())
    return fmt::format("{}{}.{}", variable.name, index + 1, variable.field);
  return variable.array ? fmt::format("{}[{}]", variable.name, index) : variable.name;
}

namespace {

Value result_of(const Program& program, std::uint32_t op, Cell result) {
  const Op& o = program.ops[op];
  return o.returns_value ? value_of(program, o.result, result) : Value::nil();
}

std::string print_state(const Program& program, const std::vector<Cell>& cells) {
  std::string out;
  for (const Variable& v : program.spec_variables) {
    if (!out.empty()) out += ", ";
    out += v.name + " = ";
    if (v.array) out += "[";
    for (Cell i = 0; i < v.size; ++i) {
      if (i) out += ",";
      out += value_of(program, v.type, cells[static_cast<std::size_t>(v.first + i)]).to_string();
    }
    if (v.array) out += "]";
  }
  return out;
}

// Labels come with values; calls are numbered. Only calls that some client makes are known.
std::optional<CallNumber> call_of(const Program& program, const BoundLabel& label) {
  for (CallNumber i = 0; i < program.calls.size(); ++i) {
    const ConcreteCall& call = program.calls[i];
    if (call.op != label.method || call.args.size() != label.args.size()) continue;
    bool same = true;
    for (std::size_t a = 0; a < call.args.size(); ++a)
      same = same && value_of(program, program.ops[call.op].parameters[a].type, call.args[a]) ==
                         label.args[a];
    if (same) return i;
  }
  return {};
}

class ModelStates final : public StateSpace {
 public:
  ModelStates(const Program& program, const std::vector<Cell>& initial)
      : program_(program), sequential_(program, initial) {}

  StateId initial() override { return Sequential::kInitial; }
  void step(StateId from, const BoundLabel& label, std::vector<StateId>& to) override {
    const auto call = call_of(program_, label);
    if (!call) return;
    const std::size_t begin = to.size();
    for (const Sequential::Outcome& o : sequential_.outcomes(from, *call))
      if ((!label.known || result_of(program_, label.method, o.result) == label.result) &&
          std::find(to.begin() + static_cast<std::ptrdiff_t>(begin), to.end(), o.state) == to.end())
        to.push_back(o.state);
  }
  std::string print(StateId state) const override {
    return print_state(program_, sequential_.cells(state));
  }
  std::size_t size() const override { return sequential_.size(); }
  std::size_t bytes() const override {
    return sequential_.size() * (program_.initial_spec.size() * sizeof(Cell) + 100);
  }
  std::unique_ptr<StateSpace> fork(StateId state) const override {
    return std::make_unique<ModelStates>(program_, sequential_.cells(state));
  }
  std::vector<Value> results(StateId from, const BoundLabel& label) override {
    std::vector<Value> all;
    if (const auto call = call_of(program_, label))
      for (const Sequential::Outcome& o : sequential_.outcomes(from, *call)) {
        const Value result = result_of(program_, label.method, o.result);
        if (std::find(all.begin(), all.end(), result) == all.end()) all.push_back(result);
      }
    return all;
  }

 private:
  const Program& program_;
  Sequential sequential_;
};

// A set of states, because the specification may be nondeterministic.
class ModelReplay final : public Replay {
 public:
  explicit ModelReplay(const Program& program)
      : states_(program, program.initial_spec), now_{Sequential::kInitial} {}
  bool apply(const BoundLabel& label) override {
    std::vector<StateId> next;
    for (const StateId state : now_) states_.step(state, label, next);
    if (next.empty()) return false;
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    now_ = std::move(next);
    return true;
  }
  bool blocked(const BoundLabel& label) override {
    for (const StateId state : now_) {
      std::vector<StateId> next;
      states_.step(state, label, next);
      if (next.empty()) return true;
    }
    return false;
  }
  std::string print() const override { return states_.print(now_.front()); }

 private:
  ModelStates states_;
  std::vector<StateId> now_;
};

class ModelSpecification final : public Specification {
 public:
  explicit ModelSpecification(const Program& program) : program_(program) {
    for (const Op& op : program.ops) {
      Method method;
      method.name = op.name;
      for (const Variable& p : op.parameters) method.args.push_back(p.name);
      method.result = op.returns_value ? "value" : "nil";
      method.returns_nothing = !op.returns_value;
      method.blocks = true;
      methods_.push_back(std::move(method));
    }
  }
  const std::string& name() const override { return program_.object; }
  std::span<const Method> methods() const override { return methods_; }
  std::string reject(const BoundLabel& label) const override {
    return call_of(program_, label) ? "" : "no client makes such a call";
  }
  std::string reject_initial(Value) const override { return "a model has its own initial state"; }
  std::unique_ptr<StateSpace> states(std::optional<Value>) const override {
    return std::make_unique<ModelStates>(program_, program_.initial_spec);
  }
  std::unique_ptr<Replay> replay(std::optional<Value>) const override {
    return std::make_unique<ModelReplay>(program_);
  }
  bool pure(const BoundLabel&) const override { return false; }
  std::vector<Value> keys(const BoundLabel&) const override { return {}; }
  Traffic traffic(const BoundLabel&) const override { return {}; }
  std::optional<std::vector<Value>> initial_values(std::optional<Value>) const override {
    return {};
  }

 private:
  const Program& program_;
  std::vector<Method> methods_;
};

}  // namespace

std::unique_ptr<Specification> make_specification(const Program& program) {
  return std::make_unique<ModelSpecification>(program);
}

}  // namespace plumb::model
