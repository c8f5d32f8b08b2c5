// SPDX-License-Identifier: MIT
#include "model/code/sequential.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "plumb/nondeterminism.hpp"

namespace plumb::model {

Sequential::Sequential(const Program& program, const std::vector<Cell>& initial)
    : other_(program.spec_model.get()), machine_(other_ ? other_->program : program),
      calls_(program.calls) {
  for (CallNumber i = 0; i < calls_.size(); ++i)
    call_numbers_.emplace(std::pair(calls_[i].op, calls_[i].args), i);
  number_of(initial);
}

CallNumber Sequential::number_of(const ConcreteCall& call) {
  const auto [at, fresh] =
      call_numbers_.emplace(std::pair(call.op, call.args), static_cast<CallNumber>(calls_.size()));
  if (fresh) calls_.push_back(call);
  return at->second;
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
      for (Machine::Outcome& o : find_outcomes(*states_[state], calls_[call]))
        known->push_back({number_of(std::move(o.state)), o.result});
  }
  return *known;
}

std::vector<Machine::Outcome> Sequential::find_outcomes(const std::vector<Cell>& state,
                                                        const ConcreteCall& call) {
  return other_ ? machine_.alone(state, {other_->ops[call.op], call.args}, fault_)
                : machine_.specified(state, call, fault_);
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
    case Type::process: return cell ? "process " + std::to_string(cell - 1) : "null";
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

// "top = Node1, Node1.value = 2"
std::string print_shared(const Program& program, const std::vector<Cell>& cells) {
  std::string out;
  for (const Variable& v : program.shared)
    for (Cell i = 0; i < v.size; ++i) {
      if (v.name.empty() || unused(program, v, i, cells.data())) continue;
      const auto at = static_cast<std::size_t>(v.first) + static_cast<std::size_t>(i);
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", cell_words(v, i),
                         words_of(program, v.type, cells[at]));
    }
  return out;
}

std::string print_state(const Program& program, const std::vector<Cell>& cells) {
  if (program.spec_model) return print_shared(program.spec_model->program, cells);
  std::string out;
  for (const Variable& v : program.spec_variables) {
    if (!out.empty()) out += ", ";
    out += v.name + " = ";
    if (v.array) out += "[";
    for (Cell i = 0; i < v.size; ++i) {
      if (i) out += ",";
      out += value_of(program, v.type,
                      cells[static_cast<std::size_t>(v.first) + static_cast<std::size_t>(i)])
                 .to_string();
    }
    if (v.array) out += "]";
  }
  return out;
}

std::string values_of(const Program& program, const Type& type) {
  if (type.kind == Type::boolean) return "true or false";
  if (type.kind == Type::integer) return fmt::format("in {}..{}", type.low, type.high);
  if (type.kind == Type::enumeration)
    return fmt::format("one of {}", fmt::join(program.enumerations[type.id], ", "));
  return fmt::format("like {}", words_of(program, type, type.low));
}

// The inverse of words_of: reads a cell from the beginning of the text, and takes it away.
std::optional<Cell> read_cell(const Program& program, const Type& type, std::string_view& text) {
  const auto take = [&](std::string_view word) {
    const bool there = text.starts_with(word);
    if (there) text.remove_prefix(word.size());
    return there;
  };
  if (type.kind == Type::record) {
    std::int64_t cell = 0;
    std::string_view before = "(";
    for (const Variable& v : program.records[type.id].fields) {
      if (!take(before) || !take(v.name) || !take(": ")) return {};
      const auto field = read_cell(program, v.type, text);
      if (!field) return {};
      cell += std::int64_t{*field - v.type.low} * v.first;
      before = ", ";
    }
    return take(")") ? std::optional<Cell>(static_cast<Cell>(cell)) : std::nullopt;
  }
  const std::string_view word = text.substr(0, text.find_first_of(",)"));
  text.remove_prefix(word.size());
  if (type.kind == Type::integer) {
    Cell cell = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), cell);
    const bool good = error == std::errc() && end == word.data() + word.size() &&
                      cell >= type.low && cell <= type.high;
    return good ? std::optional<Cell>(cell) : std::nullopt;
  }
  for (Cell cell = type.low; cell <= type.high; ++cell)
    if (words_of(program, type, cell) == word) return cell;
  return {};
}

