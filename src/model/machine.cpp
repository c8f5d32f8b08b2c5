// SPDX-License-Identifier: MIT
// Nondeterminism inside a step (`choose`) is run again and again: the choices are kept in a list, a
// run repeats those that it finds there and adds new ones, and next_choice() counts like an
// odometer. So code needs no copies of half-done states, and the order is always the same, which is
// what lets a trace be stored as numbers of successors and replayed.
#include "model/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::model {
namespace {

constexpr std::uint32_t kLongestRun = 100'000;  // instructions without a shared access
constexpr std::int64_t kMost = 2'000'000'000;
constexpr std::int64_t kMostChoices = 100'000;

}  // namespace

void Coverage::merge(const Coverage& other) {
  const auto add = [](std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& from) {
    to.resize(std::max(to.size(), from.size()), 0);
    for (std::size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
  };
  add(code, other.code);
  add(returned, other.returned);
}

Machine::Machine(const Program& program) : program_(program) {
  next_.resize(program.cells());
  coverage_.code.resize(program.code.size(), 0);
  coverage_.returned.resize(program.ops.size(), 0);
  spec_covered_.resize(program.spec_code.size(), 0);
}

std::vector<Cell> Machine::initial() const {
  std::vector<Cell> state(program_.initial_shared);
  state.resize(program_.cells(), 0);
  for (std::uint32_t p = 0; p < program_.processes(); ++p)
    state[program_.block_of(p) + 2] = program_.classes[program_.class_of[p]].at_most;
  return state;
}

void Machine::pack(const Cell* state, std::uint64_t* words) const {
  std::fill(words, words + program_.layout.words, 0);
  const std::vector<Field>& fields = program_.layout.fields;
  for (std::size_t i = 0; i < fields.size(); ++i)
    words[fields[i].word] |= static_cast<std::uint64_t>(state[i] - fields[i].low)
                             << fields[i].shift;
}

void Machine::unpack(const std::uint64_t* words, Cell* state) const {
  const std::vector<Field>& fields = program_.layout.fields;
  for (std::size_t i = 0; i < fields.size(); ++i)
    state[i] = static_cast<Cell>(words[fields[i].word] >> fields[i].shift & fields[i].mask) +
               fields[i].low;
}

Machine::End Machine::fail(const Instruction& at, std::string message) {
  fault_ = {at.line, std::move(message)};
  return End::fault;
}

// What the next instruction will touch. Whatever is not known to be local touches everything.
void Machine::note(const Instruction& next) {
  const auto mark = [&](std::vector<std::uint64_t>& cells, Cell first, std::int64_t index,
                        Cell size) {
    if (index < 0 || index >= size) return;  // a fault
    const auto cell = static_cast<std::size_t>(first + index);
    cells[cell / 64] |= std::uint64_t{1} << cell % 64;
  };
  switch (next.code) {
    case Code::load_shared: mark(footprint_->reads, next.a, 0, 1); return;
    case Code::load_indexed: mark(footprint_->reads, next.a, stack_.below(0), next.b); return;
    case Code::store_shared: mark(footprint_->writes, next.a, 0, 1); return;
    case Code::store_indexed:
    case Code::fetch_and_add:
    case Code::swap: mark(footprint_->writes, next.a, stack_.below(1), next.d); return;
    case Code::compare_and_swap: mark(footprint_->writes, next.a, stack_.below(2), next.d); return;
    case Code::push:
    case Code::pop:
    case Code::load_local:
    case Code::store_local:
    case Code::self:
    case Code::negate:
    case Code::invert:
    case Code::add:
    case Code::subtract:
    case Code::multiply:
    case Code::divide:
    case Code::modulo:
    case Code::equal:
    case Code::different:
    case Code::less:
    case Code::less_equal:
    case Code::minimum:
    case Code::maximum:
    case Code::choose:
    case Code::jump:
    case Code::jump_if_false:
    case Code::jump_if_true:
    case Code::await:
    case Code::assertion:
    case Code::boundary:
    case Code::give_back:
    case Code::no_result: return;
    default:
      std::fill(footprint_->writes.begin(), footprint_->writes.end(), ~std::uint64_t{0});
      return;
  }
}

bool Machine::next_choice() {
  choices_.resize(made_);
  while (!choices_.empty() && choices_.back().taken == choices_.back().last) choices_.pop_back();
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

Machine::End Machine::run(const std::vector<Instruction>& code, std::uint32_t ip, Cell* shared,
                          Cell* locals, std::uint32_t self, std::uint8_t* covered) {
  stack_.clear();
  made_ = 0;
  const auto pop = [this] {
    const std::int64_t value = stack_.back();
    stack_.pop_back();
    return value;
  };
  for (std::uint32_t ran = 0; ran < kLongestRun; ++ran) {
    std::uint8_t& seen = covered[ip];
    const Instruction& i = code[ip++];
    if (footprint_) note(i);
    seen |= Coverage::reached;
    const auto out_of_range = [&](std::int64_t value) {
      return fail(i, fmt::format("{} is not in {}..{}", value, i.b, i.c));
    };
    switch (i.code) {
      case Code::push: stack_.push_back(i.a); break;
      case Code::pop: stack_.pop_back(); break;
      case Code::load_local: stack_.push_back(locals[i.a]); break;
      case Code::store_local:
      case Code::store_shared: {
        const std::int64_t value = pop();
        if (value < i.b || value > i.c) return out_of_range(value);
        (i.code == Code::store_local ? locals : shared)[i.a] = static_cast<Cell>(value);
        break;
      }
      case Code::load_shared: stack_.push_back(shared[i.a]); break;
      case Code::load_indexed: {
        const std::int64_t index = pop();
        if (index < 0 || index >= i.b)
          return fail(i, fmt::format("index {} is not in 0..{}", index, i.b - 1));
        stack_.push_back(shared[i.a + index]);
        break;
      }
      case Code::store_indexed:
      case Code::compare_and_swap:
      case Code::fetch_and_add:
      case Code::swap: {
        std::int64_t value = pop();
        const std::int64_t old = i.code == Code::compare_and_swap ? pop() : 0;
        const std::int64_t index = pop();
        if (index < 0 || index >= i.d)
          return fail(i, fmt::format("index {} is not in 0..{}", index, i.d - 1));
        Cell& cell = shared[i.a + index];
        if (i.code == Code::compare_and_swap) {
          stack_.push_back(cell == old ? 1 : 0);
          seen |= cell == old ? Coverage::yes : Coverage::no;
          if (cell != old) break;
        } else if (i.code != Code::store_indexed) {
          stack_.push_back(cell);
          if (i.code == Code::fetch_and_add) value += cell;
        }
        if (value < i.b || value > i.c) return out_of_range(value);
        cell = static_cast<Cell>(value);
        break;
      }
      case Code::self: stack_.push_back(self); break;
      case Code::negate: stack_.back() = -stack_.back(); break;
      case Code::invert: stack_.back() = !stack_.back(); break;
      case Code::add:
      case Code::subtract:
      case Code::multiply:
      case Code::divide:
      case Code::modulo: {
        const std::int64_t b = pop();
        std::int64_t& a = stack_.back();
        if (b == 0 && (i.code == Code::divide || i.code == Code::modulo))
          return fail(i, "division by zero");
        a = i.code == Code::add        ? a + b
            : i.code == Code::subtract ? a - b
            : i.code == Code::multiply ? a * b
            : i.code == Code::divide   ? a / b
                                       : a % b;
        // Nothing in here is larger than kMost, so no product overflows.
        if (a > kMost || a < -kMost) return fail(i, "a number becomes too large");
        break;
      }
      case Code::equal:
      case Code::different:
      case Code::less:
      case Code::less_equal:
      case Code::minimum:
      case Code::maximum: {
        const std::int64_t b = pop();
        std::int64_t& a = stack_.back();
        a = i.code == Code::equal        ? a == b
            : i.code == Code::different  ? a != b
            : i.code == Code::less       ? a < b
            : i.code == Code::less_equal ? a <= b
            : i.code == Code::minimum    ? std::min(a, b)
                                         : std::max(a, b);
        break;
      }
      case Code::choose: {
        const std::int64_t high = pop(), low = pop();
        if (low > high) return End::blocked;
        if (high - low > kMostChoices) return fail(i, "choose has too many values");
        if (made_ == choices_.size()) choices_.push_back({low, high});
        stack_.push_back(choices_[made_++].taken);
        break;
      }
      case Code::jump: ip = static_cast<std::uint32_t>(i.a); break;
      case Code::jump_if_false:
        if (!pop()) ip = static_cast<std::uint32_t>(i.a);
        break;
      case Code::jump_if_true:
        if (pop()) ip = static_cast<std::uint32_t>(i.a);
        break;
      case Code::await:
        if (!pop()) return seen |= Coverage::no, End::blocked;
        seen |= Coverage::yes;
        break;
      case Code::assertion:
        if (!pop()) return fail(i, "an assertion fails");
        break;
      case Code::boundary: point_ = i.a; return End::boundary;
      case Code::give_back:
        result_ = i.a ? pop() : 0;
        if (result_ > kMost / 2 || result_ < -kMost / 2)
          return fail(i, "a number becomes too large");
        return End::returned;
      case Code::no_result: return fail(i, "the operation ends without a result");
    }
  }
  return fail(code[ip], "the operation loops for ever without a shared access");
}

void Machine::successors(const Cell* state, std::uint32_t process, const Visitor& visit) {
  const std::uint32_t at = program_.block_of(process);
  const Point& from = point(state, process);
  const ClientClass& client = program_.classes[program_.class_of[process]];
  Successor successor;
  Cell* next = next_.data();
  Cell* block = next + at;
  Cell* locals = block + 3;
  const auto copy = [&] { std::copy(state, state + program_.cells(), next); };
  const auto finish = [&](End end, const Op& op) {
    successor.fault = end == End::fault ? &fault_ : nullptr;
    std::uint64_t live = 0;
    if (end == End::boundary) {
      block[0] = point_;
      live = program_.points[static_cast<std::size_t>(point_)].live;
    } else if (end == End::returned) {
      block[0] = op.return_point;
      coverage_.returned[static_cast<std::size_t>(&op - program_.ops.data())] = 1;
    }
    for (std::uint32_t slot = 0; slot < program_.frame; ++slot)
      if (!(live >> slot & 1)) locals[slot] = 0;
    if (end == End::returned && op.returns_value) locals[0] = static_cast<Cell>(result_);
    successor.state = next;
    visit(successor);
  };

  switch (from.kind) {
    case Point::idle:
      if (client.at_most && state[at + 2] == 0) return;
      successor.kind = StepKind::call;
      for (const CallNumber number : client.steps[static_cast<std::size_t>(state[at + 1])]) {
        const ConcreteCall& call = program_.calls[number];
        const Op& op = program_.ops[call.op];
        successor.call = number;
        choices_.clear();
        do {
          copy();
          std::copy(call.args.begin(), call.args.end(), locals);
          block[1] = (state[at + 1] + 1) % static_cast<Cell>(client.steps.size());
          if (client.at_most) --block[2];
          const End end =
              run(program_.code, op.entry, next, locals, process, coverage_.code.data());
          if (end != End::blocked) finish(end, op);
        } while (next_choice());
      }
      return;
    case Point::inside:
      successor.kind = StepKind::inside;
      successor.line = from.line;
      choices_.clear();
      do {
        copy();
        const End end =
            run(program_.code, from.ip + 1, next, locals, process, coverage_.code.data());
        if (end != End::blocked) finish(end, program_.ops[from.op]);
      } while (next_choice());
      return;
    case Point::returning:
      successor.kind = StepKind::give_back;
      successor.call = from.op;
      successor.result = program_.ops[from.op].returns_value ? state[at + 3] : 0;
      copy();
      block[0] = 0;
      std::fill(locals, locals + program_.frame, 0);
      successor.state = next;
      visit(successor);
      return;
  }
}

std::vector<Machine::Outcome> Machine::specified(const std::vector<Cell>& state,
                                                 const ConcreteCall& call,
                                                 std::optional<Fault>& fault) {
  std::vector<Outcome> outcomes;
  std::vector<Cell> locals;
  choices_.clear();
  do {
    Outcome outcome{state, 0};
    locals.assign(std::max<std::size_t>(program_.spec_frame, call.args.size()), 0);
    std::copy(call.args.begin(), call.args.end(), locals.begin());
    const End end = run(program_.spec_code, program_.spec_ops[call.op].entry, outcome.state.data(),
                        locals.data(), 0, spec_covered_.data());
    if (end == End::fault) {
      fault = fault_;
      return {};
    }
    if (end == End::blocked) continue;
    outcome.result = static_cast<Cell>(result_);
    const bool known = std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& other) {
      return other.result == outcome.result && other.state == outcome.state;
    });
    if (!known) outcomes.push_back(std::move(outcome));
  } while (next_choice());
  return outcomes;
}

}  // namespace plumb::model