// The inverse of value_of.
std::optional<Cell> cell_of(const Program& program, const Type& type, Value value) {
  if (type.kind == Type::boolean)
    return value.is_boolean() ? std::optional<Cell>(value.as_boolean()) : std::nullopt;
  if (type.kind == Type::integer) {
    if (!value.is_integer() || value.as_integer() < type.low || value.as_integer() > type.high)
      return {};
    return static_cast<Cell>(value.as_integer());
  }
  if (!value.is_string()) return {};
  std::string_view text = value.as_text();
  const auto cell = read_cell(program, type, text);
  return text.empty() ? cell : std::nullopt;
}

// Labels come with values, calls with cells. Nothing: an argument is not of its type.
std::optional<ConcreteCall> call_of(const Program& program, const BoundLabel& label) {
  const std::vector<Variable>& parameters = program.ops[label.method].parameters;
  if (parameters.size() != label.args.size()) return {};
  ConcreteCall call{label.method, {}};
  for (std::size_t a = 0; a < parameters.size(); ++a) {
    const auto cell = cell_of(program, parameters[a].type, label.args[a]);
    if (!cell) return {};
    call.args.push_back(*cell);
  }
  return call;
}

// Why an operation cannot have these arguments or this result; empty if it can.
std::string reject_label(const Program& program, const BoundLabel& label) {
  const Op& op = program.ops[label.method];
  if (label.args.size() != op.parameters.size())
    return fmt::format("it takes {} arguments, not {}", op.parameters.size(), label.args.size());
  for (std::size_t a = 0; a < op.parameters.size(); ++a) {
    const Variable& p = op.parameters[a];
    if (!cell_of(program, p.type, label.args[a]))
      return fmt::format("{} is {}, but must be {}", p.name, label.args[a].to_string(),
                         values_of(program, p.type));
  }
  if (!label.known) return {};
  if (!op.returns_value && !label.result.is_nil())
    return fmt::format("it returns nothing, not {}", label.result.to_string());
  const bool kind = op.result.kind == Type::boolean   ? label.result.is_boolean()
                    : op.result.kind == Type::integer ? label.result.is_integer()
                                                      : label.result.is_string();
  if (op.returns_value && !kind)
    return fmt::format(
        "its result is {}, but must be {}", label.result.to_string(),
        op.result.kind == Type::integer ? "a number" : values_of(program, op.result));
  return {};
}

class ModelStates final : public StateSpace {
 public:
  ModelStates(const Program& program, const std::vector<Cell>& initial)
      : program_(program), sequential_(program, initial) {}

  StateId initial() override { return Sequential::kInitial; }
  void step(StateId from, const BoundLabel& label, std::vector<StateId>& to) override {
    const std::size_t begin = to.size();
    for (const Sequential::Outcome& o : outcomes(from, label))
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
    for (const Sequential::Outcome& o : outcomes(from, label)) {
      const Value result = result_of(program_, label.method, o.result);
      if (std::find(all.begin(), all.end(), result) == all.end()) all.push_back(result);
    }
    return all;
  }

 private:
  std::vector<Sequential::Outcome> outcomes(StateId from, const BoundLabel& label) {
    const auto call = call_of(program_, label);
    if (!call) return {};
    const auto& found = sequential_.outcomes(from, sequential_.number_of(*call));
    // Empty would mean that it blocks.
    if (const auto& fault = sequential_.fault())
      throw SpecificationError(fmt::format(
          "the specification of the model fails at line {}{}: {}", fault->line,
          program_.spec_model ? " of " + program_.spec_model->file : "", fault->message));
    return found;
  }

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
    return reject_label(program_, label);
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
